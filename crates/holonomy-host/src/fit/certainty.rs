//! How certain numbers are that were fitted.
use super::{Free, shooting::Slopes};
use holonomy_report::fit::Undetermined;
use nalgebra::DMatrix;

/// A direction in which the data change by less than this part of the most is not determined.
const LOST: f64 = 1e-7;
/// The same against what chaos makes of it, which is known to rounding alone.
const ROUNDED: f64 = 1e-14;

/// How residuals change with the numbers where stretches are joined, and where they are not.
fn joined(slopes: &[Slopes]) -> [DMatrix<f64>; 2] {
    let (count, p) = (
        slopes.iter().map(|own| own.rows.nrows()).sum(),
        slopes[0].rows.ncols(),
    );
    let [mut along, mut apart] = [DMatrix::zeros(count, p), DMatrix::zeros(count, p)];
    let mut start: Option<DMatrix<f64>> = None;
    let mut row = 0;
    for own in slopes {
        let mut rows = own.rows.clone();
        let mut end = own.end.clone();
        apart.rows_mut(row, rows.nrows()).copy_from(&rows);
        if let Some(start) = &start {
            rows += &own.rows_by_start * start;
            end += &own.end_by_start * start;
        }
        along.rows_mut(row, rows.nrows()).copy_from(&rows);
        row += rows.nrows();
        start = Some(end);
    }
    [along, apart]
}

/// The triangle of a matrix whose columns are measured in sizes: it has the same singular values.
fn triangle(matrix: &DMatrix<f64>, sizes: &[f64]) -> DMatrix<f64> {
    let (count, unknown) = matrix.shape();
    let scaled = DMatrix::from_fn(count, unknown, |i, k| matrix[(i, k)] * sizes[k]);
    // The squared singular values would lose half of the digits: a triangle keeps them.
    scaled.qr().r()
}

/// Standard errors, not a number where there is none, and what the data do not determine.
pub(super) fn certainty(
    slopes: &[Slopes],
    sizes: &[f64],
    squares: f64,
    free: &[Free],
) -> (Vec<f64>, Vec<Undetermined>) {
    let [along, apart] = joined(slopes);
    let (count, unknown) = along.shape();
    let svd = triangle(&along, sizes).svd(false, true);
    let local = triangle(&apart, sizes).singular_values().max();
    let Some(directions) = svd.v_t else {
        return (vec![f64::NAN; unknown], Vec::new());
    };
    let most = svd.singular_values.max();
    let variance = match count > unknown {
        true => squares / (count - unknown) as f64,
        false => f64::NAN,
    };
    let mut sums = vec![0.0; unknown];
    let mut lost = vec![false; unknown];
    let mut undetermined = Vec::new();
    for (value, direction) in svd.singular_values.iter().zip(directions.row_iter()) {
        if *value > f64::max(LOST * local, ROUNDED * most) {
            for k in 0..unknown {
                sums[k] += direction[k] * direction[k] * variance / (value * value);
            }
            continue;
        }
        let largest = direction.iter().fold(0.0_f64, |size, part| size.max(part.abs()));
        let parts: Vec<(String, f64)> = (0..unknown)
            .filter(|k| direction[*k].abs() > 1e-3 * largest)
            .map(|k| {
                lost[k] = true;
                (free[k].knob.path.to_string(), direction[k] / largest)
            })
            .collect();
        undetermined.push(Undetermined { parts });
    }
    let errors = (0..unknown).map(|k| match lost[k] {
        true => f64::NAN,
        false => sizes[k] * sums[k].sqrt(),
    });
    (errors.collect(), undetermined)
}
