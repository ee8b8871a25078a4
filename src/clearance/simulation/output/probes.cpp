#include "clearance/simulation/output/probes.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <limits>

#include "clearance/bodies/rod/rod_potential.h"
#include "clearance/bodies/shell/bending_potential.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/surface_distance.h"
#include "clearance/math/rotation.h"
#include "clearance/math/symmetric_modes.h"
#include "clearance/model/feasible_model.h"
#include "clearance/scene/body_names.h"
#include "clearance/simulation/load/named_instances.h"
#include "clearance/simulation/load/region.h"
#include "clearance/simulation/output/stress_recovery.h"

namespace clearance {

namespace {

/// Returns the torques [N m] of the clamps of shells and rods at the end of a step, per block; nothing if there are
/// none.
VecX clamp_torques(const SceneModel& scene, const State& state) {
  VecX torques;
  for (std::size_t k = 0; k < scene.model.potentials.size(); ++k) {
    const Potential& of_model = *scene.model.potentials[k];
    const auto* shells = dynamic_cast<const BendingPotential*>(&of_model);
    const auto* rods = dynamic_cast<const RodPotential*>(&of_model);
    if (!(shells != nullptr && shells->has_clamps()) && !(rods != nullptr && rods->has_clamps())) continue;
    const std::unique_ptr<Potential> potential = of_model.clone();
    const auto* bending = dynamic_cast<const BendingPotential*>(potential.get());
    const auto* rod = dynamic_cast<const RodPotential*>(potential.get());
    potential->set_history(history_of(state, k));
    (void)potential->begin_step(state.x, scene.options.integrator.h, state.time);
    if (torques.size() == 0) torques = VecX::Zero(state.x.size());
    if (bending != nullptr) bending->add_clamp_torques(state.x, torques);
    if (rod != nullptr) rod->add_clamp_torques(state.x, torques);
  }
  return torques;
}

Vec<3> in_space(const VecX& values, int block, int dim) {
  Vec<3> v = Vec<3>::Zero();
  v.head(dim) = values.segment(dim * static_cast<Eigen::Index>(block), dim);
  return v;
}

bool has(const std::vector<int>& sorted, int value) {
  return std::binary_search(sorted.begin(), sorted.end(), value);
}

}  // namespace

/// Resolves each probe once, so that a step only has to add up numbers.
class ProbeMaker {
 public:
  ProbeMaker(const SceneDesc& desc, const SceneModel& scene, Issues& issues, Probes& probes)
      : desc_(desc), scene_(scene), issues_(issues), probes_(probes), dim_(scene.dim) {
    int next = 0;
    for (const BodyInstance& body : scene.bodies) {
      first_vertex_.push_back(next);
      next += static_cast<int>(body.mesh.vertices.size());
    }
  }

  void run() {
    for (std::size_t i = 0; i < desc_.output.probes.size(); ++i) {
      probe_ = &desc_.output.probes[i];
      place_ = fmt::format("output.probes[{}]", i);
      make();
    }
  }

 private:
  void make() {
    switch (probe_->kind) {
      case ProbeKind::position:
      case ProbeKind::velocity:
        return make_mean(probe_->kind == ProbeKind::position);
      case ProbeKind::reaction:
        return make_reaction();
      case ProbeKind::contact:
        return make_contact();
      case ProbeKind::joint:
        return make_joint();
      case ProbeKind::attachment:
        return make_attachment();
      case ProbeKind::spring:
        return make_spring();
      case ProbeKind::gap:
        return make_gap();
      case ProbeKind::stress:
        return make_stress();
    }
  }

  // --- columns ---

  void add_column(const std::string& part, const std::string& unit) {
    probes_.columns_.push_back(fmt::format("{}{} [{}]", probe_->name, part, unit_system_of(desc_).text(unit)));
    probes_.sums_.emplace_back();
    probes_.is_stress_.push_back(probe_->kind == ProbeKind::stress ? 1 : 0);
    const bool is_of_joint = probe_->kind == ProbeKind::joint;
    probes_.force_of_.push_back(!unit.starts_with("N") ? Probes::ForceOf::nothing
                                : is_of_joint          ? Probes::ForceOf::joint
                                                       : Probes::ForceOf::other);
  }
  void add_vector(const std::string& part, const std::string& unit) {
    for (int d = 0; d < dim_; ++d) add_column(fmt::format("{}.{}", part, "xyz"[d]), unit);
  }
  /// Adds the columns of a torque; in 2D only the one about z.
  void add_torque(const std::string& part) {
    for (int d = dim_ == 2 ? 2 : 0; d < 3; ++d) add_column(fmt::format("{}.{}", part, "xyz"[d]), "N m");
  }
  void measure(Probes::Measure measure) { probes_.measures_.push_back(std::move(measure)); }
  static void push(const Vec<3>& v, int dim, std::vector<double>& values) {
    values.insert(values.end(), v.data(), v.data() + dim);
  }
  static void push_torque(const Vec<3>& v, int dim, std::vector<double>& values) {
    values.insert(values.end(), v.data() + (dim == 2 ? 2 : 0), v.data() + 3);
  }

  // --- what names mean ---

  void error(const std::string& key, const std::string& value, std::string message) {
    issues_.push_back({"", place_ + "." + key, value, std::move(message), Severity::error});
  }

  std::vector<int> find_bodies(const std::string& name, const std::string& key) {
    return find_instances(desc_, scene_.bodies, name, place_ + "." + key, issues_);
  }

  /// Returns the vertices of one body that the probe selects: those in its region, or all.
  std::vector<int> select(int body) const {
    const BodyInstance& instance = scene_.bodies[body];
    return select_nodes(instance, desc_.bodies[instance.desc].transform, probe_->region.value_or(RegionDesc{}), dim_);
  }

  const Vec<3>& start_of(int body, int vertex) const { return scene_.bodies[body].mesh.vertices[vertex]; }

  // --- position and velocity: weighted sums of blocks ---

  using Term = SumOfBlocks::Term;
  struct Terms {
    std::vector<Term> of_blocks;
    Vec<3> offset = Vec<3>::Zero();  // [m] added to the sum over the blocks if it is a position
  };

  void add_vertex(int body, int vertex, double weight, Terms& terms) const {
    const int in_frame = first_vertex_[body] + vertex;
    const bool has_offset = !scene_.bodies[body].followed.empty();
    if (has_offset) terms.offset += weight * start_of(body, vertex);
    for (const SurfaceMap::Term& term : scene_.frames.vertex_map.terms(in_frame)) {
      terms.of_blocks.push_back({term.block, weight * term.weight});
      if (has_offset) terms.offset -= weight * term.weight * in_space(scene_.model.x_rest, term.block, dim_);
    }
  }

  /// Returns true if the vertex exists since the start of the run. Vertices that elements add later when they adapt do
  /// not count in a mean and are not chosen for a point.
  bool is_of_start(int body, int vertex) const {
    const BodyInstance& instance = scene_.bodies[body];
    return !instance.adapted || instance.adapted->mesh->origin_of_vertex[vertex] >= 0;
  }

  Terms mean_of_vertices(const std::vector<int>& bodies) const {
    Terms terms;
    std::vector<std::array<int, 2>> vertices;  // body and vertex
    for (const int b : bodies) {
      for (const int v : select(b)) {
        if (is_of_start(b, v)) vertices.push_back({b, v});
      }
    }
    for (const auto& [b, v] : vertices) add_vertex(b, v, 1.0 / static_cast<double>(vertices.size()), terms);
    return terms;
  }

  Terms nearest_vertex(const std::vector<int>& bodies, const Vec<3>& point) const {
    double least = infinity;
    int body = -1, vertex = -1;
    for (const int b : bodies) {
      const auto count = static_cast<int>(scene_.bodies[b].mesh.vertices.size());
      for (int v = 0; v < count; ++v) {
        if (!is_of_start(b, v)) continue;
        const double distance = (start_of(b, v) - point).norm();
        if (!(distance < least)) continue;
        least = distance;
        body = b;
        vertex = v;
      }
    }
    Terms terms;
    if (body < 0) return terms;
    add_vertex(body, vertex, 1.0, terms);
    constexpr double far = 0.5;  // of the body's diagonal
    const BodyInstance& nearest = scene_.bodies[body];
    if (least > far * bounding_box(nearest.mesh.vertices).diagonal()) {
      const Vec<3>& place = start_of(body, vertex);
      issues_.push_back(
          {"", place_ + ".point", fmt::format("[{:.6g}, {:.6g}, {:.6g}]", point[0], point[1], point[2]),
           fmt::format("the nearest vertex of body '{}', which the probe follows, is {:.3g} {} away, at "
                       "({:.4g}, {:.4g}, {:.4g})",
                       nearest.name, least, unit_system_of(desc_).text("m"), place[0], place[1], place[2]),
           Severity::warning});
    }
    return terms;
  }

  /// Returns the terms of the centre of mass; none for bodies without mass. Columns of affine maps have moments, but no
  /// place.
  Terms centre_of_mass(const std::vector<int>& bodies) const {
    std::vector<char> is_column(scene_.model.layout.num_blocks, 0);
    for (const StiffBody& body : scene_.model.stiff_bodies) {
      for (int i = 1; i <= dim_; ++i) is_column[body.first_block + i] = 1;
    }
    Terms terms;
    double mass = 0.0;
    for (int b = 0; b < scene_.model.layout.num_blocks; ++b) {
      const std::size_t at = b;
      if (is_column[at] || !has(bodies, scene_.model.body_of_block[at]) || !(scene_.model.mass[b] > 0.0)) continue;
      terms.of_blocks.push_back({b, scene_.weighing[b]});
      mass += scene_.weighing[b];
    }
    for (Term& term : terms.of_blocks) term.weight /= mass;
    for (const int b : bodies) {
      if (!scene_.shape_moments.empty()) terms.offset += scene_.shape_moments[b] / mass;
    }
    return terms;
  }

  void make_mean(bool is_position) {
    const std::vector<int> bodies = find_bodies(probe_->body, "body");
    if (bodies.empty()) return;
    Terms terms;
    if (probe_->point) {
      terms = nearest_vertex(bodies, *probe_->point);
    } else if (!probe_->region) {
      terms = centre_of_mass(bodies);
    }
    if (terms.of_blocks.empty()) terms = mean_of_vertices(bodies);
    if (terms.of_blocks.empty())
      return error("region", "", fmt::format("the region contains no node of body '{}'", probe_->body));
    add_vector("", is_position ? "m" : "m/s");
    const std::size_t first = probes_.sums_.size() - static_cast<std::size_t>(dim_);
    for (int d = 0; d < dim_; ++d) {
      probes_.sums_[first + static_cast<std::size_t>(d)] = SumOfBlocks{terms.of_blocks, d, is_position};
    }
    measure([terms, is_position, dim = dim_](const StepEnd& end, std::vector<double>& values) {
      Vec<3> sum = is_position ? terms.offset : Vec<3>(Vec<3>::Zero());
      for (const Term& term : terms.of_blocks)
        sum += term.weight * in_space(is_position ? end.state.x : end.state.v, term.block, dim);
      push(sum, dim, values);
    });
  }

  // --- forces ---

  std::vector<char> prescribed_blocks() const {
    std::vector<char> is_prescribed = scene_.model.is_always_prescribed;
    for (const PreparedMotion& motion : scene_.motions) {
      for (const int b : motion.blocks) is_prescribed[b] = 1;
    }
    return is_prescribed;
  }

  void make_reaction() {
    const std::vector<int> bodies = find_bodies(probe_->body, "body");
    const std::vector<char> is_prescribed = prescribed_blocks();
    struct Held {
      int block;
      bool is_column;  // true for a column of a stiff body, which is a direction and not a place
    };
    std::vector<Held> held;
    BoundingBox box;
    for (const int b : bodies) {
      const bool is_whole = is_stiff(scene_.bodies[b].kind);
      const BodyBlocks& blocks = scene_.blocks[b];
      for (const int v : select(b)) {
        const int block = is_whole ? blocks.first : blocks.of_node(v);
        if (block < 0 || !is_prescribed[block]) continue;
        box.extend(start_of(b, v));
        if (!is_whole) held.push_back({block, false});
      }
      for (int i = 0; is_whole && i <= dim_; ++i) held.push_back({blocks.first + i, i > 0});
    }
    if (bodies.empty()) return;
    if (held.empty()) {
      return error("region", "",
                   fmt::format("the region contains no node of body '{}' that has a motion", probe_->body));
    }
    const Vec<3> point = probe_->point.value_or(0.5 * (box.min + box.max));
    add_vector(".force", "N");
    add_torque(".torque");
    probes_.needs_forces_ = true;
    measure([held, point, dim = dim_, &scene = scene_](const StepEnd& end, std::vector<double>& values) {
      Vec<3> force = Vec<3>::Zero(), torque = Vec<3>::Zero();
      const VecX of_clamps = clamp_torques(scene, end.state);
      for (const auto& [block, is_column] : held) {
        if (of_clamps.size() > 0 && end.forces.reaction.size() > 0) torque += in_space(of_clamps, block, dim);
      }
      for (const auto& [block, is_column] : held) {
        if (end.forces.reaction.size() == 0) break;
        const Vec<3> f = in_space(end.forces.reaction, block, dim);
        if (!is_column) force += f;
        const Vec<3> arm = in_space(end.state.x, block, dim) - (is_column ? Vec<3>(Vec<3>::Zero()) : point);
        torque += arm.cross(f);
      }
      push(force, dim, values);
      push_torque(torque, dim, values);
    });
  }

  void make_contact() {
    const std::vector<int> first = find_bodies(probe_->bodies[0], "bodies[0]");
    const bool is_by_all = probe_->bodies[1].empty();
    std::vector<int> second = find_bodies(probe_->bodies[1], "bodies[1]");
    if (const auto plane = find_plane()) second = {-1 - *plane};
    add_vector(".normal", "N");
    add_vector(".friction", "N");
    probes_.needs_forces_ = true;
    measure([=, dim = dim_](const StepEnd& end, std::vector<double>& values) {
      PairForce sum;
      for (const auto& [bodies, force] : end.forces.between) {
        if (!has(first, bodies.first)) continue;
        if (is_by_all ? has(first, bodies.second) : !has(second, bodies.second)) continue;
        sum.normal += force.normal;
        sum.friction += force.friction;
      }
      push(sum.normal, dim, values);
      push(sum.friction, dim, values);
    });
  }

  /// Returns the second of the bodies if it is a half-space.
  std::optional<int> find_plane() const {
    if (find_body(desc_, probe_->bodies[1])) return std::nullopt;
    const auto plane = find_half_space(desc_, probe_->bodies[1]);
    return plane ? std::optional(static_cast<int>(*plane)) : std::nullopt;
  }

  void make_joint() {
    const auto found = std::find_if(desc_.joints.begin(), desc_.joints.end(),
                                    [&](const JointDesc& joint) { return joint.name == probe_->joint; });
    if (found == desc_.joints.end()) return;
    const int index = static_cast<int>(found - desc_.joints.begin());
    const bool is_hinge = found->kind == JointKind::hinge, is_slider = found->kind == JointKind::slider;
    if (is_hinge) add_column(".angle", "deg");
    if (is_slider) add_column(".offset", "m");
    if (is_hinge || is_slider) add_column(".effort", is_hinge ? "N m" : "N");
    add_vector(".force", "N");
    add_torque(".torque");
    measure([=, &scene = scene_, dim = dim_](const StepEnd& end, std::vector<double>& values) {
      const JointState joint = scene.joints.state(*end.joints, index, end.state);
      if (is_hinge || is_slider) {
        values.push_back(is_hinge ? joint.value / radians_per_degree : joint.value);
        values.push_back(joint.effort);
      }
      push(joint.force, dim, values);
      push_torque(joint.torque, dim, values);
    });
  }

  void make_attachment() {
    const auto found =
        std::find_if(desc_.attachments.begin(), desc_.attachments.end(),
                     [&](const AttachmentDesc& attachment) { return attachment.name == probe_->attachment; });
    if (found == desc_.attachments.end() || !scene_.attachment_potential) return;
    add_vector(".force", "N");
    add_column(".largest", "N");
    add_column(".links", "1");
    measure([index = static_cast<int>(found - desc_.attachments.begin()), &scene = scene_, dim = dim_](
                const StepEnd& end, std::vector<double>& values) {
      const LinkForce force =
          attachment_force(scene.model, *scene.attachment_potential, end.state, scene.options.integrator.h, index);
      constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
      const bool is_known = end.state.step > 0;
      push(is_known ? force.total : Vec<3>(Vec<3>::Constant(unknown)), dim, values);
      values.insert(values.end(), {is_known ? force.largest : unknown, static_cast<double>(force.num_links)});
    });
  }

  void make_spring() {
    const auto found = std::find_if(desc_.springs.begin(), desc_.springs.end(),
                                    [&](const SpringDesc& spring) { return spring.name == probe_->spring; });
    if (found == desc_.springs.end() || scene_.springs.places.empty()) return;
    add_column(".length", "m");
    add_column(".tension", "N");
    add_vector(".force", "N");
    measure([index = static_cast<int>(found - desc_.springs.begin()), &scene = scene_, dim = dim_](
                const StepEnd& end, std::vector<double>& values) {
      const SpringState spring = spring_state(scene.springs, scene.model, end.state, scene.options.integrator.h, index);
      values.insert(values.end(), {spring.length, spring.tension});
      push(spring.force, dim, values);
    });
  }

  // --- gap ---

  /// The primitives of some bodies by their radii [m].
  using PartsByRadius = std::map<double, SurfaceParts>;

  PartsByRadius parts_of(const std::vector<int>& bodies) const {
    const SurfaceTopology& surface = scene_.model.surface;
    const auto is_of_them = [&](int vertex) { return has(bodies, surface.vertex_body[vertex]); };
    PartsByRadius parts;
    std::vector<char> is_lone(surface.num_vertices, 1);
    for (const auto& t : surface.triangles) {
      if (is_of_them(t[0])) parts[surface.radius_at(t[0])].triangles.push_back(t);
    }
    for (const auto& e : surface.edges) {
      for (const int v : e) is_lone[v] = 0;
      if (is_of_them(e[0])) parts[surface.radius_at(e[0])].edges.push_back(e);
    }
    for (int v = 0; v < surface.num_vertices; ++v) {
      if (!is_of_them(v)) continue;
      SurfaceParts& of_radius = parts[surface.radius_at(v)];
      of_radius.vertices.push_back({v});
      if (is_lone[v]) of_radius.edges.push_back({v, v});
    }
    return parts;
  }

  void make_gap() {
    const PartsByRadius first = parts_of(find_bodies(probe_->bodies[0], "bodies[0]"));
    const std::optional<int> plane = find_plane();
    add_column("", "m");
    if (plane) {
      const HalfSpace& half_space = scene_.model.half_spaces[*plane];
      measure([=, &scene = scene_](const StepEnd& end, std::vector<double>& values) {
        const VecX x = scene.model.surface_map.apply(end.state.x);
        double gap = infinity;
        for (const auto& [radius, parts] : first) {
          for (const auto& [v] : parts.vertices) {
            gap = std::min(gap, half_space.normal.dot(in_space(x, v, scene.dim)) - half_space.offset - radius);
          }
        }
        values.push_back(gap);
      });
      return;
    }
    const PartsByRadius second = parts_of(find_bodies(probe_->bodies[1], "bodies[1]"));
    measure([=, &scene = scene_](const StepEnd& end, std::vector<double>& values) {
      const VecX x = scene.model.surface_map.apply(end.state.x);
      std::vector<Vec<3>> points;
      for (int v = 0; v < scene.model.surface.num_vertices; ++v) points.push_back(in_space(x, v, scene.dim));
      double gap = infinity;
      for (const auto& [r_first, of_first] : first) {
        for (const auto& [r_second, of_second] : second) {
          gap = std::min(gap, surface_distance(of_first, of_second, points) - r_first - r_second);
        }
      }
      values.push_back(gap);
    });
  }

  // --- stress ---

  /// The largest recovered stresses of some nodes.
  struct LargestStress {
    double von_mises = -1.0, largest_principal = -infinity, smallest_principal = infinity;  // [Pa]
    int vertex = 0;  // of frames; the one with the largest equivalent stress
  };

  static LargestStress find_largest(const std::vector<NodeStress>& nodes) {
    LargestStress largest;
    for (const NodeStress& node : nodes) {
      const auto principal = symmetric_modes(to_matrix(node.stress)).values;
      largest.smallest_principal = std::min(largest.smallest_principal, principal[0]);
      largest.largest_principal = std::max(largest.largest_principal, principal[2]);
      const double equivalent = von_mises(node.stress);
      if (!(equivalent > largest.von_mises)) continue;
      largest.von_mises = equivalent;
      largest.vertex = node.vertex;
    }
    return largest;
  }

  void make_stress() {
    const std::vector<int> bodies = find_bodies(probe_->body, "body");
    if (bodies.empty()) return;
    std::vector<char> is_wanted(scene_.frames.mesh.vertices.size(), 0);
    for (const int b : bodies) {
      for (const int v : select(b)) is_wanted[first_vertex_[b] + v] = 1;
    }
    const auto patches = std::make_shared<const StressPatches>(scene_);
    const StressNodes nodes(scene_, *patches, is_wanted);
    if (nodes.is_empty() && !probe_->region) {
      return error("body", "",
                   fmt::format("body '{}' has no elements that deform, and so no stresses; expected a deformable body",
                               probe_->body));
    }
    if (nodes.is_empty()) {
      return error("region", "", fmt::format("no element of body '{}' that deforms has a node there", probe_->body));
    }
    add_column(".von_mises", "Pa");
    add_column(".largest_principal", "Pa");
    add_column(".smallest_principal", "Pa");
    add_vector(".at", "m");
    measure([patches, nodes, &scene = scene_](const StepEnd& end, std::vector<double>& values) {
      const LargestStress largest = find_largest(nodes.stresses(end.state.x, end.state.history));
      values.insert(values.end(), {largest.von_mises, largest.largest_principal, largest.smallest_principal});
      push(in_space(scene.frames.vertex_map.apply(end.state.x), largest.vertex, scene.dim), scene.dim, values);
    });
  }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  Issues& issues_;
  Probes& probes_;
  int dim_;
  std::vector<int> first_vertex_;  // per body: its first vertex in frames
  const ProbeDesc* probe_ = nullptr;
  std::string place_;
};

Probes::Probes(const SceneDesc& desc, const SceneModel& scene, Issues& issues) {
  ProbeMaker(desc, scene, issues, *this).run();
}

std::vector<double> Probes::values(const StepEnd& end) const {
  std::vector<double> values;
  for (const Measure& measure : measures_) measure(end, values);
  return values;
}

/// Sets the forces and torques among `values` to NaN, those of joints only without `has_joints`.
std::vector<double> Probes::without_forces(std::vector<double> values, bool has_joints) const {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_known = force_of_[i] == ForceOf::nothing || (has_joints && force_of_[i] == ForceOf::joint);
    if (!is_known) values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return values;
}

std::vector<double> Probes::values_at_start(const State& state, const Potential* joints) const {
  return without_forces(values({state, StepForces{}, joints}), false);
}

std::vector<double> Probes::values_beside_contacts(const State& state, const Potential* joints) const {
  return without_forces(values({state, StepForces{}, joints}), true);
}

}  // namespace clearance
