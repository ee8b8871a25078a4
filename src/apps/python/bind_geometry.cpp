// Collision detection, distances and the barrier, all on batches, for users who write their own solver.
#include <algorithm>

#include "apps/python/arrays.h"
#include "apps/python/bindings.h"
#include "clearance/base/parallel.h"
#include "clearance/ccd/ccd.h"
#include "clearance/contact/contact_frame.h"

namespace clearance::python {

namespace {

constexpr int grain = 64;

/// Throws ValueError unless the shape is (n, vertices, dim).
void check_batch(const Array<double>& array, py::ssize_t vertices, py::ssize_t dim, const char* name) {
  if (array.ndim() == 3 && array.shape(1) == vertices && array.shape(2) == dim) return;
  throw py::value_error(std::string(name) + ": expected an array of shape (n, " + std::to_string(vertices) + ", " +
                        std::to_string(dim) + ")");
}

template <int dim, int num_vertices>
PrimitiveMotion<dim, num_vertices> motion_at(const double* t0, const double* t1, int k) {
  PrimitiveMotion<dim, num_vertices> motion;
  for (int i = 0; i < num_vertices; ++i) {
    const int at = (k * num_vertices + i) * dim;
    motion.t0[i] = Eigen::Map<const Vec<dim>>(t0 + at);
    motion.t1[i] = Eigen::Map<const Vec<dim>>(t1 + at);
  }
  return motion;
}

/// Returns times of impact, and whether each answer is certain.
template <int dim, int num_vertices, class Test>
py::tuple detect(const Array<double>& t0, const Array<double>& t1, double min_separation, bool is_exact,
                 const Test& test) {
  check_batch(t0, num_vertices, dim, "t0");
  check_batch(t1, num_vertices, dim, "t1");
  if (t0.shape(0) != t1.shape(0)) throw py::value_error("t0 and t1: expected arrays of the same shape");
  if (!(min_separation >= 0.0)) throw py::value_error("min_separation: expected 0 or more [m]");
  const auto count = t0.shape(0);
  Array<double> toi(count);
  py::array_t<bool> is_impact(count), is_certain(count);
  CcdOptions options;
  options.min_separation = min_separation;
  options.is_exact = is_exact;
  const double *start = t0.data(), *end = t1.data();
  double* times = toi.mutable_data();
  bool *impacts = is_impact.mutable_data(), *certain = is_certain.mutable_data();
  {
    const py::gil_scoped_release release;
    parallel_for(static_cast<int>(count), grain, [&](int k) {
      const CcdResult result = test(motion_at<dim, num_vertices>(start, end, k), options);
      times[k] = result.toi;
      impacts[k] = result.is_impact();
      certain[k] = result.is_certain;
    });
  }
  return py::make_tuple(is_impact, toi, is_certain);
}

/// Returns squared distances, gradients (n, 4, 3) and weights (n, 4) of pairs whose first feature has `num_first`
/// vertices; to first order closest points do not move.
py::tuple measure(const Array<double>& x, int num_first) {
  check_batch(x, 4, 3, "x");
  const auto count = x.shape(0);
  Array<double> distance_sq(count), gradient({count, py::ssize_t{4}, py::ssize_t{3}}), weights({count, py::ssize_t{4}});
  const double* in = x.data();
  double *d = distance_sq.mutable_data(), *g = gradient.mutable_data(), *w = weights.mutable_data();
  {
    const py::gil_scoped_release release;
    const Model no_model;
    parallel_for(static_cast<int>(count), grain, [&](int k) {
      std::array<Vec<3>, 4> vertices;
      for (int i = 0; i < 4; ++i) vertices[i] = Eigen::Map<const Vec<3>>(in + 12 * k + 3 * i);
      const Contact contact = contact_of_pair<3>(no_model, {{0, 1, 2, 3}, num_first, -1}, vertices, {});
      ContactPositions<3> closest;
      const std::size_t num_closest = contact.num_vertices();
      for (std::size_t i = 0; i < num_closest; ++i) {
        closest[i] = vertices[contact.vertices[i]];
      }
      const ContactGap<3> gap = compute_contact_gap<3>(no_model, contact, closest);
      Vec<3> apart = Vec<3>::Zero();
      for (std::size_t i = 0; i < num_closest; ++i) apart += gap.weights[i] * closest[i];
      d[k] = contact.distance_sq;
      std::fill_n(w + 4 * k, 4, 0.0);
      for (std::size_t i = 0; i < num_closest; ++i) w[4 * k + contact.vertices[i]] = gap.weights[i];
      for (int i = 0; i < 4; ++i) {
        for (int c = 0; c < 3; ++c) g[12 * k + 3 * i + c] = 2.0 * w[4 * k + i] * apart[c];
      }
    });
  }
  return py::make_tuple(distance_sq, gradient, weights);
}

py::tuple barriers(const Array<double>& distance_sq, double dhat, double min_separation) {
  if (!(dhat > 0.0)) throw py::value_error("dhat: expected more than 0 [m]");
  if (!(min_separation >= 0.0)) throw py::value_error("min_separation: expected 0 or more [m]");
  if (distance_sq.ndim() != 1) throw py::value_error("distance_sq: expected an array of shape (n,)");
  const BarrierOptions options{dhat, min_separation};
  const auto count = distance_sq.shape(0);
  Array<double> value(count), first(count), second(count);
  for (py::ssize_t k = 0; k < count; ++k) {
    const BarrierValue b = barrier_derivatives(distance_sq.at(k), options);
    value.mutable_at(k) = b.value;
    first.mutable_at(k) = b.first;
    second.mutable_at(k) = b.second;
  }
  return py::make_tuple(value, first, second);
}

}  // namespace

void bind_geometry(py::module_& module) {
  const auto define_ccd = [&](const char* name, auto function) {
    module.def(name, function, py::arg("t0"), py::arg("t1"), py::arg("min_separation"), py::arg("exact"));
  };
  define_ccd("point_triangle_ccd", [](const Array<double>& t0, const Array<double>& t1, double gap, bool is_exact) {
    return detect<3, 4>(t0, t1, gap, is_exact, point_triangle_ccd);
  });
  define_ccd("edge_edge_ccd", [](const Array<double>& t0, const Array<double>& t1, double gap, bool is_exact) {
    return detect<3, 4>(t0, t1, gap, is_exact, edge_edge_ccd);
  });
  define_ccd("point_edge_ccd", [](const Array<double>& t0, const Array<double>& t1, double gap, bool is_exact) {
    return detect<2, 3>(t0, t1, gap, is_exact, point_edge_ccd<2>);
  });
  module.def(
      "point_triangle_distance", [](const Array<double>& x) { return measure(x, 1); }, py::arg("x"));
  module.def(
      "edge_edge_distance", [](const Array<double>& x) { return measure(x, 2); }, py::arg("x"));
  module.def("barrier", &barriers, py::arg("distance_sq"), py::arg("dhat"), py::arg("min_separation"));
}

}  // namespace clearance::python
