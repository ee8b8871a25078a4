#include "clearance/simulation/overlaps/regrowth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/geometry/distance.h"
#include "clearance/geometry/intersection.h"
#include "clearance/geometry/winding_number.h"
#include "clearance/model/half_space_pairs.h"
#include "clearance/model/model.h"
#include "clearance/simulation/build/build_scene_model.h"
#include "clearance/simulation/build/solid.h"
#include "clearance/simulation/load/load_bodies.h"
#include "clearance/simulation/load/moved_bodies.h"
#include "clearance/simulation/load/region.h"
#include "clearance/simulation/overlaps/container.h"
#include "clearance/simulation/start/preflight.h"
#include "clearance/simulation/stepping/stepped_scene.h"

namespace clearance {

namespace {

constexpr int max_draws = 400;
/// Distance that a vertex is drawn in at once, as a share of the mean edge around it.
constexpr double draw_share = 0.1;
/// Number of draws after nothing meets any more, so that the barrier has room.
constexpr int further_draws = 1;
/// Smallest part of its volume that an element keeps.
constexpr double least_volume = 0.02;
constexpr int max_growth_steps = 60;

/// A deformable body that is being drawn in.
struct Bending {
  int body = 0;
  Vertices x;                   // [m]
  std::vector<double> measure;  // signed volumes of its elements at rest, times dim!
  std::vector<std::vector<int>> neighbours;
  std::vector<Vec<3>> free;  // per vertex: 1 for components that no motion holds, else 0
};

/// Draws in surfaces that meet.
template <int dim>
class Shrinker {
 public:
  Shrinker(const SceneDesc& desc, const SceneModel& scene, const std::vector<std::array<int, 2>>& pairs)
      : desc_(desc),
        scene_(scene),
        surfaces_(scene),
        x_(scene.model.surface_map.apply(scene.initial_state.x)),
        met_(pairs.begin(), pairs.end()) {
    bending_of_body_.assign(scene.bodies.size(), -1);
    int first_vertex = 0;
    for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b) {
      const BodyInstance& body = scene.bodies[b];
      facets_.push_back(facets_of(body));
      insides_.push_back(Solid::inside_of(desc, body));
      if (body.kind == BodyKind::deformable && desc.bodies[body.desc].stiff_parts.empty()) {
        bending_of_body_[b] = static_cast<int>(bendings_.size());
        bendings_.push_back(prepare(b));
      }
      first_of_body_.push_back(first_vertex);
      first_vertex += static_cast<int>(body.mesh.vertices.size());
    }
    surface_of_vertex_.assign(first_vertex, -1);
    for (std::size_t s = 0; s < scene.vertex_of_surface.size(); ++s) {
      surface_of_vertex_[scene.vertex_of_surface[s]] = static_cast<int>(s);
    }
  }

  /// Draws in until nothing meets. Returns false if something cannot be drawn in any further.
  bool run() {
    const auto broad_phase = make_broad_phase(dim, scene_.model.surface);
    int num_clean = 0;
    for (int draw = 0; draw < max_draws; ++draw) {
      std::set<int> offending = find_offending(*broad_phase);  // surface vertices that meet something
      if (offending.empty()) {
        if (num_clean++ == further_draws || offended_.empty()) return true;
        offending = offended_;
      } else {
        num_clean = 0;
        offended_.insert(offending.begin(), offending.end());
      }
      if (!draw_in(offending)) return false;
    }
    return false;
  }

  /// Returns the bodies that have been drawn in.
  std::vector<int> bent_bodies() const {
    std::set<int> bodies;
    for (const int v : offended_) {
      const int b = scene_.model.surface.vertex_body[v];
      if (bending_of_body_[b] >= 0) bodies.insert(b);
    }
    return {bodies.begin(), bodies.end()};
  }
  const Vertices& positions(int body) const { return bendings_[bending_of_body_[body]].x; }
  /// Returns the bodies that met themselves.
  const std::set<int>& self_meetings() const { return self_meetings_; }

 private:
  using Facets = std::conditional_t<dim == 3, Triangles, Edges>;

  static Facets facets_of(const BodyInstance& body) {
    if constexpr (dim == 3) {
      return boundary_triangles(body);
    } else {
      return boundary_edges(body);
    }
  }
  static const auto& elements_of(const Mesh& mesh) {
    if constexpr (dim == 3) {
      return mesh.tets;
    } else {
      return mesh.triangles;
    }
  }
  /// Computes the signed volume (2D: area) of an element, times dim!.
  template <class Element>
  static double measure(const Vertices& x, const Element& element) {
    const auto at = [&](std::size_t i) -> const Vec<3>& { return x[element[i]]; };
    const Vec<3> normal = cross_product(at(1) - at(0), at(2) - at(0));
    if constexpr (dim == 3) {
      return normal.dot(at(3) - at(0));
    } else {
      return normal[2];
    }
  }

  Bending prepare(int b) const {
    const BodyInstance& body = scene_.bodies[b];
    const BodyDesc& of_body = desc_.bodies[body.desc];
    Bending bending;
    bending.body = b;
    bending.x = body.mesh_at_start().vertices;
    const std::size_t count = bending.x.size();
    std::vector<std::set<int>> neighbours(count);
    for (const auto& element : elements_of(body.mesh)) {
      bending.measure.push_back(measure(body.mesh.vertices, element));
      for (const int v : element) {
        for (const int w : element) {
          if (v != w) neighbours[v].insert(w);
        }
      }
    }
    for (const auto& of_vertex : neighbours) bending.neighbours.emplace_back(of_vertex.begin(), of_vertex.end());
    bending.free.assign(count, Vec<3>::Ones());
    for (const MotionDesc& motion : of_body.motions) {
      for (const int v : select_nodes(body, of_body.transform, motion.region, dim)) {
        for (int c = 0; c < dim; ++c) {
          if (motion.components[c]) bending.free[v][c] = 0.0;
        }
      }
    }
    return bending;
  }

  const Bending* bending_of(int body) const {
    const int i = bending_of_body_[body];
    return i < 0 ? nullptr : &bendings_[i];
  }
  int body_of(int surface_vertex) const { return scene_.model.surface.vertex_body[surface_vertex]; }
  const Vertices& vertices_of(int body) const {
    const Bending* bending = bending_of(body);
    return bending != nullptr ? bending->x : scene_.bodies[body].mesh.vertices;
  }
  Vec<dim> at(int surface_vertex) const { return x_.template segment<dim>(dim * surface_vertex); }
  static Vec<3> in_space(const Vec<dim>& x) {
    Vec<3> p = Vec<3>::Zero();
    p.template head<dim>() = x;
    return p;
  }

  std::set<int> find_offending(BroadPhase& broad_phase) {
    std::set<int> offending;
    std::set<std::array<int, 2>> meeting;  // pairs of bodies
    std::map<int, BoundingBox> self_boxes;
    const SurfaceTopology& surface = scene_.model.surface;
    for (const auto& [first, second] : broad_phase.find_intersection_candidates(x_)) {
      const auto& e = surface.edges[first];
      std::vector<int> vertices(e.begin(), e.end());
      if constexpr (dim == 2) {
        const auto& f = surface.edges[second];
        if (!edges_intersect(at(e[0]), at(e[1]), at(f[0]), at(f[1]))) continue;
        vertices.insert(vertices.end(), f.begin(), f.end());
      } else {
        const auto& t = surface.triangles[second];
        if (!edge_intersects_triangle(at(e[0]), at(e[1]), at(t[0]), at(t[1]), at(t[2]))) continue;
        vertices.insert(vertices.end(), t.begin(), t.end());
      }
      offending.insert(vertices.begin(), vertices.end());
      const int a = body_of(vertices.front()), b = body_of(vertices.back());
      meeting.insert({std::min(a, b), std::max(a, b)});
      if (a != b) continue;
      self_meetings_.insert(a);
      for (const int v : vertices) self_boxes[a].extend(in_space(at(v)));
    }
    met_.insert(meeting.begin(), meeting.end());
    for (const auto& [a, b] : met_) {
      if (a == b) continue;
      add_enclosed(a, b, offending);
      add_enclosed(b, a, offending);
    }
    for (const auto& [b, box] : self_boxes) add_folded(b, box, offending);
    for (std::size_t plane = 0; plane < scene_.model.half_spaces.size(); ++plane) {
      const HalfSpace& half_space = scene_.model.half_spaces[plane];
      for (int v = 0; v < surface.num_vertices; ++v) {
        if (!meets_half_space(scene_.model, static_cast<int>(plane), v)) continue;
        if (half_space.normal.dot(in_space(at(v))) - half_space.offset <= least_distance(v)) offending.insert(v);
      }
    }
    return offending;
  }
  double least_distance(int surface_vertex) const {
    const std::vector<double>& dhat = scene_.model.contact_scales.dhat;
    const double own = dhat.empty() ? scene_.options.barrier.dhat : dhat[surface_vertex];
    return desc_.contact.min_separation + 0.1 * own;
  }

  /// Adds the surface vertices of one body that are inside another one, or outside of a container. Bodies with open
  /// surfaces have no inside.
  void add_enclosed(int inner, int outer, std::set<int>& offending) const {
    const Facets& facets = facets_[outer];
    const std::optional<Solid>& inside = insides_[outer];
    if (!inside) return;
    const bool is_contained = is_container(scene_, surfaces_, inside, outer, inner);
    const Vertices& vertices = vertices_of(inner);
    const BoundingBox box = bounding_box(vertices_of(outer));
    visit_surface(inner, [&](int v, int surface_vertex) {
      const Vec<3>& x = vertices[v];
      if (offending.count(surface_vertex) > 0) return;
      const bool is_in_box = (x.array() >= box.min.array()).all() && (x.array() <= box.max.array()).all();
      const bool is_inside = is_in_box && winding_number(x, vertices_of(outer), facets).value_or(0) % 2 != 0;
      if (is_inside != is_contained) offending.insert(surface_vertex);
    });
  }
  /// Adds the surface vertices of a body that lie in another part of it.
  void add_folded(int b, const BoundingBox& meeting, std::set<int>& offending) const {
    const Bending* bending = bending_of(b);
    if (bending == nullptr) return;
    const std::vector<Vec<3>> normals = vertex_normals(*bending);
    const double margin = 0.5 * meeting.diagonal();
    visit_surface(b, [&](int v, int surface_vertex) {
      const Vec<3>& x = bending->x[v];
      if (((x - meeting.min).array() < -margin).any() || ((x - meeting.max).array() > margin).any()) return;
      const Vec<3> outside = x + 1e-6 * edge_length(*bending, v) * normals[v];
      if (winding_number(outside, bending->x, facets_[b]).value_or(0) > 0) {
        offending.insert(surface_vertex);
      }
    });
  }
  template <class Visit>
  void visit_surface(int body, const Visit& visit) const {
    const std::size_t b = body;
    for (int v = 0; v < static_cast<int>(scene_.bodies[b].mesh.vertices.size()); ++v) {
      const int surface_vertex = surface_of_vertex_[first_of_body_[b] + v];
      if (surface_vertex >= 0) visit(v, surface_vertex);
    }
  }

  double edge_length(const Bending& bending, int v) const {
    const std::size_t i = v;
    double sum = 0.0;
    for (const int w : bending.neighbours[i]) sum += (bending.x[w] - bending.x[i]).norm();
    return bending.neighbours[i].empty() ? 0.0 : sum / static_cast<double>(bending.neighbours[i].size());
  }
  /// Computes outward unit normals at the vertices; zero for vertices inside.
  std::vector<Vec<3>> vertex_normals(const Bending& bending) const {
    std::vector<Vec<3>> normals(bending.x.size(), Vec<3>::Zero());
    for (const auto& facet : facets_[bending.body]) {
      const auto point = [&](std::size_t i) -> const Vec<3>& { return bending.x[facet[i]]; };
      Vec<3> normal;
      if constexpr (dim == 3) {
        normal = cross_product(point(1) - point(0), point(2) - point(0));
      } else {
        const Vec<3> edge = point(1) - point(0);
        normal = {edge[1], -edge[0], 0.0};
      }
      for (const int v : facet) normals[v] += normal;
    }
    for (Vec<3>& normal : normals) normal = normal.isZero(0.0) ? normal : Vec<3>(normal.normalized());
    return normals;
  }

  /// Draws in all bodies once. Returns false if no vertex can be drawn in.
  bool draw_in(const std::set<int>& offending) {
    bool has_moved = false;
    for (Bending& bending : bendings_) has_moved = draw_in(bending, offending) || has_moved;
    return has_moved;
  }
  bool draw_in(Bending& bending, const std::set<int>& offending) {
    const std::vector<Vec<3>> normals = vertex_normals(bending);
    std::vector<Vec<3>> step(bending.x.size(), Vec<3>::Zero());
    std::vector<char> is_drawn(bending.x.size(), 0);
    visit_surface(bending.body, [&](int v, int surface_vertex) {
      const std::size_t i = v;
      if (offending.count(surface_vertex) == 0) return;
      step[i] = -draw_share * edge_length(bending, v) * normals[i].cwiseProduct(bending.free[i]);
      is_drawn[i] = step[i].isZero(0.0) ? 0 : 1;
    });
    if (std::find(is_drawn.begin(), is_drawn.end(), 1) == is_drawn.end()) return false;
    // Vertices around follow, by less with each round of neighbours.
    for (int round = 0; round < 4; ++round) {
      const std::vector<Vec<3>> last = step;
      for (std::size_t v = 0; v < step.size(); ++v) {
        if (is_drawn[v] || bending.neighbours[v].empty()) continue;
        Vec<3> sum = Vec<3>::Zero();
        for (const int w : bending.neighbours[v]) sum += last[w];
        step[v] = 0.9 / static_cast<double>(bending.neighbours[v].size()) * sum.cwiseProduct(bending.free[v]);
      }
    }
    return take(bending, step);
  }
  /// Applies a step, reduced at vertices of elements that would become too small. Returns false if nothing moves.
  bool take(Bending& bending, std::vector<Vec<3>>& step) {
    const auto& elements = elements_of(scene_.bodies[bending.body].mesh);
    Vertices moved = bending.x;
    bool is_valid = false;
    for (int round = 0; round < 40 && !is_valid; ++round) {
      for (std::size_t v = 0; v < moved.size(); ++v) moved[v] = bending.x[v] + step[v];
      is_valid = true;
      std::set<int> too_far;
      for (std::size_t e = 0; e < elements.size(); ++e) {
        if (measure(moved, elements[e]) >= least_volume * bending.measure[e]) continue;
        is_valid = false;
        too_far.insert(elements[e].begin(), elements[e].end());
      }
      for (const int v : too_far) step[v] *= round < 20 ? 0.5 : 0.0;
    }
    if (!is_valid) return false;
    double farthest = 0.0;
    for (std::size_t v = 0; v < moved.size(); ++v) farthest = std::max(farthest, (moved[v] - bending.x[v]).norm());
    bending.x = std::move(moved);
    visit_surface(bending.body, [&](int v, int surface_vertex) {
      x_.template segment<dim>(dim * surface_vertex) = bending.x[v].template head<dim>();
    });
    return farthest > 0.0;
  }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  BodySurfaces surfaces_;
  std::vector<std::optional<Solid>> insides_;  // insides of the bodies at the start
  VecX x_;                                     // positions of the surface vertices
  std::vector<Facets> facets_;
  std::vector<Bending> bendings_;
  std::vector<int> bending_of_body_, first_of_body_, surface_of_vertex_;
  std::set<int> offended_, self_meetings_;
  std::set<std::array<int, 2>> met_;  // pairs of bodies that have been in one another
};

/// Returns the scene without anything that moves or loads a body. All bodies except the bent ones are held.
SceneDesc resting_scene(const SceneDesc& scene, const std::set<int>& bent_entries, double h,
                        TimeIntegrator integrator) {
  SceneDesc resting = scene;
  resting.start.overlaps = OverlapHandling::refuse;
  resting.gravity = Vec<3>::Zero();
  resting.time = TimeDesc{};
  resting.time.step = h;
  resting.time.integrator = integrator;
  resting.time.duration = h * max_growth_steps;
  resting.friction = FrictionDesc{};
  resting.contact.restitution = 0.0;
  resting.contact.restitution_pairs.clear();
  resting.joints.clear();
  resting.output = OutputDesc{};
  for (std::size_t d = 0; d < resting.bodies.size(); ++d) {
    BodyDesc& body = resting.bodies[d];
    body.loads.clear();
    body.velocity.reset();
    body.linear_velocity = body.angular_velocity = Vec<3>::Zero();
    body.friction.reset();
    body.static_friction.reset();
    std::vector<MotionDesc> held;
    if (bent_entries.count(static_cast<int>(d)) == 0) {
      if (body.kind != BodyKind::obstacle) held.emplace_back();
    } else {
      for (const MotionDesc& motion : body.motions) {
        held.emplace_back();
        held.back().region = motion.region;
        held.back().components = motion.components;
      }
    }
    body.motions = std::move(held);
  }
  return resting;
}

/// Returns a time step [s] of many times the time in which a wave crosses any of the bodies, so that inertia hardly
/// counts.
double slow_step(const SceneModel& model, const std::vector<int>& bent, const SceneDesc& scene) {
  double h = 0.0;
  for (const int b : bent) {
    const BodyInstance& body = model.bodies[b];
    const MaterialDesc& material = scene.bodies[body.desc].material;
    const double size = bounding_box(body.mesh.vertices).diagonal();
    h = std::max(h, 100.0 * size * std::sqrt(material.density / material.youngs_modulus));
  }
  return h;
}

/// Lets bodies grow back in steps of `h`, each from rest. Their displacements in the scene are replaced by those that
/// remain.
Issues grow_back(const SceneModel& model, const std::vector<int>& bent, double h, TimeIntegrator integrator,
                 SceneDesc& scene) {
  std::set<int> entries;
  for (const int b : bent) entries.insert(model.bodies[b].desc);
  SceneDesc resting = resting_scene(scene, entries, h, integrator);
  Issues of_scene = check_scene(resting);
  if (has_errors(of_scene)) return of_scene;
  SteppedScene growing;
  if (const Result<Done> started = growing.start(std::move(resting), std::move(of_scene)); !started)
    return started.issues();
  const double still = 1e-6 * model.model.bbox_diagonal;
  for (int step = 0; step < max_growth_steps; ++step) {
    const VecX before = growing.state.x;
    if (!growing.step().is_advanced()) break;
    State state = growing.state;
    state.v.setZero();
    state.a.setZero();
    if (const Result<Done> restored = growing.restore(std::move(state)); !restored) return restored.issues();
    if ((growing.state.x - before).cwiseAbs().maxCoeff() < still) break;
  }
  const std::vector<Vec<3>> x = growing.positions();
  for (const int b : bent) {
    const BodyView& view = growing.views[b];
    const Vertices& rest = model.bodies[b].mesh.vertices;
    std::vector<Vec<3>>& displacements = *moved_entry(scene, view.name).displacements;
    for (std::size_t v = 0; v < rest.size(); ++v) {
      displacements[v] = x[view.vertices.first + v] - rest[v];
    }
  }
  return {};
}

template <int dim>
Issues bend(const SceneModel& model, const std::vector<std::array<int, 2>>& pairs, Separation& separation,
            const Issues& problems) {
  SceneDesc& scene = separation.scene;
  Shrinker<dim> shrinker(scene, model, pairs);
  const bool is_clean = shrinker.run();
  const std::vector<int> bent = shrinker.bent_bodies();
  if (!is_clean) return problems;
  if (bent.empty()) return {};
  for (const int b : shrinker.self_meetings()) {
    const std::string& name = model.bodies[b].name;
    separation.overlaps.push_back({name, name, 0.0});
  }
  for (const int b : bent) {
    const BodyInstance& body = model.bodies[b];
    std::vector<Vec<3>> displacements;
    for (std::size_t v = 0; v < body.mesh.vertices.size(); ++v) {
      displacements.push_back(shrinker.positions(b)[v] - body.mesh.vertices[v]);
    }
    moved_entry(scene, body.name).displacements = std::move(displacements);
  }
  // The last steps are those of the scene, so that contacts are as stiff as in its run.
  const bool is_static = scene.time.integrator == TimeIntegrator::quasi_static;
  Issues issues = grow_back(model, bent, slow_step(model, bent, scene), TimeIntegrator::implicit_euler, scene);
  if (issues.empty()) {
    issues = grow_back(model, bent, scene.time.step,
                       is_static ? TimeIntegrator::quasi_static : TimeIntegrator::implicit_euler, scene);
  }
  if (!issues.empty()) return issues;
  for (const int b : bent) {
    const std::string& name = model.bodies[b].name;
    double largest = 0.0;
    for (const Vec<3>& u : *moved_entry(scene, name).displacements) largest = std::max(largest, u.norm());
    auto move = std::find_if(separation.moves.begin(), separation.moves.end(),
                             [&](const Separation::Move& m) { return m.body == name; });
    if (move == separation.moves.end()) move = separation.moves.insert(move, {name, 0.0, 0.0});
    move->bending = largest;
  }
  return {};
}

/// Builds the model of a scene and returns what meets at the start.
Issues find_meetings(const SceneDesc& scene, SceneModel& model) {
  Result<LoadedBodies> bodies = load_bodies(scene);
  if (!bodies) return bodies.issues();
  model = build_scene_model(scene, std::move(bodies->instances));
  return check_initial_state(scene, model).issues;
}

}  // namespace

Issues bend_apart(Separation& separation, const std::vector<std::array<int, 2>>& pairs) {
  SceneModel model;
  Issues problems = find_meetings(separation.scene, model);
  if (!has_errors(problems) && pairs.empty()) return {};
  if (problems.empty()) {
    for (const auto& [a, b] : pairs) {
      const auto name = [&](int body) { return model.bodies[body].name; };
      problems.push_back({"", "", "",
                          fmt::format("bodies '{}' and '{}' start one inside the other, although their surfaces do not "
                                      "meet; `start.overlaps` could not separate them",
                                      name(a), name(b))});
    }
  }
  const Issues issues =
      model.dim == 2 ? bend<2>(model, pairs, separation, problems) : bend<3>(model, pairs, separation, problems);
  if (!issues.empty()) return issues;
  return find_meetings(separation.scene, model);
}

}  // namespace clearance
