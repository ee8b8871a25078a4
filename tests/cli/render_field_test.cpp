// Pictures coloured by a field: values become the colours of the map, and a legend says which.
#include "clearance/render/field.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "apps/cli/render.h"
#include "clearance/io/result/pvd.h"
#include "clearance/render/draw.h"
#include "clearance/render/legend.h"
#include "frame_builder.h"
#include "png_reader.h"
#include "support/adapting_frames.h"

namespace clearance::cli {

using namespace render;
namespace {

namespace fs = std::filesystem;
using Rgb = std::array<int, 3>;

Rgb pixel(const Image& image, int x, int y) {
  const std::uint8_t* p = image.pixel(x, y);
  return {p[0], p[1], p[2]};
}
int num_pixels_of(const Image& image, const Rgb& rgb) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) count += pixel(image, x, y) == rgb ? 1 : 0;
  }
  return count;
}
const Rgb ink = {40, 44, 52}, lowest = {0x44, 0x01, 0x54}, highest = {0xFD, 0xE7, 0x25};

/// True if the colour is far on the side of the map's upper end (yellow), false if of its lower (violet).
bool is_yellow(const Rgb& rgb) {
  return rgb[0] > rgb[2] + 50 && rgb[1] > rgb[2] + 50;
}
bool is_violet(const Rgb& rgb) {
  return rgb[2] > rgb[1] + 15;
}

TEST(Render_Legend, HasTheColoursOfTheMapFromEndToEnd) {
  Image image(640, 360);
  draw_legend(image, {"velocity [m/s]", 0.0, 2.5});
  // The first row with the lowest colour is the bar: it ends with the highest.
  for (int y = 0; y < image.height; ++y) {
    int first = -1, last = -1;
    for (int x = 0; x < image.width; ++x) {
      const Rgb rgb = pixel(image, x, y);
      const auto is_near = [&](const Rgb& end) {
        return std::abs(rgb[0] - end[0]) + std::abs(rgb[1] - end[1]) + std::abs(rgb[2] - end[2]) < 12;
      };
      if (first < 0 && is_near(lowest)) first = x;
      if (is_near(highest)) last = x;
    }
    if (first < 0) continue;
    EXPECT_GE(last - first, image.width / 4 - 4);
    return;
  }
  FAIL() << "no bar";
}

TEST(Render_Legend, SaysOtherThingsAboutOtherScales) {
  const auto ink_of = [](const Legend& legend) {
    Image image(640, 360);
    draw_legend(image, legend);
    return num_pixels_of(image, ink);
  };
  const int with_unit = ink_of({"displacement [m]", 0.0, 1.0});
  EXPECT_GT(with_unit, 150);
  EXPECT_GT(with_unit, ink_of({"displacement", 0.0, 1.0}) + 20);
  EXPECT_NE(with_unit, ink_of({"displacement [m]", 0.0, 8.88}));
}

TEST(Render_Legend, StaysInSmallPictures) {
  for (const int size : {16, 40, 100}) {
    Image image(size, size);
    draw_legend(image, {"a_very_long_name_of_a_field [unit]", -1e-12, 1e300});
  }
}

TEST(Render_Field, RangeStartsAtZeroUnlessValuesAreNegative) {
  FieldRange range;
  range.add(2.0);
  range.add(std::nan(""));
  range.add(5.0);
  EXPECT_EQ(range.as_scale().low, 0.0);
  EXPECT_EQ(range.as_scale().high, 5.0);
  range.add(-3.0);
  EXPECT_EQ(range.as_scale().low, -3.0);
  FieldRange zero;
  zero.add(0.0);
  EXPECT_GT(zero.as_scale().high, zero.as_scale().low);
}

TEST(Render_Field, CellNumbersSpreadToVertices) {
  FrameBuilder builder;
  builder.add_box(0, {0, 0, 0}, {1, 1, 1});
  Frame frame = builder.build();
  frame.cell_scalar = {4, 8, 8, 8, 12};
  const std::vector<double> values = field_values(frame, "stress", frame);
  ASSERT_EQ(values.size(), 8u);
  EXPECT_EQ(values[0], 4.0);                 // of one tet
  EXPECT_EQ(values[7], (3 * 8 + 12) / 4.0);  // of four
}

TEST(Render_Field, DisplacementOfElementsThatChangeCountsFromRest) {
  const fs::path path = fs::temp_directory_path() / ("clearance_render_rest_" + std::to_string(getpid()) + ".vtu");
  const Frame first = adapting_frame(0), exact = adapting_frame(3);
  ASSERT_TRUE(write_frame(path, exact));
  const auto frame = read_frame_for(path, "displacement", first);
  ASSERT_TRUE(frame);
  const std::vector<double> values = field_values(*frame, "displacement", first);
  ASSERT_EQ(values.size(), 8u);
  // The body is stretched by 1.3 and bent by 0.06 x^2; the middle has no position in the first frame.
  EXPECT_NEAR(values[4], std::hypot(0.15, 0.015), 1e-15);
  EXPECT_EQ(values[0], 0.0);
  EXPECT_EQ(values[6], 0.75);
  Frame plain = first;
  plain.point_arrays.clear();
  const auto other = read_frame_for(path, "displacement", plain);
  ASSERT_TRUE(other);
  EXPECT_TRUE(field_values(*other, "displacement", plain).empty());
  fs::remove(path);
}

TEST(Render_Field, FramesOfOtherElementsAreDrawn) {
  const fs::path folder = fs::temp_directory_path() / ("clearance_render_adapting_" + std::to_string(getpid()));
  fs::create_directories(folder / "frames");
  std::vector<PvdEntry> entries;
  for (int i = 0; i < 5; ++i) {
    entries.push_back({0.1 * i, "frames/" + std::to_string(i) + ".vtu"});
    ASSERT_TRUE(write_frame(folder / entries.back().file, adapting_frame(i)));
  }
  ASSERT_TRUE(write_pvd(folder / "frames.pvd", entries));
  std::ofstream(folder / "scene.json") << R"({"dimension": 2})";
  for (const char* color : {"body", "displacement", "velocity"}) {
    for (const int frame : {0, 2, 4}) {
      RenderOptions options;
      options.folder = folder;
      options.output = folder / "a.png";
      options.color = color;
      options.frame = frame;
      options.width = 64;
      options.height = 48;
      options.samples = 1;
      EXPECT_EQ(run_render(options), 0) << color << " " << frame;
    }
  }
  fs::remove_all(folder);
}

/// A result folder of two boxes: the right one moves up by 0.25 in the second of two frames.
class RenderField : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("clearance_render_" + std::to_string(getpid()) + "_" +
                                           testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_ / "frames");
    FrameBuilder builder;
    builder.add_box(0, {-1.2, 0, 0}, {1, 1, 1});
    builder.add_box(1, {0.2, 0, 0}, {1, 1, 1});
    Frame frame = builder.build();
    ASSERT_TRUE(write_frame(folder_ / "frames/0.vtu", frame));
    for (std::size_t v = 8; v < 16; ++v) {
      frame.mesh.vertices[v][1] += 0.25;
      frame.velocity[v] = Vec<3>(0, 2, 0);
    }
    frame.time = 1.0;
    ASSERT_TRUE(write_frame(folder_ / "frames/1.vtu", frame));
    ASSERT_TRUE(write_pvd(folder_ / "frames.pvd", {{0.0, "frames/0.vtu"}, {1.0, "frames/1.vtu"}}));
    std::ofstream(folder_ / "scene.json") << "{}";
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Adds an array of one number per vertex (`section` PointData) or cell (CellData), as text, in both frames or in
  /// some.
  void add_array(const std::string& section, const std::string& name, const std::string& numbers,
                 const std::vector<const char*>& files = {"frames/0.vtu", "frames/1.vtu"}) const {
    for (const char* file : files) {
      std::ifstream in(folder_ / file, std::ios::binary);
      std::string text{std::istreambuf_iterator<char>(in), {}};
      const std::string tag = "</" + section + ">";
      ASSERT_NE(text.find(tag), std::string::npos);
      text.insert(text.find(tag),
                  "<DataArray type=\"Float64\" Name=\"" + name + "\" format=\"ascii\">" + numbers + "</DataArray>\n");
      std::ofstream(folder_ / file, std::ios::binary) << text;
    }
  }

  RenderOptions options_of(const std::string& color) const {
    RenderOptions options;
    options.folder = folder_;
    options.output = folder_ / "out.png";
    options.width = 320;
    options.height = 180;
    options.samples = 4;
    options.color = color;
    return options;
  }
  int render(const std::string& color) const { return run_render(options_of(color)); }
  Image picture(const std::string& color) const { return picture(options_of(color)); }
  Image picture(const RenderOptions& options) const {
    EXPECT_EQ(run_render(options), 0);
    std::ifstream file(folder_ / "out.png", std::ios::binary);
    return decode_png({std::istreambuf_iterator<char>(file), {}});
  }
  /// Counts the pixels of the map's two ends in the upper part, without the legend.
  static std::array<int, 2> violet_and_yellow(const Image& image) {
    std::array<int, 2> counts{};
    for (int y = 0; y < image.height * 3 / 4; ++y) {
      for (int x = 0; x < image.width; ++x) {
        counts[0] += is_violet(pixel(image, x, y)) ? 1 : 0;
        counts[1] += is_yellow(pixel(image, x, y)) ? 1 : 0;
      }
    }
    return counts;
  }
  static int num_ink(const Image& image) { return num_pixels_of(image, ink); }

  fs::path folder_;
};

TEST_F(RenderField, DisplacementIsVioletWhereNothingMovedAndYellowWhereItMovedMost) {
  const Image image = picture("displacement");
  const auto [violet, yellow] = violet_and_yellow(image);
  EXPECT_GT(violet, 1000);
  EXPECT_GT(yellow, 1000);
  EXPECT_GT(num_ink(image), 100);
}

TEST_F(RenderField, BodiesHaveNoLegend) {
  EXPECT_EQ(num_ink(picture("body")), 0);
  EXPECT_GT(num_ink(picture("velocity")), 100);
}

TEST_F(RenderField, ArraysOfPointsAndCellsAreFieldsByTheirNames) {
  add_array("PointData", "pressure", "-5 -5 -5 -5 -5 -5 -5 -5 5 5 5 5 5 5 5 5");
  add_array("CellData", "stress", "1 1 1 1 1 9 9 9 9 9");
  for (const char* name : {"pressure", "stress"}) {
    const auto [violet, yellow] = violet_and_yellow(picture(name));
    EXPECT_GT(yellow, 1000) << name;
    EXPECT_GT(violet, 1000) << name;
  }
}

TEST_F(RenderField, FrameWithoutTheArrayOfOthersIsRefused) {
  add_array("CellData", "von_mises", "1 1 1 1 1 9 9 9 9 9", {"frames/0.vtu"});
  RenderOptions options = options_of("stress");
  const Result<std::string> last = draw_picture(options);
  ASSERT_FALSE(last);
  EXPECT_EQ(to_string(last.issues().front()),
            (folder_ / "frames/1.vtu").string() +
                ": --color: this frame has no `von_mises`; choose a frame that has it with --frame (got stress)");
  options.frame = 0;
  EXPECT_TRUE(draw_picture(options));
}

TEST_F(RenderField, ArrayWithoutNumbersIsNotSaidToBeMissing) {
  add_array("CellData", "von_mises", "nan nan nan nan nan nan nan nan nan nan");
  const Result<std::string> drawn = draw_picture(options_of("stress"));
  ASSERT_FALSE(drawn);
  EXPECT_EQ(drawn.issues().front().message,
            "the frames have `von_mises`, but without a finite number on a body that is not an obstacle");
  const Result<std::string> missing = draw_picture(options_of("pressure"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(
      missing.issues().front().message,
      "the frames have no `contact_pressure`: add \"contact_pressure\" to `output.fields` of the scene and run it "
      "again");
  EXPECT_EQ(missing.issues().front().value, "pressure");
}

TEST_F(RenderField, EdgesAreDarkLines) {
  const Image plain = picture("body");
  RenderOptions options = options_of("body");
  options.has_edges = true;
  const Image edged = picture(options);
  int num_darker = 0, num_brighter = 0;
  for (std::size_t i = 0; i < plain.rgb.size(); i += 3) {
    const auto light = [i](const Image& image) { return image.rgb[i] + image.rgb[i + 1] + image.rgb[i + 2]; };
    num_darker += light(edged) < light(plain) - 20 ? 1 : 0;
    num_brighter += light(edged) > light(plain) + 20 ? 1 : 0;
  }
  // Two boxes show six faces of about 100 x 100 pixels, and half of their edges' and diagonals' length.
  EXPECT_GT(num_darker, 500);
  EXPECT_LT(num_darker, static_cast<int>(plain.rgb.size()) / 3 / 10);
  EXPECT_EQ(num_brighter, 0);
}

TEST_F(RenderField, UnknownOrUnfitArraysAreRefused) {
  EXPECT_EQ(render("temperature"), 2);
  add_array("PointData", "pressure", "1 2 3");
  EXPECT_EQ(render("pressure"), 2);
}

}  // namespace
}  // namespace clearance::cli
