#include "clearance/io/polyfem/polyfem_orders.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/io/polyfem/polyfem_values.h"

namespace clearance {
namespace {

// Reads an order; returns nothing after an issue.
std::optional<int> read_order(const ForeignObject& from, const char* key) {
  const Json* value = from.find(key);
  if (value != nullptr && value->is_number_integer() && *value >= 1 && *value <= max_order) return value->get<int>();
  if (value != nullptr && value->is_string()) {
    from.error(key, "orders from files are not supported yet");
  } else {
    from.error(key, fmt::format("expected an order from 1 to {}", max_order));
  }
  return std::nullopt;
}

int order_of_shape(const Mesh& mesh) {
  int order = 1;
  for (std::size_t cell = 0; cell < mesh.num_solid_cells(); ++cell) order = std::max(order, mesh.order_of_cell(cell));
  return order;
}

std::size_t num_inverted(const Mesh& mesh) {
  const ElementDefects defects = find_element_defects(mesh);
  return mesh.dim == 3 ? defects.inverted_tets.size() : defects.inverted_triangles.size();
}

}  // namespace

PolyfemOrders::PolyfemOrders(const ForeignObject& root) {
  const ForeignObject space = root.child("space");
  const Json* value = space.find("discr_order");
  if (value == nullptr) return;
  if (!value->is_array() && !value->is_object()) {
    usual_ = read_order(space, "discr_order").value_or(usual_);
    return;
  }
  for (const ForeignObject& object : objects_of(space, "discr_order")) {
    Entry entry;
    entry.place = object.place_of("id");
    const bool has_ids = read_ids(object, entry.ids, entry.is_of_all);
    const std::optional<int> order = read_order(object, "order");
    if (!has_ids || !order) continue;
    entry.order = *order;
    entries_.push_back(std::move(entry));
  }
}

// Finds the last entry that has the volume, as PolyFEM does.
int PolyfemOrders::find(int body_id) const {
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(), [&](const Entry& entry) {
    return entry.is_of_all || std::find(entry.ids.begin(), entry.ids.end(), body_id) != entry.ids.end();
  });
  return found == entries_.rend() ? usual_ : found->order;
}

void PolyfemOrders::warn_of_idle(const std::vector<PolyfemSelections>& selections, Issues& issues) const {
  const auto is_used = [&](int id) {
    return std::any_of(selections.begin(), selections.end(), [&](const PolyfemSelections& of_body) {
      return std::find(of_body.body_ids.begin(), of_body.body_ids.end(), id) != of_body.body_ids.end();
    });
  };
  for (const Entry& entry : entries_) {
    if (entry.is_of_all || std::any_of(entry.ids.begin(), entry.ids.end(), is_used)) continue;
    issues.push_back(
        {"", entry.place, "", "this entry has no effect, because no element has this number", Severity::warning});
  }
}

int set_order(const ForeignObject& entry, const PolyfemOrders& orders, const std::vector<int>& body_ids, Mesh& mesh) {
  std::set<int> asked;
  for (const int id : std::set<int>(body_ids.begin(), body_ids.end())) asked.insert(orders.find(id));
  int order = asked.empty() ? 1 : *asked.rbegin();
  if (asked.size() > 1) {
    entry.warning("volume_selection", fmt::format("the body has elements of orders {} to {} (space.discr_order), but "
                                                  "here all elements of a body have the same order; order {} is used",
                                                  *asked.begin(), order, order));
  }
  if (const int shape = order_of_shape(mesh); shape > order) {
    const int asked_for = order;
    order = std::max(order, 2);  // straight elements of a round body would be too far from it
    Mesh lowered = mesh;
    change_order(lowered, order);
    std::string reason;
    if (const std::size_t inverted = num_inverted(lowered); inverted > 0) {
      reason = fmt::format(" ({} of its elements would be inverted with a shape of order {})", inverted, order);
      order = shape;
    }
    entry.warning("mesh",
                  fmt::format("the elements are curved, of order {}, and displacements of order {} (space.discr_order) "
                              "cannot rotate them without strain, so that both have order {} here{}; for the published "
                              "orders use `order` {} with `keep_shape` in the native scene",
                              shape, asked_for, order, reason, asked_for));
  }
  change_order(mesh, order);
  return order;
}

}  // namespace clearance
