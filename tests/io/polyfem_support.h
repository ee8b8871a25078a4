// PolyFEM scenes for tests, from pieces of text, beside a few meshes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "clearance/geometry/generators.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/io/scene_reader.h"
#include "clearance/scene/json_writer.h"

namespace clearance::polyfem_test {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;

/// A folder with cube.msh (the unit cube, eight cells), square.obj (the unit square, four cells), flat.obj (a square in
/// y = 0) and plate.msh (1 x 0.1 x 1). All are centred.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("clearance_polyfem_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
    write("cube.msh", make_box({1, 1, 1}, {2, 2, 2}));
    write("plate.msh", make_box({1, 0.1, 1}, {1, 1, 1}));
    write("square.obj", make_rectangle(1, 1, 2, 2));
    Mesh flat;
    flat.vertices = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    flat.triangles = {{0, 2, 1}, {0, 3, 2}};
    write("flat.obj", flat);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  fs::path file(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  const fs::path& path() const { return path_; }

  Result<LoadedScene> read(const std::string& text) const {
    return load_scene(file("scene.json", text), SceneFormat::polyfem);
  }
  SceneDesc good(const std::string& text, std::size_t num_warnings = 0) const {
    const Result<LoadedScene> loaded = read(text);
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    if (!loaded) return {};
    EXPECT_EQ(loaded->warnings.size(), num_warnings);
    if (loaded->warnings.size() != num_warnings) {
      for (const Issue& issue : loaded->warnings) ADD_FAILURE() << to_string(issue);
    }
    return loaded->scene;
  }
  /// Returns the problems without the name of the file, which differs in every run.
  Lines problems(const std::string& text) const {
    const Result<LoadedScene> loaded = read(text);
    Lines lines;
    for (Issue issue : loaded ? loaded->warnings : loaded.issues()) {
      issue.file.clear();
      const std::string line = to_string(issue), folder = path_.string() + "/";
      const std::size_t at = line.find(folder);
      lines.push_back(at == std::string::npos ? line : line.substr(0, at) + line.substr(at + folder.size()));
    }
    return lines;
  }

 private:
  void write(const std::string& name, const Mesh& mesh) const {
    for (const Issue& issue : write_mesh(path_ / name, mesh).issues()) ADD_FAILURE() << to_string(issue);
  }
  fs::path path_;
};

inline constexpr const char* material = R"("materials": {"type": "NeoHookean", "E": 1e5, "nu": 0.4, "rho": 1000})";
inline constexpr const char* sides = R"("surface_selection": {"threshold": 1e-7})";
inline constexpr const char* test_time = R"("time": {"dt": 0.01, "tend": 1})";

/// Returns a scene with these entries of the geometry.
inline std::string scene_of(const std::string& geometry, const std::string& more = "") {
  return std::string("{") + material + ", " + test_time + R"(, "geometry": [)" + geometry + "]" +
         (more.empty() ? "" : ", " + more) + "}";
}
inline std::string entry(const std::string& mesh, const std::string& more = "") {
  return R"({"mesh": ")" + mesh + R"(")" + (more.empty() ? "" : ", " + more) + "}";
}

}  // namespace clearance::polyfem_test
