// The pressure of contacts at single vertices of elements of every order, compared with closed forms.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include "clearance/bodies/fem/curved_faces.h"
#include "clearance/geometry/curved_cells.h"
#include "clearance/geometry/generators.h"
#include "clearance/io/mesh/mesh_writer.h"
#include "simulation/probed_scene.h"

namespace clearance {
namespace {

constexpr double load = 1e4;  // [Pa]

/// Returns a cube (2D: square) of 1 m with its corner at the origin.
Mesh block_mesh(int dim, int order, int cells, bool is_curved) {
  Mesh mesh = dim == 2 ? make_rectangle(1, 1, cells, cells) : make_box({1, 1, 1}, {cells, cells, cells});
  for (Vec<3>& x : mesh.vertices) x += Vec<3>(0.5, 0.5, dim == 3 ? 0.5 : 0.0);
  if (order > 1) change_order(mesh, order);
  if (!is_curved) return mesh;
  // Sides stay flat; edges and faces of elements bend, those in the sides within them.
  for (Vec<3>& x : mesh.vertices) {
    const Vec<3> bubble = (x.array() * (1.0 - x.array())).matrix();
    const Vec<3> y = x;
    x[0] += 0.3 * bubble[0] * (1.0 - 2.0 * y[1] + y[2]);
    x[1] += 0.3 * bubble[1] * (0.5 - y[0]);
    if (dim == 3) x[2] += 0.3 * bubble[2] * (y[0] + y[1] - 0.7);
  }
  return mesh;
}

std::filesystem::path temporary(const std::string& name) {
  return std::filesystem::temp_directory_path() / ("clearance_pressure_" + name);
}

constexpr double dhat = 1e-5;  // [m]
constexpr double modulus = 1e5;

struct Block {
  int dim;
  int order;
  std::string mesh;  // a file
  std::string surface = "null";
  std::string formulation = "ipc";
  std::string more;  // of the body
};

/// Returns a block half of dhat above the floor, sliding on walls at x = 0 and z = 0.
std::string block_on_floor(const Block& block, const std::string& loads, const std::string& motion) {
  const std::string held_z =
      R"(, {"region": {"frame": "body", "box": [[0, 0, 0], [1, 1, 0]]}, "components": [false, false, true]})";
  return fmt::format(
      R"({{"dimension": {}, "gravity": [0, 0, 0], "time": {{"step": 1, "integrator": "quasi_static"}},
        "solver": {{"force_tolerance": 1e-9}}, "half_spaces": [{{}}],
        "contact": {{"formulation": "{}", "dhat": {}, "dhat_is_absolute": true}},
        "output": {{"fields": ["contact_pressure"],
          "probes": [{{"name": "floor", "kind": "contact", "bodies": ["block", "half_spaces[0]"]}}]}},
        "bodies": [{{"name": "block", "mesh": "{}", "units": "m", "order": {}, "collision_surface": {}, {}
          "transform": {{"translation": [0, {}, 0]}},
          "material": {{"youngs_modulus": {}, "poisson_ratio": 0.3}}, "loads": [{}],
          "motions": [{{"region": {{"frame": "body", "box": [[0, 0, 0], [0, 1, 1]]}},
            "components": [true, false, false]}}{}{}]}}]}})",
      block.dim, block.formulation, dhat, block.mesh, block.order, block.surface, block.more, 0.5 * dhat, modulus,
      loads, block.dim == 2 ? "" : held_z, motion);
}

bool starts_on_floor(const ProbedScene& scene, int frame_vertex) {
  return scene.scene().frames.mesh.vertices[frame_vertex][1] < dhat;
}

// When forces of single nodes were divided by the areas around them, the pressure on quadratic triangles was 0 at
// corners and 4/3 of the true one between them.
void expect_even_pressure(const Block& block) {
  SCOPED_TRACE(fmt::format("{}D, order {}, {}, {}", block.dim, block.order, block.formulation, block.surface));
  const std::string pressed = fmt::format(
      R"({{"kind": "pressure", "pressure": {}, "region": {{"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]}}}})", load);
  ProbedScene scene(block_on_floor(block, pressed, ""));
  scene.step();
  const Frame frame = scene.simulation().frame();
  const auto pressure = ProbedScene::values_of(frame.point_arrays, "contact_pressure");

  // Gaps differ by less than dhat. By Markov's inequality a polynomial that does so on an edge of length 1/2 has slopes
  // of at most order^2 dhat / (1/2).
  const double tolerance = 2.0 * block.order * block.order * dhat * modulus;
  BoundingBox floor;
  for (int v = 0; v < std::ssize(pressure); ++v) {
    const std::size_t at = v;
    if (!starts_on_floor(scene, v)) {
      EXPECT_EQ(pressure[at], 0.0) << "vertex " << v;
      continue;
    }
    floor.extend(frame.mesh.vertices[at]);
    EXPECT_NEAR(pressure[at], load, tolerance) << "vertex " << v;
  }
  const Vec<3> size = floor.max - floor.min;
  const double area = block.dim == 2 ? size[0] : size[0] * size[2];
  EXPECT_NEAR(scene.probe("floor.normal.y [N]"), load * area, tolerance * area);
}

class ContactPressure : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  int dim() const { return std::get<0>(GetParam()); }
  int order() const { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Orders, ContactPressure, testing::Combine(testing::Values(2, 3), testing::Values(1, 2, 3, 4)),
                         [](const auto& p) {
                           return fmt::format("Dim{}Order{}", std::get<0>(p.param), std::get<1>(p.param));
                         });

TEST_P(ContactPressure, UnderABlockThatIsPressedEvenlyIsEvenAtEveryVertex) {
  // Pieces between the nodes of quartic tetrahedra would have to be pulled: an even pressure needs more pieces.
  const bool is_quartic = dim() == 3 && order() == 4;
  // Cut the boundary into other pieces than those of the elements.
  const auto surface_file = temporary(fmt::format("surface_{}_{}.obj", dim(), order()));
  ASSERT_TRUE(write_mesh(surface_file, surface_of(block_mesh(dim(), 1, is_quartic ? 8 : 13, false))));
  for (const bool is_curved : {false, true}) {
    if (is_curved && order() == 1) continue;
    const auto file = temporary(fmt::format("block_{}_{}.msh", dim(), order()));
    ASSERT_TRUE(write_mesh(file, block_mesh(dim(), order(), is_quartic ? 1 : 2, is_curved)));
    for (const char* formulation : {"ipc", "convergent", "gcp"}) {
      for (const std::string& surface : {std::string(is_quartic && !is_curved ? R"({"segments": 5})" : "null"),
                                         fmt::format(R"({{"segments": {}}})", order() + 2),
                                         fmt::format(R"({{"mesh": "{}"}})", surface_file.string())}) {
        expect_even_pressure({dim(), order(), file.string(), surface, formulation, ""});
      }
    }
    std::filesystem::remove(file);
  }
  std::filesystem::remove(surface_file);
}

/// Upward force of the pressure at the nodes of the faces on the floor [N].
template <int dim>
double integral_over_floor(const ProbedScene& scene, const Frame& frame) {
  const auto pressure = ProbedScene::values_of(frame.point_arrays, "contact_pressure");
  double sum = 0.0;
  for (const BoundaryFace& face : scene.scene().boundary_faces) {
    if (!std::all_of(face.nodes.begin(), face.nodes.end(), [&](int v) { return starts_on_floor(scene, v); })) continue;
    const auto num_nodes = std::ssize(face.nodes);
    typename CurvedSweep<dim>::Nodes at(dim, num_nodes);
    VecX values(num_nodes);
    for (Eigen::Index i = 0; i < num_nodes; ++i) {
      const std::size_t v = face.nodes[i];
      at.col(i) = frame.mesh.vertices[v].template head<dim>();
      values[i] = pressure[v];
    }
    sum -= (CurvedSweep<dim>(order_of_nodes(dim - 1, face.nodes.size())).gradient(at, at) * values)[1];
  }
  return sum;
}

TEST_P(ContactPressure, AddsUpToTheForceWhereItIsUneven) {
  const auto file = temporary(fmt::format("uneven_{}_{}.msh", dim(), order()));
  for (const bool keeps_shape : {false, true}) {
    if (keeps_shape && order() != 2) continue;
    ASSERT_TRUE(write_mesh(file, block_mesh(dim(), keeps_shape ? 4 : order(), 2, order() > 1)));
    // With pieces at nodes alone, pieces that bear nothing come loose, and faces tilt there.
    for (const int segments : {order() + 1, order() + 2}) {
      const Block block{dim(),         order(),
                        file.string(), fmt::format(R"({{"segments": {}}})", segments),
                        "ipc",         keeps_shape ? R"("keep_shape": true,)" : ""};
      ProbedScene scene(block_on_floor(block, "", R"(, {"region": {"frame": "body", "box": [[0, 1, 0], [1, 1, 1]]},
        "displacement": ["0", "-0.01 - 0.03 * x * x", "0"]})"));
      scene.step();
      const Frame frame = scene.simulation().frame();
      const double force = scene.probe("floor.normal.y [N]");
      EXPECT_GT(force, 0.01 * modulus);
      const double sum = dim() == 2 ? integral_over_floor<2>(scene, frame) : integral_over_floor<3>(scene, frame);
      // The floor of the block is as even as its gaps, and a face sees that much of a force that is not along its
      // normal.
      const double slope = 2.0 * order() * order() * dhat;
      EXPECT_NEAR(sum, force, slope * slope * force) << segments << (keeps_shape ? ", of a shape that is kept" : "");
      for (const double p : ProbedScene::values_of(frame.point_arrays, "contact_pressure")) EXPECT_GE(p, 0.0);
    }
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace clearance
