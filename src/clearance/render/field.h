// What colours mean: one number per vertex, and the scale of a run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance::render {

/// `body` is no field; `displacement` is the distance from the first frame, or, where elements change from frame to
/// frame, from where the vertex is at rest; every other name is that of an array of the frames: numbers, or vectors by
/// their lengths.
bool is_field(const std::string& color);

/// The array that a short name stands for: `von_mises` for `stress`, `contact_pressure` for `pressure`; others are
/// themselves.
std::string full_name_of(const std::string& color);

/// What to do about frames without such an array.
std::string advice_for_missing(const std::string& color);

/// The array that frames are read with for it; empty for displacement and body.
std::string array_of(const std::string& color);

/// `m/s`; empty where it is not known.
std::string unit_of(const std::string& color);

/// A frame with what `color` needs of it. `first`: the first frame, read whole.
Result<Frame> read_frame_for(const std::filesystem::path& path, const std::string& color, const Frame& first);

/// Per vertex; not a number where there is none. `first`: the frame that displacements count from. Empty if the frame
/// has no such array, or another number of vertices than the first.
std::vector<double> field_values(const Frame& frame, const std::string& color, const Frame& first);

/// The ends of the colour map.
struct FieldRange {
  double low = 0.0, high = 0.0;
  bool is_empty = true;

  void add(double value);
  void add(const FieldRange& other);
  /// From zero for what is never negative; with room between both ends.
  FieldRange as_scale() const;
};

}  // namespace clearance::render
