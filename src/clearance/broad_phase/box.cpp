#include "clearance/broad_phase/box.h"

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

// Every so many vertices decide where the middle of the scene is: it only has to be near.
constexpr int num_samples = 4096;

/// Returns the position of a vertex, with zeros beyond dim.
template <int dim>
Lanes position(const VecX& x, int v) {
  const double* p = x.data() + dim * static_cast<Eigen::Index>(v);
  return Lanes(Lanes::Vector{p[0], p[1], dim == 3 ? p[dim - 1] : 0.0, 0.0});
}

Lanes lower(const Lanes& a, const Lanes& b) {
  return select(a < b, a, b);
}
Lanes upper(const Lanes& a, const Lanes& b) {
  return select(a > b, a, b);
}

template <int dim>
Lanes scene_middle(const VecX& x) {
  const auto num_vertices = static_cast<int>(x.size() / dim);
  Lanes lo(infinity);
  Lanes hi(-infinity);
  for (int v = 0; v < num_vertices; v += 1 + num_vertices / num_samples) {
    lo = lower(position<dim>(x, v), lo);
    hi = upper(position<dim>(x, v), hi);
  }
  // Half of each first: the sum of two large coordinates may overflow.
  const Lanes middle = 0.5 * lo + 0.5 * hi;
  const Lanes distance = select(middle < 0.0, -middle, middle);
  return select(distance < infinity, middle, 0.0);
}

template <int dim>
void compute_boxes(const VecX& x_t0, const VecX& x_t1, double inflation, const std::vector<double>& deviation,
                   std::vector<Box>& boxes) {
  const int num_vertices = static_cast<int>(x_t0.size() / dim);
  const Lanes middle = scene_middle<dim>(x_t0);
  boxes.resize(num_vertices);
  parallel_for_chunks(num_vertices, 2048, [&](int begin, int end) {
    for (int v = begin; v < end; ++v) {
      const double reach = inflation + (deviation.empty() ? 0.0 : deviation[v]);
      const Lanes reaches(Lanes::Vector{reach, reach, dim == 3 ? reach : 0.0, 0.0});
      const Lanes a = position<dim>(x_t0, v);
      const Lanes b = position<dim>(x_t1, v);
      Box& box = boxes[v];
      box.lo_row() = round_down((lower(a, b) - reaches) - middle);
      box.hi_row() = round_up((upper(a, b) + reaches) - middle);
    }
  });
}

}  // namespace

void compute_vertex_boxes(int dim, const VecX& x_t0, const VecX& x_t1, double inflation,
                          const std::vector<double>& deviation, std::vector<Box>& boxes) {
  if (dim == 2) {
    compute_boxes<2>(x_t0, x_t1, inflation, deviation, boxes);
  } else {
    compute_boxes<3>(x_t0, x_t1, inflation, deviation, boxes);
  }
}

}  // namespace clearance
