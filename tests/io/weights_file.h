// Files of weights for tests, written with the C interface of HDF5.
#pragma once

#include <gtest/gtest.h>
#include <hdf5.h>

#include <Eigen/LU>
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "clearance/geometry/mesh.h"
#include "clearance/io/mesh/weights_reader.h"

namespace clearance::test {

/// Writes one group with datasets and an attribute, of any numbers, also of those that a reader has to refuse.
class WeightsWriter {
 public:
  explicit WeightsWriter(const std::filesystem::path& path, const std::string& group = "weight_triplets")
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        group_(H5Gcreate2(file_, group.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)) {
    EXPECT_GE(group_, 0) << path;
  }
  ~WeightsWriter() {
    H5Gclose(group_);
    H5Fclose(file_);
  }
  WeightsWriter(const WeightsWriter&) = delete;
  WeightsWriter& operator=(const WeightsWriter&) = delete;

  template <class T>
  WeightsWriter& add(const std::string& dataset, const std::vector<T>& numbers) {
    const hsize_t length = numbers.size();
    const hid_t space = H5Screate_simple(1, &length, nullptr);
    const hid_t made = H5Dcreate2(group_, dataset.c_str(), type_of<T>(), space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Dwrite(made, type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
    H5Dclose(made);
    H5Sclose(space);
    return *this;
  }
  template <class T>
  WeightsWriter& shape(const std::vector<T>& numbers) {
    const hsize_t length = numbers.size();
    const hid_t space = H5Screate_simple(1, &length, nullptr);
    const hid_t made = H5Acreate2(group_, "shape", type_of<T>(), space, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(H5Awrite(made, type_of<T>(), numbers.data()), 0);
    H5Aclose(made);
    H5Sclose(space);
    return *this;
  }

 private:
  template <class T>
  static hid_t type_of() {
    if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
    if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
    if constexpr (std::is_same_v<T, int>) return H5T_NATIVE_INT;
    return H5T_NATIVE_INT64;
  }

  hid_t file_;
  hid_t group_;
};

/// Writes weights with the number types that PolyFEM's files have.
inline void write_weights(const std::filesystem::path& path, const NodeWeights& rows, std::size_t num_nodes) {
  std::vector<double> values;
  std::vector<int> row_numbers, nodes;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const auto& [node, weight] : rows[r]) {
      values.push_back(weight);
      row_numbers.push_back(static_cast<int>(r));
      nodes.push_back(node);
    }
  }
  WeightsWriter(path)
      .add("values", values)
      .add("rows", row_numbers)
      .add("cols", nodes)
      .shape(std::vector<std::int64_t>{std::ssize(rows), static_cast<std::int64_t>(num_nodes)});
}

/// Returns weights by the tetrahedron that contains each vertex of the surface, or the one that it lies least outside
/// of.
inline NodeWeights barycentric_weights(const Mesh& mesh, const Mesh& surface) {
  NodeWeights weights;
  for (const Vec<3>& x : surface.vertices) {
    std::vector<NodeWeight>& row = weights.emplace_back();
    double least = -std::numeric_limits<double>::infinity();
    for (const auto& tet : mesh.tets) {
      const auto at = [&](std::size_t i) { return mesh.vertices[tet[i]]; };
      Mat<3> edges;
      for (std::size_t i = 0; i < 3; ++i) edges.col(static_cast<Eigen::Index>(i)) = at(i + 1) - at(0);
      const Vec<3> xi = edges.inverse() * (x - at(0));
      const double smallest = std::min(xi.minCoeff(), 1.0 - xi.sum());
      if (!(smallest > least)) continue;
      least = smallest;
      row = {{tet[0], 1.0 - xi.sum()}, {tet[1], xi[0]}, {tet[2], xi[1]}, {tet[3], xi[2]}};
    }
  }
  return weights;
}

}  // namespace clearance::test
