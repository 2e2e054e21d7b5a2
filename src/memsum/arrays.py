"""Types of arrays, and the few functions on them that many modules need."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

F32 = NDArray[np.float32]
F64 = NDArray[np.float64]
Floats = NDArray[np.floating[Any]]
I8 = NDArray[np.int8]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]


def unit(x: F32) -> F32:
    """Scale vectors (…, D) to length 1."""
    scaled: F32 = x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-6)
    return scaled


def lengths_of(starts: Ints, end: int) -> Any:
    """Return the lengths of runs one after the other, from where each begins: `np.diff` takes several times as long."""
    lengths = np.empty_like(starts)
    lengths[:-1] = starts[1:]
    lengths[-1:] = end
    lengths -= starts
    return lengths


def changes(values: Ints) -> Bools:
    """Return which values differ from the one before them, as the first does."""
    new = np.ones(len(values), bool)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return new


def dot(rows: Floats, vector: Floats) -> Any:
    """Return the products of rows (N, D) with a vector (D,).

    By einsum: a BLAS would take threads for it, which then keep other cores busy with waiting for more.
    """
    return np.einsum("nd,d->n", rows, vector)


def sigmoid(x: Floats | np.floating[Any]) -> F32:
    """Return 1 / (1 + e^-x), which overflows for no x."""
    return np.asarray(np.exp(-np.logaddexp(0, -x)), np.float32)


def distinct(values: I64) -> I64:
    """Return what `np.unique` does, which imports numpy's masked arrays when first called: that slows down a start."""
    ordered = np.sort(values)
    return ordered[changes(ordered)]


def stable_order(values: I64, size: int) -> I64:
    """Return what a stable `np.argsort` does for values from 0 to below `size`.

    Numpy sorts numbers of two bytes by their digits, thirty times as fast as longer ones, and equals stay in order.
    """
    order = np.argsort(values.astype(np.uint16), kind="stable")
    for digit in range(16, (size - 1).bit_length(), 16):
        order = order[np.argsort((values[order] >> digit).astype(np.uint16), kind="stable")]
    return order


def split_keys(keys: I64, size: int) -> tuple[I64, I64]:
    """Return the two numbers of keys `first * size + second`; `np.divmod` takes five times as long."""
    first = keys // size
    return first, keys - first * size


def number_distinct(values: Ints, size: int) -> tuple[Ints, I64]:
    """Return the distinct values, from 0 to below `size`, in order, and the rank of each value among them.

    `np.unique` with the inverse; a table is faster than its sort.
    """
    occurs = np.zeros(size, bool)
    occurs[values] = True
    found = np.flatnonzero(occurs)
    ranks = np.empty(size, np.int64)
    ranks[found] = np.arange(len(found))
    return found, ranks[values]


def standardize(values: F32, center: F32, scale: F32, farthest: float = 4.0) -> F32:
    """Return values (…, F) in standard deviations from the mean, none too far."""
    standard: F32 = (values - center) / scale
    np.maximum(standard, -farthest, out=standard)
    np.minimum(standard, farthest, out=standard)
    return standard
