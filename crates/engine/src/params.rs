//! All thresholds by which a step chooses methods, sets work aside, and shares it out among threads.
//!
//! Scenes do not set them: they are measured once and for all, and stand here so that they can be found, and changed in
//! an experiment. The tolerance and what a scene can choose are in [`SolverSettings`](crate::SolverSettings). Those of
//! [`ParallelParams`], [`TrialParams`] and [`RankParams`] change no bit of a result.

/// The parameters of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepParams {
    /// Which method solves the contact problem.
    pub methods: MethodParams,
    /// Which contacts a step is solved without.
    pub deferral: DeferralParams,
    /// When bodies are put to sleep.
    pub sleep: SleepParams,
    /// How work is shared out.
    pub parallel: ParallelParams,
    /// How it is found out whether threads pay.
    pub trial: TrialParams,
    /// When the first of several ranks has all of a run.
    pub ranks: RankParams,
}

/// Which method solves the contact problem of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodParams {
    /// Unknowns up to which the assembled form is not dearer than [`many_sweeps`](Self::many_sweeps).
    pub small_problem: usize,
    /// Sweeps over a small problem before the assembled form takes over; larger ones are swept to the end.
    pub many_sweeps: usize,
    /// The same where solids take part.
    pub many_solid_sweeps: usize,
    /// A factorisation may cost as much as so many sweeps for direct methods to judge and solve a step: always, and as long
    /// as they solve it,
    pub direct_price: [f64; 2],
    /// a sweep over one contact being worth so many multiplications in the plane, and in space.
    pub sweep_price: [f64; 2],
    /// Most contacts for which direct methods are asked.
    pub direct_contacts: usize,
    /// Sweeps before direct methods take over.
    pub direct_after: usize,
    /// Most factorisations of theirs in a step.
    pub factorisations: usize,
    /// Steps without direct methods after one in which their factors were too dear, for nothing or in any case.
    pub direct_pause: u32,
    /// Steps that do not begin by splitting after one in which it has failed.
    pub splitting_pause: u32,
    /// Sweeps before small groups of contacts are solved at once.
    pub few_sweeps: usize,
    /// Most contacts among which such groups are looked for: a packing has none, and to find that out at every step
    /// would cost it.
    pub few_contacts: usize,
    /// Most times that the problem is solved again, for the sake of quadratic drag or of deferred contacts. Drag needs
    /// two or three as a rule, since a round shrinks the error by what it takes of the momentum in half a step;
    /// contacts hardly ever more than one.
    pub rounds: usize,
    /// Bodies from which on sweeps go through space region by region.
    pub regions_from: usize,
}

impl Default for MethodParams {
    fn default() -> Self {
        Self {
            small_problem: 1500,
            many_sweeps: 1000,
            many_solid_sweeps: 200,
            direct_price: [200.0, 600.0],
            sweep_price: [10.0, 40.0],
            direct_contacts: 100_000,
            direct_after: 100,
            factorisations: 120,
            direct_pause: 100,
            splitting_pause: 10,
            few_sweeps: 4,
            few_contacts: 1000,
            rounds: 20,
            regions_from: 500,
        }
    }
}

/// Which contacts a step is solved without, unless its solution calls them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeferralParams {
    /// An approach may become so many times as fast by the impulses of the step,
    pub faster: f64,
    /// and faster by what gravity gives in so many steps, before any contact has to be called.
    pub fall_steps: f64,
}

impl Default for DeferralParams {
    fn default() -> Self {
        Self { faster: 2.0, fall_steps: 10.0 }
    }
}

/// When bodies are put to sleep, beside what a scene asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SleepParams {
    /// Most windows in a row in which nothing is put to sleep, since most of what was woke up soon.
    pub longest_pause: u32,
}

impl Default for SleepParams {
    fn default() -> Self {
        Self { longest_pause: 64 }
    }
}

/// How work is shared out among threads.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParallelParams {
    /// Bodies or contacts from which on more than one thread may be worth while.
    pub crowd: usize,
    /// Bodies that one thread takes at least.
    pub bodies: usize,
    /// Shapes that one thread takes at least.
    pub shapes: usize,
    /// Contacts that one thread makes ready at least.
    pub contacts: usize,
    /// Deferred contacts that one thread asks at least.
    pub deferred: usize,
    /// Candidate pairs that one thread tests by itself.
    pub pairs: usize,
    /// Chunks of pairs for each thread: some take longer than others.
    pub chunks: usize,
    /// Pairs after which what was found is put together, so that lists of the threads' own stay short.
    pub pairs_in_round: usize,
}

impl Default for ParallelParams {
    fn default() -> Self {
        Self {
            crowd: 500,
            bodies: 256,
            shapes: 256,
            contacts: 256,
            deferred: 1024,
            pairs: 1024,
            chunks: 4,
            // Few in builds with checks: their tests are to see that it can be done more than once in a step.
            pairs_in_round: if cfg!(debug_assertions) { 1 << 12 } else { 1 << 14 },
        }
    }
}

/// How it is found out whether threads pay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TrialParams {
    /// Steps between two trials at first,
    pub between: usize,
    /// and at most.
    pub between_most: usize,
    /// What is tried must need less than this part of the time to be taken up.
    pub better: f64,
    /// Sweeps over a contact that cost as much as all else that is done for a contact, or for a body, in a step.
    pub sweeps: f64,
}

impl TrialParams {
    /// Steps of a trial.
    pub const STEPS: usize = 12;
}

impl Default for TrialParams {
    fn default() -> Self {
        Self { between: 100, between_most: 3200, better: 0.95, sweeps: 30.0 }
    }
}

/// When the first of several ranks has all of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankParams {
    /// All of more bodies than this is gathered rank by rank, and not kept longer than it is needed.
    pub many: usize,
    /// Steps after something was done in one place, after which nothing is thought to be soon.
    pub pause: u32,
}

impl Default for RankParams {
    fn default() -> Self {
        Self { many: 10_000, pause: 16 }
    }
}
