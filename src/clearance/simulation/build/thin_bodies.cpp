#include "clearance/simulation/build/thin_bodies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "clearance/bodies/rod/rod_potential.h"
#include "clearance/bodies/shell/bending_potential.h"
#include "clearance/bodies/shell/membrane_potential.h"
#include "clearance/math/rotation.h"
#include "clearance/math/svd.h"
#include "clearance/model/blocks.h"
#include "clearance/model/find_potential.h"
#include "clearance/scene/expression.h"
#include "clearance/simulation/build/initial_state.h"
#include "clearance/simulation/build/time_window.h"
#include "clearance/simulation/load/material_fields.h"
#include "clearance/simulation/load/region.h"

namespace clearance {

namespace {

ShellMaterial material_of(const BodyDesc& body, const MaterialDesc& given) {
  ShellMaterial material;
  material.law = given.model;
  material.youngs_modulus = given.youngs_modulus;
  material.poisson_ratio = given.poisson_ratio;
  material.density = given.density;
  material.thickness = *body.thickness;
  const ShellDesc shell = body.shell.value_or(ShellDesc{});
  material.bending = shell.bending;
  material.bending_stiffness = shell.bending_stiffness;
  material.strain_limit = shell.strain_limit;
  material.yield_curvature = shell.yield_curvature;
  if (!shell.orthotropy) return material;
  const OrthotropyDesc& of = *shell.orthotropy;
  // A pattern is not turned with the body.
  const Mat<3> linear =
      shell.pattern ? Mat<3>(Mat<3>::Identity())
                    : Mat<3>(rotation_from_euler_xyz(body.transform.rotation) * body.transform.scale.asDiagonal());
  material.orthotropy =
      Orthotropy{linear * of.warp, of.youngs_modulus_warp, of.youngs_modulus_weft, of.poisson_ratio, of.shear_modulus};
  return material;
}

/// Returns the rotation of a motion since the scene's start at the end of a step.
Mat<3> rotation_of(const MotionDesc& motion, double h, double time_t1) {
  if (!motion.poses.empty()) {
    const int step = h > 0.0 ? static_cast<int>(std::lround(time_t1 / h)) : 0;
    const int count = std::min(step, static_cast<int>(motion.poses.size()));
    if (count == 0) return Mat<3>(Mat<3>::Identity());
    return rotation_from_vector(Vec<3>(motion.poses[count - 1].rotation * radians_per_degree));
  }
  const double elapsed = std::clamp(time_t1, motion.start, motion.end) - motion.start;
  return rotation_from_vector(Vec<3>(motion.angular_velocity * radians_per_degree * elapsed));
}

/// A place of a body at the scene's start, and the distance over which formulas are differentiated there [m].
struct ClampedPlace {
  Vec<3> at;
  double distance = 0.0;
  std::optional<Vec<3>> normal;  ///< unit, of a sheet
};

/// The place of a segment of a rod, and that of an edge of a sheet.
ClampedPlace place_of(const RodSegment& segment, const VecX& x_start) {
  constexpr double share = 1e-3;  // of the length
  const Vec<3> a = block<3>(x_start, segment.nodes[0]), b = block<3>(x_start, segment.nodes[1]);
  return {0.5 * (a + b), share * (b - a).norm(), std::nullopt};
}
ClampedPlace place_of(const ShellEdge& edge, const VecX& x_start) {
  RodSegment segment;
  segment.nodes = edge.nodes;
  ClampedPlace place = place_of(segment, x_start);
  const Vec<3> along = block<3>(x_start, edge.nodes[1]) - block<3>(x_start, edge.nodes[0]);
  place.normal = along.cross(block<3>(x_start, edge.opposite[0]) - block<3>(x_start, edge.nodes[0])).normalized();
  return place;
}

/// Returns the derivative of a displacement by the place; zero where the formulas have no value, which is reported
/// where the nodes are moved.
Mat<3> displacement_gradient(const Expressions& formulas, double t, const ClampedPlace& place,
                             const Controls& controls) {
  std::vector<Vec<3>> points;
  for (int c = 0; c < 3; ++c) {
    points.push_back(place.at + place.distance * Vec<3>::Unit(c));
    points.push_back(place.at - place.distance * Vec<3>::Unit(c));
  }
  Mat<3> gradient = Mat<3>::Zero();
  const auto values = evaluate(formulas, "", t, points, controls);
  if (!values) return gradient;
  for (int c = 0; c < 3; ++c) gradient.col(c) = ((*values)[2 * c] - (*values)[2 * c + 1]) / (2.0 * place.distance);
  return gradient;
}

/// Returns the rotation that is nearest to a map and turns the normal of a sheet as the map turns the sheet: formulas
/// of places within the sheet say nothing of what is beside it.
Mat<3> rotation_of_sheet(const Mat<3>& map, const Vec<3>& normal) {
  const Vec<3> a = normal.unitOrthogonal(), b = normal.cross(a);
  const Mat<3> nearest = nearest_rotation<3>(map);
  const Vec<3> turned = (map * a).cross(map * b).normalized(), expected = nearest * normal;
  // The shortest turn from `expected` to `turned`: I + V + V^2 / (1 + cosine) with V the map v x.
  const Mat<3> cross = cross_matrix(expected.cross(turned));
  return (Mat<3>::Identity() + cross + cross * cross / (1.0 + expected.dot(turned))) * nearest;
}

/// Returns the turn of what several motions move together, one after the other; nothing while no clamp of them lasts.
std::optional<Mat<3>> rotation_of(const std::vector<MotionDesc>& motions, const ClampedPlace& place,
                                  const Controls& controls, double h, double time_t1) {
  // Before the first step the clamps hold, too.
  const bool is_held =
      h == 0.0 || std::any_of(motions.begin(), motions.end(), [&](const MotionDesc& motion) {
        return motion.clamp && TimeWindow{motion.start, motion.end}.contains(std::max(0.0, time_t1 - h), h);
      });
  if (!is_held) return std::nullopt;
  Mat<3> map = rotation_of(motions[0], h, time_t1);
  bool is_rotation = true;
  for (std::size_t m = 0; m < motions.size(); ++m) {
    if (m > 0) map = rotation_of(motions[m], h, time_t1) * map;
    if (!motions[m].displacement) continue;
    map += displacement_gradient(*motions[m].displacement, std::clamp(time_t1, motions[m].start, motions[m].end), place,
                                 controls);
    is_rotation = false;
  }
  if (is_rotation) return map;
  return place.normal ? rotation_of_sheet(map, *place.normal) : nearest_rotation<3>(map);
}

/// Lets the held normal turn with the edge of a sheet whose nodes are held along one axis alone: they move in a plane
/// across it, as those in a plane of symmetry do, and the sheet keeps its angle to this plane.
void set_free_axis(const std::vector<MotionDesc>& motions, const VecX& x_start, ShellEdge& edge) {
  Vec<3> held = Vec<3>::Zero();
  for (const MotionDesc& motion : motions) {
    for (int c = 0; c < 3; ++c) {
      if (motion.components[c]) held[c] = 1.0;
    }
  }
  if (held.sum() != 1.0) return;
  // An edge along the axis has no direction across it.
  constexpr double least_share = 0.1;
  const Vec<3> along = block<3>(x_start, edge.nodes[1]) - block<3>(x_start, edge.nodes[0]);
  if (along.cross(held).norm() > least_share * along.norm()) edge.free_axis = held;
}
/// The axes of rods turn as their motions say.
void set_free_axis(const std::vector<MotionDesc>& /*motions*/, const VecX& /*x_start*/, RodSegment& /*segment*/) {}

/// Clamps the edges (their `nodes` are blocks) between the nodes of a body's clamps. `first` is the body's first edge.
/// A clamped edge turns as all motions do that move both of its nodes. Edges that turn alike share a clamp; formulas of
/// the place turn each edge in its own way.
template <class Edge>
void add_clamps(const BodyDesc& desc, const BodyInstance& body, const BodyBlocks& blocks, const VecX& x_start,
                const std::shared_ptr<const Controls>& controls, std::size_t first, std::vector<Edge>& edges,
                std::vector<DirectionClamp>& clamps) {
  const auto is_clamp = [](const MotionDesc& motion) { return motion.clamp; };
  if (std::none_of(desc.motions.begin(), desc.motions.end(), is_clamp)) return;
  std::vector<std::vector<int>> held(desc.motions.size());
  for (std::size_t m = 0; m < held.size(); ++m) {
    for (const int v : select_nodes(body, desc.transform, desc.motions[m].region, 3)) {
      held[m].push_back(blocks.of_node(v));
    }
  }
  const auto holds = [&](std::size_t m, int block) {
    return std::binary_search(held[m].begin(), held[m].end(), block);
  };
  std::map<std::vector<std::size_t>, int> shared;
  for (std::size_t e = first; e < edges.size(); ++e) {
    std::vector<std::size_t> numbers;
    std::vector<MotionDesc> motions;
    for (std::size_t m = 0; m < held.size(); ++m) {
      if (!holds(m, edges[e].nodes[0]) || !holds(m, edges[e].nodes[1])) continue;
      numbers.push_back(m);
      motions.push_back(desc.motions[m]);
    }
    if (std::none_of(motions.begin(), motions.end(), is_clamp)) continue;
    set_free_axis(motions, x_start, edges[e]);
    const bool is_alone = std::any_of(motions.begin(), motions.end(),
                                      [](const MotionDesc& motion) { return motion.displacement.has_value(); });
    if (is_alone) numbers.push_back(held.size() + e);
    const auto [found, is_new] = shared.try_emplace(numbers, static_cast<int>(clamps.size()));
    edges[e].clamp = found->second;
    if (!is_new) continue;
    clamps.push_back({[motions = std::move(motions), place = place_of(edges[e], x_start), controls](
                          double h, double time_t1) { return rotation_of(motions, place, *controls, h, time_t1); }});
  }
}

/// Makes what `make` returns for a material: once for the material of the body, or for each of its elements.
template <class Make>
auto for_materials(const BodyDesc& desc, const BodyInstance& body, std::size_t count, const Make& make) {
  const MaterialFields fields(desc, body);
  std::vector<decltype(make(desc.material))> made;
  if (fields.empty()) {
    made.push_back(make(desc.material));
    return made;
  }
  for (std::size_t element = 0; element < count; ++element) {
    MaterialDesc material = desc.material;
    fields.apply(element, material);
    made.push_back(make(material));
  }
  return made;
}

RodSection section_of(const BodyDesc& body, const RodDesc& rod, const MaterialDesc& material) {
  RodSection section =
      rod.section
          ? RodSection::rectangle((*rod.section)[0], (*rod.section)[1], material.youngs_modulus, material.poisson_ratio,
                                  material.density)
          : RodSection::circle(*body.thickness, material.youngs_modulus, material.poisson_ratio, material.density);
  section.stretching = rod.stretching_stiffness.value_or(section.stretching);
  section.bending = rod.bending_stiffness.value_or(section.bending);
  section.twisting = rod.twisting_stiffness.value_or(section.twisting);
  section.yield_curvature = rod.yield_curvature;
  return section;
}

}  // namespace

ShellMesh collect_shells(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                         const std::shared_ptr<const Controls>& controls) {
  ShellMesh mesh;
  mesh.x_start = start_positions(bodies, unknowns);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodyInstance& body = bodies[b];
    if (body.kind != BodyKind::shell) continue;
    const BodyDesc& body_desc = desc.bodies[body.desc];
    const BodyBlocks& blocks = unknowns.blocks[b];
    const std::size_t first_edge = mesh.edges.size();
    add_shell({.triangles = body.mesh.triangles,
               .rest = body.mesh.vertices,
               .blocks = blocks.block_of_node,
               .first_slope_block = blocks.first_inner,
               .pattern = body.pattern ? std::span(*body.pattern) : std::span<const std::array<Vec<3>, 3>>{},
               .is_flat_at_rest = body_desc.shell && body_desc.shell->is_flat_at_rest,
               .materials = for_materials(body_desc, body, body.mesh.triangles.size(),
                                          [&](const MaterialDesc& m) { return material_of(body_desc, m); })},
              mesh);
    add_clamps(body_desc, body, blocks, mesh.x_start, controls, first_edge, mesh.edges, mesh.clamps);
  }
  return mesh;
}

void check_strain_limits(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Model& model,
                         const VecX& x, Issues& issues) {
  const auto* membrane = find_potential<MembranePotential>(model);
  if (membrane == nullptr) return;
  const ShellMesh& mesh = *membrane->mesh();
  struct Beyond {
    int count = 0;
    double largest = 0.0;
  };
  std::map<int, Beyond> of_bodies;
  for (const ShellTriangle& triangle : mesh.triangles) {
    const std::optional<double>& limit = mesh.materials[triangle.material].strain_limit;
    if (!limit) continue;
    const double strain = largest_stretch(triangle, x) - 1.0;
    if (strain < *limit) continue;
    Beyond& beyond = of_bodies[body_of_block(model, triangle.nodes[0])];
    ++beyond.count;
    beyond.largest = std::max(beyond.largest, strain);
  }
  for (const auto& [body, beyond] : of_bodies) {
    const int entry = bodies[body].desc;
    issues.push_back(
        {"", fmt::format("bodies[{}].shell.strain_limit", entry),
         fmt::format("{:g}", *desc.bodies[entry].shell->strain_limit),
         fmt::format("{} of the triangles of '{}' are stretched beyond the limit where the scene starts, by up "
                     "to {:.4g}; expected a start below it",
                     beyond.count, bodies[body].name, beyond.largest)});
  }
}

RodMesh collect_rods(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                     const std::shared_ptr<const Controls>& controls) {
  RodMesh mesh;
  mesh.x_start = start_positions(bodies, unknowns);
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const BodyInstance& body = bodies[b];
    if (body.kind != BodyKind::rod) continue;
    const BodyDesc& body_desc = desc.bodies[body.desc];
    const RodDesc rod = body_desc.rod.value_or(RodDesc{});
    const BodyBlocks& blocks = unknowns.blocks[b];
    const std::size_t first = mesh.segments.size();
    RodBody of{.edges = body.mesh.edges,
               .placed = body.mesh.vertices,
               .blocks = blocks.block_of_node,
               .first_angle_block = blocks.first_inner,
               .sections = for_materials(body_desc, body, body.mesh.edges.size(),
                                         [&](const MaterialDesc& m) { return section_of(body_desc, rod, m); }),
               .up = std::nullopt,
               .rest = {rod.is_straight_at_rest, rod.natural_curvature, std::nullopt}};
    if (rod.natural_twist) of.rest.twist = *rod.natural_twist * radians_per_degree;
    if (body_desc.transform.scale.prod() < 0.0) {
      // The second axis completes the first one and the tangent, so that a mirror turns it over, and twist besides.
      if (of.rest.curvature) (*of.rest.curvature)[1] *= -1.0;
      if (of.rest.twist) *of.rest.twist *= -1.0;
    }
    if (rod.up) {
      of.up = rotation_from_euler_xyz(body_desc.transform.rotation) *
              Vec<3>(body_desc.transform.scale.cwiseProduct(*rod.up));
    }
    add_rod(of, mesh);
    add_clamps(body_desc, body, blocks, mesh.x_start, controls, first, mesh.segments, mesh.clamps);
  }
  return mesh;
}

void add_segment_turns(Model& model) {
  const auto* rods = find_potential<RodPotential>(model);
  if (rods == nullptr || model.friction.is_frictionless()) return;
  std::vector<int> vertex_of_block(model.layout.num_blocks, -1);
  for (int v = 0; v < model.surface.num_vertices; ++v) {
    if (model.surface_map.is_block(v)) vertex_of_block[model.surface_map.terms(v)[0].block] = v;
  }
  model.segment_turns.resize(model.surface.num_vertices);
  int block_of_last = -1;
  for (const RodSegment& segment : rods->mesh()->segments) {
    const std::array<int, 2> ends = {vertex_of_block[segment.nodes[0]], vertex_of_block[segment.nodes[1]]};
    if (segment.clamp >= 0 || ends[0] < 0 || ends[1] < 0) continue;
    // Three angles share a block.
    if (segment.angle.block != block_of_last) model.surface_map.add_vertex(segment.angle.block);
    block_of_last = segment.angle.block;
    const int vertex = model.surface_map.num_vertices() - 1;
    for (const int side : {0, 1}) {
      auto& turns = model.segment_turns[ends[side]];
      const double length = side == 0 ? segment.angle.length : -segment.angle.length;
      turns[turns[0].vertex < 0 ? 0 : 1] = {vertex, segment.angle.component, length, ends[1 - side]};
    }
  }
}

void set_rod_spins(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Model& model, State& state) {
  const auto* rods = find_potential<RodPotential>(model);
  if (rods == nullptr) return;
  for (const RodSegment& segment : rods->mesh()->segments) {
    const BodyInstance& body = bodies[body_of_block(model, segment.nodes[0])];
    const Vec<3> omega = desc.bodies[body.desc].angular_velocity * radians_per_degree;
    const Vec<3> edge = block<3>(state.x, segment.nodes[1]) - block<3>(state.x, segment.nodes[0]);
    if (segment.clamp < 0) state.v[segment.angle.place()] = segment.angle.length * omega.dot(edge.normalized());
  }
}

void add_particle_mass(const SceneDesc& desc, const std::vector<BodyInstance>& bodies, const Unknowns& unknowns,
                       VecX& mass) {
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].kind != BodyKind::particles) continue;
    const BodyDesc& body = desc.bodies[bodies[b].desc];
    const double of_particle =
        body.material.density * std::numbers::pi / 6.0 * (*body.thickness * *body.thickness * *body.thickness);
    for (const int block : unknowns.blocks[b].block_of_node) mass[block] += of_particle;
  }
}

void set_stored_by_clamped(const Model& model, State& state) {
  const auto has_clamps = [](const Potential& potential) {
    if (const auto* bending = dynamic_cast<const BendingPotential*>(&potential)) return bending->has_clamps();
    const auto* rod = dynamic_cast<const RodPotential*>(&potential);
    return rod != nullptr && rod->has_clamps();
  };
  for (std::size_t k = 0; k < model.potentials.size(); ++k) {
    if (!has_clamps(*model.potentials[k])) continue;
    if (state.stored.size() == 0) {
      state.stored.setConstant(std::ssize(model.potentials) + 1, std::numeric_limits<double>::quiet_NaN());
    }
    state.stored[static_cast<Eigen::Index>(k)] = model.potentials[k]->energy(state.x).value();
  }
}

}  // namespace clearance
