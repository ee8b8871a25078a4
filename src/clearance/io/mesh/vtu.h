// Frames of a result folder: VTK unstructured grids (.vtu) with positions in float64, which ParaView opens.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/geometry/mesh.h"

namespace clearance {

/// An array of one or three numbers for every vertex or cell.
struct FrameArray {
  std::string name;
  int num_components = 1;      ///< 1 or 3
  std::vector<double> values;  ///< flat, finite
};

/// The state of all bodies at one time, used for drawing and verification. Cells are ordered tets, triangles, edges,
/// points.
struct Frame {
  Mesh mesh;
  std::vector<Vec<3>> velocity;          ///< [m/s] per vertex
  std::vector<int> cell_body;            ///< per cell: index of its body
  std::vector<int> cell_is_obstacle;     ///< per cell: 1 if scripted motion drives its body, else 0
  double time = 0.0;                     ///< [s]
  std::vector<Vec<3>> contact_force;     ///< [N] per vertex; empty if not stored
  std::vector<FrameArray> point_arrays;  ///< further point data; written, and read by read_whole_frame only
  std::vector<FrameArray> cell_arrays;   ///< further cell data; likewise
  // The array that read_frame was asked for, as point or as cell data; both empty if there is none.
  std::vector<double> point_scalar;  ///< per vertex
  std::vector<double> cell_scalar;   ///< per cell
};

/// Point data `velocity` and `contact_force`, cell data `body` and `is_obstacle`, further arrays by their names, field
/// data `TimeValue` and `Dimension`; raw appended data, little endian, UInt64 headers. The file is written under a
/// temporary name and renamed. Empty arrays are left out. Curved elements are Lagrange cells, all others linear ones.
Result<Done> write_frame(const std::filesystem::path& path, const Frame& frame);

/// Reads what write_frame wrote, and grids of other programs: ascii, base64 and appended data, raw or compressed by
/// zlib. Arrays with other names are ignored; missing ones stay empty. `scalar`: the name of one more array, of numbers
/// (finite or not) or of vectors, which count by their lengths; point data take precedence over cell data. `dim`: 2 or
/// 3 in place of what the file says (0; other programs' files say nothing: 3).
Result<Frame> read_frame(const std::filesystem::path& path, const std::string& scalar = "", int dim = 0);

/// Reads a frame with all further arrays of one or three components, finite or not, that every piece of the grid has.
Result<Frame> read_whole_frame(const std::filesystem::path& path);

}  // namespace clearance
