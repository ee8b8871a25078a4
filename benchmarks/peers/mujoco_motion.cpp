// MuJoCo on a case of closed-form physics: its default settings and the step of the case.
#include <mujoco/mujoco.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "motion_case.h"

namespace peers {
namespace {

std::ostream& operator<<(std::ostream& out, const Eigen::Vector3d& v) {
  return out << v[0] << ' ' << v[1] << ' ' << v[2];
}

void write_geometry(std::ostream& out, const MotionBody& body) {
  out << "<geom mass=\"" << body.mass << "\" type=\"";
  if (body.shape == Shape::sphere) {
    out << "sphere\" size=\"" << body.size[0];
  } else if (body.shape == Shape::cylinder) {
    out << "cylinder\" size=\"" << body.size[0] << ' ' << body.size[2];
  } else {
    out << "box\" size=\"" << body.size;
  }
  out << "\"/>";
}

void write_joint(std::ostream& out, const MotionBody& body, const MotionHinge* hinge) {
  if (!hinge) {
    out << "<freejoint/>";
    return;
  }
  const Eigen::Quaterniond to_body = body.rotation.conjugate();
  out << "<joint type=\"hinge\" pos=\"" << Eigen::Vector3d(to_body * (hinge->point - body.position)) << "\" axis=\""
      << Eigen::Vector3d(to_body * hinge->axis) << "\"/>";
}

const MotionHinge* find_hinge(const MotionCase& motion_case, size_t body) {
  for (const MotionHinge& hinge : motion_case.hinges) {
    if (static_cast<size_t>(hinge.body) == body) return &hinge;
  }
  return nullptr;
}

// Torsional and rolling friction are the defaults; a contact of three dimensions has neither.
std::string model_text(const MotionCase& motion_case) {
  std::ostringstream out;
  out.precision(17);
  out << "<mujoco><option timestep=\"" << motion_case.step << "\" gravity=\"" << motion_case.gravity
      << "\"/><default><geom friction=\"" << motion_case.mu << " 0.005 0.0001\"/></default><worldbody>";
  for (const MotionPlane& plane : motion_case.planes) {
    out << "<geom type=\"plane\" size=\"0 0 1\" pos=\"" << plane.point << "\" zaxis=\"" << plane.normal << "\"/>";
  }
  for (size_t i = 0; i < motion_case.bodies.size(); ++i) {
    const MotionBody& body = motion_case.bodies[i];
    const Eigen::Quaterniond& q = body.rotation;
    out << "<body pos=\"" << body.position << "\" quat=\"" << q.w() << ' ' << q.x() << ' ' << q.y() << ' ' << q.z()
        << "\">";
    write_joint(out, body, find_hinge(motion_case, i));
    write_geometry(out, body);
    out << "</body>\n";
  }
  out << "</worldbody></mujoco>\n";
  return out.str();
}

class MujocoMotion : public MotionEngine {
 public:
  explicit MujocoMotion(const MotionCase& motion_case) : case_(motion_case) {
    mju_user_warning = [](const char*) {};
    mju_user_error = [](const char* message) {
      std::fprintf(stderr, "mujoco_motion: %s\n", message);
      std::exit(1);
    };
    load(model_text(case_));
    data_ = mj_makeData(model_);
    for (size_t i = 0; i < case_.bodies.size(); ++i) set_up(i);
  }
  ~MujocoMotion() override {
    mj_deleteData(data_);
    mj_deleteModel(model_);
  }
  MujocoMotion(const MujocoMotion&) = delete;
  MujocoMotion& operator=(const MujocoMotion&) = delete;

  void step() override { mj_step(model_, data_); }

  // Positions and velocities of bodies lag a step behind those of joints.
  BodyMotion read(size_t body) const override {
    mj_kinematics(model_, data_);
    mj_comPos(model_, data_);
    mj_comVel(model_, data_);
    mjtNum rates[6];
    const int id = static_cast<int>(body) + 1;
    mj_objectVelocity(model_, data_, mjOBJ_BODY, id, rates, 0);
    return {Eigen::Vector3d(data_->xipos[3 * id], data_->xipos[3 * id + 1], data_->xipos[3 * id + 2]),
            Eigen::Vector3d(rates[3], rates[4], rates[5]), Eigen::Vector3d(rates[0], rates[1], rates[2])};
  }

 private:
  void load(const std::string& text) {
    auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "case.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[mj_findFileVFS(files.get(), "case.xml")], text.data(), text.size());
    char message[1000] = "";
    model_ = mj_loadXML("case.xml", files.get(), message, sizeof(message));
    mj_deleteVFS(files.get());
    if (!model_) throw std::runtime_error(message);
  }

  // MuJoCo measures the angular velocity of a free joint in the axes of its body.
  void set_up(size_t i) {
    const MotionBody& body = case_.bodies[i];
    const int id = static_cast<int>(i) + 1, first = model_->body_dofadr[id];
    if (const MotionHinge* hinge = find_hinge(case_, i)) {
      data_->qfrc_applied[first] = hinge->torque;
      data_->qvel[first] = body.spin.dot(hinge->axis);
      return;
    }
    const Eigen::Vector3d spin = body.rotation.conjugate() * body.spin;
    for (int k = 0; k < 3; ++k) {
      data_->qvel[first + k] = body.velocity[k];
      data_->qvel[first + 3 + k] = spin[k];
      data_->xfrc_applied[6 * id + k] = body.force[k];
    }
  }

  MotionCase case_;
  mjModel* model_ = nullptr;
  mjData* data_ = nullptr;
};

}  // namespace
}  // namespace peers

int main() {
  return peers::run_motion_case("mujoco_motion", [](const peers::MotionCase& motion_case) {
    return std::make_unique<peers::MujocoMotion>(motion_case);
  });
}
