//! `record` of `[output]`: names become outputs.
use crate::{Located, Place, Problems, nearest, problem::excerpt, problem::listed};
use holonomy::{output::Output, system::Layout};

/// What is recorded of a run beside its state.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outputs {
    /// In the order of their columns.
    pub list: Vec<Output>,
    /// Whether the model names them; those of a tree's sites are recorded without being asked for.
    pub asked: bool,
}

/// Sites of a tree up to which all are recorded.
const FEW: usize = 8;

/// Names that were read, and where they stand.
pub(crate) struct Wanted {
    pub(crate) names: Vec<Located<String>>,
    pub(crate) place: Place,
}

/// Finds what is named, or else takes the sites of a tree, if they are few.
///
/// `stepped` is the name of a method whose steps give no impulses.
pub(crate) fn outputs(
    wanted: Option<Wanted>,
    layout: &Layout,
    stepped: Option<&str>,
    problems: &Problems,
) -> Outputs {
    if !cfg!(feature = "outputs") {
        return Outputs::default();
    }
    let Some(wanted) = wanted else {
        let sites = Output::sites(layout);
        let few = sites.len() <= FEW;
        return Outputs {
            list: if few { sites } else { Vec::new() },
            asked: false,
        };
    };
    if wanted.names.is_empty() {
        problems
            .error(wanted.place, "`record` names nothing")
            .help(format!("leave it out, or name something: {}", known(layout)));
        return Outputs::default();
    }
    let mut list: Vec<Output> = Vec::new();
    for Located { value: name, place } in wanted.names {
        let Some(output) = Output::find(&name, layout) else {
            let message = format!("there is nothing to record named `{}`", excerpt(&name));
            problems
                .error(place, message)
                .help(output_suggestion(&name, layout));
            continue;
        };
        if let Some(method) = stepped.filter(|_| output.is_of_a_step()) {
            let message = format!(
                "steps of `{method}` give no impulses to record as `{}`",
                excerpt(&name)
            );
            problems
                .error(place, message)
                .help("record `lambda.…`, the multiplier of the moment, or take a variational method");
            continue;
        }
        match list.iter().find(|other| other.overlaps(&output)) {
            Some(other) => {
                let (name, other) = (excerpt(&name), excerpt(&other.name));
                let message = match name == other {
                    true => format!("`{name}` is listed twice"),
                    false => format!("`{name}` is recorded with `{other}` already"),
                };
                problems.error(place, message).help("remove one of them");
            }
            None => list.push(output),
        }
    }
    Outputs { list, asked: true }
}

/// What may have been meant by a name that does not exist, and what there is.
pub fn output_suggestion(name: &str, layout: &Layout) -> String {
    let names = Output::names(layout);
    let near = |name: &str| nearest(name, names.iter().map(String::as_str)).map(str::to_owned);
    let parts = name.rsplit_once('.');
    // A component of something that is misspelt.
    let component = || {
        let (of, axis) = parts.filter(|(_, axis)| ["w", "x", "y", "z"].contains(axis))?;
        let near = near(of)?;
        Some(format!("{near}.{axis}"))
    };
    // Something of a site that is misspelt.
    let within = || {
        let (site, what) = name.split_once('.')?;
        let near = near(site)?;
        Some(format!("{near}.{what}"))
    };
    let found = component()
        .filter(|found| Output::find(found, layout).is_some())
        .or_else(|| near(name))
        .or_else(|| within().filter(|found| Output::find(found, layout).is_some()));
    match found {
        Some(near) => format!("did you mean `{near}`? There is {}", known(layout)),
        None => format!("there is {}", known(layout)),
    }
}

/// Names that can be recorded, as many as a sentence holds.
fn known(layout: &Layout) -> String {
    listed(Output::names(layout).iter().map(String::as_str)).unwrap_or_default()
}
