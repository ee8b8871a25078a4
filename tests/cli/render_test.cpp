// The parts of `clearance render`: picture files are what they say, the camera sees everything, pictures are
// reproducible.
#include "apps/cli/render.h"

#include <gtest/gtest.h>

#include <numbers>
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

/// Returns where a point is in the picture, from -1 to 1 to the right and upwards.
Vec<2> place_in_picture(const Camera& camera, const Vec<3>& point) {
  const Vec<3> d = point - camera.position;
  return Vec<2>(d.dot(camera.right) / camera.half_width, d.dot(camera.up) / camera.half_height) / d.dot(camera.forward);
}

RenderBounds bounds_of_box() {
  RenderBounds bounds;
  for (int k = 0; k < 8; ++k) bounds.add(Vec<3>(k & 1, 2 * ((k >> 1) & 1), 3 * ((k >> 2) & 1)));
  return bounds;
}

TEST(Render_Camera, StandsWhereItIsAskedTo) {
  const RenderBounds bounds = bounds_of_box();
  CameraRequest request;
  request.from = Vec<3>(5, 4, -9);
  request.at = Vec<3>(0.2, 1, 2);
  const Camera fitted = frame_camera(bounds, Vec<3>::UnitY(), false, 1.5, request);
  EXPECT_EQ(fitted.position, *request.from);
  EXPECT_LT(place_in_picture(fitted, *request.at).norm(), 1e-12);
  double widest = 0.0;
  for (const Vec<3>& point : bounds.outermost) {
    widest = std::max(widest, place_in_picture(fitted, point).cwiseAbs().maxCoeff());
  }
  EXPECT_GT(widest, 0.8);
  EXPECT_LT(widest, 1.0);
  request.angle_of_view = 0.7;
  const Camera asked = frame_camera(bounds, Vec<3>::UnitY(), false, 1.5, request);
  EXPECT_NEAR(2.0 * std::atan(asked.half_height), 0.7, 1e-12);
  EXPECT_NEAR(asked.half_width, 1.5 * asked.half_height, 1e-12);
}

TEST(Render_Camera, SeesEverythingFromASideAndAroundAPlace) {
  const RenderBounds bounds = bounds_of_box();
  for (const Vec<3>& up : {Vec<3>(0, 1, 0), Vec<3>(0, 0, 1)}) {
    for (const Vec<3>& side : {Vec<3>(1, 0, 0), Vec<3>(0, -1, 0), Vec<3>(0, 0, 1), Vec<3>(up)}) {
      CameraRequest request;
      request.side = side;
      request.at = Vec<3>(1, 1, 0);
      const Camera camera = frame_camera(bounds, up, false, 0.7, request);
      EXPECT_LT((camera.forward + side).norm(), 1e-12);
      EXPECT_LT(place_in_picture(camera, *request.at).norm(), 1e-12);
      EXPECT_NEAR(camera.right.dot(camera.up), 0.0, 1e-12);
      EXPECT_NEAR(camera.right.norm() * camera.up.norm(), 1.0, 1e-12);
      for (const Vec<3>& point : bounds.outermost)
        EXPECT_LT(place_in_picture(camera, point).cwiseAbs().maxCoeff(), 1.0);
    }
  }
}

TEST(Render_Camera, GoesAroundAtTheSameHeightAndDistance) {
  const RenderBounds bounds = bounds_of_box();
  CameraRequest request;
  request.from = Vec<3>(5, 4, -9);
  request.turned = 0.5 * std::numbers::pi;
  const Camera quarter = frame_camera(bounds, Vec<3>::UnitY(), false, 1.5, request);
  const Vec<3> before = *request.from - bounds.center(), after = quarter.position - bounds.center();
  EXPECT_NEAR(after[1], before[1], 1e-12);
  EXPECT_NEAR(after.norm(), before.norm(), 1e-12);
  EXPECT_NEAR(Vec<3>(after[0], 0, after[2]).dot(Vec<3>(before[0], 0, before[2])), 0.0, 1e-10);
  EXPECT_LT(place_in_picture(quarter, bounds.center()).norm(), 1e-12);
  request.turned = 2.0 * std::numbers::pi;
  EXPECT_LT((frame_camera(bounds, Vec<3>::UnitY(), false, 1.5, request).position - *request.from).norm(), 1e-12);
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

TEST(Render_Options, PlacesOfTheCameraAreThreeNumbersOrRefused) {
  RenderOptions options;
  EXPECT_TRUE(parse_camera({"-1,0.5,2e-1", "0,0,1", ""}, options));
  EXPECT_EQ(*options.camera.from, Vec<3>(-1, 0.5, 0.2));
  EXPECT_EQ(*options.camera.at, Vec<3>(0, 0, 1));
  EXPECT_TRUE(parse_camera({"", "", "left"}, options));
  EXPECT_EQ(*options.view, Vec<3>(-1, 0, 0));
  for (const char* text : {"1", "1,2", "1,2,", "1,2,3,4", "a,b,c", "1 2 3", "1,nan,2", "1,2,3 "}) {
    EXPECT_FALSE(parse_camera({text, "", ""}, options)) << text;
  }
  EXPECT_EQ(parse_camera({"1,2", "x", "up"}, options).issues().size(), 3u);
  EXPECT_FALSE(parse_camera({"1,2,3", "", "top"}, options));
  EXPECT_FALSE(parse_camera({"1,2,3", "1,2,3", ""}, options));
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
