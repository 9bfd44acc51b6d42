//! What a reader must know before anything else.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The name and version of the format.
pub const FORMAT: &str = "drystone record 1";

/// What a reader must know before anything else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// [`FORMAT`].
    pub format: String,
    /// Version of the program that wrote it.
    pub version: String,
    /// Title of the scene.
    pub title: String,
    /// 2 or 3.
    pub dimension: usize,
    /// Length of a step, in seconds: a contact's force is its impulse divided by it.
    pub time_step: f64,
    /// The time that the run was asked to reach.
    pub end: f64,
    /// The region that pictures show, if the scene names one: its least corner and its largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<[[f64; 3]; 2]>,
    /// Seed of the scene's random numbers.
    pub seed: u64,
    /// Folder in which the scene's other files are found.
    pub folder: String,
    /// Names of the materials, by index.
    pub materials: Vec<String>,
    /// Whether frames tell of contacts.
    #[serde(default = "always")]
    pub contacts: bool,
    /// Names of the values in a frame's `ledger`.
    pub ledger: Vec<String>,
    /// Names of the values in a frame's `report`.
    pub report: Vec<String>,
    /// What the arrays of `things.npz` and of frames are.
    pub arrays: BTreeMap<String, String>,
}

/// Records had contacts before they could be without.
fn always() -> bool {
    true
}

/// What each array is, for people who read a record without this program.
pub(crate) const ARRAYS: [(&str, &str); 92] = [
    ("time", "s, end of the step"),
    ("step", "number of steps made"),
    ("position", "m, centre of mass of each body, world axes"),
    ("rotation", "rad (plane) or quaternion w x y z (space), body to world axes"),
    ("velocity", "m/s, of the centre of mass"),
    ("spin", "rad/s, world axes"),
    ("birth", "s, when the body entered"),
    ("boundary_position", "m"),
    ("boundary_rotation", "as rotation"),
    ("boundary_velocity", "m/s, at its origin"),
    ("boundary_force", "N, of the bodies on it, mean of the last step"),
    ("boundary_present", "0 once it was removed"),
    ("bond_first", "a bond's first side: a body"),
    ("bond_second", "the other side: a body, or boundary i as -1-i"),
    ("bond_shapes", "numbers of the two shapes, with bond_point the bond's name"),
    ("bond_point", "number among the bonds of the two shapes"),
    ("bond_place", "m, middle between its two points"),
    ("bond_direction", "unit normal toward the first side"),
    ("bond_stretch", "m, from its point on the second side to that on the first"),
    ("bond_area", "m (plane) or m2 (space), its share of the touching area"),
    ("bond_damage", "0: whole, 1: broken"),
    ("bond_impulse", "N s, on the first side over the last step"),
    ("bond_anchor_first", "m, its point on the first side, in that one's axes"),
    ("bond_anchor_second", "the same on the second side"),
    ("bond_normal_first", "its normal, in the axes of the first side"),
    ("bond_normal_second", "the same in those of the second side"),
    ("contact_first", "index of the body that the normal points toward"),
    ("contact_second", "index of the other body; -1 - i for boundary i"),
    ("contact_point", "m, world axes, at the middle of the step"),
    ("contact_normal", "unit vector toward the first"),
    ("contact_gap", "m, negative in overlap"),
    ("contact_velocity", "m/s, of the first relative to the second, end of the step, world axes"),
    ("contact_impulse", "N s, felt by the first over the step, world axes"),
    ("contact_couple", "N m s, felt by the first against rolling and spinning, world axes"),
    ("contact_friction", "Coulomb's coefficient"),
    ("contact_status", "0 no force, 1 sticking, 2 sliding"),
    ("contact_bonded", "1 if cohesion acts"),
    ("contact_feature", "which features of the two shapes meet"),
    ("contact_shapes", "the two shapes by number: parts of boundaries first, then of bodies"),
    ("joint_name", "names of joints, empty where they have none"),
    ("joint_kind", "what each joint is, in the words of scene files"),
    (
        "joint_owner",
        "a row for each joint, its two sides: a body, or −1 − i for boundary i, and as if there were one more for the ground",
    ),
    (
        "joint_position",
        "m, two rows for each joint: its frame on either side, in the axes of who carries it",
    ),
    ("joint_rotation", "as rotation"),
    ("joint_pulley", "m, two rows for each joint: what the rope of a pulley goes over"),
    ("joint_broken", "1 where a joint is broken"),
    ("cell_vectors", "m, vectors of the periodic cell, which has a corner at the origin"),
    ("cell_periodic", "1 where a direction of the cell is periodic"),
    (
        "cell_gradient",
        "1/s, velocity gradient of the cell; velocities of bodies are those beside its flow",
    ),
    ("cell_strain", "integral of the velocity gradient since the start"),
    (
        "cell_contact_stress",
        "Pa (N/m in the plane), of contacts in the last step, positive in compression",
    ),
    ("cell_kinetic_stress", "Pa (N/m in the plane), by what velocities carry"),
    (
        "cell_excess_stress",
        "Pa (N/m in the plane), by how much the stress was above the one asked for, which moves the cell",
    ),
    ("ledger", "J, columns in about.json; closures are relative"),
    ("report", "largest values since the frame before, columns in about.json"),
    ("name", "name of each body, then of each boundary"),
    ("mass", "kg, of each body"),
    ("moments", "kg m^2, principal moments of each body"),
    ("volume", "m^3 (m^2 in the plane), of each body: sum of its parts"),
    ("part_owner", "body of each part; -1 - i for boundary i"),
    ("part_kind", "its shape"),
    ("part_material", "its material"),
    ("part_position", "m, in the axes of its owner"),
    ("part_rotation", "as rotation"),
    ("part_size", "m, radius and half length where the shape has them"),
    (
        "part_vertices",
        "where the vertices of each part begin in `vertices`; the last entry is their number",
    ),
    ("vertices", "m, in the axes of the part"),
    ("solid_name", "name of each deformable solid"),
    ("solid_mass", "kg"),
    ("solid_material", "its material"),
    ("solid_nodes", "where the nodes of each solid begin; the last entry is their number"),
    ("node_rest", "m, where each node is at rest; its displacement is node_position - node_rest"),
    ("solid_elements", "where the elements of each solid begin; the last entry is their number"),
    ("element_kind", "VTK's number of the kind of each element"),
    (
        "element_nodes",
        "where the nodes of each element begin in `connectivity`; the last entry is their number",
    ),
    ("connectivity", "nodes of the elements, counted in their solid, in VTK's order"),
    ("node_position", "m, of each node of the solids, world axes"),
    ("node_velocity", "m/s"),
    ("node_stress", "Pa, Cauchy's stress at each node: xx yy zz xy yz xz"),
    ("node_von_mises", "Pa, von Mises' equivalent stress"),
    ("node_shear", "Pa, shear stress xy"),
    ("solid_contact_solid", "index of the solid that the normal points toward"),
    ("solid_contact_partner", "what it touches: 0 body, 1 boundary, 2 solid; and its index"),
    ("solid_contact_point", "m, world axes, at the middle of the step"),
    ("solid_contact_normal", "unit vector toward the solid"),
    ("solid_contact_gap", "m, negative in overlap"),
    ("solid_contact_velocity", "m/s, of the solid relative to the partner, end of the step"),
    ("solid_contact_impulse", "N s, felt by the solid over the step, world axes"),
    ("solid_contact_friction", "Coulomb's coefficient"),
    ("solid_contact_bonded", "1 if cohesion acts"),
    ("solid_contact_status", "0 no force, 1 sticking, 2 sliding"),
    ("solid_contact_feature", "which node, corner or edge, and where on the partner"),
];
