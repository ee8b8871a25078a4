// `units`, `up` and `volume_mesh` of a body.
#include <gtest/gtest.h>

#include "clearance/scene/json_reader.h"
#include "clearance/scene/validate.h"

namespace clearance {
namespace {

std::vector<std::string> told(const std::string& body, const std::string& more = "") {
  Issues issues;
  const SceneDesc scene = scene_from_json(Json::parse("{" + more + "\"bodies\": [" + body + "]}"), issues);
  for (const Issue& issue : validate(scene)) issues.push_back(issue);
  std::vector<std::string> lines;
  for (const Issue& issue : issues) lines.push_back(to_string(issue));
  return lines;
}
using Lines = std::vector<std::string>;

TEST(MeshFile, UnitsUpAndVolumeMeshAreRead) {
  EXPECT_EQ(told(R"({"mesh": "part.stl", "units": "mm", "up": "z", "volume_mesh": {"edge_length": 0.01}})"), Lines{});
  EXPECT_EQ(told(R"({"mesh": "part.stl", "volume_mesh": {}})"), Lines{});
  EXPECT_EQ(told(R"({"mesh": "part.stl", "units": null, "volume_mesh": null})"), Lines{});
}

TEST(MeshFile, WrongValuesAreToldWithWhatWasExpected) {
  const Lines lines = told(R"({"mesh": "part.stl", "units": "inches", "up": "x", "volume_mesh": {"edge_length": 0}})");
  ASSERT_EQ(lines.size(), 3U) << testing::PrintToString(lines);
  EXPECT_NE(lines[0].find("bodies[0].units: "), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("mm"), std::string::npos) << lines[0];
  EXPECT_NE(lines[1].find("bodies[0].up: "), std::string::npos) << lines[1];
  EXPECT_EQ(lines[2], "bodies[0].volume_mesh.edge_length: must be above 0 [m] (got 0)");
}

TEST(MeshFile, KeysOfMeshFilesAreRefusedWithoutOne) {
  const std::string box = R"("generator": {"kind": "box"})";
  EXPECT_EQ(told("{" + box + R"(, "units": "m", "up": "z", "volume_mesh": {}})"),
            (Lines{"bodies[0].units: is for bodies with a `mesh`; all else is in metres, y up",
                   "bodies[0].up: is for bodies with a `mesh`; all else is in metres, y up",
                   "bodies[0].volume_mesh: is for bodies with a `mesh`; all else is in metres, y up"}));
  EXPECT_EQ(told(R"({"mesh": "part.obj", "up": "z"})", R"("dimension": 2, )"),
            Lines{"bodies[0].up: must be \"y\" in 2D, where z points at the reader (got \"z\")"});
}

}  // namespace
}  // namespace clearance
