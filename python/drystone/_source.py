"""Where a scene comes from: a file, a text, or a `Scene`."""

import os

from .errors import InvalidValueError


def arguments(scene):
    """What `_drystone.Simulation` is made from."""
    if hasattr(scene, "to_toml"):
        return {
            "content": scene.to_toml(),
            "folder": scene.folder or ".",
            "files": list(scene.arrays.items()),
        }
    if isinstance(scene, str) and is_text(scene):
        return {"content": scene}
    if isinstance(scene, (str, os.PathLike)):
        return {"path": os.fspath(scene)}
    raise InvalidValueError(
        f"the scene is a {type(scene).__name__}; expected the path of a scene file, its text, or a Scene"
    )


def is_text(scene):
    """Whether this is a scene itself, and not the name of a file: a text in TOML sets a key."""
    return "\n" in scene or "=" in scene


def toml(value):
    """A value as it would stand in a scene."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, dict):
        if not value:
            return "{}"
        return "{ " + ", ".join(f"{key_of(key)} = {toml(item)}" for key, item in value.items()) + " }"
    raise InvalidValueError(
        f"{value!r} is a {type(value).__name__}; expected a number, a text, a list or a dictionary of these"
    )


def quoted(text):
    """A text in quotes. The escapes of TOML's basic strings are those that are used here."""
    names = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    letters = []
    for letter in text:
        plain = letter >= " " and letter != "\x7f"
        letters.append(names.get(letter) or (letter if plain else f"\\u{ord(letter):04x}"))
    return '"' + "".join(letters) + '"'


def key_of(key):
    """A key, in quotes where it needs them."""
    if not isinstance(key, str):
        raise InvalidValueError(f"a key is {key!r}; expected a text")
    bare = key and all(letter.isascii() and (letter.isalnum() or letter in "_-") for letter in key)
    return key if bare else quoted(key)


def overrides(changes):
    """Other values for keys, as the scene reader takes them."""
    if changes is None:
        return []
    if not hasattr(changes, "items"):
        raise InvalidValueError("overrides are a dictionary of keys and values, such as {'default_law.friction': 0.5}")
    return [(key, toml(value)) for key, value in changes.items()]
