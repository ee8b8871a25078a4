// XDMF and HDF5, read back by the library of HDF5 itself.
#include "clearance/exchange/xdmf.h"

#include <hdf5.h>

#include "clearance/exchange/xdmf_topology.h"
#include "exchange/small_run.h"

namespace clearance::exchange {
namespace {

class Xdmf : public SmallRun {
 protected:
  void SetUp() override {
    SmallRun::SetUp();
    job_.output = folder_ / "out/run.xdmf";
  }
  std::vector<double> numbers(const std::string& name) const {
    const hid_t file = H5Fopen((folder_ / "out/run.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t array = H5Dopen2(file, name.c_str(), H5P_DEFAULT);
    EXPECT_GE(array, 0) << name;
    const hid_t space = H5Dget_space(array);
    std::vector<double> values(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space)));
    EXPECT_GE(H5Dread(array, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0) << name;
    H5Sclose(space);
    H5Dclose(array);
    H5Fclose(file);
    return values;
  }
};

TEST_F(Xdmf, HasAllNumbersOfAllFramesAndTheCellsOnce) {
  write_frames(4);
  const Result<ExportReport> report = write_xdmf(job_);
  ASSERT_TRUE(report.has_value()) << to_string(report.issues().front());
  EXPECT_EQ(files(), (std::vector<std::string>{"run.h5", "run.xdmf"}));
  EXPECT_EQ(report->values["topologies"], 1);
  EXPECT_EQ(numbers("/topology/000000").size(), 5u * 5 + 2 * 4 + 2 * 3);
  for (int i = 0; i < 4; ++i) {
    const Frame exact = frame(i);
    const std::string group = fmt::format("/frames/{:06}/", i);
    const std::vector<double> places = numbers(group + "positions"), velocities = numbers(group + "velocity");
    ASSERT_EQ(places.size(), 3 * exact.mesh.vertices.size());
    for (std::size_t v = 0; v < exact.mesh.vertices.size(); ++v) {
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(places[3 * v + k], exact.mesh.vertices[v][static_cast<int>(k)]);
        EXPECT_EQ(velocities[3 * v + k], exact.velocity[v][static_cast<int>(k)]);
      }
    }
    EXPECT_EQ(numbers(group + "cells/von_mises"), exact.cell_arrays[0].values);
    EXPECT_EQ(numbers(group + "points/heat"), exact.point_arrays[0].values);
    EXPECT_EQ(numbers(group + "body"), std::vector<double>(exact.cell_body.begin(), exact.cell_body.end()));
  }
  const std::string head = bytes_of(job_.output);
  EXPECT_NE(head.find("<Time Value=\"0.75\"/>"), std::string::npos);
  EXPECT_NE(head.find("TopologyType=\"Mixed\" NumberOfElements=\"9\""), std::string::npos);
  EXPECT_NE(head.find("run.h5:/frames/000003/cells/von_mises"), std::string::npos);
}

TEST_F(Xdmf, WritesCellsAgainWhereTheyChange) {
  write_frames(4);
  for (const int i : {2, 3}) {
    Frame other = frame(i);
    other.mesh.tets.pop_back();
    other.cell_body.erase(other.cell_body.begin() + 4);
    other.cell_is_obstacle.erase(other.cell_is_obstacle.begin() + 4);
    other.cell_arrays.clear();
    ASSERT_TRUE(write_frame(job_.folder / fmt::format("frames/frame_{:06}.vtu", i), other).has_value());
  }
  const Result<ExportReport> report = write_xdmf(job_);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->values["topologies"], 2);
  EXPECT_EQ(numbers("/topology/000001").size(), 4u * 5 + 2 * 4 + 2 * 3);
}

TEST_F(Xdmf, AFrameThatCannotBeReadLeavesNothing) {
  write_frames(3);
  std::ofstream(job_.folder / "frames/frame_000002.vtu") << "no frame";
  ASSERT_FALSE(write_xdmf(job_).has_value());
  EXPECT_TRUE(files().empty());
  job_.output = folder_ / "out/a:b.xdmf";
  std::ofstream(folder_ / "out/a:b.h5") << "mine";
  const Result<ExportReport> refused = write_xdmf(job_);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.issues().size(), 2u);
  EXPECT_EQ(bytes_of(folder_ / "out/a:b.h5"), "mine");
}

class LinearParts : public testing::TestWithParam<std::pair<int, int>> {};

TEST_P(LinearParts, FillAnElementOnceAndAreOrientedAsItIs) {
  const auto [dim, order] = GetParam();
  const auto parts = linear_parts(dim, order);
  EXPECT_EQ(parts.size(), dim == 3 ? order * order * order : order * order);
  const std::vector<NodeIndex>& nodes = lagrange_nodes(dim, order);
  double volume = 0.0;
  std::map<std::vector<int>, int> sides;
  for (const auto& part : parts) {
    Mat<3> edges = Mat<3>::Identity();
    for (int k = 0; k < dim; ++k) {
      for (int i = 0; i < dim; ++i) {
        const auto at = [&](int corner) {
          const NodeIndex& index = nodes[part[corner]];
          return static_cast<double>(index[i + 1]) / order;
        };
        edges(i, k) = at(k + 1) - at(0);
      }
    }
    // All parts are equally large.
    EXPECT_NEAR(edges.determinant() * static_cast<double>(parts.size()), 1.0, 1e-12);
    volume += edges.determinant();
    for (int left_out = 0; left_out <= dim; ++left_out) {
      std::vector<int> side;
      for (int k = 0; k <= dim; ++k) {
        if (k != left_out) side.push_back(part[k]);
      }
      std::sort(side.begin(), side.end());
      ++sides[side];
    }
  }
  EXPECT_NEAR(volume, 1.0, 1e-12);
  // Every side is shared by two parts, or lies in one of the element's.
  for (const auto& [side, count] : sides) {
    bool is_outside = false;
    for (int l = 0; l <= dim; ++l) {
      is_outside = is_outside || std::all_of(side.begin(), side.end(), [&](int v) { return nodes[v][l] == 0; });
    }
    EXPECT_EQ(count, is_outside ? 1 : 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, LinearParts,
                         testing::Values(std::pair(2, 2), std::pair(2, 3), std::pair(2, 4), std::pair(3, 2),
                                         std::pair(3, 3), std::pair(3, 4)));

TEST(XdmfTopology, QuadraticElementsStayAndCubicOnesAreInParts) {
  Mesh mesh;
  mesh.dim = 2;
  const auto add = [&](int order) {
    const int first = static_cast<int>(mesh.vertices.size());
    for (int v = 0; v < num_lagrange_nodes(2, order); ++v) {
      mesh.vertices.emplace_back(v, 0, 0);
      mesh.cell_nodes.push_back(first + v);
    }
    mesh.triangles.push_back({first, first + 1, first + 2});
    mesh.first_cell_node.push_back(static_cast<int>(mesh.cell_nodes.size()));
  };
  mesh.first_cell_node = {0};
  add(2);
  EXPECT_EQ(build_topology(list_cells(mesh)).type, "Triangle_6");
  EXPECT_EQ(build_topology(list_cells(mesh)).numbers, (std::vector<std::int32_t>{0, 1, 2, 3, 4, 5}));
  add(3);
  const FrameCells cells = list_cells(mesh);
  const XdmfTopology topology = build_topology(cells);
  EXPECT_EQ(topology.type, "Mixed");
  EXPECT_EQ(cells.kinds.size(), 10u);
  EXPECT_EQ(cells.num_split, 1u);
  EXPECT_EQ(cells.sources, (std::vector<std::size_t>{0, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(topology.numbers.size(), 7u + 9 * 4);
}

}  // namespace
}  // namespace clearance::exchange
