#include "clearance/simulation/scene_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "clearance/bodies/fem/fem_body.h"
#include "clearance/math/rotation.h"
#include "clearance/simulation/loads.h"
#include "clearance/simulation/motions.h"

namespace clearance {

namespace {

ElasticModel elastic_model(MaterialModel model) {
  switch (model) {
    case MaterialModel::neo_hookean:
      return ElasticModel::neo_hookean;
    case MaterialModel::fixed_corotational:
      return ElasticModel::fixed_corotational;
    case MaterialModel::st_venant_kirchhoff:
      return ElasticModel::st_venant_kirchhoff;
    case MaterialModel::linear_elasticity:
      return ElasticModel::linear_elasticity;
  }
  return ElasticModel::neo_hookean;
}

TimeIntegrator time_integrator(Integrator integrator) {
  switch (integrator) {
    case Integrator::implicit_euler:
      return TimeIntegrator::implicit_euler;
    case Integrator::implicit_newmark:
      return TimeIntegrator::implicit_newmark;
    case Integrator::bdf2:
      return TimeIntegrator::bdf2;
    case Integrator::quasi_static:
      return TimeIntegrator::quasi_static;
  }
  return TimeIntegrator::implicit_euler;
}

LinearSolverChoice linear_solver_of(LinearSolverKind kind) {
  switch (kind) {
    case LinearSolverKind::cholmod:
      return LinearSolverChoice::cholmod;
    case LinearSolverKind::pcg:
      return LinearSolverChoice::pcg;
    default:
      return LinearSolverChoice::automatic;
  }
}

/// Numbers of the scene in absolute units; l is the diagonal of the deformable bodies' bounding box.
SolverOptions solver_options(const SceneDesc& scene, double l) {
  SolverOptions options;
  options.integrator = {time_integrator(scene.time.integrator), scene.time.step, scene.time.newmark_beta,
                        scene.time.newmark_gamma};
  const double contact_unit = scene.contact.dhat_is_absolute ? 1.0 : l;
  options.has_contact = scene.contact.enabled;
  options.barrier = {scene.contact.dhat * contact_unit, scene.contact.min_separation};
  options.kappa = {scene.contact.kappa, scene.contact.kappa_min_multiplier,
                   scene.contact.close_distance * contact_unit};
  options.friction = {scene.friction.eps_v * (scene.friction.eps_v_is_absolute ? 1.0 : l), scene.friction.iterations};
  options.tolerance = scene.solver.tolerance * (scene.solver.tolerance_is_absolute ? 1.0 : l);
  options.max_iterations = scene.solver.max_iterations;
  options.linear_solver = linear_solver_of(scene.solver.linear_solver);
  options.ccd = scene.solver.ccd == CcdKind::tight_inclusion ? CcdMethod::tight_inclusion : CcdMethod::additive;
  return options;
}

/// Joins the meshes of all bodies; vertex order is block order.
void join_meshes(SceneModel& scene) {
  Mesh& all = scene.frame_mesh;
  all.dim = scene.dim;
  std::vector<int> tet_body, triangle_body, edge_body, point_body;
  const auto append = [](const auto& from, auto& to, int shift, std::vector<int>& body_of, int body) {
    for (auto element : from) {
      for (int& v : element) v += shift;
      to.push_back(element);
      body_of.push_back(body);
    }
  };
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const Mesh& mesh = scene.bodies[static_cast<std::size_t>(b)].mesh;
    const int shift = static_cast<int>(all.vertices.size());
    scene.first_block.push_back(shift);
    all.vertices.insert(all.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
    append(mesh.tets, all.tets, shift, tet_body, b);
    append(mesh.triangles, all.triangles, shift, triangle_body, b);
    append(mesh.edges, all.edges, shift, edge_body, b);
    for (int p : mesh.points) {
      all.points.push_back(p + shift);
      point_body.push_back(b);
    }
  }
  scene.first_block.push_back(static_cast<int>(all.vertices.size()));
  for (const auto* bodies : {&tet_body, &triangle_body, &edge_body, &point_body}) {
    for (int b : *bodies) {
      scene.cell_body.push_back(b);
      scene.cell_is_obstacle.push_back(scene.bodies[static_cast<std::size_t>(b)].is_obstacle ? 1 : 0);
    }
  }
}

VecX flatten(const std::vector<Vec<3>>& vertices, int dim) {
  VecX x(dim * static_cast<Eigen::Index>(vertices.size()));
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    x.segment(dim * static_cast<Eigen::Index>(i), dim) = vertices[i].head(dim);
  }
  return x;
}

/// The colliding surface of every body, numbered body by body.
void build_surface(const SceneDesc& desc, SceneModel& scene) {
  SurfaceTopology& surface = scene.model.surface;
  scene.model.surface_map = SurfaceMap(scene.dim);
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const BodyInstance& body = scene.bodies[static_cast<std::size_t>(b)];
    const Mesh& mesh = body.mesh;
    surface.body_names.push_back(body.name);
    const bool has_solid = scene.dim == 3 ? !mesh.tets.empty() : !mesh.triangles.empty();
    Triangles triangles;
    Edges edges;
    if (scene.dim == 3) {
      triangles = has_solid ? boundary_triangles(mesh.tets) : mesh.triangles;
      edges = unique_edges(triangles);
    } else if (has_solid) {
      edges = boundary_edges(mesh.triangles);
    }
    if (!has_solid) edges.insert(edges.end(), mesh.edges.begin(), mesh.edges.end());
    for (auto& e : edges) {
      if (e[0] > e[1]) std::swap(e[0], e[1]);
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());

    // Surface vertices in the order of the mesh's.
    std::set<int> used(mesh.points.begin(), mesh.points.end());
    for (const auto& t : triangles) used.insert(t.begin(), t.end());
    for (const auto& e : edges) used.insert(e.begin(), e.end());
    std::vector<int> index(mesh.vertices.size(), -1);
    const bool has_self_contact = desc.bodies[static_cast<std::size_t>(body.desc)].self_contact;
    for (int v : used) {
      index[static_cast<std::size_t>(v)] = surface.num_vertices++;
      scene.model.surface_map.add_vertex(scene.first_block[static_cast<std::size_t>(b)] + v);
      surface.vertex_body.push_back(b);
      // Vertices of one group never touch each other.
      const bool shares_group = desc.contact.obstacles_only;
      surface.vertex_group.push_back(body.is_obstacle ? 0 : shares_group ? 1 : has_self_contact ? -1 : b + 1);
      scene.model.is_obstacle_vertex.push_back(body.is_obstacle ? 1 : 0);
    }
    for (auto t : triangles) {
      for (int& v : t) v = index[static_cast<std::size_t>(v)];
      surface.triangles.push_back(t);
    }
    for (auto e : edges) {
      for (int& v : e) v = index[static_cast<std::size_t>(v)];
      surface.edges.push_back(e);
    }
  }
  const VecX x = scene.model.surface_map.apply(scene.model.x_rest);
  for (const auto& e : surface.edges) {
    scene.model.edge_rest_length_sq.push_back(
        (x.segment(scene.dim * e[0], scene.dim) - x.segment(scene.dim * e[1], scene.dim)).squaredNorm());
  }
}

/// Elastic, gravity and damping potentials over the elements of all deformable bodies.
template <int dim>
void build_potentials(const SceneDesc& desc, SceneModel& scene) {
  ElementMesh<dim> elements;
  elements.x_rest = scene.model.x_rest;
  for (const BodyDesc& body : desc.bodies) {
    elements.materials.push_back(make_material(elastic_model(body.material.model), body.material.youngs_modulus,
                                               body.material.poisson_ratio, body.material.density,
                                               body.material.damping));
  }
  for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
    const BodyInstance& body = scene.bodies[static_cast<std::size_t>(b)];
    if (body.is_obstacle) continue;
    const auto add = [&](auto element) {
      for (int& v : element) v += scene.first_block[static_cast<std::size_t>(b)];
      elements.elements.push_back(element);
      elements.material_of_element.push_back(body.desc);
    };
    if constexpr (dim == 3) {
      for (const auto& tet : body.mesh.tets) add(tet);
    } else {
      for (const auto& triangle : body.mesh.triangles) add(triangle);
    }
  }
  scene.num_elements = static_cast<int>(elements.elements.size());
  scene.model.mass = lumped_mass(elements);
  if (desc.time.mass == MassKind::consistent) {
    scene.model.consistent_mass = std::make_shared<ConsistentMass<dim>>(elements);
  }
  scene.model.potentials.push_back(std::make_shared<ElasticPotential<dim>>(elements));
  const Vec<dim> gravity = desc.gravity.head<dim>();
  if (!gravity.isZero(0.0)) {
    scene.model.potentials.push_back(std::make_shared<GravityPotential<dim>>(scene.model.mass, gravity));
  }
  auto damping = std::make_shared<LaggedDampingPotential<dim>>(elements);
  if (damping->has_elements()) scene.model.potentials.push_back(damping);
  auto inversion_barrier = std::make_shared<InversionBarrier<dim>>(elements);
  if (inversion_barrier->has_elements()) scene.model.potentials.push_back(inversion_barrier);
}

FrictionCoefficients coefficients(double sliding, const std::optional<double>& sticking) {
  return {sticking.value_or(sliding), sliding};
}

/// A class of the table is a body of the scene with all its copies.
FrictionTable friction_table(const SceneDesc& desc, const std::vector<BodyInstance>& bodies) {
  FrictionTable table;
  std::map<std::string, int> class_of_name;
  for (const BodyDesc& body : desc.bodies) {
    class_of_name[body.name] = static_cast<int>(table.of_class.size());
    table.of_class.push_back(
        body.friction ? coefficients(*body.friction, body.static_friction)
                      : coefficients(desc.friction.coefficient,
                                     body.static_friction ? body.static_friction : desc.friction.static_coefficient));
  }
  for (const BodyInstance& body : bodies) table.class_of_body.push_back(body.desc);
  for (const HalfSpaceDesc& half_space : desc.half_spaces) {
    table.of_half_space.push_back(half_space.friction
                                      ? std::optional(coefficients(*half_space.friction, half_space.static_friction))
                                      : std::nullopt);
  }
  for (const FrictionPairDesc& pair : desc.friction.pairs) {
    const int a = class_of_name[pair.bodies[0]], b = class_of_name[pair.bodies[1]];
    table.of_pair[{std::min(a, b), std::max(a, b)}] = coefficients(pair.coefficient, pair.static_coefficient);
  }
  return table;
}

void set_initial_velocity(const SceneDesc& desc, SceneModel& scene) {
  State& state = scene.initial_state;
  state.v = VecX::Zero(state.x.size());
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const BodyDesc& body_desc = desc.bodies[static_cast<std::size_t>(body.desc)];
    if (body.is_obstacle) continue;
    const BoundingBox box = bounding_box(body.mesh.vertices);
    const Vec<3> center = 0.5 * (box.min + box.max);
    const Vec<3> omega = body_desc.angular_velocity * radians_per_degree;
    for (std::size_t v = 0; v < body.mesh.vertices.size(); ++v) {
      const Vec<3> velocity = body_desc.linear_velocity + omega.cross(body.mesh.vertices[v] - center);
      state.v.segment(scene.dim * (scene.first_block[b] + static_cast<int>(v)), scene.dim) = velocity.head(scene.dim);
    }
  }
}

/// Initial acceleration for Newmark: M a = force without contact.
void set_initial_acceleration(SceneModel& scene) {
  State& state = scene.initial_state;
  VecX gradient = VecX::Zero(state.x.size());
  for (const auto& potential : scene.model.potentials) {
    // A load that is not defined at time zero does not act yet.
    potential->begin_step(state.x, 0.0, 0.0);
    potential->add_gradient(state.x, 1.0, gradient);
  }
  state.a = VecX::Zero(state.x.size());
  for (int b = 0; b < scene.model.layout.num_blocks; ++b) {
    const double m = scene.model.mass[b];
    if (m > 0.0) state.a.segment(scene.dim * b, scene.dim) = -gradient.segment(scene.dim * b, scene.dim) / m;
  }
}

}  // namespace

SceneModel build_scene_model(const SceneDesc& desc, std::vector<BodyInstance> bodies) {
  SceneModel scene;
  scene.dim = desc.dimension;
  scene.bodies = std::move(bodies);
  join_meshes(scene);
  Model& model = scene.model;
  model.layout = {scene.dim, static_cast<int>(scene.frame_mesh.vertices.size())};
  model.x_rest = flatten(scene.frame_mesh.vertices, scene.dim);
  build_surface(desc, scene);
  if (scene.dim == 3) {
    build_potentials<3>(desc, scene);
  } else {
    build_potentials<2>(desc, scene);
  }
  if (auto loads = make_loads(desc, scene)) model.potentials.push_back(std::move(loads));
  for (const HalfSpaceDesc& half_space : desc.half_spaces) {
    const Vec<3> normal = half_space.normal.normalized();
    model.half_spaces.push_back({normal, normal.dot(half_space.point)});
  }
  model.friction = friction_table(desc, scene.bodies);
  BoundingBox box;
  for (const BodyInstance& body : scene.bodies) {
    for (const Vec<3>& v : body.mesh.vertices) {
      if (!body.is_obstacle) box.extend(v);
    }
  }
  model.bbox_diagonal = box.diagonal();
  scene.options = solver_options(desc, model.bbox_diagonal);
  scene.initial_state.x = model.x_rest;
  set_initial_velocity(desc, scene);
  set_initial_acceleration(scene);
  prepare_motions(desc, scene);
  scene.initial_state.released.assign(scene.motions.size(), 0);
  scene.initial_state.x_anchor = model.x_rest;
  return scene;
}

}  // namespace clearance
