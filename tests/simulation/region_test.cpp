// Regions: the nodes that a box holds, in each frame, wherever the body is.
#include "clearance/simulation/load/region.h"

#include <algorithm>

#include "simulation/running_scene.h"

namespace clearance {
namespace {

/// Returns an L of three cubes with sides 0.1 m, turned, stretched, moved, and copied.
SceneDesc placed_blocks() {
  SceneDesc scene;
  BodyDesc& body = scene.bodies.emplace_back();
  body.name = "L";
  body.generator = GeneratorDesc{.kind = GeneratorKind::blocks,
                                 .size = {0.1, 0.1, 0.1},
                                 .blocks = {Corners{Vec<3>(0.1, 0.1, 0.1), Vec<3>(0.3, 0.2, 0.2)},
                                            Corners{Vec<3>(0.1, 0.2, 0.1), Vec<3>(0.2, 0.3, 0.2)}}};
  body.transform = {.scale = {2, 1, 3}, .rotation = {10, 20, 30}, .translation = {1e3, 7, -2}};
  body.array = ArrayDesc{.counts = {2, 1, 1}, .spacing = {0.7, 0, 0}};
  return scene;
}

TEST(Region, OfTheMeshHoldsTheNodesThatItsCornersName) {
  const SceneDesc scene = placed_blocks();
  const auto loaded = load_bodies(scene);
  ASSERT_TRUE(loaded);
  // The corners of the box are nodes; none is lost to the rounding of the transform.
  const RegionDesc region{.box = Corners{Vec<3>(0.1, 0.1, 0.1), Vec<3>(0.3, 0.2, 0.1)}, .frame = RegionFrame::mesh};
  for (const BodyInstance& body : loaded->instances) {
    EXPECT_EQ(body.mesh.vertices.size(), 16u);
    EXPECT_EQ(select_nodes(body, scene.bodies[0].transform, region, 3).size(), 6u) << body.name;
  }
}

TEST(Region, OfSeveralBoxesIsTheirUnion) {
  const SceneDesc scene = placed_blocks();
  const auto loaded = load_bodies(scene);
  ASSERT_TRUE(loaded);
  const Corners lower = {Vec<3>(0.1, 0.1, 0.1), Vec<3>(0.3, 0.1, 0.2)};
  const Corners upper = {Vec<3>(0.1, 0.3, 0.1), Vec<3>(0.2, 0.3, 0.2)};
  const Corners left = {Vec<3>(0.1, 0.1, 0.1), Vec<3>(0.1, 0.3, 0.2)};
  const auto nodes_in = [&](const Corners& first, const std::vector<Corners>& more) {
    const RegionDesc region{.box = first, .more_boxes = more, .frame = RegionFrame::mesh};
    return select_nodes(loaded->instances[1], scene.bodies[0].transform, region, 3);
  };
  std::vector<int> all = nodes_in(lower, {});
  for (const Corners& box : {upper, left}) {
    const std::vector<int> more = nodes_in(box, {});
    all.insert(all.end(), more.begin(), more.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  EXPECT_EQ(all.size(), 12u);
  EXPECT_EQ(nodes_in(lower, {upper, left}), all);
}

TEST(Region, StiffPartOfSeveralBoxesIsOneBody) {
  // The two arms of the L are both stiff, which leaves no soft element and gives the mass of the whole to one frame.
  SceneDesc scene = placed_blocks();
  scene.bodies[0].array.reset();
  scene.bodies[0].stiff_parts.resize(1);
  scene.bodies[0].stiff_parts[0].region = {.box = scene.bodies[0].generator->blocks[0],
                                           .more_boxes = {scene.bodies[0].generator->blocks[1]},
                                           .frame = RegionFrame::mesh};
  const auto loaded = load_bodies(scene);
  ASSERT_TRUE(loaded);
  const SceneModel model = build_scene_model(scene, loaded->instances);
  for (const Issue& issue : model.issues) EXPECT_EQ(issue.severity, Severity::warning) << to_string(issue);
  ASSERT_EQ(model.stiff_units.size(), 1u);
  EXPECT_EQ(model.stiff_units[0].tied_nodes.size(), 16u);
  EXPECT_NEAR(model.stiff_units[0].frame.mass, 1000.0 * 0.003 * 6.0, 1e-9);
}

TEST(Blocks, AtFaultAreNamedWithTheirPlaceInTheScene) {
  SceneDesc scene = placed_blocks();
  scene.bodies[0].generator->blocks[1][0][1] = 0.25;
  const auto loaded = load_bodies(scene);
  ASSERT_EQ(loaded.issues().size(), 1u);
  EXPECT_EQ(to_string(loaded.issues()[0]),
            "bodies[0].generator.blocks[1]: this block is not joined to the first block by a face, neither directly "
            "nor through others");
}

}  // namespace
}  // namespace clearance
