// A run in the encoding that the viewer reads (web/src/data.js): a head in JSON, topologies, and frames. Most runs have
// one topology. If elements change from frame to frame (`rest_position` in the frames), consecutive frames with the
// same elements share one topology.
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
  /// Reads the first frame. Until `measure` is called, the run is encoded as a run under way needs it, because later
  /// frames are unknown: positions of all vertices, everything in single precision, a topology for every frame if
  /// elements change, and no ranges of fields.
  static Result<PackedRun> open(RunFiles files);

  /// Reads the frames with the numbers `kept`, which become the frames of the packed run. Bodies that keep their shape
  /// in these frames become poses. Unless `is_exact`, other positions and fields become numbers of 16 bits.
  Result<Done> measure(std::vector<std::size_t> kept, bool is_exact);

  /// Replaces the list of files after the run has grown.
  void extend(RunFiles files) { files_ = std::move(files); }

  const RunFiles& files() const { return files_; }
  const DrawnBodies& bodies() const { return bodies_; }  ///< bodies of the first frame
  /// [m] Returns the largest error of each coordinate of bodies that change their shape.
  double position_error() const;
  /// True if elements change from frame to frame.
  bool adapts() const { return adapts_; }
  /// Returns the largest number of vertices in a measured frame.
  std::size_t most_vertices() const { return most_vertices_; }
  std::size_t most_triangles() const { return most_triangles_; }
  /// Returns the first frame of the packed run that has the same topology as frame `index`.
  std::size_t topology_of(std::size_t index) const;

  nlohmann::ordered_json head() const;
  /// Packs the topology of frame `index`, which is the first frame with this topology: triangles, lines, the numbers of
  /// the vertices in the frames, and reference positions. The reference is the first frame, or the rest shape for
  /// bodies whose elements have changed since. If elements change, counts come first: vertices, vertices of bodies that
  /// change their shape, triangles and lines, then the first and the number of each of these per body.
  Result<Packer> topology(std::size_t index) const;
  /// Packs frame `index` of the packed run: poses of bodies that keep their shape, vertices of the other bodies axis by
  /// axis, forces if there are any, and fields.
  Result<Packer> frame(std::size_t index) const;

 private:
  struct Range {
    double low = infinity, high = -infinity;
    void add(double value);
    bool is_empty() const { return !(low <= high); }
  };
  /// A field with one number per vertex, read from an array of the frames.
  struct Field {
    std::string name;
    Range range;
  };

  PackedRun(RunFiles files, Frame first);
  void choose_fields();
  std::size_t number_in_run(std::size_t index) const { return kept_.empty() ? index : kept_[index]; }
  Result<Frame> read(std::size_t number, const std::string& field, std::vector<double>& values) const;
  /// Returns the drawn bodies of a frame whose elements may differ from the first frame, in the order of the frames.
  /// Issues: the frame has other bodies.
  Result<DrawnBodies> drawn_of(std::size_t number) const;
  /// Returns the drawn bodies of a frame, arranged. Returns nothing if elements never change: the bodies of the first
  /// frame then serve.
  Result<std::optional<DrawnBodies>> arranged_of(std::size_t number) const;
  Vec<3> place(const DrawnBodies& bodies, const Frame& frame, std::size_t vertex) const;
  void add_parts(nlohmann::ordered_json& head) const;
  void set_bounds(const std::vector<Vec<3>>& low, const std::vector<Vec<3>>& high);
  void add_numbers(const std::vector<double>& values, double low, double high, Packer& packer) const;
  void add_forces(const DrawnBodies& bodies, const Frame& frame, Packer& packer) const;

  RunFiles files_;
  Frame first_;
  bool adapts_ = false;
  DrawnBodies unarranged_;                ///< first frame, with bodies in the order of the frames
  DrawnBodies bodies_;                    ///< bodies of the first frame, arranged
  std::vector<char> changes_;             ///< per body, in the order of the frames: 1 if it changes its shape
  std::vector<std::size_t> kept_;         ///< frames of the packed run; empty: all frames of a run under way
  std::vector<std::size_t> topology_of_;  ///< per kept frame; empty for a run under way
  std::size_t most_vertices_ = 0, most_triangles_ = 0;
  std::vector<Field> fields_;
  bool is_exact_ = true;
  bool has_forces_ = false;
  Vec<3> low_ = Vec<3>::Zero(), high_ = low_;  ///< bounds of the motion of bodies that change their shape
  Vec<3> view_low_ = low_, view_high_ = low_;  ///< bounds of all bodies that are no obstacles
  Vec<3> origin_ = low_;
};

}  // namespace clearance::page
