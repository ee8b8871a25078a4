// `clearance mesh`: turns a bare surface into a mesh of its inside.
#pragma once

#include <filesystem>
#include <optional>

#include "clearance/scene/scene.h"

namespace clearance::cli {

struct MeshOptions {
  std::filesystem::path surface;
  std::filesystem::path output;       ///< .msh or .vtu
  std::optional<double> edge_length;  ///< [m]
  int order = 1;
  std::optional<double> tolerance;  ///< fraction of the diagonal
  bool is_coarse = false;           ///< the default tolerance in place of a given one
  std::optional<LengthUnit> units;  ///< absent: metres
  UpAxis up = UpAxis::y;
  int dim = 3;
  bool is_overwriting = false;
  bool json = false;
};

int run_mesh(const MeshOptions& options);

}  // namespace clearance::cli
