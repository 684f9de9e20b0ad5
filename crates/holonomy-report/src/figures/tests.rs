//! Figures of scenarios that come with the program.
use super::of_run;
use crate::{
    figure::well_formed::assert_well_formed,
    run::{Outcome, run},
};
use holonomy_model::{Source, load, scenario};
use std::collections::BTreeSet;

/// The figures of a scenario after so many steps.
fn figures(name: &str, steps: u32) -> Vec<(&'static str, String)> {
    let scenario = scenario::find(name).expect("a scenario");
    let lasting = |line: &&str| !line.starts_with("every");
    let lines = scenario.model.lines().filter(lasting).map(|line| {
        match line.starts_with("duration") || line.starts_with("steps") {
            true => format!("steps = {steps}"),
            false => line.to_owned(),
        }
    });
    let text = lines.collect::<Vec<String>>().join("\n");
    let model = load(&Source::new(name, text)).expect("a model");
    let Outcome { summary, series, .. } = run(&model, name);
    let figures = of_run(name, model.mechanism.system().layout(), &summary, &series);
    figures.iter().for_each(|(_, figure)| assert_well_formed(figure));
    figures
}

fn figure(name: &str, steps: u32, file: &str) -> String {
    let figures = figures(name, steps);
    let found = figures.into_iter().find(|(other, _)| *other == file);
    found.expect("the figure").1
}

/// What stands in the text elements of a figure.
fn texts(figure: &str) -> Vec<&str> {
    let elements = figure.split("<text ").skip(1);
    let inner = elements.filter_map(|element| element.split_once('>')?.1.split_once("</text>"));
    inner.map(|(text, _)| text).collect()
}

#[test]
fn a_plane_mechanism_is_drawn_plane() {
    for name in [
        "four-bar",
        "slider-crank",
        "scissor-lift",
        "ten-link-cable",
        "catenary",
    ] {
        for file in ["views.svg", "coordinates.svg", "phase.svg"] {
            let figures = figures(name, 60);
            let Some((_, figure)) = figures.iter().find(|(other, _)| *other == file) else {
                continue;
            };
            let factor = texts(figure).into_iter().find(|text| text.contains("×10"));
            assert_eq!(factor, None, "{name}: {file}");
        }
    }
}

#[test]
fn no_two_curves_have_one_name() {
    for name in ["scissor-lift", "four-bar", "puppet"] {
        for (file, figure) in figures(name, 20) {
            // Names of a legend stand 9 pixels beside their samples; numbers on axes may well repeat.
            let word = |text: &&str| text.chars().any(char::is_alphabetic) && !text.contains('(');
            let words: Vec<&str> = texts(&figure).into_iter().filter(word).collect();
            let alone: BTreeSet<&&str> = words.iter().filter(|word| word.len() > 1).collect();
            let all = words.iter().filter(|word| word.len() > 1).count();
            assert_eq!(alone.len(), all, "{name}: {file}: {words:?}");
        }
    }
}

#[test]
fn the_mechanism_is_in_every_view_with_thick_rods_and_thin_strings() {
    let views = figure("puppet", 20, "views.svg");
    let lines = |colour: &str, width: &str| {
        let stroke = format!("stroke=\"{colour}\" stroke-width=\"{width}\"");
        views.matches(&stroke).count()
    };
    // Three views and the legend.
    assert_eq!(
        (
            lines("#3c3c3c", "4.5"),
            lines("#6b6b6b", "1") + lines("#6b6b6b", "1.2")
        ),
        (4, 4)
    );
    for file in ["trajectory.svg", "configurations.svg"] {
        let figure = figure("puppet", 20, file);
        assert!(figure.contains("stroke-width=\"1.2\"") && figure.contains("stroke-linejoin=\"round\""));
    }
    // Elastic beams are rods, too.
    let beams = figure("cantilever", 20, "trajectory.svg");
    assert!(beams.contains("stroke=\"#3c3c3c\" stroke-width=\"6\""));
}

#[test]
fn long_strings_do_not_make_a_puppet_tiny() {
    let views = figure("puppet", 20, "views.svg");
    // Its strings hang from 14 m, its feet are at −5 m.
    assert!(!texts(&views).contains(&"14") && texts(&views).contains(&"Strings are cut off."));
}
