// A world of MuJoCo that another program steps, for `./dev bench learning`: mujoco_world MODEL reads a request of JSON
// per line and answers each with one.
//
//   {"qpos": [...], "qvel": [...]}                            begins anew in this state
//   {"steps": 2, "forces": [...], "prescribed": [[j, v], ...]} takes steps of the model
//
// `forces` has force [N] and torque [N m] about the centre of mass of every body (6 per body, the world included), in
// the axes of the world. `prescribed` moves joints at a velocity, whatever pushes on them. The answer has the last pose
// and velocity of every body, the deepest overlap of two geometries [m] in any step so far, the processor seconds of
// the steps, and whether MuJoCo found the state to be unstable.
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using nlohmann::json;

json list(const mjtNum* first, int count) {
  return std::vector<double>(first, first + count);
}

class World {
 public:
  explicit World(const char* path) {
    char message[1000] = "";
    model_ = mj_loadXML(path, nullptr, message, sizeof(message));
    if (!model_) throw std::runtime_error(message);
    data_ = mj_makeData(model_);
  }
  ~World() {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void answer(const json& request) {
    if (request.contains("qpos")) begin(request);
    if (request.contains("steps")) take_steps(request);
  }

  json state() {
    // Poses, velocities and contacts lag a step behind the joints.
    mj_fwdPosition(model_, data_);
    mj_fwdVelocity(model_, data_);
    keep_depth();
    json bodies = json::array();
    for (int b = 0; b < model_->nbody; ++b) {
      mjtNum rates[6];
      mj_objectVelocity(model_, data_, mjOBJ_BODY, b, rates, 0);
      bodies.push_back({{"position", list(data_->xpos + 3 * b, 3)},
                        {"turn", list(data_->xmat + 9 * b, 9)},
                        {"center", list(data_->xipos + 3 * b, 3)},
                        {"linear", list(rates + 3, 3)},
                        {"angular", list(rates, 3)}});
    }
    return {{"bodies", bodies}, {"depth", depth_}, {"seconds", seconds_}, {"is_unstable", is_unstable()}};
  }

 private:
  void begin(const json& request) {
    mj_resetData(model_, data_);
    copy(request.at("qpos"), data_->qpos, model_->nq);
    copy(request.at("qvel"), data_->qvel, model_->nv);
    depth_ = seconds_ = 0.0;
  }

  void take_steps(const json& request) {
    copy(request.at("forces"), data_->xfrc_applied, 6 * model_->nbody);
    for (int count = request.at("steps"); count > 0; --count) {
      for (const json& one : request.at("prescribed")) {
        const int joint = one.at(0);
        data_->qvel[model_->jnt_dofadr[joint]] = one.at(1);
      }
      const std::clock_t start = std::clock();
      mj_step(model_, data_);
      seconds_ += static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
      keep_depth();
    }
  }

  // Contacts are those of the positions at the start of the last step.
  void keep_depth() {
    for (int c = 0; c < data_->ncon; ++c) depth_ = std::max(depth_, -data_->contact[c].dist);
  }

  // MuJoCo then starts again from the initial state, with a warning.
  bool is_unstable() const {
    const auto has_warned = [&](mjtWarning kind) { return data_->warning[kind].number > 0; };
    return has_warned(mjWARN_BADQPOS) || has_warned(mjWARN_BADQVEL) || has_warned(mjWARN_BADQACC);
  }

  static void copy(const std::vector<double>& from, mjtNum* to, int count) {
    if (from.size() != static_cast<size_t>(count)) throw std::runtime_error("wrong count of numbers in a request");
    std::copy(from.begin(), from.end(), to);
  }

  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  double depth_ = 0.0;    // [m]
  double seconds_ = 0.0;  // [s]
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mujoco_world MODEL\n");
    return 2;
  }
  mju_user_warning = [](const char*) {};
  mju_user_error = [](const char* message) {
    std::fprintf(stderr, "mujoco_world: %s\n", message);
    std::exit(1);
  };
  try {
    World world(argv[1]);
    for (std::string line; std::getline(std::cin, line);) {
      world.answer(json::parse(line));
      std::cout << world.state().dump() << std::endl;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mujoco_world: %s\n", error.what());
    return 1;
  }
}
