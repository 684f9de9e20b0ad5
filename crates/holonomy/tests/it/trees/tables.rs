//! Tables of times and values where a formula of time may stand.
use crate::common::load;
use holonomy_model::{Files, Source};

/// A drone on a string and an arm with a motor, in wind; `{}` stand for efforts, forces, tensions and wind.
fn machine(given: [&str; 5]) -> String {
    let [effort, force, moment, tension, wind] = given;
    format!(
        r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        [[body]]
        name = "arm"
        joint = {{ kind = "revolute", axis = [0, 1, 0] }}
        mass = 1.0
        shape = "rod"
        to = [0, 0, -1]
        position = 0.4
        effort = {effort}
        effort_limit = 0.4
        sites = {{ tip = [0, 0, -1] }}
        [[body]]
        name = "drone"
        joint = {{ kind = "free" }}
        mass = 0.5
        inertia = [0.01, 0.02, 0.03]
        position = [0.5, 0, -1.5]
        angular_velocity = [0.1, 0.3, 0]
        sites = {{ ring = [0, 0.1, 0.05] }}
        [[wrench]]
        body = "drone"
        at = [0.1, 0, 0]
        force = [{force}, "0.2*t", "-0.3"]
        moment = [{moment}, "0.01*arm'", 0]
        [[wrench]]
        body = "arm"
        frame = "body"
        force = [0, {force}, "0.2*t"]
        [[force]]
        site = "ring"
        force = ["0.1", {force}, "0.2*norm(ring')"]
        [[force]]
        name = "pull"
        between = ["tip", "ring"]
        tension = {tension}
        [[drag]]
        body = "drone"
        coefficient = 0.05
        wind = ["1", 0, {wind}]
        [method]
        name = "tree-variational"
        [run]
        step = 0.01
        duration = 1.5
        "#
    )
}

/// A table of two points is a cubic between them, and stands still before and behind.
const TABLE: &str = "{ times = [0, 1], values = [0, 1] }";
const WRITTEN: &str = "\"clamp(t, 0, 1)^2*(3 - 2*clamp(t, 0, 1))\"";

#[test]
fn a_table_is_the_curve_through_it_wherever_a_formula_of_time_may_stand() {
    let end = |given: &str| {
        let model = load("machine", &machine([given; 5]), &[]);
        super::feedback::ended(&model).0
    };
    let (table, written) = (end(TABLE), end(WRITTEN));
    let apart = super::largest(&table.q, &written.q);
    // The same curve but for rounding, and a motion of 150 steps that is not chaotic.
    assert!(apart < 1e-11, "{apart:e}");
    let none = super::largest(&table.q, &end("\"0\"").q);
    assert!(none > 0.1, "{none}");
    // Each alone counts.
    for k in 0..5 {
        let mut given = [WRITTEN; 5];
        given[k] = "\"0\"";
        let model = load("machine", &machine(given), &[]);
        let other = super::feedback::ended(&model).0;
        let counts = super::largest(&other.q, &written.q);
        assert!(counts > 1e-3, "{k}: {counts}");
    }
}

#[test]
fn a_file_of_columns_is_the_table_in_it_and_runs_again_without_it() {
    let csv = "time;load;gust\n0;0;0.5\n# half\n0.4;1.25;-0.25\n\n1;0.1;0.3\n";
    let files = Files::new(move |path| match path {
        "loads/gusts.csv" => Ok(csv.to_owned()),
        other => Err(format!("there is no file {other}")),
    });
    let column = |name: &str| format!("{{ file = \"loads/gusts.csv\", times = \"time\", values = {name} }}");
    let (load_column, gust) = (column("\"load\""), column("3"));
    let short = "{ file = \"loads/gusts.csv\" }";
    let given = [&load_column[..], &gust, short, &load_column, &gust];
    let source = Source::new("machine", machine(given)).beside(files);
    let model = holonomy_model::load(&source).unwrap_or_else(|problems| panic!("{problems:?}"));
    let (a, b) = (
        "{ times = [0, 0.4, 1], values = [0, 1.25, 0.1] }",
        "{ times = [0, 0.4, 1], values = [0.5, -0.25, 0.3] }",
    );
    let inline = load("machine", &machine([a, b, a, a, b]), &[]);
    assert_eq!(model.fingerprint(), inline.fingerprint());
    let again = load("again", &model.to_toml(), &[]);
    let changed = model.with("run.step", 0.01).expect("the same again");
    let end = super::feedback::ended(&inline).0;
    for other in [&model, &again, &changed] {
        let found = super::feedback::ended(other).0;
        let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
        assert_eq!((bits(&found.q), bits(&found.p)), (bits(&end.q), bits(&end.p)));
    }
}
