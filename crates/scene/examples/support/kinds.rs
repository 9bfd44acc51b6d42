//! Kinds of problems that estimates of errors are held against.

pub const STRUCTURES: usize = 0;
pub const SLIDING: usize = 1;
pub const PACKINGS: usize = 2;
pub const OTHERS: usize = 3;
pub const RECORDED: usize = 4;

pub const KINDS: [&str; 5] = [
    "structures",
    "sliding walls",
    "packings and flows",
    "solids and other laws",
    "recorded problems",
];
