use super::Layout;

/// Something has no value at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Undefined {
    /// A function in a formula has no answer.
    Expression {
        /// Which, by its number in the layout.
        number: u32,
        /// What the function was asked.
        argument: f64,
    },
    /// A formula or a function of time, or of a joint too, has none.
    Formula {
        /// Which, by its number in the layout.
        formula: u32,
        /// When, s.
        t: f64,
        /// Position and velocity of the joint, if it sees them.
        joint: Option<[f64; 2]>,
    },
    /// A force sees multipliers that answer to it by more than itself: there is no solution, or none that weak forces lead to.
    Jammed {
        /// Which, by its number in the layout.
        formula: u32,
        /// When, s.
        t: f64,
    },
    /// The mass matrix, or with constraints the whole matrix, cannot be inverted.
    SingularMass,
    /// A field of the frame is a combination of those before it.
    DependentField {
        /// Which, by its number in the layout.
        field: u32,
    },
    /// The bracket of two fields is not a combination of the fields of the frame.
    OpenBracket {
        /// Which, by their numbers in the layout.
        fields: [u32; 2],
    },
}

impl Undefined {
    /// What has no value and why, in words.
    pub fn describe(self, layout: &Layout) -> String {
        let named = |list: &[String], place: u32, otherwise: &str| {
            let name = list.get(place as usize);
            name.map_or_else(|| otherwise.to_owned(), |name| format!("`{name}`"))
        };
        match self {
            Self::Expression { number, argument } => {
                let text = layout.words.expressions.get(number as usize);
                let text = text.map_or("an expression".to_owned(), ToString::to_string);
                format!("{text} has no value for {}", crate::decimal(argument))
            }
            Self::Formula { formula, t, joint } => {
                let name = layout.words.formulas.get(formula as usize);
                let name = name.map_or("a formula", String::as_str);
                let joint = joint.map_or_else(String::new, |[q, v]| {
                    format!(", q = {}, v = {}", crate::decimal(q), crate::decimal(v))
                });
                format!(
                    "{name} has no value, or no derivative, at t = {} s{joint}",
                    crate::decimal(t)
                )
            }
            Self::Jammed { formula, t } => {
                let name = layout.words.formulas.get(formula as usize);
                let name = name.map_or("a force", String::as_str);
                format!(
                    "{name} jams at t = {} s: the multipliers that it sees answer to it by more than itself, and nothing \
                     balances; make it depend less on them, as with a smaller coefficient of friction",
                    crate::decimal(t)
                )
            }
            Self::SingularMass => {
                "the mass matrix is singular: some velocity has no inertia, or constraints are redundant"
                    .to_owned()
            }
            Self::DependentField { field } => format!(
                "the frame is singular here: the field of {} is a combination of those before it; choose fields that are \
             independent here",
                named(&layout.words.fields, field, "a quasi-velocity")
            ),
            Self::OpenBracket { fields: [i, j] } => format!(
                "the frame is not closed here: the bracket of the fields of {} and {} is not a combination of its fields; \
             add the field that is missing, constrained if nothing moves along it",
                named(&layout.words.fields, i, "a quasi-velocity"),
                named(&layout.words.fields, j, "another")
            ),
        }
    }
}
