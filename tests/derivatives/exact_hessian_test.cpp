#include "clearance/model/exact_hessian.h"

#include <set>
#include <string>

#include "both_modes.h"
#include "clearance/math/fourth_order.h"
#include "clearance/sparse/block_sparse_matrix.h"
#include "support/random.h"

namespace clearance::derivatives {
namespace {

/// Compares the Hessians that potentials of a scene call exact with differences of their gradients, at places around
/// the start, and returns the names of these potentials.
std::set<std::string> expect_exact(const std::string& text, double size) {
  std::set<std::string> names;
  Result<LoadedScene> loaded = load_scene_text(text, "scene.json", ".", {});
  for (const Issue& issue : loaded.issues()) ADD_FAILURE() << to_string(issue);
  if (!loaded) return names;
  SteppedScene stepped;
  const Result<Done> started = stepped.start(std::move(loaded->scene), {});
  for (const Issue& issue : started.issues()) ADD_FAILURE() << to_string(issue);
  if (!started) return names;
  const SceneModel& scene = *stepped.scene;
  const VecX& start = scene.initial_state.x;
  const double h = scene.options.integrator.h;
  test::Random random(7);
  const auto direction = [&] { return random.vector(start.size(), -1.0, 1.0); };
  for (const auto& of_model : scene.model.potentials) {
    const std::unique_ptr<Potential> potential = of_model->clone();
    const auto* exact = dynamic_cast<const ExactHessian*>(potential.get());
    if (exact == nullptr || !exact->has_exact_hessian()) continue;
    SCOPED_TRACE(potential->name());
    names.insert(potential->name());
    EXPECT_TRUE(potential->begin_step(start, h, h));
    for (int repeat = 0; repeat < 3; ++repeat) {
      const VecX x = start + size * direction(), dx = direction();
      VecX gradient = VecX::Zero(x.size()), unused = gradient;
      potential->add_gradient(x, 2.0, gradient);
      const std::vector<BlockKey> keys = potential->pattern();
      BlockSparseMatrix matrix(scene.dim, scene.model.layout.num_blocks, keys);
      potential->add_exact_derivatives(x, 2.0, unused, matrix);
      EXPECT_LE((unused - gradient).norm(), 1e-12 * gradient.norm());
      const VecX found = matrix.multiply(dx);
      const VecX expected = fourth_order_slope(1e-3 * size, [&](double by) {
        VecX at = VecX::Zero(x.size());
        potential->add_gradient(x + by * dx, 2.0, at);
        return at;
      });
      EXPECT_LE((found - expected).norm(), 1e-7 * expected.norm());
    }
  }
  return names;
}

std::string scene_of(const std::string& body, const std::string& rest = "") {
  return R"({"time": {"step": 0.01, "duration": 0.1}, )" + rest + R"("bodies": [{"name": "body", )" + body + "}]}";
}

using Names = std::set<std::string>;

TEST(ExactHessian, IsTheDerivativeOfTheForcesOfSolids) {
  const std::string box = R"("generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]}, )";
  for (const char* model : {"neo_hookean", "st_venant_kirchhoff", "fixed_corotational", "linear_elasticity"}) {
    SCOPED_TRACE(model);
    const std::string material = R"("material": {"youngs_modulus": 1e5, "model": ")" + std::string(model) + "\"}";
    EXPECT_EQ(expect_exact(scene_of(box + material), 0.004).count("elastic"), 1u);
    EXPECT_EQ(expect_exact(scene_of(box + R"("order": 2, )" + material), 0.002).count("elastic"), 1u);
  }
  EXPECT_EQ(expect_exact(scene_of(box + R"("material": {"youngs_modulus": 1e5, "damping": 0.01})"), 0.004),
            (Names{"damping", "elastic"}));
}

/// Elements of a higher order that are strained so much that the barrier against inversion acts.
TEST(ExactHessian, IsTheDerivativeOfTheForcesAgainstInversion) {
  const std::string body = R"("generator": {"kind": "box", "size": [0.1, 0.1, 0.1], "resolution": [2, 2, 2]},
    "order": 2, "material": {"youngs_modulus": 1e5})";
  EXPECT_EQ(expect_exact(scene_of(body), 0.004), (Names{"elastic", "inversion_barrier"}));
}

TEST(ExactHessian, IsTheDerivativeOfTheForcesOfThinBodies) {
  const std::string sheet = R"("kind": "shell", "thickness": 0.001, "material": {"youngs_modulus": 1e6},
    "generator": {"kind": "sheet", "size": [0.4, 0.4], "resolution": [4, 4]})";
  EXPECT_EQ(expect_exact(scene_of(sheet), 0.004), (Names{"bending", "membrane"}));
  EXPECT_EQ(expect_exact(scene_of(sheet + R"(, "shell": {"strain_limit": 0.5})"), 0.004),
            (Names{"bending", "membrane"}));
  EXPECT_EQ(expect_exact(scene_of(sheet + R"(, "shell": {"bending": "hinges"})"), 0.004),
            (Names{"bending", "membrane"}));
  const std::string rod = R"("kind": "rod", "thickness": 0.004, "material": {"youngs_modulus": 1e8},
    "generator": {"kind": "line", "size": [0.5], "resolution": [10]})";
  EXPECT_EQ(expect_exact(scene_of(rod), 0.002), Names{"rod"});
}

TEST(ExactHessian, IsTheDerivativeOfTheForcesOfAffineBodies) {
  const std::string box = R"("kind": "affine", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]})";
  EXPECT_EQ(expect_exact(scene_of(box), 0.004), Names{"orthogonality"});
}

}  // namespace
}  // namespace clearance::derivatives
