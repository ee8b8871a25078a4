#include "clearance/remesh/patch_problem.h"

#include <algorithm>
#include <cmath>

#include "clearance/bodies/fem/fem_body.h"
#include "clearance/geometry/distance.h"
#include "clearance/solver/time_integrator.h"

namespace clearance {

namespace {

bool is_in(const std::vector<int>& sorted, int number) {
  return std::binary_search(sorted.begin(), sorted.end(), number);
}

void sort_unique(std::vector<int>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

template <int dim>
std::vector<int> vertices_of(const SimplexMesh<dim>& mesh, const std::vector<int>& cells) {
  std::vector<int> vertices;
  for (const int c : cells) vertices.insert(vertices.end(), mesh.cell(c).begin(), mesh.cell(c).end());
  sort_unique(vertices);
  return vertices;
}

template <int dim>
std::vector<int> cells_at(const SimplexMesh<dim>& mesh, std::span<const int> vertices) {
  std::vector<int> cells;
  for (const int v : vertices) {
    const std::span<const int> at = mesh.cells_at(v);
    cells.insert(cells.end(), at.begin(), at.end());
  }
  sort_unique(cells);
  return cells;
}

template <int dim>
double facet_area(const SimplexMesh<dim>& mesh, int f) {
  const auto& facet = mesh.facet(f);
  if constexpr (dim == 3) {
    return 0.5 * cross_product(Vec<3>(mesh.rest(facet[1]) - mesh.rest(facet[0])),
                               Vec<3>(mesh.rest(facet[2]) - mesh.rest(facet[0])))
                     .norm();
  } else {
    return (mesh.rest(facet[1]) - mesh.rest(facet[0])).norm();
  }
}

template <int dim>
void append(const Vec<dim>& x, std::vector<double>& flat) {
  flat.insert(flat.end(), x.data(), x.data() + dim);
}

VecX as_vector(const std::vector<double>& flat) {
  return Eigen::Map<const VecX>(flat.data(), static_cast<Eigen::Index>(flat.size()));
}

}  // namespace

template <int dim>
std::vector<int> cells_around(const AdaptingBody<dim>& body, std::span<const int> vertices, double body_volume,
                              std::size_t most_cells) {
  const SimplexMesh<dim>& mesh = body.mesh;
  std::vector<int> cells = cells_at(mesh, vertices);
  for (int ring = 1;; ++ring) {
    if (ring >= 2) {
      double volume = 0.0;
      for (const int c : cells) volume += mesh.rest_volume(c);
      if (volume >= 0.01 * body_volume) return cells;
    }
    std::vector<int> wider = cells_at<dim>(mesh, vertices_of(mesh, cells));
    if ((ring >= 2 && wider.size() > most_cells) || wider.size() == cells.size()) return cells;
    cells = std::move(wider);
  }
}

template <int dim>
Patch<dim> make_patch(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body, std::vector<int> cells,
                      std::span<const int> near) {
  const SimplexMesh<dim>& mesh = body.mesh;
  Patch<dim> patch;
  patch.cells = std::move(cells);
  patch.vertices = vertices_of(mesh, patch.cells);
  double longest = 0.0;
  const auto reach = [&](int v) {
    const NodeFields<dim>& fields = body.fields[static_cast<std::size_t>(v)];
    patch.reach.extend(fields.x0);
    patch.reach.extend(fields.x1);
  };
  for (const int v : near) {
    if (mesh.is_vertex_alive(v) && mesh.is_on_boundary(v)) reach(v);
  }
  for (const int v : patch.vertices) {
    const std::span<const int> around = mesh.cells_at(v);
    const bool is_inner = std::all_of(around.begin(), around.end(), [&](int c) { return is_in(patch.cells, c); });
    const bool is_moving = is_inner && !mesh.is_frozen(v) && (mesh.sets(v) & body.prescribed_sets) == 0;
    patch.is_moving.push_back(is_moving ? 1 : 0);
    if (!is_moving || !mesh.is_on_boundary(v)) continue;
    patch.has_contact = in.options.has_contact;
    reach(v);
    for (const int c : around) {
      const auto& corners = mesh.cell(c);
      for (std::size_t i = 1; i <= dim; ++i)
        longest = std::max(longest, (mesh.rest(corners[i]) - mesh.rest(corners[0])).norm());
    }
  }
  const double dhat = in.options.barrier.dhat + in.options.barrier.min_separation;
  patch.reach.grow(std::max(2.0 * dhat, dhat + 0.5 * longest));
  return patch;
}

template <int dim>
PatchProblem<dim>::PatchProblem(const RemeshInputs<dim>& in, const AdaptingBody<dim>& body,
                                const std::vector<BodySurface<dim>>& surfaces, Patch<dim> patch)
    : in_(in), body_(body), patch_(std::move(patch)), options_(in.options) {
  options_.has_contact = patch_.has_contact;
  options_.friction.iterations = 1;  // the same before and after an operation
  options_.convergence = Convergence::published;
  options_.tolerance = 0.1 * in.options.tolerance;
  options_.linear_solver = LinearSolverChoice::cholmod;
  options_.keeps_forces = false;
  options_.is_stop_wanted = nullptr;
  options_.on_ccd_query = nullptr;
  model_.surface_map = SurfaceMap(dim);
  block_of_vertex_.assign(static_cast<std::size_t>(body.mesh.num_vertices()), -1);
  add_blocks();
  if (patch_.has_contact) add_surface(surfaces);
  add_elements();
  set_state();
  workspace_ = std::make_unique<StepWorkspace<dim>>(model_, options_);
}

/// A vertex of the body outside of the patch is held.
template <int dim>
int PatchProblem<dim>::block_of(int vertex) {
  int& number = block_of_vertex_[static_cast<std::size_t>(vertex)];
  if (number >= 0) return number;
  number = static_cast<int>(is_held_.size());
  const NodeFields<dim>& fields = body_.fields[static_cast<std::size_t>(vertex)];
  append<dim>(body_.mesh.rest(vertex), x_rest_);
  append<dim>(fields.x0, x0_);
  append<dim>(fields.x1, x1_);
  append<dim>(fields.v, v_);
  append<dim>(fields.a, a_);
  append<dim>(fields.x_prev, x_prev_);
  append<dim>(fields.v_prev, v_prev_);
  is_held_.push_back(1);
  return number;
}

template <int dim>
void PatchProblem<dim>::add_blocks() {
  for (std::size_t i = 0; i < patch_.vertices.size(); ++i) {
    is_held_[static_cast<std::size_t>(block_of(patch_.vertices[i]))] = patch_.is_moving[i] ? 0 : 1;
  }
}

/// Those at vertices that move, and with contact of the body with itself all that are near.
template <int dim>
std::vector<int> PatchProblem<dim>::own_facets() const {
  const SimplexMesh<dim>& mesh = body_.mesh;
  std::vector<int> facets;
  for (std::size_t i = 0; i < patch_.vertices.size(); ++i) {
    if (!patch_.is_moving[i]) continue;
    const std::span<const int> at = mesh.facets_at(patch_.vertices[i]);
    facets.insert(facets.end(), at.begin(), at.end());
  }
  for (int f = 0; f < mesh.num_facets(); ++f) {
    if (!mesh.is_facet_alive(f)) continue;
    PositionBox<dim> box;
    for (const int v : mesh.facet(f)) {
      box.extend(body_.fields[static_cast<std::size_t>(v)].x1);
      box.extend(body_.fields[static_cast<std::size_t>(v)].x0);
    }
    if (patch_.reach.meets(box)) facets.push_back(f);
  }
  sort_unique(facets);
  return facets;
}

template <int dim>
void PatchProblem<dim>::add_surface(const std::vector<BodySurface<dim>>& surfaces) {
  const Model& whole = in_.model;
  SurfaceTopology& surface = model_.surface;
  ContactMeasures& measures = model_.contact_measures;
  std::vector<int> bodies;  // of the whole model, as numbered here
  const auto begin_body = [&](int body) {
    bodies.push_back(body);
    surface.body_names.push_back(
        whole.surface.body_names.empty() ? std::string() : whole.surface.body_names[static_cast<std::size_t>(body)]);
  };
  const auto add_vertex = [&](int block, int like, double measure) {
    const auto as = static_cast<std::size_t>(like);
    model_.surface_map.add_vertex(block);
    surface.vertex_body.push_back(static_cast<int>(bodies.size()) - 1);
    surface.vertex_group.push_back(whole.surface.vertex_group[as]);
    model_.is_obstacle_vertex.push_back(whole.is_obstacle_vertex[as]);
    measures.vertex.push_back(measure);
    const auto copy = [&](const std::vector<double>& from, std::vector<double>& to) {
      if (!from.empty()) to.push_back(from[as]);
    };
    copy(whole.contact_measures.modulus, measures.modulus);
    copy(whole.contact_scales.dhat, model_.contact_scales.dhat);
    copy(whole.contact_scales.compliance, model_.contact_scales.compliance);
    copy(whole.contact_scales.eps_v, model_.contact_scales.eps_v);
    copy(whole.contact_scales.stick, model_.contact_scales.stick);
    return surface.num_vertices++;
  };
  struct Side {
    std::array<int, 2> ends;
    double measure, length_sq;
    bool operator<(const Side& other) const { return ends < other.ends; }
  };
  const auto add_edges = [&](std::vector<Side>& sides) {
    std::sort(sides.begin(), sides.end());
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (i > 0 && sides[i].ends == sides[i - 1].ends) continue;
      surface.edges.push_back(sides[i].ends);
      measures.edge.push_back(sides[i].measure);
      model_.edge_rest_length_sq.push_back(sides[i].length_sq);
    }
  };

  const auto add_own = [&](int like) {
    const SimplexMesh<dim>& mesh = body_.mesh;
    const std::vector<int> facets = own_facets();
    std::vector<int> vertices;
    for (const int f : facets) vertices.insert(vertices.end(), mesh.facet(f).begin(), mesh.facet(f).end());
    sort_unique(vertices);
    std::vector<int> number(static_cast<std::size_t>(mesh.num_vertices()), -1);
    for (const int v : vertices) {
      double measure = 0.0;
      for (const int f : mesh.facets_at(v)) measure += facet_area(mesh, f) / dim;
      number[static_cast<std::size_t>(v)] = add_vertex(block_of(v), like, measure);
    }
    std::vector<Side> sides;
    for (const int f : facets) {
      const auto& facet = mesh.facet(f);
      for (std::size_t i = 0; i < (dim == 3 ? 3U : 1U); ++i) {
        const int a = facet[i], b = facet[(i + 1) % dim];
        double measure = 0.0;
        for (const int g : mesh.facets_at(a)) {
          const auto& other = mesh.facet(g);
          if (std::find(other.begin(), other.end(), b) == other.end()) continue;
          measure += facet_area(mesh, g) / (dim == 3 ? 3.0 : 1.0);
        }
        const int na = number[static_cast<std::size_t>(a)], nb = number[static_cast<std::size_t>(b)];
        sides.push_back({{std::min(na, nb), std::max(na, nb)}, measure, (mesh.rest(a) - mesh.rest(b)).squaredNorm()});
      }
      if constexpr (dim == 3) {
        surface.triangles.push_back({number[static_cast<std::size_t>(facet[0])],
                                     number[static_cast<std::size_t>(facet[1])],
                                     number[static_cast<std::size_t>(facet[2])]});
      }
    }
    add_edges(sides);
  };

  for (const BodySurface<dim>& other : surfaces) {
    if (other.body == body_.body) {
      begin_body(other.body);
      add_own(other.like);
      continue;
    }
    std::vector<int> triangles, edges, vertices;
    for (std::size_t t = 0; t < other.triangles.size(); ++t) {
      if (!patch_.reach.meets(other.triangle_boxes[t])) continue;
      triangles.push_back(static_cast<int>(t));
      vertices.insert(vertices.end(), other.triangles[t].begin(), other.triangles[t].end());
    }
    for (std::size_t i = 0; i < other.lone_edges.size(); ++i) {
      if (!patch_.reach.meets(other.edge_boxes[i])) continue;
      edges.push_back(other.lone_edges[i]);
      const auto& ends = other.edges[static_cast<std::size_t>(other.lone_edges[i])];
      vertices.insert(vertices.end(), ends.begin(), ends.end());
    }
    for (const int v : other.lone_vertices) {
      PositionBox<dim> box;
      box.extend(other.x0[static_cast<std::size_t>(v)]);
      box.extend(other.x1[static_cast<std::size_t>(v)]);
      if (patch_.reach.meets(box)) vertices.push_back(v);
    }
    if (vertices.empty()) continue;
    begin_body(other.body);
    sort_unique(vertices);
    std::vector<int> number(other.x1.size(), -1);
    for (const int v : vertices) {
      const auto at = static_cast<std::size_t>(v);
      const int block = static_cast<int>(is_held_.size());
      append<dim>(other.x1[at], x_rest_);
      append<dim>(other.x0[at], x0_);
      append<dim>(other.x1[at], x1_);
      for (std::vector<double>* rates : {&v_, &a_, &v_prev_}) append<dim>(Vec<dim>::Zero(), *rates);
      append<dim>(other.x0[at], x_prev_);
      is_held_.push_back(1);
      number[at] = add_vertex(block, other.like, other.measure[at]);
    }
    std::vector<Side> sides;
    const auto add_side = [&](int e) {
      const auto at = static_cast<std::size_t>(e);
      const auto [a, b] = other.edges[at];
      const int na = number[static_cast<std::size_t>(a)], nb = number[static_cast<std::size_t>(b)];
      sides.push_back({{std::min(na, nb), std::max(na, nb)}, other.edge_measure[at], other.edge_length_sq[at]});
    };
    for (const int t : triangles) {
      const auto& [a, b, c] = other.triangles[static_cast<std::size_t>(t)];
      surface.triangles.push_back({number[static_cast<std::size_t>(a)], number[static_cast<std::size_t>(b)],
                                   number[static_cast<std::size_t>(c)]});
      for (const int e : other.edges_of_triangle[static_cast<std::size_t>(t)]) add_side(e);
    }
    for (const int e : edges) add_side(e);
    add_edges(sides);
  }

  // What is said of bodies, by their numbers here.
  model_.friction = whole.friction;
  model_.restitution = whole.restitution;
  model_.friction.class_of_body.clear();
  model_.restitution.class_of_body.clear();
  for (const int body : bodies) {
    model_.friction.class_of_body.push_back(whole.friction.class_of_body[static_cast<std::size_t>(body)]);
    if (!whole.restitution.class_of_body.empty()) {
      model_.restitution.class_of_body.push_back(whole.restitution.class_of_body[static_cast<std::size_t>(body)]);
    }
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = i + 1; j < bodies.size(); ++j) {
      if (whole.surface.is_ignored(bodies[i], bodies[j])) {
        surface.ignored_pairs.push_back({static_cast<int>(i), static_cast<int>(j)});
      }
    }
  }
  model_.half_spaces = whole.half_spaces;
  // Blocks belong to the body that moves them.
  const auto own = std::find(bodies.begin(), bodies.end(), body_.body) - bodies.begin();
  model_.body_of_block.assign(is_held_.size(), static_cast<int>(own));
  for (int v = 0; v < surface.num_vertices; ++v) {
    const int block = model_.surface_map.terms(v)[0].block;
    model_.body_of_block[static_cast<std::size_t>(block)] = surface.vertex_body[static_cast<std::size_t>(v)];
  }
}

template <int dim>
void PatchProblem<dim>::add_elements() {
  const SimplexMesh<dim>& mesh = body_.mesh;
  const auto num_blocks = static_cast<int>(is_held_.size());
  model_.layout = {dim, num_blocks};
  model_.x_rest = as_vector(x_rest_);
  model_.bbox_diagonal = in_.model.bbox_diagonal;
  model_.is_always_prescribed = is_held_;
  if (model_.body_of_block.empty()) model_.body_of_block.assign(static_cast<std::size_t>(num_blocks), 0);
  if (model_.friction.of_class.empty()) {
    model_.friction.class_of_body = {0};
    model_.friction.of_class = {{}};
  }
  ElementMesh<dim> elements;
  elements.x_rest = model_.x_rest;
  elements.materials = body_.materials;
  VecX force = VecX::Zero(dim * num_blocks);
  for (const int c : patch_.cells) {
    std::array<int, dim + 1>& nodes = elements.elements.emplace_back();
    const auto label = static_cast<std::size_t>(mesh.cell_label(c));
    elements.material_of_element.push_back(static_cast<int>(label));
    const Vec<dim> share =
        body_.materials[label].density * mesh.rest_volume(c) / (dim + 1) * body_.accelerations[label];
    for (std::size_t i = 0; i <= dim; ++i) {
      nodes[i] = block_of_vertex_[static_cast<std::size_t>(mesh.cell(c)[i])];
      block<dim>(force, nodes[i]) += share;
    }
  }
  for (const int v : patch_.vertices) {
    for (const int f : mesh.facets_at(v)) {
      const auto& facet = mesh.facet(f);
      const Vec<dim>& traction = body_.tractions[static_cast<std::size_t>(mesh.facet_label(f))];
      // Once, from its smallest vertex.
      if (traction.isZero(0.0) || v != *std::min_element(facet.begin(), facet.end())) continue;
      const std::span<const int> around = mesh.cells_at(v);
      const bool is_of_patch = std::any_of(around.begin(), around.end(), [&](int c) {
        const auto& cell = mesh.cell(c);
        return is_in(patch_.cells, c) && std::all_of(facet.begin(), facet.end(), [&](int u) {
                 return std::find(cell.begin(), cell.end(), u) != cell.end();
               });
      });
      if (!is_of_patch) continue;
      for (const int u : facet) {
        block<dim>(force, block_of_vertex_[static_cast<std::size_t>(u)]) += facet_area(mesh, f) / dim * traction;
      }
    }
  }
  model_.elastic_stiffness = rest_stiffness(elements);
  model_.mass = lumped_mass(elements);
  model_.consistent_mass = std::make_shared<ConsistentMass<dim>>(elements, std::vector<CurvedElementMesh<dim>>{},
                                                                 VecX(VecX::Zero(num_blocks)));
  model_.potentials.push_back(std::make_shared<ElasticPotential<dim>>(elements));
  model_.potentials.push_back(
      std::make_shared<LoadPotential>(dim * num_blocks, [force](double, double, VecX& sum) -> Result<Done> {
        sum += force;
        return Done{};
      }));
  auto damping = std::make_shared<LaggedDampingPotential<dim>>(elements);
  if (damping->has_elements()) model_.potentials.push_back(std::move(damping));
  auto barrier = std::make_shared<InversionBarrier<dim>>(elements);
  if (barrier->has_elements()) model_.potentials.push_back(std::move(barrier));
}

template <int dim>
void PatchProblem<dim>::set_state() {
  const State& whole = in_.state;
  state_.step = whole.step;
  state_.time = whole.time;
  state_.x = as_vector(x0_);
  state_.v = as_vector(v_);
  state_.a = as_vector(a_);
  if (whole.x_prev.size() > 0) state_.x_prev = as_vector(x_prev_);
  if (whole.v_prev.size() > 0) state_.v_prev = as_vector(v_prev_);
  if (!whole.has_history.empty()) {
    const auto& of = in_.model.body_of_block;
    const auto first = static_cast<std::size_t>(std::find(of.begin(), of.end(), body_.body) - of.begin());
    state_.has_history.assign(is_held_.size(), whole.has_history[first]);
  }
  state_.kappa = whole.kappa;
  state_.x_anchor = state_.x;
  start_ = as_vector(x1_);
  for (std::size_t b = 0; b < is_held_.size(); ++b) {
    if (is_held_[b]) targets_.blocks.push_back(static_cast<int>(b));
  }
  targets_.positions.resize(dim * static_cast<Eigen::Index>(targets_.blocks.size()));
  for (std::size_t k = 0; k < targets_.blocks.size(); ++k) {
    block<dim>(targets_.positions, static_cast<int>(k)) = block<dim>(start_, targets_.blocks[k]);
  }
}

template <int dim>
bool PatchProblem<dim>::solve(int max_iterations) {
  options_.max_iterations = max_iterations;
  const VecX from = solution_.size() > 0 ? solution_ : start_;
  SolvedStep<dim> solved = solve_from<dim>(from, model_, options_, targets_, state_, *workspace_);
  energy_ = solved.objective().value() / predict(options_.integrator, state_).scale;
  if (!solved.report().is_advanced() || !std::isfinite(energy_)) return false;
  solution_ = solved.x();
  if (!patch_.has_contact) return true;
  for (std::size_t i = 0; i < patch_.vertices.size(); ++i) {
    const int v = patch_.vertices[i];
    if (!patch_.is_moving[i] || !body_.mesh.is_on_boundary(v)) continue;
    if (!patch_.reach.contains(block<dim>(solution_, block_of_vertex_[static_cast<std::size_t>(v)]))) return false;
  }
  return true;
}

template <int dim>
void PatchProblem<dim>::write_back(AdaptingBody<dim>& body) const {
  for (std::size_t i = 0; i < patch_.vertices.size(); ++i) {
    if (!patch_.is_moving[i]) continue;
    const auto v = static_cast<std::size_t>(patch_.vertices[i]);
    body.fields[v].x1 = block<dim>(solution_, block_of_vertex_[v]);
  }
}

template std::vector<int> cells_around<2>(const AdaptingBody<2>&, std::span<const int>, double, std::size_t);
template std::vector<int> cells_around<3>(const AdaptingBody<3>&, std::span<const int>, double, std::size_t);
template Patch<2> make_patch<2>(const RemeshInputs<2>&, const AdaptingBody<2>&, std::vector<int>, std::span<const int>);
template Patch<3> make_patch<3>(const RemeshInputs<3>&, const AdaptingBody<3>&, std::vector<int>, std::span<const int>);
template class PatchProblem<2>;
template class PatchProblem<3>;

}  // namespace clearance
