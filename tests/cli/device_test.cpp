// `clearance run --device` and `clearance devices`: the results are those of the CPU.
#include <nlohmann/json.hpp>

#include "../device/test_device.h"
#include "cli/process.h"

namespace clearance::cli {
namespace {

class DeviceRun : public ProgramTest {
 protected:
  /// Runs a scene and returns the hashes of its states; `output` is the name of the result folder.
  std::vector<std::string> run(const std::string& scene, const std::string& output, const std::string& device) const {
    const std::string out = (folder_ / output).string();
    const auto result = clearance({"run", scene, "-o", out, "-q", "--steps", "2", "--device", device});
    EXPECT_EQ(result.status, 0) << result.errors;
    return hashes_of(out);
  }
  nlohmann::json summary(const std::string& output) const {
    return nlohmann::json::parse(read_text(folder_ / output / "summary.json"));
  }
};

TEST_F(DeviceRun, ExamplesHaveTheSameBits) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  long num_culled = 0;
  // Solids, shells, rods, balls, stiff bodies, and elements of order 2.
  for (const std::string name : {"bolt_in_nut", "capsule_chain", "card_house", "cloth_over_ball", "drop_in_bowl",
                                 "garment", "newtons_cradle", "overhand_knot", "soft_gripper", "twisted_rods"}) {
    SCOPED_TRACE(name);
    const std::string scene = (source_folder() / "examples" / (name + ".json")).string();
    const std::vector<std::string> expected = run(scene, name + "_cpu", "off");
    ASSERT_EQ(expected.size(), 2U);
    EXPECT_EQ(run(scene, name + "_device", "0"), expected);
    EXPECT_FALSE(summary(name + "_cpu").contains("device"));
    const nlohmann::json device = summary(name + "_device").at("device");
    EXPECT_FALSE(device.contains("failure")) << device;
    EXPECT_GT(device.at("broad_phase").at("queries").get<long>(), 0);
    EXPECT_EQ(device.at("broad_phase").at("queries_of_cpu").get<long>(), 0);
    num_culled += device.at("culling").at("culled_pairs").get<long>();
  }
  EXPECT_GT(num_culled, 1000);
}

TEST_F(DeviceRun, AnUnknownDeviceIsRefusedAndLeavesNothing) {
  const std::string scene = (source_folder() / "examples" / "newtons_cradle.json").string();
  const fs::path out = folder_ / "out";
  const auto result = clearance({"run", scene, "-o", out.string(), "--device", "no such device"});
  EXPECT_EQ(result.status, 2);
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(DeviceRun, DevicesAreListed) {
  CLEARANCE_SKIP_WITHOUT_DEVICE();
  const auto result = clearance({"devices", "--json"});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(nlohmann::json::parse(result.output).at(0).at("name"), list_devices()->front().name);
}

}  // namespace
}  // namespace clearance::cli
