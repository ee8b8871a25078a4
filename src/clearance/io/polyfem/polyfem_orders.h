// Polynomial orders of the elements of a PolyFEM scene.
#pragma once

#include <vector>

#include "clearance/io/polyfem/polyfem_selection.h"

namespace clearance {

class PolyfemOrders {
 public:
  /// Reads `space.discr_order`: a number, or a list of numbers for volumes.
  explicit PolyfemOrders(const ForeignObject& root);

  /// Returns the order of the displacements in the elements with that number.
  int find(int body_id) const;
  /// Warns of volumes that no element belongs to.
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

/// Sets the order of a body with these numbers of elements, gives the mesh all the nodes of that order, and returns the
/// order. All elements of a body have the same order, at least that of their shape; a warning tells where it is higher
/// than requested.
int set_order(const ForeignObject& entry, const PolyfemOrders& orders, const std::vector<int>& body_ids, Mesh& mesh);

}  // namespace clearance
