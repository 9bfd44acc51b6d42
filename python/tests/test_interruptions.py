"""What happens in the middle of a run: exceptions, Ctrl-C, closing, other processes. Nothing is lost, nothing ends."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading

import drystone
import numpy as np
import pytest
from scenes import RESTING, ROOT


def test_an_exception_in_a_callback_loses_nothing(tmp_path):
    simulation = drystone.Simulation(RESTING, overrides={"time.end": 0.2, "output.frame_interval": 0.05})
    simulation.record(tmp_path / "run", pictures=False)

    def fail(simulation):
        if simulation.steps == 130:
            raise ZeroDivisionError("of the user")

    with pytest.raises(ZeroDivisionError, match="of the user"):
        simulation.run(every=10, callback=fail)
    assert simulation.steps == 130
    summary = simulation.finish()
    assert summary["status"] == "interrupted" and len(drystone.read(tmp_path / "run")) >= 3
    simulation.run()
    alone = drystone.Simulation(RESTING, overrides={"time.end": 0.2, "output.frame_interval": 0.05})
    alone.run()
    assert simulation.state_hash == alone.state_hash


def test_an_exception_between_forgotten_simulations_leaves_a_whole_record(tmp_path):
    with pytest.raises(RuntimeError):
        with drystone.Simulation(RESTING) as simulation:
            simulation.record(tmp_path / "run", pictures=False)
            simulation.step(20)
            raise RuntimeError
    assert drystone.read(tmp_path / "run").summary["steps"] == 20


def interrupted(program):
    """Runs a program that says `begun`, sends it Ctrl-C then, and gives what it says afterwards."""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=120)[0]
    assert process.returncode == 0, said
    return said.split()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_in_a_call_of_many_steps():
    said = interrupted(
        """
import drystone, threading
simulation = drystone.Simulation("scenes/wall.toml")
def tell():
    while simulation.steps == 0: pass
    print("begun", flush=True)
threading.Thread(target=tell).start()
try:
    simulation.step(10**9)
except KeyboardInterrupt:
    before = simulation.steps
    simulation.step()
    print("stopped", before > 0, simulation.steps - before)
"""
    )
    assert said == ["stopped", "True", "1"]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_ctrl_c_ends_an_ensemble_that_goes_on_later(tmp_path):
    folder = str(tmp_path / "study")
    program = f"""
import drystone, os, threading, time
vary = {{"default_law.friction": [0.3, 0.4, 0.5, 0.6]}}
def tell():
    while not os.path.isdir({folder!r} + "/0000/record"): time.sleep(0.01)
    print("begun", flush=True)
threading.Thread(target=tell).start()
try:
    drystone.ensemble("scenes/stack_2d.toml", vary, folder={folder!r}, until=0.2, jobs=1)
    print("ended")
except KeyboardInterrupt:
    table = drystone.ensemble("scenes/stack_2d.toml", vary, folder={folder!r}, until=0.2, jobs=1)
    print("again", sorted(set(table["status"])))
"""
    assert interrupted(program) == ["again", "[0.0]"]


def test_closing_from_another_thread_ends_a_run():
    simulation = drystone.Simulation(ROOT / "scenes" / "wall.toml")
    begun = threading.Event()
    thread = threading.Thread(target=lambda: (begun.wait(60), simulation.close()))
    thread.start()
    with pytest.raises(drystone.ClosedError):
        simulation.run(callback=lambda _: begun.set())
    thread.join(60)
    with pytest.raises(drystone.ClosedError):
        pickle.dumps(simulation)


def go_on(simulation):
    simulation.step(50)
    return simulation.state_hash, os.getpid()


def test_simulations_go_on_in_other_processes():
    simulations = [drystone.Simulation(RESTING, overrides={"default_law.friction": mu}) for mu in (0.2, 0.6)]
    for simulation in simulations:
        simulation.set_velocity("high", [0.5, 0])
        simulation.step(20)
    # A new interpreter each: nothing is shared with this one.
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(go_on, simulations)
    assert [hash_ for hash_, _ in found] == [go_on(simulation)[0] for simulation in simulations]
    assert found[0][0] != found[1][0] and os.getpid() not in {process for _, process in found}


@pytest.mark.parametrize("dtype", ["f4", ">f8", "i2", "u8", "f2"])
def test_numbers_of_other_types_are_taken(dtype):
    simulation = drystone.Simulation(RESTING)
    given = np.array([[1, 2], [3, 4]], dtype=dtype)
    simulation.velocities = given
    assert simulation.velocities == pytest.approx(given.astype(float))
    simulation.velocities = np.asfortranarray(given)[:, ::-1]
    assert simulation.velocities == pytest.approx(given[:, ::-1].astype(float))


@pytest.mark.parametrize("given", [np.zeros((2, 2), "M8[s]"), np.zeros((2, 2), "V8"), np.zeros((2, 2), "S3"), [[{}, 1], [2, 3]]])
def test_what_is_no_number_is_not(given):
    with pytest.raises(drystone.InvalidValueError, match="expected real numbers"):
        drystone.Simulation(RESTING).velocities = given


def test_many_views_outlive_their_simulation():
    simulation = drystone.Simulation(RESTING)
    kept = []
    for _ in range(50):
        simulation.step()
        kept.append((simulation.positions, simulation.contacts, simulation.view(), simulation.positions.copy()))
    simulation.close()
    del simulation
    for positions, contacts, view, copy in kept:
        assert np.array_equal(positions, copy) and np.isfinite(contacts.impulses).all()
        with pytest.raises((drystone.StaleViewError, drystone.ClosedError)):
            view.positions
