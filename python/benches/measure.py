"""The figures of docs/python.md: cost of a step, of a view, of 10⁵ spheres, memory. Run it on a machine at rest."""

import resource
import time
import timeit

import drystone
import numpy as np
from drystone.scene import DefaultLaw, Material, Scene, Time

BALL = """
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-6, end = 1 }
material = [{ name = "stone", density = 2000 }]
default_law = { friction = 0.3 }
body = [{ shape = { disk = 0.1 }, position = [0, 5], material = "stone" }]
"""


def least(statement, number, **names):
    """Of many runs the least, in seconds of processor time for one call."""
    return min(timeit.repeat(statement, globals=names, number=number, repeat=25, timer=time.process_time)) / number


def memory():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


print(f"memory with the package loaded: {memory():.0f} MiB")
simulation = drystone.Simulation(BALL)
bulk = least("simulation.step(1000)", 1, simulation=simulation) / 1000
single = least("simulation.step()", 1000, simulation=simulation)
print(f"a step among 1,000 in one call: {bulk * 1e6:.2f} µs; called by itself: {single * 1e6:.2f} µs")
print(f"what a call costs besides: {(single - bulk) * 1e6:.2f} µs")
print(f"positions of an unchanged state: {least('simulation.positions', 1000, simulation=simulation) * 1e6:.3f} µs")
print(f"step and positions: {least('simulation.step(); simulation.positions', 1000, simulation=simulation) * 1e6:.2f} µs")

side = 47
places = np.stack(np.meshgrid(*[np.arange(side)] * 3), -1).reshape(-1, 3)[:100_000] * 1.0


def build():
    scene = Scene(
        dimension=3,
        gravity=[0, 0, -9.81],
        time=Time(step=1e-3, end=1),
        material=[Material(name="stone", density=2000)],
        default_law=DefaultLaw(friction=0.3),
    )
    scene.add_grains(places, np.full(len(places), 0.4), material="stone")
    return drystone.Simulation(scene)


before = memory()
seconds = min(timeit.repeat(build, number=1, repeat=3, timer=time.process_time))
large = build()
print(f"10⁵ spheres from arrays to a simulation: {seconds:.2f} s of one core; memory grew by {memory() - before:.0f} MiB")
large.step()
copies = []
for _ in range(7):
    large.set_force(0, [0, 0, 0])  # another state
    clock = time.process_time()
    large.positions
    copies.append(time.process_time() - clock)
print(f"their positions in a new state: {min(copies) * 1e3:.2f} ms")
