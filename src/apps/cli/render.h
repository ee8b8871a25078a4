// `clearance render DIR -o OUT.png|OUT.mp4`: ray-traced pictures and films of a result folder.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "clearance/base/result.h"
#include "clearance/render/camera.h"
#include "clearance/render/field.h"

namespace clearance::cli {

/// Bounds and value range of a picture: the camera fits the bounds, and the colours range over the values.
struct PictureExtent {
  render::RenderBounds bodies, obstacles;
  render::FieldRange field;  ///< range of the coloured field on bodies that are no obstacles
  bool has_field = false;    ///< true if a frame has the field, with numbers or without

  void add(const PictureExtent& other);
};

struct RenderOptions {
  std::filesystem::path folder;
  std::filesystem::path output;  ///< the extension decides: .png one frame, .mp4 a film of all frames
  std::optional<int> frame;      ///< frame of a picture: index from 0, negative from the end; absent: the last
  int width = 0, height = 0;     ///< [px]; 0: 1280 x 720 for a picture, 854 x 480 for a film
  std::string color = "body";    ///< "body", or a field, see render_field.h
  bool has_edges = false;        ///< draws edges of triangles, in the plane of elements; never of obstacles
  render::CameraRequest camera;  ///< what is asked of the camera
  std::optional<Vec<3>> view;    ///< direction towards the camera: to the right, upwards, to the front
  std::string follow;            ///< name of a body that the camera goes along with; empty: none
  double turns = 0.0;            ///< turns that the camera of a film goes around
  int samples = 0;               ///< per pixel; 0: 32 for a picture, 5 for a film
  bool show_progress = true;     ///< shown on standard error, only if that is a terminal
  /// shared by pictures that are to be compared; absent: that of all frames of the run
  std::optional<PictureExtent> extent;
};

/// Parses a size such as `1280x720`. Returns issues if it is anything else or outside [16, 8192].
Result<Done> parse_size(const std::string& text, RenderOptions& options);

/// The options of the camera as they are written on the command line; empty: not given.
struct CameraTexts {
  std::string from, at, view;
};
/// Parses places such as `1,0.5,-2`, and sides such as `top`. Issues name the option.
Result<Done> parse_camera(const CameraTexts& texts, RenderOptions& options);

/// Measures the first frame and the one that would be drawn.
Result<PictureExtent> measure_picture(const RenderOptions& options);

/// Draws one frame into a .png file and returns one line that tells what was drawn.
Result<std::string> draw_picture(const RenderOptions& options);

/// Renders a picture or a film. Exit status: 0 done, 2 bad options or folder, or a film without ffmpeg on the PATH.
int run_render(const RenderOptions& options);

}  // namespace clearance::cli
