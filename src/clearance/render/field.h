// The field that colours show: one number per vertex, and the scale of a run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/io/mesh/vtu.h"

namespace clearance::render {

/// True unless `color` is `body`. `displacement` is the distance from the first frame or, if elements change from frame
/// to frame, from the rest position. Every other name is an array of the frames: numbers, or vectors, which count by
/// their length.
bool is_field(const std::string& color);

/// Returns the array that a short name stands for: `von_mises` for `stress`, `contact_pressure` for `pressure`. Other
/// names stay as they are.
std::string full_name_of(const std::string& color);

/// Name of the array of the equivalent recovered stress (OutputField::stress), which `stress` stands for if frames have
/// it.
inline const std::string recovered_stress = "stress_von_mises";

/// Returns advice for frames that lack the array of `color`.
std::string advice_for_missing(const std::string& color);

/// Returns the array that must be read from the frames; empty for displacement and body.
std::string array_of(const std::string& color);

/// Returns the unit, such as `m/s`; empty if it is unknown.
std::string unit_of(const std::string& color);

/// Reads a frame with the arrays that `color` needs. `first` is the first frame, read whole.
Result<Frame> read_frame_for(const std::filesystem::path& path, const std::string& color, const Frame& first);

/// Returns a number per vertex, not a number where there is none. `first` is the frame that displacements refer to.
/// Returns nothing if the frame has no such array, or if displacements refer to `first` and it has another number of
/// vertices.
std::vector<double> field_values(const Frame& frame, const std::string& color, const Frame& first);

/// The ends of the colour map.
struct FieldRange {
  double low = 0.0, high = 0.0;
  bool is_empty = true;

  void add(double value);
  void add(const FieldRange& other);
  /// Returns the scale of the colour map. It starts at zero if no value is negative, and its ends differ.
  FieldRange as_scale() const;
};

}  // namespace clearance::render
