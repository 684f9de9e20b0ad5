//! Strings through sites: they pull where they are longer than they would be, and are slack otherwise.
//!
//! ```text
//! l = Σ_j l_j,   l_j = |d_j|,   d_j = r_j − r_{j+1} = l_j n_j      g_k = ∂l/∂r_k = n_k − n_{k−1}
//! T = (F + D)(l − L, l̇) ≥ 0,   f_k = −T g_k                        F and D as in `one_sided.rs`
//!
//! δf_k = −g_k (T_l δl + T_l̇ δl̇) − T δg_k,    δn_j = (1 − n_j n_jᵀ) δd_j / l_j
//! δl   = Σ g_k·δr_k,    δl̇ = Σ g_k·δṙ_k + s_k·δr_k,    s_k = ∂l̇/∂r_k: (1 − n nᵀ) ḋ/l of both pieces
//! ```
//! with δr and δṙ as in `links.rs`. One row for the tension, and two for each piece across it.
use super::{
    Kinematics, LinkFault, OneSided, SitePlace, Tree,
    factors::{LowRank, stack},
    forces::Load,
    links::{arm, at, tangents},
};
use crate::{Vec3, geometry::se3::join};
use nalgebra::Vector6;

/// A string through sites that slides over those between its ends without friction, and goes slack.
#[derive(Clone, Debug)]
pub struct ElasticString {
    /// Two sites or more, in their order.
    pub through: Vec<usize>,
    /// The length L up to which it is slack, m.
    pub length: f64,
    /// What acts beyond: stiffness in N/m, damping in N s/m, and the way over which both set in.
    pub law: OneSided,
}

/// A string on nodes.
#[derive(Clone, Debug)]
pub(super) struct BoundString {
    /// The sites, by number.
    pub(super) through: Vec<usize>,
    pub(super) sites: Vec<SitePlace>,
    pub(super) length: f64,
    pub(super) law: OneSided,
}

/// A piece between two sites: its direction, its length, and how fast one end moves against the other.
struct Piece {
    n: Vec3,
    length: f64,
    relative: Vec3,
}

impl ElasticString {
    pub(super) fn bind(self, sites: &[SitePlace]) -> Result<BoundString, LinkFault> {
        if self.through.len() < 2 {
            return Err(LinkFault::Short);
        }
        let places: Option<Vec<SitePlace>> = self
            .through
            .iter()
            .map(|site| sites.get(*site).copied())
            .collect();
        let places = places.ok_or(LinkFault::NoSite)?;
        if places.iter().all(|site| site.node == places[0].node) {
            return Err(LinkFault::OneBody);
        }
        if !self.law.is_sound() {
            return Err(LinkFault::Stiffness);
        }
        if !(self.length > 0.0 && self.length.is_finite()) {
            return Err(LinkFault::Length);
        }
        Ok(BoundString {
            through: self.through,
            sites: places,
            length: self.length,
            law: self.law,
        })
    }
}

impl BoundString {
    /// The piece behind site k.
    fn piece(&self, k: usize, kinematics: &Kinematics) -> Piece {
        let [a, b] = [&self.sites[k], &self.sites[k + 1]];
        let d = kinematics.site(a) - kinematics.site(b);
        let length = d.norm();
        Piece {
            // Where two sites meet, what is between them pulls in no direction.
            n: if length > 0.0 { d / length } else { d },
            length,
            relative: kinematics.site_velocity(a) - kinematics.site_velocity(b),
        }
    }

    /// How much longer than L it is, and how fast it grows.
    pub(super) fn stretch(&self, kinematics: &Kinematics) -> (f64, f64) {
        let pieces = (0..self.sites.len() - 1).map(|k| self.piece(k, kinematics));
        let (length, rate) = pieces.fold((0.0, 0.0), |(length, rate), piece| {
            (length + piece.length, rate + piece.n.dot(&piece.relative))
        });
        (length - self.length, rate)
    }

    pub(super) fn energy(&self, kinematics: &Kinematics) -> f64 {
        self.law.elastic(self.stretch(kinematics).0)[0]
    }

    pub(super) fn tension(&self, kinematics: &Kinematics) -> f64 {
        let (x, rate) = self.stretch(kinematics);
        self.law.elastic(x)[1] + self.law.damped(x, rate)[0]
    }

    /// `−D l̇`.
    pub(super) fn damped_power(&self, kinematics: &Kinematics) -> f64 {
        let (x, rate) = self.stretch(kinematics);
        -self.law.damped(x, rate)[0] * rate
    }

    /// `g_k` and `s_k`.
    fn gradients(&self, k: usize, kinematics: &Kinematics) -> (Vec3, Vec3) {
        let (mut g, mut s) = (Vec3::zeros(), Vec3::zeros());
        let behind = (k + 1 < self.sites.len()).then_some((k, 1.0));
        let before = (k > 0).then(|| (k - 1, -1.0));
        for (piece, sign) in behind.into_iter().chain(before) {
            let piece = self.piece(piece, kinematics);
            g += piece.n * sign;
            if piece.length > 0.0 {
                s += (piece.relative - piece.n * piece.n.dot(&piece.relative)) * (sign / piece.length);
            }
        }
        (g, s)
    }

    pub(super) fn load(&self, kinematics: &Kinematics, weight: f64, loads: &mut [Load]) {
        let (x, rate) = self.stretch(kinematics);
        if x <= 0.0 {
            return;
        }
        let (elastic, damped) = (self.law.elastic(x)[1], self.law.damped(x, rate)[0]);
        for (k, site) in self.sites.iter().enumerate() {
            if let Some(node) = site.node {
                let (g, arm) = (self.gradients(k, kinematics).0, arm(site, kinematics));
                loads[node].add(&arm, &(g * -(elastic + weight * damped)));
                let forced = g * -damped;
                loads[node].forced += join(&forced, &arm.cross(&forced));
            }
        }
    }

    pub(super) fn couple(&self, kinematics: &Kinematics, weight: f64, out: &mut LowRank<12>) {
        let (x, rate) = self.stretch(kinematics);
        if x <= 0.0 {
            return;
        }
        let ([_, force, stiffness], [damped, by_x, by_rate]) =
            (self.law.elastic(x), self.law.damped(x, rate));
        let tension = force + weight * damped;
        let (by_length, by_rate) = (stiffness + weight * by_x, weight * by_rate);
        out.begin();
        for (k, site) in self.sites.iter().enumerate() {
            let Some(node) = site.node else { continue };
            let (g, s) = self.gradients(k, kinematics);
            let arm = arm(site, kinematics);
            let velocity = kinematics.site_velocity(site);
            let turning = stack(&join(&Vec3::zeros(), &velocity.cross(&g)), &Vector6::zeros());
            let moving = stack(&Vector6::zeros(), &join(&g, &arm.cross(&g)));
            let row = at(&arm, &g) * by_length + (at(&arm, &s) + turning + moving) * by_rate;
            out.row(node, 0, &row);
            out.column(node, 0, &-at(&arm, &g));
        }
        let mut rank = 1;
        for k in 0..self.sites.len() - 1 {
            let piece = self.piece(k, kinematics);
            // Between points of one body nothing turns against it.
            if self.sites[k].node == self.sites[k + 1].node || piece.length == 0.0 {
                continue;
            }
            let (across, other) = tangents(&piece.n);
            for e in [across, other] {
                for (end, sign) in [(k, 1.0), (k + 1, -1.0)] {
                    let Some(node) = self.sites[end].node else {
                        continue;
                    };
                    let row = at(&arm(&self.sites[end], kinematics), &e) * sign;
                    out.row(node, rank, &row);
                    out.column(node, rank, &(row * (-tension / piece.length)));
                }
                rank += 1;
            }
        }
        out.end(rank);
    }
}

impl Tree {
    /// A string by the sites at its ends.
    pub(super) fn string_name(&self, string: &BoundString) -> String {
        let names = &self.layout.drawing.sites;
        let [a, b] = [string.through[0], string.through[string.through.len() - 1]];
        format!("string {}-{}", names[a], names[b])
    }
}
