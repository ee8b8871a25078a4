// A run in the form that other programs receive: some of its frames, its bodies by name and colour, and which of them
// are rigid.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "clearance/base/unit_system.h"
#include "clearance/exchange/rigid_motion.h"
#include "clearance/page/drawn_bodies.h"
#include "clearance/page/run_files.h"

namespace clearance::exchange {

/// The frames first, first + stride, ... up to last. The run counts its frames from 0.
struct FrameRange {
  static constexpr std::size_t to_the_end = static_cast<std::size_t>(-1);
  std::size_t first = 0, last = to_the_end, stride = 1;
};

struct RunFrames {
  page::RunFiles files;
  std::vector<std::size_t> kept;  ///< numbers of the exported frames
};
Result<RunFrames> list_frames(const std::filesystem::path& folder, const FrameRange& range);

/// The way in which a body moves over the exported frames.
enum class Motion {
  still,      ///< has the same vertices in every frame
  rigid,      ///< rotates and translates
  affine,     ///< is an affine image of its first frame, but not a rigid one
  deforming,  ///< changes its shape in any other way
};

struct ExportedBody {
  page::DrawnBody drawn;
  std::string name;
  std::array<double, 3> color = {};  ///< linear RGB
  Motion motion = Motion::deforming;
  BodyAxes axes;  ///< axes of the body in the first frame
  /// Triangles between the body's own vertices, counted from 0. They come from the frames; a stiff body in the plane is
  /// an outline, and its triangles fill the inside of the outline.
  std::vector<std::array<std::uint32_t, 3>> triangles;
  /// True if the body's rotation can be followed from frame to frame. Only the centre of a deforming body without it is
  /// followed.
  bool has_turns = false;
};

/// Returns `name`, or with the number of the body if it is taken already, and takes it.
std::string take_name(const ExportedBody& body, std::string name, std::set<std::string>& taken);

class ExportedRun {
 public:
  /// Reads the list of frames. `measure` must be called next.
  static Result<ExportedRun> open(const std::filesystem::path& folder, const FrameRange& range);

  /// Reads all frames, one after another, and finds how each body moves. Issues: frames that cannot be read, have other
  /// vertices or elements than the first, or do not follow each other in time.
  Result<Done> measure();

  /// True if elements may change from frame to frame. Only formats that store the elements of every frame can hold such
  /// a run.
  bool adapts() const { return adapts_; }
  /// Returns one frame as a run of its own, already measured. Its bodies have the elements of that frame.
  Result<ExportedRun> of_frame(std::size_t index) const;

  std::size_t num_frames() const { return kept_.size(); }
  std::size_t num_frames_of_run() const { return files_.frames.size(); }
  /// Returns the frame's number in the run.
  std::size_t number(std::size_t index) const { return kept_[index]; }
  int step(std::size_t index) const { return files_.steps[kept_[index]]; }
  double time(std::size_t index) const { return files_.times[kept_[index]]; }  ///< in the run's unit
  /// Returns the time of a frame in seconds, for formats that know no other unit.
  double seconds(std::size_t index) const { return units_.to_si(time(index), dimension::time); }
  /// Returns the unit of lengths in frames [m].
  double metres_per_unit() const { return units_.length; }
  /// Returns the unit of velocities in frames [m/s].
  double metres_per_second() const { return units_.to_si(1.0, dimension::speed); }
  Result<Frame> frame(std::size_t index) const;

  const std::string& name() const { return name_; }
  int dim() const { return dim_; }
  int up() const { return up_; }  ///< axis that points up, 0 to 2
  const std::vector<ExportedBody>& bodies() const { return bodies_; }
  std::string body_name(int body) const;
  /// Returns the thickness [m] of a shell, a rod or particles; 0 for other bodies.
  double thickness(const ExportedBody& body) const;
  /// Returns the largest distance [m] of a vertex of a rigid body from its exported position.
  double rigid_error() const { return rigid_error_; }
  const page::DrawnBodies& drawn() const { return drawn_; }
  const Frame& first() const { return first_; }

  /// Returns the positions of the body's vertices in a frame.
  std::vector<Vec<3>> places(const ExportedBody& body, const Frame& frame) const;
  /// Returns the velocities of the body's vertices; empty if the frame has none. Those of a quasi-static run are none:
  /// they are displacements over the length of a step.
  std::vector<Vec<3>> velocities(const ExportedBody& body, const Frame& frame) const;
  /// Returns how a body got from the first frame to this one. The motion is exact for a body that keeps its shape. For
  /// other bodies it is the best affine map, without its rotation if the rotation cannot be followed.
  RigidMotion motion(const ExportedBody& body, const Frame& frame) const;

 private:
  ExportedRun(page::RunFiles files, std::vector<std::size_t> kept, Frame first);
  void find_up();
  struct BodyMotions;
  std::vector<Vec<3>> at_vertices(const ExportedBody& body, const std::vector<Vec<3>>& values) const;
  Issues find_repeated_times() const;
  void note_motion(const Frame& frame, BodyMotions& noted);
  void complete_bodies(const BodyMotions& noted);
  void find_triangles(ExportedBody& body) const;
  RigidMotion best_motion(const ExportedBody& body, const Frame& frame) const;

  page::RunFiles files_;
  UnitSystem units_;
  std::vector<std::size_t> kept_;
  Frame first_;
  page::DrawnBodies drawn_;
  std::vector<ExportedBody> bodies_;
  std::string name_;
  int dim_ = 3;
  int up_ = 1;
  bool adapts_ = false;
  bool is_quasi_static_ = false;
  double rigid_error_ = 0.0;
};

}  // namespace clearance::exchange
