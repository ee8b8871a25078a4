#include "clearance/simulation/output/shell_error.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "clearance/model/blocks.h"
#include "clearance/simulation/output/shell_samples.h"

namespace clearance {

namespace {

/// Root mean square of strain below which a shell counts as unloaded, because its strain is rounding.
constexpr double least_strain = 1e-12;
/// Share of a thickness by which the elastic energy must be able to lift a shell against its weight. A cloth that lies
/// on a floor has less.
constexpr double least_lift = 1e-4;
/// Largest share that is reported.
constexpr double largest_share = 0.9;

/// Returns the strain, as a tensor, by which the arcs of a triangle's sides are longer than their chords: a side of
/// length l whose curvature is k has an arc of l (1 + (k l)^2 / 24). The curvature is that since rest.
Mat<3> arc_strain(const ShellTriangle& triangle, const Mat<3>& curvature) {
  const Mat<2> plane = triangle.axes.transpose() * curvature * triangle.axes;
  // The strains e of the sides s give the tensor G by s . G s = |s|^2 e, for G11, G22 and 2 G12.
  Mat<3> sides;
  Vec<3> squares;
  int row = 0;
  for (const Vec<2>& side : sides_at_rest(triangle)) {
    const double bent = side.dot(plane * side);  // k l^2
    sides.row(row) << side[0] * side[0], side[1] * side[1], side[0] * side[1];
    squares[row++] = bent * bent / 24.0;
  }
  return strain_tensor(sides.partialPivLu().solve(squares), triangle.axes);
}

/// Twice the energies [J] of a triangle: whole, of the errors of membrane and bending, and of the strains of the
/// membrane by those of arcs.
struct Energies {
  double whole = 0.0, stretched = 0.0, bent = 0.0;
  double membrane = 0.0, by_arcs = 0.0;

  void add(const Energies& other) {
    whole += other.whole;
    stretched += other.stretched;
    bent += other.bent;
    membrane += other.membrane;
    by_arcs += other.by_arcs;
  }
  double share() const { return whole > 0.0 ? (stretched + bent) / whole : 0.0; }
};

class ShellEstimate {
 public:
  ShellEstimate(const SceneModel& scene, const ShellSamples& samples, const VecX& x)
      : scene_(scene), mesh_(*samples.mesh), x_(x), patches_(mesh_), energies_(mesh_.triangles.size()) {
    forces_ = elastic_gradient(scene.model, x);
    weight_ = VecX::Zero(x.size());
    for (const auto& potential : scene.model.potentials) {
      if (potential->has_constant_force()) potential->clone()->add_gradient(x, 1.0, weight_);
    }
    measure(samples.membrane, false);
    measure(samples.bending, true);
    compare_with_arcs(samples);
  }

  std::vector<DiscretisationError> errors() const {
    std::map<int, std::vector<int>> of_body;
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      of_body[body_of_block(scene_.model, mesh_.triangles[t].nodes[0])].push_back(static_cast<int>(t));
    }
    std::vector<DiscretisationError> errors;
    for (const auto& [body, triangles] : of_body) errors.push_back(error_of(body, triangles));
    return errors;
  }

 private:
  /// Returns the stiffness of each material against strains [N/m], or against curvatures [N m].
  std::vector<Mat<3>> stiffnesses(bool is_bending) const {
    std::vector<Mat<3>> all;
    for (ShellMaterial material : mesh_.materials) {
      if (!is_bending) {
        all.emplace_back(material.thickness * material.plane_stress());
        continue;
      }
      // The law of plane stress with the modulus 12 D (1 - nu^2) / t^3 over t^3 / 12 is that of plates.
      const double nu = material.poisson_ratio;
      material.orthotropy.reset();
      material.youngs_modulus = material.flexural_rigidity() * (1.0 - nu * nu);
      all.push_back(material.plane_stress());
    }
    return all;
  }

  /// Adds the energies of strains or of curvatures, whose sign follows the normal.
  void measure(const std::vector<ShellSample>& samples, bool is_bending) {
    const std::vector<CornerTensors> corners = patches_.recover(mean_strains(mesh_, samples), is_bending);
    const std::vector<Mat<3>> stiffness = stiffnesses(is_bending);
    for (const ShellSample& sample : samples) {
      const CornerTensors& at = corners[sample.triangle];
      const Mat<3> recovered = sample.at[0] * at[0] + sample.at[1] * at[1] + sample.at[2] * at[2];
      const Vec<3> difference = strain_in(recovered, sample.axes) - sample.strain;
      Energies& energies = energies_[sample.triangle];
      energies.whole += 2.0 * sample.area * sample.energy;
      (is_bending ? energies.bent : energies.stretched) +=
          sample.area * difference.dot(stiffness[mesh_.triangles[sample.triangle].material] * difference);
      // Triangles store a part of the energy of moments that change within them.
      if (is_bending) energies.bent -= sample.area * (2.0 * sample.energy - sample.strain.dot(sample.stress));
    }
    for (Energies& energies : energies_) energies.bent = std::max(0.0, energies.bent);
  }

  /// Adds the products of the membrane's strains with themselves and with the strains of arcs.
  ///
  /// Triangles are flat, and bend without strain only as far as the chords of all sides become shorter alike. Where
  /// they are irregular, a sheet that bends is stretched in part: chords have the strain -(D - P D), where D is that of
  /// the arcs and P takes what the nodes can follow. Since P is a projection in the energy of the membrane, that energy
  /// is the negative product of strain and D.
  void compare_with_arcs(const ShellSamples& samples) {
    const std::vector<Mat<3>> strains = mean_strains(mesh_, samples.membrane);
    const std::vector<Mat<3>> curvatures = mean_strains(mesh_, samples.bending);
    const std::vector<Mat<3>> stiffness = stiffnesses(false);
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t) {
      const ShellTriangle& triangle = mesh_.triangles[t];
      const Vec<3> strain = strain_in(strains[t], triangle.axes);
      const Vec<3> forces = triangle.area * (stiffness[triangle.material] * strain);
      energies_[t].membrane = strain.dot(forces);
      energies_[t].by_arcs = -forces.dot(strain_in(arc_strain(triangle, curvatures[t]), triangle.axes));
    }
  }

  Vec<3> centre(int t) const {
    Vec<3> sum = Vec<3>::Zero();
    for (const int node : mesh_.triangles[t].nodes) sum += block<3>(scene_.model.x_rest, node);
    return sum / 3.0;
  }

  /// The work of the elastic forces over the displacements of a body from rest, its weight and thickness.
  struct Motion {
    double work = 0.0, weight = 0.0, thickness = 0.0;  // [J], [N], [m]
  };

  Motion motion_of(const std::vector<int>& triangles) const {
    std::set<int> nodes;
    Motion motion;
    for (const int t : triangles) {
      nodes.insert(mesh_.triangles[t].nodes.begin(), mesh_.triangles[t].nodes.end());
      motion.thickness = std::max(motion.thickness, mesh_.materials[mesh_.triangles[t].material].thickness);
    }
    for (const int node : nodes) {
      motion.work += block<3>(forces_, node).dot(block<3>(x_, node) - block<3>(scene_.model.x_rest, node));
      motion.weight += block<3>(weight_, node).norm();
    }
    return motion;
  }

  DiscretisationError error_of(int body, const std::vector<int>& triangles) const {
    DiscretisationError error;
    error.body = body;
    error.is_shell = true;
    Energies all;
    double stiffness = 0.0, length = 0.0;  // [J] at a strain of 1
    int largest = triangles[0], worst = triangles[0];
    for (const int t : triangles) {
      const ShellTriangle& triangle = mesh_.triangles[t];
      const ShellMaterial& material = mesh_.materials[triangle.material];
      all.add(energies_[t]);
      stiffness += triangle.area * material.thickness * material.plane_stress()(2, 2);
      for (const Vec<2>& side : sides_at_rest(triangle)) length += side.norm() / 3.0;
      if (energies_[t].whole / triangle.area > energies_[largest].whole / mesh_.triangles[largest].area) largest = t;
      if (energies_[t].stretched + energies_[t].bent > energies_[worst].stretched + energies_[worst].bent) worst = t;
    }
    error.edge_length = length / static_cast<double>(triangles.size());
    error.where = centre(worst);
    error.strain = std::sqrt(all.whole / stiffness);
    if (!(error.strain > least_strain)) {
      error.strain = 0.0;
      return error;
    }
    error.energy = 0.5 * all.whole;
    const Motion motion = motion_of(triangles);
    if (0.5 * all.whole < least_lift * motion.thickness * motion.weight) return error;
    // Small displacements under forces do twice the work of what is stored. The shape of a hanging cloth follows from
    // its weight: the work is much more than what stretching stores, and its errors count by that much less.
    // The energy of what arcs stretch grows with the fourth power of the curvature, and resists twice as much as its
    // share says.
    const double locked = 2.0 * std::clamp(all.by_arcs, 0.0, all.membrane);
    const double excess = (all.bent - std::max(all.stretched, locked)) / std::max(all.whole, motion.work);
    error.is_too_soft = excess > 0.0;
    error.displacement = std::min(std::abs(excess), largest_share);
    Energies near;
    for (const int node : mesh_.triangles[largest].nodes) {
      for (const int t : patches_.around(node)) near.add(energies_[t]);
    }
    error.stress = std::sqrt(std::min(near.share(), 1.0));
    return error;
  }

  const SceneModel& scene_;
  const ShellMesh& mesh_;
  const VecX& x_;
  ShellPatches patches_;
  VecX forces_, weight_;            // [N] elastic forces, and constant ones
  std::vector<Energies> energies_;  // per triangle
};

}  // namespace

std::vector<DiscretisationError> estimate_shell_errors(const SceneModel& scene, const VecX& x, double time) {
  const std::optional<ShellSamples> samples = find_shell_samples(scene, x, time, {});
  if (!samples) return {};
  // The estimate does not know how a sheet has yielded.
  const auto yields = [](const ShellMaterial& material) { return material.yield_curvature.has_value(); };
  if (std::any_of(samples->mesh->materials.begin(), samples->mesh->materials.end(), yields)) return {};
  return ShellEstimate(scene, *samples, x).errors();
}

}  // namespace clearance
