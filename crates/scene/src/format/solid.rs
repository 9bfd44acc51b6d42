//! Deformable solids.

use super::signal::SignalValue;
use crate::decode::{choice, keyword, table};
use crate::plain::{Text, Whole};
use crate::quantity::{
    Axial, Length, MassDensity, NotNegative, Number, Positive, Pressure, Pure, Rate, Rotation,
    Spin, Time, Vector, Velocity,
};
use crate::wrap::{Items, Pair};

choice! {
    /// A mesh, in its own axes.
    MeshChoice as "a mesh" {
        /// A rectangle about the origin (plane).
        rectangle: Rectangle(RectangleTable),
        /// A disk about the origin (plane).
        disk: Disk(RoundMeshTable),
        /// A box about the origin (space).
        r#box: Box(BoxMeshTable),
        /// A ball about the origin (space).
        ball: Ball(RoundMeshTable),
        /// A Gmsh file, ASCII, format 2.2 or 4.1.
        file: File(Text),
    }
}

table! {
    /// A rectangle of quadrilaterals. Groups: `left`, `right`, `bottom`, `top`, `surface`.
    RectangleTable as "a rectangle" {
        /// Width and height.
        size: Vector<Length, Positive>,
        /// Elements along each.
        elements: Pair<Whole<1, 10000>>,
        /// Radius of an arc that the lower side is bent to, its middle lowest; default straight.
        bottom_radius: Option<Number<Length, Positive>>,
    }
}

table! {
    /// A box of hexahedra. Groups: `left`, `right`, `front`, `back`, `bottom`, `top`, `surface`.
    BoxMeshTable as "a box" {
        /// Edge lengths.
        size: Vector<Length, Positive>,
        /// Elements along each.
        elements: Items<Whole<1, 1000>>,
    }
}

table! {
    /// A disk of quadrilaterals or a ball of hexahedra. Group: `surface`.
    RoundMeshTable as "a round mesh" {
        /// Its radius.
        radius: Number<Length, Positive>,
        /// Elements from the centre to the rim.
        rings: Whole<1, 1000>,
    }
}

keyword! {
    /// An elastic law.
    ElasticWord {
        /// small strains and rotations; stiffness is constant.
        "linear": Linear,
        /// linear in axes that turn with the material.
        "corotated": Corotated,
        /// linear in Green's strain.
        "st-venant-kirchhoff": StVenantKirchhoff,
        /// compressible neo-Hookean.
        "neo-hookean": NeoHookean,
        /// Blatz and Ko's foamed rubber; Poisson's ratio 0.25.
        "blatz-ko": BlatzKo,
    }
}

table! {
    /// How a solid resists deformation, and its mass.
    ElasticTable as "elasticity" {
        /// The law; default `st-venant-kirchhoff`.
        law: Option<ElasticWord>,
        /// Young's modulus.
        young: Number<Pressure, Positive>,
        /// Poisson's ratio, above -1 and below 0.5.
        poisson: Number<Pure>,
        /// Mass per volume, in the plane too.
        density: Number<MassDensity, Positive>,
    }
}

keyword! {
    /// What a mesh in the plane stands for.
    SectionWord {
        /// no strain across the plane.
        "plane_strain": PlaneStrain,
        /// no stress across the plane.
        "plane_stress": PlaneStress,
        /// turned about the axis x = 0.
        "axisymmetric": Axisymmetric,
    }
}

keyword! {
    /// How the mass of elements is given to nodes.
    MassWord {
        /// all to the diagonal.
        "lumped": Lumped,
        /// by the shape functions.
        "consistent": Consistent,
    }
}

table! {
    /// Rayleigh's damping.
    DampingTable as "damping" {
        /// Factor of the mass matrix; default 0.
        mass: Option<Number<Rate, NotNegative>>,
        /// Factor of the stiffness matrix; default 0.
        stiffness: Option<Number<Time, NotNegative>>,
    }
}

keyword! {
    /// An axis.
    AxisWord {
        /// first.
        "x": X,
        /// second.
        "y": Y,
        /// third.
        "z": Z,
    }
}

table! {
    /// Nodes whose velocity is given.
    ImposedTable as "imposed motion" {
        /// Name of a group of the mesh.
        group: Text,
        /// Axes that are held; default all.
        axes: Option<Items<AxisWord>>,
        /// Velocity of the nodes; default zero.
        velocity: Option<Vector<Velocity>>,
        /// Multiplies the velocity; default 1. Its time is the scene's.
        factor: Option<SignalValue<Pure>>,
    }
}

table! {
    /// A force per area at rest.
    TractionTable as "a traction" {
        /// Name of a group of the mesh.
        group: Text,
        /// Force per area, in world axes.
        traction: Vector<Pressure>,
        /// Multiplies it; default 1. Its time is the scene's.
        factor: Option<SignalValue<Pure>>,
    }
}

table! {
    /// A deformable solid.
    SolidTable as "[[solid]]" {
        /// Its name.
        name: Text,
        /// Material, as to the laws of its contacts.
        material: Text,
        /// Its mesh.
        mesh: MeshChoice,
        /// 2 puts a node in the middle of every edge; default 1.
        order: Option<Whole<1, 2>>,
        /// Whether quadrilaterals are cut into triangles, hexahedra into tetrahedra; default false.
        simplices: Option<bool>,
        /// Its elasticity and density.
        elasticity: ElasticTable,
        /// What the plane stands for; needed in the plane.
        section: Option<SectionWord>,
        /// Thickness across the plane; default 1.
        thickness: Option<Number<Length, Positive>>,
        /// `lumped` or `consistent`; default `lumped`.
        mass: Option<MassWord>,
        /// Damping; default none.
        damping: Option<DampingTable>,
        /// Where the mesh's origin is; default zero.
        position: Option<Vector<Length>>,
        /// How the mesh is turned.
        rotation: Option<Rotation>,
        /// Velocity of all nodes at the start; default zero.
        velocity: Option<Vector<Velocity>>,
        /// Spin about the centre of mass at the start, in world axes; default zero.
        spin: Option<Axial<Spin>>,
        /// Nodes whose velocity is given.
        imposed: Option<Items<ImposedTable>>,
        /// Forces on parts of the surface.
        tractions: Option<Items<TractionTable>>,
        /// Whether the surface may touch itself; default false.
        self_contact: Option<bool>,
        /// It moves in so many of its lowest modes only, under the law `linear`; default all nodes move by themselves.
        modes: Option<Whole<1, 1000>>,
    }
}

keyword! {
    /// How time is integrated.
    SchemeWord {
        /// forces and velocities weighted by `theta` and `xi`.
        "theta": Theta,
        /// internal forces that conserve energy for every law.
        "conserving": Conserving,
        /// no inertia: every step ends in equilibrium.
        "quasi-static": QuasiStatic,
    }
}

keyword! {
    /// How the surfaces of two solids are tried against each other.
    PairingWord {
        /// the nodes of each on the facets of the other.
        "nodes": Nodes,
        /// segment on segment; in space as `nodes`.
        "segments": Segments,
    }
}

keyword! {
    /// A stress to look at.
    StressWord {
        /// von Mises' equivalent stress.
        "von_mises": VonMises,
        /// shear stress in the plane of the first two axes.
        "shear": Shear,
        /// minus the mean normal stress.
        "pressure": Pressure,
    }
}

table! {
    /// How deformable solids are computed.
    DeformationTable as "[deformation]" {
        /// `theta`, `conserving` or `quasi-static`; default `theta`.
        scheme: Option<SchemeWord>,
        /// Share of the end velocity in the displacement of a step; default 0.5.
        theta: Option<Number<Pure, Positive>>,
        /// Share of the end forces in the impulse of a step; default 0.5.
        xi: Option<Number<Pure, Positive>>,
        /// Relative rest of the equation of motion that is asked for; default 1e-10.
        tolerance: Option<Number<Pure, Positive>>,
        /// Most iterations of Newton in a step; default 30.
        max_iterations: Option<Whole<1, 100000>>,
        /// `nodes` or `segments`; default `nodes`.
        pairing: Option<PairingWord>,
        /// Solver of the contact problem, by the names of `drystone solve`; default `auto`.
        solver: Option<Text>,
    }
}
