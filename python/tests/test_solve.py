"""Contact problems given as matrices."""

import drystone
import numpy as np
import pytest

scipy_sparse = pytest.importorskip("scipy.sparse")


def test_a_mass_that_falls_and_slides():
    # A unit mass at (-1, 1) m/s, normal first: the impulse is (1, -0.3), and 0.7 m/s remain.
    answer = drystone.solve(np.eye(2), [-1, 1], [0.3], tolerance=1e-8)
    assert answer.solved
    assert answer.impulses == pytest.approx(np.array([[1, -0.3]]), abs=1e-6)
    assert answer.velocities == pytest.approx(np.array([[0, 0.7]]), abs=1e-6)


@pytest.mark.parametrize("solver", [s for s in drystone.solvers() if s != "quadratic"])
def test_every_solver_finds_the_same(solver):
    rng = np.random.default_rng(1)
    H = rng.normal(size=(12, 12))
    W, q = H @ H.T + np.eye(12), rng.normal(size=12)
    exact = drystone.solve(W, q, 0.5, dimension=3, tolerance=1e-10)
    answer = drystone.solve(W, q, 0.5, dimension=3, solver=solver, tolerance=1e-6)
    assert exact.solved and answer.solved
    assert answer.impulses == pytest.approx(exact.impulses, abs=1e-3)
    assert answer.velocities.ravel() == pytest.approx(W @ answer.impulses.ravel() + q, abs=1e-9)


@pytest.mark.parametrize("layout", ["csr", "csc", "coo", "bsr"])
def test_sparse_matrices_give_what_dense_ones_do(layout):
    rng = np.random.default_rng(2)
    H = rng.normal(size=(9, 9))
    W, q, mu = H @ H.T, rng.normal(size=9), [0.1, 0.5, 0.9]
    dense = drystone.solve(W, q, mu)
    sparse = drystone.solve(scipy_sparse.csr_matrix(W).asformat(layout), q.reshape(3, 3), mu)
    assert np.array_equal(dense.impulses, sparse.impulses)


def test_rolling_resistance_has_five_components():
    # Normal, two of slip, two of roll; the roll is stopped up to 0.1 m times the normal impulse.
    answer = drystone.solve(np.eye(5), [-1, 0, 0, 0.5, 0], [0.3], rolling=0.1, tolerance=1e-8)
    assert answer.solved
    assert answer.impulses[0] == pytest.approx([1, 0, 0, -0.1, 0], abs=1e-6)


def test_what_is_not_solved_says_why():
    # No impulse can stop this: W does not answer.
    answer = drystone.solve(np.zeros((2, 2)), [-1, 0], [0.3], diagnose=True, max_iterations=20)
    assert not answer.solved and answer.diagnosis
