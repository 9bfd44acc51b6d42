"""Small scenes that tests share."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

HEAD = """
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 1 }
material = [{ name = "stone", density = 2000 }]
default_law = { friction = 0.3 }
"""

FALLING = HEAD + """
body = [{ name = "ball", shape = { disk = 0.1 }, position = [0, 5], material = "stone" }]
"""

RESTING = HEAD + """
body = [
    { name = "low", shape = { box = [1, 1] }, position = [0, 0.5], material = "stone" },
    { name = "high", shape = { box = [1, 1] }, position = [0, 1.5], material = "stone" },
]
boundary = [{ name = "floor", shape = { half_plane = {} }, material = "stone" }]
"""

SPACE = """
dimension = 3
gravity = [0, 0, -9.81]
time = { step = 1e-3, end = 1 }
material = [{ name = "stone", density = 2000 }]
default_law = { friction = 0.3 }
body = [
    { name = "ball", shape = { sphere = 0.1 }, position = [0, 0, 0.1], material = "stone" },
    { name = "box", shape = { box = [1, 1, 1] }, position = [3, 0, 0.5], material = "stone" },
]
boundary = [{ name = "floor", shape = { half_space = {} }, material = "stone" }]
"""
