"""A triaxial test in space: spheres between six plates, a pressure on the sides kept by a callback while the lid comes down.

First all three plates that can slide are pressed on the loose sample, without friction, until it is at rest under the same
pressure from all sides. Then a second scene begins where the first has ended, with a lid that is driven down slowly. Loads on the sides are the
pressure times what is left of their areas, which no function of time could say beforehand.
"""

import sys
from pathlib import Path

import drystone
import numpy as np
from drystone.scene import Boundary, DefaultLaw, Law, Material, Motion, Push, Scene, Shape, Time

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/triaxial")
PRESSURE, DENSITY, FRICTION = 10e3, 2600.0, 0.4
RADIUS, SIDE = 0.01, 4
RATE, STRAIN, STEP = 0.1, 0.05, 2e-4
AXES = "xyz"


def scene_of(places, radii, size, *, friction, driven, duration):
    """Spheres in a box whose floor, back and left are fixed; the others bear a load or, if driven, the lid moves down."""
    scene = Scene(
        title="triaxial test",
        dimension=3,
        gravity=[0, 0, 0],
        # Spheres that press on each other overlap by a few parts in 1e5 when the second scene takes them over.
        overlap="accept",
        time=Time(step=STEP, end=duration),
        material=[Material(name="glass", density=DENSITY), Material(name="plate")],
        default_law=DefaultLaw(friction=friction),
        # Plates are smooth, so that they are principal directions of stress.
        law=[Law(between=["glass", "plate"], friction=0.0)],
    )
    scene.add_grains(places, radii, material="glass")
    # Plates much heavier than the sample leave steps further from the exact ones.
    mass = 0.4 * DENSITY * np.prod(size)
    for axis, name in enumerate(AXES):
        normal = np.eye(3)[axis]
        shape = lambda side: Shape(half_space={"normal": (side * normal).tolist()})
        scene.boundary.append(Boundary(name=f"{name} fixed", shape=shape(1.0), position=[0, 0, 0], material="plate"))
        wall = Boundary(name=name, shape=shape(-1.0), position=(size * normal).tolist(), material="plate")
        if driven and name == "z":
            wall.motion = Motion(velocity=[0, 0, -RATE * size[2]])
        else:
            wall.load = Push(direction=(-normal).tolist(), force=0.0, mass=float(mass))
        scene.boundary.append(wall)
    return scene


def measure(simulation):
    """Extent of the box, and the pressure on each plate that can move."""
    walls = [simulation.boundary(name) for name in AXES]
    size = np.array([wall.position[axis] for axis, wall in enumerate(walls)])
    area = np.prod(size) / size
    return size, np.array([wall.force[axis] for axis, wall in enumerate(walls)]) / area


def keep_pressure(simulation, axes, pressure=PRESSURE):
    size, _ = measure(simulation)
    for axis in axes:
        simulation.set_boundary_load(AXES[axis], pressure * np.prod(size) / size[axis])


# A loose sample that is pressed together, without friction, so that it becomes dense.
rng = np.random.default_rng(3)
places = (np.stack(np.meshgrid(*[np.arange(SIDE)] * 3), -1).reshape(-1, 3) + 0.5) * 2.05 * RADIUS
radii = rng.uniform(0.7, 1.0, len(places)) * RADIUS
size = np.full(3, 2.05 * RADIUS * SIDE)
first = drystone.Simulation(scene_of(places, radii, size, friction=0.0, driven=False, duration=0.6))


def press(simulation):
    # A fiftieth closes the loose sample, so that nothing falls too far in a step; then up to all of it.
    share = min(1.0, max(0.0, simulation.time - 0.3) / 0.2)
    keep_pressure(simulation, (0, 1, 2), PRESSURE * (0.02 + 0.98 * share**2))


press(first)
first.run(callback=press)
size, pressures = measure(first)
porosity = 1 - 4 / 3 * np.pi * (radii**3).sum() / np.prod(size)
print(f"{len(radii)} spheres, pressed: porosity {porosity:.3f}, pressures {pressures.round(-1)} Pa; {first.verdict}")

# The test itself.
test = drystone.Simulation(scene_of(first.positions, radii, size, friction=FRICTION, driven=True, duration=STRAIN / RATE))
keep_pressure(test, (0, 1))
height, volume, history = size[2], np.prod(size), []


def servo(simulation):
    keep_pressure(simulation, (0, 1))
    size, pressures = measure(simulation)
    history.append((1 - size[2] / height, 1 - np.prod(size) / volume, *pressures))


test.run(callback=servo)
strain, shrinkage, x, y, z = np.array(history).T
smooth = lambda values: np.convolve(values, np.full(100, 0.01), mode="valid")
late = strain > STRAIN / 2
sides = np.array([x[late].mean(), y[late].mean()])
ratio = z[late].mean() / sides.mean()
print(f"pressures aside {sides.round()} Pa (set: {PRESSURE:.0f}), above {z[late].mean():.0f} Pa")
print(f"mobilised angle of friction {np.degrees(np.arcsin((ratio - 1) / (ratio + 1))):.1f} degrees; {test.verdict}")
print(f"energy not accounted for: {test.ledger['closure_max']:.1e} of the largest")
summary = test.summary()
assert np.abs(sides / PRESSURE - 1).max() < 0.02 and 20 * summary["unconverged_steps"] < summary["steps"]
assert first.verdict.trusted

folder.mkdir(parents=True, exist_ok=True)
test.picture().save(folder / "sample.png")
try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    sys.exit()
figure, (above, below) = plt.subplots(2, 1, figsize=(7, 7), sharex=True)
middle = 100 * smooth(strain)
for values, name in ((x, "x"), (y, "y"), (z, "z, driven")):
    above.plot(middle, smooth(values) / 1e3, label=name)
above.set(ylabel="pressure in kPa, mean of 100 steps", ylim=(0, None))
above.legend()
below.plot(100 * strain, 100 * shrinkage)
below.set(xlabel="shortening in %", ylabel="loss of volume in %")
figure.savefig(folder / "triaxial.png", dpi=100, bbox_inches="tight")
