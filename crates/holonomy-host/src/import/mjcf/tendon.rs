//! Tendons: fixed ones as efforts in their joints, spatial ones as springs, strings and dampers between sites.
//!
//! ```text
//! fixed      L = Σ c q         τ = −c (k d(L) + b L')        d(L) = L − hi above hi, L − lo below lo, 0 between
//! spatial    L = Σ |r_j − r_j+1|
//!            without `springlength` lo = hi = L where every joint is at its `springref`
//!            lo = hi           a spring between two sites; through more, the energy ½ k (L − lo)² as a formula
//!            0 = lo < hi       a string: slack up to hi
//!            0 < lo < hi       ½ k d(L)² as a formula
//! ```
use super::{element::Id, equality::Term, joint::Joint, values::Item, world::World};
use crate::import::write::{number, quoted};
use holonomy::{Vec3, geometry::Pose};
use std::fmt::Write;

/// What a tendon is along.
pub(super) enum Path {
    /// Joint coordinates, with their factors.
    Joints(Vec<Term>),
    /// Sites, in their order.
    Sites(Vec<usize>),
}

pub(super) struct Tendon {
    pub(super) written: String,
    pub(super) path: Path,
}

impl<'a> World<'a> {
    /// Writes the tendons. Those that are not understood stay without a mark, and are listed.
    pub(super) fn tendons(&mut self) -> Option<()> {
        let document = self.document;
        let sections = document.children(0).iter().copied();
        for section in sections.filter(|id| document.tag(*id) == "tendon") {
            for id in document.children(section).iter().copied() {
                let class = self.class(id, "class", 0);
                let item = self.item(id, class);
                let path = match document.tag(id) {
                    "fixed" => self.along_joints(id)?,
                    "spatial" => self.along_sites(id)?,
                    _ => None,
                };
                let Some(path) = path else { continue };
                item.carry(&["name"]);
                let tendon = Tendon {
                    written: self.part_stem(id),
                    path,
                };
                self.acts(&item, &tendon)?;
                self.tendons.push(tendon);
            }
        }
        Some(())
    }

    /// A tendon that an attribute names; `None` within for one that is not read.
    pub(super) fn tendon_named(&self, item: &Item<'_>, attribute: &str) -> Option<Option<usize>> {
        let name = item.word(attribute).unwrap_or_default();
        let found = self.tendons.iter().position(|tendon| tendon.written == name);
        if found.is_some() {
            return Some(found);
        }
        let document = self.document;
        let sections = document
            .children(0)
            .iter()
            .filter(|id| document.tag(**id) == "tendon");
        let all = sections.flat_map(|id| document.children(*id));
        let names = all.filter_map(|id| Some(document.attribute(*id, "name")?.value.as_str()));
        if names.clone().any(|known| known == name) {
            return Some(None);
        }
        item.unknown(attribute, "tendon", names).none()
    }

    /// A part of a tendon: it has no defaults.
    fn part(&self, id: Id) -> Item<'a> {
        Item {
            tag: "",
            ..self.item(id, 0)
        }
    }

    fn along_joints(&self, id: Id) -> Option<Option<Path>> {
        let mut terms = Vec::new();
        for part in self.document.children(id).iter().copied() {
            let item = self.part(part);
            let Some(joint) = self.joint_named(&item, "joint")? else {
                return Some(None);
            };
            if !item.has("coef") {
                return item
                    .document
                    .error(part, "a joint of a fixed tendon has no `coef`")
                    .help("write what its coordinate is multiplied by: `coef=\"1\"`")
                    .none();
            }
            terms.push((joint, item.number("coef", 1.0)?));
        }
        for part in self.document.children(id).iter().copied() {
            self.part(part).carry(&["joint", "coef"]);
        }
        Some((!terms.is_empty()).then_some(Path::Joints(terms)))
    }

    fn along_sites(&self, id: Id) -> Option<Option<Path>> {
        let parts = self.document.children(id);
        // Shapes to wrap around, and pulleys that divide.
        if parts.iter().any(|part| self.document.tag(*part) != "site") {
            return Some(None);
        }
        let mut sites = Vec::new();
        for part in parts.iter().copied() {
            sites.push(self.site_named(&self.part(part), "site")?);
        }
        let first = sites.first().map(|site| self.sites[*site].body);
        // Between points of one body nothing ever changes.
        if sites.len() < 2 || sites.iter().all(|site| Some(self.sites[*site].body) == first) {
            return Some(None);
        }
        for part in parts.iter().copied() {
            self.part(part).carry(&["site"]);
        }
        Some(Some(Path::Sites(sites)))
    }

    /// Stiffness and damping of a tendon.
    fn acts(&mut self, item: &Item<'_>, tendon: &Tendon) -> Option<()> {
        let stiffness = item.numbers("stiffness", 1, [0.0; 4])?;
        let damping = item.numbers("damping", 1, [0.0; 4])?;
        let [low, high] = item.numbers("springlength", 1, [-1.0, f64::NAN])?;
        let length = match &tendon.path {
            Path::Joints(terms) => {
                let at = |(joint, factor): &Term| factor * self.joint_at(*joint).spring_reference;
                terms.iter().map(at).sum()
            }
            Path::Sites(sites) => self.length(sites, &|body| self.world_from_sprung(body)),
        };
        let [low, high] = match (low, high) {
            (-1.0, high) if high.is_nan() || high == -1.0 => [length; 2],
            (low, high) if high.is_nan() => [low; 2],
            ends => ends.into(),
        };
        if stiffness[0] < 0.0 || damping[0] < 0.0 || low > high {
            return item
                .document
                .error(
                    item.id,
                    "stiffness or damping of a tendon is negative, or the ends of its rest are in the wrong order",
                )
                .help("give zero or more, and the smaller of `springlength` first")
                .none();
        }
        let linear = |terms: [f64; 4]| terms[1..] == [0.0; 3];
        let off = &self.globals.off;
        let k = if off.springs { 0.0 } else { stiffness[0] };
        let c = if off.dampers { 0.0 } else { damping[0] };
        let pair = !matches!(&tendon.path, Path::Sites(sites) if sites.len() > 2);
        if linear(stiffness) {
            item.carry(&["stiffness", "springlength"]);
        }
        // Through more than two sites there is no damper.
        if linear(damping) && (pair || c == 0.0) {
            item.carry(&["damping"]);
        }
        let k = if linear(stiffness) { k } else { 0.0 };
        let c = if linear(damping) && pair { c } else { 0.0 };
        match &tendon.path {
            Path::Joints(terms) => self.pull_joints(terms, (k, [low, high]), c),
            Path::Sites(sites) => self.pull_sites(item.id, sites, (k, [low, high]), c),
        }
        Some(())
    }

    fn pull_joints(&mut self, terms: &[Term], (k, [low, high]): (f64, [f64; 2]), c: f64) {
        let [length, rate] = self.length_of(terms);
        let mut force = Vec::new();
        if k > 0.0 && low == high {
            force.push(format!("{}*({length} - ({}))", number(k), number(low)));
        } else if k > 0.0 {
            let (low, high) = (number(low), number(high));
            let dead = format!("max({length} - ({high}), 0) - max({low} - ({length}), 0)");
            force.push(format!("{}*({dead})", number(k)));
        }
        if c > 0.0 {
            force.push(format!("{}*({rate})", number(c)));
        }
        if force.is_empty() {
            return;
        }
        let force = force.join(" + ");
        for (joint, factor) in terms {
            self.joint_at_mut(*joint)
                .add_effort(&format!("({})*({force})", number(-factor)));
        }
    }

    fn pull_sites(&mut self, id: Id, sites: &[usize], (k, [low, high]): (f64, [f64; 2]), c: f64) {
        let paths: Vec<String> = sites.iter().map(|site| self.site_path(*site)).collect();
        let list = paths.join(", ");
        let section = |world: &mut Self, kind: &str, text: String| {
            let name = quoted(&world.part_name(id, kind));
            world
                .sections
                .push(format!("\n[[{kind}]]\nname = {name}  # tendon\n{text}"));
        };
        if k > 0.0 && low == high && sites.len() == 2 {
            let text = format!(
                "kind = \"spring\"\nbetween = [{list}]\nstiffness = {}\nrest_length = {}\n",
                number(k),
                number(low)
            );
            section(self, "potential", text);
        } else if k > 0.0 && low == 0.0 && high > 0.0 {
            let text = format!(
                "through = [{list}]\nlength = {}\nstiffness = {}\nsmoothing = 0\n",
                number(high),
                number(k)
            );
            section(self, "string", text);
        } else if k > 0.0 {
            let mut text = String::from("kind = \"formula\"\n");
            let pieces: Vec<String> = (1..sites.len())
                .map(|j| format!("norm(s{} - s{j})", j - 1))
                .collect();
            let length = pieces.join(" + ");
            let stretch = match low == high {
                true => format!("({length} - ({}))^2", number(low)),
                false => format!(
                    "(max({length} - ({}), 0)^2 + max({} - ({length}), 0)^2)",
                    number(high),
                    number(low)
                ),
            };
            let _ = writeln!(text, "energy = \"{}*{stretch}\"", number(0.5 * k));
            let points: Vec<String> = paths
                .iter()
                .enumerate()
                .map(|(j, path)| format!("s{j} = {path}"))
                .collect();
            let _ = writeln!(text, "points = {{ {} }}", points.join(", "));
            section(self, "potential", text);
        }
        if c > 0.0 {
            section(
                self,
                "damper",
                format!("between = [{list}]\ncoefficient = {}\n", number(c)),
            );
        }
    }

    /// Formulas of the length along joints and of its rate.
    pub(super) fn length_of(&mut self, terms: &[Term]) -> [String; 2] {
        let mut texts = [String::new(), String::new()];
        for (k, (joint, factor)) in terms.iter().enumerate() {
            let name = self.formula_name(*joint);
            let plus = if k == 0 { "" } else { " + " };
            let _ = write!(texts[0], "{plus}({})*{name}", number(*factor));
            let _ = write!(texts[1], "{plus}({})*{name}'", number(*factor));
        }
        texts
    }

    /// The length through sites where every joint is at its reference.
    pub(super) fn length_at_reference(&self, sites: &[usize]) -> f64 {
        self.length(sites, &|body| self.world_from(body))
    }

    fn length(&self, sites: &[usize], world_from: &dyn Fn(Option<usize>) -> Pose) -> f64 {
        let place = |site: usize| -> Vec3 {
            let site = &self.sites[site];
            world_from(site.body).point(&site.pose.translation)
        };
        let pieces = sites
            .windows(2)
            .map(|pair| (place(pair[0]) - place(pair[1])).norm());
        pieces.sum()
    }

    /// The pose of a body where every joint is at its `springref`.
    fn world_from_sprung(&self, body: Option<usize>) -> Pose {
        let Some(body) = body.map(|body| &self.bodies[body]) else {
            return Pose::identity();
        };
        let joints = body.joints.iter().map(Joint::at_spring_reference);
        joints.fold(self.world_from_sprung(body.parent) * body.pose, |pose, joint| {
            pose * joint
        })
    }

    pub(super) fn joint_at(&self, (body, joint): (usize, usize)) -> &Joint {
        &self.bodies[body].joints[joint]
    }

    pub(super) fn joint_at_mut(&mut self, (body, joint): (usize, usize)) -> &mut Joint {
        &mut self.bodies[body].joints[joint]
    }

    /// How a formula calls the coordinate of a joint: an entry of `[names]`.
    fn formula_name(&mut self, joint: (usize, usize)) -> String {
        let target = self.joint_at(joint).body.clone();
        if let Some((name, _)) = self.formula_names.iter().find(|(_, known)| *known == target) {
            return name.clone();
        }
        let letters = target.chars().map(|letter| match letter.is_ascii_alphanumeric() {
            true => letter,
            false => '_',
        });
        let stem = format!("joint_{}", letters.collect::<String>());
        let own = self.joint_at(joint).label.clone();
        let mut name = stem.clone();
        let mut count = 1;
        // Formulas know joints and sites by their names already.
        while self.formula_names.iter().any(|(taken, _)| *taken == name) || name != own && self.calls(&name) {
            count += 1;
            name = format!("{stem}_{count}");
        }
        self.formula_names.push((name.clone(), target));
        name
    }

    /// A site as other sections name it, in quotes.
    pub(super) fn site_path(&self, site: usize) -> String {
        let site = &self.sites[site];
        match site.body {
            None => quoted(&site.name),
            Some(body) => quoted(&format!("{}/{}", self.bodies[body].name, site.name)),
        }
    }
}
