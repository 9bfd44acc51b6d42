"""Many runs of one scene with other values."""

import os
import sys

from . import _drystone
from ._run import _frame_of
from ._source import is_text, toml
from .errors import InvalidValueError


def ensemble(scene, vary=None, *, runs=None, folder, until=None, jobs=0, progress=False):
    """Makes a run for every combination of values, or for every dictionary of `runs`, on all cores.

    `vary` has the values of each key: `{"default_law.friction": [0.2, 0.4]}`. Each run is recorded in a folder of its own
    in `folder`. An ensemble that was interrupted goes on where it was when it is called again with the same folder. Gives a
    table, of pandas if it is there, else arrays by name; it is also `ensemble.csv` in the folder.
    """
    if (vary is None) == (runs is None):
        raise InvalidValueError("give either vary, the values of each key, or runs, a dictionary for each run")
    keys, listed = [], None
    if vary is not None:
        if not hasattr(vary, "items"):
            raise InvalidValueError(f"vary is {vary!r}; expected a dictionary of keys and lists of values")
        keys = [(key, [toml(value) for value in _values(key, values)]) for key, values in vary.items()]
    else:
        listed = [[(key, toml(value)) for key, value in run.items()] for run in runs]
    if not isinstance(jobs, int) or jobs < 0:
        raise InvalidValueError(f"jobs is {jobs!r}; expected 0, one for each core, or more")
    folder = os.fspath(folder)
    path = _file(scene, folder)
    tell = _tell if progress else None
    return _frame_of(_drystone.ensemble(path, keys, listed, folder, until, jobs, tell))


def _values(key, values):
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise InvalidValueError(f"the values of `{key}` are {values!r}; expected a list")
    return values


def _file(scene, folder):
    """The path of the scene; one that is not on disk is written beside the runs."""
    if isinstance(scene, (str, os.PathLike)) and not (isinstance(scene, str) and is_text(scene)):
        return os.fspath(scene)
    if hasattr(scene, "to_toml"):
        if scene.arrays:
            raise InvalidValueError("an ensemble needs a scene without arrays: save it by Scene.save, and give the file")
        text = scene.to_toml()
    elif isinstance(scene, str):
        text = scene
    else:
        raise InvalidValueError(
            f"the scene is a {type(scene).__name__}; expected the path of a scene file, its text, or a Scene"
        )
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "scene.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _tell(done, count, run, fault):
    sys.stderr.write(f"run {run}: {fault or 'done'} ({done} of {count})\n")
