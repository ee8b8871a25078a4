// Models of robots as text: every line end and a byte order mark are read, cut and damaged files end in a message.
#include <gtest/gtest.h>

#include "clearance/io/robot/robot_program.h"
#include "io_mesh/text_changes.h"
#include "robot_file.h"
#include "support/environment.h"

namespace clearance {
namespace {

const std::string urdf =
    "<?xml version=\"1.0\"?>\n<robot name=\"r\">\n<link name=\"base\"/>\n<link name=\"arm\">\n<inertial>\n"
    "<mass value=\"1\"/>\n<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>\n</inertial>\n"
    "<collision>\n<geometry>\n<box size=\"1 1 1\"/>\n</geometry>\n</collision>\n</link>\n"
    "<joint name=\"j\" type=\"continuous\">\n<parent link=\"base\"/>\n<child link=\"arm\"/>\n<axis xyz=\"0 1 0\"/>\n"
    "</joint>\n</robot>\n";

const std::string mjcf =
    "<mujoco model=\"m\">\n<worldbody>\n<geom type=\"plane\" size=\"1 1 1\"/>\n<body name=\"a\" pos=\"0 0 1\">\n"
    "<freejoint/>\n<geom type=\"box\" size=\"0.1 0.1 0.1\"/>\n</body>\n<body name=\"b\" pos=\"0 0 2\">\n<freejoint/>\n"
    "<geom type=\"box\" size=\"0.1 0.1 0.1\"/>\n</body>\n</worldbody>\n</mujoco>\n";

Result<LoadedScene> read_text(const std::string& format, const std::string& text) {
  return read_robot(write_file(test_folder() / ("model." + format), text), format);
}

void expect_all_forms(const std::string& format, const std::string& text) {
  const Result<LoadedScene> plain = read_text(format, text);
  ASSERT_TRUE(plain.has_value()) << messages_of(plain.issues());
  for (const char* end : {"\n", "\r", "\r\n"}) {
    for (const char* mark : {"", "\xEF\xBB\xBF"}) {
      const Result<LoadedScene> loaded = read_text(format, mark + test::replace_all(text, "\n", end));
      ASSERT_TRUE(loaded.has_value()) << messages_of(loaded.issues());
      EXPECT_EQ(loaded->scene.bodies.size(), plain->scene.bodies.size());
      EXPECT_EQ(loaded->scene.joints.size(), plain->scene.joints.size());
    }
  }
}

void expect_cut_files_refused(const std::string& format, const std::string& text) {
  for (std::size_t length = 0; length < text.rfind("</"); length += 29) {
    EXPECT_FALSE(read_text(format, text.substr(0, length)).has_value()) << text.substr(0, length);
  }
}

/// CLEARANCE_FUZZ_ROBOTS sets the number of files, CLEARANCE_FUZZ_FIRST that of the first.
void expect_no_crash(const std::string& format, const std::string& text) {
  const auto first = static_cast<unsigned>(number_from_environment("CLEARANCE_FUZZ_FIRST", 0));
  const auto count = static_cast<unsigned>(number_from_environment("CLEARANCE_FUZZ_ROBOTS", 30));
  for (unsigned i = first; i < first + count; ++i) {
    const std::string changed = test::Changes(7919 * i + 3).change(text);
    const Result<LoadedScene> loaded = read_text(format, changed);
    if (loaded.has_value()) continue;
    const std::string told = messages_of(loaded.issues());
    EXPECT_FALSE(told.empty());
    EXPECT_EQ(told.find("was ended by signal"), std::string::npos) << told << changed;
    EXPECT_EQ(told.find("without a message"), std::string::npos) << told << changed;
  }
  std::printf("%u damaged files\n", count);
}

TEST(RobotText, UrdfIsReadWithEveryLineEndAndAByteOrderMark) {
  SKIP_WITHOUT("urdf");
  expect_all_forms("urdf", urdf);
}

TEST(RobotText, MjcfIsReadWithEveryLineEndAndAByteOrderMark) {
  SKIP_WITHOUT("mjcf");
  expect_all_forms("mjcf", mjcf);
}

TEST(RobotText, ACutUrdfIsRefused) {
  SKIP_WITHOUT("urdf");
  expect_cut_files_refused("urdf", urdf);
}

TEST(RobotText, ACutMjcfIsRefused) {
  SKIP_WITHOUT("mjcf");
  expect_cut_files_refused("mjcf", mjcf);
}

TEST(RobotText, DamagedUrdfEndsInASceneOrAMessage) {
  SKIP_WITHOUT("urdf");
  expect_no_crash("urdf", urdf);
}

TEST(RobotText, DamagedMjcfEndsInASceneOrAMessage) {
  SKIP_WITHOUT("mjcf");
  expect_no_crash("mjcf", mjcf);
}

}  // namespace
}  // namespace clearance
