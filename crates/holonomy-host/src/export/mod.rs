//! Models as files of other programs: text → text, and a list of what the file does not say.
mod left;
mod mimic;
mod urdf;

use crate::import::Remark;
use holonomy_model::Model;

/// A model in another format.
#[derive(Clone, Debug)]
pub struct Export {
    /// The text of the file.
    pub text: String,
    /// What was written, in words.
    pub written: String,
    /// What the model says and the file does not.
    pub left: Vec<Remark>,
}

/// Why a model cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExportError {
    /// Something else than a tree.
    #[error("only trees are written as URDF: the model has no `space = \"tree\"`")]
    NotATree,
    /// A joint that the format does not have.
    #[error("body `{body}` is on a {kind} joint, which URDF does not have")]
    Joint {
        /// The body.
        body: String,
        /// The kind of its joint.
        kind: &'static str,
    },
}

impl ExportError {
    /// What to do.
    pub fn remedy(&self) -> Option<&'static str> {
        match self {
            Self::NotATree => None,
            Self::Joint { kind: "screw", .. } => Some(
                "make it a revolute and a prismatic joint, with a massless body between and a `coupling` of both",
            ),
            Self::Joint { .. } => {
                Some("put three revolute joints in a row, with massless bodies between them")
            }
        }
    }
}

/// Writes a tree as URDF.
pub fn urdf(model: &Model) -> Result<Export, ExportError> {
    let outline = model.outline().ok_or(ExportError::NotATree)?;
    let (mimics, followed) = mimic::find(&outline);
    let (text, written) = urdf::write(&model.title, &outline, &mimics, &left::efforts(model, &outline))?;
    let left = left::list(model, &outline, &followed);
    Ok(Export { text, written, left })
}
