#include "clearance/contact/contact.h"

namespace clearance {

int Contact::num_vertices() const {
  switch (kind) {
    case ContactKind::half_space:
      return 1;
    case ContactKind::point_point:
      return 2;
    case ContactKind::point_edge:
      return 3;
    case ContactKind::point_triangle:
    case ContactKind::edge_edge:
    case ContactKind::mollified_edge_edge:
      break;
  }
  return 4;
}

}  // namespace clearance
