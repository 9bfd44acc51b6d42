"""A biaxial test with a servo wall: a callback keeps the side pressure while the lid comes down.

The load on the side wall is a pressure times the height that is left, which no function of time could say beforehand. Walls
that bear a load are free to slide, and have a mass; walls that are driven are moved by a velocity.
"""

import sys
from pathlib import Path

import drystone
import numpy as np
from drystone.scene import Boundary, DefaultLaw, Law, Material, Push, Scene, Shape, Time

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/biaxial")
PRESSURE, SPEED = 1000.0, 0.02
rng = np.random.default_rng(7)
radius, columns, rows = 0.05, 10, 11
places = (np.stack(np.meshgrid(np.arange(columns), np.arange(rows)), -1).reshape(-1, 2) + 0.5) * 2.02 * radius
width, height = 2.02 * radius * columns, 2.02 * radius * rows

scene = Scene(
    title="biaxial test",
    dimension=2,
    gravity=[0, 0],
    time=Time(step=5e-4, end=3.2),
    material=[Material(name="glass", density=2500), Material(name="plate")],
    default_law=DefaultLaw(friction=0.3),
    # Plates are smooth, so that they are principal directions of stress.
    law=[Law(between=["glass", "plate"], friction=0.0)],
)
scene.add_grains(places, rng.uniform(0.6, 1.0, len(places)) * radius, material="glass")
for name, place, turn in (
    ("floor", [0, 0], 0.0),
    ("left", [0, 0], -np.pi / 2),
    ("right", [width, 0], np.pi / 2),
    ("lid", [0, height], np.pi),
):
    wall = Boundary(name=name, shape=Shape(half_plane={}), position=place, rotation=turn, material="plate")
    if name == "right":
        wall.load = Push(direction=[-1, 0], force=PRESSURE * height, mass=100)
    scene.boundary.append(wall)

simulation = drystone.Simulation(scene)
history = []


def servo(simulation):
    lid, right = simulation.boundary("lid"), simulation.boundary("right")
    h, w = lid.position[1], right.position[0]
    simulation.set_boundary_load("right", PRESSURE * h)
    # While the sample is loose it is closed faster.
    simulation.set_boundary_motion("lid", [0, -0.1 if simulation.time < 1.4 else -SPEED])
    history.append((simulation.time, w, h, right.force[0] / h, lid.force[1] / w))


simulation.run(callback=servo)
time, w, h, side, axial = np.array(history).T
late = time > 2.2
ratio = axial[late].mean() / side[late].mean()
print(f"pressure aside {side[late].mean():.0f} (set: {PRESSURE:.0f}), above {axial[late].mean():.0f} N/m")
print(f"sin of the mobilised angle of friction: {(ratio - 1) / (ratio + 1):.2f}; {simulation.verdict}")
print(f"energy not accounted for: {simulation.ledger['closure_max']:.1e} of the largest")
summary = simulation.summary()
assert abs(side[late].mean() / PRESSURE - 1) < 0.02 and 1000 * summary["unconverged_steps"] < summary["steps"]

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit()
folder.mkdir(parents=True, exist_ok=True)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
smooth = lambda values: np.convolve(values, np.full(200, 0.005), mode="valid")
left.plot(smooth(time), smooth(side), label="aside")
left.plot(smooth(time), smooth(axial), label="above")
left.set(xlabel="time in s", ylabel="mean pressure over 0.1 s in N/m", ylim=(0, 2.5 * PRESSURE))
left.legend()
for (x, y), r in zip(simulation.positions, simulation.radii):
    right.add_patch(plt.Circle((x, y), r, fill=False))
right.set(aspect="equal", xlim=(-0.05, w.max() + 0.05), ylim=(-0.05, height + 0.05), xlabel="m", ylabel="m")
figure.savefig(folder / "biaxial.png", dpi=100)
