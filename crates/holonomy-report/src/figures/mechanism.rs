//! The mechanism as figures draw it: rods and strings between its sites.
use holonomy::{
    Vec3,
    system::{Base, Layout},
};

/// Polylines through places in space; one of a single point is a place where something hangs, or a point mass.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mechanism {
    /// What is stiff: links that follow each other, from their fixed base or from the joint where they branch off, and
    /// beams. The lines of a picture are stiff as well.
    pub(super) rods: Vec<Vec<Vec3>>,
    /// What only pulls or guides: cables, distances that are kept, and slides, whose length changes.
    pub(super) strings: Vec<Vec<Vec3>>,
}

/// Links that change their length by more are not rods. Methods that leave the manifold change it a little.
const STRETCHED: f64 = 0.05;

impl Mechanism {
    /// The mechanism where its sites are; `others` are places of its sites at other times.
    pub(super) fn new(layout: &Layout, sites: &[Vec3], others: &[(f64, Vec<Vec3>)]) -> Self {
        let drawing = &layout.drawing;
        let mut drawn = Self::default();
        // The rod that ends at a site, while no other link goes on from there; and what is a part of something.
        let mut ends_at: Vec<Option<usize>> = vec![None; sites.len()];
        let mut is_part = vec![false; sites.len()];
        let rounding = 1e-8 * extent(sites.iter());
        for (body, (base, &site)) in drawing.bases.iter().zip(sites).enumerate() {
            let parent = match *base {
                Base::Site(parent) if parent == body => continue,
                Base::Site(parent) => Some(parent),
                Base::Fixed(_) => None,
            };
            is_part[body] = true;
            let length = |sites: &[Vec3]| match *base {
                Base::Fixed(point) => (sites[body] - point).norm(),
                Base::Site(parent) => (sites[body] - sites[parent]).norm(),
            };
            let now = length(sites);
            let stretched = |other: f64| (other - now).abs() > (STRETCHED * now.max(other)).max(rounding);
            let start = match *base {
                Base::Fixed(point) => point,
                Base::Site(parent) => sites[parent],
            };
            let mut known = others.iter().filter(|(_, other)| other.len() == sites.len());
            if known.any(|(_, other)| stretched(length(other))) {
                drawn.strings.push(vec![start, site]);
                continue;
            }
            let before = parent.and_then(|parent| ends_at[parent].take());
            let rod = before.unwrap_or_else(|| {
                drawn.rods.push(vec![start]);
                drawn.rods.len() - 1
            });
            // A site that is fixed itself is where something hangs.
            if site != start {
                drawn.rods[rod].push(site);
            }
            if let Some(parent) = parent {
                is_part[parent] = true;
            }
            ends_at[body] = Some(rod);
        }
        // A body's site at its origin is no rod.
        let fixed = |rod: &[Vec3]| drawing.bases.contains(&Base::Fixed(rod[0]));
        drawn.rods.retain(|rod| rod.len() > 1 || fixed(rod));
        let at = |line: &[usize]| -> Vec<Vec3> { line.iter().map(|site| sites[*site]).collect() };
        let lines: Vec<Vec<Vec3>> = drawing.strings.iter().map(|line| at(line)).collect();
        match drawing.is_a_picture() {
            true => drawn.rods.extend(lines),
            false => drawn.strings.extend(lines),
        }
        // Beams that follow each other are one.
        let mut beams: Vec<Vec<usize>> = Vec::new();
        for &[from, to] in &drawing.beams {
            match beams.iter_mut().find(|beam| beam.last() == Some(&from)) {
                Some(beam) => beam.push(to),
                None => beams.push(vec![from, to]),
            }
        }
        drawn.rods.extend(beams.iter().map(|beam| at(beam)));
        for &site in drawing
            .strings
            .iter()
            .flatten()
            .chain(drawing.beams.iter().flatten())
        {
            is_part[site] = true;
        }
        let alone = (0..drawing.followed().min(sites.len())).filter(|site| !is_part[*site]);
        drawn.rods.extend(alone.map(|site| vec![sites[site]]));
        drawn
    }

    /// Joints of the longest rod.
    pub(super) fn longest(&self) -> usize {
        self.rods.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// How many rods there are; points are none.
    pub(super) fn rods(&self) -> usize {
        self.rods.iter().filter(|rod| rod.len() > 1).count()
    }

    /// All places.
    pub(super) fn places(&self) -> impl Iterator<Item = &Vec3> {
        self.rods.iter().chain(&self.strings).flatten()
    }

    /// Places of what is not hung up: rods without the points where strings may end.
    pub(super) fn body(&self) -> impl Iterator<Item = &Vec3> {
        self.rods.iter().filter(|rod| rod.len() > 1).flatten()
    }

    /// What is in the window.
    pub(super) fn cut(&mut self, window: &Window) {
        self.rods
            .retain(|rod| rod.len() > 1 || rod.iter().all(|point| window.holds(point)));
        for string in &mut self.strings {
            *string = window.cut(string);
        }
        self.strings.retain(|string| string.len() > 1);
    }
}

/// A stretch of one axis: long strings are cut off where they would make a picture of nothing but strings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    axis: usize,
    low: f64,
    high: f64,
}

impl Window {
    /// The window for a picture of everything, that has the body and its paths in it; `None` if nothing has to be cut.
    pub(super) fn around<'a>(
        all: impl Iterator<Item = &'a Vec3>,
        body: impl Iterator<Item = &'a Vec3>,
    ) -> Option<Self> {
        /// How much longer than wide a picture may be.
        const LONGEST: f64 = 2.0;
        let ([all_low, all_high], [low, high]) = (bounds(all)?, bounds(body)?);
        let edges = all_high - all_low;
        let axis = edges.imax();
        let next = edges[(axis + 1) % 3].max(edges[(axis + 2) % 3]);
        let body = high[axis] - low[axis];
        let most = (LONGEST * next).max(1.1 * body);
        let [over, under] = [all_high[axis] - high[axis], low[axis] - all_low[axis]];
        (edges[axis] > most && next > 0.0 && body > 0.0).then(|| {
            let share = (most - body) / (over + under);
            Self {
                axis,
                low: low[axis] - share * under,
                high: high[axis] + share * over,
            }
        })
    }

    fn holds(&self, point: &Vec3) -> bool {
        (self.low..=self.high).contains(&point[self.axis])
    }

    /// The first stretch of a polyline that is in the window.
    fn cut(&self, line: &[Vec3]) -> Vec<Vec3> {
        let mut kept: Vec<Vec3> = Vec::new();
        for pair in line.windows(2) {
            let (from, to) = (pair[0], pair[1]);
            let way = to[self.axis] - from[self.axis];
            let shares = [self.low, self.high].map(|edge| (edge - from[self.axis]) / way);
            let inside = |share: &f64| *share > 0.0 && *share < 1.0;
            let mut cuts: Vec<f64> = shares.into_iter().filter(inside).collect();
            cuts.sort_by(f64::total_cmp);
            let points = cuts.into_iter().map(|share| from + (to - from) * share);
            let start = (kept.is_empty() && self.holds(&from)).then_some(from);
            kept.extend(
                start
                    .into_iter()
                    .chain(points)
                    .chain(self.holds(&to).then_some(to)),
            );
        }
        kept
    }
}

/// The corners of the box around some places.
fn bounds<'a>(places: impl Iterator<Item = &'a Vec3>) -> Option<[Vec3; 2]> {
    let finite = places.filter(|place| place.iter().all(|part| part.is_finite()));
    finite.fold(None, |bounds: Option<[Vec3; 2]>, place| {
        let [low, high] = bounds.unwrap_or([*place; 2]);
        Some([low.inf(place), high.sup(place)])
    })
}

/// The longest edge of the box around some places.
pub(super) fn extent<'a>(places: impl Iterator<Item = &'a Vec3>) -> f64 {
    bounds(places).map_or(0.0, |[low, high]| (high - low).max())
}

/// Centre and radius of the sphere that all bodies move on, if there is one.
pub(super) fn common_sphere(layout: &Layout, sites: &[Vec3]) -> Option<(Vec3, f64)> {
    let Some(&Base::Fixed(centre)) = layout.drawing.bases.first() else {
        return None;
    };
    let radius = (sites.first()? - centre).norm();
    let shared = layout
        .drawing
        .bases
        .iter()
        .all(|base| *base == Base::Fixed(centre));
    // Methods that leave the manifold change the lengths a little.
    let alike = |site: &Vec3| ((site - centre).norm() / radius - 1.0).abs() < 0.05;
    (shared && radius > 0.0 && sites.iter().all(alike)).then_some((centre, radius))
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy::system::Drawing;

    fn layout(bases: Vec<Base>, strings: Vec<Vec<usize>>) -> Layout {
        Layout {
            drawing: Drawing {
                bases,
                strings,
                ..Drawing::default()
            },
            ..Layout::default()
        }
    }

    #[test]
    fn a_chain_is_one_rod_and_a_branch_another() {
        let sites = [Vec3::x(), 2.0 * Vec3::x(), Vec3::y()];
        let tree = layout(
            vec![Base::Fixed(Vec3::zeros()), Base::Site(0), Base::Site(0)],
            vec![],
        );
        let Mechanism { rods, strings } = Mechanism::new(&tree, &sites, &[]);
        assert_eq!((rods.len(), strings.len()), (2, 0));
        assert_eq!(rods[0], [Vec3::zeros(), sites[0], sites[1]]);
        assert_eq!(rods[1], [sites[0], sites[2]]);
    }

    #[test]
    fn strings_are_not_rods_and_lines_of_a_picture_are() {
        let sites = [Vec3::z(), Vec3::x()];
        let hung = layout(
            vec![Base::Fixed(Vec3::z()), Base::Fixed(Vec3::zeros())],
            vec![vec![0, 1]],
        );
        let Mechanism { rods, strings } = Mechanism::new(&hung, &sites, &[]);
        assert_eq!(rods, [vec![Vec3::z()], vec![Vec3::zeros(), Vec3::x()]]);
        assert_eq!(strings, [sites.to_vec()]);
        let picture = layout(vec![Base::Site(0), Base::Site(1)], vec![vec![0, 1]]);
        let Mechanism { rods, strings } = Mechanism::new(&picture, &sites, &[]);
        assert_eq!((rods, strings), (vec![sites.to_vec()], vec![]));
    }

    #[test]
    fn what_changes_its_length_is_no_rod_and_what_is_alone_is_a_point() {
        let sites = [Vec3::x(), Vec3::y()];
        let slide = layout(vec![Base::Fixed(Vec3::zeros()), Base::Site(1)], vec![]);
        let before = (0.0, vec![2.0 * Vec3::x(), Vec3::z()]);
        let Mechanism { rods, strings } = Mechanism::new(&slide, &sites, &[before]);
        assert_eq!(strings, [vec![Vec3::zeros(), Vec3::x()]]);
        assert_eq!(rods, [vec![Vec3::y()]]);
    }

    #[test]
    fn long_strings_are_cut_off_and_bodies_are_not() {
        let mut puppet = Mechanism {
            rods: vec![
                vec![Vec3::zeros(), Vec3::x(), Vec3::new(1.0, 0.0, -1.0)],
                vec![10.0 * Vec3::z()],
            ],
            strings: vec![vec![Vec3::zeros(), 10.0 * Vec3::z()]],
        };
        let window = Window::around(puppet.places(), puppet.body()).expect("too long");
        puppet.cut(&window);
        assert_eq!(puppet.rods.len(), 1);
        // Twice as tall as wide, and all of it above.
        assert_eq!(puppet.strings, [vec![Vec3::zeros(), Vec3::z()]]);
        assert_eq!(Window::around(puppet.places(), puppet.body()), None);
    }

    #[test]
    fn a_sphere_needs_one_centre_and_one_radius() {
        let here = Base::Fixed(Vec3::z());
        let sites = [Vec3::z() + 2.0 * Vec3::x(), Vec3::z() - 2.0 * Vec3::y()];
        let sphere = common_sphere(&layout(vec![here, here], vec![]), &sites);
        assert_eq!(sphere, Some((Vec3::z(), 2.0)));
        assert_eq!(
            common_sphere(&layout(vec![here, Base::Site(0)], vec![]), &sites),
            None
        );
        let uneven = [sites[0], Vec3::zeros()];
        assert_eq!(common_sphere(&layout(vec![here, here], vec![]), &uneven), None);
    }
}
