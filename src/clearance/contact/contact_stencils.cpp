#include "clearance/contact/contact_stencils.h"

#include <algorithm>

namespace clearance {

namespace {

/// The order of `precedes` as two numbers; vertices fit into 30 bits.
struct StencilKey {
  std::uint64_t first = 0, second = 0;
  std::uint32_t type = 0;   // of mollified contacts: signed sets hold some whose features are not the closest ones
  std::uint32_t index = 0;  // of the contact

  StencilKey() = default;
  StencilKey(const Contact& contact, std::size_t at) : index(static_cast<std::uint32_t>(at)) {
    // Absent vertices, -1, become 0, so that every field is unsigned and the keys order contacts as `precedes` does.
    const auto vertex = [&](std::size_t i) { return static_cast<std::uint64_t>(contact.vertices[i] + 1); };
    // A half-space has one vertex, and the plane decides between its equals.
    const std::uint64_t plane = contact.kind == ContactKind::half_space ? static_cast<std::uint64_t>(contact.plane) : 0;
    first = static_cast<std::uint64_t>(contact.kind) << 60 | vertex(0) << 30 | vertex(1);
    second = (vertex(2) << 30 | vertex(3)) + plane;
    if (contact.kind == ContactKind::mollified_edge_edge) type = static_cast<std::uint32_t>(contact.edge_edge_type);
  }
  bool is_same(const StencilKey& other) const {
    return first == other.first && second == other.second && type == other.type;
  }
  bool operator<(const StencilKey& other) const {
    return first != other.first     ? first < other.first
           : second != other.second ? second < other.second
           : type != other.type     ? type < other.type
                                    : index < other.index;
  }
};

/// Keys of all contacts, sorted: those of one kind and first vertex are brought together by counting and are few.
std::vector<StencilKey> sorted_keys(const std::vector<Contact>& contacts, int num_vertices) {
  constexpr std::size_t num_kinds = 6;
  std::vector<int> begin(num_kinds * static_cast<std::size_t>(num_vertices) + 1, 0);
  const auto bucket_of = [&](const Contact& contact) {
    return static_cast<std::size_t>(contact.kind) * static_cast<std::size_t>(num_vertices) +
           static_cast<std::size_t>(contact.vertices[0]);
  };
  for (const Contact& contact : contacts) ++begin[bucket_of(contact) + 1];
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  std::vector<StencilKey> keys(contacts.size());
  std::vector<int> next(begin.begin(), begin.end() - 1);
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    keys[next[bucket_of(contacts[i])]++] = StencilKey(contacts[i], i);
  }
  for (std::size_t i = 0; i + 1 < begin.size(); ++i) {
    if (begin[i + 1] > begin[i] + 1) std::sort(keys.begin() + begin[i], keys.begin() + begin[i + 1]);
  }
  return keys;
}

}  // namespace

void set_stencil(const ClosestStencil& stencil, const std::array<int, 4>& vertices, double distance_sq,
                 Contact& contact) {
  const std::array<int, 5> vertex = {vertices[0], vertices[1], vertices[2], vertices[3], -1};
  contact.kind = stencil.kind;
  for (std::size_t i = 0; i < 4; ++i) contact.vertices[i] = vertex[stencil.local[i]];
  auto& [v0, v1, v2, v3] = contact.vertices;
  if (stencil.kind == ContactKind::point_point) {
    // The gap changes its sign where the points are exchanged, but the energy is even in it.
    contact.vertices = {std::min(v0, v1), std::max(v0, v1), -1, -1};
  } else if (stencil.kind == ContactKind::point_edge) {
    contact.vertices = {v0, std::min(v1, v2), std::max(v1, v2), -1};
  }
  contact.distance_sq = distance_sq;
}

double stencil_distance_sq(const ClosestStencil& stencil, const std::array<Vec<3>, 4>& x) {
  const auto at = [&](std::size_t i) -> const Vec<3>& { return x[stencil.local[i]]; };
  switch (stencil.kind) {
    case ContactKind::point_point:
      return point_point_distance_sq<3>(at(0), at(1));
    case ContactKind::point_edge:
      return point_line_distance_sq<3>(at(0), at(1), at(2));
    case ContactKind::point_triangle:
      return point_plane_distance_sq(x[0], x[1], x[2], x[3]);
    case ContactKind::edge_edge:
    case ContactKind::mollified_edge_edge:
    case ContactKind::half_space:  // (no stencil of two primitives)
      break;
  }
  return line_line_distance_sq(x[0], x[1], x[2], x[3]);
}

std::array<Vec<3>, 4> stencil_positions(const VecX& x, const std::array<int, 4>& vertices) {
  return {block<3>(x, vertices[0]), block<3>(x, vertices[1]), block<3>(x, vertices[2]), block<3>(x, vertices[3])};
}

double dhat_between(const Model& model, const BarrierOptions& options, int a, int b) {
  const std::vector<double>& dhat = model.contact_scales.dhat;
  if (dhat.empty()) return options.dhat;
  return std::min({options.dhat, dhat[a], dhat[b]});
}

void merge_duplicates(std::vector<Contact>& contacts, int num_vertices) {
  if (contacts.size() < 2) return;
  std::vector<StencilKey> keys;
  // Counting passes over all vertices; where contacts are few beside them, comparing is cheaper.
  if (std::ssize(contacts) > num_vertices) {
    keys = sorted_keys(contacts, num_vertices);
  } else {
    keys.reserve(contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) keys.emplace_back(contacts[i], i);
    std::sort(keys.begin(), keys.end());
  }
  std::vector<Contact> merged;
  merged.reserve(contacts.size());
  for (std::size_t k = 0; k < keys.size(); ++k) {
    // Equal stencils follow each other by their index, so that their weights are summed in the order of the
    // candidates, whichever way the keys were sorted.
    const Contact& contact = contacts[keys[k].index];
    if (k > 0 && keys[k].is_same(keys[k - 1]) && contact.dhat == merged.back().dhat) {
      merged.back().weight += contact.weight;
    } else {
      merged.push_back(contact);
    }
  }
  contacts = std::move(merged);
}

}  // namespace clearance
