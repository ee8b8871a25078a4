// MuJoCo on a scene of boxes: native box and sphere shapes, contacts without friction, no sleeping (it has none).
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "peer_run.h"

namespace peers {
namespace {

struct MujocoOptions {
  std::string solver = "CG";
  double tolerance = 1e-8;
  double time_constant = 2;  // of the contact's spring and damper, in steps: MuJoCo allows no less than 2
  double impedance = 0.95;   // the default; stiffer contacts go deeper at long steps
};

void write_vector(std::ostream& out, const char* name, const Eigen::Vector3d& v) {
  out << ' ' << name << "=\"" << v[0] << ' ' << v[1] << ' ' << v[2] << '"';
}

void write_box(std::ostream& out, const Box& box) {
  out << "<geom type=\"box\"";
  write_vector(out, "size", box.half_extents);
  if (box.mass > 0) out << " mass=\"" << box.mass << '"';
  out << "/>";
}

// condim 1: a contact pushes along its normal only.
std::string model_text(const BoxScene& scene, const RunOptions& run, const MujocoOptions& options) {
  // A contact without friction is one row. MuJoCo lays out dense matrices of rows x unknowns and rows x rows in at most
  // 2 GB.
  const size_t num_contacts = 16 * (scene.boxes.size() + 10);
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><option timestep=\"" << run.step << "\" iterations=\"" << run.iterations << "\" tolerance=\""
      << options.tolerance << "\" solver=\"" << options.solver << "\" jacobian=\"sparse\"";
  write_vector(out, "gravity", scene.gravity);
  out << "/><size njmax=\"" << num_contacts << "\" nconmax=\"" << num_contacts << "\" nstack=\"100000000\"/>"
      << "<default><geom condim=\"1\" solref=\"" << options.time_constant * run.step << " 1\" solimp=\""
      << options.impedance << ' ' << options.impedance << " 0.001\"/></default><worldbody><body";
  write_vector(out, "pos", scene.ground.pose.center);
  out << '>';
  write_box(out, scene.ground);
  out << "</body>";
  for (const Box& box : scene.boxes) {
    out << "<body";
    write_vector(out, "pos", box.pose.center);
    out << "><freejoint/>";
    write_box(out, box);
    out << "</body>\n";
  }
  out << "<body";
  write_vector(out, "pos", scene.ball.center);
  out << "><freejoint/><geom type=\"sphere\" size=\"" << scene.ball.radius << "\" mass=\"" << scene.ball.mass
      << "\"/></body></worldbody></mujoco>\n";
  return out.str();
}

class MujocoEngine : public Engine {
 public:
  MujocoEngine(const BoxScene& scene, const RunOptions& run, const MujocoOptions& options) {
    // The only output is the line of results; failure() reports.
    mju_user_warning = [](const char*) {};
    mju_user_error = [](const char* message) {
      std::fprintf(stderr, "mujoco_boxes: %s\n", message);
      std::exit(1);
    };
    const std::string text = model_text(scene, run, options);
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "scene.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "scene.xml")], text.data(), text.size());
    char message[1000] = "";
    model_ = mj_loadXML("scene.xml", files.get(), message, sizeof(message));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(message);
    data_ = mj_makeData(model_);
    for (int k = 0; k < 3; ++k) data_->qvel[model_->nv - 6 + k] = scene.ball.velocity[k];
  }
  ~MujocoEngine() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoEngine(const MujocoEngine&) = delete;
  MujocoEngine& operator=(const MujocoEngine&) = delete;

  void step() override {
    mj_step(model_, data_);
    iterations_ += data_->solver_iter;
    steps_ += 1;
  }

  // MuJoCo's bodies are 0 the world, 1 the ground, then the boxes and the ball. xpos lags a step behind qpos.
  void read_poses(BoxScene& scene) const override {
    mj_kinematics(model_, data_);
    const auto center = [&](size_t body) {
      return Eigen::Vector3d(Eigen::Map<Eigen::Vector3d>(data_->xpos + 3 * body));
    };
    for (size_t i = 0; i < scene.boxes.size(); ++i) {
      scene.boxes[i].pose.center = center(i + 2);
      scene.boxes[i].pose.axes =
          Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(data_->xmat + 9 * (i + 2));
    }
    scene.ball.center = center(scene.boxes.size() + 2);
  }

  // MuJoCo starts again from the initial state, with a warning on the terminal, when a number is not finite.
  std::string failure() const override {
    const auto has_warned = [&](mjtWarning kind) { return data_->warning[kind].number > 0; };
    if (has_warned(mjWARN_BADQPOS) || has_warned(mjWARN_BADQVEL) || has_warned(mjWARN_BADQACC)) return "unstable";
    return has_warned(mjWARN_CONTACTFULL) || has_warned(mjWARN_CNSTRFULL) ? "out of memory" : "";
  }

  double mean_iterations() const override { return iterations_ / steps_; }

 private:
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
  double iterations_ = 0, steps_ = 0;
};

int run(int argc, char** argv) {
  CLI::App app("MuJoCo on a scene of boxes, one thread.");
  RunOptions options;
  MujocoOptions mujoco;
  options.iterations = 100;
  add_run_options(app, options);
  app.add_option("--solver", mujoco.solver, "PGS, CG or Newton");
  app.add_option("--tolerance", mujoco.tolerance, "at which the solver stops early");
  app.add_option("--time-constant", mujoco.time_constant, "of a contact, in steps");
  app.add_option("--impedance", mujoco.impedance, "of a contact, below 1");
  CLI11_PARSE(app, argc, argv);
  const BoxScene scene = read_box_scene(options.scene, options.mesh_folder);
  MujocoEngine engine(scene, options, mujoco);
  run_and_report("MuJoCo, " + mujoco.solver, engine, scene, options);
  return 0;
}

}  // namespace
}  // namespace peers

int main(int argc, char** argv) {
  return peers::run_program("mujoco_boxes", peers::run, argc, argv);
}
