"""Writes the tables of cases that the tests of `holonomy sweep --vary-table` read: the same six cases by pandas, polars and
DuckDB, each as it writes them by default, and one whose strings are categories.

    pip install pandas pyarrow polars duckdb && python make.py
"""

import duckdb
import pandas
import polars

cases = {
    "start.theta [deg]": [10.0, 20.0, 30.5, 20.0, -40.0, 0.1],
    "run.every": [1, 2, 3, 2, 2, 1],
    "method.name": ["midpoint", "rk4", "midpoint", "midpoint", "rk4", "rk4"],
}

frame = pandas.DataFrame(cases)
frame.to_parquet("pandas.parquet")
polars.DataFrame(cases).write_parquet("polars.parquet")
duckdb.sql("COPY frame TO 'duckdb.parquet' (FORMAT parquet)")

# Categories, single precision, labels of rows, and another compression.
labelled = frame.astype({"method.name": "category", "start.theta [deg]": "float32"})
labelled.index = list("abcdef")
labelled.to_parquet("categories.parquet", compression="zstd")

# A value is missing.
hole = frame.astype({"run.every": "Int64"})
hole.loc[3, "run.every"] = None
hole.to_parquet("hole.parquet")
