#include "clearance/simulation/start/preflight.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "clearance/broad_phase/broad_phase.h"
#include "clearance/contact/contact_set.h"
#include "clearance/geometry/intersection.h"
#include "clearance/math/dimension.h"
#include "clearance/model/half_space_pairs.h"
#include "clearance/simulation/load/hint.h"
#include "clearance/simulation/start/overlap_depth.h"

namespace clearance {

namespace {

/// All meeting pairs of two bodies.
struct Meeting {
  int count = 0;
  double depth = 0.0;  // [m] largest distance that the nearer end of an edge lies behind what the edge crosses
  Vec<3> place = Vec<3>::Zero();
};

Vec<3> point_at(const VecX& x, int dim, int vertex) {
  Vec<3> p = Vec<3>::Zero();
  p.head(dim) = x.segment(dim * vertex, dim);
  return p;
}

/// Returns the distance of the nearer end of edge (a, b) from the plane of the triangle (t0, t1, t2), by which the edge
/// would have to be drawn back.
double crossing_depth(const Vec<3>& a, const Vec<3>& b, const Vec<3>& t0, const Vec<3>& t1, const Vec<3>& t2) {
  const Vec<3> normal = cross_product(t1 - t0, t2 - t0);
  const double length = normal.norm();
  if (!(length > 0.0)) return 0.0;
  return std::min(std::abs(normal.dot(a - t0)), std::abs(normal.dot(b - t0))) / length;
}

/// All pairs of primitives of two bodies, or of one, that are too near to each other.
struct Nearest {
  std::size_t count = 0;
  Contact contact;  // the one with the smallest gap
};

class Preflight {
 public:
  Preflight(const SceneDesc& desc, const SceneModel& scene)
      : desc_(desc), scene_(scene), x_(scene.model.surface_map.apply(scene.initial_state.x)) {}

  PreflightReport run() {
    check_half_spaces();
    if (desc_.contact.enabled) {
      auto broad_phase = make_broad_phase(scene_.dim, scene_.model.surface);
      find_meetings(*broad_phase);
      report_meetings();
      if (!has_errors(report_.issues)) check_separation(*broad_phase);
    }
    return std::move(report_);
  }

 private:
  const std::string& name_of(int body) const { return scene_.bodies[body].name; }

  void add(std::string message) {
    Issue issue;
    issue.message = std::move(message);
    report_.issues.push_back(std::move(issue));
  }

  /// Returns advice on what to do about a problem.
  std::string advice(const std::string& by_hand) const {
    return desc_.start.overlaps == OverlapHandling::separate ? "`start.overlaps` could not separate them"
                                                             : by_hand + ", or set `start.overlaps` to \"separate\"";
  }

  void check_half_spaces() {
    for (std::size_t plane = 0; plane < scene_.model.half_spaces.size(); ++plane) {
      const HalfSpace& half_space = scene_.model.half_spaces[plane];
      std::map<int, std::pair<int, double>> outside;  // body -> count, smallest distance [m]
      for (int v = 0; v < scene_.model.surface.num_vertices; ++v) {
        if (!meets_half_space(scene_.model, static_cast<int>(plane), v)) continue;
        const double distance =
            half_space.normal.dot(point_at(x_, scene_.dim, v)) - half_space.offset - scene_.model.surface.radius_at(v);
        if (distance > desc_.contact.min_separation) continue;
        auto& [count, smallest] = outside[scene_.model.surface.vertex_body[v]];
        smallest = count++ == 0 ? distance : std::min(smallest, distance);
      }
      for (const auto& [body, found] : outside) {
        add(fmt::format("body '{}' {}", name_of(body), half_space_text(plane, found.first, found.second)));
      }
    }
  }
  std::string half_space_text(std::size_t plane, int num_vertices, double distance) const {
    const std::string vertices = num_vertices == 1 ? "1 vertex" : fmt::format("{} vertices", num_vertices);
    const double dhat = scene_.options.barrier.dhat;
    // Rounding may put vertices that are meant to lie on a plane behind it.
    const bool is_touching = std::abs(distance) <= 1e-6 * dhat;
    if (distance < 0.0 && !is_touching) {
      return fmt::format("starts behind half_spaces[{}]: {}, up to {:.6g} m deep; {}", plane, vertices, -distance,
                         advice("move it along the normal"));
    }
    const std::string found = is_touching
                                  ? fmt::format("touches half_spaces[{}] at the start: {} on it", plane, vertices)
                                  : fmt::format("starts {:.6g} m from half_spaces[{}]: {}", distance, plane, vertices);
    return fmt::format(
        "{}; bodies need a gap above {}; {}", found, least_gap_text(),
        advice(fmt::format("move it along the normal, by dhat ({:.3g} m) if it is meant to start in contact", dhat)));
  }

  void find_meetings(BroadPhase& broad_phase) {
    const SurfaceTopology& surface = scene_.model.surface;
    for (const auto& [first, second] : broad_phase.find_intersection_candidates(x_)) {
      const auto& e = surface.edges[first];
      const Vec<3> a = point_at(x_, scene_.dim, e[0]), b = point_at(x_, scene_.dim, e[1]);
      double depth = 0.0;
      int other = 0;
      if (scene_.dim == 2) {
        const auto& f = surface.edges[second];
        const Vec<2> a2 = a.head<2>(), b2 = b.head<2>();
        const Vec<2> c2 = x_.segment<2>(2 * f[0]), d2 = x_.segment<2>(2 * f[1]);
        if (!edges_intersect(a2, b2, c2, d2)) continue;
        depth = std::sqrt(std::min(point_line_distance_sq<2>(a2, c2, d2), point_line_distance_sq<2>(b2, c2, d2)));
        other = f[0];
        append_edge(point_at(x_, 2, f[0]), point_at(x_, 2, f[1]));
      } else {
        const auto& t = surface.triangles[second];
        const Vec<3> t0 = point_at(x_, 3, t[0]), t1 = point_at(x_, 3, t[1]), t2 = point_at(x_, 3, t[2]);
        if (!edge_intersects_triangle(a, b, t0, t1, t2)) continue;
        depth = crossing_depth(a, b, t0, t1, t2);
        other = t[0];
        append_triangle(t0, t1, t2);
      }
      append_edge(a, b);
      const int body_a = surface.vertex_body[e[0]];
      const int body_b = surface.vertex_body[other];
      Meeting& meeting = meetings_[{std::min(body_a, body_b), std::max(body_a, body_b)}];
      if (meeting.count++ == 0 || depth > meeting.depth) {
        meeting.depth = depth;
        meeting.place = 0.5 * (a + b);
      }
    }
  }

  void report_meetings() {
    const BodySurfaces surfaces(scene_);
    for (const auto& [bodies, meeting] : meetings_) {
      const std::string who =
          bodies.first == bodies.second
              ? fmt::format("body '{}' intersects itself", name_of(bodies.first))
              : fmt::format("bodies '{}' and '{}' intersect or touch", name_of(bodies.first), name_of(bodies.second));
      // The depth follows from vertices inside the other body. If there are none, it follows from how far an edge has
      // come through.
      Overlap overlap;
      if (bodies.first != bodies.second) overlap = find_overlap(scene_, surfaces, bodies.first, bodies.second);
      std::string depth;
      // Bodies that touch are as deep in each other as rounding is.
      const double least_depth = 1e-12 * scene_.model.bbox_diagonal;
      if (overlap.depth > least_depth) {
        depth = fmt::format(", at least {:.3g} m deep", overlap.depth);
      } else {
        overlap.place = meeting.place;
        if (meeting.depth > least_depth) depth = fmt::format(", up to {:.3g} m deep", meeting.depth);
      }
      add(fmt::format("{} at the start: {} of {} meet{} near {}; {}{}", who, counted(meeting.count, "pair"),
                      scene_.dim == 2 ? "edges" : "an edge and a triangle", depth, place_text(overlap.place),
                      bodies.first != bodies.second ? advice("move them apart")
                      : is_thin(scene_.bodies[bodies.first].kind)
                          ? "separate its parts there; `start.overlaps` does not bend thin bodies"
                          : advice("weld vertices in the same place, or separate the surfaces there"),
                      desc_.joints.empty() ? "" : "; bodies that a joint connects may share a `collision_group`"));
    }
  }

  /// Names the smallest gap that is allowed.
  std::string least_gap_text() const { return desc_.contact.min_separation > 0.0 ? separation_text() : "zero"; }

  std::string separation_text() const {
    return fmt::format("min_separation ({:g} m{})", desc_.contact.min_separation,
                       desc_.contact.separate_curved ? ", of contact.separate_curved" : "");
  }

  /// Reports pairs with a gap at or below min_separation, where the barrier energy does not exist.
  void check_separation(BroadPhase& broad_phase) {
    const BarrierOptions& barrier = scene_.options.barrier;
    const Candidates candidates = find_contact_candidates(broad_phase, scene_.model, barrier, x_, x_);
    const ContactSet set = with_dimension(
        scene_.dim, [&](auto dim) { return build_contact_set<dim>(scene_.model, x_, candidates, barrier); });
    // The candidates are complete only up to the activation distance, so that a larger smallest distance means nothing.
    if (!set.contacts.empty()) report_.min_distance = set.min_distance;
    if (set.min_distance > barrier.min_separation) return;
    std::map<std::pair<int, int>, Nearest> pairs;
    for (const Contact& contact : set.contacts) {
      if (gap_of(contact) > barrier.min_separation) continue;
      const auto body = [&](int i) { return scene_.model.surface.vertex_body[contact.vertices[i]]; };
      Nearest& nearest = pairs[std::minmax(body(0), body(contact.num_vertices() - 1))];
      if (nearest.count++ == 0 || gap_of(contact) < gap_of(nearest.contact)) nearest.contact = contact;
    }
    for (const auto& [bodies, nearest] : pairs) {
      const bool has_thin = is_thin(scene_.bodies[bodies.first].kind) || is_thin(scene_.bodies[bodies.second].kind);
      if (has_thin && nearest.contact.thickness > 0.0 && bodies.first != bodies.second) {
        report_thin_pair(bodies, nearest);
      } else if (has_thin && bodies.first == bodies.second) {
        report_thin_body(bodies.first, nearest);
      } else {
        report_gap(bodies, gap_of(nearest.contact));
      }
    }
  }

  void report_gap(const std::pair<int, int>& bodies, double gap) {
    const std::string who = fmt::format("bodies '{}' and '{}'", name_of(bodies.first), name_of(bodies.second));
    if (gap < 0.0) {
      add(fmt::format("{} overlap at the start, by {:.3g} m; {}", who, -gap, advice("move them apart")));
    } else {
      add(fmt::format("{} start {:.6g} m apart, but must be further apart than {}; {}", who, gap, least_gap_text(),
                      advice("move them apart")));
    }
  }

  /// Reports two bodies, at least one of them thin, that do not meet but are nearer than their thicknesses allow.
  /// `start.overlaps` does not see these.
  void report_thin_pair(const std::pair<int, int>& bodies, const Nearest& nearest) {
    const double gap = gap_of(nearest.contact), distance = std::sqrt(nearest.contact.distance_sq);
    const std::string problem =
        gap < 0.0 ? fmt::format("overlap at the start, by {:.3g} m", -gap) : std::string("touch at the start");
    add(fmt::format(
        "bodies '{}' and '{}' {}, near {}: their meshes are {:.3g} m apart there, and their thickness "
        "needs more than {:.3g} m; move them apart{}",
        name_of(bodies.first), name_of(bodies.second), problem, place_text(place_of(nearest.contact)), distance,
        nearest.contact.thickness + desc_.contact.min_separation, not_separated("see the thickness of thin bodies")));
  }

  /// Reports a thin body that comes too near to itself. Parts of a sheet or a rod may start as near as they like, but
  /// not in the same place.
  void report_thin_body(int body, const Nearest& nearest) {
    const Contact& contact = nearest.contact;
    const double distance = std::sqrt(contact.distance_sq);
    const std::string place = place_text(place_of(contact));
    if (scene_.bodies[body].kind == BodyKind::particles) {
      const std::vector<int>& numbers = scene_.bodies[body].source_vertex;
      const int first_vertex = BodySurfaces(scene_).first_vertex(body);
      const auto [a, b] = std::minmax(numbers[contact.vertices[0] - first_vertex],
                                      numbers[contact.vertices[contact.num_vertices() - 1] - first_vertex]);
      const std::size_t others = nearest.count - 1;
      const std::string more = others == 0 ? "" : fmt::format(" (and {} more pair{})", others, others == 1 ? "" : "s");
      return add(fmt::format(
          "particles {} and {} of '{}'{} are {:.3g} m apart at the start, near {}, and their "
          "diameter is {:.3g} m; move them apart, or reduce `thickness`{}",
          a, b, name_of(body), more, distance, place, contact.thickness, not_separated("move parts of one thin body")));
    }
    add(
        fmt::format("body '{}' touches itself at the start, near {}: parts of it are {:.3g} m apart; move them "
                    "apart{}",
                    name_of(body), place, distance, not_separated("move parts of one thin body")));
  }

  /// Says why `start.overlaps` has not helped if the scene asks for it.
  std::string not_separated(const char* reason) const {
    return desc_.start.overlaps == OverlapHandling::separate ? fmt::format("; `start.overlaps` does not {}", reason)
                                                             : "";
  }

  /// Returns a place near to a contact: of the first vertex, or of the first edge where it is nearest to the second.
  Vec<3> place_of(const Contact& contact) const {
    const auto at = [&](int i) { return point_at(x_, scene_.dim, contact.vertices[i]); };
    const Vec<3> first = at(0);
    if (contact.num_vertices() < 4 || contact.kind == ContactKind::point_triangle) return first;
    const Vec<3> u = at(1) - first, v = at(3) - at(2), w = first - at(2);
    const double across = u.squaredNorm() * v.squaredNorm() - u.dot(v) * u.dot(v);
    const double along = u.dot(v) * v.dot(w) - v.squaredNorm() * u.dot(w);
    const Vec<3> place = first + (across > 0.0 ? std::clamp(along / across, 0.0, 1.0) : 0.5) * u;
    // Rounding makes no coordinate.
    const double least = 1e-12 * scene_.model.bbox_diagonal;
    return place.unaryExpr([&](double c) { return std::abs(c) > least ? c : 0.0; });
  }

  void append_triangle(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c) {
    const int first = static_cast<int>(report_.offending.vertices.size());
    report_.offending.vertices.insert(report_.offending.vertices.end(), {a, b, c});
    report_.offending.triangles.push_back({first, first + 1, first + 2});
  }
  void append_edge(const Vec<3>& a, const Vec<3>& b) {
    const int first = static_cast<int>(report_.offending.vertices.size());
    report_.offending.vertices.insert(report_.offending.vertices.end(), {a, b});
    report_.offending.edges.push_back({first, first + 1});
  }

  const SceneDesc& desc_;
  const SceneModel& scene_;
  VecX x_;
  std::map<std::pair<int, int>, Meeting> meetings_;
  PreflightReport report_;
};

}  // namespace

PreflightReport check_initial_state(const SceneDesc& desc, const SceneModel& scene) {
  return Preflight(desc, scene).run();
}

}  // namespace clearance
