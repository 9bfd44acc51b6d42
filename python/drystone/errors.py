"""What can go wrong. All classes are also the built-in ones that a Python program would expect."""


class Error(Exception):
    """Anything that drystone says was wrong."""


class InvalidValueError(Error, ValueError):
    """A value that makes no sense: not finite, of a wrong shape or type, out of range."""


class SceneError(Error, ValueError):
    """A scene is not right: all its problems, each with its place, what was expected and what to do."""


class UnknownNameError(Error, LookupError):
    """There is no body, boundary, key, solver or file of this name."""


class StepError(Error, RuntimeError):
    """A step has failed. The simulation cannot go on; what it has can still be read."""


class RecordError(Error, OSError):
    """A run on disk that cannot be read or written."""


class StaleViewError(Error, RuntimeError):
    """A view was asked after its simulation had moved on. Arrays that were taken from it earlier are still good."""


class ClosedError(Error, ValueError):
    """A simulation was used after it was closed."""


class InternalError(Error, RuntimeError):
    """A mistake in drystone itself. Please report it."""
