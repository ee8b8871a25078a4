// Weights by which the vertices of a collision surface follow the nodes of a mesh: a sparse matrix in an HDF5 file, as
// PolyFEM writes it. Group `weight_triplets` with the datasets `values`, `rows` and `cols` of one length and the
// attribute `shape`, the numbers of rows and columns.
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

/// For each vertex of a surface, the nodes that it follows. The sum of their weights is 1.
using NodeWeights = std::vector<std::vector<NodeWeight>>;

struct SurfaceWeights {
  std::size_t num_nodes = 0;
  NodeWeights rows;  ///< sorted by node, without weights of 0
};

/// Reads the matrix of a file and adds up entries of the same row and column. Refuses, with the place in the file,
/// entries that are not finite or out of range, and rows whose sum differs from 1 by more than 1e-6, because these
/// would not follow a translation.
Result<SurfaceWeights> read_weights(const std::filesystem::path& path);

/// Returns the largest distance [m] of a vertex V from W X, its position according to its weights. A vertex follows
/// rotations, V + W (R X - X), only as accurately as this distance is small.
double distance_of_weights(const NodeWeights& weights, const std::vector<Vec<3>>& vertices,
                           const std::vector<Vec<3>>& nodes);

/// Largest usual distance as a fraction of the size of the mesh. Smoothing weights, such as L2 projections, have
/// distances of half of this limit. Weights whose rows or columns are in another order have distances as large as the
/// mesh.
inline constexpr double largest_usual_distance = 0.01;

}  // namespace clearance
