#include "clearance/simulation/output/discretisation_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "clearance/base/parallel.h"
#include "clearance/bodies/fem/hardening.h"
#include "clearance/math/elementary.h"
#include "clearance/model/blocks.h"
#include "clearance/simulation/output/shell_error.h"
#include "clearance/simulation/output/stress_recovery.h"
#include "clearance/simulation/output/yielded_error.h"

namespace clearance {

namespace {

/// Mean strain below which a body counts as unloaded, because its strain is rounding.
constexpr double least_strain = 1e-12;

/// Largest share that is reported. A larger estimate only says that the elements are far too coarse.
constexpr double largest_share = 0.9;

/// Returns the factor by which the recovered stress understates the error: the inverse of the geometric mean of
/// estimate over truth. In 3D it was 0.7 in 41 problems with linear and quadratic elements, because the recovered
/// stress misses most at the edges of clamps. In 2D it was 0.96 in 24 problems with linear elements. With others it
/// was 1.6 in 20, which is left as it is, because those that raise it have errors below 1 %.
double calibration(int dim) {
  return dim == 2 ? 1.0 : 1.35;
}

/// Returns the factor by which the recovered stress understates the error of elements of order 2 and more that are
/// nearly incompressible: they lock a little, and the pressure of that is smooth. Estimates of 60 beams and columns
/// were too low by 1.0 up to nu 0.4, by 1.5 (geometric mean) at 0.45 and by 2.5 at 0.49.
double locking(const ElementKind& kind) {
  constexpr double harmless = 4.0, power = 0.37;  // lambda / mu at nu 0.4
  if (kind.order < 2) return 1.0;
  return std::max(1.0, elementary::pow(kind.lambda / (harmless * kind.mu), power));
}

/// Returns the volume [m^3] of a simplex with these corners; 2D: its area.
template <class Corner>
double simplex_volume(int dim, const Corner& corner) {
  Mat<3> edges = Mat<3>::Identity();
  for (int i = 1; i <= dim; ++i) edges.col(i - 1) = corner(i) - corner(0);
  return std::abs(edges.col(0).cross(edges.col(1)).dot(edges.col(2))) / (dim == 2 ? 2.0 : 6.0);
}

/// Returns a : C^-1 : b [Pa]: for a = b twice the energy density of a stress.
double energy_of(const ElementKind& kind, const StressVector& a, const StressVector& b) {
  const double traces = a.head<3>().sum() * b.head<3>().sum();
  const double product = a.head<3>().dot(b.head<3>()) + 2.0 * a.tail<3>().dot(b.tail<3>());
  return (product - kind.lambda / (3.0 * kind.lambda + 2.0 * kind.mu) * traces) / (2.0 * kind.mu);
}

/// Twice the energies [J] of an element, or of several: of the stress of the element, and of its difference to the
/// recovered one.
struct Energies {
  double whole = 0.0, error = 0.0;

  void add(const Energies& other) {
    whole += other.whole;
    error += other.error;
  }
  double share() const { return whole > 0.0 ? error / whole : 0.0; }
};

/// The square of a stress of the elements' order is integrated exactly.
constexpr int extra_degree = 2;

/// A stress at the points of elements, and the one that is recovered from it.
struct StressField {
  StressField(const SceneModel& scene, const StressPatches& patches, const VecX& x, const History& history)
      : recovered(scene, patches, x, history), stresses(scene.element_stresses(x, history, extra_degree)) {}

  RecoveredStress recovered;
  ElementStresses stresses;
};

/// Returns the stress with its deviator multiplied by `share`, and with this mean.
StressVector with_mean(StressVector stress, double share, double mean) {
  const double own = stress.head<3>().sum() / 3.0;
  stress *= share;
  stress.head<3>().array() += mean - share * own;
  return stress;
}

/// A stress, and the one that the same strain would cause without flow, which stands for the strain.
struct StressAndStrain {
  StressVector stress, strain;

  StressAndStrain operator-(const StressAndStrain& other) const {
    return {stress - other.stress, strain - other.strain};
  }
};

/// Returns stress and strain at a point of a material that flows, if the load has only grown. Flow keeps the volume, so
/// that the mean is that of the real stress. This stress is a gradient of a convex energy of the strain: a difference
/// of two stresses does no negative work on that of the strains, and stays bounded where strains are recovered from
/// neighbours that flow far.
StressAndStrain flowed(const ElementKind& kind, const StressVector& real, const StressVector& unyielding) {
  const double mean = real.head<3>().sum() / 3.0, trial = von_mises(unyielding), stiffness = 3.0 * kind.mu;
  const double flow = kind.hardening->flow(trial, stiffness, 0.0).amount;
  const double share = trial > 0.0 ? 1.0 - stiffness * flow / trial : 1.0;
  return {with_mean(unyielding, share, mean), with_mean(unyielding, 1.0, mean)};
}

/// `unyielding` is given where a material may have flowed.
std::vector<Energies> element_energies(const SceneModel& scene, const StressField& real,
                                       const std::optional<StressField>& unyielding) {
  std::vector<Energies> energies(scene.num_elements());
  parallel_for(scene.num_elements(), 32, [&](int e) {
    const ElementKind& kind = scene.element_kinds[e];
    const double understated = locking(kind);
    std::size_t at = real.stresses.first_point[e];
    for (const QuadraturePoint& point : stress_points(scene.dim, kind.order, extra_degree)) {
      const StressVector &stress = real.stresses.stress[at], recovered = real.recovered.at(e, point.at);
      StressAndStrain own{stress, stress}, better{recovered, recovered};
      if (unyielding && kind.hardening != nullptr) {
        own = flowed(kind, stress, unyielding->stresses.stress[at]);
        better = flowed(kind, recovered, unyielding->recovered.at(e, point.at));
      }
      const StressAndStrain error = better - own;
      const double volume = real.stresses.volume[at];
      energies[e].add({volume * energy_of(kind, own.stress, own.strain),
                       volume * understated * energy_of(kind, error.stress, error.strain)});
      ++at;
    }
  });
  return energies;
}

bool may_yield(const std::vector<ElementKind>& kinds) {
  return std::any_of(kinds.begin(), kinds.end(), [](const ElementKind& kind) { return kind.hardening != nullptr; });
}

/// Returns the gradient [N] of the elastic energies of elements with this history.
VecX elastic_forces(const Model& model, const VecX& x, const History& history) {
  VecX gradient = VecX::Zero(x.size());
  for (std::size_t k = 0; k < model.potentials.size(); ++k) {
    if (!model.potentials[k]->is_elastic()) continue;
    const std::unique_ptr<Potential> own = model.potentials[k]->clone();
    if (k < history.size()) own->set_history(history[k]);
    own->add_gradient(x, 1.0, gradient);
  }
  return gradient;
}

/// Share of an element's volume that a stress on one of its faces stands for: it falls from the face inwards with the
/// fourth power of the barycentric coordinate.
constexpr double share_of_face = 0.25;
/// Share of the largest nodal force of a body below which nothing acts on a node.
constexpr double no_force = 2e-3;

/// Faces on which nothing acts. Their stress is zero, which recovered stresses need not be: a bar of one quadratic
/// element through its thickness that is twisted has a smooth stress and is too stiff by a fifth.
class FreeFaces {
 public:
  FreeFaces(const SceneModel& scene, const VecX& x, const History& history)
      : scene_(scene), x_(scene.frames.vertex_map.apply(x)) {
    find_loaded_vertices(elastic_forces(scene.model, x, history));
  }

  /// Raises the errors of elements of order 2 and more to what their free faces say. Those of linear elements are seen
  /// in their jumps.
  void raise(const RecoveredStress& recovered, std::vector<Energies>& energies) const {
    std::map<int, double> of_element;
    for (const auto& [element, opposite] : outer_faces()) {
      if (scene_.element_kinds[element].order < 2 || !is_free(element, opposite)) continue;
      of_element[element] += energy_on_face(recovered, element, opposite);
    }
    for (const auto& [element, energy] : of_element)
      energies[element].error = std::max(energies[element].error, energy);
  }

 private:
  struct Face {
    int element, opposite;  // the corner that is not on it
  };

  int corner(int element, int i) const { return shape_nodes(scene_, element)[i]; }
  Vec<3> position(int vertex) const {
    Vec<3> x = Vec<3>::Zero();
    x.head(scene_.dim) = x_.segment(scene_.dim * static_cast<Eigen::Index>(vertex), scene_.dim);
    return x;
  }

  /// Marks the vertices that something acts on: in equilibrium the elastic forces of all others are zero.
  void find_loaded_vertices(const VecX& forces) {
    const int dim = scene_.dim;
    std::vector<double> largest(scene_.bodies.size(), 0.0);
    const auto force = [&](Eigen::Index b) { return forces.segment(dim * b, dim).norm(); };
    for (int b = 0; b < scene_.model.layout.num_blocks; ++b) {
      double& of_body = largest[body_of_block(scene_.model, b)];
      of_body = std::max(of_body, force(b));
    }
    is_loaded_.assign(scene_.frames.mesh.vertices.size(), 0);
    for (std::size_t v = 0; v < is_loaded_.size(); ++v) {
      for (const SurfaceMap::Term& term : scene_.frames.vertex_map.terms(static_cast<int>(v))) {
        if (force(term.block) > no_force * largest[body_of_block(scene_.model, term.block)]) is_loaded_[v] = 1;
      }
    }
  }

  /// Returns the faces that no other element of the body has.
  std::vector<Face> outer_faces() const {
    std::map<std::vector<int>, Face> faces;
    for (int e = 0; e < scene_.num_elements(); ++e) {
      for (int i = 0; i <= scene_.dim; ++i) {
        std::vector<int> key;
        for (int j = 0; j <= scene_.dim; ++j) {
          if (j != i) key.push_back(corner(e, j));
        }
        std::sort(key.begin(), key.end());
        const auto [other, is_first] = faces.try_emplace(std::move(key), Face{e, i});
        if (!is_first) faces.erase(other);
      }
    }
    std::vector<Face> outer;
    for (const auto& [key, face] : faces) outer.push_back(face);
    return outer;
  }

  /// True if nothing acts on any node of the face. Elements whose shape has a lower order than their displacements have
  /// nodes that are no vertices.
  bool is_free(int element, int opposite) const {
    const std::span<const int> nodes = shape_nodes(scene_, element);
    const int order = order_of_nodes(scene_.dim, nodes.size());
    if (order != scene_.element_kinds[element].order) return false;
    const std::vector<NodeIndex>& lattice = lagrange_nodes(scene_.dim, order);
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (lattice[k][opposite] == 0 && is_loaded_[nodes[k]] != 0) return false;
    }
    return true;
  }

  /// Returns twice the energy [J] of the recovered stress on a face.
  double energy_on_face(const RecoveredStress& recovered, int element, int opposite) const {
    std::vector<int> on_face;
    for (int j = 0; j <= scene_.dim; ++j) {
      if (j != opposite) on_face.push_back(j);
    }
    Vec<3> normal = position(corner(element, on_face[1])) - position(corner(element, on_face[0]));
    if (scene_.dim == 2) {
      normal = Vec<3>(normal[1], -normal[0], 0.0);
    } else {
      normal = normal.cross(position(corner(element, on_face[2])) - position(corner(element, on_face[0]))).eval();
    }
    normal.normalize();
    const ElementKind& kind = scene_.element_kinds[element];
    double sum = 0.0;
    int count = 0;
    // The middles of a triangle's sides integrate squares of linear stresses exactly.
    for (std::size_t a = 0; a < on_face.size(); ++a) {
      for (std::size_t b = 0; b < a; ++b, ++count) {
        Barycentrics at{};
        at[on_face[a]] = at[on_face[b]] = 0.5;
        const Vec<3> traction = to_matrix(recovered.at(element, at)) * normal;
        const double across = traction.dot(normal), along_sq = traction.squaredNorm() - across * across;
        sum += across * across / (kind.lambda + 2.0 * kind.mu) + along_sq / kind.mu;
      }
    }
    return share_of_face * volume(element) * sum / count;
  }

  double volume(int element) const {
    return simplex_volume(scene_.dim, [&](int i) { return position(corner(element, i)); });
  }

  const SceneModel& scene_;
  VecX x_;  // [m] of frames
  std::vector<char> is_loaded_;
};

/// The elements of one body, measured.
class BodyEstimate {
 public:
  BodyEstimate(const SceneModel& scene, const StressPatches& patches, const std::vector<Energies>& energies,
               const std::vector<int>& elements)
      : scene_(scene), patches_(patches), energies_(energies), elements_(elements) {}

  DiscretisationError estimate(int body, const RecoveredStress& recovered) const {
    DiscretisationError error;
    error.body = body;
    for (const int e : elements_) error.order = std::max(error.order, scene_.element_kinds[e].order);
    error.edge_length = mean_edge_length();
    error.where = centre(*std::max_element(elements_.begin(), elements_.end(),
                                           [&](int a, int b) { return energies_[a].error < energies_[b].error; }));
    const Energies all = sum(elements_);
    const double strain = mean_strain(all);
    if (!(strain > least_strain)) return error;
    error.strain = strain;
    error.energy = 0.5 * all.whole;
    const double factor = calibration(scene_.dim);
    error.displacement = std::min(factor * all.share(), largest_share);
    error.stress = std::sqrt(std::min(factor * sum(elements_of_largest_stress(recovered)).share(), 1.0));
    return error;
  }

 private:
  Energies sum(std::span<const int> elements) const {
    Energies all;
    for (const int e : elements) all.add(energies_[e]);
    return all;
  }

  double mean_strain(const Energies& all) const {
    double stiffness = 0.0;  // [J] at a strain of 1
    for (const int e : elements_) stiffness += scene_.element_kinds[e].mu * volume(e);
    return std::sqrt(all.whole / stiffness);
  }

  const Vec<3>& corner(int element, int i) const {
    return scene_.frames.mesh.vertices[shape_nodes(scene_, element)[i]];
  }
  Vec<3> centre(int element) const {
    Vec<3> sum = Vec<3>::Zero();
    for (int i = 0; i <= scene_.dim; ++i) sum += corner(element, i);
    return sum / (scene_.dim + 1.0);
  }
  double volume(int element) const {
    return simplex_volume(scene_.dim, [&](int i) { return corner(element, i); });
  }
  double mean_edge_length() const {
    double length = 0.0;
    for (const int e : elements_) {
      for (int i = 0; i <= scene_.dim; ++i) {
        for (int j = 0; j < i; ++j) length += (corner(e, i) - corner(e, j)).norm();
      }
    }
    return length / (0.5 * scene_.dim * (scene_.dim + 1.0) * static_cast<double>(elements_.size()));
  }

  /// Returns the elements around the corner with the largest equivalent stress.
  std::span<const int> elements_of_largest_stress(const RecoveredStress& recovered) const {
    double largest = -1.0;
    int patch = 0;
    for (const int e : elements_) {
      for (int i = 0; i <= scene_.dim; ++i) {
        Barycentrics at{};
        at[i] = 1.0;
        const double stress = von_mises(recovered.at(e, at));
        if (!(stress > largest)) continue;
        largest = stress;
        patch = patches_.patches_of(e)[i];
      }
    }
    return patches_.elements(patch);
  }

  const SceneModel& scene_;
  const StressPatches& patches_;
  const std::vector<Energies>& energies_;
  const std::vector<int>& elements_;
};

}  // namespace

void DiscretisationError::amplify(double factor) {
  displacement = std::min(factor * displacement, largest_share);
}

std::string remedy_for(const DiscretisationError& error) {
  if (error.order == 1 && !error.is_shell) return "use `\"order\": 2`, or compare with elements of half the length";
  const double factor = elementary::pow(tolerated_error / error.displacement, 1.0 / (2.0 * error.order));
  // Lengths that differ by a few percent need more digits.
  std::string wanted, present;
  for (int digits = 2; digits <= 6 && wanted == present; ++digits) {
    wanted = fmt::format("{:.{}g}", factor * error.edge_length, digits);
    present = fmt::format("{:.{}g}", error.edge_length, digits);
  }
  return fmt::format("use elements with edges of {} m there instead of {} m", wanted, present);
}

std::vector<char> find_yielded_bodies(const SceneModel& scene, const VecX& x, const History& history) {
  std::vector<char> has_yielded(scene.bodies.size(), 0);
  if (!may_yield(scene.element_kinds)) return has_yielded;
  const std::vector<ElementState> elements = scene.element_states(x, history);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (elements[e].plastic_strain > 0.0) has_yielded[scene.frames.cell_body[scene.cell_of_element[e]]] = 1;
  }
  return has_yielded;
}

std::vector<DiscretisationError> estimate_solid_errors(const SceneModel& scene, const VecX& x, const History& history) {
  std::vector<DiscretisationError> errors;
  if (!scene.element_stresses || scene.is_axisymmetric) return errors;
  const StressPatches patches(scene);
  const StressField real(scene, patches, x, history);
  std::optional<StressField> unyielding;
  if (!history.empty() && may_yield(scene.element_kinds)) unyielding.emplace(scene, patches, x, History());
  std::vector<Energies> energies = element_energies(scene, real, unyielding);
  if (scene.options.integrator.method == TimeIntegrator::quasi_static) {
    FreeFaces(scene, x, history).raise(real.recovered, energies);
  }
  const std::vector<char> has_yielded = find_yielded_bodies(scene, x, history);
  std::map<int, std::vector<int>> elements_of_body;
  for (int e = 0; e < scene.num_elements(); ++e) elements_of_body[patches.body_of_element(e)].push_back(e);
  for (const auto& [body, elements] : elements_of_body) {
    std::vector<ElementKind> kinds;
    for (const int e : elements) kinds.push_back(scene.element_kinds[e]);
    if (history.empty() && may_yield(kinds)) continue;
    DiscretisationError error = BodyEstimate(scene, patches, energies, elements).estimate(body, real.recovered);
    if (has_yielded[body] != 0) error.stress = 0.0;
    errors.push_back(error);
  }
  return errors;
}

std::vector<DiscretisationError> estimate_solid_errors(const SceneModel& scene, const VecX& x) {
  return estimate_solid_errors(scene, x, {});
}

void append_shell_errors(const SceneModel& scene, const VecX& x, double time,
                         std::vector<DiscretisationError>& errors) {
  const std::vector<DiscretisationError> of_shells = estimate_shell_errors(scene, x, time);
  errors.insert(errors.end(), of_shells.begin(), of_shells.end());
  std::sort(errors.begin(), errors.end(),
            [](const DiscretisationError& a, const DiscretisationError& b) { return a.body < b.body; });
}

}  // namespace clearance
