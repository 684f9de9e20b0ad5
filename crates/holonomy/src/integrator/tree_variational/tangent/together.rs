//! Eight changes pushed side by side: the same numbers as one by one but for rounding, where joints are screws or slide,
//! nothing is held, and the entries of J are written out.
use crate::{
    Vec3,
    derivative::Change,
    geometry::se3::{Twist, angular, linear},
    simd::{Eight, Kernel, LANES, Level, Triple, Vector, in_all_lanes},
    tree::{Branched, Middle, Tree},
};

/// Changes side by side, and work space.
#[derive(Clone, Debug, Default)]
pub(super) struct Together {
    z: Vec<[Eight; 12]>,
    y: Vec<[Eight; 12]>,
    q: Vec<Eight>,
    p: Vec<Eight>,
    x: Vec<Eight>,
}

/// A step without constraints.
pub(super) struct Step<'a> {
    pub(super) tree: &'a Tree,
    pub(super) middle: &'a Middle,
    pub(super) matrix: &'a Branched,
    pub(super) h: f64,
    pub(super) reach: f64,
    pub(super) weight: f64,
}

impl Together {
    /// Pushes up to eight changes through a step.
    pub(super) fn push(&mut self, step: &Step<'_>, changes: &mut [Change]) {
        let (n, nodes) = (step.tree.velocities(), step.tree.nodes.len());
        self.z.resize(nodes, [Eight::all(0.0); 12]);
        self.y.resize(nodes, [Eight::all(0.0); 12]);
        for list in [&mut self.q, &mut self.p, &mut self.x] {
            list.clear();
            list.resize(n, Eight::all(0.0));
        }
        for (lane, change) in changes.iter().enumerate() {
            for j in 0..n {
                self.q[j][lane] = change.x[j];
                self.p[j][lane] = change.y[j];
            }
        }
        Level::best().run(Push { step, work: self });
        for (lane, change) in changes.iter_mut().enumerate() {
            for j in 0..n {
                change.x[j] = self.q[j][lane];
                change.y[j] = self.p[j][lane];
            }
            change.lambda.clear();
        }
    }
}

struct Push<'a, 'b> {
    step: &'a Step<'b>,
    work: &'a mut Together,
}

impl Kernel for Push<'_, '_> {
    #[inline(always)]
    fn run<V: Vector>(self, token: V::Token) {
        let Self { step, work } = self;
        sweep::<V, false>(token, step, work);
        step.matrix.solve_together::<V>(token, &mut work.x);
        sweep::<V, true>(token, step, work);
    }
}

/// `(π, γ) = T (ζ, ν)`. First with `ζ = δq`, for the right side `π − δp − ½h γ` of x; then with ½h x more and `ν = x`,
/// for the state at the end.
#[inline(always)]
fn sweep<V: Vector, const END: bool>(token: V::Token, step: &Step<'_>, work: &mut Together) {
    let Step {
        tree,
        middle,
        h,
        reach,
        weight,
        ..
    } = step;
    for i in 0..tree.nodes.len() {
        let (node, body) = (&tree.nodes[i], &middle.nodes[i]);
        let (mut pose, mut twist) = match node.parent {
            None => (Six::<V>::zero(token), Six::<V>::zero(token)),
            Some(parent) => {
                let (pose, twist) = Six::load(token, &work.z[parent]);
                (pose.at(&body.offset), twist.at(&body.offset))
            }
        };
        for j in node.v..node.v + node.dofs {
            let column = &middle.columns[j];
            let mut zeta = V::load(token, &work.q[j]);
            if END {
                let x = V::load(token, &work.x[j]);
                zeta = zeta + x * *reach;
                twist = twist.and(&column.screw, x);
            }
            pose = pose.and(&column.screw, zeta);
            twist = twist.and(&column.carried, zeta);
        }
        Six::store(&pose, &twist, &mut work.z[i]);
        let inertia = &body.inertia;
        let turned = Six {
            first: crossed(&pose.second, &body.fixed, -1.0),
            second: turn(&body.turning, &pose.second) + crossed(&pose.first, &body.placed, -1.0),
        };
        let push = (twist.first + crossed(&twist.second, &inertia.centre, 1.0)).scaled(inertia.mass);
        let momentum = Six {
            first: push,
            second: turn(&inertia.moment, &twist.second) + crossed(&push, &inertia.centre, -1.0),
        };
        Six::store(&turned, &momentum, &mut work.y[i]);
    }
    for i in (0..tree.nodes.len()).rev() {
        let (node, body) = (&tree.nodes[i], &middle.nodes[i]);
        let (mut force, mut momentum) = Six::load(token, &work.y[i]);
        let (_, mut twist) = Six::<V>::load(token, &work.z[i]);
        if END {
            for j in node.v..node.v + node.dofs {
                twist = twist.and(&middle.columns[j].screw, V::load(token, &work.x[j]) * -1.0);
            }
        }
        let (before_force, before_momentum) = (force, momentum);
        for j in node.v..node.v + node.dofs {
            let column = &middle.columns[j];
            let mut zeta = V::load(token, &work.q[j]);
            let x = V::load(token, &work.x[j]);
            if END {
                zeta = zeta + x * *reach;
            }
            let mut gamma = before_force.dot(&column.screw)
                + before_momentum.dot(&column.carried)
                + twist.dot(&column.pulled);
            if let Some(effort) = middle.efforts.get(j) {
                gamma = gamma + zeta * effort.q[0];
                if END {
                    gamma = gamma + x * effort.v;
                }
            }
            let p = V::load(token, &work.p[j]);
            if END {
                let (next_p, next_q): (V, V) = (p + gamma * *h, V::load(token, &work.q[j]) + x * *h);
                next_p.store(&mut work.p[j]);
                next_q.store(&mut work.q[j]);
            } else {
                let pi = before_momentum.dot(&column.screw);
                let right: V = pi - p - gamma * *weight;
                right.store(&mut work.x[j]);
            }
            force = force.and(&column.forced, zeta);
            momentum = momentum.and(&column.pulled, zeta);
        }
        if let Some(parent) = node.parent {
            let (to_force, to_momentum) = Six::<V>::load(token, &work.y[parent]);
            let force = to_force.plus(&force.from(&body.offset));
            let momentum = to_momentum.plus(&momentum.from(&body.offset));
            Six::store(&force, &momentum, &mut work.y[parent]);
        }
    }
}

/// Twists or wrenches side by side.
#[derive(Clone, Copy)]
struct Six<V> {
    first: Triple<V>,
    second: Triple<V>,
}

impl<V: Vector> Six<V> {
    #[inline(always)]
    fn zero(token: V::Token) -> Self {
        let zero = in_all_lanes(token, Triple::from(Vec3::zeros()));
        Self {
            first: zero,
            second: zero,
        }
    }

    #[inline(always)]
    fn load(token: V::Token, from: &[Eight; 12]) -> (Self, Self) {
        let triple = |k: usize| Triple {
            x: V::load(token, &from[k]),
            y: V::load(token, &from[k + 1]),
            z: V::load(token, &from[k + 2]),
        };
        let six = |k: usize| Self {
            first: triple(k),
            second: triple(k + 3),
        };
        (six(0), six(6))
    }

    #[inline(always)]
    fn store(first: &Self, second: &Self, to: &mut [Eight; 12]) {
        for (k, part) in [first.first, first.second, second.first, second.second]
            .into_iter()
            .enumerate()
        {
            part.x.store(&mut to[3 * k]);
            part.y.store(&mut to[3 * k + 1]);
            part.z.store(&mut to[3 * k + 2]);
        }
    }

    /// Plus a constant times a number in each lane.
    #[inline(always)]
    fn and(self, by: &Twist, times: V) -> Self {
        let Self { first, second } = self;
        Self {
            first: Triple {
                x: first.x + times * by[0],
                y: first.y + times * by[1],
                z: first.z + times * by[2],
            },
            second: Triple {
                x: second.x + times * by[3],
                y: second.y + times * by[4],
                z: second.z + times * by[5],
            },
        }
    }

    #[inline(always)]
    fn plus(&self, other: &Self) -> Self {
        Self {
            first: self.first + other.first,
            second: self.second + other.second,
        }
    }

    #[inline(always)]
    fn dot(&self, by: &Twist) -> V {
        dot(&self.first, &linear(by)) + dot(&self.second, &angular(by))
    }

    /// A twist about the point `d` further on.
    #[inline(always)]
    fn at(&self, d: &Vec3) -> Self {
        Self {
            first: self.first + crossed(&self.second, d, 1.0),
            second: self.second,
        }
    }

    /// A wrench about the point `d` further back.
    #[inline(always)]
    fn from(&self, d: &Vec3) -> Self {
        Self {
            first: self.first,
            second: self.second + crossed(&self.first, d, -1.0),
        }
    }
}

#[inline(always)]
fn dot<V: Vector>(a: &Triple<V>, b: &Vec3) -> V {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// `a × b`, times a sign.
#[inline(always)]
fn crossed<V: Vector>(a: &Triple<V>, b: &Vec3, sign: f64) -> Triple<V> {
    let (x, y, z) = (b.x * sign, b.y * sign, b.z * sign);
    Triple {
        x: a.y * z - a.z * y,
        y: a.z * x - a.x * z,
        z: a.x * y - a.y * x,
    }
}

#[inline(always)]
fn turn<V: Vector>(matrix: &nalgebra::Matrix3<f64>, a: &Triple<V>) -> Triple<V> {
    let row = |k: usize| a.x * matrix[(k, 0)] + a.y * matrix[(k, 1)] + a.z * matrix[(k, 2)];
    Triple {
        x: row(0),
        y: row(1),
        z: row(2),
    }
}

/// How many go side by side.
pub(super) const MANY: usize = LANES;
