// The parts of `clearance render`: picture files are what they say, the camera sees everything, pictures are
// reproducible.
#include "apps/cli/render.h"

#include <gtest/gtest.h>

#include <random>

#include "clearance/base/parallel.h"
#include "clearance/render/draw.h"
#include "clearance/render/trace.h"
#include "frame_builder.h"
#include "png_reader.h"

namespace clearance::cli {

using namespace render;
namespace {

TEST(Render_Png, ReadsBackAsWritten) {
  std::mt19937 random(5);
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 3}, {64, 33}}) {
    Image image(width, height);
    for (auto& byte : image.rgb) byte = static_cast<std::uint8_t>(random());
    const Image back = decode_png(encode_png(image));
    EXPECT_EQ(back.width, width);
    EXPECT_EQ(back.height, height);
    EXPECT_EQ(back.rgb, image.rgb);
  }
}

TEST(Render_Camera, SeesEveryPointAndFillsThePicture) {
  constexpr int seed = 17;
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int i = 0; i < 50; ++i) {
    const Vec<3> size = Vec<3>(1, 1, 1) + 0.99 * Vec<3>(uniform(random), uniform(random), uniform(random));
    const Vec<3> shift = 100 * Vec<3>(uniform(random), uniform(random), uniform(random));
    RenderBounds bounds;
    std::vector<Vec<3>> corners;
    for (int k = 0; k < 8; ++k) {
      corners.push_back(shift + size.cwiseProduct(Vec<3>(k & 1, (k >> 1) & 1, (k >> 2) & 1)));
      bounds.add(corners.back());
    }
    const Vec<3> up = i % 2 == 0 ? Vec<3>::UnitY() : Vec<3>::UnitZ();
    const double aspect = i % 3 == 0 ? 0.5 : 1.78;
    const Camera camera = frame_camera(bounds, up, i % 5 == 0, aspect);
    double widest = 0;
    for (const Vec<3>& corner : corners) {
      const Vec<3> d = corner - camera.position;
      const double depth = d.dot(camera.forward);
      ASSERT_GT(depth, 0) << "seed " << seed << " case " << i;
      widest = std::max({widest, std::abs(d.dot(camera.right)) / depth / camera.half_width,
                         std::abs(d.dot(camera.up)) / depth / camera.half_height});
    }
    EXPECT_LT(widest, 1.0) << "seed " << seed << " case " << i;
    EXPECT_GT(widest, 0.75) << "seed " << seed << " case " << i;
  }
}

Drawing draw_box(const Vec<3>& up) {
  FrameBuilder builder;
  builder.add_box(0, {-0.5, -0.5, -0.5}, {1, 1, 1});
  Drawing drawing;
  drawing.size = std::sqrt(3.0);
  drawing.up = up;
  drawing.planes = {{-0.6 * up, up}};
  draw_frame(builder.build(), {}, drawing);
  return drawing;
}

TEST(Render_Trace, BodyStandsInTheMiddleAndGroundAroundIt) {
  for (const Vec<3>& up : {Vec<3>(0, 1, 0), Vec<3>(0, 0, 1)}) {
    const Drawing drawing = draw_box(up);
    RenderBounds bounds;
    for (const auto& v : drawing.bodies.vertices) bounds.add(v.cast<double>());
    const Image image = trace(drawing, frame_camera(bounds, up, false, 1.0), {64, 64, 4});
    // The first body is blue, ground and sky are nearly grey.
    const std::uint8_t* middle = image.pixel(32, 32);
    const std::uint8_t* corner = image.pixel(2, 2);
    EXPECT_GT(middle[2], middle[0] + 50);
    EXPECT_LT(std::abs(corner[2] - corner[0]), 30);
  }
}

TEST(Render_Trace, SameBitsForAnyNumberOfThreads) {
  const Drawing drawing = draw_box(Vec<3>::UnitY());
  RenderBounds bounds;
  for (const auto& v : drawing.bodies.vertices) bounds.add(v.cast<double>());
  const Camera camera = frame_camera(bounds, Vec<3>::UnitY(), false, 1.5);
  std::vector<std::vector<std::uint8_t>> pictures;
  for (const int count : {1, 2, 4}) {
    const ThreadLimit limit(count);
    pictures.push_back(trace(drawing, camera, {48, 32, 4}).rgb);
  }
  EXPECT_EQ(pictures[0], pictures[1]);
  EXPECT_EQ(pictures[0], pictures[2]);
}

TEST(Render_Draw, CreasesOfABoxStaySharpAndFlatFacesFlat) {
  const Drawing drawing = draw_box(Vec<3>::UnitY());
  ASSERT_EQ(drawing.bodies.corner_normals.size(), 36u);
  for (const auto& n : drawing.bodies.corner_normals) {
    EXPECT_NEAR(n.cwiseAbs().maxCoeff(), 1.0f, 1e-6f);
    EXPECT_NEAR(n.norm(), 1.0f, 1e-6f);
  }
}

TEST(Render_Options, SizeIsWidthCrossHeightOrRefused) {
  RenderOptions options;
  EXPECT_TRUE(parse_size("640x360", options));
  EXPECT_EQ(options.width, 640);
  EXPECT_EQ(options.height, 360);
  for (const char* text : {"", "x", "640", "640x", "x360", "640x360x", "640 x 360", "-640x360", "1x1", "9999x9999"}) {
    EXPECT_FALSE(parse_size(text, options)) << text;
  }
}

TEST(Render_Run, UnusableInputIsExitStatusTwo) {
  RenderOptions options;
  options.folder = "no/such/folder";
  options.output = "picture.png";
  EXPECT_EQ(run_render(options), 2);
  options.output = "picture.jpg";
  EXPECT_EQ(run_render(options), 2);
}

}  // namespace
}  // namespace clearance::cli
