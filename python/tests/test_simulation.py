"""A scene in motion: steps, runs, arrays, views, setters, checkpoints."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading

import drystone
import numpy as np
import pytest
from scenes import FALLING, RESTING, ROOT, SPACE

WEIGHT = 2000 * 9.81


def test_a_ball_falls_as_it_should():
    with drystone.Simulation(FALLING) as simulation:
        assert simulation.run() == "reached"
        # The midpoint rule is exact for a constant acceleration.
        assert simulation.positions[0] == pytest.approx([0, 5 - 9.81 / 2], abs=1e-10)
        assert simulation.velocities[0] == pytest.approx([0, -9.81])
        assert simulation.steps == 1000
        assert simulation.time == pytest.approx(1)
    assert simulation.closed


def test_a_scene_is_a_path_a_text_or_an_object(tmp_path):
    path = tmp_path / "ball.toml"
    path.write_text(FALLING)
    scene = drystone.Scene.from_toml(FALLING)
    hashes = set()
    for source in (FALLING, path, str(path), scene):
        simulation = drystone.Simulation(source)
        simulation.step(10)
        hashes.add(simulation.state_hash)
    assert len(hashes) == 1


def test_results_are_those_of_the_program_for_any_threads_and_callbacks():
    path = ROOT / "scenes" / "small_arch.toml"
    plain, watched = drystone.Simulation(path), drystone.Simulation(path, threads=2)
    plain.step(200)
    seen = []
    watched.run(until=plain.time, every=7, callback=lambda s: seen.append(s.steps))
    assert watched.steps == 200
    assert seen == list(range(7, 201, 7))
    assert plain.state_hash == watched.state_hash


def test_arrays_are_snapshots_that_nobody_can_write():
    simulation = drystone.Simulation(FALLING)
    before = simulation.positions
    assert simulation.positions is before
    part, kept = before[:, 1], before.copy()
    simulation.step(100)
    assert np.array_equal(before, kept) and part[0] == 5
    assert simulation.positions is not before
    assert simulation.positions[0, 1] < 5
    for change in (lambda: before.__setitem__(0, 1), lambda: before.setflags(write=True)):
        with pytest.raises(ValueError):
            change()
    simulation.close()
    del simulation
    gc.collect()
    assert np.array_equal(before, kept)


def test_a_view_that_is_stale_raises():
    simulation = drystone.Simulation(RESTING)
    simulation.step()
    view = simulation.view()
    contacts = view.contacts
    assert view.valid and len(contacts) == 4 and view.time == simulation.time
    simulation.step()
    assert not view.valid
    for name in ("positions", "rotations", "velocities", "spins", "contacts", "time"):
        with pytest.raises(drystone.StaleViewError, match="moved on"):
            getattr(view, name)
    assert len(contacts.gaps) == 4
    view = simulation.view()
    simulation.set_velocity("low", [1, 0])
    with pytest.raises(drystone.StaleViewError):
        view.positions


def test_shapes_of_arrays():
    for scene, n, d, spin, rotation in ((RESTING, 2, 2, (2,), (2,)), (SPACE, 2, 3, (2, 3), (2, 4))):
        simulation = drystone.Simulation(scene)
        simulation.step()
        assert simulation.dimension == d
        assert simulation.positions.shape == simulation.velocities.shape == simulation.forces.shape == (n, d)
        assert simulation.spins.shape == simulation.torques.shape == simulation.moments.shape == spin
        assert simulation.rotations.shape == rotation
        assert simulation.masses.shape == simulation.radii.shape == simulation.births.shape == (n,)
        assert simulation.asleep.dtype == bool
        contacts = simulation.contacts
        assert contacts.normals.shape == contacts.impulses.shape == (len(contacts), d)


def test_contacts_carry_the_weight():
    simulation = drystone.Simulation(RESTING)
    simulation.run(until=0.1)
    contacts = simulation.contacts
    floor = contacts.second == -1 - simulation.boundary_index("floor")
    # Tolerance: that of the solver, and of the last step's acceleration.
    assert contacts.forces[floor].sum(axis=0) == pytest.approx([0, 2 * WEIGHT], rel=1e-3, abs=1)
    assert simulation.boundary("floor").force == pytest.approx([0, -2 * WEIGHT], rel=1e-3, abs=1)
    assert (contacts.statuses == 1).all()
    assert contacts.frictions == pytest.approx(np.full(len(contacts), 0.3))
    assert simulation.verdict.trusted and str(simulation.verdict) == "trusted"
    assert simulation.ledger["closure_max"] < 1e-12


def test_what_is_set_acts():
    simulation = drystone.Simulation(FALLING)
    simulation.velocities = [[1, 9.81]]
    simulation.positions = np.array([[2, 0]], dtype=np.float32)
    simulation.run(until=1)
    assert simulation.positions[0] == pytest.approx([3, 9.81 / 2], abs=1e-9)
    mass = simulation.masses[0]
    simulation.set_force("ball", [0, 9.81 * mass])
    before = simulation.velocities[0]
    simulation.step(100)
    assert simulation.velocities[0] == pytest.approx(before, abs=1e-9)
    simulation.set_rotation(0, 1.5)
    simulation.set_spin(0, [2])
    assert simulation.rotations[0] == 1.5 and simulation.spins[0] == 2
    assert simulation.ledger["closure"] < 1e-12


def test_a_wall_can_be_driven_by_a_callback():
    simulation = drystone.Simulation(RESTING)

    def servo(simulation):
        simulation.set_boundary_motion("floor", [0, 0.5 - simulation.boundary("floor").position[1]])

    simulation.run(until=1, callback=servo)
    # y' = 0.5 - y in steps of 1 ms.
    expected = 0.5 * (1 - (1 - 1e-3) ** 999)
    assert simulation.boundary("floor").position[1] == pytest.approx(expected, abs=1e-3)
    assert simulation.positions[1, 1] == pytest.approx(1.5 + expected, abs=2e-3)


def test_a_callback_ends_the_run_or_its_exception_does():
    simulation = drystone.Simulation(FALLING)
    assert simulation.run(every=10, callback=lambda s: s.time > 0.0995) == "stopped"
    assert simulation.steps == 100

    def fails(simulation):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        simulation.run(callback=fails)
    assert simulation.steps == 101
    assert simulation.run() == "reached"


def test_a_callback_may_step_and_close():
    simulation = drystone.Simulation(FALLING)
    simulation.run(until=0.1, every=10, callback=lambda s: s.step() and None)
    # After steps 10, 20, … 100 the callback makes one more.
    assert simulation.steps == 101
    with pytest.raises(drystone.ClosedError):
        simulation.run(callback=lambda s: s.close())


def test_several_simulations_and_threads_go_on_together():
    path = ROOT / "scenes" / "small_arch.toml"
    alone = drystone.Simulation(path)
    alone.step(300)
    simulations = [drystone.Simulation(path) for _ in range(3)]
    threads = [threading.Thread(target=s.step, args=(300,)) for s in simulations]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        for simulation in simulations:
            assert np.isfinite(simulation.positions).all()
    assert {s.state_hash for s in simulations} == {alone.state_hash}


def test_pickled_and_loaded_simulations_go_on_in_the_same_bits():
    simulation = drystone.Simulation(RESTING, overrides={"default_law.friction": 0.7})
    simulation.set_velocity("high", [0.5, 0])
    simulation.step(50)
    other = pickle.loads(pickle.dumps(simulation))
    third = drystone.Simulation.load(simulation.checkpoint(), threads=2)
    assert isinstance(other, drystone.Simulation)
    for one in (simulation, other, third):
        one.step(50)
    assert simulation.state_hash == other.state_hash == third.state_hash


def test_progress_is_told(capsys):
    drystone.Simulation(FALLING).run(until=0.1, progress=True)
    assert "t = 0.1 of 0.1 s" in capsys.readouterr().err


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_stops_between_steps():
    program = f"""
import drystone, sys
simulation = drystone.Simulation({str(ROOT / "scenes" / "wall.toml")!r})
try:
    # Told from within the run, so that the signal cannot come before it.
    simulation.run(every=100, callback=lambda s: print("begun", flush=True) if s.steps == 100 else None)
except KeyboardInterrupt:
    before = simulation.steps
    simulation.step()
    print("stopped", simulation.steps - before, simulation.report.converged, flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=120)[0].split() == ["stopped", "1", "True"]
    assert process.returncode == 0
