"""The tutorials run, and say what they should."""

import os
import subprocess
import sys

import pytest
from scenes import ROOT

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.py"))


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_runs(path, tmp_path):
    environment = {**os.environ, "MPLCONFIGDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, path, tmp_path / "run"], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    if done.stdout.startswith("left out"):
        pytest.skip(done.stdout.strip())
    assert done.stdout
