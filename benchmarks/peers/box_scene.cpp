#include "box_scene.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace peers {
namespace {

using Eigen::Vector3d;
using nlohmann::json;

struct Mesh {
  std::vector<Vector3d> vertices;
  double volume = 0;  // [m^3] enclosed by the surface
  Eigen::AlignedBox3d bounds;
};

// The meshes of these scenes have triangles only, with plain or slashed indices.
Mesh read_obj(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  Mesh mesh;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "v") {
      Vector3d v;
      words >> v[0] >> v[1] >> v[2];
      mesh.vertices.push_back(v);
      mesh.bounds.extend(v);
    } else if (word == "f") {
      std::string corner[3];
      words >> corner[0] >> corner[1] >> corner[2];
      const auto vertex = [&](int k) { return mesh.vertices.at(std::stoul(corner[k]) - 1); };
      mesh.volume += vertex(0).dot(vertex(1).cross(vertex(2))) / 6;
    }
  }
  return mesh;
}

Vector3d vector_of(const json& value) {
  return {value.at(0).get<double>(), value.at(1).get<double>(), value.at(2).get<double>()};
}

// The round part of the ball's mesh fills the width of its bounds and ends at their lower side; above is a hook, which
// counts by its mass alone.
Ball read_ball(const json& body, const Mesh& mesh) {
  Ball ball;
  ball.radius = mesh.bounds.sizes()[0] / 2;
  ball.center = vector_of(body.at("position")) + mesh.bounds.center();
  ball.center[1] = body.at("position").at(1).get<double>() + mesh.bounds.min()[1] + ball.radius;
  ball.mass = body.at("density").get<double>() * mesh.volume;
  if (body.contains("linear_velocity")) ball.velocity = vector_of(body["linear_velocity"]);
  return ball;
}

Box read_box(const json& body, const Mesh& mesh) {
  Box box;
  box.pose.center = vector_of(body.at("position")) + mesh.bounds.center();
  box.half_extents = mesh.bounds.sizes() / 2;
  box.mass = body.at("density").get<double>() * mesh.volume;
  return box;
}

// A plane becomes a box as thick as it is wide, so that nothing tunnels through it.
Box read_ground(const json& body, const Mesh& mesh) {
  Box ground;
  ground.half_extents = body.value("scale", 1.0) * mesh.bounds.sizes() / 2;
  ground.half_extents[1] = ground.half_extents[0];
  ground.pose.center = vector_of(body.at("position"));
  ground.pose.center[1] -= ground.half_extents[1];
  return ground;
}

}  // namespace

BoxScene read_box_scene(const std::string& scene, const std::string& mesh_folder) {
  std::ifstream file(scene);
  if (!file) throw std::runtime_error("cannot read " + scene);
  const json problem = json::parse(file).at("rigid_body_problem");
  if (problem.value("coefficient_friction", 0.0) != 0) throw std::runtime_error(scene + ": friction is not supported");

  BoxScene result;
  bool has_ground = false;
  result.gravity = vector_of(problem.at("gravity"));
  for (const json& body : problem.at("rigid_bodies")) {
    const std::string mesh = body.at("mesh");
    if (body.contains("rotation") || body.contains("angular_velocity"))
      throw std::runtime_error(scene + ": rotations are not supported");
    const Mesh shape = read_obj(mesh_folder + "/" + mesh);
    if (mesh == "cube.obj")
      result.boxes.push_back(read_box(body, shape));
    else if (mesh == "wrecking-ball/ball.obj")
      result.ball = read_ball(body, shape);
    else if (mesh == "plane.obj" && !has_ground)
      result.ground = read_ground(body, shape), has_ground = true;
    else
      throw std::runtime_error(scene + ": no native shape for " + mesh);
  }
  if (result.boxes.empty() || result.ball.mass == 0 || !has_ground)
    throw std::runtime_error(scene + ": needs boxes, a ball and a plane");
  return result;
}

}  // namespace peers
