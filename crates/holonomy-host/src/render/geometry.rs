//! Vectors and frames.
use holonomy::scene::FramePose;

/// A place in the axes of a frame, in space.
pub(super) fn placed(frame: &FramePose, place: [f64; 3]) -> [f64; 3] {
    let turned = rotated(frame.rotation, place);
    [0, 1, 2].map(|axis| frame.position[axis] + turned[axis])
}

/// `v + 2 u × (u × v + w v)` for the unit quaternion `[w, u]`.
pub(super) fn rotated([w, x, y, z]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let u = [x, y, z];
    let inner = cross(u, v);
    let inner = [0, 1, 2].map(|k| inner[k] + w * v[k]);
    let outer = cross(u, inner);
    [0, 1, 2].map(|k| v[k] + 2.0 * outer[k])
}

pub(super) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(super) fn normalised(v: [f64; 3]) -> Option<[f64; 3]> {
    let length = v.iter().map(|part| part * part).sum::<f64>().sqrt();
    (length > 0.0).then(|| v.map(|part| part / length))
}

/// Whether a point can be drawn: squares of larger coordinates overflow.
pub(super) fn finite(point: &[f64; 3]) -> bool {
    point.iter().all(|part| part.abs() < 1e150)
}
