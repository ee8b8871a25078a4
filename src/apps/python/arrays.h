// Conversion between NumPy arrays and the library's vectors. Python checks shapes and types first (clearance/_check.py)
// where a message has to say what was expected; anything else that is wrong here is a TypeError or a ValueError.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <array>
#include <memory>
#include <vector>

#include "clearance/math/types.h"

namespace clearance::python {

namespace py = pybind11;

/// Array of doubles or of 32-bit integers, row by row; other types are converted.
template <class T>
using Array = py::array_t<T, py::array::c_style | py::array::forcecast>;

template <class T>
Array<T> array_of(const std::vector<T>& values) {
  return Array<T>(static_cast<py::ssize_t>(values.size()), values.data());
}

/// Returns an array of shape (n, 3).
inline Array<double> array_of(const std::vector<Vec<3>>& values) {
  Array<double> array({static_cast<py::ssize_t>(values.size()), py::ssize_t{3}});
  if (!values.empty()) std::copy_n(values[0].data(), 3 * values.size(), array.mutable_data());
  return array;
}

/// Returns an array of shape (n, size).
template <std::size_t size>
Array<int> array_of(const std::vector<std::array<int, size>>& values) {
  Array<int> array({static_cast<py::ssize_t>(values.size()), static_cast<py::ssize_t>(size)});
  if (!values.empty()) std::copy_n(values[0].data(), size * values.size(), array.mutable_data());
  return array;
}

/// Throws ValueError unless the shape is (n, columns).
template <class T>
void check_columns(const Array<T>& array, py::ssize_t columns, const char* name) {
  if (array.ndim() == 2 && array.shape(1) == columns) return;
  throw py::value_error(std::string(name) + ": expected an array of shape (n, " + std::to_string(columns) + ")");
}

inline std::vector<Vec<3>> points_of(const Array<double>& array) {
  check_columns(array, 3, "vertices");
  std::vector<Vec<3>> points(array.shape(0));
  if (!points.empty()) std::copy_n(array.data(), 3 * points.size(), points[0].data());
  return points;
}

template <std::size_t size>
std::vector<std::array<int, size>> cells_of(const Array<int>& array, const char* name) {
  check_columns(array, static_cast<py::ssize_t>(size), name);
  std::vector<std::array<int, size>> cells(array.shape(0));
  if (!cells.empty()) std::copy_n(array.data(), size * cells.size(), cells[0].data());
  return cells;
}

/// Returns a read-only array that looks into `values` and keeps them alive.
inline py::array read_only_view(const std::shared_ptr<std::vector<Vec<3>>>& values) {
  using Owner = std::shared_ptr<std::vector<Vec<3>>>;
  const py::capsule owner(new Owner(values), [](void* pointer) { delete static_cast<Owner*>(pointer); });
  const auto count = static_cast<py::ssize_t>(values->size());
  py::array_t<double> view({count, py::ssize_t{3}}, count > 0 ? (*values)[0].data() : nullptr, owner);
  view.attr("setflags")(py::arg("write") = false);
  return view;
}

}  // namespace clearance::python
