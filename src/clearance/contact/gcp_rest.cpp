#include "clearance/contact/gcp_rest.h"

#include <algorithm>

namespace clearance {

namespace {

/// Appends the values of the features that those of a part are like; a new feature gets `otherwise(feature)`.
template <class T, class Otherwise>
void restrict_to(const std::vector<ContactPart::Feature>& features, const std::vector<T>& whole,
                 const Otherwise& otherwise, std::vector<T>& part) {
  if (whole.empty()) return;
  for (const ContactPart::Feature& feature : features) {
    part.push_back(feature.like >= 0 ? whole[feature.like] : otherwise(feature));
  }
}

}  // namespace

double GcpRest::dhat_between(const std::array<int, 2>& bodies) const {
  const auto found = std::lower_bound(body_pair_dhat.begin(), body_pair_dhat.end(), bodies,
                                      [](const BodyPairDhat& pair, const auto& of) { return pair.bodies < of; });
  return found != body_pair_dhat.end() && found->bodies == bodies ? found->dhat : infinity;
}

GcpRest GcpRest::restricted_to(const ContactPart& part, int dim) const {
  GcpRest result;
  result.areas = areas.restricted_to(part);
  const auto& facets = dim == 3 ? part.triangles : part.edges;
  // A facet shares its area among its vertices, and keeps half of that for each of two surfaces.
  const auto share = [&](const ContactPart::Feature& f) { return f.area.value_or(0.0) / (dim == 3 ? 3.0 : 2.0); };
  const auto flat = [](const ContactPart::Feature& f) { return least_sharpness * f.area.value_or(0.0); };
  const auto unlimited = [](const ContactPart::Feature&) { return infinity; };
  restrict_to(facets, facet_share, share, result.facet_share);
  restrict_to(part.vertices, vertex_sharpness, flat, result.vertex_sharpness);
  restrict_to(part.edges, edge_sharpness, flat, result.edge_sharpness);
  restrict_to(
      facets, outside, [](const ContactPart::Feature&) { return static_cast<signed char>(0); }, result.outside);
  restrict_to(part.vertices, vertex_dhat, unlimited, result.vertex_dhat);
  restrict_to(part.edges, edge_dhat, unlimited, result.edge_dhat);
  restrict_to(part.triangles, triangle_dhat, unlimited, result.triangle_dhat);
  // Bodies keep their numbers in parts.
  result.body_pair_dhat = body_pair_dhat;
  result.gap = gap;
  return result;
}

}  // namespace clearance
