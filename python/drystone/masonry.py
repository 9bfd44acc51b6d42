"""A bridge for masonry: blocks as vertices and faces in, displaced blocks and contact forces out.

    result = solve_assembly([Block(vertices, faces), ...], supports=[0], friction=0.7, density=2400)
    result.blocks[3].vertices, result.forces

Assemblies of COMPAS go in by `from_compas`: anything whose blocks are meshes of `compas.datastructures.Mesh`, or hold one.
Blocks must be convex; their hulls are what is computed. Units are SI.
"""

from dataclasses import dataclass, field
from typing import List, Sequence

import numpy as np

from ._simulation import Simulation, Verdict
from .errors import InvalidValueError
from .scene import Body, Boundary, DefaultLaw, Material, Part, Scene, Shape, Solver, Time

__all__ = ["Block", "Interface", "Result", "from_compas", "scene_of", "solve_assembly"]

GRAVITY = 9.81
# Forces at interfaces are what is asked for here: at the scene format's default they are good to 1e-4 or so.
TOLERANCE = 1e-6


@dataclass
class Block:
    """A convex block: corners, and faces as lists of corners, which are only handed on."""

    vertices: np.ndarray
    faces: List[Sequence[int]] = field(default_factory=list)
    support: bool = False
    density: float = None


@dataclass
class Interface:
    """What two blocks do to each other: contact points and the forces that the first feels."""

    first: int
    second: int
    points: np.ndarray
    normals: np.ndarray
    forces: np.ndarray

    @property
    def resultant(self):
        """The sum of the forces, in N."""
        return self.forces.sum(axis=0)


@dataclass
class Result:
    """Where blocks have come to, and what holds them."""

    blocks: List[Block]
    displacements: np.ndarray
    """Of each block's centre of mass, in m."""
    interfaces: List[Interface]
    speed: float
    """The largest speed of a block at the end: near zero where the assembly stands."""
    verdict: Verdict

    def stands(self, speed=1e-3):
        """Whether no block moves faster than this at the end, in m/s."""
        return self.speed < speed


def scene_of(blocks, *, supports=(), friction=0.7, density=2400.0, step=1e-3, duration=1.0):
    """The scene of an assembly. Blocks that are supports stay where they are."""
    blocks = [_checked(index, block) for index, block in enumerate(blocks)]
    fixed = set(supports) | {index for index, block in enumerate(blocks) if block.support}
    if not all(isinstance(index, (int, np.integer)) and 0 <= index < len(blocks) for index in fixed):
        raise InvalidValueError(f"supports are {sorted(map(str, fixed))}; expected numbers of {len(blocks)} blocks")
    densities = sorted({float(block.density or density) for block in blocks})
    names = {value: f"stone {value!r}" for value in densities}
    scene = Scene(
        title="assembly",
        dimension=3,
        gravity=[0, 0, -GRAVITY],
        time=Time(step=step, end=duration),
        material=[Material(name=names[value], density=value) for value in densities],
        default_law=DefaultLaw(friction=friction),
        solver=Solver(tolerance=TOLERANCE),
    )
    for index, block in enumerate(blocks):
        centre = block.vertices.mean(axis=0)
        shape = Shape(polyhedron=(block.vertices - centre).tolist())
        common = {"name": f"block {index}", "material": names[float(block.density or density)]}
        place = centre.tolist()
        if index in fixed:
            scene.boundary.append(Boundary(parts=[Part(shape=shape)], position=place, **common))
        else:
            scene.body.append(Body(shape=shape, position=place, **common))
    return scene


def solve_assembly(blocks, *, supports=(), friction=0.7, density=2400.0, step=1e-3, duration=1.0, callback=None):
    """Lets an assembly bear its weight for a while. `callback(simulation)` may load or move blocks after every step."""
    blocks = [_checked(index, block) for index, block in enumerate(blocks)]
    scene = scene_of(
        blocks, supports=supports, friction=friction, density=density, step=step, duration=duration
    )
    with Simulation(scene) as simulation:
        start, turned = simulation.positions, simulation.rotations
        simulation.run(callback=callback)
        bodies = [int(name.split()[1]) for name in simulation.names]
        walls = [int(simulation.boundary(i).name.split()[1]) for i in range(simulation.boundaries)]
        moved = list(blocks)
        displacements = np.zeros((len(blocks), 3))
        for place, index in enumerate(bodies):
            turn = _matrix(simulation.rotations[place]) @ _matrix(turned[place]).T
            vertices = (blocks[index].vertices - start[place]) @ turn.T + simulation.positions[place]
            moved[index] = Block(vertices, blocks[index].faces, density=blocks[index].density)
            displacements[index] = simulation.positions[place] - start[place]
        speeds = np.linalg.norm(simulation.velocities, axis=1)
        return Result(
            moved,
            displacements,
            _interfaces(simulation.contacts, bodies, walls),
            float(speeds.max(initial=0.0)),
            simulation.verdict,
        )


def from_compas(assembly):
    """Blocks of an assembly of COMPAS, in the order of its own numbers: an iterable of meshes, an assembly with `blocks()`
    (compas_assembly) or `elements()` (compas_model). Blocks whose attribute `is_support` is set are supports."""
    for name in ("blocks", "elements"):
        if callable(getattr(assembly, name, None)):
            assembly = getattr(assembly, name)()
            break
    return [_of_mesh(block) for block in assembly]


def _of_mesh(block):
    support = bool(getattr(block, "is_support", False) or (getattr(block, "attributes", None) or {}).get("is_support"))
    for name in ("modelgeometry", "geometry", "mesh"):
        if not hasattr(block, "to_vertices_and_faces") and getattr(block, name, None) is not None:
            block = getattr(block, name)
    if not hasattr(block, "to_vertices_and_faces"):
        raise InvalidValueError(f"a block is a {type(block).__name__}; expected a mesh of COMPAS")
    vertices, faces = block.to_vertices_and_faces()
    return Block(np.array([list(point) for point in vertices], dtype=float), [list(face) for face in faces], support)


def _checked(index, block):
    if not isinstance(block, Block):
        block = Block(*block)
    vertices = np.asarray(block.vertices, dtype=float)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(vertices) < 4 or not np.isfinite(vertices).all():
        raise InvalidValueError(
            f"the vertices of block {index} have shape {vertices.shape}; expected four or more rows of three finite numbers"
        )
    return Block(vertices, block.faces, block.support, block.density)


def _interfaces(contacts, bodies, walls):
    """Contacts of each pair of blocks, those with the ground among them."""
    pairs = {}
    forces = contacts.forces
    for place, (first, second) in enumerate(zip(contacts.first.tolist(), contacts.second.tolist())):
        other = bodies[second] if second >= 0 else walls[-1 - second]
        pairs.setdefault((bodies[first], other), []).append(place)
    return [
        Interface(first, second, contacts.points[places], contacts.normals[places], forces[places])
        for (first, second), places in pairs.items()
    ]


def _matrix(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
