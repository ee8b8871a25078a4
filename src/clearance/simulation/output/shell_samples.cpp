#include "clearance/simulation/output/shell_samples.h"

#include <cmath>

#include "clearance/bodies/shell/bending_potential.h"
#include "clearance/bodies/shell/membrane_potential.h"

namespace clearance {

std::optional<ShellSamples> find_shell_samples(const SceneModel& scene, const VecX& x, double time,
                                               const History& history) {
  std::optional<ShellSamples> samples;
  for (std::size_t k = 0; k < scene.model.potentials.size(); ++k) {
    const Potential* potential = scene.model.potentials[k].get();
    if (const auto* membrane = dynamic_cast<const MembranePotential*>(potential)) {
      samples.emplace(ShellSamples{membrane->mesh(), membrane->samples(x), {}});
    } else if (const auto* bending = dynamic_cast<const BendingPotential*>(potential)) {
      BendingPotential own = *bending;
      if (k < history.size()) own.set_history(history[k]);
      (void)own.begin_step(x, scene.options.integrator.h, time);
      samples->bending = own.samples(x);
    }
  }
  return samples;
}

namespace {

/// Cosine of the angle between neighbours at rest beyond which strains are not continuous: the edges of a box.
constexpr double smooth_cosine = 0.8;

template <class Tensor>
std::vector<Mat<3>> mean_tensors(const ShellMesh& mesh, const std::vector<ShellSample>& samples,
                                 const Tensor& tensor_of) {
  std::vector<Mat<3>> means(mesh.triangles.size(), Mat<3>::Zero());
  for (const ShellSample& sample : samples) {
    means[sample.triangle] += sample.area / mesh.triangles[sample.triangle].area * tensor_of(sample);
  }
  return means;
}

}  // namespace

std::vector<Mat<3>> mean_strains(const ShellMesh& mesh, const std::vector<ShellSample>& samples) {
  return mean_tensors(mesh, samples,
                      [](const ShellSample& sample) { return strain_tensor(sample.strain, sample.axes); });
}

std::vector<Mat<3>> mean_stresses(const ShellMesh& mesh, const std::vector<ShellSample>& samples) {
  return mean_tensors(mesh, samples,
                      [](const ShellSample& sample) { return stress_tensor(sample.stress, sample.axes); });
}

ShellPatches::ShellPatches(const ShellMesh& mesh) : mesh_(mesh) {
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (const int node : mesh.triangles[t].nodes) around_[node].push_back(static_cast<int>(t));
  }
}

std::vector<CornerTensors> ShellPatches::recover(const std::vector<Mat<3>>& of_triangles, bool is_odd) const {
  std::vector<CornerTensors> recovered(of_triangles.size());
  for (std::size_t t = 0; t < recovered.size(); ++t) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      Mat<3> sum = Mat<3>::Zero();
      double area = 0.0;
      for (const int other : around(mesh_.triangles[t].nodes[corner])) {
        const double cosine = normal(t).dot(normal(other)), of_other = mesh_.triangles[other].area;
        if (std::abs(cosine) < smooth_cosine) continue;
        sum += (is_odd && cosine < 0.0 ? -of_other : of_other) * of_triangles[other];
        area += of_other;
      }
      recovered[t][corner] = sum / area;
    }
  }
  return recovered;
}

}  // namespace clearance
