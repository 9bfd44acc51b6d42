"""A first scene: a column of blocks is hit by a ball, recorded, and drawn."""

import sys
from pathlib import Path

import drystone
from drystone.scene import Body, Boundary, DefaultLaw, Material, Output, Scene, Shape, Time

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/first")
scene = Scene(
    title="a ball hits a column",
    dimension=2,
    gravity=[0, -9.81],
    time=Time(step=5e-4, end=1.0),
    material=[Material(name="stone", density=2400)],
    default_law=DefaultLaw(friction=0.6),
    output=Output(frame_interval=0.1),
)
scene.boundary.append(Boundary(name="ground", shape=Shape(half_plane={}), material="stone"))
for i in range(8):
    scene.body.append(Body(shape=Shape(box=[0.6, 0.3]), position=[0, 0.15 + 0.3 * i], material="stone"))
scene.body.append(Body(name="ball", shape=Shape(disk=0.25), position=[-2, 1.9], velocity=[8, 1], material="stone"))

with drystone.Simulation(scene) as simulation:
    simulation.record(folder, force=True)
    simulation.run(progress=True)
    simulation.finish()
    print("verdict:", simulation.verdict)
    print("top block is at", simulation.positions[7])

run = drystone.read(folder)
print(len(run), "frames; the last picture is", run.pictures[-1])
run.export("html", folder / "film.html")
