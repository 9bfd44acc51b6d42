"""An arch of voussoirs, as vertices and faces: does it stand, and what is its thrust?"""

import numpy as np
from drystone.masonry import Block, solve_assembly

FACES = [[0, 1, 2, 3], [4, 7, 6, 5], [0, 4, 5, 1], [1, 5, 6, 2], [2, 6, 7, 3], [3, 7, 4, 0]]


def arch(count, inner, outer, depth=1.0):
    """A semicircle of voussoirs between two supports."""
    angles = np.linspace(0, np.pi, count + 1)
    blocks = []
    for a, b in zip(angles[:-1], angles[1:]):
        ring = [(r * np.cos(t), r * np.sin(t)) for r, t in ((inner, a), (outer, a), (outer, b), (inner, b))]
        blocks.append(Block(np.array([[x, y, z] for y in (0, depth) for x, z in ring]), FACES))
    for side in (1, -1):
        low = [[side * r, y, z] for y in (0, depth) for z in (-0.2, 0) for r in (inner, outer)]
        blocks.append(Block(np.array(low), support=True))
    return blocks


for thickness in (0.20, 0.05):
    blocks = arch(15, 1 - thickness / 2, 1 + thickness / 2)
    result = solve_assembly(blocks, friction=0.7, density=2400, duration=0.5)
    feet = [i for i in result.interfaces if max(i.first, i.second) >= 15]
    upward = sum(abs(i.resultant[2]) for i in feet)
    state = "stands" if result.stands() else "falls"
    print(f"thickness {thickness:.2f} of radius 1: {state}; speed {result.speed:.2e} m/s, {result.verdict}")
    if result.stands():
        thrust = abs(feet[0].resultant[0])
        angles = np.pi / 15
        weight = 9.81 * 2400 * 15 * 0.5 * np.sin(angles) * ((1 + thickness / 2) ** 2 - (1 - thickness / 2) ** 2)
        print(f"  its feet carry {upward:.0f} N of {weight:.0f} N of weight, with a thrust of {thrust:.0f} N")
        assert abs(upward - weight) < 2e-3 * weight
# Heyman: a semicircular arch needs a thickness of about 0.107 of its radius.
assert not result.stands()
