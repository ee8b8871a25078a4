#include "clearance/broad_phase/box.h"

#include <algorithm>
#include <numeric>

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

}  // namespace

VertexBoxes::VertexBoxes(int dim, const VecX& x_t0, const VecX& x_t1, double inflation,
                         const std::vector<double>& deviation)
    : dim_(dim),
      x_t0_(x_t0),
      x_t1_(x_t1),
      inflation_(inflation),
      deviation_(deviation),
      middle_(dim == 2 ? scene_middle<2>(x_t0) : scene_middle<3>(x_t0)) {}

template <int dim>
Box VertexBoxes::box(int v) const {
  const double reach = inflation_ + (deviation_.empty() ? 0.0 : deviation_[v]);
  const Lanes reaches(Lanes::Vector{reach, reach, dim == 3 ? reach : 0.0, 0.0});
  const Lanes a = position<dim>(x_t0_, v);
  const Lanes b = position<dim>(x_t1_, v);
  Box box;
  box.lo_row() = round_down((lower(a, b) - reaches) - middle_);
  box.hi_row() = round_up((upper(a, b) + reaches) - middle_);
  return box;
}

void VertexBoxes::compute(std::span<const int> vertices, std::vector<Box>& boxes) const {
  if (dim_ == 2) {
    for (const int v : vertices) boxes[v] = box<2>(v);
  } else {
    for (const int v : vertices) boxes[v] = box<3>(v);
  }
}

template <int dim>
Box VertexBoxes::bound_of(std::span<const int> vertices) const {
  std::array<double, 4> lo{}, hi{};
  std::fill_n(lo.begin(), dim, infinity);
  std::fill_n(hi.begin(), dim, -infinity);
  double deviation = 0.0;
  for (const int v : vertices) {
    for (std::size_t c = 0; c < dim; ++c) {
      const Eigen::Index i = dim * static_cast<Eigen::Index>(v) + static_cast<Eigen::Index>(c);
      lo[c] = std::min(std::min(lo[c], x_t0_[i]), x_t1_[i]);
      hi[c] = std::max(std::max(hi[c], x_t0_[i]), x_t1_[i]);
    }
    if (!deviation_.empty()) deviation = std::max(deviation, deviation_[v]);
  }
  const double reach = inflation_ + deviation;
  const Lanes reaches(Lanes::Vector{reach, reach, dim == 3 ? reach : 0.0, 0.0});
  Box box;
  box.lo_row() = round_down((Lanes(Lanes::Vector{lo[0], lo[1], lo[2], lo[3]}) - reaches) - middle_);
  box.hi_row() = round_up((Lanes(Lanes::Vector{hi[0], hi[1], hi[2], hi[3]}) + reaches) - middle_);
  return box;
}

Box VertexBoxes::bound(std::span<const int> vertices) const {
  return dim_ == 2 ? bound_of<2>(vertices) : bound_of<3>(vertices);
}

void compute_vertex_boxes(int dim, const VecX& x_t0, const VecX& x_t1, double inflation,
                          const std::vector<double>& deviation, std::vector<Box>& boxes) {
  const VertexBoxes swept(dim, x_t0, x_t1, inflation, deviation);
  std::vector<int> all(x_t0.size() / dim);
  std::iota(all.begin(), all.end(), 0);
  boxes.resize(all.size());
  swept.compute(all, boxes);
}

}  // namespace clearance
