// Rigid bodies in the plane: the same motion as in space, Coulomb's law, and no intersection in a heap.
#include <cmath>

#include "clearance/math/rotation.h"
#include "clearance/solver/feasible_step.h"
#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns the columns of the affine map of a stiff unit.
template <int dim>
Mat<dim> map_of(RunningScene& scene, std::size_t unit) {
  const StiffUnit& stiff = scene.scene().stiff_units[unit];
  Mat<dim> map;
  for (int i = 0; i < dim; ++i)
    map.col(i) = block<dim>(scene.state().x, stiff.first_block + 1 + i) / stiff.frame.radius;
  return map;
}

}  // namespace

TEST(PlanarRigid, FliesAndSpinsLikeABoxOfSpace) {
  for (const char* integrator : {"implicit_euler", "bdf2", "implicit_newmark"}) {
    SCOPED_TRACE(integrator);
    const std::string common =
        R"("gravity": [0, -9.81, 0], "time": {"step": 0.01, "integrator": ")" + std::string(integrator) + R"("})";
    RunningScene plane(R"({"dimension": 2, )" + common + R"(, "bodies": [{"kind": "rigid",
        "generator": {"kind": "rectangle", "size": [1, 0.5]}, "linear_velocity": [1, 2, 0],
        "angular_velocity": [0, 0, 200], "transform": {"rotation": [0, 0, 20]}}]})");
    RunningScene space(R"({)" + common + R"(, "bodies": [{"kind": "rigid",
        "generator": {"kind": "box", "size": [1, 0.5, 1]}, "linear_velocity": [1, 2, 0],
        "angular_velocity": [0, 0, 200], "transform": {"rotation": [0, 0, 20]}}]})");
    for (int step = 0; step < 40; ++step) {
      plane.step();
      space.step();
    }
    const Vec<2> center = block<2>(plane.state().x, 0);
    EXPECT_LT((center - block<3>(space.state().x, 0).head<2>()).norm(), 1e-9);
    const Mat<2> turned = map_of<2>(plane, 0);
    EXPECT_LT((turned.transpose() * turned - Mat<2>::Identity()).norm(), 1e-13);
    // Compare the corners in any order.
    const VecX x_plane = plane.scene().frames.vertex_map.apply(plane.state().x);
    const VecX x_space = space.scene().frames.vertex_map.apply(space.state().x);
    for (int v = 0; v < 4; ++v) {
      const Vec<2> corner = block<2>(x_plane, v);
      double nearest = infinity;
      for (int w = 0; w < x_space.size() / 3; ++w) {
        nearest = std::min(nearest, (corner - block<3>(x_space, w).head<2>()).norm());
      }
      EXPECT_LT(nearest, 1e-7) << "corner " << v;
    }
  }
}

TEST(PlanarRigid, SlidesDownASlopeByCoulombsLaw) {
  // 30 degrees, mu 0.3: a = g (sin - mu cos).
  RunningScene block_on_slope(
      R"({"dimension": 2, "gravity": [0, -9.81, 0], "time": {"step": 0.005, "integrator": "implicit_euler"},
      "friction": {"coefficient": 0.3},
      "half_spaces": [{"point": [0, 0, 0], "normal": [-0.5, 0.8660254037844387, 0]}],
      "bodies": [{"kind": "rigid", "generator": {"kind": "rectangle", "size": [0.4, 0.2], "resolution": [2, 1]},
        "transform": {"rotation": [0, 0, 30], "translation": [-0.0502, 0.08695, 0]}}]})");
  const auto along = [&] { return block<2>(block_on_slope.state().x, 0).dot(Vec<2>(-0.8660254037844387, -0.5)); };
  block_on_slope.steps(40);
  const double at_20 = along();
  const Vec<2> v = block<2>(block_on_slope.state().v, 0);
  const double speed = v.dot(Vec<2>(-0.8660254037844387, -0.5));
  block_on_slope.steps(40);
  const double a = 9.81 * (0.5 - 0.3 * 0.8660254037844387), t = 0.2;
  // Implicit Euler goes a h / 2 per step further than a t^2 / 2.
  EXPECT_NEAR(along() - at_20, speed * t + 0.5 * a * t * (t + 0.005), 2e-3 * a * t * t);
}

TEST(PlanarRigid, AHeapNeverIntersectsAndStaysRigid) {
  std::string bodies;
  for (int i = 0; i < 6; ++i) {
    const std::string x = std::to_string(0.25 * (i % 3) - 0.25 + 0.03 * i), y = std::to_string(0.35 + 0.35 * (i / 3));
    bodies += std::string(i > 0 ? "," : "") + R"({"kind": "rigid", "generator": {"kind": ")" +
              (i % 2 == 0 ? R"(rectangle", "size": [0.2, 0.12]})" : R"(disk", "size": [0.09], "resolution": [2]})") +
              R"(, "linear_velocity": [)" + std::to_string(i % 2 == 0 ? 1.0 : -1.0) + R"(, -3, 0],
              "angular_velocity": [0, 0, )" +
              std::to_string(900 * (i - 3)) + R"(],
              "transform": {"rotation": [0, 0, )" +
              std::to_string(17 * i) + R"(], "translation": [)" + x + ", " + y + ", 0]}}";
  }
  RunningScene heap(R"({"dimension": 2, "gravity": [0, -9.81, 0], "time": {"step": 0.01},
      "friction": {"coefficient": 0.2}, "half_spaces": [{"point": [0, 0, 0], "normal": [0, 1, 0]},
      {"point": [-0.6, 0, 0], "normal": [1, 0, 0]}, {"point": [0.6, 0, 0], "normal": [-1, 0, 0]}],
      "bodies": [)" +
                    bodies + "]}");
  const auto broad_phase = make_brute_force(2, heap.model().surface);
  for (int step = 0; step < 60; ++step) {
    heap.simulation().step();
    std::string hit;
    ASSERT_TRUE(
        is_intersection_free<2>(heap.model(), heap.model().surface_map.apply(heap.state().x), *broad_phase, &hit))
        << "step " << step + 1 << ": " << hit;
    for (std::size_t u = 0; u < heap.scene().stiff_units.size(); ++u) {
      const Mat<2> map = map_of<2>(heap, u);
      ASSERT_LT((map.transpose() * map - Mat<2>::Identity()).norm(), 1e-12);
    }
  }
}

}  // namespace clearance
