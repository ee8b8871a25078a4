// MuJoCo's numbers of a model, for `./dev bench robots`: mujoco_robot MODEL prints JSON. Masses, centres and inertias
// of the bodies that move, in the start pose; their accelerations there, with a control of 0.5 at every actuator; and
// the forces of joints that hold them there. Contacts are off, and so is what models of Clearance do not have: tendons
// with their actuators and muscles, cranks, air and water, armature and dry friction of ball and free joints. `off`
// counts what was switched off.
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using nlohmann::json;
using RowMatrix3d = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

json list(const Vector3d& v) {
  return {v[0], v[1], v[2]};
}

std::string name_of(const mjModel& m, int type, int id) {
  const char* name = mj_id2name(&m, type, id);
  return name ? name : "";
}

// Names of those without a name are those that the conversion gives them.
std::string name_of_body(const mjModel& m, int id) {
  const std::string name = name_of(m, mjOBJ_BODY, id);
  return name.empty() ? "body " + std::to_string(id) : name;
}
std::string name_of_joint(const mjModel& m, int id) {
  const std::string name = name_of(m, mjOBJ_JOINT, id);
  return name.empty() ? "joint " + std::to_string(id) : name;
}

// Makes couplings and loops as hard as MuJoCo can, because they are exact in Clearance, and joints free of dry
// friction, which gives way a little before it slips.
void harden(mjModel& m) {
  const double hard[mjNIMP] = {0.9999, 0.9999, 1e-3, 0.5, 2.0};
  for (int e = 0; e < m.neq; ++e) mju_copy(m.eq_solimp + mjNIMP * e, hard, mjNIMP);
  mju_zero(m.dof_frictionloss, m.nv);
  m.opt.solver = mjSOL_NEWTON;
  m.opt.tolerance = 0.0;
  m.opt.iterations = 1000;
}

// Switches off what is not carried over, and counts it.
std::map<std::string, int> switch_off(mjModel& m) {
  std::map<std::string, int> off;
  m.opt.disableflags |= mjDSBL_CONTACT;
  if (m.opt.density != 0.0 || m.opt.viscosity != 0.0) off["air and water"] = 1;
  m.opt.density = m.opt.viscosity = 0.0;
  mju_zero(m.opt.wind, 3);
  for (int t = 0; t < m.ntendon; ++t) {
    off["tendons"] += 1;
    m.tendon_stiffness[t] = m.tendon_damping[t] = m.tendon_frictionloss[t] = 0.0;
    m.tendon_limited[t] = 0;
  }
  for (int e = 0; e < m.neq; ++e) {
    if (m.eq_type[e] != mjEQ_TENDON || !m.eq_active[e]) continue;
    off["couplings of tendons"] += 1;
    m.eq_active[e] = 0;
  }
  for (int a = 0; a < m.nu; ++a) {
    const bool is_of_joint = m.actuator_trntype[a] == mjTRN_JOINT || m.actuator_trntype[a] == mjTRN_JOINTINPARENT;
    if (is_of_joint && m.actuator_biastype[a] != mjBIAS_MUSCLE) continue;
    off["actuators of tendons, sites, cranks or muscles"] += 1;
    mju_zero(m.actuator_gainprm + mjNGAIN * a, mjNGAIN);
    mju_zero(m.actuator_biasprm + mjNBIAS * a, mjNBIAS);
    m.actuator_gaintype[a] = mjGAIN_FIXED;
    m.actuator_biastype[a] = mjBIAS_NONE;
  }
  for (int d = 0; d < m.nv; ++d) {
    const int type = m.jnt_type[m.dof_jntid[d]];
    if (type != mjJNT_BALL && type != mjJNT_FREE) continue;
    if (m.dof_armature[d] == 0.0 && m.dof_frictionloss[d] == 0.0) continue;
    off["armature and friction of ball and free joints"] += 1;
    m.dof_armature[d] = m.dof_frictionloss[d] = 0.0;
  }
  return off;
}

// Bodies that are welded to one another are one.
json bodies_of(const mjModel& m, mjData& d) {
  mj_rnePostConstraint(&m, &d);
  json bodies = json::array();
  for (int root = 1; root < m.nbody; ++root) {
    if (m.body_weldid[root] != root || m.body_dofnum[root] == 0) continue;
    double mass = 0.0;
    Vector3d center = Vector3d::Zero(), acceleration = Vector3d::Zero(), rate = Vector3d::Zero();
    std::vector<int> parts;
    for (int b = root; b < m.nbody; ++b) {
      if (m.body_weldid[b] != root) continue;
      parts.push_back(b);
      // It says what an accelerometer shows; a body at rest shows minus gravity.
      mjtNum motion[6];
      mj_objectAcceleration(&m, &d, mjOBJ_BODY, b, motion, 0);
      rate = Vector3d(motion[0], motion[1], motion[2]);
      mass += m.body_mass[b];
      center += m.body_mass[b] * Map<const Vector3d>(d.xipos + 3 * b);
      acceleration += m.body_mass[b] * (Vector3d(motion[3], motion[4], motion[5]) + Map<const Vector3d>(m.opt.gravity));
    }
    if (mass > 0.0) center /= mass, acceleration /= mass;
    Matrix3d inertia = Matrix3d::Zero();
    for (const int b : parts) {
      const RowMatrix3d axes = Map<const RowMatrix3d>(d.ximat + 9 * b);
      const Vector3d r = Map<const Vector3d>(d.xipos + 3 * b) - center;
      inertia += axes * Map<const Vector3d>(m.body_inertia + 3 * b).asDiagonal() * axes.transpose() +
                 m.body_mass[b] * (r.squaredNorm() * Matrix3d::Identity() - r * r.transpose());
    }
    json rows = json::array();
    for (int i = 0; i < 3; ++i) rows.push_back(list(inertia.row(i)));
    bodies.push_back({{"name", name_of_body(m, root)},
                      {"mass", mass},
                      {"center", list(center)},
                      {"inertia", rows},
                      {"acceleration", list(acceleration)},
                      {"angular_acceleration", list(rate)}});
  }
  return bodies;
}

// Forces of joints that keep everything at rest in the start pose, by themselves: without the springs of joints.
json holding_of(const mjModel& m, mjData& d) {
  mju_zero(d.qvel, m.nv);
  mju_zero(d.qacc, m.nv);
  mju_zero(d.ctrl, m.nu);
  mj_inverse(&m, &d);
  json holding = json::object();
  for (int j = 0; j < m.njnt; ++j) {
    if (m.jnt_type[j] != mjJNT_HINGE && m.jnt_type[j] != mjJNT_SLIDE) continue;
    const int dof = m.jnt_dofadr[j];
    holding[name_of_joint(m, j)] = d.qfrc_bias[dof];
  }
  return holding;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: mujoco_robot MODEL\n");
    return 2;
  }
  mju_user_warning = [](const char*) {};
  char message[1000] = "";
  mjModel* m = mj_loadXML(argv[1], nullptr, message, sizeof(message));
  if (!m) {
    std::fprintf(stderr, "%s\n", message);
    return 1;
  }
  const std::map<std::string, int> off = switch_off(*m);
  harden(*m);
  mjData* d = mj_makeData(m);
  if (m->nkey > 0) mj_resetDataKeyframe(m, d, 0);
  // Actuators without a name have none in the scene, either.
  json controls = json::array();
  for (int a = 0; a < m->nu; ++a) {
    const std::string name = name_of(*m, mjOBJ_ACTUATOR, a);
    const bool is_off = m->actuator_gaintype[a] == mjGAIN_FIXED && m->actuator_gainprm[mjNGAIN * a] == 0.0;
    d->ctrl[a] = name.empty() || is_off ? 0.0 : 0.5;
    if (d->ctrl[a] != 0.0) controls.push_back(name);
  }
  mj_forward(m, d);
  bool has_loops = false;
  for (int e = 0; e < m->neq; ++e) has_loops |= m->eq_active[e] && m->eq_type[e] != mjEQ_JOINT;
  json out = {{"has_loops", has_loops}, {"bodies", bodies_of(*m, *d)}, {"controls", controls}, {"off", off}};
  out["holding"] = holding_of(*m, *d);
  std::printf("%s\n", out.dump().c_str());
  mj_deleteData(d);
  mj_deleteModel(m);
}
