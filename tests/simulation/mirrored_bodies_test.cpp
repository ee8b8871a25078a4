// Bodies that a negative scale mirrors, and parts of bodies that are mirrored in their mesh: they behave as if they had
// been modelled the other way round.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "clearance/contact/gcp_at_rest.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/simulation/build/solid.h"
#include "clearance/simulation/hints/body_facts.h"
#include "clearance/simulation/load/region.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

namespace fs = std::filesystem;

class MirroredBodies : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / (std::to_string(::getpid()) + "_mirrored_" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result<LoadedScene> scene(const std::string& bodies, const std::string& more = "") const {
    return load_scene_text("{" + more + R"("bodies": [)" + bodies + "]}", "scene", folder_);
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

  fs::path folder_;
};

/// Returns a wedge that no reflection maps onto itself, of order 1 to 4.
Mesh wedge(int dim, int order) {
  Mesh mesh = dim == 2 ? make_rectangle(2, 1, 2, 2) : make_box({2, 1, 1}, {2, 1, 1});
  for (Vec<3>& x : mesh.vertices) x = Vec<3>(x[0] + 0.2 * x[1] + 1.5, x[1] * (1 + 0.2 * x[0]), x[2] * (1 - 0.1 * x[1]));
  if (order > 1) change_order(mesh, order);
  return mesh;
}

TEST_F(MirroredBodies, DeformableOnesHaveTheirElementsTurnedBackInEveryOrderAndDimension) {
  for (const int dim : {2, 3}) {
    for (int order = 1; order <= 4; ++order) {
      const std::string name = fmt::format("wedge{}{}.msh", dim, order);
      const Mesh mesh = wedge(dim, order);
      ASSERT_TRUE(write_mesh(folder_ / name, mesh));
      const std::string dimension = fmt::format(R"("dimension": {}, )", dim);
      for (const std::string scale : {"[-1, 1, 1]", "[1, -2, 1]", "[-1, -1, 1]"}) {
        const auto loaded =
            scene(fmt::format(R"({{"mesh": "{}", "transform": {{"scale": {}}}}})", name, scale), dimension);
        for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
        const auto bodies = load_bodies(loaded->scene);
        ASSERT_TRUE(bodies) << to_string(bodies.issues().front());
        const Mesh& placed = bodies->instances[0].mesh;
        EXPECT_TRUE(find_element_defects(placed).empty()) << name << scale;
        EXPECT_EQ(placed.vertices.size(), mesh.vertices.size());
        EXPECT_EQ(placed.vertices[0], Vec<3>(mesh.vertices[0].cwiseProduct(loaded->scene.bodies[0].transform.scale)));
        const RunningScene plain(scene(fmt::format(R"({{"mesh": "{}"}})", name), dimension)), mirror(loaded);
        EXPECT_NEAR(mirror.total_mass(), plain.total_mass() * (scale == "[1, -2, 1]" ? 2.0 : 1.0),
                    1e-9 * plain.total_mass());
      }
    }
  }
}

TEST_F(MirroredBodies, WhatZIsScaledByDoesNotTurnElementsOfThePlane) {
  ASSERT_TRUE(write_mesh(folder_ / "wedge.msh", wedge(2, 1)));
  const auto loaded = scene(R"({"mesh": "wedge.msh", "transform": {"scale": [1, 1, -1]}})", R"("dimension": 2, )");
  EXPECT_TRUE(load_bodies(loaded->scene));
}

TEST_F(MirroredBodies, MoveAsTheMirrorImageOfTheOther) {
  ASSERT_TRUE(write_mesh(folder_ / "wedge.msh", wedge(3, 1)));
  const std::string material = R"("material": {"youngs_modulus": 1e5}, )";
  const std::string held = R"("motions": [{"region": {"box": [[0, 0, 0], [0.01, 1, 1]], "frame": "body"}}])";
  for (const std::string order : {"", R"("order": 2, )"}) {
    const auto body = [&](const std::string& scale) {
      return R"({"mesh": "wedge.msh", )" + material + order + R"("transform": {"scale": )" + scale + "}, " + held + "}";
    };
    const std::string time = R"("time": {"step": 0.02}, )";
    RunningScene plain(scene(body("[1, 1, 1]"), time)), mirror(scene(body("[-1, 1, 1]"), time));
    plain.steps(5);
    mirror.steps(5);
    ASSERT_EQ(plain.num_nodes(), mirror.num_nodes());
    double moved = 0.0;
    for (int i = 0; i < plain.num_nodes(); ++i) {
      const Vec<3> image = Vec<3>(-1, 1, 1).cwiseProduct(mirror.x(i));
      // (Convergence leaves a thousandth of the forces.)
      EXPECT_LT((image - plain.x(i)).norm(), 1e-3) << order << i;
      moved = std::max(moved, (plain.x(i) - plain.rest(i)).norm());
    }
    EXPECT_GT(moved, 0.02);
  }
}

TEST_F(MirroredBodies, KeepRegionsPartsDensitiesAndCollisionSurfaces) {
  const Mesh mesh = wedge(3, 1);
  ASSERT_TRUE(write_mesh(folder_ / "wedge.msh", mesh));
  ASSERT_TRUE(write_mesh(folder_ / "skin.obj", surface_of(mesh)));
  const std::string first = R"({"box": [[0, 0, 0], [0.5, 1, 1]], "frame": "body"})";
  const auto body = [&](const std::string& scale, const std::string& more) {
    return R"({"mesh": "wedge.msh", "transform": {"scale": )" + scale + "}, " + more + "}";
  };
  const auto compare = [&](const std::string& more) {
    const RunningScene plain(scene(body("[1, 1, 1]", more))), mirror(scene(body("[1, 1, -1]", more)));
    EXPECT_NEAR(plain.total_mass(), mirror.total_mass(), 1e-9) << more;
    EXPECT_LT((Vec<3>(1, 1, -1).cwiseProduct(mirror.center_of_mass()) - plain.center_of_mass()).norm(), 1e-12) << more;
  };
  compare(R"("material_parts": [{"region": )" + first + R"(, "material": {"density": 5000}}])");
  compare(R"("material_parts": [{"elements": [0, 3, 7], "material": {"density": 5000}}])");
  compare(R"("element_densities": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])");
  compare(R"("collision_surface": {"mesh": "skin.obj"})");
  const auto loaded = scene(body("[1, 1, -1]", R"("collision_surface": {"mesh": "skin.obj"})"));
  const auto bodies = load_bodies(loaded->scene);
  ASSERT_TRUE(bodies);
  EXPECT_TRUE(bodies->warnings.empty()) << to_string(bodies->warnings.front());
  const Mesh& skin = *bodies->instances[0].proxy;
  EXPECT_GT(mass_properties_of_solid(skin.vertices, skin.triangles).measure, 0.0);
}

constexpr const char* big = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
constexpr const char* small_vertices = "v 0.85 0.65 0.55\nv 0.55 0.65 0.55\nv 0.85 0.95 0.55\nv 0.85 0.65 0.85\n";
constexpr const char* inwards = "f 5 7 6\nf 5 6 8\nf 5 8 7\nf 6 7 8\n";
constexpr const char* outwards = "f 5 6 7\nf 5 8 6\nf 5 7 8\nf 6 8 7\n";

TEST_F(MirroredBodies, MirroredPartOfAStiffBodyWeighsAndCollidesAsTheOther) {
  write("in.obj", std::string(big) + small_vertices + inwards);
  write("out.obj", std::string(big) + small_vertices + outwards);
  for (const std::string kind : {"affine", "rigid"}) {
    for (const std::string formulation : {"ipc", "convergent", "gcp"}) {
      const auto rest = [&](const std::string& file) {
        RunningScene running(
            scene(R"({"mesh": ")" + file + R"(", "kind": ")" + kind +
                      R"(", "fixed_translation": true, "fixed_rotation": true},
               {"kind": "affine", "generator": {"kind": "box", "size": [0.4, 0.1, 0.4], "resolution": [2, 1, 2]},
                "transform": {"translation": [0.85, 1.02, 0.55]}})",
                  R"("gravity": [0, -9.81, 0], "time": {"step": 0.005}, "contact": {"formulation": ")" + formulation +
                      "\"}, "));
        EXPECT_NEAR(body_masses(running.scene())[0], 1000.0 * (1.0 + 0.027) / 6.0, 1e-9);
        running.steps(30);
        return running.x(running.num_nodes() - 4)[1];
      };
      EXPECT_NEAR(rest("in.obj"), rest("out.obj"), 1e-6) << kind << " " << formulation;
    }
  }
}

TEST_F(MirroredBodies, PartsWeighWhatTheyEncloseInEveryFormatKindAndDimension) {
  struct Part {
    double half;
    double x;
    bool points_inwards;
  };
  struct Case {
    std::string name;
    std::vector<Part> parts;
    double volume, area;  // [m^3], and of the same parts in the plane [m^2]
  };
  const std::vector<Case> cases = {{"inwards", {{1, 0, true}}, 8, 4},
                                   {"cavity_and_all_turned", {{2, 0, true}, {1, 0, false}}, 56, 12},
                                   {"two_apart", {{1, 0, false}, {0.5, 3, true}}, 9, 5},
                                   {"island", {{2, 0, false}, {1, 0, true}, {0.5, 0, false}}, 57, 13},
                                   {"island_turned", {{2, 0, false}, {1, 0, true}, {0.5, 0, true}}, 57, 13},
                                   {"two_cavities", {{2, 0, false}, {0.5, 1, true}, {0.5, -1, true}}, 62, 14},
                                   {"side_by_side", {{1, 0, false}, {1, 2, true}}, 16, 8}};
  for (const Case& c : cases) {
    Mesh solid, plane;
    plane.dim = 2;
    for (const Part& part : c.parts) {
      for (const bool is_plane : {false, true}) {
        Mesh& to = is_plane ? plane : solid;
        const int first = static_cast<int>(to.vertices.size());
        const double size = 2.0 * part.half;
        const Mesh one =
            surface_of(is_plane ? make_rectangle(size, size, 1, 1) : make_box(Vec<3>::Constant(size), {1, 1, 1}));
        for (const Vec<3>& x : one.vertices) to.vertices.push_back(x + Vec<3>(part.x, 0, 0));
        for (std::array<int, 3> t : one.triangles) {
          if (part.points_inwards) std::swap(t[0], t[1]);
          to.triangles.push_back({first + t[0], first + t[1], first + t[2]});
        }
        for (std::array<int, 2> e : one.edges) {
          if (part.points_inwards) std::swap(e[0], e[1]);
          to.edges.push_back({first + e[0], first + e[1]});
        }
      }
    }
    ASSERT_TRUE(write_mesh(folder_ / (c.name + ".obj"), solid));
    ASSERT_TRUE(write_mesh(folder_ / (c.name + ".off"), solid));
    ASSERT_TRUE(write_mesh(folder_ / (c.name + "_plane.obj"), plane));
    for (const std::string kind : {"affine", "rigid"}) {
      for (const std::string scale : {"[1, 1, 1]", "[-1, 1, 1]", "[-1, -1, -1]"}) {
        const auto weight = [&](const std::string& file, int dim) {
          SCOPED_TRACE(file + kind + scale);
          return body_masses(
              RunningScene(scene(fmt::format(R"({{"mesh": "{}", "kind": "{}", "transform": {{"scale": {}}}}})", file,
                                             kind, scale),
                                 fmt::format(R"("dimension": {}, )", dim)))
                  .scene())[0];
        };
        EXPECT_NEAR(weight(c.name + ".obj", 3), 1000.0 * c.volume, 1e-6);
        EXPECT_NEAR(weight(c.name + ".off", 3), 1000.0 * c.volume, 1e-6);
        EXPECT_NEAR(weight(c.name + "_plane.obj", 2), 1000.0 * c.area, 1e-6);
      }
    }
  }
}

TEST_F(MirroredBodies, CavityAndIslandOfAStiffBodyAreKnownToContact) {
  const auto box = [](double half, bool points_inwards, int first) {
    std::string text;
    const Mesh mesh = surface_of(make_box(Vec<3>::Constant(2.0 * half), {1, 1, 1}));
    for (const Vec<3>& x : mesh.vertices) text += fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
    for (const auto& [a, b, c] : mesh.triangles) {
      text += points_inwards ? fmt::format("f {} {} {}\n", first + a, first + c, first + b)
                             : fmt::format("f {} {} {}\n", first + a, first + b, first + c);
    }
    return text;
  };
  write("hollow.obj", box(2, false, 1) + box(1, true, 9) + box(0.5, false, 17));
  const auto loaded = scene(R"({"mesh": "hollow.obj", "kind": "affine"})", R"("contact": {"formulation": "gcp"}, )");
  const RunningScene running(loaded);
  EXPECT_NEAR(body_masses(running.scene())[0], 1000.0 * (64.0 - 8.0 + 1.0), 1e-6);
  for (const signed char outside : dynamic_cast<const GcpAtRest&>(*running.model().contact_at_rest).rest().outside)
    EXPECT_NE(outside, 0);
  const auto solid = Solid::of(loaded->scene, running.scene().bodies[0]);
  ASSERT_TRUE(solid);
  EXPECT_TRUE(solid->holds(Vec<3>(1.5, 0.1, 0.2)));
  EXPECT_FALSE(solid->holds(Vec<3>(0.7, 0.1, 0.2)));
  EXPECT_TRUE(solid->holds(Vec<3>(0.3, 0.1, 0.2)));
}

}  // namespace
}  // namespace clearance
