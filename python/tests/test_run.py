"""Recorded runs and ensembles."""

import drystone
import numpy as np
import pytest
from scenes import HEAD, RESTING

SLIDING = HEAD + """
body = [{ name = "block", shape = { box = [1, 1] }, position = [0, 0.5], velocity = [1, 0], material = "stone" }]
boundary = [{ name = "floor", shape = { half_plane = {} }, material = "stone" }]
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "resting"
    with drystone.Simulation(RESTING, overrides={"time.end": 0.2, "output.frame_interval": 0.05}) as simulation:
        simulation.record(folder)
        simulation.run()
        assert simulation.finish()["status"] == "finished"
    return drystone.read(folder)


def test_frames_and_tables(run):
    assert len(run) == 5 and run.times == pytest.approx([0, 0.05, 0.1, 0.15, 0.2])
    assert run[-1]["position"].shape == (2, 2)
    assert not run[0]["position"].flags.writeable
    assert [frame["position"][1, 1] for frame in run] == pytest.approx([1.5] * 5, abs=1e-5)
    assert "position" in run.about["arrays"]
    for table, column in ((run.ledger, "kinetic"), (run.steps, "contacts"), (run.boundaries, "time")):
        assert column in list(table), list(table)
    assert run.verdict.trusted and run.summary["steps"] == 200
    with pytest.raises(IndexError):
        run[5]


def test_a_run_goes_on(run):
    simulation = run.simulation()
    assert simulation.time == pytest.approx(0.2)
    simulation.run(until=0.3)
    assert simulation.positions[1] == pytest.approx([0, 1.5], abs=1e-5)


def test_pictures_and_pages(run, tmp_path):
    assert run.pictures and run.picture()._repr_png_().startswith(b"\x89PNG")
    page = run.show(frames=5, height=300)._repr_html_()
    assert page.startswith("<iframe srcdoc=") and 'height="300"' in page and page.count("<iframe") == 1
    for to, output in (("csv", "csv"), ("vtk", "vtk"), ("png", "png"), ("fclib", "fclib"), ("html", "run.html")):
        assert run.export(to, tmp_path / output) > 0
        assert (tmp_path / output).exists()
    with pytest.raises(drystone.UnknownNameError, match="vtk"):
        run.export("pdf", tmp_path / "x")


def test_a_recorded_problem_is_solved(run, tmp_path):
    run.export("fclib", tmp_path)
    assert drystone.solve(next(tmp_path.glob("*.hdf5"))).solved


def test_ways_of_sliding_blocks(tmp_path):
    vary = {"default_law.friction": [0.3, 0.5]}
    table = drystone.ensemble(SLIDING, vary, folder=tmp_path / "study")
    assert list(table["status"]) == [0, 0]
    ways = [drystone.read(tmp_path / "study" / f"{i:04}")[-1]["position"][0, 0] for i in range(2)]
    # v² / (2 μ g), within v h.
    assert ways == pytest.approx([1 / (2 * mu * 9.81) for mu in (0.3, 0.5)], abs=1e-3)
    again = drystone.ensemble(SLIDING, vary, folder=tmp_path / "study")
    assert np.array_equal(np.asarray(again["wall_seconds"]), np.asarray(table["wall_seconds"])), "made again"
    listed = drystone.ensemble(SLIDING, runs=[{"default_law.friction": 0.3, "time.end": 0.1}], folder=tmp_path / "list")
    assert list(listed["steps"]) == [100]
