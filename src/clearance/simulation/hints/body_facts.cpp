#include "clearance/simulation/hints/body_facts.h"

#include <algorithm>
#include <cmath>

#include "clearance/bodies/fem/element_moments.h"
#include "clearance/geometry/mesh_mass.h"
#include "clearance/simulation/build/scene_model.h"

namespace clearance {

namespace {

/// Returns the shortest edge of some elements [m]; infinite if there are none.
template <class Elements>
double smallest_edge(const Vertices& vertices, const Elements& elements) {
  double smallest_sq = infinity;
  for (const auto& element : elements) {
    for (std::size_t i = 0; i < element.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Vec<3> edge = vertices[element[i]] - vertices[element[j]];
        smallest_sq = std::min(smallest_sq, edge.squaredNorm());
      }
    }
  }
  return std::sqrt(smallest_sq);
}

/// Computes the volume of a body [m^3]; 2D: its area [m^2]. Thin parts have no volume unless they have a thickness.
double volume_of(const BodyInstance& body) {
  const Mesh& mesh = body.mesh;
  if (is_thin(body.kind)) return 0.0;
  if (body.kind != BodyKind::deformable) return mass_of_mesh(mesh, 0.0).properties.measure;
  if (mesh.has_curved_cells()) {
    double volume = 0.0;
    for (const MassProperties& element : element_mass_properties(mesh)) volume += element.measure;
    return volume;
  }
  // Linear elements need no search for closed surfaces.
  return mesh.dim == 2 ? mass_properties_of_triangles(mesh.vertices, mesh.triangles).measure
                       : mass_properties_of_tets(mesh.vertices, mesh.tets).measure;
}

BodyFacts facts_of(const BodyInstance& body) {
  const Mesh& mesh = body.mesh;
  BodyFacts facts;
  facts.name = body.name;
  facts.desc = body.desc;
  facts.kind = body.kind;
  facts.size = bounding_box(mesh.vertices).size();
  facts.volume = volume_of(body);
  const std::size_t num_elements = mesh.tets.size() + mesh.triangles.size() + mesh.edges.size() + mesh.points.size();
  facts.num_elements = static_cast<int>(num_elements);
  facts.smallest_edge = std::min({smallest_edge(mesh.vertices, mesh.tets), smallest_edge(mesh.vertices, mesh.triangles),
                                  smallest_edge(mesh.vertices, mesh.edges)});
  return facts;
}

}  // namespace

std::vector<double> body_masses(const SceneModel& scene) {
  std::vector<double> masses(scene.bodies.size(), 0.0);
  for (std::size_t b = 0; b < masses.size(); ++b) {
    if (!has_nodes(scene.bodies[b].kind)) continue;
    for (const int block : scene.blocks[b].block_of_node) {
      if (block >= 0) masses[b] += scene.model.mass[block];
    }
  }
  for (const StiffUnit& unit : scene.stiff_units) masses[unit.body] += unit.frame.mass;
  return masses;
}

std::vector<BodyFacts> collect_body_facts(const SceneModel& scene) {
  const std::vector<double> masses = body_masses(scene);
  std::vector<BodyFacts> bodies;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    bodies.push_back(facts_of(scene.bodies[b]));
    bodies.back().mass = masses[b];
  }
  // Thin bodies reach as far beside their nodes as they touch, and a closed sheet has no volume.
  const SurfaceTopology& surface = scene.model.surface;
  for (int v = 0; v < surface.num_vertices && !surface.radius.empty(); ++v) {
    BodyFacts& body = bodies[surface.vertex_body[v]];
    if (is_thin(body.kind)) body.size = body.size.cwiseMax(2.0 * surface.radius[v]);
  }
  // Volumes of stiff bodies include the thickness that gives them their mass.
  for (const StiffUnit& unit : scene.stiff_units) {
    if (!unit.is_part()) bodies[unit.body].volume = unit.frame.volume;
  }
  return bodies;
}

std::vector<BodyFacts> sum_copies(const SceneDesc& desc, const std::vector<BodyFacts>& bodies, int max_lines) {
  std::vector<int> num_bodies(desc.bodies.size(), 0);
  for (const BodyFacts& body : bodies) ++num_bodies[body.desc];
  std::vector<BodyFacts> lines;
  for (const BodyFacts& body : bodies) {
    const bool is_summed = num_bodies[body.desc] > max_lines;
    const bool is_first = lines.empty() || lines.back().desc != body.desc;
    if (!is_summed || is_first) {
      lines.push_back(body);
      if (is_summed) lines.back().name = desc.bodies[body.desc].name;
      continue;
    }
    BodyFacts& sum = lines.back();
    ++sum.num_bodies;
    if (body.size.norm() > sum.size.norm()) sum.size = body.size;
    sum.volume += body.volume;
    sum.mass += body.mass;
    sum.num_elements += body.num_elements;
    sum.smallest_edge = std::min(sum.smallest_edge, body.smallest_edge);
  }
  return lines;
}

}  // namespace clearance
