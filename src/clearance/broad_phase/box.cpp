#include "clearance/broad_phase/box.h"

#include "clearance/base/parallel.h"

namespace clearance {
namespace {

struct Bounds {
  Vec<3> lo = Vec<3>::Constant(infinity);
  Vec<3> hi = Vec<3>::Constant(-infinity);
};

template <int dim>
Vec<3> scene_middle(const VecX& x_t0, const VecX& x_t1) {
  const auto bounds_of = [&](int v) {
    Bounds b;
    const Vec<dim> p = block<dim>(x_t0, v);
    const Vec<dim> q = block<dim>(x_t1, v);
    b.lo.template head<dim>() = p.cwiseMin(q);
    b.hi.template head<dim>() = p.cwiseMax(q);
    return b;
  };
  const auto combine = [](const Bounds& a, const Bounds& b) {
    return Bounds{a.lo.cwiseMin(b.lo), a.hi.cwiseMax(b.hi)};
  };
  const Bounds bounds = ordered_reduce(static_cast<int>(x_t0.size() / dim), Bounds{}, bounds_of, combine, 4096);
  // Half of each first: the sum of two large coordinates may overflow.
  Vec<3> middle = 0.5 * bounds.lo + 0.5 * bounds.hi;
  for (int k = 0; k < 3; ++k) {
    if (!(std::abs(middle[k]) < infinity)) middle[k] = 0.0;
  }
  return middle;
}

template <int dim>
void compute_boxes(const VecX& x_t0, const VecX& x_t1, double inflation, const std::vector<double>& deviation,
                   std::vector<Box>& boxes) {
  const int num_vertices = static_cast<int>(x_t0.size() / dim);
  const Vec<3> middle = scene_middle<dim>(x_t0, x_t1);
  boxes.resize(static_cast<std::size_t>(num_vertices));
  parallel_for_chunks(num_vertices, 2048, [&](int begin, int end) {
    for (int v = begin; v < end; ++v) {
      const double reach = inflation + (deviation.empty() ? 0.0 : deviation[static_cast<std::size_t>(v)]);
      Box box{};
      for (int k = 0; k < dim; ++k) {
        const double a = x_t0[dim * static_cast<Eigen::Index>(v) + k];
        const double b = x_t1[dim * static_cast<Eigen::Index>(v) + k];
        const auto axis = static_cast<std::size_t>(k);
        box.lo[axis] = round_down((std::min(a, b) - reach) - middle[k]);
        box.hi[axis] = round_up((std::max(a, b) + reach) - middle[k]);
      }
      boxes[static_cast<std::size_t>(v)] = box;
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
