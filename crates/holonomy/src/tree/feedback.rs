//! Forces that see the state: of other joints, of places and directions, of how they move.
//!
//! ```text
//! f = f(t, x),   x what it sees                            see `seen.rs`
//! τ_j += f                                                 in a joint
//! W_i += (f, ρ × f)                                        at a site or a point, in axes of the world
//! W_i += (f, ρ × f + m)                                    a wrench on a body, in one of three frames
//! W_a −= (T n, ρ_a × T n),   W_b += (T n, ρ_b × T n)       tension along the line n from b to a
//!
//! δf = Σ_k ∂f/∂x_k δx_k                                    one row of low rank for each number that acts
//! δ(T n) = n δT + (T/l) (1 − n nᵀ) δd                      and two more for a tension
//! ```
//! Forces that are fixed in space while the bodies turn are counted in [`Load`](super::forces::Load). They act half at each end of a step,
//! as all forces without potential.
use super::{
    Kinematics, Mixing, SitePlace, Tree, TreeError, TreePart, WrenchFrame,
    error::ForceFault,
    factors::{LowRank, stack},
    forces::{Loads, add_wrench, wrench_axes},
    links::{arm, at, stretch, tangents},
    seen::{BoundSeen, Point, Seen, Sight},
};
use crate::{
    Vec3,
    formula::{Expressions, Formula, Program, Registers, SubExpression},
    geometry::se3::{Wrench, join},
};

/// A force that sees the state.
pub struct StateForce {
    /// What a force at a site or between two is called, among the sources of power and where its tension is recorded.
    pub name: String,
    /// Its numbers.
    pub law: StateLaw,
    /// What they do.
    pub act: Act,
}

/// What the numbers of a law do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// One number: acts on a coordinate of a body's joint that is an angle or a length.
    Effort {
        /// The body.
        body: usize,
        /// The number of the coordinate in its joint.
        number: usize,
    },
    /// Three: a force at a site, in axes of the world.
    Force {
        /// The site.
        site: usize,
    },
    /// Three: a force at a point of a body, in axes of the world. Those of one name that follow each other are one
    /// source of power, of that name.
    Push {
        /// The body.
        body: usize,
        /// Where it acts, in the frame of the body.
        position: Vec3,
    },
    /// Six: a force and a moment.
    Wrench {
        /// The body.
        body: usize,
        /// Where the force acts.
        position: Vec3,
        /// In which frame that place, the force and the moment are given.
        frame: WrenchFrame,
    },
    /// One: pulls two sites together.
    Tension {
        /// The sites.
        between: [usize; 2],
    },
}

impl Act {
    /// How many numbers it takes.
    pub fn numbers(&self) -> usize {
        match self {
            Self::Effort { .. } | Self::Tension { .. } => 1,
            Self::Force { .. } | Self::Push { .. } => 3,
            Self::Wrench { .. } => 6,
        }
    }
}

/// Numbers as functions of time and of what is seen.
pub struct StateLaw {
    /// What the variables behind time are.
    sees: Vec<Seen>,
    /// The numbers.
    values: Program,
    /// The numbers, and their derivatives that are not always zero.
    slopes: Program,
    /// Of each number, what it depends on and the place of the derivative among the outputs.
    rows: Vec<Vec<(usize, usize)>>,
    /// The largest size of its first number: beyond, it stays what it is.
    limit: f64,
    /// For its kinks: its first number, and what changes its sign where `abs`, `min` and `max` have theirs.
    #[cfg(not(target_arch = "wasm32"))]
    sides: Program,
}

impl StateLaw {
    /// From formulas whose variables are time in slot 0 and, in the slots behind it, what may be seen. Of that, only what
    /// the formulas use is looked at. Vectors give three numbers.
    pub fn new(formulas: &[&Formula], seen: Vec<Seen>) -> Self {
        let mut expressions = Expressions::new();
        let mut outputs = Vec::new();
        for formula in formulas {
            outputs.extend(expressions.components(formula));
        }
        let mut used = expressions.slots();
        used.retain(|slot| *slot > 0);
        used.sort_unstable();
        let replacements: Vec<_> = used
            .iter()
            .enumerate()
            .map(|(k, slot)| (*slot, expressions.variable(k + 1)))
            .collect();
        for output in &mut outputs {
            *output = expressions.substitute(*output, &replacements);
        }
        let slots: Vec<usize> = (1..=used.len()).collect();
        let values = expressions.compile(&outputs);
        let mut all = outputs.clone();
        let mut rows = Vec::new();
        for output in &outputs {
            let mut row = Vec::new();
            for (k, slope) in expressions.gradient(*output, &slots).into_iter().enumerate() {
                if expressions.known_value(slope) != Some(0.0) {
                    row.push((k, all.len()));
                    all.push(slope);
                }
            }
            rows.push(row);
        }
        let slopes = expressions.compile(&all);
        #[cfg(not(target_arch = "wasm32"))]
        let sides = {
            let kinks = expressions.kinks(&outputs);
            let first = outputs.first().copied();
            expressions.compile(&first.into_iter().chain(kinks).collect::<Vec<_>>())
        };
        let mut number = 0;
        let kept = seen.into_iter().filter(|_| {
            number += 1;
            used.binary_search(&number).is_ok()
        });
        Self {
            sees: kept.collect(),
            values,
            slopes,
            rows,
            limit: f64::INFINITY,
            #[cfg(not(target_arch = "wasm32"))]
            sides,
        }
    }

    /// The same of one number that is held within ±`limit`.
    #[must_use]
    pub fn within(self, limit: f64) -> Self {
        Self { limit, ..self }
    }

    /// How many numbers it gives.
    pub fn numbers(&self) -> usize {
        self.rows.len()
    }

    /// What its kinks are found by, where it has some: what it sees, the program of its sides, and its limit.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn kinked(&self) -> Option<(&[Seen], &Program, f64)> {
        let any = self.sides.outputs() > 1 || self.limit.is_finite();
        any.then_some((&self.sees, &self.sides, self.limit))
    }

    /// Whether it sees anything but time.
    pub fn sees_state(&self) -> bool {
        self.sees.iter().any(|seen| !matches!(seen, Seen::Given(_)))
    }
}

/// A force on nodes.
pub(super) struct BoundForce {
    pub(super) name: String,
    pub(super) act: Act,
    acts: BoundAct,
    sees: Vec<BoundSeen>,
    values: Program,
    slopes: Program,
    rows: Vec<Vec<(usize, usize)>>,
    limit: f64,
    pub(super) sees_multipliers: bool,
}

/// What one of its numbers acts on.
pub(super) enum Pull {
    Joint(usize),
    /// Nodes, at their origins.
    Nodes([Option<(usize, Wrench)>; 2]),
}

#[derive(Clone, Copy)]
enum BoundAct {
    Effort {
        v: usize,
    },
    Force {
        site: SitePlace,
    },
    Wrench {
        body: usize,
        position: Vec3,
        frame: WrenchFrame,
    },
    Tension {
        ends: [SitePlace; 2],
    },
}

/// Work space for the programs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looking {
    seen: Vec<f64>,
    out: Vec<f64>,
    registers: Registers,
}

impl Looking {
    /// What a program gives that sees time and these numbers; not finite where it has no value.
    pub(super) fn at(
        &mut self,
        program: &Program,
        sees: &[BoundSeen],
        tree: &Tree,
        sight: &Sight<'_>,
    ) -> &mut [f64] {
        let Self { seen, out, registers } = self;
        seen.clear();
        seen.push(sight.t);
        seen.extend(sees.iter().map(|of| tree.look(of, sight)));
        out.clear();
        out.resize(program.outputs(), 0.0);
        let _ = program.evaluate(seen, registers, out);
        out
    }
}

impl Tree {
    /// Whether forces see the state.
    pub(crate) fn has_feedback(&self) -> bool {
        !self.feedback.is_empty()
    }

    /// Puts forces that see the state on nodes.
    pub(super) fn bind_feedback(&mut self, forces: Vec<StateForce>) -> Result<(), TreeError> {
        for (number, StateForce { name, law, act }) in forces.into_iter().enumerate() {
            let refuse = || TreeError::NotFinite {
                part: TreePart::StateForce(name.clone()),
            };
            let acts = match act {
                Act::Effort { body, number } => {
                    let unfit = |fault| TreeError::Force {
                        body: self.layout.words.bodies[body].clone(),
                        fault,
                    };
                    if body >= self.len() {
                        return Err(TreeError::NoBody {
                            part: TreePart::StateForce(name),
                            number: body,
                        });
                    }
                    let (node, number) = self
                        .scalar_joint(body, number)
                        .ok_or_else(|| unfit(ForceFault::Rotation))?;
                    if self.nodes[node].dofs == 0 {
                        return Err(unfit(ForceFault::Unmoved));
                    }
                    BoundAct::Effort {
                        v: self.nodes[node].v + number,
                    }
                }
                Act::Force { site } => BoundAct::Force {
                    site: *self.sites.get(site).ok_or_else(refuse)?,
                },
                Act::Wrench { body, .. } | Act::Push { body, .. } if body >= self.len() => {
                    return Err(TreeError::NoBody {
                        part: TreePart::StateForce(name),
                        number: body,
                    });
                }
                Act::Push { body, position } => BoundAct::Force {
                    site: self.point_place(Point::On(body, position)).ok_or_else(refuse)?,
                },
                Act::Wrench {
                    body,
                    position,
                    frame,
                } => BoundAct::Wrench {
                    body,
                    position,
                    frame,
                },
                Act::Tension { between: [a, b] } => {
                    let (a, b) = (self.sites.get(a), self.sites.get(b));
                    let ends = [*a.ok_or_else(refuse)?, *b.ok_or_else(refuse)?];
                    if ends[0].node == ends[1].node {
                        let fault = super::LinkFault::OneBody;
                        return Err(TreeError::Link { number, fault });
                    }
                    BoundAct::Tension { ends }
                }
            };
            if law.numbers() != act.numbers() {
                return Err(refuse());
            }
            self.check_seen(&name, &law.sees)?;
            #[cfg(not(target_arch = "wasm32"))]
            self.watch(&name, act, &law);
            let sees = law.sees.into_iter().map(|seen| self.bind_seen(seen));
            let sees = sees.collect::<Option<Vec<BoundSeen>>>().ok_or_else(refuse)?;
            let sees_multipliers = sees.iter().any(BoundSeen::is_multiplier);
            self.feedback.push(BoundForce {
                name,
                act,
                acts,
                sees,
                values: law.values,
                slopes: law.slopes,
                rows: law.rows,
                limit: law.limit,
                sees_multipliers,
            });
        }
        Ok(())
    }

    /// Adds the forces that see the state to those of bodies and joints; they count `weight` times.
    pub(crate) fn feed_back(&self, sight: &Sight<'_>, weight: f64, loads: &mut Loads) {
        self.feed_back_some(sight, weight, true, loads);
    }

    /// The same, with those that see multipliers or without.
    pub(super) fn feed_back_some(&self, sight: &Sight<'_>, weight: f64, late: bool, loads: &mut Loads) {
        let kinematics = sight.kinematics;
        for force in self
            .feedback
            .iter()
            .filter(|force| late || !force.sees_multipliers)
        {
            let mut looking = std::mem::take(&mut loads.looking);
            let f = force.numbers(self, sight, &mut looking);
            match force.acts {
                BoundAct::Effort { v } => {
                    let effort = &mut loads.efforts[v];
                    effort.value += weight * f[0];
                    effort.forced += f[0];
                }
                BoundAct::Force { site } => {
                    if let Some(node) = site.node {
                        let arm = kinematics.frames[node].rotation * site.position;
                        let push = three(f, 0);
                        let load = &mut loads.loads[node];
                        load.add(&arm, &(push * weight));
                        load.forced += join(&push, &arm.cross(&push));
                    }
                }
                BoundAct::Wrench {
                    body,
                    position,
                    frame,
                } => {
                    let given = (three(f, 0), three(f, 3));
                    let whole = wrench_axes(self, body, &position, frame, given, kinematics);
                    let load = &mut loads.loads[self.body_nodes[body]];
                    add_wrench(frame, whole, weight, load);
                }
                BoundAct::Tension { ends } => {
                    let seen = stretch(&ends, kinematics);
                    let pull = seen.n * -f[0];
                    for (k, sign) in [(0, 1.0), (1, -1.0)] {
                        if let Some(node) = ends[k].node {
                            let load = &mut loads.loads[node];
                            load.add(&seen.arms[k], &(pull * (sign * weight)));
                            load.forced += join(&pull, &seen.arms[k].cross(&pull)) * sign;
                        }
                    }
                }
            }
            loads.looking = looking;
        }
    }

    /// How they change: a velocity of one carries as far as `reach`, and an effort has the weight `impulse` in the
    /// residual of its joint.
    pub(crate) fn couple_feedback(
        &self,
        sight: &Sight<'_>,
        (reach, impulse, weight): (f64, f64, f64),
        mixing: Option<&Mixing>,
        looking: &mut Looking,
        out: &mut LowRank<12>,
    ) {
        let kinematics = sight.kinematics;
        let mut late = 0;
        for force in &self.feedback {
            let tension = match mixing.filter(|_| force.sees_multipliers) {
                None => {
                    let slopes = force.slopes(self, sight, looking);
                    for (number, row) in force.rows.iter().enumerate() {
                        out.begin();
                        for (seen, place) in row {
                            force.sees[*seen].couple(sight, reach, slopes[*place], 0, out);
                        }
                        force.couple_pull(self, number, kinematics, (impulse, weight), out);
                    }
                    slopes[0]
                }
                Some(mixing) => {
                    for number in 0..force.rows.len() {
                        out.begin();
                        self.couple_answers(sight, reach, (mixing, late), looking, out);
                        force.couple_pull(self, number, kinematics, (impulse, weight), out);
                        late += 1;
                    }
                    force.numbers(self, sight, looking)[0]
                }
            };
            if let BoundAct::Tension { ends } = force.acts {
                couple_line(&ends, weight * tension, kinematics, out);
            }
        }
    }

    /// The powers of forces that see the state, in their order.
    pub(super) fn feedback_powers(&self, sight: &Sight<'_>, looking: &mut Looking, out: &mut Vec<f64>) {
        let kinematics = sight.kinematics;
        for (number, force) in self.feedback.iter().enumerate() {
            let f = force.numbers(self, sight, looking);
            let power = match force.acts {
                BoundAct::Effort { v } => f[0] * sight.v[v],
                BoundAct::Force { site } => three(f, 0).dot(&kinematics.site_velocity(&site)),
                BoundAct::Wrench {
                    body,
                    position,
                    frame,
                } => {
                    let given = (three(f, 0), three(f, 3));
                    let (arm, push, moment) = wrench_axes(self, body, &position, frame, given, kinematics);
                    let whole = join(&push, &(arm.cross(&push) + moment));
                    whole.dot(&kinematics.frames[self.body_nodes[body]].twist)
                }
                BoundAct::Tension { ends } => {
                    let seen = stretch(&ends, kinematics);
                    -f[0] * seen.n.dot(&seen.relative)
                }
            };
            match out.last_mut() {
                Some(last) if self.joins_the_last(number) => *last += power,
                _ => out.push(power),
            }
        }
    }

    /// Whether a force is one source of power with the one before it.
    pub(super) fn joins_the_last(&self, number: usize) -> bool {
        let push = |force: &BoundForce| matches!(force.act, Act::Push { .. });
        let (force, before) = (&self.feedback[number], &self.feedback[..number]);
        let alike = |last: &BoundForce| push(last) && last.name == force.name;
        push(force) && before.last().is_some_and(alike)
    }

    /// The tension of a force between two sites.
    pub(super) fn feedback_tension(&self, number: usize, sight: &Sight<'_>, looking: &mut Looking) -> f64 {
        self.feedback[number].numbers(self, sight, looking)[0]
    }
}

/// How a constant tension changes as its line turns.
pub(super) fn couple_line(
    ends: &[SitePlace; 2],
    tension: f64,
    kinematics: &Kinematics,
    out: &mut LowRank<12>,
) {
    let seen = stretch(ends, kinematics);
    let (across, other) = tangents(&seen.n);
    out.begin();
    for (k, sign) in [(0, 1.0), (1, -1.0)] {
        let Some(node) = ends[k].node else { continue };
        for (j, e) in [(0, &across), (1, &other)] {
            let row = at(&seen.arms[k], e) * sign;
            out.row(node, j, &row);
            out.column(node, j, &(row * (-tension / seen.length)));
        }
    }
    out.end(2);
}

impl BoundForce {
    /// Its numbers. Where a formula has no value they are not finite, and the step that wanted them fails.
    fn numbers<'w>(&self, tree: &Tree, sight: &Sight<'_>, looking: &'w mut Looking) -> &'w [f64] {
        self.evaluate(&self.values, tree, sight, looking)
    }

    /// Adds how one of its numbers changes, times a factor, to the first row of a term.
    pub(super) fn couple(
        &self,
        tree: &Tree,
        number: usize,
        sight: &Sight<'_>,
        (reach, factor): (f64, f64),
        looking: &mut Looking,
        out: &mut LowRank<12>,
    ) {
        let slopes = self.slopes(tree, sight, looking);
        for (seen, place) in &self.rows[number] {
            self.sees[*seen].couple(sight, reach, factor * slopes[*place], 0, out);
        }
    }

    /// Ends a term with what one of its numbers acts on.
    fn couple_pull(
        &self,
        tree: &Tree,
        number: usize,
        kinematics: &Kinematics,
        (impulse, weight): (f64, f64),
        out: &mut LowRank<12>,
    ) {
        match self.pull(tree, number, kinematics) {
            Pull::Joint(v) => out.joint_column(v, 0, impulse * weight),
            Pull::Nodes(each) => {
                for (node, wrench) in each.into_iter().flatten() {
                    out.column(node, 0, &(stack(&wrench, &Wrench::zeros()) * weight));
                }
            }
        }
        out.end(1);
    }

    /// What a unit of one of its numbers does.
    pub(super) fn pull(&self, tree: &Tree, number: usize, kinematics: &Kinematics) -> Pull {
        let on_site = |site: &SitePlace, arm: &Vec3, force: &Vec3| {
            let node = site.node?;
            Some((node, join(force, &arm.cross(force))))
        };
        match self.acts {
            BoundAct::Effort { v } => Pull::Joint(v),
            BoundAct::Force { site } => {
                let arm = arm(&site, kinematics);
                Pull::Nodes([on_site(&site, &arm, &Vec3::ith(number, 1.0)), None])
            }
            BoundAct::Wrench {
                body,
                position,
                frame,
            } => {
                let e = Vec3::ith(number % 3, 1.0);
                let given = match number < 3 {
                    true => (e, Vec3::zeros()),
                    false => (Vec3::zeros(), e),
                };
                let (arm, push, moment) = wrench_axes(tree, body, &position, frame, given, kinematics);
                let wrench = join(&push, &(arm.cross(&push) + moment));
                Pull::Nodes([Some((tree.body_nodes[body], wrench)), None])
            }
            BoundAct::Tension { ends } => {
                let seen = stretch(&ends, kinematics);
                let pulls = [(0, -1.0), (1, 1.0)];
                Pull::Nodes(pulls.map(|(k, sign)| on_site(&ends[k], &seen.arms[k], &(seen.n * sign))))
            }
        }
    }

    /// Its numbers, their derivatives by multipliers in rows of `slopes`, which are zero.
    pub(super) fn answer(
        &self,
        tree: &Tree,
        sight: &Sight<'_>,
        looking: &mut Looking,
        numbers: &mut Vec<f64>,
        slopes: &mut [f64],
    ) {
        let m = sight.multipliers.len();
        let values = self.slopes(tree, sight, looking);
        numbers.extend_from_slice(&values[..self.rows.len()]);
        for (row, out) in self.rows.iter().zip(slopes.chunks_exact_mut(m)) {
            for (seen, place) in row {
                tree.by_multipliers(&self.sees[*seen], sight, |row, slope| {
                    out[row] += values[*place] * slope;
                });
            }
        }
    }

    /// How many numbers it has.
    pub(super) fn count(&self) -> usize {
        self.rows.len()
    }

    /// Its numbers and their derivatives.
    fn slopes<'w>(&self, tree: &Tree, sight: &Sight<'_>, looking: &'w mut Looking) -> &'w [f64] {
        self.evaluate(&self.slopes, tree, sight, looking)
    }

    fn evaluate<'w>(
        &self,
        program: &Program,
        tree: &Tree,
        sight: &Sight<'_>,
        looking: &'w mut Looking,
    ) -> &'w [f64] {
        let out = looking.at(program, &self.sees, tree, sight);
        if out[0].abs() > self.limit {
            out[0] = self.limit.copysign(out[0]);
            out[1..].fill(0.0);
        }
        out
    }

    /// Parts of its formulas and of their derivatives.
    pub(super) fn expressions(&self) -> impl Iterator<Item = SubExpression> {
        self.slopes.expressions().into_iter()
    }

    /// Whether all its numbers are.
    pub(super) fn has_value(&self, tree: &Tree, sight: &Sight<'_>, looking: &mut Looking) -> bool {
        self.numbers(tree, sight, looking).iter().all(|x| x.is_finite())
    }

    /// The part that has no value, and what its function was asked.
    pub(super) fn undefined(
        &self,
        tree: &Tree,
        sight: &Sight<'_>,
        looking: &mut Looking,
    ) -> Option<(u32, f64)> {
        let Looking { seen, out, registers } = looking;
        seen.clear();
        seen.push(sight.t);
        seen.extend(self.sees.iter().map(|of| tree.look(of, sight)));
        out.clear();
        out.resize(self.slopes.outputs(), 0.0);
        let error = self.slopes.evaluate(seen, registers, out).err()?;
        Some((error.number, error.argument))
    }

    /// Whether momentum is kept by it: it acts between bodies of the tree only.
    pub(super) fn anchors(&self) -> Option<Vec<Vec3>> {
        match self.acts {
            BoundAct::Effort { .. } => Some(Vec::new()),
            BoundAct::Force { .. } | BoundAct::Wrench { .. } => None,
            BoundAct::Tension { ends } => {
                let held = ends.iter().filter(|end| end.node.is_none());
                Some(held.map(|end| end.position).collect())
            }
        }
    }
}

fn three(x: &[f64], at: usize) -> Vec3 {
    Vec3::new(x[at], x[at + 1], x[at + 2])
}
