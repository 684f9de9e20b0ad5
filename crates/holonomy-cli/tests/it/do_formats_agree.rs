use super::Place;
use parquet::{
    file::reader::{FileReader, SerializedFileReader},
    record::RowAccessor,
};
use std::{collections::HashMap, fs::File, io::Read, path::Path};

/// Names of the columns, and rows of numbers.
pub(super) type Columns = (Vec<String>, Vec<Vec<f64>>);

pub(super) fn read_csv(path: &Path) -> Columns {
    let text = std::fs::read_to_string(path).expect("a file");
    let mut lines = text.lines();
    let names = lines.next().expect("a header").split(',').map(str::to_owned);
    let row = |line: &str| {
        line.split(',')
            .map(|number| number.parse().expect("a number"))
            .collect()
    };
    (names.collect(), lines.map(row).collect())
}

pub(super) fn read_parquet(path: &Path) -> Columns {
    let reader = SerializedFileReader::new(File::open(path).expect("a file")).expect("Parquet");
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let names = schema
        .columns()
        .iter()
        .map(|column| column.name().to_owned())
        .collect();
    let rows = reader.get_row_iter(None).expect("rows").map(|row| {
        let row = row.expect("a row");
        (0..row.len())
            .map(|index| row.get_double(index).expect("a number"))
            .collect()
    });
    (names, rows.collect())
}

/// Arrays by name: shape and numbers.
pub(super) fn read_npz(path: &Path) -> HashMap<String, (String, Vec<f64>)> {
    let mut archive = zip::ZipArchive::new(File::open(path).expect("a file")).expect("a ZIP archive");
    let mut arrays = HashMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a member");
        let name = file.name().trim_end_matches(".npy").to_owned();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("data");
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + length) % 64, 0);
        let header = std::str::from_utf8(&bytes[10..10 + length]).expect("ASCII");
        assert!(header.ends_with('\n') && header.contains("'descr': '<f8', 'fortran_order': False"));
        let shape = header.split_once("'shape': ").expect("a shape").1;
        let shape = shape.split_inclusive(')').next().expect("a shape").to_owned();
        let (numbers, rest) = bytes[10 + length..].as_chunks::<8>();
        assert!(rest.is_empty());
        let numbers = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        arrays.insert(name, (shape, numbers));
    }
    arrays
}

#[test]
fn csv_parquet_and_npz_hold_the_same_numbers() {
    let place = Place::new();
    for format in ["csv", "parquet", "npz"] {
        place.good(&format!(
            "run double-spherical-pendulum --steps 100 --every 3 --format {format} --out {format}"
        ));
    }
    let csv = read_csv(&place.path("csv/trajectory.csv"));
    assert_eq!(
        csv.0.join(" "),
        "t kinetic potential q.upper.x q.upper.y q.upper.z q.lower.x q.lower.y q.lower.z \
         omega.upper.x omega.upper.y omega.upper.z omega.lower.x omega.lower.y omega.lower.z"
    );
    assert_eq!(csv.1.len(), 35);
    assert_eq!(csv, read_parquet(&place.path("parquet/trajectory.parquet")));

    let npz = read_npz(&place.path("npz/trajectory.npz"));
    let column = |index: usize, width: usize| -> Vec<f64> {
        csv.1
            .iter()
            .flat_map(|row| row[index..index + width].to_vec())
            .collect()
    };
    let expected = [
        ("t", "(35,)", column(0, 1)),
        ("kinetic", "(35,)", column(1, 1)),
        ("potential", "(35,)", column(2, 1)),
        ("q", "(35, 2, 3)", column(3, 6)),
        ("omega", "(35, 2, 3)", column(9, 6)),
    ];
    assert_eq!(npz.len(), expected.len());
    for (name, shape, numbers) in expected {
        assert_eq!(npz[name], (shape.to_owned(), numbers), "{name}");
    }
    let energy = csv.1[0][1] + csv.1[0][2];
    assert!((energy + 72.1771).abs() < 1e-3, "{energy}");
}

#[test]
fn euler_angles_stand_beside_the_quaternions_in_every_format() {
    let place = Place::new();
    for format in ["csv", "parquet", "npz"] {
        place.good(&format!(
            "run heavy-top --steps 40 --every 3 --set output.attitude=zxz --format {format} --out {format}"
        ));
    }
    let csv = read_csv(&place.path("csv/trajectory.csv"));
    assert_eq!(
        csv.0.join(" "),
        "t kinetic potential quaternion.top.w quaternion.top.x quaternion.top.y quaternion.top.z \
         omega.top.x omega.top.y omega.top.z euler.top.1 euler.top.2 euler.top.3"
    );
    assert_eq!(csv, read_parquet(&place.path("parquet/trajectory.parquet")));
    let npz = read_npz(&place.path("npz/trajectory.npz"));
    for (index, name) in csv.0.iter().enumerate() {
        let column: Vec<f64> = csv.1.iter().map(|row| row[index]).collect();
        assert_eq!(npz[name].1, column, "{name}");
    }
    // A top that leans by 30° about x nods from there: w² + z² = cos² β/2.
    assert!((csv.1[0][11] - 30f64.to_radians()).abs() < 1e-15);
    for row in &csv.1 {
        let lean = 0.5 * row[11];
        assert!((row[3].hypot(row[6]) - lean.cos()).abs() < 1e-15, "{row:?}");
    }
}

#[test]
fn two_thousand_bodies_fit_in_every_format() {
    let place = Place::new();
    for format in ["csv", "parquet", "npz"] {
        let summary = place.json(&format!(
            "run pendulum-chain --set chain.links=2048 --steps 4 --every 1 --format {format} --out {format} --json"
        ));
        assert_eq!(summary["samples"], 5);
    }
    let csv = read_csv(&place.path("csv/trajectory.csv"));
    assert_eq!(csv.0.len(), 3 + 6 * 2048);
    assert_eq!(csv, read_parquet(&place.path("parquet/trajectory.parquet")));
    assert_eq!(read_npz(&place.path("npz/trajectory.npz"))["q"].0, "(5, 2048, 3)");
}

#[test]
fn many_row_groups_read_as_one_table() {
    let place = Place::new();
    // 4 MB of rows make a group: 34 952 rows of 15 columns.
    place.good("run double-spherical-pendulum --steps 80000");
    let path = place.path("runs/double-spherical-pendulum/trajectory.parquet");
    let reader = SerializedFileReader::new(File::open(&path).expect("a file")).expect("Parquet");
    assert_eq!(reader.num_row_groups(), 3);
    let (_, rows) = read_parquet(&path);
    assert_eq!(rows.len(), 80_001);
    // Time is k h, so a row that is missing or doubled would show.
    assert!(rows.iter().enumerate().all(|(k, row)| row[0] == k as f64 * 0.01));
}
