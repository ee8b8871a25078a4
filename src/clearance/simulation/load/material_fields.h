// Numbers of materials that vary within a body.
#pragma once

#include <vector>

#include "clearance/base/result.h"
#include "clearance/simulation/load/body_instance.h"

namespace clearance {

/// The fields of a body, evaluated for the elements of its mesh.
class MaterialFields {
 public:
  /// The values must have been checked.
  MaterialFields(const BodyDesc& desc, const BodyInstance& body);

  bool empty() const { return fields_.empty(); }
  /// Replaces the numbers of a material by those of an element: a tetrahedron, a triangle or an edge.
  void apply(std::size_t element, MaterialDesc& material) const;

 private:
  struct Values {
    MaterialNumber number;
    std::vector<double> of_element;
  };
  std::vector<Values> fields_;
};

/// Appends errors for values that a number cannot have, and for lists of a wrong length. `where` names the body, and
/// `copies` are all that it stands for.
void check_material_fields(const BodyDesc& desc, const Issue& where, const std::vector<BodyInstance>& copies,
                           Issues& issues);

}  // namespace clearance
