"""Scenes as Python objects."""

import subprocess
import sys
from pathlib import Path

import drystone
import numpy as np
import pytest
from drystone import _drystone
from drystone.scene import Body, Boundary, DefaultLaw, Material, Scene, Shape, Time
from scenes import ROOT

SCENES = sorted((ROOT / "scenes").glob("*.toml"))
SMALL = ["small_arch", "rocking_block", "sliding_block", "plate", "bending_path", "kane_acd2", "hanging_grains"]


def test_the_tables_are_those_of_the_schema():
    generator = Path(__file__).parents[1] / "generate_scene.py"
    done = subprocess.run([sys.executable, generator, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("path", SCENES, ids=lambda path: path.stem)
def test_scenes_lose_nothing_on_their_way_to_objects_and_back(path):
    scene = Scene.from_file(path)
    plain = _drystone.parse_toml(path.read_text(encoding="utf-8"))
    assert scene.to_dict() == plain
    assert _drystone.parse_toml(scene.to_toml()) == plain


@pytest.mark.parametrize("name", SMALL)
def test_an_object_moves_as_its_file(name):
    path = ROOT / "scenes" / f"{name}.toml"
    file, made = drystone.Simulation(path), drystone.Simulation(Scene.from_file(path))
    file.step(20), made.step(20)
    assert file.state_hash == made.state_hash


def heap(**more):
    return Scene(
        dimension=3,
        gravity=[0, 0, -9.81],
        time=Time(step=1e-3, end=1),
        material=[Material(name="stone", density=2000)],
        default_law=DefaultLaw(friction=0.3),
        boundary=[Boundary(name="floor", shape=Shape(half_space={}), material="stone")],
        **more,
    )


def test_a_scene_made_of_objects():
    scene = heap(body=[Body(name="box", shape=Shape(box=[1, 1, 1]), position=np.array([0, 0, 0.5]), material="stone")])
    scene.body.append(Body(shape=Shape(sphere=0.1), position=(3, 0, 1), material="stone"))
    simulation = drystone.Simulation(scene)
    assert simulation.bodies == 2 and simulation.names[0] == "box"
    assert heap().body == []


def test_many_grains_come_as_arrays_and_survive(tmp_path):
    rng = np.random.default_rng(3)
    positions = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), -1).reshape(-1, 3) + [0, 0, 0.5]
    radii, velocities = rng.uniform(0.1, 0.4, 216), rng.normal(size=(216, 3))
    scene = heap()
    scene.add_grains(positions, radii, material="stone", velocities=velocities)
    simulation = drystone.Simulation(scene)
    assert np.array_equal(simulation.positions, positions)
    assert np.array_equal(simulation.radii, radii)
    assert np.array_equal(simulation.velocities, velocities)
    simulation.record(tmp_path / "run", pictures=False)
    simulation.step(20)
    other = drystone.Simulation.load(simulation.checkpoint())
    assert other.state_hash == simulation.state_hash
    simulation.step(20), other.step(20)
    assert other.state_hash == simulation.state_hash
    simulation.finish()
    resumed = drystone.read(tmp_path / "run").simulation()
    assert resumed.bodies == 216 and resumed.state_hash == simulation.state_hash
    scene.save(tmp_path / "grains.toml")
    assert np.array_equal(drystone.Simulation(tmp_path / "grains.toml").positions, positions)
