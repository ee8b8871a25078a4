// Natural frequencies of the bodies of a scene, and the factors of its loads at which they buckle.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "clearance/base/result.h"
#include "clearance/io/mesh/vtu.h"
#include "clearance/scene/scene.h"

namespace clearance {

struct ModesOptions {
  int count = 6;             ///< vibrations or buckling modes; rigid motions come in addition
  bool is_buckling = false;  ///< true: factors of the loads of a quasi-static scene
  /// Called after every step of a quasi-static scene.
  std::function<void(int step, int num_steps)> on_step;
  std::function<bool()> is_stop_wanted;
};

/// One mode.
struct SceneMode {
  std::string name;           ///< of a motion without resistance; empty for a vibration or a buckling mode
  double frequency = 0.0;     ///< [Hz] 0 for motions without resistance; without meaning for buckling
  double omega_sq = 0.0;      ///< [rad^2/s^2]; negative: the state is not stable, and the motion grows
  double factor = 0.0;        ///< buckling: factor of the loads
  std::string body;           ///< body with the largest share of the kinetic energy
  double body_share = 0.0;    ///< that share
  std::vector<Vec<3>> shape;  ///< [m] per vertex of the frames; the largest is a tenth of the size of the scene
};

enum class ModesEnd { complete, stopped, failed };

struct SceneModes {
  ModesEnd end = ModesEnd::complete;
  Issues errors;                  ///< why the modes could not be found
  int num_steps = 0;              ///< steps of the quasi-static run before; 0: the modes are those of the start
  int num_unknowns = 0;           ///< numbers that move freely
  int num_contacts = 0;           ///< contacts that act as springs
  double largest_residual = 0.0;  ///< largest |K v - omega^2 M v| / |K v| of the vibrations
  std::vector<SceneMode> modes;   ///< motions without resistance first, then ascending
  Frame frame;                    ///< the state that the modes belong to
  Issues warnings;
};

/// Finds the modes of a scene at its start, or at the end of its quasi-static run. Issues, with nothing run: all
/// problems of the scene.
Result<SceneModes> find_scene_modes(const SceneDesc& scene, const ModesOptions& options);

}  // namespace clearance
