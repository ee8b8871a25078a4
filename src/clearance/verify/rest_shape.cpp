#include "clearance/verify/rest_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "clearance/verify/exact.h"

namespace clearance::verify {
namespace {

double volume_of(const Vec<3>& a, const Vec<3>& b, const Vec<3>& c, const Vec<3>& d) {
  return (b - a).cross(c - a).dot(d - a) / 6.0;
}

/// Calls `element(vertices, body)` for every linear element of the frame.
template <class Element>
void visit_elements(const Frame& frame, const Element& element) {
  const Mesh& mesh = frame.mesh;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) {
    if (mesh.order_of_cell(cell) > 1) continue;
    const int body = cell < frame.cell_body.size() ? frame.cell_body[cell] : 0;
    element(mesh.dim == 3 ? std::span<const int>(mesh.tets[cell]) : std::span<const int>(mesh.triangles[cell]), body);
  }
}

void add(FrameVerdict& verdict, int& count, Offense offense, const Vec<3>& position) {
  ++count;
  if (static_cast<int>(verdict.offenses.size()) >= max_offenses_per_frame) return;
  offense.position = position;
  verdict.offenses.push_back(std::move(offense));
}

}  // namespace

std::vector<Vec<3>> rest_positions(const Frame& frame) {
  const auto found = std::find_if(frame.point_arrays.begin(), frame.point_arrays.end(), [](const FrameArray& array) {
    return array.name == "rest_position" && array.num_components == 3;
  });
  if (found == frame.point_arrays.end() || found->values.size() != 3 * frame.mesh.vertices.size()) return {};
  std::vector<Vec<3>> rest;
  rest.reserve(frame.mesh.vertices.size());
  for (std::size_t v = 0; v < frame.mesh.vertices.size(); ++v) rest.emplace_back(Vec<3>(found->values.data() + 3 * v));
  return rest;
}

void check_rest(const Frame& frame, const std::vector<Vec<3>>& rest, const VerifyScene& scene, FrameVerdict& verdict) {
  visit_elements(frame, [&](std::span<const int> e, int body) {
    const Vec<3>& first = rest[e[0]];
    const auto at = [&](std::size_t k) -> const Vec<3>& { return rest[e[k]]; };
    // Exact arithmetic knows no NaN.
    if (!std::all_of(e.begin(), e.end(), [&](int v) { return rest[v].allFinite(); })) {
      return add(verdict, verdict.num_not_finite, {OffenseKind::not_finite, body, body, {e.begin(), e.end()}, {}, {}},
                 first);
    }
    if (scene.bodies[body].is_obstacle) return;
    const int sign =
        frame.mesh.dim == 3 ? sign_of_volume(at(0), at(1), at(2), at(3)) : sign_of_area(at(0), at(1), at(2), 2);
    if (sign > 0) return;
    add(verdict, verdict.num_inversions, {OffenseKind::inversion_at_rest, body, body, {e.begin(), e.end()}, {}, {}},
        first);
  });
}

std::vector<RestSize> rest_sizes(const Frame& frame, const std::vector<Vec<3>>& rest, const VerifySurface& surface) {
  std::vector<RestSize> sizes;
  const auto of = [&](int body) -> RestSize& {
    if (body >= std::ssize(sizes)) sizes.resize(body + 1);
    return sizes[body];
  };
  const auto at = [&](int v) -> const Vec<3>& { return rest[v]; };
  visit_elements(frame, [&](std::span<const int> e, int body) {
    of(body).volume += frame.mesh.dim == 3 ? volume_of(at(e[0]), at(e[1]), at(e[2]), at(e[3]))
                                           : (at(e[1]) - at(e[0])).cross(at(e[2]) - at(e[0]))[2] / 2.0;
  });
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& [a, b, c] = surface.triangles[t];
    of(surface.triangle_body[t]).boundary += (at(b) - at(a)).cross(at(c) - at(a)).norm() / 2.0;
  }
  for (std::size_t e = 0; frame.mesh.dim == 2 && e < surface.edges.size(); ++e) {
    of(surface.edge_body[e]).boundary += (at(surface.edges[e][1]) - at(surface.edges[e][0])).norm();
  }
  return sizes;
}

std::vector<std::string> rest_changes(const std::vector<RestSize>& first, const std::vector<RestSize>& now, int dim,
                                      const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (std::size_t body = 0; body < std::max(first.size(), now.size()); ++body) {
    const RestSize before = body < first.size() ? first[body] : RestSize{};
    const RestSize after = body < now.size() ? now[body] : RestSize{};
    const auto compare = [&](double was, double is, const char* what, const char* unit) {
      if (std::abs(is - was) <= largest_rest_change * std::abs(was)) return;
      const std::string name = body < names.size() ? names[body] : fmt::format("body {}", body);
      texts.push_back(
          fmt::format("the {} of {} at rest is {:.12g} {}, and was {:.12g} at first", what, name, is, unit, was));
    };
    compare(before.volume, after.volume, dim == 3 ? "volume" : "area", dim == 3 ? "m^3" : "m^2");
    compare(before.boundary, after.boundary, dim == 3 ? "surface" : "outline", dim == 3 ? "m^2" : "m");
  }
  return texts;
}

}  // namespace clearance::verify
