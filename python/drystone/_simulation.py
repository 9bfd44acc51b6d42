"""A scene in motion."""

import math
import sys
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from . import _drystone
from ._show import LivePage, Picture
from ._source import arguments, overrides
from .errors import InvalidValueError


class Verdict(NamedTuple):
    """Whether the figures of a run can be trusted."""

    trusted: bool
    reasons: list

    def __str__(self):
        return "trusted" if self.trusted else "doubtful: " + "; ".join(self.reasons)


@dataclass(frozen=True)
class Boundary:
    """A boundary as it is now."""

    name: str
    position: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray
    force: np.ndarray
    """Force of the bodies on it, mean of the last step, in N."""
    present: bool
    """False once it was removed."""


class Simulation(_drystone.Simulation):
    """A scene in motion, made from the path of a scene file, its text, or a `Scene`.

    `overrides` are other values for some keys of the scene: `{"default_law.friction": 0.5}`. Results do not depend on
    `threads`, 0 being one for each core. While it computes, other Python threads go on; several simulations can be there
    at a time.
    """

    def __new__(cls, scene, *, threads=1, overrides=None):
        return super().__new__(cls, threads=threads, changes=_changes(overrides), **arguments(scene))

    @classmethod
    def load(cls, checkpoint, *, threads=1):
        """Goes on from a checkpoint, in the same bits."""
        return super().__new__(cls, checkpoint=bytes(checkpoint), threads=threads)

    def run(self, until=None, *, every=1, callback=None, progress=False):
        """Makes all steps until a time, by default the end of the scene.

        `callback(simulation)` is called after every so many steps. It may read and set what it likes, and ends the run by
        returning True. Ctrl-C, like an exception in the callback, ends the run between two steps, and the simulation can go
        on from there. Tells how it ended: "reached", "phases over" or "stopped".
        """
        until = self.end if until is None else float(until)
        if math.isnan(until):
            raise InvalidValueError("until is nan; expected a time")
        if not isinstance(every, (int, np.integer)) or every < 1:
            raise InvalidValueError(f"every is {every!r}; expected a whole number of steps from 1 on")
        if callback is not None and not callable(callback):
            raise InvalidValueError(f"the callback is {callback!r}; expected a function of the simulation")
        teller = _Teller(self, until) if progress else None
        call = None if callback is None else lambda: callback(self)
        try:
            return self._run(until, int(every), call, teller and teller.tell, 0.2)
        finally:
            if teller:
                teller.end()

    def picture(self, *, forces=False):
        """A picture of the state as it is now, which a notebook shows: of the bodies, or of the forces of the last step."""
        return Picture.drawn(lambda path: self._draw(path, bool(forces)))

    def show(self, *, port=None, height=600):
        """The record in a notebook while the run goes on: a page that follows it, and by which it can be paused. Show it in
        one cell, run in the next. It is served by this process, to browsers of this machine."""
        return LivePage(self._serve(port), height)

    @property
    def verdict(self):
        """Whether the run so far can be trusted, and why not."""
        doubts = self.doubts
        return Verdict(not doubts, doubts)

    def boundary(self, which):
        """A boundary as it is now, by its number or its name."""
        told = self._boundary(which)
        for key in ("position", "rotation", "velocity", "force"):
            told[key] = np.array(told[key])
            told[key].flags.writeable = False
        return Boundary(**told)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce__(self):
        return _load, (type(self), self.checkpoint(), self.threads)

    def __repr__(self):
        if self.closed:
            return "Simulation(closed)"
        return f"Simulation({self.title!r}, {self.bodies} bodies, t = {self.time:.6g} s)"


def _load(cls, checkpoint, threads):
    return cls.load(checkpoint, threads=threads)


_changes = overrides


class _Teller:
    """One line on the terminal that says how far a run has come."""

    def __init__(self, simulation, until):
        self.simulation, self.until, self.written = simulation, until, False

    def tell(self):
        simulation = self.simulation
        line = f"\rt = {simulation.time:.6g} of {self.until:.6g} s, step {simulation.steps}, {simulation.bodies} bodies"
        sys.stderr.write(line.ljust(79))
        sys.stderr.flush()
        self.written = True

    def end(self):
        if self.written:
            sys.stderr.write("\n")
