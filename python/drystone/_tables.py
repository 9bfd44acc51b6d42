"""The tables of a scene. Written by `generate_scene.py` from the JSON Schema of scenes: do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Dict, List, Optional, Sequence, Tuple, Union

from ._table import Table


@dataclass
class Adhesive(Table):
    """Adhesion that is lost at a rate."""

    stiffness: float
    """Stress by opening while adhesion is whole. [N/m² in the plane, N/m³ in space]"""

    energy: float
    """Energy of adhesion by area, w. [J/m in the plane, J/m² in space]"""

    exponent: Optional[float] = None
    """p of the rate law; default 1. [no unit]"""

    shear_stiffness: Optional[float] = None
    """The same by slip; default that by opening. [N/m² in the plane, N/m³ in space]"""

    time: Optional[float] = None
    """T of the rate law, b = w Tᵖ; default 0, without delay. [s]"""


@dataclass
class Anchor(Table):
    """An end of a spring."""

    body: Optional[str] = None
    """Name of the body that it is fixed to; without, it is fixed to a boundary or the ground."""

    boundary: Optional[str] = None
    """Name of the boundary that it is fixed to."""

    point: Optional[Sequence[float]] = None
    """Where it is at the start, in world axes; default the body's centre of mass, or the boundary's position. [m]"""


@dataclass
class Arch(Table):
    """An arch of equal voussoirs in the vertical plane, counted from the right springing."""

    material: str
    """Material of the voussoirs."""

    inner_radius: float
    """Radius of the intrados, at the corners of the voussoirs. [m]"""

    outer_radius: float
    """Radius of the extrados, at the corners of the voussoirs. [m]"""

    count: int
    """Number of voussoirs."""

    centre: Optional[Sequence[float]] = None
    """Centre of the arch; default zero. [m]"""

    depth: Optional[float] = None
    """Extent along the y axis; needed in space, none in the plane. [m]"""

    span_angle: Optional[float] = None
    """Angle from one springing to the other; default half a turn. [rad]"""


@dataclass
class AxisAngle(Table):
    """An axis and an angle about it."""

    axis: Sequence[float]
    """The axis; its length does not matter. [no unit]"""

    angle: float
    """The angle, counter-clockwise seen against the axis. [rad]"""


@dataclass
class Blocks(Table):
    """Convex blocks that a file lists: in each line the corners of one, `x y` in the plane, in their order round it, or `x y z` in space, in any order. Blanks, commas or semicolons part the columns."""

    material: str
    """Material of the blocks."""

    file: str
    """The file, relative to the scene's."""

    skip: Optional[int] = None
    """Lines at its start that are passed over; default 0. Names of columns and lines that begin with `#` always are."""


@dataclass
class Body(Table):
    """A rigid body: one `shape`, or several `parts`."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'parts': ('Part',), 'rotation': ('AxisAngle',), 'shape': ('Shape',)}

    force: Optional[Sequence[float]] = None
    """Constant force at the centre of mass, in world axes. [N]"""

    inertia: Optional[Union[float, Sequence[float]]] = None
    """Moment of inertia about the centre of mass: one number in the plane, those about the body's own axes in space.
    Needs `mass`; without it inertia is that of the shape. A number in the plane, three in space. [kg·m²]"""

    mass: Optional[float] = None
    """Mass, instead of the one that follows from density. [kg]"""

    material: Optional[str] = None
    """Material of all parts that do not name their own."""

    name: Optional[str] = None
    """Name for loads, initial forces and tracking."""

    parts: Optional[List[Union[Part, Dict[str, Any]]]] = None
    """Its shapes, rigidly joined."""

    position: Optional[Sequence[float]] = None
    """Where the origin of its shapes is; default zero. [m]"""

    rotation: Optional[Union[Union[float, Sequence[float]], Union[AxisAngle, Dict[str, Any]]]] = None
    """How it is turned: an angle in the plane; a rotation vector or `{ axis, angle }` in space."""

    shape: Optional[Union[Shape, Dict[str, Any]]] = None
    """Its only shape."""

    spin: Optional[Union[float, Sequence[float]]] = None
    """Spin in world axes; default zero. A number in the plane, three in space. [rad/s]"""

    torque: Optional[Union[float, Sequence[float]]] = None
    """Constant torque, in world axes. A number in the plane, three in space. [N·m]"""

    velocity: Optional[Sequence[float]] = None
    """Velocity of its centre of mass; default zero. [m/s]"""


@dataclass
class BondKind(Table):
    """How bonds are damaged."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'adhesive': ('Adhesive',), 'cohesive': ('Cohesive',), 'elastic': ('ElasticBond',), 'rigid': ('RigidBond',)}

    adhesive: Optional[Union[Adhesive, Dict[str, Any]]] = None
    """By adhesion that is lost at a rate (Raous, Cangémi & Cocou)."""

    cohesive: Optional[Union[Cohesive, Dict[str, Any]]] = None
    """By a bilinear cohesive zone."""

    elastic: Optional[Union[ElasticBond, Dict[str, Any]]] = None
    """Not at all."""

    rigid: Optional[Union[RigidBond, Dict[str, Any]]] = None
    """All at once, where a strength is exceeded."""


@dataclass
class Bond(Table):
    """Bonds between faces that touch."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'law': ('BondKind',)}

    law: Union[BondKind, Dict[str, Any]]
    """How they are damaged."""

    area: Optional[float] = None
    """The area, in place of that of the touching faces: a length in the plane. Needed by disks and balls. [m in the
    plane, m² in space]"""

    compression: Optional[str] = None
    """What bears pressure; default `contact`. Rigid bonds bear it in any case. `contact`: The contact, which is rigid.
    `bond`: The bonds, as they bear tension. One of 'contact', 'bond'."""

    forms: Optional[str] = None
    """When they are made; default `start`. `start`: At the start. `contact`: At the start, and once where bodies come
    to press. `again`: The same, and again where all bonds were broken: they heal. One of 'start', 'contact',
    'again'."""

    points: Optional[int] = None
    """Points along a side of the touching area; default 2."""

    reach: Optional[float] = None
    """Gap up to which faces are bonded; default a thousandth of the narrower shape's width. [m]"""


@dataclass
class Boundary(Table):
    """A boundary: fixed unless it has a `motion`, a `load`, or both."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'load': ('Push',), 'motion': ('Motion',), 'parts': ('Part',), 'paving': ('Paving',), 'rotation': ('AxisAngle',), 'shape': ('Shape',), 'vessel': ('Vessel',)}

    load: Optional[Union[Push, Dict[str, Any]]] = None
    """A given load: free in one way, rigid in all others, or moved there by `motion`."""

    material: Optional[str] = None
    """Material of all parts that do not name their own."""

    motion: Optional[Union[Motion, Dict[str, Any]]] = None
    """A given motion."""

    name: Optional[str] = None
    """Its name."""

    parts: Optional[List[Union[Part, Dict[str, Any]]]] = None
    """Its shapes."""

    paving: Optional[Union[Paving, Dict[str, Any]]] = None
    """A rough floor of fixed grains, instead of `shape` and `parts`."""

    position: Optional[Sequence[float]] = None
    """Where the origin of its shapes is; default zero. [m]"""

    remove_at: Optional[float] = None
    """When it vanishes; default never. [s]"""

    rotation: Optional[Union[Union[float, Sequence[float]], Union[AxisAngle, Dict[str, Any]]]] = None
    """How it is turned; default not at all."""

    shape: Optional[Union[Shape, Dict[str, Any]]] = None
    """Its only shape."""

    vessel: Optional[Union[Vessel, Dict[str, Any]]] = None
    """A vessel or tool, instead of `shape` and `parts`."""


@dataclass
class BoxMesh(Table):
    """A box of hexahedra. Groups: `left`, `right`, `front`, `back`, `bottom`, `top`, `surface`."""

    size: Sequence[float]
    """Edge lengths. [m]"""

    elements: Sequence[int]
    """Elements along each."""


@dataclass
class Buttress(Table):
    """A buttress of level courses with one upright face and one that leans."""

    material: str
    """Material of the courses."""

    base: float
    """Width at the foot. [m]"""

    top: float
    """Width at the top. [m]"""

    height: float
    """Height. [m]"""

    courses: int
    """Number of courses."""

    depth: Optional[float] = None
    """Extent along the y axis; needed in space, none in the plane. [m]"""

    origin: Optional[Sequence[float]] = None
    """Foot of the upright face; default zero. [m]"""

    upright: Optional[str] = None
    """Where the upright face is; default `left`. `left`: towards smaller x. `right`: towards larger x. One of 'left',
    'right'."""


@dataclass
class Capsule(Table):
    """A capsule along the z axis, about the origin."""

    length: float
    """Length of the segment, caps not counted. [m]"""

    radius: float
    """Radius of the tube and its caps. [m]"""


@dataclass
class CellDrive(Table):
    """What is asked of one component of a cell."""

    component: str
    """Which component. `xx`: along x. `xy`: velocity along x, changing along y. `xz`: velocity along x, changing along
    z. `yx`: velocity along y, changing along x. `yy`: along y. `yz`: velocity along y, changing along z. `zx`:
    velocity along z, changing along x. `zy`: velocity along z, changing along y. `zz`: along z. One of 'xx', 'xy',
    'xz', 'yx', 'yy', 'yz', 'zx', 'zy', 'zz'."""

    rate: Optional[Union[float, Any]] = None
    """The component of the velocity gradient, the true strain rate along an axis or the rate of shear."""

    stress: Optional[Union[float, Any]] = None
    """The component of the stress, positive in compression. Functions of time count from the start of the phase."""


@dataclass
class Cell(Table):
    """A periodic cell, with a corner at the origin: what leaves it on one side enters it on the other."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'drive': ('CellDrive',)}

    drive: Optional[List[Union[CellDrive, Dict[str, Any]]]] = None
    """What is asked of each component; default a rate of 0."""

    inertia: Optional[float] = None
    """Inertia of components under a stress, in units of the mass of all bodies times the square of their mean size;
    default 1. [no unit]"""

    lengths: Optional[Sequence[float]] = None
    """Lengths along the axes. [m]"""

    periodic: Optional[Sequence[str]] = None
    """Directions that are periodic, by the number of the vector: `x` is the first; default all."""

    vectors: Optional[Sequence[Sequence[float]]] = None
    """In place of lengths: the cell's vectors, one for each direction."""


@dataclass
class Cohesion(Table):
    """Cohesion that is more than a force."""

    force: float
    """Largest pull of one contact. [N]"""

    range: Optional[float] = None
    """Gap up to which the pull is there; default 0. [m]"""

    reversible: Optional[bool] = None
    """Whether new contacts stick too; if not, only those of the first step, until they break. Default true."""


@dataclass
class Cohesive(Table):
    """A bilinear cohesive zone."""

    stiffness: float
    """Stress by opening, before anything is damaged. [N/m² in the plane, N/m³ in space]"""

    tension: float
    """Largest stress that pulls. [N/m in the plane, Pa in space]"""

    energy: float
    """Energy of rupture by area where faces are pulled apart. [J/m in the plane, J/m² in space]"""

    shear: Optional[float] = None
    """Largest stress across; default that in tension. [N/m in the plane, Pa in space]"""

    shear_energy: Optional[float] = None
    """The same where they slide; default that of pulling. [J/m in the plane, J/m² in space]"""

    shear_stiffness: Optional[float] = None
    """Stress by slip; default that by opening. [N/m² in the plane, N/m³ in space]"""


@dataclass
class Column(Table):
    """A column of drums."""

    material: str
    """Material of the drums."""

    radius: float
    """Half of the width at the foot, in space the distance of the corners from the axis. [m]"""

    height: float
    """Height. [m]"""

    drums: int
    """Number of drums."""

    origin: Optional[Sequence[float]] = None
    """Middle of the foot; default zero. [m]"""

    sides: Optional[int] = None
    """Number of sides, in space; default 8."""

    top_radius: Optional[float] = None
    """The same at the top; default as at the foot. [m]"""


@dataclass
class ContactSpring(Table):
    """A force by the gap."""

    stiffness: float
    """Push of one contact point by approach below the reach. [N/m]"""

    reach: float
    """Gap below which it acts. [m]"""


@dataclass
class Contact(Table):
    """Which inequality contacts obey."""

    form: Optional[str] = None
    """`velocity` or `gap`; default `velocity`. `velocity`: touching bodies do not approach. `gap`: gaps do not become
    negative, and overlaps are made good. One of 'velocity', 'gap'."""

    margin: Optional[float] = None
    """Gap below which contacts are watched; needed by the form `gap`. [m]"""

    recovery_share: Optional[float] = None
    """Share of an overlap that is made good in a step; default 1. Of the form `gap`. [no unit]"""

    recovery_speed: Optional[float] = None
    """Speed at which overlaps are made good at most; needed by the form `gap`. [m/s]"""


@dataclass
class Core(Table):
    """A core of a rounded shape in its own axes."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'regular': ('Regular',)}

    box: Optional[Sequence[float]] = None
    """Edge lengths of a box about the origin. [m]"""

    polygon: Optional[Sequence[Sequence[float]]] = None
    """Vertices of a convex polygon in order (plane)."""

    polyhedron: Optional[Sequence[Sequence[float]]] = None
    """Points whose convex hull is the core (space)."""

    regular: Optional[Union[Regular, Dict[str, Any]]] = None
    """A regular polygon about the origin, its first vertex on the x axis (plane)."""

    segment: Optional[Sequence[Any]] = None
    """Two ends of a segment (plane)."""


@dataclass
class Cylinder(Table):
    """A cylinder or a cone."""

    length: float
    """Length along the axis. [m]"""

    radius: float
    """Radius, of a cone at its base. [m]"""


@dataclass
class Damping(Table):
    """Rayleigh's damping."""

    mass: Optional[float] = None
    """Factor of the mass matrix; default 0. [1/s]"""

    stiffness: Optional[float] = None
    """Factor of the stiffness matrix; default 0. [s]"""


@dataclass
class DefaultLaw(Table):
    """The law of all pairs that have none of their own."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'bond': ('Bond',), 'cohesion': ('Cohesion',), 'friction': ('Friction',), 'impact': ('Impact',), 'percussion': ('Percussion',), 'spring': ('ContactSpring',)}

    bond: Optional[Union[Bond, Dict[str, Any]]] = None
    """Bonds between faces that touch, with a memory of what they have borne; default none."""

    cohesion: Optional[Union[float, Union[Cohesion, Dict[str, Any]]]] = None
    """Largest pull of one contact, or a table; default 0."""

    dissipation_index: Optional[float] = None
    """Dissipation index δ, in place of the normal restitution (1 − δ)/(1 + δ). [no unit]"""

    friction: Optional[Union[float, Union[Friction, Dict[str, Any]]]] = None
    """Coulomb's coefficient (0 is without friction), or a table for anisotropic and viscous friction. Needed without
    `percussion`."""

    impact: Optional[Union[Impact, Dict[str, Any]]] = None
    """Impacts by impulses that grow one after another, in place of restitution; default none."""

    normal_restitution: Optional[float] = None
    """Normal restitution; default 0. [no unit]"""

    percussion: Optional[Union[Percussion, Dict[str, Any]]] = None
    """A-CD² in place of restitution; `friction` then bounds its tangential percussions."""

    rolling_resistance: Optional[float] = None
    """Bound of the couple against rolling, per normal force: a length; default 0. [m]"""

    spinning_resistance: Optional[float] = None
    """Bound of the couple against spinning about the normal, per normal force: a length; default 0. In space only. [m]"""

    spring: Optional[Union[ContactSpring, Dict[str, Any]]] = None
    """A push that grows as the gap closes, beside the contact itself; default none."""

    tangential_restitution: Optional[float] = None
    """Tangential restitution; default 0. [no unit]"""


@dataclass
class Deformation(Table):
    """How deformable solids are computed."""

    max_iterations: Optional[int] = None
    """Most iterations of Newton in a step; default 30."""

    pairing: Optional[str] = None
    """`nodes` or `segments`; default `nodes`. `nodes`: the nodes of each on the facets of the other. `segments`:
    segment on segment; in space as `nodes`. One of 'nodes', 'segments'."""

    scheme: Optional[str] = None
    """`theta`, `conserving` or `quasi-static`; default `theta`. `theta`: forces and velocities weighted by `theta` and
    `xi`. `conserving`: internal forces that conserve energy for every law. `quasi-static`: no inertia: every step
    ends in equilibrium. One of 'theta', 'conserving', 'quasi-static'."""

    solver: Optional[str] = None
    """Solver of the contact problem, by the names of `drystone solve`; default `auto`."""

    theta: Optional[float] = None
    """Share of the end velocity in the displacement of a step; default 0.5. [no unit]"""

    tolerance: Optional[float] = None
    """Relative rest of the equation of motion that is asked for; default 1e-10. [no unit]"""

    xi: Optional[float] = None
    """Share of the end forces in the impulse of a step; default 0.5. [no unit]"""


@dataclass
class Deposit(Table):
    """Disks or spheres without overlap in a region."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'region': ('Region',), 'ellipse': ('Ellipse',), 'inside': ('Shape',), 'irregular': ('Irregular',), 'polygon': ('Polygons',), 'radius': ('Size',)}

    material: str
    """Material of the grains."""

    region: Union[Region, Dict[str, Any]]
    """Where they lie; no grain reaches out of it."""

    count: Optional[int] = None
    """How many; default as many as the method can place."""

    ellipse: Optional[Union[Ellipse, Dict[str, Any]]] = None
    """Clusters inside of an ellipse, in place of `radius`."""

    gap: Optional[float] = None
    """Smallest gap between grains; default 0. [m]"""

    inside: Optional[Union[Shape, Dict[str, Any]]] = None
    """A shape that no grain reaches out of, about the middle of the region."""

    irregular: Optional[Union[Irregular, Dict[str, Any]]] = None
    """Random convex polygons or polyhedra inside of the circles that are placed, in place of `radius`."""

    method: Optional[str] = None
    """`layers`, `random` or `growth`; default `layers`. `random`: anywhere in the region, tried again where they
    overlap; loose. `layers`: side by side in layers from the bottom; denser. `growth`: at random, grown and pushed
    apart until they fill the `solid_fraction`; dense. One of 'random', 'layers', 'growth'."""

    polygon: Optional[Union[Polygons, Dict[str, Any]]] = None
    """Regular polygons with random numbers of sides, in place of `radius` (plane)."""

    radius: Optional[Union[float, Union[Size, Dict[str, Any]]]] = None
    """Their radius; this or `polygon`."""

    random_rotation: Optional[bool] = None
    """Whether each grain is turned at random; default not."""

    seed: Optional[int] = None
    """Seed; default that of the scene."""

    solid_fraction: Optional[float] = None
    """Part of the region that the circles or spheres fill, of `growth`. With a `count` too, radii are multiplied by
    what makes both true. [no unit]"""

    velocity: Optional[Sequence[float]] = None
    """Velocity of all; default zero. [m/s]"""


@dataclass
class Dome(Table):
    """A dome of rings about the vertical, its stones flat between their corners; in space."""

    material: str
    """Material of the stones."""

    inner_radius: float
    """Radius of the inner corners. [m]"""

    outer_radius: float
    """Radius of the outer corners. [m]"""

    rings: int
    """Number of rings."""

    count: int
    """Stones of a ring."""

    opening: float
    """Angle from the vertical to the edge of the opening at the top. [rad]"""

    centre: Optional[Sequence[float]] = None
    """Centre; default zero. [m]"""

    springing: Optional[float] = None
    """Angle from the vertical to the springing; default a quarter turn, a hemisphere. [rad]"""


@dataclass
class Drag(Table):
    """The resistance of a medium to motion."""

    linear: Optional[float] = None
    """Force by velocity; default 0. [N·s/m]"""

    on: Optional[str] = None
    """Name of the body or group; without, every body that is there at the start."""

    quadratic: Optional[float] = None
    """Force by square of the velocity; default 0. [N·s²/m²]"""

    spin: Optional[float] = None
    """Couple by spin; default 0. [N·m·s]"""


@dataclass
class Drive(Table):
    """What moves a boundary from the start of a phase on, from where it is then. Times of motions and loads count from the start of the phase."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'load': ('Push',), 'motion': ('Motion',)}

    boundary: str
    """Name of the boundary."""

    hold: Optional[bool] = None
    """`true` holds it where it is."""

    load: Optional[Union[Push, Dict[str, Any]]] = None
    """A given load."""

    motion: Optional[Union[Motion, Dict[str, Any]]] = None
    """A given motion."""


@dataclass
class Drum(Table):
    """A drum."""

    radius: float
    """Distance of its flat sides from the axis. [m]"""

    blades: Optional[float] = None
    """How far blades reach inward, one at every edge; default none. [m]"""

    length: Optional[float] = None
    """Length of the axis, between two plates; needed in space, none in the plane. [m]"""

    sides: Optional[int] = None
    """Number of sides; default 48."""


@dataclass
class ElasticBond(Table):
    """Bonds that are stretched without end."""

    stiffness: float
    """Stress by opening. [N/m² in the plane, N/m³ in space]"""

    shear_stiffness: Optional[float] = None
    """Stress by slip; default that by opening. [N/m² in the plane, N/m³ in space]"""


@dataclass
class Elastic(Table):
    """How a solid resists deformation, and its mass."""

    young: float
    """Young's modulus. [Pa]"""

    poisson: float
    """Poisson's ratio, above -1 and below 0.5. [no unit]"""

    density: float
    """Mass per volume, in the plane too. [kg/m³]"""

    law: Optional[str] = None
    """The law; default `st-venant-kirchhoff`. `linear`: small strains and rotations; stiffness is constant.
    `corotated`: linear in axes that turn with the material. `st-venant-kirchhoff`: linear in Green's strain. `neo-
    hookean`: compressible neo-Hookean. `blatz-ko`: Blatz and Ko's foamed rubber; Poisson's ratio 0.25. One of
    'linear', 'corotated', 'st-venant-kirchhoff', 'neo-hookean', 'blatz-ko'."""


@dataclass
class Ellipse(Table):
    """Clusters of disks or spheres inside of an ellipse, whose mass and inertia they have."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'radius': ('Size',)}

    radius: Union[float, Union[Size, Dict[str, Any]]]
    """Half of the long axis."""

    elongation: float
    """Long axis by short axis, above 1. [no unit]"""

    count: Optional[int] = None
    """How many disks or spheres; default 5."""


@dataclass
class Emitter(Table):
    """Bodies that enter during the run, at given `times` or at a `rate`."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'region': ('Region',), 'ellipse': ('Ellipse',), 'irregular': ('Irregular',), 'parts': ('Part',), 'polygon': ('Polygons',), 'radius': ('Size',), 'shape': ('Shape',)}

    material: str
    """Material of the bodies."""

    region: Union[Region, Dict[str, Any]]
    """Where their origins appear: anywhere in the region."""

    count: Optional[int] = None
    """With `rate`: how many; default as many as enter before the end of the run."""

    ellipse: Optional[Union[Ellipse, Dict[str, Any]]] = None
    """Clusters inside of an ellipse, in place of `shape` and `radius`."""

    irregular: Optional[Union[Irregular, Dict[str, Any]]] = None
    """Random convex polygons or polyhedra, in place of `shape` and `radius`."""

    name: Optional[str] = None
    """Name of the group: its bodies are called `name 1`, `name 2` and so on."""

    on_top: Optional[bool] = None
    """Whether each body is laid on top of what lies in its column; default not."""

    parts: Optional[List[Union[Part, Dict[str, Any]]]] = None
    """Shapes of each body, rigidly joined; this, `shape` or `radius`."""

    polygon: Optional[Union[Polygons, Dict[str, Any]]] = None
    """Regular polygons with random numbers of sides, in place of `shape` and `radius` (plane)."""

    radius: Optional[Union[float, Union[Size, Dict[str, Any]]]] = None
    """Radius of each disk or sphere; this, `shape` or `parts`."""

    random_rotation: Optional[bool] = None
    """Whether each body is turned at random; default not."""

    rate: Optional[float] = None
    """Bodies per time; this or `times`. [1/s]"""

    seed: Optional[int] = None
    """Seed; default that of the scene."""

    shape: Optional[Union[Shape, Dict[str, Any]]] = None
    """Shape of each body; this, `parts` or `radius`."""

    spin: Optional[Union[float, Sequence[float]]] = None
    """Their spin; default zero. A number in the plane, three in space. [rad/s]"""

    start: Optional[float] = None
    """With `rate`: when the first enters; default 0. [s]"""

    times: Optional[Sequence[float]] = None
    """When they enter; this or `rate`."""

    velocity: Optional[Sequence[float]] = None
    """Their velocity; default zero. [m/s]"""

    within: Optional[float] = None
    """Largest horizontal distance from the middle of the region; default no limit. [m]"""


@dataclass
class ExponentialAngle(Table):
    """`amplitude · exp(rate t)`."""

    amplitude: float
    """Value at time zero. [rad]"""

    rate: float
    """Growth per time; such as a true strain rate. [1/s]"""


@dataclass
class ExponentialForce(Table):
    """`amplitude · exp(rate t)`."""

    amplitude: float
    """Value at time zero. [N]"""

    rate: float
    """Growth per time; such as a true strain rate. [1/s]"""


@dataclass
class ExponentialLength(Table):
    """`amplitude · exp(rate t)`."""

    amplitude: float
    """Value at time zero. [m]"""

    rate: float
    """Growth per time; such as a true strain rate. [1/s]"""


@dataclass
class ExponentialPure(Table):
    """`amplitude · exp(rate t)`."""

    amplitude: float
    """Value at time zero. [no unit]"""

    rate: float
    """Growth per time; such as a true strain rate. [1/s]"""


@dataclass
class ExponentialRate(Table):
    """`amplitude · exp(rate t)`."""

    amplitude: float
    """Value at time zero. [1/s]"""

    rate: float
    """Growth per time; such as a true strain rate. [1/s]"""


@dataclass
class ExponentialSpin(Table):
    """`amplitude · exp(rate t)`."""

    amplitude: float
    """Value at time zero. [rad/s]"""

    rate: float
    """Growth per time; such as a true strain rate. [1/s]"""


@dataclass
class ExponentialTorque(Table):
    """`amplitude · exp(rate t)`."""

    amplitude: float
    """Value at time zero. [N·m]"""

    rate: float
    """Growth per time; such as a true strain rate. [1/s]"""


@dataclass
class ExponentialVelocity(Table):
    """`amplitude · exp(rate t)`."""

    amplitude: float
    """Value at time zero. [m/s]"""

    rate: float
    """Growth per time; such as a true strain rate. [1/s]"""


@dataclass
class ExponentialWallPressure(Table):
    """`amplitude · exp(rate t)`."""

    amplitude: float
    """Value at time zero. [N/m in the plane, Pa in space]"""

    rate: float
    """Growth per time; such as a true strain rate. [1/s]"""


@dataclass
class FlatArch(Table):
    """A flat arch, whose joints meet in a point below. Voussoirs are counted from the right skewback."""

    material: str
    """Material of the voussoirs."""

    width: float
    """Width at the lower side. [m]"""

    height: float
    """Height. [m]"""

    count: int
    """Number of voussoirs."""

    skew: float
    """Angle of the skewbacks from the vertical. [rad]"""

    centre: Optional[Sequence[float]] = None
    """Middle of the lower side; default zero. [m]"""

    depth: Optional[float] = None
    """Extent along the y axis; needed in space, none in the plane. [m]"""


@dataclass
class Friction(Table):
    """Friction that is more than one coefficient."""

    across: Optional[float] = None
    """Coefficient across the direction; in space only. [no unit]"""

    against: Optional[float] = None
    """Coefficient against sliding of the other body against the direction; in the plane only. [no unit]"""

    along: Optional[float] = None
    """Coefficient along the direction. In the plane: against sliding of the other body along the direction. [no unit]"""

    coefficient: Optional[float] = None
    """Coulomb's coefficient in all directions; with `sides`: at the corners of the polygon. [no unit]"""

    direction: Optional[Sequence[float]] = None
    """The direction that the coefficients refer to, in the axes of the body or boundary of the first material in
    `between`. Its projection on the contact plane counts. [no unit]"""

    polygon: Optional[Sequence[Sequence[Any]]] = None
    """Corners of a convex polygon of friction forces per normal force; in space only."""

    sides: Optional[int] = None
    """A regular polygon of so many sides; in space only."""

    viscosity: Optional[float] = None
    """Tangential force by sliding velocity, below the bound of dry friction; alone without. [N·s/m]"""


@dataclass
class Frustum(Table):
    """A cone without its tip."""

    length: float
    """Length along the axis. [m]"""

    radii: Sequence[Any]
    """Radii of the lower and the upper end."""


@dataclass
class Generate(Table):
    """Bodies made by a rule."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'arch': ('Arch',), 'blocks': ('Blocks',), 'buttress': ('Buttress',), 'column': ('Column',), 'deposit': ('Deposit',), 'dome': ('Dome',), 'flat_arch': ('FlatArch',), 'lattice': ('Lattice',), 'list': ('GrainList',), 'pointed_arch': ('PointedArch',), 'row': ('Row',), 'stairs': ('Stairs',), 'vault': ('Vault',), 'voronoi': ('Voronoi',), 'wall': ('Wall',)}

    arch: Optional[Union[Arch, Dict[str, Any]]] = None
    """An arch of equal voussoirs."""

    blocks: Optional[Union[Blocks, Dict[str, Any]]] = None
    """Convex blocks that a file lists."""

    buttress: Optional[Union[Buttress, Dict[str, Any]]] = None
    """A buttress of courses."""

    column: Optional[Union[Column, Dict[str, Any]]] = None
    """A column of drums."""

    deposit: Optional[Union[Deposit, Dict[str, Any]]] = None
    """Disks or spheres without overlap in a region."""

    dome: Optional[Union[Dome, Dict[str, Any]]] = None
    """A dome of rings."""

    enters: Optional[float] = None
    """When its bodies enter, at rest where the rule has them; default at the start. [s]"""

    flat_arch: Optional[Union[FlatArch, Dict[str, Any]]] = None
    """A flat arch."""

    lattice: Optional[Union[Lattice, Dict[str, Any]]] = None
    """A regular grid of bodies."""

    list: Optional[Union[GrainList, Dict[str, Any]]] = None
    """Disks or spheres that a file lists."""

    name: Optional[str] = None
    """Name of the group: its bodies are called `name 1`, `name 2` and so on."""

    pointed_arch: Optional[Union[PointedArch, Dict[str, Any]]] = None
    """A pointed arch."""

    row: Optional[Union[Row, Dict[str, Any]]] = None
    """Copies of one body, each moved and turned against the one before."""

    stairs: Optional[Union[Stairs, Dict[str, Any]]] = None
    """Stairs of slabs."""

    vault: Optional[Union[Vault, Dict[str, Any]]] = None
    """A barrel vault."""

    voronoi: Optional[Union[Voronoi, Dict[str, Any]]] = None
    """Polygons or polyhedra that fill a region."""

    wall: Optional[Union[Wall, Dict[str, Any]]] = None
    """A masonry wall."""


@dataclass
class GrainList(Table):
    """Disks or spheres that a file lists: lines `x y radius` in the plane, `x y z radius` in space, each with a velocity after it or none. Blanks, commas or semicolons part the columns."""

    material: str
    """Material of the grains."""

    file: str
    """The file, relative to the scene's."""

    skip: Optional[int] = None
    """Lines at its start that are passed over; default 0. Names of columns and lines that begin with `#` always are."""


@dataclass
class Half(Table):
    """A half-plane or half-space; `{}` is all below the origin."""

    normal: Optional[Sequence[float]] = None
    """Direction out of the solid; default up (y in the plane, z in space). [no unit]"""

    point: Optional[Sequence[float]] = None
    """A point of the surface; default the origin. [m]"""


@dataclass
class Heights(Table):
    """A surface over a grid of heights in a file (boundaries only), touched from above."""

    file: str
    """The file: a table of heights, or an ASCII grid."""

    scale: Optional[float] = None
    """Factor on the heights; default 1. [no unit]"""

    spacing: Optional[float] = None
    """Distance between neighbours; needed unless the file tells. [m]"""


@dataclass
class Hopper(Table):
    """A hopper: two plates in the plane, a cone of flat sides in space."""

    outlet: float
    """Width of the outlet. [m]"""

    top: float
    """Width at the top. [m]"""

    height: float
    """Height. [m]"""

    sides: Optional[int] = None
    """Number of sides of the cone; default 24; in space only."""


@dataclass
class Impact(Table):
    """The law of impacts in impulse space."""

    restitution: float
    """Coefficient of restitution e. [no unit]"""

    exponent: Optional[float] = None
    """Power of force by compression: 1 linear, 1.5 (default) for smooth convex bodies by Hertz. The same in all laws.
    [no unit]"""

    hypothesis: Optional[str] = None
    """What it compares; default `stronge`. `stronge`: work: e² of what compression took is given back. `poisson`:
    impulses: that of restitution is e times that of compression. One of 'stronge', 'poisson'."""

    stiffness: Optional[float] = None
    """Stiffness against that of other contacts that are struck together; default 1. Only ratios count. [no unit]"""


@dataclass
class Imposed(Table):
    """Nodes whose velocity is given."""

    group: str
    """Name of a group of the mesh."""

    axes: Optional[Sequence[str]] = None
    """Axes that are held; default all."""

    factor: Optional[Union[float, Any]] = None
    """Multiplies the velocity; default 1. Its time is the scene's."""

    velocity: Optional[Sequence[float]] = None
    """Velocity of the nodes; default zero. [m/s]"""


@dataclass
class Impulse(Table):
    """An external percussion: a force that is concentrated in one step."""

    on: str
    """Name of the body."""

    angular: Optional[Union[float, Sequence[float]]] = None
    """Angular impulse, in world axes. A number in the plane, three in space. [N·m·s]"""

    impulse: Optional[Sequence[float]] = None
    """Impulse at the centre of mass, in world axes. [N·s]"""

    time: Optional[float] = None
    """When; default 0. [s]"""


@dataclass
class InitialForce(Table):
    """A contact force that a pair starts with: the summary of its history."""

    on: str
    """Name of the body that feels it."""

    by: str
    """Name of the body or boundary that exerts it."""

    force: Sequence[float]
    """The force, in world axes. [N]"""


@dataclass
class Irregular(Table):
    """Random convex polygons or polyhedra, their corners on an ellipse or ellipsoid."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'radius': ('Size',)}

    corners: Sequence[Any]
    """Least and largest number of corners; all between are equally frequent. At least 4 in space."""

    radius: Union[float, Union[Size, Dict[str, Any]]]
    """Half of the longest axis of the ellipse."""

    elongation: Optional[float] = None
    """Longest axis by shortest; default 1. [no unit]"""

    irregularity: Optional[float] = None
    """How far corners are from regular places, from 0 to 1; default 0.5. [no unit]"""


@dataclass
class JointFriction(Table):
    """Coulomb's friction in a joint, bounded by what the joint bears."""

    coefficient: Optional[float] = None
    """Coulomb's coefficient. [no unit]"""

    force: Optional[float] = None
    """A friction force that is always there (slider, cylindrical, planar); default 0. [N]"""

    length: Optional[float] = None
    """Length of the guide of a slider, cylindrical or planar joint, over which a couple presses; without, couples do
    not count. [m]"""

    radius: Optional[float] = None
    """Radius of the pin, ball or rod on which it acts. [m]"""

    torque: Optional[float] = None
    """A friction couple that is always there (hinge, ball, each axis of a universal joint); default 0. [N·m]"""


@dataclass
class JointMotor(Table):
    """A motor along a coordinate of a joint. One of `force`, `speed`, `travel`, `torque`, `spin` and `angle` says what it is asked for."""

    angle: Optional[Union[float, Any]] = None
    """An angle about the axis, counted from the start."""

    force: Optional[Union[float, Any]] = None
    """A force along the axis."""

    largest_force: Optional[float] = None
    """The largest force of a motor that is asked for `speed` or `travel`; default no bound. [N]"""

    largest_torque: Optional[float] = None
    """The largest couple of a motor that is asked for `spin` or `angle`; default no bound. [N·m]"""

    speed: Optional[Union[float, Any]] = None
    """A velocity along the axis."""

    spin: Optional[Union[float, Any]] = None
    """A spin about the axis."""

    torque: Optional[Union[float, Any]] = None
    """A couple about the axis."""

    travel: Optional[Union[float, Any]] = None
    """A displacement along the axis, counted from the start."""


@dataclass
class JointRatchet(Table):
    """Teeth that let a joint go one way only; without a pitch it is a free wheel, which holds wherever it stops."""

    angle: Optional[float] = None
    """From tooth to tooth (hinge). [rad]"""

    backward: Optional[bool] = None
    """Whether the angle or displacement may fall, and not rise; default `false`."""

    restitution: Optional[float] = None
    """Restitution of impacts on teeth; default 0. [no unit]"""

    travel: Optional[float] = None
    """From tooth to tooth (slider, cylindrical, screw). [m]"""


@dataclass
class JointSpring(Table):
    """A spring with a damper along a coordinate of a joint: lengths, or angles in radians."""

    angle: Optional[float] = None
    """Angle without couple, counted from the start; default 0. [rad]"""

    angular_damping: Optional[float] = None
    """Couple by spin; default 0. [N·m·s]"""

    angular_stiffness: Optional[float] = None
    """Couple by angle; default 0. [N·m]"""

    couple_by_angle: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[angle, couple]`: couples that turn back, by the angle from the start on."""

    couple_by_spin: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[spin, couple]`: couples that oppose the spin, zero at rest."""

    damping: Optional[float] = None
    """Force by velocity; default 0. [N·s/m]"""

    force_by_length: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[length, force]`: forces that pull back, by the displacement or by the distance of the points of a
    `spring`; straight between them, level outside."""

    force_by_speed: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[speed, force]`: forces that oppose the speed, zero at rest."""

    length: Optional[float] = None
    """Displacement, or distance of the points of a `spring`, without force; default that at the start. [m]"""

    stiffness: Optional[float] = None
    """Force by length; default 0. [N/m]"""


@dataclass
class JointStrength(Table):
    """What a joint can bear in a step; with more it is broken from then on."""

    force: Optional[float] = None
    """The largest force. [N]"""

    torque: Optional[float] = None
    """The largest couple. [N·m]"""


@dataclass
class Joint(Table):
    """A joint."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'friction': ('JointFriction',), 'motor': ('JointMotor',), 'ratchet': ('JointRatchet',), 'second_motor': ('JointMotor',), 'second_spring': ('JointSpring',), 'spring': ('JointSpring',), 'strength': ('JointStrength',)}

    kind: str
    """Which displacements it allows. `weld`: none. `hinge`: a turn about the axis; in the plane about the point.
    `slider`: a displacement along the axis. `cylindrical`: a displacement along the axis and a turn about it (space).
    `ball`: every turn about the point (space). `universal`: turns about two axes at right angles, one carried by each
    side (space). `planar`: displacements across the axis and a turn about it (space). `rod`: all but the distance of
    two points, which stays. `rope`: all, as long as two points are no further apart than its length. `spring`: all:
    what acts between two points are its `spring` and dampers. `screw`: a turn about the axis with a displacement
    along it (space). `gear`: all but that two wheels slip where they mesh. `rack`: all but that a wheel slips on a
    line. `pulley`: all, as long as a rope over two points of the world is long enough. One of 'weld', 'hinge',
    'slider', 'cylindrical', 'ball', 'universal', 'planar', 'rod', 'rope', 'spring', 'screw', 'gear', 'rack',
    'pulley'."""

    body: str
    """Name of the body that it holds."""

    angle: Optional[Sequence[Any]] = None
    """Least and largest angle of a hinge, counted from the start."""

    axis: Optional[Sequence[float]] = None
    """Direction of the axis at the start; its length does not matter. [no unit]"""

    contact: Optional[bool] = None
    """Whether the two sides can touch each other; default not."""

    coordinates: Optional[str] = None
    """The coordinates that its bodies are computed in, the same for all joints of a mechanism; default `maximal`.
    `maximal`: all that bodies have, with equations for the joint. `reduced`: those that the joint leaves. One of
    'maximal', 'reduced'."""

    friction: Optional[Union[JointFriction, Dict[str, Any]]] = None
    """Coulomb's friction (hinge, slider, cylindrical, ball, universal, planar)."""

    length: Optional[float] = None
    """Length of a rod, a rope or the rope of a pulley; default that at the start. [m]"""

    motor: Optional[Union[JointMotor, Dict[str, Any]]] = None
    """A motor (hinge, slider, cylindrical, planar; of a universal joint about `axis`)."""

    name: Optional[str] = None
    """Its name in messages and tables."""

    pitch: Optional[float] = None
    """Displacement of a screw in a turn; negative for a thread to the left. [m]"""

    point: Optional[Sequence[float]] = None
    """Where it is at the start, in world axes; default the body's centre of mass. [m]"""

    points: Optional[Sequence[Any]] = None
    """In place of `point`: a point of the body, and one of what it is held to, where both are at the start. They are
    brought together; the ends of a rod are kept apart."""

    pulleys: Optional[Sequence[Any]] = None
    """The points of the world that the rope of a pulley goes over, one for each end."""

    ratchet: Optional[Union[JointRatchet, Dict[str, Any]]] = None
    """Teeth that let it go one way only (hinge, slider, cylindrical, screw)."""

    ratio: Optional[float] = None
    """How often the second part of the rope of a pulley counts; default 1. [no unit]"""

    restitution: Optional[float] = None
    """Restitution at the ends of `angle` or `travel`, or of a rope that becomes taut; default 0. [no unit]"""

    second_axis: Optional[Sequence[float]] = None
    """The axis that the other side of a universal joint carries, at right angles to `axis`. [no unit]"""

    second_motor: Optional[Union[JointMotor, Dict[str, Any]]] = None
    """A motor about the `second_axis` of a universal joint."""

    second_spring: Optional[Union[JointSpring, Dict[str, Any]]] = None
    """A spring with a damper about the `second_axis` of a universal joint."""

    spring: Optional[Union[JointSpring, Dict[str, Any]]] = None
    """A spring with a damper (hinge, slider, cylindrical, planar, spring; of a universal joint about `axis`; of a ball
    joint against every turn, or with an `axis` against its tilt)."""

    strength: Optional[Union[JointStrength, Dict[str, Any]]] = None
    """What it can bear; default all."""

    teeth: Optional[Sequence[Any]] = None
    """Numbers of teeth of both wheels of a gear; that of a ring with its teeth inside is negative."""

    tilt: Optional[float] = None
    """Largest angle between the axes of both sides of a ball joint, which has an `axis` then. [rad]"""

    to: Optional[str] = None
    """Name of the body or boundary that it holds it to; without, it holds it to the ground."""

    travel: Optional[Sequence[Any]] = None
    """Least and largest displacement of a slider or a cylindrical joint along its axis, counted from the start."""


@dataclass
class Lattice(Table):
    """A regular grid of bodies."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'ellipse': ('Ellipse',), 'irregular': ('Irregular',), 'parts': ('Part',), 'polygon': ('Polygons',), 'radius': ('Size',), 'shape': ('Shape',)}

    material: str
    """Material of the bodies."""

    counts: Sequence[int]
    """Number of bodies along each axis."""

    spacing: Sequence[float]
    """Distance between neighbours along each axis. [m]"""

    ellipse: Optional[Union[Ellipse, Dict[str, Any]]] = None
    """Clusters inside of an ellipse, in place of `shape` and `radius`."""

    irregular: Optional[Union[Irregular, Dict[str, Any]]] = None
    """Random convex polygons or polyhedra, in place of `shape` and `radius`."""

    jitter: Optional[float] = None
    """Largest random displacement along each axis; default 0. [m]"""

    origin: Optional[Sequence[float]] = None
    """Position of the first body; default zero. [m]"""

    parts: Optional[List[Union[Part, Dict[str, Any]]]] = None
    """Shapes of each body, rigidly joined; this, `shape` or `radius`."""

    polygon: Optional[Union[Polygons, Dict[str, Any]]] = None
    """Regular polygons with random numbers of sides, in place of `shape` and `radius` (plane)."""

    radius: Optional[Union[float, Union[Size, Dict[str, Any]]]] = None
    """Radius of each disk or sphere; this, `shape` or `parts`."""

    random_rotation: Optional[bool] = None
    """Whether each body is turned at random; default not."""

    seed: Optional[int] = None
    """Seed; default that of the scene."""

    shape: Optional[Union[Shape, Dict[str, Any]]] = None
    """Shape of each body; this, `parts` or `radius`."""

    velocity: Optional[Sequence[float]] = None
    """Velocity of all; default zero. [m/s]"""


@dataclass
class Law(Table):
    """The contact law of a pair of materials."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'bond': ('Bond',), 'cohesion': ('Cohesion',), 'friction': ('Friction',), 'impact': ('Impact',), 'percussion': ('Percussion',), 'spring': ('ContactSpring',)}

    between: Sequence[Any]
    """The two materials; may be the same."""

    bond: Optional[Union[Bond, Dict[str, Any]]] = None
    """Bonds between faces that touch, with a memory of what they have borne; default none."""

    cohesion: Optional[Union[float, Union[Cohesion, Dict[str, Any]]]] = None
    """Largest pull of one contact, or a table; default 0."""

    dissipation_index: Optional[float] = None
    """Dissipation index δ, in place of the normal restitution (1 − δ)/(1 + δ). [no unit]"""

    friction: Optional[Union[float, Union[Friction, Dict[str, Any]]]] = None
    """Coulomb's coefficient (0 is without friction), or a table for anisotropic and viscous friction. Needed without
    `percussion`."""

    impact: Optional[Union[Impact, Dict[str, Any]]] = None
    """Impacts by impulses that grow one after another, in place of restitution; default none."""

    normal_restitution: Optional[float] = None
    """Normal restitution; default 0. [no unit]"""

    percussion: Optional[Union[Percussion, Dict[str, Any]]] = None
    """A-CD² in place of restitution; `friction` then bounds its tangential percussions."""

    rolling_resistance: Optional[float] = None
    """Bound of the couple against rolling, per normal force: a length; default 0. [m]"""

    spinning_resistance: Optional[float] = None
    """Bound of the couple against spinning about the normal, per normal force: a length; default 0. In space only. [m]"""

    spring: Optional[Union[ContactSpring, Dict[str, Any]]] = None
    """A push that grows as the gap closes, beside the contact itself; default none."""

    tangential_restitution: Optional[float] = None
    """Tangential restitution; default 0. [no unit]"""


@dataclass
class Load(Table):
    """A force and torque on one body or on each of a group, constant or varying in time."""

    on: str
    """Name of the body or group."""

    factor: Optional[Union[float, Any]] = None
    """Multiplies both; default 1. Its time is the scene's."""

    force: Optional[Sequence[float]] = None
    """Force at the centre of mass, in world axes. [N]"""

    share: Optional[str] = None
    """On a group: the force and torque on `each`, or on `all`, shared by their masses; default `each`. `each`: each
    body has the whole force and torque. `all`: all have it together, by their masses. One of 'each', 'all'."""

    start: Optional[float] = None
    """When it starts to act; default 0. [s]"""

    stop: Optional[float] = None
    """When it ceases; default never. [s]"""

    torque: Optional[Union[float, Sequence[float]]] = None
    """Torque, in world axes. A number in the plane, three in space. [N·m]"""


@dataclass
class LogNormal(Table):
    """A log-normal distribution, cut at two ends."""

    median: float
    """Median radius before the cut. [m]"""

    deviation: float
    """Standard deviation of the logarithm before the cut. [no unit]"""

    low: float
    """Smallest radius. [m]"""

    high: float
    """Largest radius. [m]"""


@dataclass
class Material(Table):
    """A material: a name that shapes and laws refer to."""

    name: str
    """Its name."""

    density: Optional[float] = None
    """Mass per area in the plane, per volume in space. Needed by bodies without a given mass. [kg/m² in the plane,
    kg/m³ in space]"""


@dataclass
class Membrane(Table):
    """A pressure on the surface of a group of bodies, which follows them."""

    on: str
    """Name of the group of bodies that it is around."""

    pressure: Union[float, Any]
    """The pressure, constant or varying in time. Its time is the scene's."""

    name: Optional[str] = None
    """Its name, for tables; default `membrane` and its number."""

    plates: Optional[Sequence[str]] = None
    """Names of boundaries that press in its place where it meets them."""

    renewal: Optional[int] = None
    """Steps after which its surface is found anew; default 10."""

    spans: Optional[float] = None
    """It spans openings between bodies up to this width; default two mean widths of the bodies. [m]"""

    start: Optional[float] = None
    """When the pressure begins to act; default 0. [s]"""

    stop: Optional[float] = None
    """When it ceases; default never. [s]"""


@dataclass
class Mesh(Table):
    """A mesh, in its own axes."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'ball': ('RoundMesh',), 'box': ('BoxMesh',), 'disk': ('RoundMesh',), 'rectangle': ('Rectangle',)}

    ball: Optional[Union[RoundMesh, Dict[str, Any]]] = None
    """A ball about the origin (space)."""

    box: Optional[Union[BoxMesh, Dict[str, Any]]] = None
    """A box about the origin (space)."""

    disk: Optional[Union[RoundMesh, Dict[str, Any]]] = None
    """A disk about the origin (plane)."""

    file: Optional[str] = None
    """A Gmsh file, ASCII, format 2.2 or 4.1."""

    rectangle: Optional[Union[Rectangle, Dict[str, Any]]] = None
    """A rectangle about the origin (plane)."""


@dataclass
class MeshFile(Table):
    """A mesh of triangles in a file. A body has the convex hull of each of its closed pieces; a boundary its triangles."""

    file: str
    """The file: STL, OBJ or PLY."""

    hull: Optional[bool] = None
    """Whether pieces of a body that are not convex become their convex hulls; default false: they are refused."""

    scale: Optional[float] = None
    """Factor on its lengths, which are in the scene's unit; default 1. [no unit]"""

    turn: Optional[bool] = None
    """Whether all faces are turned over; default false."""

    two_sided: Optional[bool] = None
    """Whether a boundary is touched from both sides; default false: from where its faces look only."""

    weld: Optional[float] = None
    """How far apart vertices are that are one; default a ten-millionth of the mesh's size. [m]"""


@dataclass
class Motion(Table):
    """A given motion: `velocity` and `spin`, functions of time along a `direction` (or along each axis) and about an `axis`, ground records, or the sum of these. It starts from the place of the boundary, whatever the phase of a sinusoid."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'record': ('Record',)}

    angle: Optional[Union[float, Any]] = None
    """Angle of rotation about the boundary's origin."""

    axis: Optional[Sequence[float]] = None
    """Axis of the rotation; needed in space, none in the plane. [no unit]"""

    direction: Optional[Sequence[float]] = None
    """Direction of the displacement; its length does not matter. [no unit]"""

    displacement: Optional[Union[Union[float, Any], Sequence[Union[float, Any]]]] = None
    """Displacement along the direction, or a list with that along each axis."""

    record: Optional[List[Union[Record, Dict[str, Any]]]] = None
    """Records of ground motion, one for each component."""

    spin: Optional[Union[float, Sequence[float]]] = None
    """Constant spin about the boundary's origin, in world axes. A number in the plane, three in space. [rad/s]"""

    start: Optional[float] = None
    """When the motion starts; default 0. Functions of time count from here. [s]"""

    stop: Optional[float] = None
    """When it stops; default never. [s]"""

    velocity: Optional[Sequence[float]] = None
    """Constant velocity. [m/s]"""


@dataclass
class Normal(Table):
    """A normal distribution, cut at two ends."""

    mean: float
    """Mean radius before the cut. [m]"""

    deviation: float
    """Standard deviation before the cut. [m]"""

    low: float
    """Smallest radius. [m]"""

    high: float
    """Largest radius. [m]"""


@dataclass
class Opening(Table):
    """A door or a window, with a lintel over it unless it reaches the top of the wall."""

    start: float
    """Where it begins, from the start of the wall. [m]"""

    width: float
    """Its width. [m]"""

    rows: int
    """Rows that it is high."""

    bearing: Optional[float] = None
    """How far the lintel lies on the wall at each side; default a half block with its joint. [m]"""

    sill: Optional[int] = None
    """Rows below it; default 0, a door."""


@dataclass
class Output(Table):
    """What is recorded and drawn."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'view': ('Region',)}

    force_limit: Optional[float] = None
    """Contact force at which the line width ends; default the largest of each picture. [N]"""

    frame_interval: Optional[float] = None
    """Time between pictures, and between frames of the record; default a hundredth of the run, and at least 5 steps.
    [s]"""

    frames_per_picture: Optional[int] = None
    """Frames that are recorded for each picture: more make a smoother film; default 1."""

    picture: Optional[Sequence[Any]] = None
    """Width and height of pictures in pixels; default `[1280, 960]`."""

    record: Optional[str] = None
    """What is recorded: `all`, `bodies` or `nothing`; default `all`. `all`: bodies, boundaries, solids and all
    contacts. `bodies`: all but the contacts, which are most of it. `nothing`: neither frames nor checkpoints; such a
    run can be neither resumed nor looked at. One of 'all', 'bodies', 'nothing'."""

    sample_interval: Optional[float] = None
    """Time between samples of curves; default a thousandth of the run. [s]"""

    speed_limit: Optional[float] = None
    """Speed at which the colour scale ends; default the largest of each picture. [m/s]"""

    stress: Optional[str] = None
    """Stress that colours deformable solids: `von_mises`, `shear` or `pressure`; default `von_mises`. `von_mises`: von
    Mises' equivalent stress. `shear`: shear stress in the plane of the first two axes. `pressure`: minus the mean
    normal stress. One of 'von_mises', 'shear', 'pressure'."""

    stress_limit: Optional[float] = None
    """Stress at which the colour scale of solids ends; default the largest of each picture. [Pa]"""

    track: Optional[Sequence[str]] = None
    """Names of bodies, or of groups of them, whose position and velocity are sampled."""

    view: Optional[Union[Region, Dict[str, Any]]] = None
    """The part of the scene that is drawn; default all that moves."""


@dataclass
class Part(Table):
    """One shape of several, placed in the axes of its body."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'shape': ('Shape',), 'rotation': ('AxisAngle',)}

    shape: Union[Shape, Dict[str, Any]]
    """The shape."""

    material: Optional[str] = None
    """Its material; default that of the whole."""

    position: Optional[Sequence[float]] = None
    """Where its origin is; default zero. [m]"""

    rotation: Optional[Union[Union[float, Sequence[float]], Union[AxisAngle, Dict[str, Any]]]] = None
    """How it is turned; default not at all."""


@dataclass
class Paving(Table):
    """A rough floor: fixed disks or spheres side by side at random, their centres at the height of the boundary's origin."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'radius': ('Size',)}

    radius: Union[float, Union[Size, Dict[str, Any]]]
    """Their radius."""

    within: float
    """Largest horizontal distance of a centre from the boundary's origin. [m]"""

    seed: Optional[int] = None
    """Seed; default that of the scene."""


@dataclass
class Percussion(Table):
    """A-CD²: percussions from pseudopotentials of the mean velocity, in place of restitution."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'normal': ('Potential',), 'tangential': ('Potential',)}

    normal: Union[float, Union[Potential, Dict[str, Any]]]
    """K_N of the quadratic potential, or a table."""

    pulls: Optional[bool] = None
    """Whether the normal percussion also brakes separation; default false."""

    tangential: Optional[Union[float, Union[Potential, Dict[str, Any]]]] = None
    """K_T of the quadratic potential, or a table; default rigid below the bound of friction."""


@dataclass
class Phase(Table):
    """A part of the run. Phases follow each other in the order of the file."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'until': ('Until',), 'cell': ('CellDrive',), 'drive': ('Drive',)}

    name: str
    """Its name."""

    until: Union[Until, Dict[str, Any]]
    """When it is over."""

    cell: Optional[List[Union[CellDrive, Dict[str, Any]]]] = None
    """What is asked of components of the periodic cell from its start on."""

    drive: Optional[List[Union[Drive, Dict[str, Any]]]] = None
    """What moves boundaries from its start on."""

    friction: Optional[float] = None
    """Largest coefficient of friction of pairs under Coulomb's law in this phase, such as 0 to pack densely; default
    what their laws say. [no unit]"""

    remove: Optional[Sequence[str]] = None
    """Names of boundaries that vanish when it is over."""

    start: Optional[Sequence[str]] = None
    """Names of boundaries whose motion starts when it is over."""

    tolerance: Optional[float] = None
    """Relative error that is asked of the solver in it; default that of `[solver]`. [no unit]"""


@dataclass
class PointedArch(Table):
    """A pointed arch: two arcs that meet in an upright joint. Voussoirs are counted from the right springing."""

    material: str
    """Material of the voussoirs."""

    width: float
    """Inner width at the springing. [m]"""

    radius: float
    """Radius of both arcs of the intrados: half the width makes a round arch, the width an equilateral one. [m]"""

    thickness: float
    """Thickness. [m]"""

    count: int
    """Voussoirs of each side."""

    centre: Optional[Sequence[float]] = None
    """Middle of the springing; default zero. [m]"""

    depth: Optional[float] = None
    """Extent along the y axis; needed in space, none in the plane. [m]"""


@dataclass
class PointsAngle(Table):
    """Values at increasing times, linear between them and constant outside: from a CSV file or given here."""

    column: Optional[int] = None
    """Column of the values in the file, counted from 1; default 2."""

    file: Optional[str] = None
    """CSV file, its path relative to the scene; the first column is time."""

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[time, value]`."""


@dataclass
class PointsForce(Table):
    """Values at increasing times, linear between them and constant outside: from a CSV file or given here."""

    column: Optional[int] = None
    """Column of the values in the file, counted from 1; default 2."""

    file: Optional[str] = None
    """CSV file, its path relative to the scene; the first column is time."""

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[time, value]`."""


@dataclass
class PointsLength(Table):
    """Values at increasing times, linear between them and constant outside: from a CSV file or given here."""

    column: Optional[int] = None
    """Column of the values in the file, counted from 1; default 2."""

    file: Optional[str] = None
    """CSV file, its path relative to the scene; the first column is time."""

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[time, value]`."""


@dataclass
class PointsPure(Table):
    """Values at increasing times, linear between them and constant outside: from a CSV file or given here."""

    column: Optional[int] = None
    """Column of the values in the file, counted from 1; default 2."""

    file: Optional[str] = None
    """CSV file, its path relative to the scene; the first column is time."""

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[time, value]`."""


@dataclass
class PointsRate(Table):
    """Values at increasing times, linear between them and constant outside: from a CSV file or given here."""

    column: Optional[int] = None
    """Column of the values in the file, counted from 1; default 2."""

    file: Optional[str] = None
    """CSV file, its path relative to the scene; the first column is time."""

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[time, value]`."""


@dataclass
class PointsSpin(Table):
    """Values at increasing times, linear between them and constant outside: from a CSV file or given here."""

    column: Optional[int] = None
    """Column of the values in the file, counted from 1; default 2."""

    file: Optional[str] = None
    """CSV file, its path relative to the scene; the first column is time."""

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[time, value]`."""


@dataclass
class PointsTorque(Table):
    """Values at increasing times, linear between them and constant outside: from a CSV file or given here."""

    column: Optional[int] = None
    """Column of the values in the file, counted from 1; default 2."""

    file: Optional[str] = None
    """CSV file, its path relative to the scene; the first column is time."""

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[time, value]`."""


@dataclass
class PointsVelocity(Table):
    """Values at increasing times, linear between them and constant outside: from a CSV file or given here."""

    column: Optional[int] = None
    """Column of the values in the file, counted from 1; default 2."""

    file: Optional[str] = None
    """CSV file, its path relative to the scene; the first column is time."""

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[time, value]`."""


@dataclass
class PointsWallPressure(Table):
    """Values at increasing times, linear between them and constant outside: from a CSV file or given here."""

    column: Optional[int] = None
    """Column of the values in the file, counted from 1; default 2."""

    file: Optional[str] = None
    """CSV file, its path relative to the scene; the first column is time."""

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[time, value]`."""


@dataclass
class Polygons(Table):
    """Regular polygons with random numbers of sides."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'radius': ('Size',)}

    sides: Sequence[Any]
    """Least and largest number of sides; all between are equally frequent."""

    radius: Union[float, Union[Size, Dict[str, Any]]]
    """Distance of the vertices from the centre."""


@dataclass
class Potential(Table):
    """A pseudopotential of dissipation along one direction, by the percussion that it gives for a mean velocity X = ½(U⁺+U⁻)."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'power': ('Power',)}

    points: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[X, percussion]`: straight between them, from the origin, level after the last."""

    power: Optional[Union[Power, Dict[str, Any]]] = None
    """Percussion that grows with a power of X."""

    quadratic: Optional[float] = None
    """K of ½K(U⁺+U⁻)²: percussion 4KX. [kg]"""

    viscous: Optional[float] = None
    """Force by velocity ν: percussion hνX over a step h. [N·s/m]"""


@dataclass
class Power(Table):
    """A percussion that grows with a power of the mean velocity."""

    exponent: float
    """The power; 0 is a percussion of given size, 1 the quadratic potential. [no unit]"""

    velocity: float
    """A mean velocity. [m/s]"""

    percussion: float
    """The percussion at that velocity. [N·s]"""


@dataclass
class Push(Table):
    """A load on a boundary that is free in one way: to move along a `direction` under a `force` or a `pressure`, or to turn about its origin under a `torque`. Gravity does not act on it."""

    area: Optional[float] = None
    """Area on which the pressure acts (in the plane a length), if it does not change. [m in the plane, m² in space]"""

    axis: Optional[Sequence[float]] = None
    """Axis of the torque; needed in space, none in the plane. [no unit]"""

    between: Optional[Sequence[Sequence[Any]]] = None
    """Pairs of boundaries between which it acts: their present distances are the edges of the area. One pair in the
    plane, two in space."""

    direction: Optional[Sequence[float]] = None
    """Direction in which it may move; its length does not matter. [no unit]"""

    force: Optional[Union[float, Any]] = None
    """Force along the direction."""

    inertia: Optional[float] = None
    """Its moment of inertia about the axis, where it turns. [kg·m²]"""

    mass: Optional[float] = None
    """Its mass, where it moves along a direction. [kg]"""

    pressure: Optional[Union[float, Any]] = None
    """Pressure along the direction, in place of a force: needs `area` or `between`."""

    torque: Optional[Union[float, Any]] = None
    """Torque about an axis through its origin."""


@dataclass
class Record(Table):
    """A record of ground motion along one direction."""

    file: str
    """The file, its path relative to the scene."""

    direction: Sequence[float]
    """Direction of the motion; its length does not matter. [no unit]"""

    baseline: Optional[str] = None
    """Baseline correction; default `none`. `none`: nothing. `constant`: its mean. `linear`: a straight line.
    `quadratic`: a parabola. One of 'none', 'constant', 'linear', 'quadratic'."""

    column: Optional[int] = None
    """Column of the values, counted from 1; default 2. With `interval` all numbers of the file, without."""

    form: Optional[str] = None
    """How it is laid out; default `peer` for names that end in `.at2`, `.vt2` or `.dt2`, else `columns`. `columns`:
    lines `time, value`, or one value after the other where `interval` is given. `peer`: the AT2, VT2 and DT2 files of
    PEER: four lines of head, then values. One of 'columns', 'peer'."""

    interval: Optional[float] = None
    """Time between samples, of a file without times. [s]"""

    quantity: Optional[str] = None
    """What it holds; default `acceleration`, or what the head of a PEER file says. `acceleration`: accelerations,
    linear between samples. `velocity`: velocities, linear between samples. `displacement`: displacements. One of
    'acceleration', 'velocity', 'displacement'."""

    scale: Optional[float] = None
    """Factor on the values; default 1. [no unit]"""

    skip: Optional[int] = None
    """Lines at its start that are passed over; default 0. Names of columns and lines that begin with `#` always are."""

    unit: Optional[str] = None
    """Unit of the values; default that of the scene, or what the head of a PEER file says. `g`: standard gravity,
    9.80665 m/s² `m/s2`: metre per second squared `cm/s2`: centimetre per second squared (gal) `m/s`: metre per second
    `cm/s`: centimetre per second `m`: metre `cm`: centimetre `mm`: millimetre One of 'g', 'm/s2', 'cm/s2', 'm/s',
    'cm/s', 'm', 'cm', 'mm'."""


@dataclass
class Rectangle(Table):
    """A rectangle of quadrilaterals. Groups: `left`, `right`, `bottom`, `top`, `surface`."""

    size: Sequence[float]
    """Width and height. [m]"""

    elements: Sequence[Any]
    """Elements along each."""

    bottom_radius: Optional[float] = None
    """Radius of an arc that the lower side is bent to, its middle lowest; default straight. [m]"""


@dataclass
class Region(Table):
    """A box from its lowest to its highest corner."""

    low: Sequence[float]
    """Lowest corner. [m]"""

    high: Sequence[float]
    """Highest corner. [m]"""


@dataclass
class Regular(Table):
    """A regular polygon."""

    sides: int
    """Number of sides."""

    radius: float
    """Distance of the vertices from the centre. [m]"""


@dataclass
class Rest(Table):
    """Bodies at rest are left alone until something disturbs them."""

    speed: Optional[float] = None
    """Mean speed up to which a body is at rest, in units of what gravity gives in a step times the solver's tolerance;
    default 20. [no unit]"""

    steps: Optional[int] = None
    """Steps over which a body must have been at rest; default 100."""

    withheld: Optional[float] = None
    """Speed that is withheld from a body at rest before it is woken, in units of what gravity gives in a step; default
    1. [no unit]"""


@dataclass
class RigidBond(Table):
    """What a rigid bond bears, as stresses; without a key that is everything."""

    bending: Optional[float] = None
    """Stress at the edge by bending. [N/m in the plane, Pa in space]"""

    shear: Optional[float] = None
    """Mean stress across. [N/m in the plane, Pa in space]"""

    tension: Optional[float] = None
    """Mean stress that pulls. [N/m in the plane, Pa in space]"""

    torsion: Optional[float] = None
    """Stress at the edge by torsion; in space only. [N/m in the plane, Pa in space]"""


@dataclass
class RobotJoint(Table):
    """A joint of a robot: where it is at the start, and its motor."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'motor': ('JointMotor',)}

    name: str
    """Its name in the description."""

    angle: Optional[float] = None
    """Its angle at the start, as the description counts; default 0. [rad]"""

    motor: Optional[Union[JointMotor, Dict[str, Any]]] = None
    """What its motor is asked for. Its largest force is that of the description unless it is given."""

    travel: Optional[float] = None
    """Its displacement at the start, as the description counts; default 0. [m]"""


@dataclass
class Robot(Table):
    """A robot from a description in URDF or MJCF (space)."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'joint': ('RobotJoint',), 'rotation': ('AxisAngle',)}

    file: str
    """The description, beside the scene."""

    material: str
    """Material of all its shapes."""

    base: Optional[str] = None
    """What holds the first link of a description in URDF; default `free`. MJCF says it itself. `free`: nothing.
    `fixed`: the ground. One of 'free', 'fixed'."""

    coordinates: Optional[str] = None
    """The coordinates that it is computed in; default `maximal`. `maximal`: all that bodies have, with equations for
    the joint. `reduced`: those that the joint leaves. One of 'maximal', 'reduced'."""

    hold: Optional[bool] = None
    """Whether motors hold all joints that have one in the description, and no other task, where they start; default
    not."""

    joint: Optional[List[Union[RobotJoint, Dict[str, Any]]]] = None
    """Joints that do not start at zero, or have tasks."""

    name: Optional[str] = None
    """Its name: bodies and joints are called by it, a stroke and their own; default that of the description."""

    position: Optional[Sequence[float]] = None
    """Where the origin of the description is; default zero. [m]"""

    rotation: Optional[Union[Union[float, Sequence[float]], Union[AxisAngle, Dict[str, Any]]]] = None
    """How the description is turned; default not at all."""


@dataclass
class RoundMesh(Table):
    """A disk of quadrilaterals or a ball of hexahedra. Group: `surface`."""

    radius: float
    """Its radius. [m]"""

    rings: int
    """Elements from the centre to the rim."""


@dataclass
class Rounded(Table):
    """All points within a radius of a core."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'core': ('Core',)}

    core: Union[Core, Dict[str, Any]]
    """What is rounded: as large as the shape would be without its rounding."""

    radius: float
    """How far the shape reaches beyond its core. [m]"""


@dataclass
class Row(Table):
    """Copies of one body, each moved and turned against the one before."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'body': ('Body',), 'rotation_step': ('AxisAngle',)}

    body: Union[Body, Dict[str, Any]]
    """The body that is copied."""

    count: int
    """Number of copies, the first included."""

    pivot: Optional[Sequence[float]] = None
    """Centre of the turns; default zero. [m]"""

    rotation_step: Optional[Union[Union[float, Sequence[float]], Union[AxisAngle, Dict[str, Any]]]] = None
    """Turn from one copy to the next, about `pivot`; default none."""

    step: Optional[Sequence[float]] = None
    """From one copy to the next; default zero. [m]"""


@dataclass
class Settings(Table):
    """A scene: bodies, boundaries, the laws between them, and how they are computed."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'time': ('Time',), 'body': ('Body',), 'boundary': ('Boundary',), 'cell': ('Cell',), 'contact': ('Contact',), 'default_law': ('DefaultLaw',), 'deformation': ('Deformation',), 'drag': ('Drag',), 'emitter': ('Emitter',), 'generate': ('Generate',), 'impulse': ('Impulse',), 'initial_force': ('InitialForce',), 'joint': ('Joint',), 'law': ('Law',), 'load': ('Load',), 'material': ('Material',), 'membrane': ('Membrane',), 'output': ('Output',), 'phase': ('Phase',), 'rest': ('Rest',), 'robot': ('Robot',), 'solid': ('Solid',), 'solver': ('Solver',), 'spring': ('Spring',), 'units': ('Units',)}

    dimension: int
    """2 (the plane) or 3 (space). One of 2, 3."""

    gravity: Sequence[float]
    """Acceleration of gravity, such as `[0, -9.81]`; `[0, 0]` for none. [m/s²]"""

    time: Union[Time, Dict[str, Any]]
    """Time step and end."""

    body: Optional[List[Union[Body, Dict[str, Any]]]] = None
    """Bodies."""

    boundary: Optional[List[Union[Boundary, Dict[str, Any]]]] = None
    """Boundaries: fixed, driven or loaded."""

    cell: Optional[Union[Cell, Dict[str, Any]]] = None
    """The periodic cell that all is in."""

    contact: Optional[Union[Contact, Dict[str, Any]]] = None
    """Which inequality contacts obey."""

    default_law: Optional[Union[DefaultLaw, Dict[str, Any]]] = None
    """The law of all pairs that have none of their own."""

    deformation: Optional[Union[Deformation, Dict[str, Any]]] = None
    """How deformable solids are computed."""

    description: Optional[str] = None
    """What the scene shows."""

    drag: Optional[List[Union[Drag, Dict[str, Any]]]] = None
    """The resistance of a medium."""

    emitter: Optional[List[Union[Emitter, Dict[str, Any]]]] = None
    """Bodies that enter during the run."""

    generate: Optional[List[Union[Generate, Dict[str, Any]]]] = None
    """Bodies made by a rule: walls, lattices, deposits, rows, arches."""

    impulse: Optional[List[Union[Impulse, Dict[str, Any]]]] = None
    """External percussions."""

    initial_force: Optional[List[Union[InitialForce, Dict[str, Any]]]] = None
    """Contact forces that pairs start with."""

    joint: Optional[List[Union[Joint, Dict[str, Any]]]] = None
    """Joints between bodies, or between bodies and boundaries or the ground."""

    law: Optional[List[Union[Law, Dict[str, Any]]]] = None
    """Laws between pairs of materials."""

    load: Optional[List[Union[Load, Dict[str, Any]]]] = None
    """Forces and torques on bodies, besides gravity."""

    material: Optional[List[Union[Material, Dict[str, Any]]]] = None
    """Materials."""

    membrane: Optional[List[Union[Membrane, Dict[str, Any]]]] = None
    """Pressures on the surfaces of groups of bodies."""

    output: Optional[Union[Output, Dict[str, Any]]] = None
    """What is recorded and drawn."""

    overlap: Optional[str] = None
    """What happens to bodies that overlap at the start: `refuse` or `accept`; default `refuse`. `refuse`: the scene is
    refused if an overlap is more than rounding. `accept`: they are taken as they are. One of 'refuse', 'accept'."""

    phase: Optional[List[Union[Phase, Dict[str, Any]]]] = None
    """Parts of the run; the run ends after the last."""

    rest: Optional[Union[Rest, Dict[str, Any]]] = None
    """Bodies at rest are left alone."""

    robot: Optional[List[Union[Robot, Dict[str, Any]]]] = None
    """Robots from descriptions in URDF or MJCF (space)."""

    seed: Optional[int] = None
    """Seed of all random numbers that have no seed of their own; default 0."""

    solid: Optional[List[Union[Solid, Dict[str, Any]]]] = None
    """Deformable solids."""

    solver: Optional[Union[Solver, Dict[str, Any]]] = None
    """How the contact problem of a step is solved."""

    spring: Optional[List[Union[Spring, Dict[str, Any]]]] = None
    """Springs between bodies, or between bodies and the ground."""

    title: Optional[str] = None
    """One line that names the scene."""

    units: Optional[Union[Units, Dict[str, Any]]] = None
    """Units of all numbers."""


@dataclass
class Shape(Table):
    """A shape in its own axes."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'capsule': ('Capsule',), 'cone': ('Cylinder',), 'cylinder': ('Cylinder',), 'frustum': ('Frustum',), 'half_plane': ('Half',), 'half_space': ('Half',), 'heights': ('Heights',), 'mesh': ('MeshFile',), 'regular': ('Regular',), 'rounded': ('Rounded',)}

    box: Optional[Sequence[float]] = None
    """Edge lengths of a box about the origin. [m]"""

    capsule: Optional[Union[Capsule, Dict[str, Any]]] = None
    """All points near a segment of the z axis (space)."""

    cone: Optional[Union[Cylinder, Dict[str, Any]]] = None
    """A cone along the z axis, its tip up, the origin half way up (space)."""

    cylinder: Optional[Union[Cylinder, Dict[str, Any]]] = None
    """A cylinder along the z axis, about the origin (space)."""

    disk: Optional[float] = None
    """Radius of a disk (plane). [m]"""

    frustum: Optional[Union[Frustum, Dict[str, Any]]] = None
    """A cone without its tip along the z axis, the origin half way up (space)."""

    half_plane: Optional[Union[Half, Dict[str, Any]]] = None
    """Everything below a line (plane, boundaries only)."""

    half_space: Optional[Union[Half, Dict[str, Any]]] = None
    """Everything below a plane (space, boundaries only)."""

    heights: Optional[Union[Heights, Dict[str, Any]]] = None
    """A surface over a grid of heights in a file (space, boundaries only)."""

    mesh: Optional[Union[MeshFile, Dict[str, Any]]] = None
    """A mesh of triangles in a file (space)."""

    polygon: Optional[Sequence[Sequence[float]]] = None
    """Vertices of a convex polygon in order (plane)."""

    polyhedron: Optional[Sequence[Sequence[float]]] = None
    """Points whose convex hull is the shape (space)."""

    polyline: Optional[Sequence[Sequence[float]]] = None
    """Points of a chain of segments, such as a terrain (plane, boundaries only)."""

    regular: Optional[Union[Regular, Dict[str, Any]]] = None
    """A regular polygon about the origin, its first vertex on the x axis (plane)."""

    rounded: Optional[Union[Rounded, Dict[str, Any]]] = None
    """All points near a box, polygon, polyhedron or segment."""

    segment: Optional[Sequence[Any]] = None
    """Two ends of a line without thickness (plane, boundaries only)."""

    sphere: Optional[float] = None
    """Radius of a ball (space). [m]"""


@dataclass
class SinusoidAngle(Table):
    """`mean + amplitude · sin(2π frequency t + phase)`."""

    amplitude: float
    """Half the peak-to-peak value. [rad]"""

    frequency: float
    """Turns per time. [Hz]"""

    mean: Optional[float] = None
    """Mean value; default 0. [rad]"""

    phase: Optional[float] = None
    """Phase at time zero; default 0. [rad]"""


@dataclass
class SinusoidForce(Table):
    """`mean + amplitude · sin(2π frequency t + phase)`."""

    amplitude: float
    """Half the peak-to-peak value. [N]"""

    frequency: float
    """Turns per time. [Hz]"""

    mean: Optional[float] = None
    """Mean value; default 0. [N]"""

    phase: Optional[float] = None
    """Phase at time zero; default 0. [rad]"""


@dataclass
class SinusoidLength(Table):
    """`mean + amplitude · sin(2π frequency t + phase)`."""

    amplitude: float
    """Half the peak-to-peak value. [m]"""

    frequency: float
    """Turns per time. [Hz]"""

    mean: Optional[float] = None
    """Mean value; default 0. [m]"""

    phase: Optional[float] = None
    """Phase at time zero; default 0. [rad]"""


@dataclass
class SinusoidPure(Table):
    """`mean + amplitude · sin(2π frequency t + phase)`."""

    amplitude: float
    """Half the peak-to-peak value. [no unit]"""

    frequency: float
    """Turns per time. [Hz]"""

    mean: Optional[float] = None
    """Mean value; default 0. [no unit]"""

    phase: Optional[float] = None
    """Phase at time zero; default 0. [rad]"""


@dataclass
class SinusoidRate(Table):
    """`mean + amplitude · sin(2π frequency t + phase)`."""

    amplitude: float
    """Half the peak-to-peak value. [1/s]"""

    frequency: float
    """Turns per time. [Hz]"""

    mean: Optional[float] = None
    """Mean value; default 0. [1/s]"""

    phase: Optional[float] = None
    """Phase at time zero; default 0. [rad]"""


@dataclass
class SinusoidSpin(Table):
    """`mean + amplitude · sin(2π frequency t + phase)`."""

    amplitude: float
    """Half the peak-to-peak value. [rad/s]"""

    frequency: float
    """Turns per time. [Hz]"""

    mean: Optional[float] = None
    """Mean value; default 0. [rad/s]"""

    phase: Optional[float] = None
    """Phase at time zero; default 0. [rad]"""


@dataclass
class SinusoidTorque(Table):
    """`mean + amplitude · sin(2π frequency t + phase)`."""

    amplitude: float
    """Half the peak-to-peak value. [N·m]"""

    frequency: float
    """Turns per time. [Hz]"""

    mean: Optional[float] = None
    """Mean value; default 0. [N·m]"""

    phase: Optional[float] = None
    """Phase at time zero; default 0. [rad]"""


@dataclass
class SinusoidVelocity(Table):
    """`mean + amplitude · sin(2π frequency t + phase)`."""

    amplitude: float
    """Half the peak-to-peak value. [m/s]"""

    frequency: float
    """Turns per time. [Hz]"""

    mean: Optional[float] = None
    """Mean value; default 0. [m/s]"""

    phase: Optional[float] = None
    """Phase at time zero; default 0. [rad]"""


@dataclass
class SinusoidWallPressure(Table):
    """`mean + amplitude · sin(2π frequency t + phase)`."""

    amplitude: float
    """Half the peak-to-peak value. [N/m in the plane, Pa in space]"""

    frequency: float
    """Turns per time. [Hz]"""

    mean: Optional[float] = None
    """Mean value; default 0. [N/m in the plane, Pa in space]"""

    phase: Optional[float] = None
    """Phase at time zero; default 0. [rad]"""


@dataclass
class Size(Table):
    """A distribution of radii."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'log_normal': ('LogNormal',), 'normal': ('Normal',)}

    log_normal: Optional[Union[LogNormal, Dict[str, Any]]] = None
    """A log-normal distribution, cut at two ends."""

    normal: Optional[Union[Normal, Dict[str, Any]]] = None
    """A normal distribution, cut at two ends."""

    sieve: Optional[Sequence[Sequence[Any]]] = None
    """A sieve curve: pairs `[diameter, passing]`, the part of the mass that passes a mesh of this width, from 0 to 1;
    between meshes straight over the logarithm of the diameter."""

    table: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[radius, weight]`: each radius as frequent as its weight says."""

    uniform: Optional[Sequence[Any]] = None
    """Smallest and largest radius; every radius between is equally frequent."""

    uniform_by_volume: Optional[Sequence[Any]] = None
    """Smallest and largest radius; every radius between has the same share of the volume."""


@dataclass
class Solid(Table):
    """A deformable solid."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'mesh': ('Mesh',), 'elasticity': ('Elastic',), 'damping': ('Damping',), 'imposed': ('Imposed',), 'rotation': ('AxisAngle',), 'tractions': ('Traction',)}

    name: str
    """Its name."""

    material: str
    """Material, as to the laws of its contacts."""

    mesh: Union[Mesh, Dict[str, Any]]
    """Its mesh."""

    elasticity: Union[Elastic, Dict[str, Any]]
    """Its elasticity and density."""

    damping: Optional[Union[Damping, Dict[str, Any]]] = None
    """Damping; default none."""

    imposed: Optional[List[Union[Imposed, Dict[str, Any]]]] = None
    """Nodes whose velocity is given."""

    mass: Optional[str] = None
    """`lumped` or `consistent`; default `lumped`. `lumped`: all to the diagonal. `consistent`: by the shape functions.
    One of 'lumped', 'consistent'."""

    modes: Optional[int] = None
    """It moves in so many of its lowest modes only, under the law `linear`; default all nodes move by themselves."""

    order: Optional[int] = None
    """2 puts a node in the middle of every edge; default 1."""

    position: Optional[Sequence[float]] = None
    """Where the mesh's origin is; default zero. [m]"""

    rotation: Optional[Union[Union[float, Sequence[float]], Union[AxisAngle, Dict[str, Any]]]] = None
    """How the mesh is turned."""

    section: Optional[str] = None
    """What the plane stands for; needed in the plane. `plane_strain`: no strain across the plane. `plane_stress`: no
    stress across the plane. `axisymmetric`: turned about the axis x = 0. One of 'plane_strain', 'plane_stress',
    'axisymmetric'."""

    self_contact: Optional[bool] = None
    """Whether the surface may touch itself; default false."""

    simplices: Optional[bool] = None
    """Whether quadrilaterals are cut into triangles, hexahedra into tetrahedra; default false."""

    spin: Optional[Union[float, Sequence[float]]] = None
    """Spin about the centre of mass at the start, in world axes; default zero. A number in the plane, three in space.
    [rad/s]"""

    thickness: Optional[float] = None
    """Thickness across the plane; default 1. [m]"""

    tractions: Optional[List[Union[Traction, Dict[str, Any]]]] = None
    """Forces on parts of the surface."""

    velocity: Optional[Sequence[float]] = None
    """Velocity of all nodes at the start; default zero. [m/s]"""


@dataclass
class Solver(Table):
    """How the contact problem of a step is solved."""

    judge: Optional[str] = None
    """When a step counts as solved; default `step`. `step`: residual and error of the step are within the tolerance,
    wherever the error can be told at the price of some sweeps. `contacts`: the residual is: each contact obeys its
    law. One of 'step', 'contacts'."""

    max_iterations: Optional[int] = None
    """Most sweeps in a step; default 10000."""

    method: Optional[str] = None
    """The method; default `auto`. `auto`: sweeps; where they are slow, other methods take over. `gauss-seidel`: sweeps
    only. `newton`: Newton's method on Alart and Curnier's equations. `proximal`: a proximal point outside, Newton's
    method inside. `admm`: alternating directions. `apgd`: accelerated projected gradient. `quadratic`: a quadratic
    program, in scenes without friction. `uzawa`: Uzawa's method, as A-CD² was first solved; under Coulomb's law too.
    `bipotential`: sweeps whose contacts are solved by the predictor and corrector of the bipotential. One of 'auto',
    'gauss-seidel', 'newton', 'proximal', 'admm', 'apgd', 'quadratic', 'uzawa', 'bipotential'."""

    on_failure: Optional[str] = None
    """What happens when a step is not solved; default `warn`. `stop`: the run ends with an error. `warn`: the run goes
    on, and the failure is shown and counted. `continue`: the run goes on, and the failure is counted. One of 'stop',
    'warn', 'continue'."""

    relaxation: Optional[float] = None
    """Factor on each local correction; default 1. [no unit]"""

    tolerance: Optional[float] = None
    """Relative error that is asked for; default 1e-4. [no unit]"""


@dataclass
class Spring(Table):
    """A straight spring between two bodies, or between a body and a boundary or the ground."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'from_': ('Anchor',), 'to': ('Anchor',)}

    from_: Union[Anchor, Dict[str, Any]]
    """One end."""

    to: Union[Anchor, Dict[str, Any]]
    """The other end."""

    force_by_length: Optional[Sequence[Sequence[Any]]] = None
    """Pairs `[length, force]` in place of `stiffness`: forces that pull the ends together; straight between them, level
    outside."""

    length: Optional[float] = None
    """Length at which it is free of force; default that at the start. [m]"""

    stiffness: Optional[float] = None
    """Force by elongation. [N/m]"""


@dataclass
class Stairs(Table):
    """Stairs that rise along x: slabs, each as much shorter than the one below as a step is deep."""

    material: str
    """Material of the slabs."""

    steps: int
    """Number of steps."""

    going: float
    """Depth of a step. [m]"""

    rise: float
    """Height of a step. [m]"""

    depth: Optional[float] = None
    """Extent along the y axis; needed in space, none in the plane. [m]"""

    origin: Optional[Sequence[float]] = None
    """Foot of the first step; default zero. [m]"""


@dataclass
class Teeth(Table):
    """A row of teeth."""

    length: float
    """Length of the row. [m]"""

    height: float
    """Height of the teeth. [m]"""

    count: int
    """How many."""

    depth: Optional[float] = None
    """Extent along y; needed in space, none in the plane. [m]"""


@dataclass
class Time(Table):
    """Time step and end."""

    step: float
    """Length of a step. [s]"""

    end: float
    """Time at which the run ends. [s]"""

    scheme: Optional[str] = None
    """How steps are made; default `moreau`. `moreau`: Moreau's midpoint step. `second-order`: of second order where
    contacts last and where bodies spin under torques. One of 'moreau', 'second-order'."""


@dataclass
class Traction(Table):
    """A force per area at rest."""

    group: str
    """Name of a group of the mesh."""

    traction: Sequence[float]
    """Force per area, in world axes. [Pa]"""

    factor: Optional[Union[float, Any]] = None
    """Multiplies it; default 1. Its time is the scene's."""


@dataclass
class Units(Table):
    """Units of all numbers of the file; SI where not stated. Derived units follow: with `length = "cm"` and `time = "ms"` a velocity is in cm/ms."""

    angle: Optional[str] = None
    """Unit of angle; default `rad`. `rad`: radian `deg`: degree One of 'rad', 'deg'."""

    length: Optional[str] = None
    """Unit of length; default `m`. `m`: metre `km`: kilometre `cm`: centimetre `mm`: millimetre `um`: micrometre One of
    'm', 'km', 'cm', 'mm', 'um'."""

    mass: Optional[str] = None
    """Unit of mass; default `kg`. `kg`: kilogram `t`: tonne `g`: gram `mg`: milligram One of 'kg', 't', 'g', 'mg'."""

    time: Optional[str] = None
    """Unit of time; default `s`. `s`: second `ms`: millisecond `us`: microsecond One of 's', 'ms', 'us'."""


@dataclass
class Until(Table):
    """When a phase is over: as soon as one of its conditions holds."""

    for_: Optional[float] = None
    """With `kinetic_energy_below`: for so long; default 0. [s]"""

    kinetic_energy_below: Optional[float] = None
    """When the kinetic energy of all bodies has stayed below this. [J]"""

    time: Optional[float] = None
    """So long after its start. [s]"""


@dataclass
class Vault(Table):
    """A barrel vault along the y axis, its stones bonded from course to course; in space."""

    material: str
    """Material of the stones."""

    inner_radius: float
    """Radius of the intrados, at the corners of the stones. [m]"""

    outer_radius: float
    """Radius of the extrados, at the corners of the stones. [m]"""

    count: int
    """Number of courses from one springing to the other."""

    length: float
    """Length along the y axis. [m]"""

    stones: int
    """Stones of a course; every other course begins and ends with half a stone. With 1 all stones go through."""

    centre: Optional[Sequence[float]] = None
    """Middle of the vault, on its axis; default zero. [m]"""

    span_angle: Optional[float] = None
    """Angle from one springing to the other; default half a turn. [rad]"""


@dataclass
class VesselBox(Table):
    """An open box."""

    size: Sequence[float]
    """Its inner size: width and height; width, depth, height in space. [m]"""

    floor: Optional[bool] = None
    """Whether it has a floor; default `true`."""


@dataclass
class Vessel(Table):
    """What holds or moves grains in a laboratory, touched from within."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'box': ('VesselBox',), 'cylinder': ('Cylinder',), 'drum': ('Drum',), 'hopper': ('Hopper',), 'teeth': ('Teeth',)}

    box: Optional[Union[VesselBox, Dict[str, Any]]] = None
    """An open box that stands on the boundary's origin."""

    cylinder: Optional[Union[Cylinder, Dict[str, Any]]] = None
    """An upright cylinder that stands on the boundary's origin (space)."""

    drum: Optional[Union[Drum, Dict[str, Any]]] = None
    """A drum about the boundary's origin; in space its axis is y."""

    hopper: Optional[Union[Hopper, Dict[str, Any]]] = None
    """A hopper above the boundary's origin, the middle of its outlet."""

    teeth: Optional[Union[Teeth, Dict[str, Any]]] = None
    """A row of teeth along x that point up, about the boundary's origin."""


@dataclass
class Voronoi(Table):
    """The cells of random points (Voronoi's), each a body: they fill a region but for the gaps between them."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'region': ('Region',)}

    material: str
    """Material of the bodies."""

    region: Union[Region, Dict[str, Any]]
    """The region that they fill."""

    count: int
    """How many."""

    gap: Optional[float] = None
    """Gap between neighbours; default 0. [m]"""

    relax: Optional[int] = None
    """How often the points are moved to the middles of their cells, which makes these more alike; default 0."""

    round: Optional[bool] = None
    """Whether cells fill the disk or ball in the middle of the region only; default false."""

    seed: Optional[int] = None
    """Seed; default that of the scene."""

    velocity: Optional[Sequence[float]] = None
    """Velocity of all; default zero. [m/s]"""


@dataclass
class Wall(Table):
    """A masonry wall along the x axis, built upwards from its lowest corner."""

    _classes: ClassVar[Dict[str, Tuple[str, ...]]] = {'openings': ('Opening',)}

    material: str
    """Material of the blocks."""

    block: Sequence[float]
    """Size of a block: `[width, height]` in the plane, `[width, depth, height]` in space. In the Flemish and the
    English bond the depth is that of the wall, as long as a block. [m]"""

    rows: int
    """Number of rows."""

    length: float
    """Length of the wall. [m]"""

    bond: Optional[str] = None
    """`running`, `stack`, `flemish` or `english`; default `running`. `running`: every other row is shifted by half a
    block, and half blocks close the ends. `stack`: every block lies on one block. `flemish`: stretchers and headers
    by turns in each row, headers over the middle of stretchers (space). `english`: a row of stretchers, a row of
    headers (space). One of 'running', 'stack', 'flemish', 'english'."""

    corner: Optional[float] = None
    """Length of a second wall along the y axis that begins at the same corner and is bonded with the first; in space,
    in the running bond. [m]"""

    joint: Optional[float] = None
    """Open gap between neighbours of a row; default 0. [m]"""

    openings: Optional[List[Union[Opening, Dict[str, Any]]]] = None
    """Doors and windows; in the running bond and the stack bond."""

    origin: Optional[Sequence[float]] = None
    """Lowest corner of the wall; default zero. [m]"""

    scatter: Optional[float] = None
    """Most by which a block is shorter than its place, where it then lies at random; default 0. [m]"""

    seed: Optional[int] = None
    """Seed of the scatter; default that of the scene."""


__all__ = [
    "Adhesive",
    "Anchor",
    "Arch",
    "AxisAngle",
    "Blocks",
    "Body",
    "Bond",
    "BondKind",
    "Boundary",
    "BoxMesh",
    "Buttress",
    "Capsule",
    "Cell",
    "CellDrive",
    "Cohesion",
    "Cohesive",
    "Column",
    "Contact",
    "ContactSpring",
    "Core",
    "Cylinder",
    "Damping",
    "DefaultLaw",
    "Deformation",
    "Deposit",
    "Dome",
    "Drag",
    "Drive",
    "Drum",
    "Elastic",
    "ElasticBond",
    "Ellipse",
    "Emitter",
    "ExponentialAngle",
    "ExponentialForce",
    "ExponentialLength",
    "ExponentialPure",
    "ExponentialRate",
    "ExponentialSpin",
    "ExponentialTorque",
    "ExponentialVelocity",
    "ExponentialWallPressure",
    "FlatArch",
    "Friction",
    "Frustum",
    "Generate",
    "GrainList",
    "Half",
    "Heights",
    "Hopper",
    "Impact",
    "Imposed",
    "Impulse",
    "InitialForce",
    "Irregular",
    "Joint",
    "JointFriction",
    "JointMotor",
    "JointRatchet",
    "JointSpring",
    "JointStrength",
    "Lattice",
    "Law",
    "Load",
    "LogNormal",
    "Material",
    "Membrane",
    "Mesh",
    "MeshFile",
    "Motion",
    "Normal",
    "Opening",
    "Output",
    "Part",
    "Paving",
    "Percussion",
    "Phase",
    "PointedArch",
    "PointsAngle",
    "PointsForce",
    "PointsLength",
    "PointsPure",
    "PointsRate",
    "PointsSpin",
    "PointsTorque",
    "PointsVelocity",
    "PointsWallPressure",
    "Polygons",
    "Potential",
    "Power",
    "Push",
    "Record",
    "Rectangle",
    "Region",
    "Regular",
    "Rest",
    "RigidBond",
    "Robot",
    "RobotJoint",
    "RoundMesh",
    "Rounded",
    "Row",
    "Settings",
    "Shape",
    "SinusoidAngle",
    "SinusoidForce",
    "SinusoidLength",
    "SinusoidPure",
    "SinusoidRate",
    "SinusoidSpin",
    "SinusoidTorque",
    "SinusoidVelocity",
    "SinusoidWallPressure",
    "Size",
    "Solid",
    "Solver",
    "Spring",
    "Stairs",
    "Teeth",
    "Time",
    "Traction",
    "Units",
    "Until",
    "Vault",
    "Vessel",
    "VesselBox",
    "Voronoi",
    "Wall",
]
