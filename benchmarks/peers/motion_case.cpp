#include "motion_case.h"

#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace peers {
namespace {

using Json = nlohmann::json;

Eigen::Vector3d read_vector(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

Shape read_shape(const std::string& name) {
  if (name == "box") return Shape::box;
  if (name == "sphere") return Shape::sphere;
  if (name == "cylinder") return Shape::cylinder;
  throw std::runtime_error("no shape '" + name + "'");
}

MotionBody read_body(const Json& json) {
  MotionBody body;
  body.shape = read_shape(json.at("shape"));
  body.size = read_vector(json.at("size"));
  body.mass = json.at("mass");
  body.position = read_vector(json.at("position"));
  Eigen::Matrix3d rotation;
  for (int row = 0; row < 3; ++row) rotation.row(row) = read_vector(json.at("rotation").at(static_cast<size_t>(row)));
  body.rotation = Eigen::Quaterniond(rotation).normalized();
  body.velocity = read_vector(json.at("velocity"));
  body.spin = read_vector(json.at("spin"));
  body.force = read_vector(json.at("force"));
  return body;
}

MotionCase read_case(const Json& json) {
  MotionCase result;
  result.step = json.at("step");
  result.num_steps = json.at("num_steps");
  result.frame_interval = json.at("frame_interval");
  result.gravity = read_vector(json.at("gravity"));
  result.mu = json.at("mu");
  for (const Json& body : json.at("bodies")) result.bodies.push_back(read_body(body));
  for (const Json& plane : json.at("planes")) {
    result.planes.push_back({read_vector(plane.at("point")), read_vector(plane.at("normal")).normalized()});
  }
  for (const Json& hinge : json.at("hinges")) {
    result.hinges.push_back({hinge.at("body"), read_vector(hinge.at("point")),
                             read_vector(hinge.at("axis")).normalized(), hinge.at("torque")});
  }
  return result;
}

Json vector_json(const Eigen::Vector3d& v) {
  return {v[0], v[1], v[2]};
}

Json frame_json(const MotionEngine& engine, size_t num_bodies) {
  Json frame = Json::array();
  for (size_t body = 0; body < num_bodies; ++body) {
    const BodyMotion motion = engine.read(body);
    frame.push_back({vector_json(motion.position), vector_json(motion.velocity), vector_json(motion.spin)});
  }
  return frame;
}

}  // namespace

int run_motion_case(const char* name, const MakeEngine& make_engine) {
  try {
    const MotionCase motion_case = read_case(Json::parse(std::cin));
    const std::unique_ptr<MotionEngine> engine = make_engine(motion_case);
    Json frames = Json::array({frame_json(*engine, motion_case.bodies.size())});
    for (int step = 1; step <= motion_case.num_steps; ++step) {
      engine->step();
      if (step % motion_case.frame_interval == 0) frames.push_back(frame_json(*engine, motion_case.bodies.size()));
    }
    std::cout << frames.dump() << '\n';
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s: %s\n", name, problem.what());
    return 1;
  }
}

}  // namespace peers
