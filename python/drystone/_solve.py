"""Contact problems given as matrices."""

import os

import numpy as np

from . import _drystone
from ._drystone import Answer, solvers
from .errors import InvalidValueError

__all__ = ["Answer", "solve", "solvers"]


def solve(
    W,
    q=None,
    mu=None,
    *,
    rolling=None,
    dimension=None,
    solver="auto",
    tolerance=1e-4,
    max_iterations=100_000,
    start=None,
    diagnose=False,
    estimate=False,
    seconds=None,
):
    """Solves u = W r + q with Coulomb's law between impulses r and velocities u at every contact.

    W is a matrix of NumPy or SciPy (any sparse format), q the velocities without impulses, mu a coefficient for each
    contact, or one for all. Contacts have 2 components in the plane and 3 in space, the normal one first; 5 with `rolling`,
    the lengths of rolling resistance. `dimension` is needed only where `mu` is one number. W may also be the path of an
    FCLib file, which holds q and mu as well. `solvers()` has the names of all solvers. With `estimate` the answer tells its
    error, by one factorisation; after so many `seconds` a solver gives back the best that it has found.
    """
    options = (solver, float(tolerance), _count(max_iterations), start, bool(diagnose), bool(estimate), seconds)
    if isinstance(W, (str, os.PathLike)):
        return _drystone.solve(os.fspath(W), None, None, None, 3, *options)
    if q is None or mu is None:
        raise InvalidValueError("q and mu are missing: only the file of a problem holds them")
    q = np.asarray(q).ravel()
    if rolling is not None:
        dimension = 5
    if np.ndim(mu) == 0:
        if dimension is None:
            raise InvalidValueError("mu is one number for all contacts: say how many components each has by dimension=2 or 3")
        mu = np.full(len(q) // _count(dimension), mu)
    elif dimension is None:
        dimension = len(q) // max(1, np.size(mu))
    if rolling is not None and np.ndim(rolling) == 0:
        rolling = np.full(np.size(mu), rolling)
    if hasattr(W, "tocsr"):
        rows = W.tocsr()
        if rows.shape != (len(q), len(q)):
            raise InvalidValueError(f"W has shape {rows.shape}; expected {(len(q), len(q))}, as q has {len(q)} numbers")
        rows.sum_duplicates()
        W = (rows.indptr.tolist(), rows.indices.tolist(), rows.data)
    return _drystone.solve(W, q, mu, rolling, _count(dimension), *options)


def _count(number):
    if isinstance(number, (int, np.integer)) and number > 0:
        return int(number)
    raise InvalidValueError(f"{number!r} was given; expected a whole number from 1 on")
