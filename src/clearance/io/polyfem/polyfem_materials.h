// Materials of a PolyFEM scene.
#pragma once

#include <optional>

#include "clearance/io/polyfem/polyfem_values.h"

namespace clearance {

class PolyfemMaterials {
 public:
  /// Reads all of `materials`.
  PolyfemMaterials(const ForeignObject& root, const PolyfemValues& values);

  /// Returns the material of the elements with that number; null if no material has it, or after an issue.
  const MaterialDesc* find(int body_id) const;

 private:
  struct Entry {
    std::vector<int> ids;
    bool is_of_all = false;
    MaterialDesc material;
  };
  std::vector<Entry> entries_;
};

}  // namespace clearance
