#include "clearance/simulation/stepping/applied_forces.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>

#include "clearance/model/blocks.h"

namespace clearance {

Result<Done> add_vertex_forces(const SceneModel& scene, const std::vector<Vec<3>>& of_vertices, VecX& forces) {
  const auto count = static_cast<std::size_t>(scene.frames.vertex_map.num_vertices());
  if (of_vertices.size() != count) {
    return Issue{"", "forces", fmt::format("{} rows", of_vertices.size()),
                 fmt::format("expected {}, one for each vertex", count)};
  }
  VecX flat(scene.dim * static_cast<Eigen::Index>(count));
  for (std::size_t v = 0; v < count; ++v) {
    if (!of_vertices[v].allFinite()) return Issue{"", "forces", fmt::format("row {}", v), "expected finite numbers"};
    flat.segment(scene.dim * static_cast<Eigen::Index>(v), scene.dim) = of_vertices[v].head(scene.dim);
  }
  scene.frames.vertex_map.add_transposed(flat, forces);
  return Done{};
}

template <int dim>
Result<Done> add_wrench(const BodyView& view, const State& state, const Vec<3>& force, const Vec<3>& torque,
                        VecX& forces) {
  const std::string place = fmt::format("force on '{}'", view.name);
  if (!is_stiff(view.kind)) {
    return Issue{"", place, "", "only affine and rigid bodies have a force and a torque; others have a row per vertex"};
  }
  if (!force.allFinite() || !torque.allFinite()) return Issue{"", place, "", "expected finite numbers"};
  const int first = view.blocks.first;
  block<dim>(forces, first) += force.head<dim>();
  // The columns b_i get the forces (J^-1 torque) x b_i, whose moments b_i x f_i add up to the torque.
  std::array<Vec<3>, dim> columns;
  Mat<3> moments = Mat<3>::Zero();
  for (int c = 0; c < dim; ++c) {
    columns[c].setZero();
    columns[c].template head<dim>() = block<dim>(state.x, first + 1 + c);
    moments += columns[c].squaredNorm() * Mat<3>::Identity() - columns[c] * columns[c].transpose();
  }
  const Vec<3> rate = moments.inverse() * (dim == 3 ? torque : Vec<3>(0.0, 0.0, torque[2]));
  for (int c = 0; c < dim; ++c) block<dim>(forces, first + 1 + c) += rate.cross(columns[c]).template head<dim>();
  return Done{};
}

template Result<Done> add_wrench<2>(const BodyView&, const State&, const Vec<3>&, const Vec<3>&, VecX&);
template Result<Done> add_wrench<3>(const BodyView&, const State&, const Vec<3>&, const Vec<3>&, VecX&);

}  // namespace clearance
