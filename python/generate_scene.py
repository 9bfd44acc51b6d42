"""Writes `drystone/_tables.py`, the tables of scenes as dataclasses, from the JSON Schema of scenes.

    python generate_scene.py            # writes it
    python generate_scene.py --check    # fails if it is not up to date
"""

import json
import keyword
import sys
import textwrap
from pathlib import Path

HERE = Path(__file__).parent
SCHEMA = HERE.parent / "docs" / "scene.schema.json"
OUTPUT = HERE / "drystone" / "_tables.py"

HEAD = '''"""The tables of a scene. Written by `generate_scene.py` from the JSON Schema of scenes: do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Dict, List, Optional, Sequence, Tuple, Union

from ._table import Table
'''


def class_name(definition):
    for ending in ("Table", "Choice"):
        if definition.endswith(ending):
            return definition[: -len(ending)]
    return definition


def field_name(key):
    return key + "_" if keyword.iskeyword(key) else key


def references(schema):
    """Classes that a value can be of, directly or in a list."""
    if "$ref" in schema:
        return [class_name(schema["$ref"].rsplit("/", 1)[1])]
    found = []
    for part in schema.get("anyOf", []) + schema.get("oneOf", []) + [schema.get("items", {})]:
        found += [name for name in references(part) if name not in found] if part else []
    return found


def annotation(schema):
    if "$ref" in schema:
        return f"Union[{class_name(schema['$ref'].rsplit('/', 1)[1])}, Dict[str, Any]]"
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        kinds = []
        for choice in choices:
            kind = annotation(choice)
            if kind not in kinds:
                kinds.append(kind)
        return kinds[0] if len(kinds) == 1 else f"Union[{', '.join(kinds)}]"
    if "enum" in schema or "const" in schema:
        values = schema.get("enum", [schema.get("const")])
        return "str" if all(isinstance(value, str) for value in values) else "int"
    kind = schema.get("type")
    if kind == "array":
        inner = annotation(schema.get("items", {}))
        return f"List[{inner}]" if references(schema) else f"Sequence[{inner}]"
    return {"number": "float", "integer": "int", "string": "str", "boolean": "bool"}.get(kind, "Any")


def told(schema):
    text = schema.get("description", "")
    values = schema.get("enum")
    return f"{text} One of {', '.join(map(repr, values))}." if values else text


def escaped(text):
    return text.replace("\\", "\\\\").replace('"""', "'''")


def wrapped(text, indent):
    return "\n".join(textwrap.wrap(escaped(text), 118, initial_indent=indent, subsequent_indent=indent))


def table(definition, schema):
    required = schema.get("required", [])
    keys = [key for key in required] + [key for key in schema["properties"] if key not in required]
    lines = ["", "", "@dataclass", f"class {class_name(definition)}(Table):"]
    lines.append(f'    """{escaped(schema.get("description", "A scene."))}"""')
    classes = {field_name(key): tuple(references(schema["properties"][key])) for key in keys}
    classes = {key: names for key, names in classes.items() if names}
    if classes:
        lines += ["", f"    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {classes!r}"]
    for key in keys:
        value = schema["properties"][key]
        kind = annotation(value)
        tail = f": {kind}" if key in required else f": Optional[{kind}] = None"
        lines += ["", f"    {field_name(key)}{tail}"]
        if told(value):
            lines.append(wrapped(f'"""{told(value)}"""'.replace('"""', "\0"), "    ").replace("\0", '"""'))
    return lines


def module():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    lines = [HEAD.rstrip()]
    names = sorted(schema["$defs"])
    by_class = {}
    for name in names:
        other = by_class.setdefault(class_name(name), name)
        if other != name:
            sys.exit(f"{other} and {name} would both be the class {class_name(name)}: rename one")
    for definition in names:
        lines += table("Settings" if definition == "SceneTable" else definition, schema["$defs"][definition])
    listed = ["Settings" if name == "SceneTable" else class_name(name) for name in names]
    lines += ["", "", "__all__ = [", *[f'    "{name}",' for name in sorted(listed)], "]", ""]
    return "\n".join(lines)


def main():
    text = module()
    if "--check" in sys.argv[1:]:
        if not OUTPUT.exists() or OUTPUT.read_text(encoding="utf-8") != text:
            sys.exit(f"{OUTPUT.name} is not what the schema says: run python {Path(__file__).name}")
        return
    OUTPUT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
