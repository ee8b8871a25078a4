// The text form of Universal Scene Description (.usda): prims with the attributes that meshes and their places need.
// Other attributes are passed over. What a stage composes of other files or of variants is refused with its line: tools
// of USD write a stage without that (`usdcat --flatten`).
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clearance/io/mesh/mesh_file.h"

namespace clearance {

/// Numbers or words of an attribute, without the brackets between them.
struct UsdValue {
  std::vector<double> numbers;
  std::vector<std::string> words;  ///< strings and tokens
};

/// An attribute: a value by default, and values at codes of time in ascending order.
struct UsdAttribute {
  std::size_t position = 0;  ///< [bytes] where it stands in the file
  std::optional<UsdValue> value;
  std::vector<std::pair<double, UsdValue>> samples;

  /// Returns the numbers at a code of time, linearly between samples and constant beyond them; without a code the
  /// default, or else the first sample.
  std::vector<double> numbers_at(std::optional<double> code) const;
  /// Returns the first word of the default value; empty without one.
  std::string word() const;
};

struct UsdPrim {
  std::string type;          ///< Mesh, Xform, ...; may be empty
  std::string path;          ///< /World/ball
  std::size_t position = 0;  ///< [bytes]
  std::map<std::string, UsdAttribute> attributes;
  std::vector<UsdPrim> children;

  const UsdAttribute* find(const std::string& name) const;
};

struct UsdStage {
  double metres_per_unit = 0.01;  ///< the default of the format
  bool is_z_up = false;
  std::vector<UsdPrim> prims;  ///< without those that are abstract or not active
};

/// Reads a stage. Reports to `input` what it cannot read.
UsdStage read_usd_text(MeshInput& input);

}  // namespace clearance
