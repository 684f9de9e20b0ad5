//! Values of Python as values of a model, and back.
use holonomy_model::{Number, Table, Value};
use numpy::PyReadonlyArray1;
use pyo3::{
    exceptions::{PyTypeError, PyValueError},
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple},
};

/// Deeper than any model.
const DEEPEST: usize = 32;

/// A value of a model. Arrays of NumPy are lists.
pub(crate) fn to_value(given: &Bound<'_, PyAny>) -> PyResult<Value> {
    nested(given, 0)
}

fn nested(given: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > DEEPEST {
        return Err(PyValueError::new_err("values are nested too deeply for a model"));
    }
    if let Ok(boolean) = given.cast::<PyBool>() {
        return Ok(boolean.is_true().into());
    }
    if let Ok(text) = given.cast::<PyString>() {
        return Ok(text.to_string_lossy().into_owned().into());
    }
    if given.is_instance_of::<PyInt>() {
        return match given.extract::<i64>() {
            Ok(whole) => Ok(whole.into()),
            Err(_) => finite(given.extract()?),
        };
    }
    if given.is_instance_of::<PyFloat>() {
        return finite(given.extract()?);
    }
    if let Ok(table) = given.cast::<PyDict>() {
        return Ok(Value::Table(to_table_at(table, depth)?));
    }
    if given.is_instance_of::<PyList>() || given.is_instance_of::<PyTuple>() {
        let each = given.try_iter()?.map(|item| nested(&item?, depth + 1));
        return Ok(Value::List(each.collect::<PyResult<_>>()?));
    }
    // Numbers and arrays of NumPy.
    if let Ok(plain) = given.call_method0("tolist")
        && !plain.is(given)
    {
        return nested(&plain, depth + 1);
    }
    let kind = given.get_type().name()?;
    Err(PyTypeError::new_err(format!(
        "a value of a model is a number, a text, a list or a dictionary, not `{kind}`"
    )))
}

fn finite(number: f64) -> PyResult<Value> {
    match number.is_finite() {
        true => Ok(number.into()),
        false => Err(PyValueError::new_err(format!(
            "a number of a model is finite, got {number}"
        ))),
    }
}

/// Numbers of an array or list of any shape, row by row.
pub(crate) fn to_numbers(given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let array = given
        .py()
        .import("numpy")?
        .call_method1("asarray", (given, "float64"))?;
    let array = array.call_method0("ravel")?;
    let array: PyReadonlyArray1<'_, f64> = array.extract()?;
    Ok(array.as_array().iter().copied().collect())
}

/// A section of a model.
pub(crate) fn to_table(given: &Bound<'_, PyDict>) -> PyResult<Table> {
    to_table_at(given, 0)
}

fn to_table_at(given: &Bound<'_, PyDict>, depth: usize) -> PyResult<Table> {
    let mut table = Table::new();
    for (key, value) in given {
        let Ok(key) = key.cast::<PyString>() else {
            return Err(PyTypeError::new_err("keys of a model are texts"));
        };
        if !value.is_none() {
            table.insert(key.to_string_lossy().into_owned(), nested(&value, depth + 1)?);
        }
    }
    Ok(table)
}

/// A section of a model as a dictionary.
pub(crate) fn to_dict<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in table.iter() {
        dict.set_item(key, to_python(py, value)?)?;
    }
    Ok(dict)
}

fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Text(text) | Value::Date(text) => PyString::new(py, text).into_any(),
        Value::Boolean(boolean) => PyBool::new(py, *boolean).to_owned().into_any(),
        Value::Number(number) => number_of(py, number)?,
        Value::List(list) => {
            let each = list.iter().map(|value| to_python(py, value));
            PyList::new(py, each.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::Table(table) => to_dict(py, table)?.into_any(),
    })
}

fn number_of<'py>(py: Python<'py>, number: &Number) -> PyResult<Bound<'py, PyAny>> {
    Ok(match number.whole().and_then(|whole| i64::try_from(whole).ok()) {
        Some(whole) => whole.into_pyobject(py)?.into_any(),
        None => PyFloat::new(py, number.value()).into_any(),
    })
}
