"""Runs in a notebook: executed by a real kernel, where Jupyter is there."""

import json
import threading
import time
import urllib.request

import drystone
import pytest
from scenes import RESTING

CELLS = [
    """
import drystone, json, threading, urllib.request
SCENE = '''%s'''
simulation = drystone.Simulation(SCENE, overrides={"time.end": 0.3, "output.frame_interval": 0.05})
simulation.picture()
""" % RESTING,
    """
simulation.record("run")
page = simulation.show(height=321)
page
""",
    """
# Somebody follows the page while the run goes on. A frame is on the disk a second after it was recorded, at the latest.
import time
seen = []
def look(simulation):
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        with urllib.request.urlopen(page.url + "state.json", timeout=20) as answer:
            state = json.load(answer)
        if len(state["times"]) > len(seen):
            break
        time.sleep(0.1)
    seen.append((len(state["times"]), state["status"]))
simulation.run(every=100, callback=look)
simulation.finish()
assert seen[0][0] < seen[-1][0] < 7 and {status for _, status in seen} == {"running"}, seen
""",
    """
run = drystone.read("run")
run
""",
    "run.show(frames=4, height=222)",
    "run.picture()",
    "run.show(live=True)",
]


def test_a_notebook_shows_pages_and_pictures(tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="Jupyter is not installed")
    nbclient = pytest.importorskip("nbclient", reason="Jupyter is not installed")
    pytest.importorskip("ipykernel", reason="Jupyter is not installed")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    kernel = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3", resources=kernel).execute()
    data = [[output["data"] for output in cell.outputs if "data" in output] for cell in notebook.cells]
    assert data[0][0]["image/png"] and "<img" in data[0][0]["text/html"]
    assert '<iframe src="http://127.0.0.1:' in data[1][0]["text/html"] and 'height="321"' in data[1][0]["text/html"]
    assert "7 frames" in data[3][0]["text/html"] and "trusted" in data[3][0]["text/html"]
    inline = data[4][0]["text/html"]
    assert inline.startswith("<iframe srcdoc=") and 'height="222"' in inline
    assert data[5][0]["image/png"]
    assert data[6][0]["text/html"].startswith("<iframe src=")
    # A saved notebook has all of it.
    nbformat.write(notebook, tmp_path / "saved.ipynb")
    assert nbformat.read(tmp_path / "saved.ipynb", 4).cells[5].outputs[0]["data"]["image/png"] == data[5][0]["image/png"]


def ask(url, post=False):
    request = urllib.request.Request(url, method="POST" if post else "GET", headers={"X-Drystone": "1"} if post else {})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return answer.read()


def test_a_page_pauses_a_run_and_learns_of_its_end(tmp_path):
    simulation = drystone.Simulation(RESTING, overrides={"time.end": 0.2})
    simulation.record(tmp_path / "run", pictures=False)
    page = simulation.show()
    assert page.url == simulation.show().url
    ask(page.url + "pause", post=True)
    thread = threading.Thread(target=simulation.run)
    thread.start()
    time.sleep(0.3)
    paused = simulation.steps
    time.sleep(0.3)
    assert thread.is_alive() and simulation.steps == paused
    ask(page.url + "resume", post=True)
    thread.join(60)
    assert not thread.is_alive() and simulation.steps == 200
    assert json.loads(ask(page.url + "state.json"))["control"] is True
    simulation.finish()
    state = json.loads(ask(page.url + "state.json"))
    assert state["control"] is False and state["status"] == "finished"
    page.stop()
    with pytest.raises(OSError):
        ask(page.url)


def test_a_simulation_without_a_record_has_no_page():
    with pytest.raises(drystone.UnknownNameError, match="record"):
        drystone.Simulation(RESTING).show()
