// The moving meshes on which the peers were timed: t0.obj, t1.obj and params.txt in one folder per mesh, below `meshes`
// of the folder CLEARANCE_BASELINES (else ../shared/baselines beside the source).
#pragma once

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "clearance/geometry/surface.h"
#include "clearance/math/types.h"

namespace clearance {

inline constexpr std::array<const char*, 3> baseline_mesh_names = {"c1_cowheads_4k", "c2_mats_19k",
                                                                   "c3_armadillos_52k"};

struct BaselineMesh {
  SurfaceTopology surface;
  VecX x_t0, x_t1;  ///< [m] flat
  double dhat = 0.0;

  bool is_missing() const { return surface.triangles.empty(); }
};

/// Reads the lines `v x y z` and `f a b c` of plain OBJ files.
inline VecX read_baseline_obj(const std::filesystem::path& path, Triangles& triangles) {
  std::vector<double> x;
  triangles.clear();
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    if (kind == "v") {
      for (double value = 0.0; words >> value;) x.push_back(value);
    } else if (kind == "f") {
      std::array<int, 3> triangle{};
      for (int& v : triangle) words >> v;
      for (int& v : triangle) --v;
      triangles.push_back(triangle);
    }
  }
  return Eigen::Map<VecX>(x.data(), static_cast<Eigen::Index>(x.size()));
}

/// Reads a mesh in which every pair of vertices may touch. Has no triangles if the files are missing.
inline BaselineMesh read_baseline_mesh(const std::string& name) {
  const char* given = std::getenv("CLEARANCE_BASELINES");
  const std::filesystem::path root = given != nullptr ? given : CLEARANCE_SOURCE_DIR "/../shared/baselines";
  const std::filesystem::path folder = root / "meshes" / name;
  BaselineMesh mesh;
  SurfaceTopology& surface = mesh.surface;
  mesh.x_t0 = read_baseline_obj(folder / "t0.obj", surface.triangles);
  mesh.x_t1 = read_baseline_obj(folder / "t1.obj", surface.triangles);
  std::ifstream params(folder / "params.txt");
  std::string word;
  params >> word >> mesh.dhat;

  surface.num_vertices = static_cast<int>(mesh.x_t0.size() / 3);
  surface.vertex_body.assign(surface.num_vertices, 0);
  surface.vertex_group.assign(surface.num_vertices, -1);
  surface.edges = unique_edges(surface.triangles);
  return mesh;
}

}  // namespace clearance
