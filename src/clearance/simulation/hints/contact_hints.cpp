#include "clearance/simulation/hints/contact_hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "clearance/contact/contact_at_rest.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/scene/enums.h"

namespace clearance {

namespace {

constexpr double most_edges = 3.0;
constexpr double least_share_of_coordinates = 1e-10;  // half a million times the rounding of coordinates

/// Returns the median; zero if there are no values.
double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Medians of lengths over the surface of each body.
struct Lengths {
  std::vector<double> dhat, edge;  // [m]; 0 if the body has none
};

Lengths lengths_of_bodies(const SceneModel& scene) {
  const Model& model = scene.model;
  std::vector<std::vector<double>> dhat(scene.bodies.size()), edge(scene.bodies.size());
  const auto body_of = [&](int v) { return model.surface.vertex_body[v]; };
  const std::vector<double>& of_vertex = model.contact_scales.dhat;
  for (int v = 0; v < model.surface.num_vertices; ++v) {
    dhat[body_of(v)].push_back(of_vertex.empty() ? scene.options.barrier.dhat : of_vertex[v]);
  }
  for (std::size_t e = 0; e < model.surface.edges.size(); ++e) {
    edge[body_of(model.surface.edges[e][0])].push_back(std::sqrt(model.edge_rest_length_sq[e]));
  }
  Lengths lengths;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    lengths.dhat.push_back(median(std::move(dhat[b])));
    lengths.edge.push_back(median(std::move(edge[b])));
  }
  return lengths;
}

/// Bodies that share a message. Keeps the message of the first one and counts the others.
class Found {
 public:
  void add(std::size_t body, std::string message) {
    if (num_++ == 0) first_ = std::move(message), body_ = body;
  }
  void report(const char* name, const SceneModel& scene, NamedHints& hints) const {
    if (num_ == 0) return;
    add_hint(hints, name, "contact.dhat",
             fmt::format("body '{}'{} {}", scene.bodies[body_].name, and_more(num_ - 1), first_));
  }

 private:
  std::size_t num_ = 0, body_ = 0;
  std::string first_;
};

void warn_of_rest_gap(const SceneModel& scene, NamedHints& hints) {
  if (!scene.model.contact_at_rest) return;
  const auto& [distance, bodies] = scene.model.contact_at_rest->rest_gap();
  if (distance == infinity) return;
  const auto name = [&](int body) {
    return body < 0 ? fmt::format("half_spaces[{}]", -1 - body) : "'" + scene.bodies[body].name + "'";
  };
  const std::string what = bodies[0] == bodies[1] ? "parts of " + name(bodies[1]) + " are"
                                                  : name(bodies[1]) + " and " + name(bodies[0]) + " are";
  add_hint(hints, "rest_gap", "contact.dhat",
           fmt::format("{} {:.3g} m apart at rest and push each other away, because the distance at which contact "
                       "begins cannot be less than a hundredth of dhat; move them apart, or use a smaller dhat",
                       what, distance));
}

}  // namespace

void warn_of_activation_distances(const SceneDesc& desc, const SceneModel& scene, NamedHints& hints) {
  if (!desc.contact.enabled) return;
  const Lengths lengths = lengths_of_bodies(scene);
  const bool repels_itself = !desc.contact.obstacles_only && repels_at_rest(desc.contact.options);
  Found beyond_edges, lost;
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    const BodyInstance& body = scene.bodies[b];
    const BoundingBox box = bounding_box(body.mesh.vertices);
    const double dhat = lengths.dhat[b], edge = lengths.edge[b];
    if (body.is_obstacle || !(dhat > 0.0)) continue;
    const double reach = std::max(box.min.cwiseAbs().maxCoeff(), box.max.cwiseAbs().maxCoeff());
    if (dhat < least_share_of_coordinates * reach) {
      lost.add(b, fmt::format("has coordinates of up to {:.3g} m, which are rounded to {:.1g} m, so that gaps below "
                              "dhat = {:.3g} m are hardly resolved; use a dhat of at least {:.1g} m",
                              reach, reach * 2e-16, dhat, least_share_of_coordinates * reach));
    } else if (repels_itself && body.kind == BodyKind::deformable && dhat > most_edges * edge && edge > 0.0) {
      beyond_edges.add(b, fmt::format("has edges of {:.3g} m, which is less than a third of dhat = {:.3g} m, so that "
                                      "with the formulation '{}' its own vertices repel each other at rest, and steps "
                                      "take long; use a dhat of at most {:.2g} m, or the formulation 'gcp'",
                                      edge, dhat, enum_name(desc.contact.formulation()), edge));
    }
  }
  lost.report("unresolved_gap", scene, hints);
  warn_of_rest_gap(scene, hints);
  beyond_edges.report("self_repelling", scene, hints);
}

}  // namespace clearance
