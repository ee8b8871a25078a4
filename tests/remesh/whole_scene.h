// A scene of adapting bodies and an obstacle as the solver sees it, made anew from the meshes: the reference for
// operations on a part of it.
#pragma once

#include <algorithm>
#include <memory>

#include "clearance/bodies/fem/fem_body.h"
#include "clearance/contact/convergent_at_rest.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/surface.h"
#include "clearance/remesh/remesher.h"
#include "clearance/solver/advance.h"
#include "clearance/solver/feasible_step.h"

namespace clearance::test {

/// Held surfaces: points, edges and triangles.
template <int dim>
struct Obstacle {
  std::vector<Vec<dim>> x;
  Edges edges;
  Triangles triangles;
};

struct SceneSettings {
  double h = 0.01, dhat = 0.02, modulus = 1e4, friction = 0.0;
  TimeIntegrator integrator = TimeIntegrator::implicit_euler;
  bool has_contact = true;
  std::vector<HalfSpace> half_spaces;
};

template <int dim>
struct WholeScene {
  Model model;
  State state;
  PrescribedTargets targets;
  SolverOptions options;
  VecX x1;
  std::vector<int> first_block;             // per body
  std::vector<std::vector<int>> vertex_of;  // per body and node: its number in the body's mesh

  RemeshInputs<dim> inputs() const { return {model, options, state, x1}; }

  /// Returns the incremental potential at x1 [J s^2].
  CompensatedSum objective() {
    SolverOptions none = options;
    none.max_iterations = 0;
    StepWorkspace<dim> workspace(model, none);
    return solve_from<dim>(x1, model, none, targets, state, workspace).objective();
  }
  /// Solves the step, from x1 on.
  StepReport solve() {
    StepWorkspace<dim> workspace(model, options);
    const SolvedStep<dim> solved = solve_from<dim>(x1, model, options, targets, state, workspace);
    x1 = solved.x();
    return solved.report();
  }
  /// True if no element lacks volume and no surfaces meet, at x1 and at x0, by exact arithmetic.
  bool is_valid() const {
    for (const VecX* x : {&x1, &state.x}) {
      for (const auto& potential : model.potentials) {
        if (!potential->is_feasible(*x)) return false;
      }
      const auto broad_phase = make_broad_phase(dim, model.surface);
      if (!is_intersection_free<dim>(model, model.surface_map.apply(*x), *broad_phase, nullptr)) return false;
    }
    return true;
  }
};

template <int dim>
double volume_of(const AdaptingBody<dim>& body) {
  double sum = 0.0;
  for (int c = 0; c < body.mesh.num_cells(); ++c) {
    if (body.mesh.is_cell_alive(c)) sum += body.mesh.rest_volume(c);
  }
  return sum;
}

/// Makes the scene: bodies first, the obstacle last.
template <int dim>
WholeScene<dim> make_whole(const std::vector<AdaptingBody<dim>>& bodies, const Obstacle<dim>& obstacle,
                           const SceneSettings& settings) {
  WholeScene<dim> scene;
  Model& model = scene.model;
  ElementMesh<dim> elements;
  std::vector<double> x_rest, x1, x0, v, a, x_prev, v_prev;
  std::vector<std::array<int, dim>> facets;
  VecX force;
  std::vector<std::pair<int, Vec<dim>>> forces;
  const auto append = [](std::vector<double>& to, const Vec<dim>& p) { to.insert(to.end(), p.data(), p.data() + dim); };
  const auto num_blocks = [&] { return static_cast<int>(x_rest.size()) / dim; };
  model.surface_map = SurfaceMap(dim);
  SurfaceTopology& surface = model.surface;
  const auto add_surface = [&](int body, bool is_obstacle, int group, const std::vector<int>& blocks, Edges edges,
                               const Triangles& triangles) {
    const int first = surface.num_vertices;
    for (const int b : blocks) model.surface_map.add_vertex(b);
    surface.num_vertices += static_cast<int>(blocks.size());
    surface.vertex_body.resize(surface.num_vertices, body);
    surface.vertex_group.resize(surface.num_vertices, group);
    model.is_obstacle_vertex.resize(surface.num_vertices, is_obstacle ? 1 : 0);
    for (auto& e : edges) std::sort(e.begin(), e.end());
    std::sort(edges.begin(), edges.end());
    for (const auto& [p, q] : edges) surface.edges.push_back({first + p, first + q});
    for (const auto& t : triangles) surface.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    surface.body_names.push_back("body");
  };
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const AdaptingBody<dim>& body = bodies[b];
    const int first = num_blocks();
    const auto first_material = static_cast<int>(elements.materials.size());
    scene.first_block.push_back(first);
    std::vector<int>& vertex_of = scene.vertex_of.emplace_back();
    const auto data = body.mesh.compact(&vertex_of);
    elements.materials.insert(elements.materials.end(), body.materials.begin(), body.materials.end());
    for (std::size_t i = 0; i < data.rest.size(); ++i) {
      const NodeFields<dim>& fields = body.fields[vertex_of[i]];
      append(x_rest, data.rest[i]);
      append(x1, fields.x1);
      append(x0, fields.x0);
      append(v, fields.v);
      append(a, fields.a);
      append(x_prev, fields.x_prev);
      append(v_prev, fields.v_prev);
      if ((data.sets[i] & body.prescribed_sets) != 0) scene.targets.blocks.push_back(first + static_cast<int>(i));
      model.body_of_block.push_back(static_cast<int>(b));
    }
    for (std::size_t c = 0; c < data.cells.size(); ++c) {
      auto nodes = data.cells[c];
      Mat<dim> sides;
      for (int k = 0; k < dim; ++k) sides.col(k) = data.rest[nodes[k + 1]] - data.rest[nodes[0]];
      const std::size_t label = data.cell_label[c];
      const double mass = body.materials[label].density * sides.determinant() / (dim == 2 ? 2.0 : 6.0);
      for (int& node : nodes) {
        node += first;
        forces.emplace_back(node, mass / (dim + 1) * body.accelerations[label]);
      }
      elements.add(nodes, first_material + data.cell_label[c]);
    }
    std::vector<int> index(data.rest.size(), -1), blocks;
    Edges edges;
    Triangles triangles;
    for (const auto& f : data.facets) {
      for (const int p : f) index[p] = 0;
    }
    for (std::size_t i = 0; i < index.size(); ++i) {
      if (index[i] < 0) continue;
      index[i] = static_cast<int>(blocks.size());
      blocks.push_back(first + static_cast<int>(i));
    }
    for (std::size_t f = 0; f < data.facets.size(); ++f) {
      auto facet = data.facets[f];
      const Vec<dim> p = data.rest[facet[0]], along = data.rest[facet[1]] - p;
      double area = along.norm();
      if constexpr (dim == 3) area = 0.5 * cross_product(along, Vec<3>(data.rest[facet[2]] - p)).norm();
      for (int& node : facet) {
        forces.emplace_back(first + node, area / dim * body.tractions[data.facet_label[f]]);
        node = index[node];
      }
      if constexpr (dim == 3) {
        triangles.push_back(facet);
      } else {
        edges.push_back(facet);
      }
    }
    if constexpr (dim == 3) edges = unique_edges(triangles);
    add_surface(static_cast<int>(b), false, body.has_self_contact ? -1 : 2 + static_cast<int>(b), blocks, edges,
                triangles);
  }
  {
    const int first = num_blocks(), number = static_cast<int>(bodies.size());
    std::vector<int> blocks;
    for (std::size_t i = 0; i < obstacle.x.size(); ++i) {
      for (std::vector<double>* x : {&x_rest, &x1, &x0}) append(*x, obstacle.x[i]);
      for (std::vector<double>* x : {&v, &a, &x_prev, &v_prev}) append(*x, Vec<dim>::Zero());
      blocks.push_back(first + static_cast<int>(i));
      scene.targets.blocks.push_back(blocks.back());
      model.body_of_block.push_back(number);
    }
    add_surface(number, true, 0, blocks, obstacle.edges, obstacle.triangles);
  }
  const auto as_vector = [](const std::vector<double>& x) {
    return VecX(Eigen::Map<const VecX>(x.data(), static_cast<Eigen::Index>(x.size())));
  };
  model.layout = {dim, num_blocks()};
  model.x_rest = elements.x_rest = as_vector(x_rest);
  model.is_always_prescribed.assign(num_blocks(), 0);
  std::fill(model.is_always_prescribed.end() - static_cast<std::ptrdiff_t>(obstacle.x.size()),
            model.is_always_prescribed.end(), 1);
  model.mass = lumped_mass(elements);
  model.consistent_mass = std::make_shared<ConsistentMass<dim>>(std::vector{elements}, VecX::Zero(num_blocks()));
  model.potentials.push_back(std::make_shared<ElasticPotential<dim>>(elements));
  auto damping = std::make_shared<LaggedDampingPotential<dim>>(elements);
  if (damping->has_elements()) model.potentials.push_back(damping);
  auto barrier = std::make_shared<InversionBarrier<dim>>(elements);
  if (barrier->has_elements()) model.potentials.push_back(barrier);
  force = VecX::Zero(model.layout.num_unknowns());
  for (const auto& [node, f] : forces) block<dim>(force, node) += f;
  model.potentials.push_back(
      std::make_shared<LoadPotential>(model.layout.num_unknowns(), [force](double, double, VecX& sum) -> Result<Done> {
        sum += force;
        return Done{};
      }));
  model.elastic_stiffness = VecX::Zero(num_blocks());
  add_rest_stiffness(elements, model.elastic_stiffness);
  model.bbox_diagonal = 1.0;
  model.half_spaces = settings.half_spaces;
  for (std::size_t b = 0; b <= bodies.size(); ++b) {
    model.friction.class_of_body.push_back(0);
    model.restitution.class_of_body.push_back(0);
  }
  model.friction.of_class = {{settings.friction, settings.friction}};
  model.friction.of_half_space.resize(settings.half_spaces.size());
  model.restitution.of_half_space.resize(settings.half_spaces.size());

  const VecX rest = model.surface_map.apply(model.x_rest);
  AreasAtRest measures;
  measures.vertex.assign(surface.num_vertices, 0.0);
  measures.edge.assign(surface.edges.size(), 0.0);
  measures.modulus.assign(measures.vertex.size(), settings.modulus);
  const auto at = [&](int p) { return Vec<dim>(block<dim>(rest, p)); };
  for (const auto& t : surface.triangles) {
    if constexpr (dim == 3) {
      const double third = 0.5 * cross_product(Vec<3>(at(t[1]) - at(t[0])), Vec<3>(at(t[2]) - at(t[0]))).norm() / 3.0;
      for (std::size_t i = 0; i < 3; ++i) {
        measures.vertex[t[i]] += third;
        const std::array<int, 2> ends = {std::min(t[i], t[(i + 1) % 3]), std::max(t[i], t[(i + 1) % 3])};
        const auto e = std::find(surface.edges.begin(), surface.edges.end(), ends) - surface.edges.begin();
        measures.edge[e] += third;
      }
    }
  }
  for (std::size_t e = 0; e < surface.edges.size(); ++e) {
    const auto [p, q] = surface.edges[e];
    model.edge_rest_length_sq.push_back((at(p) - at(q)).squaredNorm());
    if (measures.edge[e] > 0.0) continue;
    measures.edge[e] = (at(p) - at(q)).norm() * (dim == 2 ? 1.0 : settings.dhat);
    for (const int end : {p, q}) measures.vertex[end] += 0.5 * measures.edge[e];
  }
  for (double& measure : measures.vertex) {
    if (measure == 0.0) measure = dim == 2 ? settings.dhat : settings.dhat * settings.dhat;
  }

  model.contact_at_rest = std::make_shared<const ConvergentAtRest>(ConvergentOptions{}, std::move(measures));

  scene.x1 = as_vector(x1);
  scene.state.x = as_vector(x0);
  scene.state.v = as_vector(v);
  scene.state.a = as_vector(a);
  if (settings.integrator == TimeIntegrator::bdf2) {
    scene.state.x_prev = as_vector(x_prev);
    scene.state.v_prev = as_vector(v_prev);
  }
  scene.state.step = 1;
  scene.targets.positions.resize(dim * static_cast<Eigen::Index>(scene.targets.blocks.size()));
  for (std::size_t k = 0; k < scene.targets.blocks.size(); ++k) {
    block<dim>(scene.targets.positions, static_cast<int>(k)) = block<dim>(scene.x1, scene.targets.blocks[k]);
  }
  SolverOptions& options = scene.options;
  options.integrator.method = settings.integrator;
  options.integrator.h = settings.h;
  options.barrier = {settings.dhat, 0.0};
  options.has_contact = settings.has_contact;
  options.convergence = Convergence::published;
  options.tolerance = 1e-9;
  options.max_iterations = 200;
  options.friction.iterations = 1;
  return scene;
}

/// Makes a body of one material at rest; facets of one plane have one label.
template <int dim>
AdaptingBody<dim> make_body(const Mesh& mesh, const MaterialParameters& material) {
  typename SimplexMesh<dim>::Data data;
  for (const Vec<3>& x : mesh.vertices) data.rest.push_back(x.head<dim>());
  if constexpr (dim == 3) {
    data.cells = mesh.tets;
    data.facets = boundary_triangles(mesh.tets);
  } else {
    data.cells = mesh.triangles;
    data.facets = boundary_edges(mesh.triangles);
  }
  data.facet_label = planes_of_facets<dim>(data.rest, data.facets);
  data.cell_label.assign(data.cells.size(), 0);
  data.sets.assign(data.rest.size(), 0);
  const int num_labels = 1 + *std::max_element(data.facet_label.begin(), data.facet_label.end());
  std::vector<NodeFields<dim>> fields;
  for (const Vec<dim>& x : data.rest) {
    const Vec<dim> zero = Vec<dim>::Zero();
    fields.push_back({x, x, zero, zero, x, zero, x, x});
  }
  return {0,
          SimplexMesh<dim>(std::move(data), {}),
          std::move(fields),
          {material},
          std::vector<Vec<dim>>(num_labels, Vec<dim>::Zero()),
          {Vec<dim>::Zero()},
          0,
          false,
          {}};
}

/// Solves the step and adopts its solution.
template <int dim>
StepReport solve_step(std::vector<AdaptingBody<dim>>& bodies, const Obstacle<dim>& obstacle,
                      const SceneSettings& settings) {
  WholeScene<dim> scene = make_whole(bodies, obstacle, settings);
  const StepReport report = scene.solve();
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    for (std::size_t i = 0; i < scene.vertex_of[b].size(); ++i) {
      bodies[b].fields[scene.vertex_of[b][i]].x1 = block<dim>(scene.x1, scene.first_block[b] + static_cast<int>(i));
    }
  }
  return report;
}

}  // namespace clearance::test
