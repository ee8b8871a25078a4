// PolyFEM scenes made here: units, defaults, placement, selections and conditions.
#include "clearance/io/polyfem/polyfem_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <sstream>

#include "clearance/io/polyfem/polyfem_mesh.h"
#include "clearance/math/rotation.h"
#include "clearance/scene/expression.h"
#include "io/polyfem_support.h"

namespace clearance {
namespace {

using namespace polyfem_test;

class Polyfem : public testing::Test {
 protected:
  SceneDesc good(const std::string& text, std::size_t num_warnings = 0) const {
    return folder_.good(text, num_warnings);
  }
  /// Returns the numbers of the nodes of a mesh of the folder that a predicate selects.
  template <class Selects>
  static std::vector<int> nodes_of(const Mesh& mesh, const Selects& selects) {
    std::vector<int> nodes;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
      if (selects(mesh.vertices[v])) nodes.push_back(static_cast<int>(v));
    }
    return nodes;
  }
  const Mesh cube_ = make_box({1, 1, 1}, {2, 2, 2});
  Folder folder_;
};

TEST_F(Polyfem, IsRecognisedByItsContent) {
  const Result<LoadedScene> loaded = load_scene(folder_.file("a.json", scene_of(entry("cube.msh"))));
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(loaded->scene.name, "a");
  EXPECT_EQ(loaded->scene.bodies[0].mesh, "cube.msh");
}

TEST_F(Polyfem, EmptySettingsHaveItsDefaults) {
  const SceneDesc scene = good(scene_of(entry("cube.msh")));
  EXPECT_EQ(scene.dimension, 3);
  EXPECT_EQ(scene.gravity, Vec<3>(0, 0, 0));
  EXPECT_EQ(scene.time.integrator, TimeIntegrator::implicit_euler);
  EXPECT_EQ(scene.time.mass, MassKind::consistent);
  EXPECT_FALSE(scene.contact.enabled);
  EXPECT_EQ(scene.contact.dhat, 1e-3);
  EXPECT_TRUE(scene.contact.dhat_is_absolute);
  EXPECT_EQ(scene.contact.kappa, 0.0);
  EXPECT_EQ(scene.contact.stiffness, ContactStiffnessKind::published);
  EXPECT_EQ(scene.friction.coefficient, 0.0);
  EXPECT_EQ(scene.friction.eps_v, 1e-3);
  EXPECT_EQ(scene.friction.iterations, 1);
  EXPECT_EQ(scene.friction.stick, 0.0);
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::deformable);
}

TEST_F(Polyfem, EqualsTheSameNativeScene) {
  const SceneDesc scene = good(scene_of(
      entry("cube.msh", R"("transformation": {"scale": 0.5, "translation": [0, 1, 0], "rotation": [0, 30, 0]})") + "," +
          entry("flat.obj", R"("is_obstacle": true, "surface_selection": 7)"),
      R"("boundary_conditions": {"rhs": [0, 9.81, 0],
      "obstacle_displacements": [{"id": 7, "value": ["sin(t) / 2", 0, 0]}]}, "contact": {"enabled": true, "dhat": 0.01,
      "friction_coefficient": 0.5}, "solver": {"contact": {"barrier_stiffness": 1e6, "friction_iterations": -1}})"));
  const Result<LoadedScene> native = load_scene_text(R"({"gravity": [0, -9.81, 0],
      "time": {"step": 0.01, "duration": 1, "integrator": "implicit_euler", "mass": "consistent", "max_halvings": 0},
      "static": {"quadratic_elements": 0},
    "contact": {"gap_tolerance": 0, "scales": "scene", "stiffness": "published", "dhat": 0.01, "dhat_is_absolute": true, "kappa": 100},
    "friction": {"coefficient": 0.5, "eps_v": 1e-3, "eps_v_is_absolute": true, "stick": 0},
    "solver": {"force_tolerance": 1e-5},
    "bodies": [{"mesh": "cube.msh", "transform": {"scale": 0.5, "rotation": [0, 30, 0], "translation": [0, 1, 0]},
        "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.4}},
      {"mesh": "flat.obj", "kind": "obstacle", "motions": [{"displacement": ["sin((t)) / 2", "0", "0"]}]}]})",
                                                     "scene.json", folder_.path());
  for (const Issue& issue : native.issues()) ADD_FAILURE() << to_string(issue);
  ASSERT_TRUE(native.has_value());
  EXPECT_EQ(scene_to_json(scene), scene_to_json(native->scene));
}

TEST_F(Polyfem, TwoOfThreeNumbersGiveTheTime) {
  const auto time = [&](const std::string& text) {
    return good(std::string("{") + material + R"(, "geometry": )" + entry("cube.msh") + R"(, "time": )" + text + "}")
        .time;
  };
  EXPECT_EQ(time(R"({"tend": 2, "dt": 0.5})").duration, 2.0);
  EXPECT_EQ(time(R"({"tend": 2, "time_steps": 8})").step, 0.25);
  EXPECT_EQ(time(R"({"dt": 0.5, "time_steps": 8})").duration, 4.0);
  EXPECT_EQ(time(R"({"t0": 1, "tend": 2, "time_steps": 4})").step, 0.25);
  EXPECT_EQ(time(R"({"tend": 1, "dt": 0.1, "integrator": "BDF2"})").integrator, TimeIntegrator::bdf2);
  EXPECT_EQ(time(R"({"tend": 1, "dt": 0.1, "integrator": {"type": "BDF", "steps": 2}})").integrator,
            TimeIntegrator::bdf2);
  EXPECT_EQ(time(R"({"tend": 1, "dt": 0.1, "quasistatic": true})").integrator, TimeIntegrator::quasi_static);
  const TimeDesc newmark = time(R"({"tend": 1, "dt": 0.1, "integrator": {"type": "ImplicitNewmark", "beta": 0.3}})");
  EXPECT_EQ(newmark.integrator, TimeIntegrator::implicit_newmark);
  EXPECT_EQ(newmark.newmark_beta, 0.3);
}

TEST_F(Polyfem, StiffnessBecomesThatOfTheIncrementalPotential) {
  const auto kappa = [&](const std::string& time) {
    return good(std::string("{") + material + R"(, "geometry": )" + entry("cube.msh") + time +
                R"(, "contact": {"enabled": true}, "solver": {"contact": {"barrier_stiffness": 9e6}}})")
        .contact.kappa;
  };
  EXPECT_DOUBLE_EQ(kappa(R"(, "time": {"tend": 1, "dt": 0.1})"), 9e4);
  EXPECT_DOUBLE_EQ(kappa(R"(, "time": {"tend": 1, "dt": 0.1, "integrator": "BDF2"})"), 4e4);
  EXPECT_DOUBLE_EQ(kappa(R"(, "time": {"tend": 1, "dt": 0.1, "integrator": "ImplicitNewmark"})"), 2.25e4);
  EXPECT_DOUBLE_EQ(kappa(R"(, "time": {"tend": 1, "dt": 0.1, "quasistatic": true})"), 9e6);
  EXPECT_DOUBLE_EQ(kappa(""), 9e6) << "static";
}

TEST_F(Polyfem, FrictionIterationsCountDifferently) {
  const auto friction = [&](const std::string& iterations) {
    return good(scene_of(entry("cube.msh"), R"("contact": {"enabled": true, "friction_coefficient": 0.25, "epsv": 2e-4},
      "solver": {"contact": {"friction_iterations": )" +
                                                iterations + "}}"))
        .friction;
  };
  EXPECT_EQ(friction("-1").iterations, 0);
  EXPECT_EQ(friction("4").iterations, 4);
  EXPECT_EQ(friction("4").eps_v, 2e-4);
  EXPECT_EQ(friction("4").coefficient, 0.25);
  EXPECT_EQ(friction("0").coefficient, 0.0);
}

TEST_F(Polyfem, DistanceThatIsNotGivenIsShorterThanTheEdges) {
  const auto dhat = [&](const std::string& more) {
    return good(scene_of(entry("cube.msh", R"("transformation": {"scale": 0.001})"),
                         R"("contact": {"enabled": true)" + more + "}"))
        .contact.dhat;
  };
  EXPECT_NEAR(dhat(""), 0.8 * 0.0005, 1e-15);
  EXPECT_EQ(dhat(R"(, "dhat": 0.001)"), 0.001);
}

TEST_F(Polyfem, MeshesArePlacedByScaleRotationAndTranslation) {
  const auto transform = [&](const std::string& mesh, const std::string& text) {
    const std::string more = R"("is_obstacle": true, "transformation": )" + text;
    return good(scene_of(entry("cube.msh") + "," + entry(mesh, more))).bodies[1].transform;
  };
  EXPECT_EQ(transform("cube.msh", R"({"scale": 2})").scale, Vec<3>(2, 2, 2));
  EXPECT_EQ(transform("cube.msh", R"({"scale": [1, 2, 3]})").scale, Vec<3>(1, 2, 3));
  EXPECT_LT((transform("plate.msh", R"({"scale": 7, "dimensions": [2, 3, 4]})").scale - Vec<3>(2, 30, 4)).norm(),
            1e-12);
  EXPECT_EQ(transform("cube.msh", R"({"translation": [1, 2]})").translation, Vec<3>(1, 2, 0));
  // A flat body stays flat.
  EXPECT_EQ(transform("flat.obj", R"({"dimensions": [4, 0, 6]})").scale, Vec<3>(2, 1, 3));
  const auto rotation = [&](const std::string& text) {
    return rotation_from_euler_xyz(transform("cube.msh", text).rotation);
  };
  const Mat<3> x = rotation_from_euler_xyz({30, 0, 0}), y = rotation_from_euler_xyz({0, 40, 0}),
               z = rotation_from_euler_xyz({0, 0, 50});
  EXPECT_TRUE(rotation(R"({"rotation": [30, 40, 50]})").isApprox(z * y * x, 1e-14));
  EXPECT_TRUE(rotation(R"({"rotation": [30, 40, 50], "rotation_mode": "zyx"})").isApprox(x * y * z, 1e-14));
  EXPECT_TRUE(rotation(R"({"rotation": [40, 0, 2, 0], "rotation_mode": "axis_angle"})").isApprox(y, 1e-14));
  EXPECT_TRUE(rotation(R"({"rotation": [0, 0, 50], "rotation_mode": "rotation_vector"})").isApprox(z, 1e-14));
}

TEST_F(Polyfem, PlaneScenesHaveOneAngle) {
  const SceneDesc scene =
      good(scene_of(entry("square.obj", R"("transformation": {"rotation": 30, "translation": [1, 2], "scale": 3})"),
                    R"("boundary_conditions": {"rhs": [0, 9.81]})"));
  EXPECT_EQ(scene.dimension, 2);
  EXPECT_NEAR(scene.bodies[0].transform.rotation[2], 30, 1e-12);
  EXPECT_EQ(scene.bodies[0].transform.scale, Vec<3>(3, 3, 1));
  EXPECT_EQ(scene.gravity, Vec<3>(0, -9.81, 0));
}

TEST_F(Polyfem, ArraysAreSpacedBySizesIfTheySaySo) {
  const auto array = [&](const std::string& more) {
    return good(scene_of(entry("cube.msh", R"("type": "mesh_array", "transformation": {"scale": [1, 2, 4]},
      "array": {"size": [2, 1, 3], "offset": 1.5)" +
                                               more + "}")))
        .bodies[0]
        .array.value();
  };
  EXPECT_EQ(array("").counts, (std::array<int, 3>{2, 1, 3}));
  EXPECT_EQ(array("").spacing, Vec<3>(1.5, 1.5, 1.5));
  EXPECT_EQ(array(R"(, "relative": true)").spacing, Vec<3>(1.5, 3, 6));
}

TEST_F(Polyfem, MaterialsAreFoundByTheirNumbers) {
  const SceneDesc scene =
      good(R"({"time": {"dt": 0.01, "tend": 1}, "geometry": [)" + entry("cube.msh", R"("volume_selection": 3)") + "," +
           entry("plate.msh", R"("volume_selection": 2, "transformation": {"translation": [0, 3, 0]})") +
           R"(], "materials": [{"id": 2, "type": "SaintVenant", "E": 2e6, "nu": 0.25, "rho": 7},
      {"id": [1, 3], "type": "NeoHookean", "lambda": 3e5, "mu": 2e5, "rho": 8}]})");
  EXPECT_EQ(scene.bodies[1].material.model, ElasticModel::st_venant_kirchhoff);
  EXPECT_EQ(scene.bodies[1].material.youngs_modulus, 2e6);
  EXPECT_EQ(scene.bodies[1].material.density, 7);
  EXPECT_NEAR(scene.bodies[0].material.poisson_ratio, 0.3, 1e-15);
  EXPECT_NEAR(scene.bodies[0].material.youngs_modulus, 5.2e5, 1e-9);
}

TEST_F(Polyfem, SumsOfMaterialsAddTheirParameters) {
  const auto of = [&](const std::string& materials, std::size_t warnings) {
    return good(R"({"time": {"dt": 0.01, "tend": 1}, "geometry": )" + entry("cube.msh") + R"(, "materials": )" +
                    materials + "}",
                warnings)
        .bodies[0]
        .material;
  };
  const MaterialDesc sum =
      of(R"({"type": "MaterialSum", "rho": 5, "models": [{"type": "NeoHookean", "E": 1e5, "nu": 0.3},
      {"type": "NeoHookean", "E": 3e5, "nu": 0.3}, {"type": "InversionBarrier", "E": 1, "nu": 0}]})",
         1);
  EXPECT_NEAR(sum.youngs_modulus, 4e5, 1e-9);
  EXPECT_NEAR(sum.poisson_ratio, 0.3, 1e-15);
  EXPECT_EQ(sum.density, 5);
}

TEST_F(Polyfem, MaterialsOfThePlaneHaveItsParametersOfLame) {
  // lambda = E nu / (1 - nu^2), mu = E / (2 (1 + nu)); ours are those of plane strain.
  const MaterialDesc material = good(scene_of(entry("square.obj"))).bodies[0].material;
  const double e = material.youngs_modulus, nu = material.poisson_ratio;
  EXPECT_NEAR(e * nu / ((1 + nu) * (1 - 2 * nu)), 1e5 * 0.4 / (1 - 0.16), 1e-9);
  EXPECT_NEAR(e / (2 * (1 + nu)), 1e5 / 2.8, 1e-9);
}

TEST_F(Polyfem, ElementsOfOtherMaterialsAreParts) {
  const SceneDesc scene =
      good(R"({"time": {"dt": 0.01, "tend": 1}, "geometry": )" + entry("cube.msh", R"("volume_selection": [
        {"id": 5, "p1": [-0.25, -9, -0.25], "p2": [-0.25, 0, -0.25], "radius": 0.3},
        {"id": 6, "center": [0.5, 0.5, 0.5], "radius": 9, "relative": true}])") +
           R"(, "materials": [{"id": 5, "type": "NeoHookean", "E": 1e6, "nu": 0.3, "rho": 1},
        {"id": 6, "type": "NeoHookean", "E": 1e5, "nu": 0.3, "rho": 1}]})");
  EXPECT_EQ(scene.bodies[0].material.youngs_modulus, 1e5);
  ASSERT_EQ(scene.bodies[0].material_parts.size(), 1u);
  EXPECT_EQ(scene.bodies[0].material_parts[0].material.youngs_modulus, 1e6);
  // The part is the cell at the corner: six of 48 tetrahedra.
  EXPECT_EQ(scene.bodies[0].material_parts[0].elements.size(), 6u);
}

/// Returns the unit cube in tetrahedra, each with the physical group `number_of` its middle; 0: none.
template <class NumberOf>
Mesh grouped_cube(const NumberOf& number_of) {
  Mesh mesh = make_box({1, 1, 1}, {2, 2, 2});
  std::map<int, MeshGroup> groups;
  for (const auto& tet : mesh.tets) {
    Vec<3> middle = Vec<3>::Zero();
    for (const int v : tet) middle += 0.25 * mesh.vertices[v];
    const int number = number_of(middle);
    if (number == 0) continue;
    groups[number].number = number;
    groups[number].elements.push_back(tet);
  }
  for (auto& [number, group] : groups) mesh.groups.push_back(std::move(group));
  return mesh;
}

std::string gmsh_with_groups(const Mesh& mesh) {
  std::string text = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n" + std::to_string(mesh.vertices.size()) + "\n";
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const Vec<3>& x = mesh.vertices[v];
    text += fmt::format("{} {} {} {}\n", v + 1, x[0], x[1], x[2]);
  }
  text += "$EndNodes\n$Elements\n" + std::to_string(mesh.tets.size()) + "\n";
  for (std::size_t e = 0; e < mesh.tets.size(); ++e) {
    int number = 0;
    for (const MeshGroup& group : mesh.groups) {
      if (std::find(group.elements.begin(), group.elements.end(), mesh.tets[e]) != group.elements.end())
        number = group.number;
    }
    const auto& [a, b, c, d] = mesh.tets[e];
    text += fmt::format("{} 4 2 {} 1 {} {} {} {}\n", e + 1, number, a + 1, b + 1, c + 1, d + 1);
  }
  return text + "$EndElements\n";
}

constexpr const char* two_materials =
    R"({"time": {"dt": 0.01, "tend": 1}, "materials": [{"type": "NeoHookean", "id": 3, "E": 3e5, "nu": 0.3, "rho": 300},
      {"type": "NeoHookean", "id": 7, "E": 7e5, "nu": 0.3, "rho": 700}], "geometry": )";

TEST_F(Polyfem, BodyNumbersAreThoseOfTheMeshFileWhereNoSelectionGivesOne) {
  const auto upper = [](const Vec<3>& p) { return p[1] > 0.0; };
  folder_.file("grouped.msh", gmsh_with_groups(grouped_cube([&](const Vec<3>& p) { return upper(p) ? 7 : 3; })));
  const auto densities = [&](const std::string& more) {
    const SceneDesc scene = good(std::string(two_materials) + entry("grouped.msh", more) + "}");
    std::map<double, std::size_t> count;
    if (scene.bodies.empty()) return count;
    std::size_t num_in_parts = 0;
    for (const MaterialPartDesc& part : scene.bodies[0].material_parts) {
      count[part.material.density] += part.elements.size();
      num_in_parts += part.elements.size();
    }
    count[scene.bodies[0].material.density] += cube_.tets.size() - num_in_parts;
    return count;
  };
  const std::size_t half = cube_.tets.size() / 2;
  EXPECT_EQ(densities(""), (std::map<double, std::size_t>{{300, half}, {700, half}}));
  EXPECT_EQ(densities(R"("volume_selection": null)"), (std::map<double, std::size_t>{{300, half}, {700, half}}));
  EXPECT_EQ(densities(R"("n_refs": 1)"), (std::map<double, std::size_t>{{300, half}, {700, half}}))
      << "elements are numbered before they are refined";
  EXPECT_EQ(densities(R"("volume_selection": 3)"), (std::map<double, std::size_t>{{300, 2 * half}}));
  EXPECT_EQ(densities(R"("volume_selection": [{"id": 3, "axis": 1, "position": 0}])"),
            (std::map<double, std::size_t>{{300, half + half / 2}, {700, half / 2}}))
      << "a selection comes before the file";
  EXPECT_EQ(densities(R"("transformation": {"rotation": [0, 0, 90]})"),
            (std::map<double, std::size_t>{{300, half}, {700, half}}));
}

/// Writes two triangles or two tetrahedra, of number 3 and 7.
std::string two_elements(const std::string& format, int dim) {
  const std::string points = dim == 3 ? "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n" : "0 0 0\n1 0 0\n0 1 0\n2 2 0\n1 1 0\n";
  std::string nodes;
  std::istringstream lines(points);
  int number = 0;
  for (std::string line; std::getline(lines, line);) nodes += fmt::format("{} {}\n", ++number, line);
  const std::string first = dim == 3 ? "1 2 3 4" : "1 2 3", second = dim == 3 ? "2 3 4 5" : "2 5 3";
  if (format == "2.2") {
    const int type = dim == 3 ? 4 : 2;
    return fmt::format(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n5\n{}$EndNodes\n$Elements\n2\n1 {} 2 3 1 {}\n2 {} 2 7 1 {}\n"
        "$EndElements\n",
        nodes, type, first, type, second);
  }
  // The numbers of the entities differ from those of their groups.
  const std::string entities = dim == 3 ? "0 0 0 2" : "0 0 2 0";
  return fmt::format(
      "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n{0}\n7 0 0 0 1 1 1 1 3 0\n3 0 0 0 1 1 1 1 7 0\n$EndEntities\n"
      "$Nodes\n1 5 1 5\n{1} 7 0 5\n1\n2\n3\n4\n5\n{2}$EndNodes\n$Elements\n2 2 1 2\n{1} 7 {3} 1\n1 {4}\n{1} 3 {3} 1\n"
      "2 {5}\n$EndElements\n",
      entities, dim, points, dim == 3 ? 4 : 2, first, second);
}

TEST_F(Polyfem, BodyNumbersAreReadFromEveryFormatDimensionAndPlacement) {
  // Densities of the two elements.
  const auto densities = [&](const std::string& format, int dim, const std::string& more) {
    folder_.file("two.msh", two_elements(format, dim));
    const SceneDesc scene = good(std::string(two_materials) + entry("two.msh", more) + "}");
    std::vector<double> of_element;
    if (scene.bodies.empty()) return of_element;
    of_element.assign(2, scene.bodies[0].material.density);
    for (const MaterialPartDesc& part : scene.bodies[0].material_parts) {
      for (const int element : part.elements) of_element.at(element) = part.material.density;
    }
    return of_element;
  };
  const std::vector<double> expected = {300.0, 700.0}, one = {700.0, 700.0};
  for (const std::string format : {"2.2", "4.1"}) {
    for (const int dim : {2, 3}) {
      for (const std::string more :
           {"", R"("transformation": {"scale": [-1, 1, 1]})", R"("transformation": {"translation": [5, 0, 0]})",
            R"("n_refs": 2)", R"("extract": "volume")", R"("volume_selection": {"id_offset": 0})"}) {
        if (dim == 2 && more.find("[-1, 1, 1]") != std::string::npos) continue;
        if (dim == 2 && more.find("[5, 0, 0]") != std::string::npos) continue;
        EXPECT_EQ(densities(format, dim, more), expected) << format << dim << more;
      }
      EXPECT_EQ(densities(format, dim, R"("volume_selection": 7)"), one) << format << dim;
    }
  }
}

TEST_F(Polyfem, OffsetIsAddedToBodyNumbersOfTheMeshFile) {
  folder_.file("grouped.msh", gmsh_with_groups(grouped_cube([](const Vec<3>& p) { return p[0] > 0.0 ? 1 : 5; })));
  const SceneDesc scene =
      good(std::string(two_materials) + entry("grouped.msh", R"("volume_selection": {"id_offset": 2})") + "}");
  ASSERT_EQ(scene.bodies.size(), 1u);
  ASSERT_EQ(scene.bodies[0].material_parts.size(), 1u);
  EXPECT_EQ(scene.bodies[0].material.density + scene.bodies[0].material_parts[0].material.density, 1000.0);
}

TEST_F(Polyfem, ElementsWithoutGroupHaveNumberZero) {
  folder_.file("grouped.msh", gmsh_with_groups(grouped_cube([](const Vec<3>& p) { return p[0] > 0.0 ? 3 : 0; })));
  EXPECT_EQ(
      folder_.problems(std::string(two_materials) + entry("grouped.msh") + "}"),
      Lines{fmt::format("geometry.volume_selection: no material has the number 0, which {} of its {} elements has",
                        cube_.tets.size() / 2, cube_.tets.size())});
}

TEST_F(Polyfem, SidesOfATurnedMeshAreThoseOfItsBoxInTheWorld) {
  // Side 2 of the plate is the one below after each turn; the numbers are those of its nodes.
  const Mesh plate = make_box({1, 0.1, 1}, {1, 1, 1});
  for (const Vec<3>& angles : {Vec<3>(0, 0, 0), Vec<3>(0, 0, 90), Vec<3>(90, 0, 0), Vec<3>(0, 90, 180),
                               Vec<3>(0, 0, 270), Vec<3>(180, 0, 90), Vec<3>(-90, 90, 0)}) {
    const std::string more =
        fmt::format(R"("transformation": {{"rotation": [{}, {}, {}], "translation": [100, -20, 3]}}, {})", angles[0],
                    angles[1], angles[2], sides);
    const SceneDesc scene = good(scene_of(entry("plate.msh", more), R"("boundary_conditions": {"dirichlet_boundary":
        [{"id": 2, "value": [0, 0, 0]}]})"));
    const Mat<3> rotation = rotation_from_euler_xyz(angles);
    double lowest = infinity;
    for (const Vec<3>& v : plate.vertices) lowest = std::min(lowest, (rotation * v)[1]);
    ASSERT_EQ(scene.bodies.at(0).motions.size(), 1u) << angles.transpose();
    EXPECT_EQ(scene.bodies[0].motions[0].region.nodes,
              nodes_of(plate, [&](const Vec<3>& v) { return (rotation * v)[1] < lowest + 1e-9; }))
        << angles.transpose();
  }
}

TEST_F(Polyfem, SelectionsOfEveryKindHoldTheSameSideOfPlacedMeshes) {
  // The cube of 2 m around (3, 1, 0); below is y = 0.
  const std::string placed = R"("transformation": {"scale": 2, "translation": [3, 1, 0]}, "surface_selection": )";
  const auto below = nodes_of(cube_, [](const Vec<3>& v) { return v[1] < -0.49; });
  for (const std::string selection :
       {R"([{"id": 2, "box": [[1.9, -0.1, -1.1], [4.1, 0.1, 1.1]]}])",
        R"([{"id": 2, "box": [[-0.1, -0.1, -0.1], [1.1, 0.05, 1.1]], "relative": true}])",
        R"([{"id": 2, "axis": "-y", "position": 0.1}])",
        R"([{"id": 2, "axis": -2, "position": 0.1, "relative": true}])",
        R"([{"id": 2, "point": [0, 0.1, 0], "normal": [0, -1, 0]}])",
        R"([{"id": 2, "point": [0.5, 0.1, 0.5], "normal": [0, -1, 0], "relative": true}])",
        R"([{"id": 2, "p1": [3, -1, 0], "p2": [3, 0.1, 0], "radius": 2}])",
        R"([{"id": 2, "center": [3, -4, 0], "radius": 4.2}])", R"({"threshold": 1e-6})",
        R"([{"id": 9, "axis": "y", "position": 1.9}, {"id": 2, "axis": "-y", "position": 0.1}])"}) {
    const SceneDesc scene = good(scene_of(entry("cube.msh", placed + selection), R"("boundary_conditions":
        {"dirichlet_boundary": [{"id": 2, "value": [0, 0, 0]}]})"));
    ASSERT_EQ(scene.bodies.at(0).motions.size(), 1u) << selection;
    EXPECT_EQ(scene.bodies[0].motions[0].region.nodes, below) << selection;
  }
}

TEST_F(Polyfem, ThresholdsStandAmongOtherSelections) {
  const auto held = [&](const std::string& selection, int id) {
    const SceneDesc scene = good(scene_of(
        entry("cube.msh", R"("surface_selection": )" + selection),
        fmt::format(R"("boundary_conditions": {{"dirichlet_boundary": [{{"id": {}, "value": [0, 0, 0]}}]}})", id)));
    return scene.bodies.at(0).motions.at(0).region.nodes;
  };
  const auto below = nodes_of(cube_, [](const Vec<3>& v) { return v[1] < -0.49; });
  EXPECT_EQ(held(R"([{"threshold": 1e-6, "id_offset": 10}])", 12), below);
  EXPECT_EQ(held(R"([{"id": 50, "axis": -2, "position": -0.4999}, {"threshold": 1e-6}])", 50), below);
  EXPECT_EQ(held(R"({"threshold": -1})", 2), below) << "PolyFEM takes 1e-7";
}

TEST_F(Polyfem, BodyThatIsHeldAllAroundIsAnObstacle) {
  const SceneDesc scene =
      good(scene_of(entry("cube.msh") + "," + entry("plate.msh", R"("surface_selection": 4, "transformation":
      {"translation": [0, -2, 0]})"),
                    R"("boundary_conditions": {"dirichlet_boundary": {"id": 4, "value": [0, 0, 0]}})"));
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::deformable);
  EXPECT_EQ(scene.bodies[1].kind, BodyKind::obstacle);
  EXPECT_TRUE(scene.bodies[1].motions.empty());
}

TEST_F(Polyfem, BodyThatIsMovedAllAroundStaysABody) {
  const SceneDesc scene =
      good(scene_of(entry("cube.msh", R"("surface_selection": 4)"),
                    R"("boundary_conditions": {"dirichlet_boundary": {"id": "all", "value": ["t", 0, 0]}})"));
  EXPECT_EQ(scene.bodies[0].kind, BodyKind::deformable);
  ASSERT_EQ(scene.bodies[0].motions.size(), 1u);
  EXPECT_TRUE(scene.bodies[0].motions[0].region.surface_only);
  EXPECT_EQ(scene.bodies[0].motions[0].displacement.value(), (Expressions{"t", "0", "0"}));
}

TEST_F(Polyfem, SelectionsHoldTheNodesOfTheFacesWhoseMiddlesTheyHold) {
  const auto held = [&](const std::string& selection) {
    const SceneDesc scene =
        good(scene_of(entry("cube.msh", R"("surface_selection": )" + selection),
                      R"("boundary_conditions": {"dirichlet_boundary": {"id": 3, "value": [1, 0, 0]}})"));
    return scene.bodies[0].motions.at(0).region.nodes;
  };
  const auto top = nodes_of(cube_, [](const Vec<3>& x) { return x[1] > 0.49; });
  EXPECT_EQ(held(R"([{"id": 3, "axis": 2, "position": 0.49}])"), top);
  EXPECT_EQ(held(R"({"id": 3, "axis": "y", "position": 0.99, "relative": true})"), top);
  EXPECT_EQ(held(R"([{"id": 3, "box": [[-1, 0.49, -1], [1, 1, 1]]}])"), top);
  EXPECT_EQ(held(R"([{"id": 3, "box": [[1, 1, 1], [0, 0.99, 0]], "relative": true}])"), top) << "corners are sorted";
  EXPECT_EQ(held(R"([{"id": 3, "normal": [0, 2, 0], "point": [0, 0.49, 0]}])"), top);
  EXPECT_EQ(held(R"({"threshold": 1e-7, "id_offset": -1})"), top);
  EXPECT_EQ(held(R"([{"id": 3, "center": [0, 4.5, 0], "radius": 4.1}])"), top);
  EXPECT_EQ(held(R"([{"id": 3, "p1": [0, 0.4, 0], "p2": [0, 0.6, 0], "radius": 2}])"), top);
  EXPECT_EQ(held(R"([{"id": 9, "axis": -2, "position": 0.4}, {"id": 3, "axis": -2, "position": 0.6}])"), top)
      << "the first counts";
  const auto left = nodes_of(cube_, [](const Vec<3>& x) { return x[0] < -0.49; });
  EXPECT_EQ(held(R"([{"id": 3, "axis": "-x", "position": -0.49}])"), left);
}

TEST_F(Polyfem, CopiesOfAnArrayHaveTheirOwnSelections) {
  const SceneDesc scene = good(scene_of(
      entry("cube.msh", R"("type": "mesh_array", "array": {"size": [2, 1, 1], "offset": 2}, "surface_selection":
      [{"id": 3, "axis": -1, "position": 0.01, "relative": true}])"),
      R"("boundary_conditions": {"dirichlet_boundary": {"id": 3, "value": [0, 0, 0]}})"));
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[1].transform.translation, Vec<3>(2, 0, 0));
  EXPECT_EQ(scene.bodies[0].motions.at(0).region.nodes, nodes_of(cube_, [](const Vec<3>& x) { return x[0] < -0.49; }));
  EXPECT_TRUE(scene.bodies[1].motions.empty()) << "the left of the whole array";
}

TEST_F(Polyfem, PointsAreSelectedOneByOne) {
  const SceneDesc scene = good(
      scene_of(entry("cube.msh",
                     R"("surface_selection": 0, "point_selection": [{"id": 1, "box": [[-1, 0.4, -1], [-0.4, 1, 1]]}])"),
               R"("boundary_conditions": {"dirichlet_boundary": [{"id": 1, "value": [0, 0, 0]}]})"));
  EXPECT_EQ(scene.bodies[0].motions.at(0).region.nodes,
            nodes_of(cube_, [](const Vec<3>& x) { return x[1] > 0.4 && x[0] < -0.4; }));
}

TEST_F(Polyfem, NodeThatTwoConditionsHoldFollowsTheFirst) {
  const SceneDesc scene = good(scene_of(entry("cube.msh", sides), R"("boundary_conditions": {"dirichlet_boundary": [
        {"id": 4, "value": [0, "t", 0], "dimension": [false, true, false]}, {"id": 3, "value": ["t", 0, 0]}]})"));
  const auto& motions = scene.bodies[0].motions;
  ASSERT_EQ(motions.size(), 3u);
  EXPECT_EQ(motions[0].components, (std::array<bool, 3>{false, true, false}));
  EXPECT_EQ(motions[0].region.nodes.size(), 9u);
  // The edge belongs to both sides: y is already taken.
  EXPECT_EQ(motions[1].components, (std::array<bool, 3>{true, false, true}));
  EXPECT_EQ(motions[1].region.nodes.size(), 3u);
  EXPECT_EQ(motions[2].components, (std::array<bool, 3>{true, true, true}));
  EXPECT_EQ(motions[2].region.nodes.size(), 6u);
}

TEST_F(Polyfem, ForcesAndVelocitiesBecomeLoadsAndMotions) {
  const SceneDesc scene = good(scene_of(entry("cube.msh", std::string(sides) + R"(, "volume_selection": 2)"),
                                        R"("boundary_conditions": {"rhs": [0, "9.81 * t", 1],
      "neumann_boundary": [{"id": 4, "value": [0, -100, 0]}, {"id": 2, "value": [0, "t^2", 0]}]},
      "initial_conditions": {"velocity": [{"id": 2, "value": ["2 * y", 0, 0]}]})"));
  const BodyDesc& body = scene.bodies[0];
  ASSERT_EQ(body.loads.size(), 3u);
  EXPECT_EQ(body.loads[0].kind, LoadKind::traction);
  EXPECT_EQ(body.loads[0].value, Vec<3>(0, -100, 0));
  EXPECT_EQ(body.loads[0].region.nodes, nodes_of(cube_, [](const Vec<3>& x) { return x[1] > 0.49; }));
  EXPECT_EQ(body.loads[1].expression.value()[1], "(t ^ 2)");
  EXPECT_EQ(body.loads[2].kind, LoadKind::acceleration);
  EXPECT_EQ(body.loads[2].expression.value(), (Expressions{"-(0)", "-(9.81 * t)", "-(1)"}));
  EXPECT_EQ(scene.gravity, Vec<3>(0, 0, 0));
  EXPECT_EQ(body.velocity.value()[0], "2 * y");
  const SceneDesc thrown = good(scene_of(entry("cube.msh", R"("volume_selection": 2)"),
                                         R"("initial_conditions": {"velocity": {"id": 2, "value": [1, 2, 3]}})"));
  EXPECT_EQ(thrown.bodies[0].linear_velocity, Vec<3>(1, 2, 3));
}

TEST_F(Polyfem, AFaceThatIsNotSelectedDividesALoad) {
  // The face to be left out has its corners in common with others of its side.
  const std::vector<PolyfemFace> faces = boundary_faces(cube_);
  const auto corners = [&](const PolyfemFace& face) { return std::span(face.nodes).first(3); };
  const auto middle = [&](const PolyfemFace& face) {
    Vec<3> sum = Vec<3>::Zero();
    for (const int v : corners(face)) sum += cube_.vertices[v] / 3.0;
    return sum;
  };
  const auto is_above = [&](const PolyfemFace& face) { return middle(face)[1] > 0.49; };
  const auto left_out = std::find_if(faces.begin(), faces.end(), [&](const PolyfemFace& face) {
    return is_above(face) && middle(face).cwiseAbs().minCoeff() < 0.2;
  });
  ASSERT_NE(left_out, faces.end());
  const Vec<3> low = middle(*left_out).array() - 0.01, high = middle(*left_out).array() + 0.01;
  const std::string selection = fmt::format(
      R"("surface_selection": [{{"id": 9, "box": [[{}, {}, {}], [{}, {}, {}]]}}, {{"id": 4, "axis": "y", "position": 0.49}}])",
      low[0], low[1], low[2], high[0], high[1], high[2]);
  const SceneDesc scene = good(scene_of(
      entry("cube.msh", selection), R"("boundary_conditions": {"neumann_boundary": [{"id": 4, "value": [0, 1, 0]}]})"));
  const std::vector<LoadDesc>& loads = scene.bodies[0].loads;
  EXPECT_GT(loads.size(), 1U);
  for (const PolyfemFace& face : faces) {
    const auto num_loads = std::count_if(loads.begin(), loads.end(), [&](const LoadDesc& load) {
      return std::all_of(corners(face).begin(), corners(face).end(), [&](int v) {
        return std::find(load.region.nodes.begin(), load.region.nodes.end(), v) != load.region.nodes.end();
      });
    });
    EXPECT_EQ(num_loads, is_above(face) && &face != &*left_out ? 1 : 0) << middle(face).transpose();
  }
}

TEST_F(Polyfem, ConvergentFormulationAndItsPartsAreSelected) {
  const auto contact = [&](const std::string& flags) {
    return good(scene_of(entry("cube.msh"), R"("contact": {"enabled": true, )" + flags +
                                                R"(}, "solver": {"contact": {"barrier_stiffness": 1e4}})"))
        .contact;
  };
  const ContactDesc convergent = contact(R"("use_convergent_formulation": true)");
  EXPECT_EQ(convergent.formulation(), ContactFormulation::convergent);
  EXPECT_EQ(std::get<ConvergentOptions>(convergent.options).improved_max, true);
  EXPECT_EQ(convergent.kappa, 1e4);  // [Pa]
  const ContactDesc areas = contact(R"("use_area_weighting": true)");
  EXPECT_EQ(areas.formulation(), ContactFormulation::ipc);
  EXPECT_EQ(std::get<IpcOptions>(areas.options).area_weights, true);
  EXPECT_FALSE(std::get<IpcOptions>(areas.options).physical_barrier.has_value());
  EXPECT_NEAR(areas.kappa, 1.0, 1e-12);  // in the incremental potential
  const ContactDesc parts = contact(R"("use_convergent_formulation": true, "use_improved_max_operator": false)");
  EXPECT_EQ(std::get<ConvergentOptions>(parts.options).improved_max, false);
}

TEST_F(Polyfem, OrientationAwareFormulationIsSelectedByBothOfItsNames) {
  for (const std::string key : {"use_gcp_formulation", "use_smooth_formulation"}) {
    const std::string text = scene_of(entry("cube.msh"), R"("contact": {"enabled": true, "alpha_t": 0.5, ")" + key +
                                                             R"(": true, "use_adaptive_dhat": true}, "solver":
        {"contact": {"barrier_stiffness": 1e4}})");
    const ContactDesc contact = good(text, 1).contact;
    EXPECT_EQ(contact.formulation(), ContactFormulation::gcp);
    const GcpOptions& gcp = std::get<GcpOptions>(contact.options);
    EXPECT_EQ(gcp.alpha_t, 0.5);
    EXPECT_EQ(gcp.alpha_n, GcpOptions().alpha_n);
    EXPECT_TRUE(gcp.adaptive_dhat);
    EXPECT_EQ(contact.kappa, 0.0);  // theirs has another unit
  }
}

TEST_F(Polyfem, PressuresFollowTheSurface) {
  const SceneDesc scene = good(scene_of(entry("cube.msh", sides), R"("boundary_conditions": {"pressure_boundary": [
        {"id": 4, "value": {"value": 2, "unit": "kPa"}}, {"id": 2, "value": "5 * t"}]})"));
  const auto& loads = scene.bodies[0].loads;
  ASSERT_EQ(loads.size(), 2u);
  EXPECT_EQ(loads[0].kind, LoadKind::pressure);
  EXPECT_EQ(loads[0].pressure, "(2) * 1000");
  EXPECT_EQ(loads[0].region.nodes, nodes_of(cube_, [](const Vec<3>& x) { return x[1] > 0.49; }));
  EXPECT_EQ(loads[1].pressure, "5 * t");
  EXPECT_EQ(
      folder_.problems(scene_of(entry("cube.msh", sides), R"("boundary_conditions": {"pressure_boundary": [
        {"id": 4, "value": "x"}]})")),
      (Lines{"boundary_conditions.pressure_boundary[0].value: a pressure that varies in space is not supported yet; "
             "expected a formula in t (got x)"}));
}

TEST_F(Polyfem, TablesOverTimeAreLinearBetweenTheirTimes) {
  const SceneDesc scene = good(scene_of(entry("cube.msh", sides), R"("boundary_conditions": {"dirichlet_boundary":
      [{"id": 4, "value": [[0, 1, -1], 0, [1, 1, 2]], "time_reference": [0, 0.5, 1]}],
      "pressure_boundary": [{"id": 2, "value": [10, 20], "time_reference": [0, 1]}]})"));
  const Expressions moved = scene.bodies.at(0).motions.at(0).displacement.value();
  const auto at = [](const std::string& formula, double t) {
    return evaluate({formula, "0", "0"}, "formula", t, std::vector<Vec<3>>{Vec<3>::Zero()}, {}).value()[0][0];
  };
  for (const auto& [t, x, z] : {std::array{-1.0, 0.0, 1.0}, std::array{0.0, 0.0, 1.0}, std::array{0.25, 0.5, 1.0},
                                std::array{0.5, 1.0, 1.0}, std::array{0.75, 0.0, 1.5}, std::array{2.0, -1.0, 2.0}}) {
    EXPECT_DOUBLE_EQ(at(moved[0], t), x) << t;
    EXPECT_DOUBLE_EQ(at(moved[2], t), z) << t;
  }
  EXPECT_EQ(moved[1], "0");
  EXPECT_DOUBLE_EQ(at(scene.bodies[0].loads.at(0).pressure, 0.25), 12.5);
}

TEST_F(Polyfem, LongTablesOverTimeAreRead) {
  std::string times = "0", values = "0";
  for (int i = 1; i < 200; ++i) {
    times += fmt::format(", {}", 0.01 * i);
    values += fmt::format(", {}", i % 7);
  }
  const SceneDesc scene = good(
      scene_of(entry("cube.msh", sides), R"("boundary_conditions": {"dirichlet_boundary": [{"id": 4, "value": [[)" +
                                             values + R"(], 0, 0], "time_reference": [)" + times + "]}]}"));
  const Expressions moved = scene.bodies.at(0).motions.at(0).displacement.value();
  EXPECT_NEAR(evaluate(moved, "formula", 1.985, std::vector<Vec<3>>{Vec<3>::Zero()}, {}).value()[0][0], 2.5, 1e-9);
}

TEST_F(Polyfem, SequencesOfMeshesMoveObstacles) {
  const auto flat_at = [](double y) {
    return fmt::format("v -1 {0} -1\nv 1 {0} -1\nv 1 {0} 1\nv -1 {0} 1\nf 1 3 2\nf 1 4 3\n", y);
  };
  for (const int n : {1, 2, 10}) folder_.file(fmt::format("frames/f{}.obj", n), flat_at(0.1 * n));
  const auto body = [&](const std::string& sequence) {
    const SceneDesc scene =
        good(scene_of(entry("cube.msh") + R"(, {"type": "mesh_sequence", "is_obstacle": true, "fps": 20,
        "transformation": {"scale": 2, "translation": [0, -3, 0]}, "mesh_sequence": )" +
                      sequence + "}"));
    return scene.bodies.at(1);
  };
  const std::vector<std::string> in_order = {"frames/f1.obj", "frames/f2.obj", "frames/f10.obj"};
  for (const char* sequence : {R"("frames")", R"("frames/*.obj")", R"("frames/f?*.obj")",
                               R"(["frames/f1.obj", "frames/f2.obj", "frames/f10.obj"])"}) {
    const BodyDesc obstacle = body(sequence);
    EXPECT_EQ(obstacle.kind, BodyKind::obstacle);
    EXPECT_EQ(obstacle.mesh, "frames/f1.obj");
    ASSERT_EQ(obstacle.motions.size(), 1u);
    EXPECT_EQ(obstacle.motions[0].mesh_files, in_order) << sequence;
    EXPECT_EQ(obstacle.motions[0].mesh_rate, 20.0);
    EXPECT_FALSE(obstacle.motions[0].mesh_is_placed);
  }
}

TEST_F(Polyfem, SequencesOfMeshesOfEveryFormatAndNumberingAreInOrder) {
  const std::string off = "OFF\n4 2 0\n-1 0 -1\n1 0 -1\n1 0 1\n-1 0 1\n3 0 2 1\n3 0 3 2\n";
  const std::string obj = "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nf 1 3 2\nf 1 4 3\n";
  for (const char* name : {"a/9.off", "a/10.off", "a/100.off", "b/frame-1.obj", "b/frame-2.obj", "b/frame-12.obj",
                           "c/m_0002.obj", "c/m_0001.obj"}) {
    folder_.file(name, std::string(name).ends_with("off") ? off : obj);
  }
  folder_.file("b/notes.txt", "no mesh");
  const auto files = [&](const std::string& sequence, const std::string& more) {
    const SceneDesc scene = good(scene_of(
        entry("cube.msh") + R"(, {"type": "mesh_sequence", "is_obstacle": true, "transformation": {"translation":
        [0, -3, 0]}, "mesh_sequence": )" +
        sequence + more + "}"));
    return scene.bodies.at(1).motions.at(0).mesh_files;
  };
  EXPECT_EQ(files(R"("a")", R"(, "fps": 1)"), (Lines{"a/9.off", "a/10.off", "a/100.off"}));
  EXPECT_EQ(files(R"("a/*.off")", R"(, "fps": 1)"), (Lines{"a/9.off", "a/10.off", "a/100.off"}));
  EXPECT_EQ(files(R"("b/*.obj")", R"(, "fps": 0.5)"), (Lines{"b/frame-1.obj", "b/frame-2.obj", "b/frame-12.obj"}));
  EXPECT_EQ(files(R"("c")", R"(, "fps": 30)"), (Lines{"c/m_0001.obj", "c/m_0002.obj"}));
  EXPECT_EQ(files(R"(["c/m_0002.obj", "c/m_0001.obj", "c/m_0002.obj"])", R"(, "fps": 30)"),
            (Lines{"c/m_0002.obj", "c/m_0001.obj", "c/m_0002.obj"}))
      << "a list keeps its order";
  const auto refused = [&](const std::string& sequence) {
    return !folder_.read(scene_of(entry("cube.msh") + R"(, {"type": "mesh_sequence", "is_obstacle": true, "fps": 1,
        "mesh_sequence": )" + sequence +
                                  "}"));
  };
  for (const char* sequence :
       {R"("nowhere")", R"("nowhere/*.obj")", "[]", R"(["c/m_0001.obj", "c/m_0009.obj"])", "7"}) {
    EXPECT_TRUE(refused(sequence)) << sequence;
  }
}

TEST_F(Polyfem, RootPathsOfEveryFormNameTheSameFolder) {
  fs::create_directories(folder_.path() / "data/deep");
  fs::copy_file(folder_.path() / "cube.msh", folder_.path() / "data/deep/body.msh");
  folder_.file("data/settings.json", scene_of(entry("deep/body.msh")));
  const std::string data = (folder_.path() / "data").string();
  for (const std::string& root : {std::string("data"), std::string("data/"), std::string("./data"),
                                  std::string("data/deep/.."), std::string("data/settings.json"),
                                  std::string("data/missing.json"), data, data + "/", data + "/settings.json"}) {
    const SceneDesc scene = good(scene_of(entry("deep/body.msh"), R"("root_path": ")" + root + '"'));
    ASSERT_EQ(scene.bodies.size(), 1u) << root;
    EXPECT_EQ(fs::weakly_canonical(folder_.path() / scene.bodies[0].mesh),
              fs::weakly_canonical(folder_.path() / "data/deep/body.msh"))
        << root;
  }
}

TEST_F(Polyfem, RootPathMayNameAFile) {
  // Programs that keep the path of the scene itself write it so.
  folder_.file("elsewhere/base.json", scene_of(entry("meshes/cube.msh")));
  fs::create_directories(folder_.path() / "elsewhere/meshes");
  fs::copy_file(folder_.path() / "cube.msh", folder_.path() / "elsewhere/meshes/cube.msh");
  fs::create_directories(folder_.path() / "over");
  const auto mesh_of = [&](const std::string& text) {
    const Result<LoadedScene> loaded = load_scene(folder_.file("over/scene.json", text), SceneFormat::polyfem);
    for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
    return loaded ? loaded->scene.bodies.at(0).mesh : "";
  };
  const std::string absolute = (folder_.path() / "elsewhere/base.json").string();
  for (const std::string& root : {std::string("../elsewhere/base.json"), std::string("../elsewhere/not_there.json"),
                                  std::string("../elsewhere"), absolute}) {
    EXPECT_EQ(mesh_of(scene_of(entry("meshes/cube.msh"), R"("root_path": ")" + root + '"')),
              "../elsewhere/meshes/cube.msh")
        << root;
    EXPECT_EQ(mesh_of(R"({"common": "base.json", "root_path": ")" + root + R"("})"), "../elsewhere/meshes/cube.msh")
        << root;
  }
  folder_.file("elsewhere/rooted.json", scene_of(entry("meshes/cube.msh"), R"("root_path": "base.json")"));
  EXPECT_EQ(mesh_of(R"({"common": "../elsewhere/rooted.json"})"), "../elsewhere/meshes/cube.msh")
      << "the root of the base counts";
}

TEST_F(Polyfem, ValuesMayHaveUnits) {
  const SceneDesc scene = good(R"({"time": {"dt": {"value": 10, "unit": "ms"}, "tend": 1}, "geometry": )" +
                               entry("cube.msh") + R"(, "materials": {"type": "NeoHookean",
      "E": {"value": 2, "unit": "MPa"}, "nu": 0.4, "rho": {"value": 2, "unit": "g/cm^3"}}})");
  EXPECT_DOUBLE_EQ(scene.time.step, 0.01);
  EXPECT_DOUBLE_EQ(scene.bodies[0].material.youngs_modulus, 2e6);
  EXPECT_DOUBLE_EQ(scene.bodies[0].material.density, 2000);
}

TEST_F(Polyfem, PlanesAreObstaclesOfTheirOwn) {
  const SceneDesc scene = good(scene_of(entry("cube.msh") + R"(, {"type": "ground", "height": -2},
      {"type": "plane", "point": [1, 2, 3], "normal": [0, 0, 1]})"),
                               2);
  ASSERT_EQ(scene.half_spaces.size(), 2u);
  EXPECT_EQ(scene.half_spaces[0].point, Vec<3>(0, -2, 0));
  EXPECT_EQ(scene.half_spaces[1].normal, Vec<3>(0, 0, 1));
}

}  // namespace
}  // namespace clearance
