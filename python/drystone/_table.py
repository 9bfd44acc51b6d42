"""What all tables of a scene can do."""

import dataclasses
import difflib

import numpy as np

from .errors import SceneError


class Table:
    """A table of a scene. Fields that are None are left out; the scene's defaults then hold."""

    _classes = {}

    def to_dict(self):
        """The table as dictionaries, lists, texts and numbers, as it stands in a scene."""
        values = ((field.name, getattr(self, field.name)) for field in dataclasses.fields(self))
        return {name.rstrip("_"): _plain(value) for name, value in values if value is not None}

    @classmethod
    def from_dict(cls, values):
        """A table from dictionaries."""
        if not isinstance(values, dict):
            raise SceneError(f"{cls.__name__} is {values!r}; expected a table")
        known = {field.name.rstrip("_"): field.name for field in dataclasses.fields(cls)}
        given = {}
        for key, value in values.items():
            if key not in known:
                near = difflib.get_close_matches(str(key), known, 1)
                meant = f"; did you mean `{near[0]}`?" if near else ""
                raise SceneError(f"{cls.__name__} has no key `{key}`{meant}")
            given[known[key]] = _table_of(cls._classes.get(known[key], ()), value)
        try:
            return cls(**given)
        except TypeError as error:
            raise SceneError(f"{cls.__name__}: {error}") from None


def _plain(value):
    if isinstance(value, Table):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return value


def _table_of(names, value):
    """A value whose dictionaries have become tables of one of these classes, where one has all their keys."""
    from . import _tables

    if isinstance(value, list):
        return [_table_of(names, item) for item in value]
    if isinstance(value, dict) and names:
        classes = [getattr(_tables, name) for name in names]
        fits = [one for one in classes if set(value) <= {f.name.rstrip("_") for f in dataclasses.fields(one)}]
        return (fits or classes)[0].from_dict(value)
    return value
