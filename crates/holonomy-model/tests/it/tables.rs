//! Tables in files beside a model: what is wrong with one is said with its line, and where the model names it.
use holonomy_model::{Files, Source, load};

/// The first problem with a model whose effort is a column of this file, as `line:column message (help)`.
fn said(keys: &str, file: &'static str) -> String {
    let text = format!(
        "space = \"tree\"\n[[body]]\nname = \"a\"\nmass = 1\njoint = {{ kind = \"prismatic\", axis = [0, 0, 1] }}\n\
         effort = {{ {keys} }}\n[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n"
    );
    let files = Files::new(move |path| match path {
        "load.csv" => Ok(file.to_owned()),
        path => Err(format!("there is no file {path}")),
    });
    let source = Source::new("model", text).beside(files);
    match load(&source) {
        Ok(_) => "good".to_owned(),
        Err(problems) => {
            let problem = &problems[0];
            let at = source.locate(problem.span.clone());
            let help = problem.help.as_deref().unwrap_or_default();
            format!("{}:{} {} ({help})", at.line, at.column, problem.message)
        }
    }
}

const FILE: &str = "file = \"load.csv\"";

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_line() {
    let order = "a table has a number in each of its columns on every line, and times in order";
    let cases: [(&str, &str, &str); 13] = [
        ("t,f\n0,1\n1,2\n", FILE, "good"),
        (
            "t,f\n0,1\n1\n2,3\n",
            FILE,
            "6:19 `load.csv`: line 3 has no number in column `f`",
        ),
        (
            "t,f\n0,1\n\n1,,\n2,3\n",
            FILE,
            "6:19 `load.csv`: line 4 has no number in column `f`",
        ),
        (
            "t,f\n0,1\n1,two\n",
            FILE,
            "6:19 `load.csv`: line 3 has `two` in column `f`, which is no number",
        ),
        (
            "t,f\n0,1\n1,nan\n",
            FILE,
            "6:19 `load.csv`: line 3 has `nan` in column `f`, which is no number",
        ),
        (
            "0,1\n1,inf\n",
            FILE,
            "6:19 `load.csv`: line 2 has `inf` in column 2, which is no number",
        ),
        (
            "t,f\n0,1\n# x\n2,1\n1.5,3\n",
            FILE,
            "6:19 `load.csv`: line 5: the time 1.5 s is not later than the one before it, 2 s",
        ),
        (
            "t,f\n0,1\n",
            FILE,
            "6:19 `load.csv` has one row of numbers; a table needs two or more",
        ),
        (
            "",
            FILE,
            "6:19 `load.csv` has no rows of numbers; a table needs two or more",
        ),
        (
            "t,force\n0,1\n1,2\n",
            "file = \"load.csv\", values = \"forces\"",
            "6:40 there is no column named `forces` (did you mean `force`?)",
        ),
        (
            "t,f\n0,1\n1,2\n",
            "file = \"load.csv\", times = 3",
            "6:39 there is no column 3 (there are 2, counted from 1)",
        ),
        (
            "t,f\n0,1\n1,2\n",
            "file = \"loads.csv\"",
            "6:19 `loads.csv` cannot be read: there is no file loads.csv (a path starts at the folder of the model)",
        ),
        (
            "t,f\n0,1\n1,2\n",
            "file = \"load.csv\", rate = 2",
            "6:31 unknown key `rate` in `effort` of body `a`",
        ),
    ];
    for (file, keys, expected) in cases {
        let found = said(keys, file);
        assert!(found.starts_with(expected), "{keys}: {found}\n{expected}");
        assert!(
            !found.contains("`load.csv`: line 3 has no") || found.contains(order),
            "{found}"
        );
    }
}

#[test]
fn a_file_that_is_too_long_is_refused() {
    let rows: String = (0..=100_000).map(|k| format!("{k},1\n")).collect();
    let found = said(FILE, Box::leak(rows.into_boxed_str()));
    assert!(
        found.contains("it has 100001 rows, more than the 100000 allowed"),
        "{found}"
    );
}

#[test]
fn without_files_a_model_says_so() {
    let text = "space = \"tree\"\n[[body]]\nname = \"a\"\nmass = 1\njoint = { kind = \"prismatic\", axis = [0, 0, 1] }\n\
         driven = { file = \"load.csv\" }\n[method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nsteps = 10\n";
    let problems = load(&Source::new("model", text)).err().expect("no files");
    assert!(
        problems[0]
            .message
            .contains("no file can be read where this model is loaded"),
        "{problems:?}"
    );
}
