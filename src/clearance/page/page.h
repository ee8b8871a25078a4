// A run as one HTML file that any browser shows without a server. It is the viewer (web/) filled with the frames,
// statistics and probes of a result folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "clearance/base/result.h"

namespace clearance::page {

struct PageOptions {
  std::filesystem::path folder;  ///< the result folder
  std::filesystem::path output;
  double max_megabytes = 100.0;  ///< size limit; if all frames would need more, evenly spaced ones are kept
  bool is_exact = false;         ///< true: store numbers in single precision instead of 16 bits
};

struct PageReport {
  std::size_t num_frames = 0, num_kept = 0;         ///< frames of the run, and frames in the page
  std::size_t num_vertices = 0, num_triangles = 0;  ///< if elements adapt, the most in a frame of the page
  bool adapts = false;
  double position_error = 0.0;  ///< [m] largest error of each coordinate of deformable bodies
  std::uintmax_t num_bytes = 0;
};

/// Finds the viewer that belongs to this program. It is built from web/ if npm is available; otherwise the issue says
/// how to get it.
Result<std::filesystem::path> find_viewer();

/// The text of viewer.html before and after the place of the run.
struct Viewer {
  std::string before, after;
};
/// Reads the viewer and inserts `policy`, which tells the browser what the page may do. The policy is empty if a server
/// sends it instead.
Result<Viewer> read_viewer(const std::filesystem::path& path, const std::string& policy);

/// Writes the page, reading one frame at a time. The file appears as a whole or not at all. Issues: a folder that is no
/// result, frames that cannot be read or have different bodies, a file that cannot be written.
Result<PageReport> write_page(const PageOptions& options, const std::filesystem::path& viewer);

}  // namespace clearance::page
