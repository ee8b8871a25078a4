#include "clearance/bodies/rod/rod_mesh.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "clearance/bodies/rod/rod_joint.h"
#include "clearance/math/elementary.h"

namespace clearance {

RodSection RodSection::circle(double diameter, double youngs_modulus, double poisson_ratio, double density) {
  const double r = 0.5 * diameter, area = std::numbers::pi * r * r, moment = 0.25 * area * r * r;
  RodSection section;
  section.stretching = youngs_modulus * area;
  section.bending = {youngs_modulus * moment, youngs_modulus * moment};
  section.twisting = youngs_modulus / (2.0 * (1.0 + poisson_ratio)) * 2.0 * moment;
  section.mass_per_length = density * area;
  section.polar_inertia_per_length = density * 2.0 * moment;
  section.radius = r;
  return section;
}

RodSection RodSection::rectangle(double height, double width, double youngs_modulus, double poisson_ratio,
                                 double density) {
  const double area = height * width;
  const std::array<double, 2> moments = {area * height * height / 12.0, area * width * width / 12.0};
  // Torsion of a rectangle b > t [Tim70, art. 109]: b t^3 / 3 (1 - 0.63 t/b (1 - t^4 / 12 b^4)).
  const double b = std::max(height, width), t = std::min(height, width), ratio = t / b;
  const double torsion = b * t * t * t / 3.0 * (1.0 - 0.63 * ratio * (1.0 - ratio * ratio * ratio * ratio / 12.0));
  RodSection section;
  section.stretching = youngs_modulus * area;
  section.bending = {youngs_modulus * moments[0], youngs_modulus * moments[1]};
  section.twisting = youngs_modulus / (2.0 * (1.0 + poisson_ratio)) * torsion;
  section.mass_per_length = density * area;
  section.polar_inertia_per_length = density * (moments[0] + moments[1]);
  section.radius = std::sqrt(2.0 * (moments[0] + moments[1]) / area);
  return section;
}

namespace {

/// A line of vertices in the order of the rod; a loop ends with its first vertex.
struct Chain {
  std::vector<int> vertices;
  bool is_loop() const { return vertices.size() > 2 && vertices.front() == vertices.back(); }
};

std::vector<Chain> find_chains(std::span<const std::array<int, 2>> edges, std::size_t num_vertices) {
  std::vector<std::vector<int>> neighbours(num_vertices);
  for (const auto& [a, b] : edges) {
    neighbours[a].push_back(b);
    neighbours[b].push_back(a);
  }
  std::vector<Chain> chains;
  std::vector<char> is_done(num_vertices, 0);
  const auto walk = [&](int first) {
    Chain& chain = chains.emplace_back();
    int at = first;
    while (at >= 0 && is_done[at] == 0) {
      is_done[at] = 1;
      chain.vertices.push_back(at);
      int next = -1;
      for (const int other : neighbours[at]) {
        if (is_done[other] == 0) next = next < 0 ? other : std::min(next, other);
      }
      at = next;
    }
    // A loop closes where it began.
    const bool closes = chain.vertices.size() > 2 &&
                        std::count(neighbours[first].begin(), neighbours[first].end(), chain.vertices.back()) > 0;
    if (closes) chain.vertices.push_back(first);
  };
  for (std::size_t v = 0; v < num_vertices; ++v) {
    if (neighbours[v].size() == 1 && is_done[v] == 0) walk(static_cast<int>(v));
  }
  for (std::size_t v = 0; v < num_vertices; ++v) {
    if (neighbours[v].size() == 2 && is_done[v] == 0) walk(static_cast<int>(v));
  }
  return chains;
}

/// Returns a unit vector across a tangent, towards `up` as far as possible.
Vec<3> across(const Vec<3>& tangent, const Vec<3>& up) {
  const Vec<3> part = up - up.dot(tangent) * tangent;
  if (part.norm() > 1e-6 * up.norm()) return part.normalized();
  return tangent.unitOrthogonal();
}

class RodAdder {
 public:
  RodAdder(const RodBody& body, RodMesh& mesh) : body_(body), mesh_(mesh) {}

  void add() {
    first_segment_ = mesh_.segments.size();
    first_section_ = static_cast<int>(mesh_.sections.size());
    mesh_.sections.insert(mesh_.sections.end(), body_.sections.begin(), body_.sections.end());
    for (std::size_t e = 0; body_.sections.size() > 1 && e < body_.edges.size(); ++e) {
      number_of_edge_[key_of(body_.edges[e][0], body_.edges[e][1])] = static_cast<int>(e);
    }
    for (const Chain& chain : find_chains(body_.edges, body_.placed.size())) add_chain(chain);
    set_angle_lengths();
  }

 private:
  static std::array<int, 2> key_of(int a, int b) { return {std::min(a, b), std::max(a, b)}; }

  void add_chain(const Chain& chain) {
    const std::size_t first = mesh_.segments.size();
    for (std::size_t i = 0; i + 1 < chain.vertices.size(); ++i) add_segment(chain.vertices[i], chain.vertices[i + 1]);
    const std::size_t count = mesh_.segments.size() - first;
    for (std::size_t i = 1; i < count; ++i) add_joint(first + i - 1, first + i);
    if (chain.is_loop()) add_joint(first + count - 1, first);
  }

  void add_segment(int a, int b) {
    const std::size_t number = mesh_.segments.size() - first_segment_;
    RodSegment& segment = mesh_.segments.emplace_back();
    segment.nodes = {body_.blocks[a], body_.blocks[b]};
    const Vec<3> edge = body_.placed[b] - body_.placed[a];
    segment.length = edge.norm();
    segment.section = first_section_ + (number_of_edge_.empty() ? 0 : number_of_edge_.at(key_of(a, b)));
    segment.angle.block = body_.first_angle_block + static_cast<int>(number) / 3;
    segment.angle.component = static_cast<int>(number) % 3;
    const Vec<3> tangent = edge / segment.length;
    // Without a direction the first axis goes along the rod without twist.
    const bool is_next = number > 0 && mesh_.segments[mesh_.segments.size() - 2].nodes[1] == segment.nodes[0];
    if (body_.up || !is_next) {
      segment.director = across(tangent, body_.up.value_or(Vec<3>::UnitY()));
    } else {
      segment.director = across(tangent, transport(last_tangent_, tangent, last_director_));
    }
    last_tangent_ = tangent;
    last_director_ = segment.director;
    tangents_.push_back(tangent);
  }

  void add_joint(std::size_t before, std::size_t after) {
    RodJoint& joint = mesh_.joints.emplace_back();
    joint.segments = {static_cast<int>(before), static_cast<int>(after)};
    const RodSegment &a = mesh_.segments[before], &b = mesh_.segments[after];
    joint.length = 0.5 * (a.length + b.length);
    const Vec<3> ta = tangents_[before - first_segment_], tb = tangents_[after - first_segment_];
    // The first node is the origin.
    const Vec<3> x1 = a.length * ta, x2 = x1 + b.length * tb;
    const JointBend placed =
        joint_bend({{axes_of({ta, a.director, false}, x1, 0.0), axes_of({tb, b.director, false}, x2 - x1, 0.0)}, 0.0});
    const RodRest& rest = body_.rest;
    if (!rest.is_straight) {
      joint.curvature = {placed.value[0], placed.value[1]};
      joint.twist = placed.value[2];
    }
    // A bend by an angle a is stored as 2 tan(a / 2), and the direction of the curvature keeps both parts' ratio.
    if (rest.curvature) {
      const double size = elementary::hypot((*rest.curvature)[0], (*rest.curvature)[1]);
      const double factor = size > 0.0 ? 2.0 * elementary::tan(0.5 * size * joint.length) / size : 0.0;
      joint.curvature = {factor * (*rest.curvature)[0], factor * (*rest.curvature)[1]};
    }
    if (rest.twist) joint.twist = *rest.twist * joint.length;
  }

  /// Chooses the lengths of the angles so that all angles of the body have one inertia.
  void set_angle_lengths() {
    const RodSection& first = body_.sections.front();
    const auto inertia = [&](const RodSegment& segment) {
      const double ratio = mesh_.sections[segment.section].polar_inertia_per_length / first.polar_inertia_per_length;
      return segment.length * ratio;
    };
    double total = 0.0;
    const std::size_t count = mesh_.segments.size() - first_segment_;
    for (std::size_t s = first_segment_; s < mesh_.segments.size(); ++s) total += inertia(mesh_.segments[s]);
    for (std::size_t s = first_segment_; s < mesh_.segments.size(); ++s) {
      RodSegment& segment = mesh_.segments[s];
      segment.angle.length = first.radius * std::sqrt(inertia(segment) * static_cast<double>(count) / total);
    }
  }

  const RodBody& body_;
  RodMesh& mesh_;
  std::size_t first_segment_ = 0;
  int first_section_ = 0;
  std::map<std::array<int, 2>, int> number_of_edge_;  // empty: all edges have one section
  std::vector<Vec<3>> tangents_;                      // per segment of the body
  Vec<3> last_tangent_ = Vec<3>::UnitX(), last_director_ = Vec<3>::UnitY();
};

}  // namespace

void add_rod(const RodBody& body, RodMesh& mesh) {
  RodAdder(body, mesh).add();
}

void add_rod_mass(const RodMesh& mesh, VecX& of_nodes, VecX& of_angles) {
  for (const RodSegment& segment : mesh.segments) {
    const RodSection& section = mesh.sections[segment.section];
    for (const int node : segment.nodes) of_nodes[node] += 0.5 * section.mass_per_length * segment.length;
    // All angles of a block have this inertia.
    of_angles[segment.angle.block] =
        section.polar_inertia_per_length * segment.length / (segment.angle.length * segment.angle.length);
  }
}

}  // namespace clearance
