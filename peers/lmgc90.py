"""LMGC90 on the walls of `src/scene.rs`, by its Python wheel: `pip install compas_lmgc90`, then

    python lmgc90.py COURSES BRICKS [STEPS]

14 13 is the small wall of 189 blocks, 40 50 that of 2,020. Printed are processor time for a step of 2 ms, without the first one, overlaps
and creep: how far blocks come into each other and the ground by the height of their centres, and the median way in 0.1 s.
"""

import sys
import time

import numpy as np
from compas_lmgc90.solver import Solver

COURSES, BRICKS = int(sys.argv[1]), int(sys.argv[2])
STEPS = int(sys.argv[3]) if len(sys.argv) > 3 else 100
STEP, HEIGHT = 2e-3, 0.2


def block(middle, sides):
    """Vertices and triangles of a box."""
    low, high = np.array(middle) - np.array(sides) / 2, np.array(middle) + np.array(sides) / 2
    vertices = [[(low, high)[i >> k & 1][k] for k in range(3)] for i in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    triangles = [list(t) for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    return [[float(x) for x in v] for v in vertices], triangles


def wall():
    """Courses of bricks, each shifted by half a brick against the next; half bricks close the ends."""
    for course in range(COURSES):
        odd, height = course % 2 == 1, 0.5 * HEIGHT + HEIGHT * course
        for number in range(BRICKS + odd):
            length, middle = 0.4, 0.4 * number + 0.2
            if odd:
                middle -= 0.2
                if number in (0, BRICKS):
                    length = 0.2
                    middle += 0.1 if number == 0 else -0.1
            yield block((middle, 0.0, height), (length, 0.2, HEIGHT))


blocks = list(wall())
ground = block((0.2 * BRICKS, 0.0, -0.5), (0.4 * BRICKS + 4.0, 4.0, 1.0))
solver = Solver(dt=STEP, density=2000.0)
solver.geometry_from_v_f([{"vertices": v, "faces": f} for v, f in [*blocks, ground]])
solver.set_supports(z_threshold=0.0)
solver.contact_law("IQS_CLB", 0.5)
solver.preprocess()


def heights():
    """Centres of the blocks."""
    return np.array([np.mean([m.vertex_coordinates(v) for v in m.vertices()], axis=0) for m in solver.trimeshes[:-1]])


start = np.array([np.mean(v, axis=0) for v, _ in blocks])
solver.run(nb_steps=1)
clock = time.process_time()
for _ in range(STEPS - 1):
    solver.lmgc90.compute_one_step()
spent = time.process_time() - clock
solver.run(nb_steps=1)
before = heights()
for _ in range(49):
    solver.lmgc90.compute_one_step()
solver.run(nb_steps=1)
sunk = (start - before)[:, 2]
course = np.round((start[:, 2] - 0.5 * HEIGHT) / HEIGHT)
mean = [sunk[course == k].mean() for k in range(COURSES)]
deep = np.diff([0.0, *mean])
creep = np.median(np.linalg.norm(heights() - before, axis=1))
print(f"{len(blocks)} blocks: {1e3 * spent / (STEPS - 1):.1f} ms a step")
print(f"overlap between courses {deep.max() / HEIGHT:.1e} at most, {deep.clip(0).mean() / HEIGHT:.1e} in the mean; creep {creep / HEIGHT:.1e}")
