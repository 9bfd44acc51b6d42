"""When does a block slide? Fifty runs of a block on a slope find tan⁻¹ μ."""

import sys
import tempfile
from pathlib import Path

import drystone
import numpy as np

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
MU, G = 0.5, 9.81
scene = f"""
dimension = 2
gravity = [0, {-G}]
time = {{ step = 2e-3, end = 0.5 }}
material = [{{ name = "stone", density = 2000 }}]
default_law = {{ friction = {MU} }}
body = [{{ name = "block", shape = {{ box = [0.4, 0.1] }}, position = [0, 0.05], material = "stone" }}]
boundary = [{{ name = "slope", shape = {{ half_plane = {{}} }}, material = "stone" }}]
output = {{ frame_interval = 0.5 }}
"""
# Gravity is turned instead of the slope.
angles = np.linspace(20, 34, 50)
runs = [{"gravity": [G * np.sin(a), -G * np.cos(a)]} for a in np.radians(angles)]
table = drystone.ensemble(scene, runs=runs, folder=folder, progress=False)
assert (np.asarray(table["status"]) == 0).all()

ways = np.array([drystone.read(folder / f"{i:04}")[-1]["position"][0, 0] for i in range(len(runs))])
a = np.radians(angles)
expected = 0.5 * np.maximum(0, G * (np.sin(a) - MU * np.cos(a))) * 0.5**2
slides = angles[ways > 1e-4]
print(f"slides from {slides[0]:.2f} degrees on; atan {MU} = {np.degrees(np.arctan(MU)):.2f}")
print(f"ways differ from ½ (g sin a - μ g cos a) t² by {np.abs(ways - expected).max():.2e} m at most")
assert np.abs(ways - expected).max() < 2e-3
