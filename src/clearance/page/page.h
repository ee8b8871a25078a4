// A run as one HTML file that any browser shows without a server: the viewer (web/), filled with the frames, statistics
// and probes of a result folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "clearance/base/result.h"

namespace clearance::page {

struct PageOptions {
  std::filesystem::path folder;  ///< of a result
  std::filesystem::path output;
  double max_megabytes = 100.0;  ///< frames are left out, evenly, where all of them would need more
  bool is_exact = false;         ///< numbers of frames in single precision instead of 16 bits
};

struct PageReport {
  std::size_t num_frames = 0, num_kept = 0;         ///< of the run, and in the page
  std::size_t num_vertices = 0, num_triangles = 0;  ///< where elements adapt, the most in a frame of the page
  bool adapts = false;
  double position_error = 0.0;  ///< [m] of each coordinate of deformable bodies, at most
  std::uintmax_t num_bytes = 0;
};

/// The viewer that belongs to this program, made from web/ where npm was there; an issue says how to get it.
Result<std::filesystem::path> find_viewer();

/// The text of viewer.html around the place of the run.
struct Viewer {
  std::string before, after;
};
/// `policy`: what its head says of what the page may do; nothing where a server says it.
Result<Viewer> read_viewer(const std::filesystem::path& path, const std::string& policy);

/// Frames are read one at a time, never all of them. The file is there as a whole or not at all. Issues: a folder that
/// is no result, frames that cannot be read or have different bodies, a file that cannot be written.
Result<PageReport> write_page(const PageOptions& options, const std::filesystem::path& viewer);

}  // namespace clearance::page
