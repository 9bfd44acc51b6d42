"""Scenes as Python objects: the tables of the scene format as dataclasses, and `Scene`, which holds them.

    from drystone.scene import *
    scene = Scene(dimension=2, gravity=[0, -9.81], time=Time(step=1e-3, end=1),
                  material=[Material(name="stone", density=2000)], default_law=DefaultLaw(friction=0.5))
    scene.body.append(Body(shape=Shape(disk=0.1), position=[0, 1], material="stone"))
"""

import os
from dataclasses import dataclass, field, fields
from typing import Dict, Optional

import numpy as np

from . import _drystone, _tables
from ._source import key_of, toml
from ._tables import *  # noqa: F403
from .errors import InvalidValueError

__all__ = ["Scene", *_tables.__all__]


@dataclass
class Scene(_tables.Settings):
    """A scene. Its keys are those of the scene format; lists such as `body` and `boundary` are empty at first."""

    folder: Optional[str] = None
    """Where files that the scene names are; the present folder by default. No key of the scene format."""
    arrays: Dict[str, np.ndarray] = field(default_factory=dict)
    """Tables that stand for files, by name, as `add_grains` makes them. No key of the scene format."""

    def __post_init__(self):
        for one in fields(_tables.Settings):
            if getattr(self, one.name) is None and one.type.startswith("Optional[List["):
                setattr(self, one.name, [])

    @classmethod
    def from_toml(cls, text, *, folder=None):
        """A scene from its text. Comments are lost."""
        scene = cls.from_dict(_drystone.parse_toml(text))
        scene.folder = folder
        return scene

    @classmethod
    def from_file(cls, path):
        """A scene from a file."""
        with open(path, encoding="utf-8") as file:
            return cls.from_toml(file.read(), folder=os.path.dirname(os.path.abspath(path)))

    @classmethod
    def from_dict(cls, values):
        """A scene from dictionaries."""
        settings = _tables.Settings.from_dict(values)
        return cls(**{one.name: getattr(settings, one.name) for one in fields(settings)})

    def to_dict(self):
        """The scene as dictionaries, lists, texts and numbers."""
        values = {one.name: getattr(self, one.name) for one in fields(_tables.Settings)}
        return {key: value for key, value in _tables.Settings(**values).to_dict().items() if value != []}

    def to_toml(self):
        """The text of the scene."""
        plain, lists = [], []
        for key, value in self.to_dict().items():
            if isinstance(value, list) and value and isinstance(value[0], dict):
                for table in value:
                    lists.append(f"\n[[{key_of(key)}]]")
                    lists += [f"{key_of(inner)} = {toml(item)}" for inner, item in table.items()]
            else:
                plain.append(f"{key_of(key)} = {toml(value)}")
        return "\n".join(plain + lists) + "\n"

    def save(self, path):
        """Writes the scene as a file, and its arrays beside it."""
        folder = os.path.dirname(os.path.abspath(path))
        for name, array in self.arrays.items():
            np.savetxt(os.path.join(folder, name), array, fmt="%.17g")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_toml())

    def add_grains(self, positions, radii, *, material, velocities=None, name=None):
        """Adds many disks or spheres at once: a row of positions for each, a radius for each or one for all."""
        positions = _numbers("positions", positions)
        if positions.ndim != 2 or positions.shape[1] != self.dimension:
            raise InvalidValueError(f"positions has shape {positions.shape}; expected (n, {self.dimension})")
        count = len(positions)
        radii = _numbers("radii", radii)
        if radii.shape not in ((), (count,)):
            raise InvalidValueError(f"radii has shape {radii.shape}; expected ({count},) or one number")
        columns = [positions, np.broadcast_to(radii, count)[:, None]]
        if velocities is not None:
            velocities = _numbers("velocities", velocities)
            if velocities.shape != positions.shape:
                raise InvalidValueError(f"velocities has shape {velocities.shape}; expected {positions.shape}")
            columns.append(velocities)
        if not (np.broadcast_to(radii, count) > 0).all():
            raise InvalidValueError("radii has a number that is not positive")
        file = f"grains-{len(self.arrays)}.txt"
        self.arrays[file] = np.hstack(columns)
        listed = _tables.GrainList(file=file, material=material)
        self.generate.append(_tables.Generate(list=listed, name=name))


def _numbers(what, given):
    array = np.asarray(given)
    if array.size and array.dtype.kind not in "fiu":
        raise InvalidValueError(f"{what} has numbers of type {array.dtype}; expected real numbers")
    array = array.astype(float)
    if not np.isfinite(array).all():
        raise InvalidValueError(f"{what} has a number that is not finite")
    return array
