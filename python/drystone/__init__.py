"""Contact dynamics in the plane and in space: unilateral contact and Coulomb friction, taken exactly.

    import drystone
    with drystone.Simulation("scenes/arch.toml") as simulation:
        simulation.run(until=1.0)
        print(simulation.positions, simulation.verdict)

All numbers are SI units, and arrays are NumPy's: `Simulation` is a scene in motion, `read` opens a recorded run, `solve`
solves a contact problem given as a matrix, `ensemble` makes many runs side by side, `scene` has scenes as Python objects.
"""

from . import errors, scene
from ._drystone import Contacts, StepReport, View, __version__
from ._ensemble import ensemble
from ._run import Run, read
from ._simulation import Boundary, Simulation, Verdict
from ._solve import Answer, solve, solvers
from .errors import (
    ClosedError,
    Error,
    InternalError,
    InvalidValueError,
    RecordError,
    SceneError,
    StaleViewError,
    StepError,
    UnknownNameError,
)
from .scene import Scene

__all__ = [
    "Answer",
    "Boundary",
    "ClosedError",
    "Contacts",
    "Error",
    "InternalError",
    "InvalidValueError",
    "RecordError",
    "Run",
    "Scene",
    "SceneError",
    "Simulation",
    "StaleViewError",
    "StepError",
    "StepReport",
    "UnknownNameError",
    "Verdict",
    "View",
    "__version__",
    "ensemble",
    "errors",
    "read",
    "scene",
    "solve",
    "solvers",
]
