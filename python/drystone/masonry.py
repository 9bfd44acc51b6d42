"""A bridge for masonry: blocks as vertices and faces in, displaced blocks and contact forces out.

    result = solve_assembly([Block(vertices, faces), ...], supports=[0], friction=0.7, density=2400)
    result.blocks[3].vertices, result.forces

Assemblies of COMPAS go in and out by `solve_compas`, which writes forces to the corners of their interfaces; `from_compas`
only reads them: of `compas_assembly`, `compas_model` or `compas_dem`, or a list of meshes. Blocks must be convex. Units are
SI.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from . import _compas
from ._simulation import Simulation, Verdict
from .errors import InvalidValueError
from .scene import Body, Boundary, DefaultLaw, Material, Part, Scene, Shape, Solver, Time

__all__ = ["Block", "Interface", "Result", "from_compas", "scene_of", "solve_assembly", "solve_compas", "to_compas"]

GRAVITY = 9.81
# Forces at interfaces are what is asked for here: at the scene format's default they are good to 1e-4 or so.
TOLERANCE = 1e-6
# Faces of vaults are warped a little; a vertex farther than this share of a block's size out of a face is a dent.
DENT = 1e-2


@dataclass
class Block:
    """A convex block: corners, and faces as lists of corners, which tell whether it is convex and are handed on."""

    vertices: np.ndarray
    faces: List[Sequence[int]] = field(default_factory=list)
    support: bool = False
    density: float = None
    node: Any = None
    """What an assembly calls it."""


@dataclass
class Interface:
    """What two blocks do to each other: contact points, in the order of a polygon's corners where there are three or more, and
    the forces that the first feels there. Normals point toward the first."""

    first: int
    second: int
    points: np.ndarray
    normals: np.ndarray
    forces: np.ndarray

    @property
    def resultant(self):
        """The sum of the forces, in N."""
        return self.forces.sum(axis=0)

    @property
    def compressions(self):
        """The normal forces at the points, in N: positive where blocks press on each other."""
        return np.einsum("ij,ij->i", self.forces, self.normals)

    @property
    def frictions(self):
        """The tangential forces at the points, in N, as vectors."""
        return self.forces - self.compressions[:, None] * self.normals


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
    transformations: np.ndarray
    """A 4 by 4 matrix for each block: where a point of it was, to where it is."""

    def first_places(self, interface):
        """Where the points of an interface were when blocks had not moved yet, as points of its first block."""
        matrix = self.transformations[interface.first]
        return (interface.points - matrix[:3, 3]) @ matrix[:3, :3]

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
        transformations = np.tile(np.eye(4), (len(blocks), 1, 1))
        for place, index in enumerate(bodies):
            turn = _matrix(simulation.rotations[place]) @ _matrix(turned[place]).T
            vertices = (blocks[index].vertices - start[place]) @ turn.T + simulation.positions[place]
            moved[index] = replace(blocks[index], vertices=vertices)
            transformations[index, :3, :3] = turn
            transformations[index, :3, 3] = simulation.positions[place] - turn @ start[place]
            displacements[index] = simulation.positions[place] - start[place]
        speeds = np.linalg.norm(simulation.velocities, axis=1)
        return Result(
            moved,
            displacements,
            _interfaces(simulation.contacts, bodies, walls),
            float(speeds.max(initial=0.0)),
            simulation.verdict,
            transformations,
        )


def from_compas(assembly):
    """Blocks of an assembly of COMPAS, in its own order, with what it calls them as `node`. Supports are those that the
    assembly names, or whose attribute `is_support` is set; densities those of materials, where blocks have one."""
    blocks = []
    for node, block, support in _compas.parts(assembly):
        vertices, faces, density = _compas.mesh_of(block)
        blocks.append(Block(vertices, faces, support, density, node))
    return blocks


def to_compas(result, assembly):
    """Writes the forces of a result of `from_compas(assembly)` into the assembly: each interface has `forces` at the corners
    of its polygon, which do the same as the contact forces that were found, and act on the side that the z axis of its frame
    points to. Blocks are not moved; where nodes have a `displacement` (compas_assembly), it is written: of the centre of mass,
    and the rotation as a vector.

    Gives the transformation of each node, and the forces of pairs that touch without an interface, as a dictionary each.
    """
    return _compas.write(result, assembly)


def solve_compas(assembly, **options) -> Tuple[Result, Dict[Any, Any]]:
    """Lets an assembly of COMPAS with its interfaces bear its weight: `solve_assembly` with the same options, and
    `to_compas`. Gives the result and the transformation of each node, by which its block is displaced:
    `block.transformed(transformations[node])`."""
    result = solve_assembly(from_compas(assembly), **options)
    transformations, _ = to_compas(result, assembly)
    return result, transformations


def _checked(index, block):
    if not isinstance(block, Block):
        block = Block(*block)
    vertices = np.asarray(block.vertices, dtype=float)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or len(vertices) < 4 or not np.isfinite(vertices).all():
        raise InvalidValueError(
            f"the vertices of block {index} have shape {vertices.shape}; expected four or more rows of three finite numbers"
        )
    _check_convex(index, vertices, block.faces)
    return replace(block, vertices=vertices)


def _check_convex(index, vertices, faces):
    """Hulls are what is computed: a block with a dent would be another one."""
    size = np.linalg.norm(np.ptp(vertices, axis=0))
    centre = vertices.mean(axis=0)
    for face in faces:
        corners = vertices[list(face)]
        normal = np.cross(corners, np.roll(corners, -1, axis=0)).sum(axis=0)
        area = np.linalg.norm(normal)
        if area <= 1e-12 * size**2:
            continue
        heights = (vertices - corners.mean(axis=0)) @ normal / area
        # Whichever way the face is turned, all of the block is on the side of its centre.
        if (centre - corners.mean(axis=0)) @ normal > 0:
            heights = -heights
        if heights.max() > DENT * size:
            raise InvalidValueError(
                f"block {index} is not convex: a corner is {heights.max():.3g} m outside of a face; cut it into convex blocks"
            )


def _interfaces(contacts, bodies, walls):
    """Contacts of each pair of blocks, those with the ground among them."""
    pairs = {}
    forces = contacts.forces
    for place, (first, second) in enumerate(zip(contacts.first.tolist(), contacts.second.tolist())):
        other = bodies[second] if second >= 0 else walls[-1 - second]
        pairs.setdefault((bodies[first], other), []).append(place)
    interfaces = []
    for (first, second), places in pairs.items():
        places = np.array(places)[_around(contacts.points[places], contacts.normals[places])]
        interfaces.append(
            Interface(first, second, contacts.points[places], contacts.normals[places], forces[places])
        )
    return interfaces


def _around(points, normals):
    """The order of points around their middle, counter-clockwise as seen from where normals point to."""
    if len(points) < 3:
        return np.arange(len(points))
    normal = normals.mean(axis=0)
    first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    away = points - points.mean(axis=0)
    return np.argsort(np.arctan2(away @ np.cross(normal, first), away @ first), kind="stable")


def _matrix(quaternion):
    w, x, y, z = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
