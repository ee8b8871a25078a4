#include "clearance/simulation/output/thin_states.h"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "clearance/bodies/rod/rod_potential.h"
#include "clearance/math/elementary.h"
#include "clearance/model/feasible_model.h"
#include "clearance/simulation/output/shell_samples.h"

namespace clearance {

namespace {

/// The cells of frames by the blocks of their vertices.
class CellsByBlocks {
 public:
  explicit CellsByBlocks(const FrameMesh& frames) : frames_(frames) {
    const Mesh& mesh = frames.mesh;
    auto cell = static_cast<int>(mesh.tets.size());
    for (const auto& triangle : mesh.triangles) add({triangle[0], triangle[1], triangle[2]}, cell++);
    for (const auto& edge : mesh.edges) add({edge[0], edge[1]}, cell++);
  }

  /// Returns the cell with these blocks, in any order.
  int at(std::vector<int> blocks) const {
    std::sort(blocks.begin(), blocks.end());
    return cells_.at(blocks);
  }

 private:
  void add(const std::vector<int>& vertices, int cell) {
    std::vector<int> blocks;
    for (const int v : vertices) {
      const SurfaceMap::Terms terms = frames_.vertex_map.terms(v);
      if (terms.size() != 1) return;
      blocks.push_back(terms[0].block);
    }
    std::sort(blocks.begin(), blocks.end());
    cells_.try_emplace(std::move(blocks), cell);
  }

  const FrameMesh& frames_;
  std::map<std::vector<int>, int> cells_;
};

/// The state of a triangle in its own axes: strain and curvature (11, 22, 2 12), stress and moment (11, 22, 12).
struct TriangleState {
  Vec<3> strain = Vec<3>::Zero(), stress = Vec<3>::Zero(), curvature = Vec<3>::Zero(), moment = Vec<3>::Zero();
  double energy = 0.0;  // [J/m^2]
};

/// Returns the states in the middles of the triangles. Strains and stresses are recovered from those around, because
/// those of one triangle err to this side and that; energies are its own.
std::vector<TriangleState> triangle_states(const ShellSamples& samples) {
  const ShellMesh& mesh = *samples.mesh;
  const ShellPatches patches(mesh);
  std::vector<TriangleState> states(mesh.triangles.size());
  const auto recover = [&](const std::vector<Mat<3>>& tensors, bool is_odd, Vec<3> TriangleState::*number,
                           double factor) {
    const std::vector<CornerTensors> corners = patches.recover(tensors, is_odd);
    for (std::size_t t = 0; t < states.size(); ++t) {
      const Mat<3> middle = (corners[t][0] + corners[t][1] + corners[t][2]) / 3.0;
      const Vec<3> found = strain_in(middle, mesh.triangles[t].axes);
      states[t].*number = Vec<3>(found[0], found[1], factor * found[2]);
    }
  };
  recover(mean_strains(mesh, samples.membrane), false, &TriangleState::strain, 1.0);
  recover(mean_stresses(mesh, samples.membrane), false, &TriangleState::stress, 0.5);
  recover(mean_strains(mesh, samples.bending), true, &TriangleState::curvature, 1.0);
  recover(mean_stresses(mesh, samples.bending), true, &TriangleState::moment, 0.5);
  for (const std::vector<ShellSample>* of : {&samples.membrane, &samples.bending}) {
    for (const ShellSample& sample : *of) {
      states[sample.triangle].energy += sample.area / mesh.triangles[sample.triangle].area * sample.energy;
    }
  }
  return states;
}

Mat<2> symmetric(double xx, double yy, double xy) {
  Mat<2> m;
  m << xx, xy, xy, yy;
  return m;
}

/// Returns the state of a face with this Green strain (11, 22, 2 12) and stress (11, 22, 12).
ElementState state_of_face(const Vec<3>& strain, const Vec<3>& stress, double nu, double energy_density) {
  const Mat<2> c = Mat<2>::Identity() + 2.0 * symmetric(strain[0], strain[1], 0.5 * strain[2]);
  const double det = c.determinant();
  if (!(det > 0.0) || !(c.trace() > 0.0)) return {};
  // The root of a 2 x 2 matrix: (C + sqrt(det) 1) / sqrt(tr C + 2 sqrt(det)).
  const double growth = std::sqrt(det);
  const Mat<2> stretch = (c + growth * Mat<2>::Identity()) / std::sqrt(c.trace() + 2.0 * growth);
  Mat<3> f = Mat<3>::Identity(), cauchy = Mat<3>::Zero();
  f.topLeftCorner<2, 2>() = stretch;
  // In plane stress the thickness follows the area.
  f(2, 2) = elementary::pow(growth, -nu / (1.0 - nu));
  cauchy.topLeftCorner<2, 2>() = stretch * symmetric(stress[0], stress[1], stress[2]) * stretch / growth;
  return element_state(cauchy, f, energy_density);
}

/// Returns the eigenvalues of a symmetric tensor (11, 22, 12), the larger first.
std::array<double, 2> principal(const Vec<3>& s) {
  const double mean = 0.5 * (s[0] + s[1]), radius = elementary::hypot(0.5 * (s[0] - s[1]), s[2]);
  return {mean + radius, mean - radius};
}

ThinState state_of_triangle(const TriangleState& of, const ShellMaterial& material) {
  const double t = material.thickness;
  ThinState thin;
  for (const double side : {1.0, -1.0}) {
    // Through the thickness strain and stress are linear: the stress of a moment is 6 M / t^2 at the faces.
    const ElementState face =
        state_of_face(of.strain + side * 0.5 * t * of.curvature, of.stress + side * 6.0 / (t * t) * of.moment,
                      material.poisson_ratio, of.energy / t);
    if (side > 0.0 || face.von_mises > thin.state.von_mises) thin.state = face;
  }
  const std::array<double, 2> moments = principal(of.moment);
  // In pure compression the largest principal stress is that across the sheet, which is none.
  const Vec<3> stress = state_of_face(of.strain, of.stress, material.poisson_ratio, 0.0).principal_stress;
  thin.resultants[0] = t * (stress[0] > 0.0 ? stress[0] : stress[1]);
  thin.resultants[1] = std::abs(moments[0]) >= std::abs(moments[1]) ? moments[0] : moments[1];
  return thin;
}

}  // namespace

std::vector<ThinState> find_thin_states(const SceneModel& scene, const State& state) {
  std::vector<ThinState> states;
  const bool has_thin = std::any_of(scene.bodies.begin(), scene.bodies.end(), [](const BodyInstance& body) {
    return body.kind == BodyKind::shell || body.kind == BodyKind::rod;
  });
  if (!has_thin) return states;
  const std::optional<ShellSamples> shells = find_shell_samples(scene, state.x, state.time, state.history);
  const CellsByBlocks cells(scene.frames);
  if (shells) {
    const std::vector<TriangleState> means = triangle_states(*shells);
    for (std::size_t t = 0; t < means.size(); ++t) {
      const ShellTriangle& triangle = shells->mesh->triangles[t];
      ThinState& thin = states.emplace_back(state_of_triangle(means[t], shells->mesh->materials[triangle.material]));
      thin.cell = cells.at({triangle.nodes.begin(), triangle.nodes.end()});
    }
  }
  for (std::size_t k = 0; k < scene.model.potentials.size(); ++k) {
    const auto* rods = dynamic_cast<const RodPotential*>(scene.model.potentials[k].get());
    if (rods == nullptr) continue;
    RodPotential own = *rods;
    own.set_history(history_of(state, k));
    (void)own.begin_step(state.x, scene.options.integrator.h, state.time);
    const std::vector<Vec<3>> resultants = own.resultants(state.x);
    for (std::size_t s = 0; s < resultants.size(); ++s) {
      const RodSegment& segment = own.mesh()->segments[s];
      ThinState& thin = states.emplace_back();
      thin.cell = cells.at({segment.nodes.begin(), segment.nodes.end()});
      thin.resultants = resultants[s];
    }
  }
  return states;
}

}  // namespace clearance
