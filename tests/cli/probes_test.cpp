// probes.csv as users see it: its head and its lines; kills and existing folders do it no harm.
#include <sstream>

#include "cli/quick_run.h"

namespace clearance::cli {
namespace {

/// A box that falls onto a half-space with a ball of affine and one of rigid kind on a hinge; contacts from about
/// step 6.
const std::string probed_scene = R"({
  "time": {"step": 0.01, "duration": 0.3},
  "friction": {"coefficient": 0.4},
  "half_spaces": [{"point": [0, -0.26, 0]}],
  "bodies": [
    {"name": "box", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [2, 2, 2]},
     "linear_velocity": [1, 0, 0]},
    {"name": "arm", "kind": "rigid", "generator": {"kind": "box", "size": [0.4, 0.1, 0.1], "resolution": [1, 1, 1]},
     "transform": {"translation": [0, 0.4, 0]}}],
  "joints": [{"name": "pin", "bodies": ["arm", ""], "point": [0.2, 0.4, 0], "axis": [0, 0, 1]}],
  "output": {"fields": ["von_mises", "friction_force"], "probes": [
    {"name": "box", "body": "box"}, {"name": "corner v", "kind": "velocity", "body": "box", "point": [1, 1, 1]},
    {"name": "floor", "kind": "contact", "bodies": ["box", "half_spaces[0]"]},
    {"name": "pin", "kind": "joint", "joint": "pin"}, {"name": "gap", "kind": "gap", "bodies": ["box", "arm"]}]}})";
constexpr std::size_t num_steps = 30;

class ProbeFile : public QuickRun {
 protected:
  void SetUp() override {
    QuickRun::SetUp();
    scene_ = write("probed.json", probed_scene).string();
  }
  static std::vector<std::string> lines_of(const fs::path& folder) {
    std::vector<std::string> lines;
    std::istringstream text(read_text(folder / "probes.csv"));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(ProbeFile, HasAHeadWithUnitsAndALineAStep) {
  ASSERT_EQ(run().status, 0);
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), num_steps + 2);
  EXPECT_EQ(lines[0],
            "step,time [s],box.x [m],box.y [m],box.z [m],corner v.x [m/s],corner v.y [m/s],corner v.z [m/s],"
            "floor.normal.x [N],floor.normal.y [N],floor.normal.z [N],floor.friction.x [N],floor.friction.y [N],"
            "floor.friction.z [N],pin.angle [deg],pin.effort [N m],pin.force.x [N],pin.force.y [N],pin.force.z [N],"
            "pin.torque.x [N m],pin.torque.y [N m],pin.torque.z [N m],gap [m]");
  const auto num_commas = [](const std::string& line) { return std::count(line.begin(), line.end(), ','); };
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].find(std::to_string(i - 1) + ","), 0u) << lines[i];
    EXPECT_EQ(num_commas(lines[i]), num_commas(lines[0]));
  }
}

TEST_F(ProbeFile, LineOfTheStartHasEverythingButForces) {
  ASSERT_EQ(run({"--steps", "1"}).status, 0);
  const std::vector<std::string> lines = lines_of(out_);
  ASSERT_EQ(lines.size(), 3u);
  std::vector<std::string> fields;
  std::istringstream line(lines[1]);
  for (std::string field; std::getline(line, field, ',');) fields.push_back(field);
  ASSERT_EQ(fields.size(), 23u) << lines[1];
  EXPECT_EQ(fields[0], "0");
  EXPECT_EQ(fields[1], "0");
  for (std::size_t i = 2; i < 5; ++i) EXPECT_NEAR(std::stod(fields[i]), 0.0, 1e-12);
  EXPECT_NEAR(std::stod(fields[5]), 1.0, 1e-12);
  for (std::size_t i = 8; i < 14; ++i) EXPECT_EQ(fields[i], "") << "contact forces";
  EXPECT_NEAR(std::stod(fields[14]), 0.0, 1e-9) << "angle";
  for (std::size_t i = 15; i < 22; ++i) EXPECT_EQ(fields[i], "") << "forces of a joint";
  EXPECT_NEAR(std::stod(fields[22]), 0.1, 1e-12) << "gap";
}

TEST_F(ProbeFile, OfAKilledAndResumedRunIsThatOfTheWholeRun) {
  ASSERT_EQ(run().status, 0);
  const fs::path whole = out_;
  out_ = folder_ / "killed";
  for (const std::size_t wanted : {4u, 11u, 19u}) {
    const pid_t pid = start(wanted == 4u ? arguments() : arguments({"--resume"}));
    ASSERT_TRUE(wait_for_steps(out_, wanted));
    kill(pid, SIGKILL);
    wait_for(pid);
  }
  ASSERT_EQ(run({"--resume"}).status, 0);
  EXPECT_EQ(read_text(out_ / "probes.csv"), read_text(whole / "probes.csv"));
  expect_same_result(out_, whole);
}

TEST_F(ProbeFile, LinesBeyondTheCheckpointAndCutOffOnesAreWrittenAgain) {
  ASSERT_EQ(run({"--set", "output.checkpoint_interval=7", "--steps", "20"}).status, 0);
  const std::string whole = read_text(out_ / "probes.csv");
  ASSERT_EQ(run({"--overwrite", "--set", "output.checkpoint_interval=7", "--steps", "14"}).status, 0);
  std::ofstream(out_ / "probes.csv", std::ios::app) << "15,0.15,1,2,3\n16,0.1";
  ASSERT_EQ(run({"--resume", "--set", "output.checkpoint_interval=7", "--steps", "20"}).status, 0);
  EXPECT_EQ(read_text(out_ / "probes.csv"), whole);
}

TEST_F(ProbeFile, OtherProbesCannotBeResumedAndNothingChanges) {
  ASSERT_EQ(run({"--steps", "5"}).status, 0);
  const Contents before = contents_of(out_);
  for (const char* other : {"output.probes[0].name=\"other\"", "output.probes=[]"}) {
    const ProcessResult result = run({"--resume", "--set", other});
    EXPECT_EQ(result.status, 2);
    expect_says(result.errors, {"probes.csv", "output.probes"});
    EXPECT_TRUE(contents_of(out_) == before);
  }
}

TEST_F(ProbeFile, OverwriteErasesItAndRunsWithoutProbesHaveNone) {
  ASSERT_EQ(run({"--steps", "5"}).status, 0);
  ASSERT_EQ(run({"--overwrite", "--steps", "2", "--set", "output.probes=[]"}).status, 0);
  EXPECT_FALSE(fs::exists(out_ / "probes.csv"));
}

TEST_F(ProbeFile, BadNamesAreToldAllAtOnce) {
  const ProcessResult result =
      run({"--set", "output.probes[0].body=\"bax\"", "--set", "output.fields=[\"von_mieses\"]"});
  EXPECT_EQ(result.status, 2);
  expect_says(result.errors, {"output.probes[0].body", "`box`", "output.fields[0]", "`von_mises`"});
}

TEST_F(ProbeFile, FieldsAreColoursOfPictures) {
  ASSERT_EQ(run({"--steps", "12"}).status, 0);
  const auto render = [&](const std::string& color) {
    return clearance(
        {"render", out_.string(), "-o", (folder_ / "a.png").string(), "--size", "64x48", "--color", color});
  };
  EXPECT_EQ(render("stress").status, 0);
  EXPECT_EQ(render("von_mises").status, 0);
  EXPECT_EQ(render("friction_force").status, 0);
  const ProcessResult missing = render("pressure");
  EXPECT_EQ(missing.status, 2);
  expect_says(missing.errors, {"contact_pressure", "output.fields"});
  expect_says(render("presure").errors, {"did you mean `pressure`"});
}

}  // namespace
}  // namespace clearance::cli
