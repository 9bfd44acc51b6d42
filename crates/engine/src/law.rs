//! Materials and the laws between them.

/// Index of a material in the scene's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MaterialId(pub u32);

/// The contact law of a pair of materials.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairLaw {
    /// Coulomb's coefficient; 0 is the frictionless law.
    pub friction: f64,
    /// Normal restitution ρ, in the formal velocity (Moreau 2003, (33)).
    pub normal_restitution: f64,
    /// Tangential restitution τ, in the formal velocity (Moreau 2003, (34)).
    pub tangential_restitution: f64,
}

/// Laws of all pairs of materials; symmetric.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LawTable {
    materials: usize,
    laws: Vec<PairLaw>,
}

impl LawTable {
    /// The same law for all pairs of `materials` materials.
    pub fn uniform(materials: usize, law: PairLaw) -> Self {
        Self { materials, laws: vec![law; materials * materials] }
    }
    /// Sets the law of one pair.
    pub fn set(&mut self, a: MaterialId, b: MaterialId, law: PairLaw) {
        for (a, b) in [(a, b), (b, a)] {
            self.laws[a.0 as usize * self.materials + b.0 as usize] = law;
        }
    }
    /// The law of one pair.
    #[inline]
    pub fn get(&self, a: MaterialId, b: MaterialId) -> &PairLaw {
        &self.laws[a.0 as usize * self.materials + b.0 as usize]
    }
    /// Number of materials.
    pub fn materials(&self) -> usize {
        self.materials
    }
}
