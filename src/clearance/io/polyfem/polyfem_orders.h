// Polynomial orders of the elements of a PolyFEM scene.
#pragma once

#include <vector>

#include "clearance/io/polyfem/polyfem_selection.h"

namespace clearance {

class PolyfemOrders {
 public:
  /// All of `space.discr_order`: a number, or a list of numbers for volumes.
  explicit PolyfemOrders(const ForeignObject& root);

  /// Of the displacements in the elements with that number.
  int find(int body_id) const;
  /// Warns of volumes that nothing is made of.
  void warn_of_idle(const std::vector<PolyfemSelections>& selections, Issues& issues) const;

 private:
  struct Entry {
    std::vector<int> ids;
    bool is_of_all = false;
    int order = 1;
    std::string place;
  };
  int usual_ = 1;
  std::vector<Entry> entries_;
};

/// The order of a body with these numbers of elements, and the mesh with all the nodes that it has. A warning says
/// where it is a higher one than asked for: all elements of a body have the same, and that of their shape or more.
int set_order(const ForeignObject& entry, const PolyfemOrders& orders, const std::vector<int>& body_ids, Mesh& mesh);

}  // namespace clearance
