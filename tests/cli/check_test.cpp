// `clearance check`: the table of bodies, and warnings that do not stop it.
#include "cli/process.h"

namespace clearance::cli {
namespace {

class Check : public ProgramTest {
 protected:
  Json json_of(const std::string& scene) const {
    const ProcessResult check = clearance({"check", "--json", write("scene.json", scene).string()});
    EXPECT_EQ(check.status, 0) << check.output << check.errors;
    return Json::parse(check.output, nullptr, false);
  }
  const std::string brick_ =
      R"({"name": "brick", "generator": {"kind": "box", "size": [1, 2, 3], "resolution": [2, 2, 3]},
    "material": {"density": 500}, "transform": {"translation": [0, 5, 0]}})";
  const std::string floor_ = R"({"name": "floor", "kind": "obstacle", "generator": {"kind": "sheet", "size": [9, 8],
    "resolution": [1, 1]}})";
};

TEST_F(Check, TableHasSizeVolumeMassElementsAndSmallestEdgeOfEachBody) {
  const Json report = json_of("{\"bodies\": [" + brick_ + "," + floor_ + "]}");
  ASSERT_EQ(report["table"].size(), 2u);
  const Json& brick = report["table"][0];
  EXPECT_EQ(brick["name"], "brick");
  EXPECT_EQ(brick["kind"], "deformable");
  EXPECT_EQ(brick["size"], (Json{1.0, 2.0, 3.0}));
  EXPECT_NEAR(brick["volume"].get<double>(), 6.0, 1e-12);
  EXPECT_NEAR(brick["mass"].get<double>(), 3000.0, 1e-9);
  EXPECT_EQ(brick["elements"], 72);
  EXPECT_NEAR(brick["smallest_edge"].get<double>(), 0.5, 1e-12);
  const Json& floor = report["table"][1];
  EXPECT_EQ(floor["kind"], "obstacle");
  EXPECT_EQ(floor["elements"], 2);
  EXPECT_TRUE(floor["mass"].is_null() && floor["volume"].is_null());
}

TEST_F(Check, SaysWhoseElementsAdapt) {
  const std::string scene =
      R"({"time": {"mass": "consistent"}, "contact": {"formulation": "convergent"}, "remesh": {}, "bodies": [)" +
      brick_ + R"(, {"name": "stone", "remesh": {"enabled": false}, "transform": {"translation": [3, 5, 0]},
        "generator": {"kind": "box", "size": [1, 1, 1], "resolution": [2, 2, 2]}}, )" +
      floor_ + "]}";
  const Json table = json_of(scene)["table"];
  ASSERT_EQ(table.size(), 3u);
  EXPECT_EQ(table[0]["adapts"], true);
  EXPECT_EQ(table[1]["adapts"], false);
  EXPECT_EQ(table[2]["adapts"], false);
  const ProcessResult check = clearance({"check", write("scene.json", scene).string()});
  EXPECT_NE(check.output.find("\nelements adapt (`remesh`): brick\n"), std::string::npos) << check.output;
}

TEST_F(Check, MassOfAStiffPartIsThatOfItsDensity) {
  const Json report = json_of(R"({"bodies": [{"generator": {"kind": "box", "size": [2, 1, 1], "resolution": [4, 2, 2]},
    "material": {"density": 100}, "stiff_parts": [{"density": 1000, "region": {"box": [[-9, -9, -9], [0, 9, 9]]}}]}]})");
  EXPECT_NEAR(report["table"][0]["mass"].get<double>(), 1100.0, 1e-6);
  EXPECT_NEAR(report["table"][0]["volume"].get<double>(), 2.0, 1e-12);
}

TEST_F(Check, ManyCopiesAreOneLine) {
  const auto copies = [&](int count) {
    const Json report = json_of(R"({"bodies": [{"name": "die", "kind": "rigid", "generator": {"kind": "box",
      "size": [1, 1, 1]}, "array": {"counts": [)" +
                                std::to_string(count) + R"(, 1, 1], "spacing": [2, 1, 1]}}]})");
    return report["table"];
  };
  EXPECT_EQ(copies(4).size(), 4u);
  const Json table = copies(5);
  ASSERT_EQ(table.size(), 1u);
  EXPECT_EQ(table[0]["name"], "die");
  EXPECT_EQ(table[0]["bodies"], 5);
  EXPECT_NEAR(table[0]["mass"].get<double>(), 5000.0, 1e-6);
  EXPECT_EQ(table[0]["size"], (Json{1.0, 1.0, 1.0}));
}

TEST_F(Check, TableIsPrintedInColumns) {
  const ProcessResult check =
      clearance({"check", write("scene.json", "{\"bodies\": [" + brick_ + "," + floor_ + "]}").string()});
  EXPECT_EQ(check.status, 0);
  EXPECT_EQ(check.errors, "");
  EXPECT_NE(check.output.find("body   kind        size [m]   volume [m^3]  mass [kg]  elements  smallest edge [m]\n"
                              "brick  deformable  1 x 2 x 3             6       3000        72                0.5\n"
                              "floor  obstacle    9 x 0 x 8             -          -         2                  8\n"),
            std::string::npos)
      << check.output;
}

TEST_F(Check, ElementsOfThinBodiesCount) {
  const std::string rod = R"({"name": "rod", "kind": "rod", "thickness": 0.01,
    "generator": {"kind": "line", "size": [1], "resolution": [10]}, "transform": {"translation": [0, 9, 0]}})";
  const auto file = write("scene.json", "{\"bodies\": [" + brick_ + "," + rod + "]}");
  const ProcessResult check = clearance({"check", file.string()});
  EXPECT_NE(check.output.find(" vertices, 82 elements; surface: "), std::string::npos) << check.output;
}

TEST_F(Check, WarningsAreToldAndStopNothing) {
  const std::string pip = R"({"name": "pip", "generator": {"kind": "box", "size": [0.1, 0.1, 0.1]},
    "transform": {"translation": [0, 5, 0]}})";
  const std::string scene = "{\"bodies\": [" + pip + "," + brick_ + "]}";
  const Json report = json_of(scene);
  ASSERT_EQ(report["warnings"].size(), 1u);
  EXPECT_EQ(report["warnings"][0]["severity"], "warning");
  EXPECT_EQ(report["warnings"][0]["name"], "enclosed_body");
  EXPECT_EQ(report["warnings"][0]["place"], "bodies[0].transform");
  const std::string file = write("scene.json", scene).string();
  for (const std::string command : {"check", "run"}) {
    std::vector<std::string> arguments = {command, file};
    if (command == "run") arguments.insert(arguments.end(), {"-o", (folder_ / "out").string(), "--steps", "1", "-q"});
    const ProcessResult result = clearance(arguments);
    EXPECT_EQ(result.status, 0);
    EXPECT_NE(result.errors.find("bodies[0].transform: warning: body 'pip' starts entirely inside"), std::string::npos)
        << result.errors;
  }
}

TEST_F(Check, SeparateWritesASceneThatStarts) {
  const auto scene = write("scene.json", R"({"time": {"step": 0.01, "duration": 0.02}, "bodies": [
    {"name": "a", "kind": "rigid", "generator": {"kind": "box"}},
    {"name": "b", "generator": {"kind": "box"}, "transform": {"translation": [0, 0.9, 0]}}]})");
  const std::string apart = (folder_ / "apart.json").string();
  EXPECT_EQ(clearance({"check", scene.string()}).status, 2);
  const ProcessResult done = clearance({"check", scene.string(), "--separate", apart});
  EXPECT_EQ(done.status, 0) << done.errors;
  EXPECT_NE(done.output.find("'a' and 'b' overlapped by 0.1"), std::string::npos) << done.output;
  EXPECT_NE(done.output.find("'b' was moved by 0.05"), std::string::npos) << done.output;
  EXPECT_EQ(clearance({"check", apart}).status, 0);
  // An existing file is kept.
  const ProcessResult refused = clearance({"check", scene.string(), "--separate", apart});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("exists"), std::string::npos);
  const ProcessResult json = clearance({"check", scene.string(), "--separate", apart, "--overwrite", "--json"});
  const Json report = Json::parse(json.output, nullptr, false);
  EXPECT_EQ(report["separation"]["overlaps"][0]["bodies"], (Json{"a", "b"}));
  EXPECT_EQ(report["separation"]["moves"].size(), 2u);
  // A run separates by itself, is verified from its first frame on, and continues.
  const std::string out = (folder_ / "out").string();
  EXPECT_EQ(
      clearance({"run", scene.string(), "-o", out, "-q", "--set", "start.overlaps=separate", "--steps", "1"}).status,
      0);
  EXPECT_EQ(clearance({"run", scene.string(), "-o", out, "-q", "--set", "start.overlaps=separate", "--resume"}).status,
            0);
  EXPECT_EQ(clearance({"verify", out}).status, 0);
}

TEST_F(Check, WhatCannotBeSeparatedLeavesNoFile) {
  const auto scene = write("scene.json", R"({"bodies": [
    {"name": "a", "kind": "rigid", "generator": {"kind": "box"}, "fixed_translation": true},
    {"name": "b", "kind": "rigid", "generator": {"kind": "box"}, "transform": {"translation": [0, 0.9, 0]},
     "fixed_translation": true}]})");
  const auto apart = folder_ / "apart.json";
  const ProcessResult refused = clearance({"check", scene.string(), "--separate", apart.string()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.errors.find("could not separate them"), std::string::npos) << refused.errors;
  EXPECT_FALSE(std::filesystem::exists(apart));
}

}  // namespace
}  // namespace clearance::cli
