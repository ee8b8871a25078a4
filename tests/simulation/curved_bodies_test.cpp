// Bodies with elements of order 2 to 4 in scenes: beams, flight, contact, collision surfaces of their own.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "clearance/bodies/fem/element_moments.h"
#include "clearance/geometry/curved_boundary.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/curved_generators.h"
#include "clearance/geometry/generators.h"
#include "clearance/geometry/intersection.h"
#include "clearance/geometry/mass_properties.h"
#include "clearance/geometry/mesh_checks.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "clearance/simulation/build/collision_surface.h"
#include "clearance/simulation/load/load_bodies.h"
#include "clearance/verify/frame.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

constexpr double gravity = 9.80665;

double tip_deflection(int order, int cells) {
  RunningScene beam(fmt::format(
      R"({{"gravity": [0, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}}, "contact": {{"enabled": false}},
        "solver": {{"force_tolerance": 1e-8}}, "bodies": [{{"order": {},
        "generator": {{"kind": "box", "size": [1, 0.1, 0.1], "resolution": [{}, 1, 1]}},
        "material": {{"youngs_modulus": 1e9, "poisson_ratio": 0}},
        "motions": [{{"region": {{"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}}}],
        "loads": [{{"kind": "force", "value": [0, -50, 0], "region": {{"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}}}}]}}]}})",
      order, cells));
  beam.step();
  double sum = 0.0;
  int count = 0;
  for (int i = 0; i < beam.num_nodes(); ++i) {
    if (beam.rest(i)[0] > 0.5 - 1e-9) sum += beam.rest(i)[1] - beam.x(i)[1], ++count;
  }
  return sum / count;
}

TEST(CurvedBeam, WithOneElementThroughItsThicknessBendsAsTheorySays) {
  // Timoshenko's beam: F L^3 / (3 E I) + F L / (5/6 G A).
  const double inertia = 1e-4 / 12.0;
  const double theory = 50.0 / (3.0 * 1e9 * inertia) + 50.0 / (5.0 / 6.0 * 5e8 * 0.01);
  EXPECT_LT(tip_deflection(1, 10), 0.5 * theory);
  EXPECT_NEAR(tip_deflection(2, 5), theory, 0.01 * theory);
  EXPECT_NEAR(tip_deflection(3, 3), theory, 2e-3 * theory);
  EXPECT_NEAR(tip_deflection(4, 2), theory, 2e-3 * theory);
}

TEST(CurvedBody, FallsAsAWholeInEveryIntegrator) {
  for (const char* integrator : {"implicit_euler", "implicit_newmark", "bdf2_restarted"}) {
    for (int dimension : {2, 3}) {
      for (int order = 2; order <= 4; ++order) {
        RunningScene body(fmt::format(
            R"({{"dimension": {}, "time": {{"step": 0.01, "integrator": "{}"}}, "solver": {{"force_tolerance": 1e-9}},
              "bodies": [{{"order": {}, "generator": {{"kind": "{}", "resolution": [1, 1{}]}},
                "linear_velocity": [1, 2, 0], "material": {{"youngs_modulus": 1e6}}}}]}})",
            dimension, integrator, order, dimension == 2 ? "rectangle" : "box", dimension == 2 ? "" : ", 1"));
        body.steps(5);
        // Euler's velocities are exact under gravity, and so are those of the others.
        for (int i = 0; i < body.num_nodes(); ++i) {
          EXPECT_NEAR(body.v(i)[0], 1.0, 1e-7) << integrator << " " << order;
          EXPECT_NEAR(body.v(i)[1], 2.0 - 0.05 * gravity, 1e-7) << integrator << " " << order;
        }
      }
    }
  }
}

/// A body rests on a plane under its own weight: the contact force is the weight, whatever the collision surface is.
TEST(CurvedBody, RestsOnAPlaneWithItsWeight) {
  for (const char* surface : {"null", R"({"segments": 1})", R"({"segments": 3})", R"({"segments": 5})"}) {
    for (int dimension : {2, 3}) {
      SCOPED_TRACE(::testing::Message() << dimension << "D, " << surface);
      RunningScene body(fmt::format(
          R"({{"dimension": {}, "time": {{"step": 1, "integrator": "quasi_static"}},
            "half_spaces": [{{"point": [0, -0.5005, 0]}}], "friction": {{"coefficient": 0.5}},
            "bodies": [{{"order": 2, "collision_surface": {}, "generator": {{"kind": "{}", "resolution": [2, 2{}]}},
              "material": {{"youngs_modulus": 1e6}}}}]}})",
          dimension, surface, dimension == 2 ? "rectangle" : "box", dimension == 2 ? "" : ", 2"));
      body.steps(2);
      Vec<3> sum = Vec<3>::Zero();
      for (const Vec<3>& force : body.simulation().contact_forces()) sum += force;
      EXPECT_NEAR(sum[1], 1000.0 * gravity, 10.0);
      EXPECT_NEAR(sum[0], 0.0, 1.0);
    }
  }
}

// gcp looked for the sides of elements among the pieces that they are cut into, took those that it did not find for
// turned, and locked.
TEST(CurvedBody, LiesOnAnotherWithItsWeightUnderEveryFormulation) {
  for (const char* formulation : {"ipc", "convergent", "gcp"}) {
    for (const int dimension : {2, 3}) {
      for (const int order : {1, 2}) {
        for (const int segments : {1, 2, 3}) {
          SCOPED_TRACE(::testing::Message()
                       << formulation << ", " << dimension << "D, order " << order << ", " << segments);
          const std::string shape = fmt::format(
              R"("order": {}, "collision_surface": {{"segments": {}}}, "material": {{"youngs_modulus": 1e6}},
                "generator": {{"kind": "{}", "resolution": [2, 2{}]}})",
              order, segments, dimension == 2 ? "rectangle" : "box", dimension == 2 ? "" : ", 2");
          RunningScene bodies(fmt::format(
              R"({{"dimension": {}, "time": {{"step": 1, "integrator": "quasi_static"}},
                "contact": {{"formulation": "{}", "dhat": 1e-3}}, "bodies": [
                {{"name": "low", {}, "motions": [{{"region": {{"box": [[0, 0, 0], [1, 0, 1]], "frame": "body"}}}}]}},
                {{"name": "high", {}, "transform": {{"translation": [0, 1.0005, 0]}},
                  "motions": [{{"region": {{"box": [[0, 1, 0], [1, 1, 1]], "frame": "body"}},
                    "components": [true, false, true]}}]}}]}})",
              dimension, formulation, shape, shape));
          bodies.steps(2);
          Vec<3> sum = Vec<3>::Zero();
          for (const ContactPair& contact : bodies.simulation().contacts()) {
            sum += contact.bodies[0] == 1 ? contact.force : Vec<3>(-contact.force);
          }
          EXPECT_NEAR(sum[1], 1000.0 * gravity, 30.0);
        }
      }
    }
  }
}

// A body whose displacements were of a lower order than its shape could not turn: the shape is lowered, and a message
// says so.
TEST(CurvedBody, AnOrderBelowThatOfTheMeshLowersItsShape) {
  Mesh ball = make_sphere(1.0, 1);
  change_order(ball, 4);
  curve_sphere(ball, 1.0);
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "clearance_lowered_ball.msh";
  ASSERT_TRUE(write_mesh(file, ball));
  SceneDesc scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "ball";
  scene.bodies[0].mesh = file.string();
  scene.bodies[0].units = LengthUnit::metre;
  for (const int order : {0, 4, 2, 1}) {
    scene.bodies[0].order = order;
    const Result<LoadedBodies> loaded = load_bodies(scene);
    ASSERT_TRUE(loaded.has_value());
    const Mesh& mesh = loaded->instances.at(0).mesh;
    EXPECT_EQ(mesh.order_of_cell(0), order == 0 ? 4 : order);
    EXPECT_EQ(loaded->warnings.size(), order == 1 || order == 2 ? 1u : 0u);
    double volume = 0.0;
    for (const MassProperties& element : element_mass_properties(mesh)) volume += element.measure;
    const double exact = 4.0 / 3.0 * 3.14159265358979323846;
    EXPECT_NEAR(volume, exact, exact * (order == 1 ? 0.5 : order == 2 ? 0.05 : 3e-3));
    if (order == 2) {
      EXPECT_EQ(loaded->warnings[0].place, "bodies[0].order");
      EXPECT_NE(loaded->warnings[0].message.find("changes the body's volume by -"), std::string::npos)
          << loaded->warnings[0].message;
    }
  }
  std::filesystem::remove(file);
}

BodyInstance body_of(Mesh mesh, int order) {
  if (order > 1) change_order(mesh, order);
  BodyInstance body;
  body.name = "body";
  body.kind = BodyKind::deformable;
  body.mesh = std::move(mesh);
  return body;
}

/// Checks that weights sum up to 1, and that a body which moves by an affine map moves its surface with it.
void check_weights(const BodyInstance& body, const CollisionSurface& surface) {
  Mat<3> map;
  map << 1.1, 0.2, -0.3, 0.1, 0.9, 0.2, -0.1, 0.3, 1.2;
  for (const CollisionSurface::Vertex& vertex : surface.vertices) {
    double sum = 0.0;
    Vec<3> moved = vertex.rest;
    for (const auto& [node, weight] : vertex.weights) {
      const Vec<3>& x = body.mesh.vertices[node];
      sum += weight;
      moved += weight * (map * x - x);
    }
    EXPECT_NEAR(sum, 1.0, 1e-13);
    // V + W (A X - X) equals A V if W X equals V.
    EXPECT_LT((moved - map * vertex.rest).norm(), 1e-12);
  }
}

TEST(CollisionSurface, FollowsAffineMotionsExactly) {
  for (int order = 1; order <= 4; ++order) {
    for (int segments : {1, 2, 3, 5}) {
      const BodyInstance body = body_of(make_box({1, 2, 1}, {2, 2, 1}), order);
      BodyDesc desc;
      desc.collision_surface = CollisionSurfaceDesc{.mesh = {}, .segments = segments};
      Issues issues;
      const CollisionSurface surface = make_collision_surface(desc, body, "bodies[0]", issues);
      EXPECT_TRUE(issues.empty());
      check_weights(body, surface);
      const Triangles corners = boundary_triangles(body.mesh.tets);
      EXPECT_EQ(surface.triangles.size(), corners.size() * static_cast<std::size_t>(segments * segments));
      EXPECT_TRUE(is_closed_manifold(surface.triangles));
    }
  }
}

TEST(CollisionSurface, OfAnotherMeshFollowsTheElementsAroundIt) {
  for (int order = 1; order <= 3; ++order) {
    BodyInstance body = body_of(make_box({1, 1, 1}, {2, 2, 2}), order);
    // A ball in the box, and a corner that sticks out of it a little.
    Mesh ball = surface_of(make_sphere(0.55, 6));
    body.proxy = std::make_shared<const Mesh>(ball);
    BodyDesc desc;
    desc.collision_surface = CollisionSurfaceDesc{.mesh = "ball"};
    Issues issues;
    const CollisionSurface surface = make_collision_surface(desc, body, "bodies[0]", issues);
    EXPECT_TRUE(issues.empty());
    EXPECT_EQ(surface.triangles, ball.triangles);
    check_weights(body, surface);
    Mesh far = ball;
    for (Vec<3>& x : far.vertices) x[0] += 3.0;
    body.proxy = std::make_shared<const Mesh>(far);
    make_collision_surface(desc, body, "bodies[0]", issues);
    ASSERT_EQ(issues.size(), 1u);
    EXPECT_EQ(issues[0].place, "bodies[0].collision_surface.mesh");
    EXPECT_TRUE(has_errors(issues));
  }
}

/// Points of a surface are points of the faces that it names; a surface that lies elsewhere names none.
TEST(CollisionSurface, KnowsTheFacesThatItLiesOn) {
  for (const int dim : {2, 3}) {
    for (int order = 1; order <= 4; ++order) {
      const auto box = [&](int cells) {
        return dim == 2 ? make_rectangle(1, 1, cells, cells) : make_box({1, 1, 1}, {cells, cells, cells});
      };
      BodyInstance body = body_of(box(2), order);
      BodyDesc desc;
      desc.collision_surface = CollisionSurfaceDesc{.mesh = {}, .segments = 3};
      Mesh other = surface_of(box(5));
      for (const int kind : {0, 1, 2}) {  // pieces of the faces; other pieces of the same boundary; inside of it
        for (Vec<3>& x : other.vertices) x *= kind == 2 ? 0.99 : 1.0;
        if (kind > 0) body.proxy = std::make_shared<const Mesh>(other);
        Issues issues;
        const CollisionSurface surface = make_collision_surface(desc, body, "", issues);
        EXPECT_EQ(surface.faces.empty(), kind == 2);
        std::vector<int> num_faces(surface.vertices.size(), 0);
        for (const CollisionSurface::Face& face : surface.faces) {
          ASSERT_EQ(face.vertices.size(), face.at.size());
          for (std::size_t i = 0; i < face.at.size(); ++i) {
            Vec<3> x = Vec<3>::Zero();
            for (int k = 0; k < dim; ++k) {
              x += face.at[i][k] * body.mesh.vertices[face.corners[k]];
            }
            EXPECT_LT((x - surface.vertices[face.vertices[i]].rest).norm(), 1e-12);
            ++num_faces[face.vertices[i]];
          }
        }
        EXPECT_EQ(std::count(num_faces.begin(), num_faces.end(), 0), kind == 2 ? std::ssize(num_faces) : 0);
      }
    }
  }
}

/// On a quarter of a ring, the bound holds for the distance of the true circle and falls with the square of the pieces.
TEST(CollisionSurface, BoundOfItsDistanceHolds) {
  for (int order = 2; order <= 4; ++order) {
    BodyInstance body = body_of(make_rectangle(1.0, 0.2, 2, 1), order);
    for (Vec<3>& x : body.mesh.vertices) x[1] += 0.4 * x[0] * x[0] + 0.3 * x[0] * x[0] * x[0];
    for (int segments : {1, 2, 4, 8}) {
      const double bound = flatness_bound(body.mesh, segments);
      BodyDesc desc;
      desc.collision_surface = CollisionSurfaceDesc{.mesh = {}, .segments = segments};
      Issues issues;
      const CollisionSurface coarse = make_collision_surface(desc, body, "", issues);
      desc.collision_surface->segments = 16 * segments;
      const CollisionSurface fine = make_collision_surface(desc, body, "", issues);
      double largest = 0.0;
      for (const CollisionSurface::Vertex& vertex : fine.vertices) {
        double nearest = infinity;
        for (const auto& [a, b] : coarse.edges) {
          const Vec<3>&xa = coarse.vertices[a].rest, &xb = coarse.vertices[b].rest;
          const double at = std::clamp((vertex.rest - xa).dot(xb - xa) / (xb - xa).squaredNorm(), 0.0, 1.0);
          nearest = std::min(nearest, (vertex.rest - xa - at * (xb - xa)).norm());
        }
        largest = std::max(largest, nearest);
      }
      EXPECT_LE(largest, bound) << order << " " << segments;
      EXPECT_GT(largest, 0.1 * bound) << order << " " << segments;
    }
  }
}

/// Two bodies of order 2 are pressed together: nothing intersects, and verification reads the stored frames as the run
/// meant them.
TEST(CurvedBodies, PressedTogetherNeverIntersect) {
  for (const char* surface : {"null", R"({"segments": 3})"}) {
    RunningScene bodies(fmt::format(
        R"({{"time": {{"step": 0.02}},
          "half_spaces": [{{"point": [0, -0.51, 0]}}],
          "bodies": [{{"name": "low", "order": 2, "collision_surface": {0}, "generator": {{"kind": "sphere", "size": [0.5],
              "resolution": [2]}}, "material": {{"youngs_modulus": 1e5}}}},
            {{"name": "high", "order": 3, "collision_surface": {0}, "generator": {{"kind": "sphere", "size": [0.5],
              "resolution": [2]}}, "material": {{"youngs_modulus": 1e5}}, "linear_velocity": [0, -1, 0],
              "transform": {{"translation": [0.1, 1.01, 0]}}}}]}})",
        surface));
    for (int step = 0; step < 6; ++step) {
      bodies.step();
      verify::VerifyScene scene;
      scene.bodies.resize(2);
      const Frame frame = bodies.simulation().frame();
      const verify::FrameVerdict verdict = verify::verify_frame(frame, verify::build_verify_surface(frame), scene);
      EXPECT_EQ(verdict.num_intersections, 0);
      EXPECT_EQ(verdict.num_inversions, 0);
      EXPECT_EQ(verdict.num_half_space_violations, 0);
    }
  }
}

/// Returns the boundary of a body in its present state, in pieces so fine that their distance from it is far below any
/// gap.
CollisionSurface bent_boundary(const RunningScene& running, std::size_t b) {
  BodyInstance body = running.scene().bodies[b];
  for (std::size_t v = 0; v < body.mesh.vertices.size(); ++v) {
    body.mesh.vertices[v] = running.x(running.scene().blocks[b].of_node(static_cast<int>(v)));
  }
  BodyDesc fine;
  fine.collision_surface = CollisionSurfaceDesc{.mesh = {}, .segments = 32};
  Issues issues;
  return make_collision_surface(fine, body, "", issues);
}

/// Counts edges of one surface that meet a triangle of the other.
int count_meetings(const CollisionSurface& of_edges, const CollisionSurface& of_triangles) {
  const auto place = [](const CollisionSurface& surface, int v) -> const Vec<3>& { return surface.vertices[v].rest; };
  int count = 0;
  for (const auto& edge : unique_edges(of_edges.triangles)) {
    const BoundingBox box = bounding_box({place(of_edges, edge[0]), place(of_edges, edge[1])});
    for (const auto& [a, b, c] : of_triangles.triangles) {
      const Vec<3>&p = place(of_triangles, a), &q = place(of_triangles, b), &r = place(of_triangles, c);
      bool is_near = true;
      for (int k = 0; k < 3 && is_near; ++k) {
        is_near = std::min({p[k], q[k], r[k]}) <= box.max[k] && std::max({p[k], q[k], r[k]}) >= box.min[k];
      }
      if (is_near) count += edge_intersects_triangle(place(of_edges, edge[0]), place(of_edges, edge[1]), p, q, r);
    }
  }
  return count;
}

// A vertex of the file that no triangle uses touched others unseen; a surface in another unit, or with a hole, did so
// without a message.
TEST(CollisionSurface, OfAFileHasItsTrianglesAloneAndIsComparedWithTheBody) {
  const std::filesystem::path file = std::filesystem::temp_directory_path() / "clearance_own_surface.obj";
  SceneDesc scene;
  scene.bodies.resize(1);
  scene.bodies[0].name = "box";
  scene.bodies[0].generator = GeneratorDesc{.kind = GeneratorKind::box, .size = {1, 1, 1}, .resolution = {2, 2, 2}};
  scene.bodies[0].units = LengthUnit::metre;
  scene.bodies[0].collision_surface = CollisionSurfaceDesc{};
  scene.bodies[0].collision_surface->mesh = file.string();
  const auto warnings_of = [&](const Mesh& surface) {
    EXPECT_TRUE(write_mesh(file, surface));
    const Result<LoadedBodies> loaded = load_bodies(scene);
    EXPECT_TRUE(loaded.has_value());
    EXPECT_EQ(loaded->instances.at(0).proxy->vertices.size(), 8u);
    EXPECT_TRUE(loaded->instances[0].proxy->points.empty());
    std::string text;
    for (const Issue& warning : loaded->warnings) text += warning.message + "\n";
    return text;
  };
  Mesh surface = surface_of(make_box({1, 1, 1}, {1, 1, 1}));
  EXPECT_EQ(warnings_of(surface), "");
  Mesh with_lone_vertex = surface;
  with_lone_vertex.vertices.emplace_back(0.0, 3.0, 0.0);
  EXPECT_EQ(warnings_of(with_lone_vertex), "");
  Mesh open = surface;
  open.triangles.pop_back();
  EXPECT_NE(warnings_of(open).find("is open"), std::string::npos);
  for (Vec<3>& x : surface.vertices) x *= 0.01;
  EXPECT_NE(warnings_of(surface).find("check that the surface has the unit"), std::string::npos);
  std::filesystem::remove(file);
}

// Flat pieces that do not meet may belong to curved boundaries that do.
TEST(CollisionSurface, KeepsCurvedBoundariesApartOnRequest) {
  for (const bool is_separate : {false, true}) {
    RunningScene balls(fmt::format(
        R"({{"time": {{"step": 0.2, "integrator": "quasi_static"}}, "gravity": [0, 0, 0],
          "contact": {{"separate_curved": {}}}, "bodies": [
          {{"name": "low", "order": 2, "generator": {{"kind": "sphere", "size": [0.5], "resolution": [1]}},
            "material": {{"youngs_modulus": 1e5}},
            "motions": [{{"region": {{"box": [[0, 0, 0], [1, 0.2, 1]], "frame": "body"}}}}]}},
          {{"name": "high", "order": 2, "generator": {{"kind": "sphere", "size": [0.5], "resolution": [1]}},
            "material": {{"youngs_modulus": 1e5}}, "transform": {{"translation": [0.07, 1.01, 0.05]}},
            "motions": [{{"region": {{"box": [[0, 0.8, 0], [1, 1, 1]], "frame": "body"}},
              "linear_velocity": [0, -0.25, 0]}}]}}]}})",
        is_separate));
    balls.steps(5);
    const SceneDesc& desc = balls.simulation().scene();
    const CurvedDistance curved = balls.simulation().curved_distance();
    EXPECT_EQ(curved.body >= 0, is_separate);
    EXPECT_LT(curved.share, 1.0);
    EXPECT_EQ(desc.contact.min_separation > 0.0, is_separate);
    const CollisionSurface low = bent_boundary(balls, 0), high = bent_boundary(balls, 1);
    const int num_meetings = count_meetings(low, high) + count_meetings(high, low);
    EXPECT_EQ(num_meetings > 0, !is_separate) << num_meetings;
  }
}

TEST(CollisionSurface, SeparateCurvedWithoutCurvedBoundariesIsWarnedOf) {
  for (const int order : {1, 2}) {
    const Result<LoadedScene> loaded = load_scene_text(
        fmt::format(
            R"({{"contact": {{"separate_curved": true}}, "bodies": [{{"order": {}, "generator": {{"kind": "sphere",
          "resolution": [1]}}}}]}})",
            order),
        "scene", ".", {});
    ASSERT_TRUE(loaded.has_value());
    const Result<Simulation> simulation = Simulation::create(loaded->scene);
    ASSERT_TRUE(simulation.has_value());
    const Issues& warnings = simulation->warnings();
    EXPECT_EQ(std::any_of(warnings.begin(), warnings.end(),
                          [](const Issue& issue) { return issue.place == "contact.separate_curved"; }),
              order == 1);
  }
}

// Nodes between the corners in the order of another format turn valid elements over.
TEST(CurvedBody, NodesInTheOrderOfAnotherFormatAreSuspected) {
  Mesh ball = make_sphere(1.0, 1);
  change_order(ball, 3);
  curve_sphere(ball, 1.0);
  const auto message_of = [](const Mesh& mesh) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / "clearance_misnumbered_ball.msh";
    EXPECT_TRUE(write_mesh(file, mesh));
    SceneDesc scene;
    scene.bodies.resize(1);
    scene.bodies[0].mesh = file.string();
    scene.bodies[0].units = LengthUnit::metre;
    const Result<LoadedBodies> loaded = load_bodies(scene);
    std::filesystem::remove(file);
    return loaded ? std::string() : loaded.issues().front().message;
  };
  EXPECT_EQ(message_of(ball), "");
  Mesh other = ball, bent = ball;
  for (std::size_t cell = 0; cell < other.num_solid_cells(); ++cell) {
    const auto first = other.cell_nodes.begin() + other.first_cell_node[cell];
    std::reverse(first + 4, other.cell_nodes.begin() + other.first_cell_node[cell + 1]);
  }
  const std::string of_other = message_of(other);
  EXPECT_NE(of_other.find("may be in the order of another file format"), std::string::npos) << of_other;
  // One element that is inverted has another reason.
  bent.vertices[bent.nodes_of_cell(0)[5]] *= 3.0;
  const std::string of_bent = message_of(bent);
  EXPECT_NE(of_bent.find("inverted"), std::string::npos);
  EXPECT_EQ(of_bent.find("another file format"), std::string::npos) << of_bent;
}

// A part that turned about itself within a step met nothing and was swept as a whole, and all pairs of its pieces took
// more memory than there was.
TEST(CollisionSurface, ThatTurnsInOneStepIsNotPairedWithAllOfItself) {
  RunningScene box(R"({"gravity": [0, 0, 0], "time": {"step": 0.02, "max_halvings": 0},
    "solver": {"max_iterations": 1}, "bodies": [
    {"generator": {"kind": "box", "resolution": [1, 1, 1]}, "collision_surface": {"segments": 40},
     "angular_velocity": [0, 30000, 10000], "material": {"youngs_modulus": 1e4}}]})");
  const SurfaceTopology& surface = box.model().surface;
  const double edges = static_cast<double>(surface.edges.size());
  ASSERT_GT(0.5 * edges * edges, 3e8);
  const StepReport report = box.simulation().step();
  EXPECT_TRUE(report.is_advanced());
  EXPECT_GT(report.counters.candidates, 0);
  EXPECT_LT(report.counters.candidates, 1.5e8);
}

}  // namespace
}  // namespace clearance
