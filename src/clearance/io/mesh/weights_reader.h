// How the vertices of a collision surface follow the nodes of a mesh: a sparse matrix in an HDF5 file, as PolyFEM
// writes it. Group `weight_triplets` with the datasets `values`, `rows` and `cols` of one length and the attribute
// `shape`: how many rows and columns.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/math/types.h"

namespace clearance {

struct NodeWeight {
  int node;
  double weight;
};

/// Per vertex of a surface the nodes that it follows; the sum of their weights is 1.
using NodeWeights = std::vector<std::vector<NodeWeight>>;

struct SurfaceWeights {
  std::size_t num_nodes = 0;
  NodeWeights rows;  ///< of ascending nodes, without weights of 0
};

/// The matrix of a file; entries of the same row and column are added up. Refused, with the place in the file: entries
/// that are no finite numbers or out of range, and rows whose sum is off 1 by more than 1e-6, which would not follow
/// a translation.
Result<SurfaceWeights> read_weights(const std::filesystem::path& path);

/// [m] The largest distance of a vertex from W X, where its weights have it. A vertex follows rotations, V + W (R X -
/// X), as well as this is small.
double distance_of_weights(const NodeWeights& weights, const std::vector<Vec<3>>& vertices,
                           const std::vector<Vec<3>>& nodes);

/// Of the size of the mesh: weights that smooth, such as L2 projections, have distances of half of it, those whose rows
/// or columns are in another order all of the size.
inline constexpr double largest_usual_distance = 0.01;

}  // namespace clearance
