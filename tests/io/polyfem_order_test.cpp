// Orders of elements of PolyFEM scenes, curved meshes, and surfaces for collision alone.
#include <filesystem>

#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/refine.h"
#include "clearance/geometry/surface.h"
#include "clearance/io/mesh/mesh_reader.h"
#include "io/polyfem_support.h"
#include "io/weights_file.h"

namespace clearance {
namespace {

using namespace polyfem_test;

/// Bends by a quadratic map, whose shape elements of order 2 represent exactly.
Vec<3> bent(const Vec<3>& x) {
  return {x[0] + 0.1 * x[2] * x[2], x[1] - 0.1 * x[0] * x[2], x[2]};
}

Mesh bent_mesh(Mesh mesh, int order) {
  change_order(mesh, order);
  for (Vec<3>& x : mesh.vertices) x = bent(x);
  return mesh;
}

class PolyfemOrder : public testing::Test {
 protected:
  void write(const std::string& name, const Mesh& mesh) const {
    for (const Issue& issue : write_mesh(folder_.path() / name, mesh).issues()) ADD_FAILURE() << to_string(issue);
  }
  static std::string space(const std::string& order) { return R"("space": {"discr_order": )" + order + "}"; }
  std::vector<int> orders(const std::string& geometry, const std::string& order, std::size_t num_warnings = 0) const {
    std::vector<int> orders;
    for (const BodyDesc& body : folder_.good(scene_of(geometry, space(order)), num_warnings).bodies)
      orders.push_back(body.order);
    return orders;
  }
  /// Returns the numbers of nodes at the right end of a cube whose elements have that order.
  static std::vector<int> nodes_at_right(Mesh mesh, int order) {
    change_order(mesh, order);
    std::vector<int> nodes;
    for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
      if (mesh.vertices[v][0] > 0.499) nodes.push_back(static_cast<int>(v));
    }
    return nodes;
  }
  std::vector<int> held_at_right(const std::string& mesh, int order) const {
    const SceneDesc scene = folder_.good(scene_of(
        entry(mesh, sides), space(std::to_string(order)) +
                                R"(, "boundary_conditions": {"dirichlet_boundary": {"id": 3, "value": [1, 0, 0]}})"));
    return scene.bodies[0].motions.at(0).region.nodes;
  }
  const Mesh cube_ = make_box({1, 1, 1}, {2, 2, 2});
  Folder folder_;
};

TEST_F(PolyfemOrder, IsANumberOrAListForVolumes) {
  const std::string two = entry("cube.msh", R"("volume_selection": 1)") + "," +
                          entry("plate.msh", R"("volume_selection": 2, "transformation": {"translation": [0, 3, 0]})");
  EXPECT_EQ(orders(two, "1"), (std::vector<int>{0, 0}));
  EXPECT_EQ(orders(two, "3"), (std::vector<int>{3, 3}));
  EXPECT_EQ(orders(two, R"([{"id": 2, "order": 2}])"), (std::vector<int>{0, 2})) << "others are linear";
  EXPECT_EQ(orders(two, R"([{"id": [1, 2], "order": 2}, {"id": 2, "order": 4}])"), (std::vector<int>{2, 4}))
      << "the last counts";
  EXPECT_EQ(orders(two, R"({"id": "all", "order": 2})"), (std::vector<int>{2, 2}));
  EXPECT_EQ(orders(entry("square.obj"), "3"), (std::vector<int>{3}));
  EXPECT_EQ(orders(entry("cube.msh"), "[]"), (std::vector<int>{0}));
}

TEST_F(PolyfemOrder, OfNoElementsIsNone) {
  const SceneDesc scene = folder_.good(scene_of(
      entry("cube.msh") + "," + entry("flat.obj", R"("volume_selection": [{"id": 1, "axis": 1, "position": 0}])"),
      space(R"([{"id": 0, "order": 2}])")));
  EXPECT_EQ(scene.bodies.at(0).order, 2);
  EXPECT_EQ(scene.bodies.at(1).order, 0);
}

TEST_F(PolyfemOrder, OfWhatIsNotSimulatedIsNone) {
  const std::string cubes =
      entry("cube.msh", R"("volume_selection": 1)") + "," +
      entry("plate.msh", R"("is_obstacle": true, "transformation": {"translation": [0, 3, 0]})") + "," +
      entry("cube.msh", R"("surface_selection": 4, "transformation": {"translation": [0, 6, 0]})");
  const SceneDesc scene = folder_.good(scene_of(
      cubes, space("2") + R"(, "boundary_conditions": {"dirichlet_boundary": {"id": 4, "value": [0, 0, 0]}})"));
  ASSERT_EQ(scene.bodies.size(), 3u);
  EXPECT_EQ(scene.bodies[0].order, 2);
  EXPECT_EQ(scene.bodies[1].order, 0);
  EXPECT_EQ(scene.bodies[2].kind, BodyKind::obstacle) << "held all around";
  EXPECT_EQ(scene.bodies[2].order, 0);
}

TEST_F(PolyfemOrder, OfCurvedMeshesIsThatOfTheirShape) {
  write("bent.msh", bent_mesh(cube_, 2));
  EXPECT_EQ(orders(entry("bent.msh"), "2"), (std::vector<int>{2}));
  EXPECT_EQ(orders(entry("bent.msh"), "4"), (std::vector<int>{4}));
  EXPECT_EQ(orders(entry("bent.msh"), "1", 1), (std::vector<int>{2}));
  EXPECT_EQ(folder_.problems(scene_of(entry("bent.msh"))),
            Lines{"geometry[0].mesh: warning: the elements are curved, of order 2, and displacements of order 1 "
                  "(space.discr_order) cannot rotate them without strain, so that both have order 2 here; for the "
                  "published orders use `order` 1 with `keep_shape` in the native scene (got \"bent.msh\")"});
  write("bent4.msh", bent_mesh(cube_, 4));
  EXPECT_EQ(folder_.problems(scene_of(entry("bent4.msh"), space("2"))),
            Lines{"geometry[0].mesh: warning: the elements are curved, of order 4, and displacements of order 2 "
                  "(space.discr_order) cannot rotate them without strain, so that both have order 2 here; for the "
                  "published orders use `order` 2 with `keep_shape` in the native scene (got \"bent4.msh\")"});
  EXPECT_EQ(folder_.problems(scene_of(entry("bent.msh", R"("n_refs": 1)"), space("2"))),
            Lines{"geometry[0].n_refs: the mesh has curved elements, but only linear elements can be refined (got 1)"});
}

TEST_F(PolyfemOrder, OfSeveralInOneMeshIsTheHighest) {
  const std::string halves = entry("cube.msh", R"("volume_selection": [{"id": 1, "axis": 1, "position": 0}])");
  const std::string scene = R"({"time": {"dt": 0.01, "tend": 1}, "geometry": )" + halves + R"(, "materials":
      {"type": "NeoHookean", "E": 1e5, "nu": 0.4}, )";
  EXPECT_EQ(folder_.good(scene + space(R"([{"id": 1, "order": 3}])") + "}", 1).bodies[0].order, 3);
  EXPECT_EQ(folder_.problems(scene + space(R"([{"id": 1, "order": 3}, {"id": 7, "order": 2}])") + "}"),
            (Lines{"geometry.volume_selection: warning: the body has elements of orders 1 to 3 (space.discr_order), "
                   "but here all elements of a body have the same order; order 3 is used (got [... 1 entries])",
                   "space.discr_order[1].id: warning: this entry has no effect, because no element has this number"}));
}

TEST_F(PolyfemOrder, ThatIsNoneSaysWhatIsExpected) {
  const auto of = [&](const std::string& order) { return folder_.problems(scene_of(entry("cube.msh"), space(order))); };
  EXPECT_EQ(of("0"), Lines{"space.discr_order: expected an order from 1 to 4 (got 0)"});
  EXPECT_EQ(of("5"), Lines{"space.discr_order: expected an order from 1 to 4 (got 5)"});
  EXPECT_EQ(of("1.5"), Lines{"space.discr_order: expected an order from 1 to 4 (got 1.5)"});
  EXPECT_EQ(of(R"("orders.txt")"),
            Lines{"space.discr_order: orders from files are not supported yet (got \"orders.txt\")"});
  EXPECT_EQ(of(R"([{"id": "top", "order": 2}, {"id": 0}])"),
            (Lines{"space.discr_order[0].id: expected a number or a list of numbers (got \"top\")",
                   "space.discr_order[1].order: expected an order from 1 to 4"}));
}

TEST_F(PolyfemOrder, HeldFacesHoldAllTheirNodes) {
  EXPECT_EQ(nodes_at_right(cube_, 1).size(), 9u);
  for (const int order : {1, 2, 3, 4}) {
    EXPECT_EQ(held_at_right("cube.msh", order), nodes_at_right(cube_, order)) << order;
    EXPECT_EQ(nodes_at_right(cube_, order).size(), (2 * order + 1) * (2 * order + 1));
  }
  write("bent.msh", bent_mesh(cube_, 2));
  const SceneDesc scene = folder_.good(
      scene_of(entry("bent.msh", R"("surface_selection": [{"id": 3, "axis": "x", "position": 0.49}])"),
               space("3") + R"(, "boundary_conditions": {"dirichlet_boundary": {"id": 3, "value": [1, 0, 0]}})"));
  EXPECT_EQ(scene.bodies[0].motions.at(0).region.nodes.size(), 49u) << "by the middles of corners";
}

// Bodies are turned before their nodes are numbered.
TEST_F(PolyfemOrder, OfElementsSeenFromBehindHoldsTheSameNodes) {
  Mesh inverted = cube_;
  for (auto& tet : inverted.tets) std::swap(tet[0], tet[1]);
  write("inverted.msh", inverted);
  Mesh turned = inverted;
  for (std::size_t cell = 0; cell < turned.tets.size(); ++cell) flip_cell(turned, cell);
  EXPECT_EQ(held_at_right("inverted.msh", 3), nodes_at_right(turned, 3));
  EXPECT_NE(nodes_at_right(turned, 3), nodes_at_right(inverted, 3));
}

TEST_F(PolyfemOrder, IsRaisedAfterRefinement) {
  const SceneDesc scene = folder_.good(
      scene_of(entry("cube.msh", std::string(sides) + R"(, "n_refs": 1)"),
               space("2") + R"(, "boundary_conditions": {"dirichlet_boundary": {"id": 3, "value": [1, 0, 0]}})"));
  EXPECT_EQ(scene.bodies[0].refinements, 1);
  EXPECT_EQ(scene.bodies[0].motions.at(0).region.nodes, nodes_at_right(refine_uniformly(cube_), 2));
}

TEST_F(PolyfemOrder, LoadsActOnFacesByTheirCorners) {
  const SceneDesc scene = folder_.good(
      scene_of(entry("cube.msh", sides),
               space("2") + R"(, "boundary_conditions": {"neumann_boundary": [{"id": 3, "value": [0, 1, 0]}]})"));
  ASSERT_EQ(scene.bodies[0].loads.size(), 1u);
  EXPECT_EQ(scene.bodies[0].loads[0].region.nodes, nodes_at_right(cube_, 2));
}

TEST_F(PolyfemOrder, ShortensTheEdgesThatBoundTheDistance) {
  for (const int order : {1, 2, 4}) {
    const SceneDesc scene = folder_.good(scene_of(entry("cube.msh", R"("transformation": {"scale": 0.001})"),
                                                  space(std::to_string(order)) + R"(, "contact": {"enabled": true})"));
    EXPECT_NEAR(scene.contact.dhat, 0.8 * 0.0005 / order, 1e-15) << order;
  }
}

TEST_F(PolyfemOrder, HasNoUseForOtherQuadratureAndLumpedMasses) {
  const std::string advanced = R"("advanced": {"quadrature_order": 5, "mass_quadrature_order": 4, "bc_method": "lsq"})";
  EXPECT_EQ(
      folder_.problems(scene_of(entry("cube.msh"), R"("space": {"discr_order": 2, )" + advanced +
                                                       R"(}, "solver": {"advanced": {"lump_mass_matrix": true}})")),
      (Lines{"space.advanced.quadrature_order: warning: this key has no effect, because the order of the elements "
             "determines the quadrature points (got 5)",
             "space.advanced.mass_quadrature_order: warning: this key has no effect, because the order of the elements "
             "determines the quadrature points (got 4)",
             "space.advanced.bc_method: warning: this method has no effect: the values at the nodes are used, as with "
             "`sample` (got \"lsq\")",
             "solver.advanced.lump_mass_matrix: warning: this key has no effect on elements of an order above 1; their "
             "mass matrix stays full, because sums of its rows may be negative (got true)"}));
  folder_.good(scene_of(entry("cube.msh"),
                        R"("space": {"discr_order": 1, "advanced": {"quadrature_order": -1, "bc_method": "sample"}},
      "solver": {"advanced": {"lump_mass_matrix": true}})"));
}

class PolyfemCollisionMesh : public PolyfemOrder {
 protected:
  PolyfemCollisionMesh() {
    // Four segments for each edge.
    const Mesh surface = refine_uniformly(refine_uniformly(surface_of(cube_)));
    write("subdivided.obj", surface);
    Mesh other = surface;
    other.vertices[5] += Vec<3>(0, 0, 1e-3);
    write("other.obj", other);
    Mesh curved = surface;
    for (Vec<3>& x : curved.vertices) x = bent(x);
    write("curved.obj", curved);
    write("bent.msh", bent_mesh(cube_, 2));
  }
  static std::string contact(const std::string& collision_mesh) {
    return R"("contact": {"enabled": true, "collision_mesh": )" + collision_mesh + "}";
  }
  static std::string scene(const std::string& geometry, const std::string& order, const std::string& collision_mesh) {
    return scene_of(geometry, space(order) + ", " + contact(collision_mesh));
  }
  Lines problems(const std::string& geometry, const std::string& order, const std::string& collision_mesh) const {
    return folder_.problems(scene(geometry, order, collision_mesh));
  }
  /// Returns the segments of the collision surface of the first body; -1 if it has none.
  int segments(const std::string& geometry, const std::string& order, const std::string& collision_mesh,
               std::size_t num_warnings = 0) const {
    const SceneDesc desc = folder_.good(scene(geometry, order, collision_mesh), num_warnings);
    const auto& surface = desc.bodies.at(0).collision_surface;
    if (!surface) return -1;
    EXPECT_EQ(surface->mesh, "");
    return surface->segments;
  }
  /// Returns the file of the first body's surface; empty if the surface is made from its elements.
  std::string file(const std::string& geometry, const std::string& order, const std::string& collision_mesh) const {
    const SceneDesc desc = folder_.good(scene(geometry, order, collision_mesh));
    const auto& surface = desc.bodies.at(0).collision_surface;
    return surface ? std::filesystem::path(surface->mesh).filename().string() : "none";
  }
};

TEST_F(PolyfemCollisionMesh, ThatIsNotThereIsBetweenTheNodes) {
  EXPECT_EQ(segments(entry("cube.msh"), "1", "{}"), -1) << "linear elements have no other surface";
  EXPECT_EQ(segments(entry("cube.msh"), "3", "{}"), 3);
  EXPECT_EQ(segments(entry("bent.msh"), "1", "{}", 1), 2);
}

TEST_F(PolyfemCollisionMesh, ThatSubdividesTheElementsIsCountedInSegments) {
  const std::string moved =
      R"("transformation": {"scale": [2, 1, 3], "rotation": [0, 30, 0], "translation": [5, 0, 0]})";
  EXPECT_EQ(segments(entry("cube.msh", moved), "3", R"({"mesh": "subdivided.obj", "linear_map": "a.hdf5"})"), 4);
  EXPECT_EQ(segments(entry("cube.msh"), "1", R"({"mesh": "subdivided.obj", "linear_map": "a.hdf5"})"), 4);
  EXPECT_EQ(segments(entry("bent.msh", moved), "2", R"({"mesh": "curved.obj", "linear_map": "a.hdf5"})"), 4);
  EXPECT_EQ(segments(entry("bent.msh"), "1", R"({"mesh": "curved.obj", "linear_map": "a.hdf5"})", 1), 4);
}

// Diagonals of the cells are 0.707 long.
TEST_F(PolyfemCollisionMesh, HasEdgesOfAtMostALength) {
  EXPECT_EQ(segments(entry("cube.msh"), "2", R"({"max_edge_length": 0.2})"), 4);
  EXPECT_EQ(segments(entry("cube.msh", R"("transformation": {"scale": 2})"), "2", R"({"max_edge_length": 0.2})"), 8);
  EXPECT_EQ(segments(entry("cube.msh"), "1", R"({"max_edge_length": 5})"), 1);
  EXPECT_EQ(
      problems(entry("cube.msh"), "2", R"({"max_edge_length": 0.2, "tessellation_type": "irregular"})"),
      Lines{"contact.collision_mesh.tessellation_type: warning: here every edge of the elements has 4 equal parts "
            "(got \"irregular\")"});
  EXPECT_EQ(problems(entry("cube.msh"), "2", R"({"max_edge_length": 0.001})"),
            Lines{"contact.collision_mesh.max_edge_length: warning: this length would cut edges of elements into up to "
                  "708 parts; here they are cut into 64 (got 0.001)"});
  EXPECT_EQ(problems(entry("cube.msh"), "2", R"({"max_edge_length": -1})"),
            Lines{"contact.collision_mesh.max_edge_length: must be above 0 (got -1)"});
}

TEST_F(PolyfemCollisionMesh, ShortensTheEdgesThatBoundTheDistance) {
  const auto dhat = [&](const std::string& order, const std::string& collision_mesh) {
    const std::string small = entry("cube.msh", R"("transformation": {"scale": 0.001})");
    return folder_.good(scene(small, order, collision_mesh)).contact.dhat;
  };
  EXPECT_NEAR(dhat("2", R"({"mesh": "subdivided.obj", "linear_map": "a.hdf5"})"), 0.8 * 0.0005 / 4, 1e-15);
  EXPECT_NEAR(dhat("1", R"({"mesh": "subdivided.obj", "linear_map": "a.hdf5"})"), 0.8 * 0.0005 / 4, 1e-15);
}

TEST_F(PolyfemCollisionMesh, IsOfWhatIsSimulated) {
  const std::string bodies =
      entry("cube.msh") + "," +
      entry("cube.msh", R"("surface_selection": 4, "transformation": {"translation": [0, 6, 0]})");
  const SceneDesc desc = folder_.good(
      scene_of(bodies, space("2") + ", " + contact(R"({"max_edge_length": 0.2})") +
                           R"(, "boundary_conditions": {"dirichlet_boundary": {"id": 4, "value": [0, 0, 0]}})"));
  EXPECT_EQ(desc.bodies.at(0).collision_surface.value().segments, 4);
  EXPECT_FALSE(desc.bodies.at(1).collision_surface.has_value()) << "held all around: an obstacle";
}

TEST_F(PolyfemCollisionMesh, OfThePlaneIsAnOutline) {
  Mesh outline = surface_of(make_rectangle(1, 1, 2, 2));
  for (int i = 0; i < 2; ++i) outline = refine_uniformly(outline);
  write("outline.obj", outline);
  EXPECT_EQ(segments(entry("square.obj"), "2", R"({"mesh": "outline.obj", "linear_map": "a.hdf5"})"), 4);
  EXPECT_EQ(segments(entry("square.obj"), "2", R"({"max_edge_length": 0.2})"), 3);
  outline.vertices[0][0] += 0.01;
  write("outline.obj", outline);
  EXPECT_EQ(file(entry("square.obj"), "2", R"({"mesh": "outline.obj"})"), "outline.obj");
}

TEST_F(PolyfemCollisionMesh, OfAnotherShapeIsASurfaceOfItsOwn) {
  const auto of = [&](const std::string& mesh, const std::string& surface) {
    return file(entry(mesh), "2", R"({"mesh": ")" + surface + R"("})");
  };
  EXPECT_EQ(of("cube.msh", "subdivided.obj"), "");
  EXPECT_EQ(of("cube.msh", "other.obj"), "other.obj");
  EXPECT_EQ(of("cube.msh", "curved.obj"), "curved.obj");
  EXPECT_EQ(of("bent.msh", "subdivided.obj"), "subdivided.obj");
  EXPECT_EQ(of("cube.msh", "flat.obj"), "flat.obj");
  EXPECT_EQ(problems(entry("cube.msh", R"("type": "mesh_array", "array": {"size": [2, 1, 1], "offset": 2})"), "2",
                     R"({"mesh": "subdivided.obj"})"),
            Lines{"contact.collision_mesh.mesh: the collision mesh is not the surface of the elements; this is "
                  "supported for one deformable body, not copies of one (got \"subdivided.obj\")"});
  EXPECT_EQ(
      problems(entry("cube.msh"), "2", R"({"linear_map": "a.hdf5"})"),
      Lines{"contact.collision_mesh.linear_map: `linear_map` needs `mesh`, whose vertices it moves (got \"a.hdf5\")"});
}

TEST_F(PolyfemCollisionMesh, ThatIsMissingCountsByItsName) {
  const auto named = [](const std::string& surface) { return R"({"mesh": ")" + surface + R"(", "linear_map": "a"})"; };
  EXPECT_EQ(problems(entry("cube.msh"), "2", named("cube-P2-collision-mesh.obj")),
            Lines{"contact.collision_mesh.mesh: warning: the mesh file does not exist; according to its name it "
                  "subdivides the surface of the elements; this surface is subdivided as finely as its curvature "
                  "requires instead (got \"cube-P2-collision-mesh.obj\")"});
  EXPECT_EQ(segments(entry("cube.msh"), "2", named("cube-P2-collision-mesh.obj"), 1), 0);
  for (const std::string name : {"fine.ply", "sphere-collision-mesh.obj", "cube_fine.ply"}) {
    EXPECT_EQ(problems(entry("cube.msh"), "2", named(name)),
              Lines{"contact.collision_mesh.mesh: the mesh file does not exist (got \"" + name + "\")"});
  }
}

TEST_F(PolyfemCollisionMesh, FollowsTheWeightsOfItsNodes) {
  const Mesh mesh = read_mesh(folder_.path() / "cube.msh").value(),
             surface = read_mesh(folder_.path() / "other.obj").value();
  NodeWeights weights = test::barycentric_weights(mesh, surface);
  const auto write_weights = [&](std::size_t num_nodes) {
    test::write_weights(folder_.path() / "w.hdf5", weights, num_nodes);
  };
  const std::string key = R"({"mesh": "other.obj", "linear_map": "w.hdf5"})",
                    place = "contact.collision_mesh.linear_map: ";
  const auto not_used = [&](const std::string& why) {
    return Lines{place + "warning: " + why +
                 ", so that every vertex of the surface follows the element that contains it, or the nearest one, "
                 "instead (got \"w.hdf5\")"};
  };
  const auto of = [&](const std::string& more = "") { return problems(entry("cube.msh", more), "1", key); };
  EXPECT_EQ(of(), not_used("the file does not exist"));
  write_weights(27);
  for (const char* order : {"1", "2"}) {
    const std::string moved =
        R"("transformation": {"scale": [2, 1, 3], "rotation": [0, 30, 0], "translation": [5, 0, 0]})";
    const SceneDesc desc = folder_.good(scene(entry("cube.msh", moved), order, key));
    EXPECT_EQ(desc.bodies.at(0).collision_surface.value().mesh, "other.obj");
    EXPECT_EQ(desc.bodies[0].collision_surface->weights, "w.hdf5");
  }
  EXPECT_EQ(of(R"("n_refs": 1)"), not_used("the map refers to the nodes of a mesh that is refined"));
  write_weights(125);
  EXPECT_EQ(of(), not_used("the map refers to 125 nodes in PolyFEM's numbering, but the mesh file has 27"));
  EXPECT_EQ(folder_.good(scene(entry("cube.msh"), "2", key), 1).bodies.at(0).collision_surface.value().weights, "");
  std::swap(weights.front(), weights.back());
  write_weights(27);
  EXPECT_EQ(of(), not_used("the map has its nodes or vertices in another order than the files"));
  weights.pop_back();
  write_weights(27);
  EXPECT_EQ(of(), not_used("the map is for " + std::to_string(weights.size()) + " vertices, but the surface has " +
                           std::to_string(weights.size() + 1)));
  weights[2] = {{3, 0.5}};
  write_weights(27);
  EXPECT_EQ(
      of(),
      Lines{place + "the map cannot be used: weight_triplets: the weights of row 2 add up to 0.5: expected 1, so that "
                    "the surface follows translations (got \"w.hdf5\")"});
}

TEST_F(PolyfemCollisionMesh, ThatIsSwitchedOffIsNone) {
  EXPECT_EQ(segments(entry("cube.msh"), "2", R"({"mesh": "other.obj", "enabled": false})"), 2);
  EXPECT_EQ(folder_.problems(scene_of(entry("cube.msh"), R"("contact": {"collision_mesh": {"mesh": "other.obj"}})")),
            Lines{});
}

}  // namespace
}  // namespace clearance
