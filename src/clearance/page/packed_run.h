// A run in the numbers that the viewer reads (web/src/data.js): a head of JSON, the topology once, and frames.
#pragma once

#include <string>
#include <vector>

#include "clearance/io/mesh/vtu.h"
#include "clearance/page/drawn_bodies.h"
#include "clearance/page/packing.h"
#include "clearance/page/run_files.h"

namespace clearance::page {

class PackedRun {
 public:
  /// Reads the first frame. Until `measure`, what a run under way needs: every vertex by its place, all in single
  /// precision, and no ranges of fields, since later frames are not known.
  static Result<PackedRun> open(RunFiles files);

  /// A look at the frames of these numbers, which are then those of the packed run: bodies that keep their shape in
  /// them become poses, and, unless `is_exact`, other places and fields numbers of 16 bits.
  Result<Done> measure(std::vector<std::size_t> kept, bool is_exact);

  /// The run's files have grown.
  void extend(RunFiles files) { files_ = std::move(files); }

  const RunFiles& files() const { return files_; }
  const DrawnBodies& bodies() const { return bodies_; }
  /// [m] of each coordinate of bodies that change their shape, at most.
  double position_error() const;

  nlohmann::ordered_json head() const;
  /// Triangles, lines, numbers of the vertices in the frames, and where they are in the first one.
  Packer topology() const;
  /// Of the packed run: poses of bodies that keep their shape, places of the others' vertices axis by axis, forces
  /// where there are some, fields.
  Result<Packer> frame(std::size_t index) const;

 private:
  struct Range {
    double low = infinity, high = -infinity;
    void add(double value);
    bool is_empty() const { return !(low <= high); }
  };
  /// Where a number of a frame's vertices is read from: an array of the frames.
  struct Field {
    std::string name;
    Range range;
  };

  PackedRun(RunFiles files, Frame first);
  void choose_fields();
  Result<Frame> read(std::size_t index, const std::string& field, std::vector<double>& values) const;
  Vec<3> place(const Frame& frame, std::size_t vertex) const;
  void set_bounds(const std::vector<Vec<3>>& low, const std::vector<Vec<3>>& high, const std::vector<char>& changes);
  void add_numbers(const std::vector<double>& values, double low, double high, Packer& packer) const;
  void add_forces(const Frame& frame, Packer& packer) const;

  RunFiles files_;
  Frame first_;
  DrawnBodies bodies_;
  std::vector<std::size_t> kept_;  ///< empty: all frames of a run under way
  std::vector<Field> fields_;
  bool is_exact_ = true;
  bool has_forces_ = false;
  Vec<3> low_ = Vec<3>::Zero(), high_ = low_;  ///< between which bodies that change their shape move
  Vec<3> view_low_ = low_, view_high_ = low_;  ///< all but obstacles
  Vec<3> origin_ = low_;
};

}  // namespace clearance::page
