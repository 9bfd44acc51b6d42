"""A friction problem given as a matrix: a row of contacts, by every solver."""

import drystone
import numpy as np

rng = np.random.default_rng(0)
contacts = 40
H = rng.normal(size=(3 * contacts, 60))
W = H @ H.T / 60
q = rng.normal(size=3 * contacts)
q[0::3] -= 1
for solver in ("auto", "nlgs", "newton", "admm"):
    if solver in drystone.solvers():
        answer = drystone.solve(W, q, 0.4, dimension=3, solver=solver, tolerance=1e-6)
        print(f"{solver:>8}: {answer}")
answer = drystone.solve(W, q, 0.4, dimension=3, tolerance=1e-6)
r, u = answer.impulses, W @ answer.impulses.ravel() + q
normal, tangent = r[:, 0], np.linalg.norm(r[:, 1:], axis=1)
assert answer.solved
print(f"normal impulses from {normal.min():.2e}; sliding: {(tangent > 0.4 * normal - 1e-6).sum()} of {contacts}")
