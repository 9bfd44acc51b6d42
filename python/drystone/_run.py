"""A recorded run."""

import html
import os
import tempfile

from . import _drystone
from ._show import LivePage, Page, Picture
from ._simulation import Simulation, Verdict
from .errors import InvalidValueError, RecordError, UnknownNameError

EXPORTS = ("vtk", "csv", "png", "fclib", "html")


def read(directory):
    """Opens the directory of a run, which may still go on."""
    return Run(os.fspath(directory))


class Run(_drystone.Run):
    """A run on disk: `run[i]` is a frame, as arrays by name; `len(run)` is how many there are."""

    def frame(self, index):
        """A frame as arrays by name; `about["arrays"]` says what each is. -1 is the last."""
        try:
            place = index.__index__()
        except AttributeError:
            raise InvalidValueError(f"the frame is {index!r}; expected its number") from None
        count = len(self)
        if not -count <= place < count:
            raise IndexError(f"there is no frame {place}: the run has {count}")
        return self._frame(place % count)

    __getitem__ = frame

    def __iter__(self):
        return (self.frame(index) for index in range(len(self)))

    def curves(self, *others, start=None, end=None, region=()):
        """How the specimen changed from frame to frame: strains (positive in compression), stress, solid fraction, fabric,
        coordination and more, by name; a table of pandas if it is there. With other runs of the same scene the means, and
        `name_error` beside them. `region`: lowest and highest corner of the box that is measured; default all grains but
        those within two mean diameters of the outermost."""
        paths = [other.directory if isinstance(other, _drystone.Run) else other for other in others]
        corners = [float(number) for number in region]
        return _frame_of(self._curves(paths, start, end, corners))

    @property
    def ledger(self):
        """Energies and works over time: a table of pandas if it is there, else arrays by name."""
        return _frame_of(self._table("ledger"))

    @property
    def steps(self):
        """How steps went over time: contacts, iterations, residual, overlap."""
        return _frame_of(self._table("steps"))

    @property
    def boundaries(self):
        """Position, velocity and force of each boundary over time."""
        return _frame_of(self._table("boundaries"))

    @property
    def tracked(self):
        """Position, rotation, velocity and spin of the bodies that the scene tracks over time."""
        return _frame_of(self._table("tracked"))

    @property
    def verdict(self):
        """Whether the run can be trusted, and why not."""
        verdict = self.summary["verdict"]
        reasons = verdict.get("doubtful", []) if isinstance(verdict, dict) else []
        return Verdict(not reasons, [reason["doubt"] for reason in reasons])

    @property
    def pictures(self):
        """Paths of the pictures that were drawn while it ran, in order."""
        folder = os.path.join(self.directory, "frames")
        names = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
        return [os.path.join(folder, name) for name in names if name.endswith(".png")]

    def simulation(self, *, threads=1):
        """A simulation that goes on from the last checkpoint, unrecorded."""
        return Simulation.load(self._checkpoint(), threads=threads)

    def export(self, to, output, *, forces=False, frames=1000):
        """Writes the run for other programs: "vtk", "csv", "png" or "fclib" into a folder, "html" as one file. Tells how
        many frames were written."""
        if to not in EXPORTS:
            raise UnknownNameError(f"there is no export `{to}`; there is `{'`, `'.join(EXPORTS)}`")
        return self._export(to, os.fspath(output), bool(forces), int(frames))[0]

    def to_html(self, frames=200):
        """The page on which the run plays, as one text."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "run.html")
            self.export("html", path, frames=frames)
            with open(path, encoding="utf-8") as file:
                return file.read()

    def show(self, *, live=False, frames=200, height=600):
        """The run in a notebook: it plays inline, and a saved notebook keeps it. With `live` it is served by this process
        instead, to browsers of this machine: all frames, and those that another program still adds."""
        if live:
            return LivePage(_drystone.serve(self.directory), height)
        return Page(self.to_html(frames), height)

    def picture(self, index=-1):
        """A picture in a notebook, of those that were drawn while it ran."""
        pictures = self.pictures
        if not pictures:
            raise UnknownNameError(f"{self.directory} has no pictures: record it with pictures=True")
        if not -len(pictures) <= index < len(pictures):
            raise IndexError(f"there is no picture {index}: the run has {len(pictures)}")
        return Picture.read(pictures[index])

    def _repr_html_(self):
        """What a notebook shows of a run: its last picture, and how it went."""
        about = f"<p>{html.escape(self.title)}: {len(self)} frames, {html.escape(str(self._told()))}</p>"
        return (self.picture()._repr_html_() if self.pictures else "") + about

    def _told(self):
        try:
            return self.verdict
        except RecordError:
            return "not ended yet"

    def __repr__(self):
        return f"Run({self.title!r}, {len(self)} frames)"


def _frame_of(columns):
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)
