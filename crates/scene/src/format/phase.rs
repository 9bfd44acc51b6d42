//! Phases of a run.

use super::cell::CellDriveTable;
use super::drive::DriveTable;
use crate::decode::table;
use crate::plain::Text;
use crate::quantity::{Energy, NotNegative, Number, Positive, Pure, Time, Tolerance};
use crate::wrap::Items;

table! {
    /// When a phase is over: as soon as one of its conditions holds.
    UntilTable as "until" {
        /// So long after its start.
        time: Option<Number<Time, Positive>>,
        /// When the kinetic energy of all bodies has stayed below this.
        kinetic_energy_below: Option<Number<Energy, Positive>>,
        /// With `kinetic_energy_below`: for so long; default 0.
        r#for: Option<Number<Time, NotNegative>>,
    }
}

table! {
    /// A part of the run. Phases follow each other in the order of the file.
    PhaseTable as "[[phase]]" {
        /// Its name.
        name: Text,
        /// When it is over.
        until: UntilTable,
        /// Names of boundaries that vanish when it is over.
        remove: Option<Items<Text>>,
        /// Names of boundaries whose motion starts when it is over.
        start: Option<Items<Text>>,
        /// What moves boundaries from its start on.
        drive: Option<Items<DriveTable>>,
        /// What is asked of components of the periodic cell from its start on.
        cell: Option<Items<CellDriveTable>>,
        /// Largest coefficient of friction of pairs under Coulomb's law in this phase, such as 0 to pack densely; default
        /// what their laws say.
        friction: Option<Number<Pure, NotNegative>>,
        /// Relative error that is asked of the solver in it; default that of `[solver]`.
        tolerance: Option<Number<Pure, Tolerance>>,
    }
}
