// A run as other programs are given it: some of its frames, its bodies by name and colour, and which of them are rigid.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "clearance/exchange/rigid_motion.h"
#include "clearance/page/drawn_bodies.h"
#include "clearance/page/run_files.h"

namespace clearance::exchange {

/// Frames first, first + stride, ... up to last, as the run counts them from 0.
struct FrameRange {
  static constexpr std::size_t to_the_end = static_cast<std::size_t>(-1);
  std::size_t first = 0, last = to_the_end, stride = 1;
};

struct RunFrames {
  page::RunFiles files;
  std::vector<std::size_t> kept;  ///< numbers of the frames that are exported
};
Result<RunFrames> list_frames(const std::filesystem::path& folder, const FrameRange& range);

/// How a body moves in the frames that are exported.
enum class Motion {
  still,      ///< not at all
  rigid,      ///< turns and moves
  affine,     ///< keeps its shape up to an affine map that is no rotation
  deforming,  ///< otherwise
};

struct ExportedBody {
  page::DrawnBody drawn;
  std::string name;
  std::array<double, 3> color = {};  ///< linear RGB
  Motion motion = Motion::deforming;
  BodyAxes axes;  ///< of the first frame
  /// Of the body's own vertices, counted from 0: those of the frames, or the inside of the outline that a stiff body in
  /// the plane is.
  std::vector<std::array<std::uint32_t, 3>> triangles;
  /// A deforming body that turns as a whole from frame to frame, so that it can be followed, not just its centre.
  bool has_turns = false;
};

class ExportedRun {
 public:
  /// Reads the list of frames; `measure` is next.
  static Result<ExportedRun> open(const std::filesystem::path& folder, const FrameRange& range);

  /// Looks at all frames, one after another: how bodies move. Issues: frames that cannot be read, have other vertices
  /// or elements, or do not follow each other in time.
  Result<Done> measure();

  /// Elements may change from frame to frame, so that only formats that have them anew in every frame can hold it.
  bool adapts() const { return adapts_; }
  /// One frame as a run of its own, measured: its bodies have the elements of that frame.
  Result<ExportedRun> of_frame(std::size_t index) const;

  std::size_t num_frames() const { return kept_.size(); }
  std::size_t num_frames_of_run() const { return files_.frames.size(); }
  /// Its number in the run.
  std::size_t number(std::size_t index) const { return kept_[index]; }
  int step(std::size_t index) const { return files_.steps[kept_[index]]; }
  double time(std::size_t index) const { return files_.times[kept_[index]]; }  ///< [s]
  Result<Frame> frame(std::size_t index) const;

  const std::string& name() const { return name_; }
  int dim() const { return dim_; }
  int up() const { return up_; }  ///< the axis that points up, 0 to 2
  const std::vector<ExportedBody>& bodies() const { return bodies_; }
  std::string body_name(int body) const;
  /// [m] A vertex of a body that counts as rigid is off by this at most.
  double rigid_error() const { return rigid_error_; }
  const page::DrawnBodies& drawn() const { return drawn_; }
  const Frame& first() const { return first_; }

  /// Where the vertices of a body are in a frame.
  std::vector<Vec<3>> places(const ExportedBody& body, const Frame& frame) const;
  /// How a body got from the first frame to this one: exact for one that keeps its shape; of others the best affine
  /// map, without its turn where that cannot be followed.
  RigidMotion motion(const ExportedBody& body, const Frame& frame) const;

 private:
  ExportedRun(page::RunFiles files, std::vector<std::size_t> kept, Frame first);
  void find_up();
  void find_triangles(ExportedBody& body) const;
  RigidMotion best_motion(const ExportedBody& body, const Frame& frame) const;

  page::RunFiles files_;
  std::vector<std::size_t> kept_;
  Frame first_;
  page::DrawnBodies drawn_;
  std::vector<ExportedBody> bodies_;
  std::string name_;
  int dim_ = 3;
  int up_ = 1;
  bool adapts_ = false;
  double rigid_error_ = 0.0;
};

}  // namespace clearance::exchange
