// A run in the numbers that the viewer reads (web/src/data.js): a head of JSON, topologies, and frames. Most runs have
// one topology. Where elements change from frame to frame (`rest_position` in the frames), a topology is there once for
// all frames that follow each other with it.
#pragma once

#include <optional>
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
  /// precision, a topology for every frame where elements change, and no ranges of fields, since later frames are not
  /// known.
  static Result<PackedRun> open(RunFiles files);

  /// A look at the frames of these numbers, which are then those of the packed run: bodies that keep their shape in
  /// them become poses, and, unless `is_exact`, other places and fields numbers of 16 bits.
  Result<Done> measure(std::vector<std::size_t> kept, bool is_exact);

  /// The run's files have grown.
  void extend(RunFiles files) { files_ = std::move(files); }

  const RunFiles& files() const { return files_; }
  const DrawnBodies& bodies() const { return bodies_; }  ///< of the first frame
  /// [m] of each coordinate of bodies that change their shape, at most.
  double position_error() const;
  /// Elements change from frame to frame.
  bool adapts() const { return adapts_; }
  /// In one of the frames measured.
  std::size_t most_vertices() const { return most_vertices_; }
  std::size_t most_triangles() const { return most_triangles_; }
  /// Of a frame of the packed run: the first frame that has its topology.
  std::size_t topology_of(std::size_t index) const;

  nlohmann::ordered_json head() const;
  /// Of a frame of the packed run that is the first with its topology. Where elements change: numbers of vertices, of
  /// those of bodies that change their shape, of triangles and lines, and of each body the first and number of these.
  /// Triangles, lines, numbers of the vertices in the frames, and where they are in the first one; of bodies whose
  /// elements have changed since: at rest.
  Result<Packer> topology(std::size_t index) const;
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
  std::size_t number_in_run(std::size_t index) const { return kept_.empty() ? index : kept_[index]; }
  Result<Frame> read(std::size_t number, const std::string& field, std::vector<double>& values) const;
  /// Of a frame with other elements than the first, not arranged; an issue if it has other bodies.
  Result<DrawnBodies> drawn_of(std::size_t number) const;
  /// Likewise, arranged; nothing where elements never change: those of the first frame.
  Result<std::optional<DrawnBodies>> arranged_of(std::size_t number) const;
  Vec<3> place(const DrawnBodies& bodies, const Frame& frame, std::size_t vertex) const;
  void set_bounds(const std::vector<Vec<3>>& low, const std::vector<Vec<3>>& high);
  void add_numbers(const std::vector<double>& values, double low, double high, Packer& packer) const;
  void add_forces(const DrawnBodies& bodies, const Frame& frame, Packer& packer) const;

  RunFiles files_;
  Frame first_;
  bool adapts_ = false;
  DrawnBodies unarranged_;                ///< of the first frame, bodies in the order of the frames
  DrawnBodies bodies_;                    ///< of the first frame
  std::vector<char> changes_;             ///< per body in the order of the frames: 1 if it changes its shape
  std::vector<std::size_t> kept_;         ///< empty: all frames of a run under way
  std::vector<std::size_t> topology_of_;  ///< per kept frame; empty: of a run under way
  std::size_t most_vertices_ = 0, most_triangles_ = 0;
  std::vector<Field> fields_;
  bool is_exact_ = true;
  bool has_forces_ = false;
  Vec<3> low_ = Vec<3>::Zero(), high_ = low_;  ///< between which bodies that change their shape move
  Vec<3> view_low_ = low_, view_high_ = low_;  ///< all but obstacles
  Vec<3> origin_ = low_;
};

}  // namespace clearance::page
