// Results do not depend on the processor: the same bits from the portable program, the one for AVX2 and the
// factorisation for AVX-512, and with the C library's functions for processors without fused multiply-add.
#include "cli/process.h"

namespace clearance::cli {
namespace {

/// Sets an environment variable for as long as the object lives.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (!value.empty()) setenv(name, value.c_str(), 1);
  }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

// A stiff ball falls on a soft box that slides down a slope, pulled by a formula.
const std::string soft_scene = R"json({
  "time": {"step": 0.01, "duration": 0.12},
  "friction": {"coefficient": 0.3},
  "half_spaces": [{"point": [0, 0, 0], "normal": [0.3, 1, 0]}],
  "bodies": [
    {"generator": {"kind": "box", "size": [0.4, 0.2, 0.4], "resolution": [5, 3, 5]},
     "transform": {"translation": [0, 0.11, 0], "rotation": [0, 10, -16.7]},
     "material": {"youngs_modulus": 1e5, "poisson_ratio": 0.4},
     "loads": [{"expression": ["10 * sin(30 * t) * exp(-x^2)", "0", "log(2 + abs(z)) + tanh(y)"]}]},
    {"generator": {"kind": "sphere", "size": [0.1], "resolution": [3]}, "transform": {"translation": [0.02, 0.34, 0]},
     "linear_velocity": [0, -3, 0], "material": {"model": "fixed_corotational", "youngs_modulus": 1e6}}]
})json";

// Affine and rigid bodies that hit each other, and a pendulum with a limit.
const std::string stiff_scene = R"({
  "time": {"step": 0.01, "duration": 0.2},
  "friction": {"coefficient": 0.4},
  "half_spaces": [{"point": [0, 0, 0]}],
  "bodies": [
    {"name": "floor", "kind": "rigid", "generator": {"kind": "box", "size": [0.5, 0.1, 0.5], "resolution": [2, 1, 2]},
     "transform": {"translation": [0, 0.075, 0], "rotation": [0, 25, 3]}},
    {"kind": "affine", "generator": {"kind": "torus", "size": [0.12, 0.04], "resolution": [12, 6]},
     "transform": {"translation": [0, 0.25, 0], "rotation": [20, 0, 10]}, "linear_velocity": [0.3, -2, 0],
     "angular_velocity": [0, 200, 90]},
    {"name": "arm", "kind": "rigid", "generator": {"kind": "box", "size": [0.3, 0.05, 0.05], "resolution": [2, 1, 1]},
     "transform": {"translation": [0.6, 0.5, 0]}}],
  "joints": [{"bodies": ["arm", ""], "point": [0.45, 0.5, 0], "axis": [0, 0, 1], "lower": -5, "upper": 60}]})";

const std::string planar_scene = R"({
  "dimension": 2, "time": {"step": 0.01, "duration": 0.3},
  "friction": {"coefficient": 0.2},
  "half_spaces": [{"point": [0, 0]}],
  "bodies": [
    {"generator": {"kind": "disk", "size": [0.3], "resolution": [3]}, "transform": {"translation": [0, 0.32]},
     "linear_velocity": [1, -2]},
    {"generator": {"kind": "rectangle", "size": [0.5, 0.3], "resolution": [3, 2]},
     "transform": {"translation": [0.1, 0.85], "rotation": 10}}]})";

// A steel bar that yields beside an elastic block, with stresses of both, and a cloth that hangs from the block.
const std::string yielding_scene = R"json({
  "time": {"step": 0.01, "duration": 0.08},
  "bodies": [
    {"name": "bar", "generator": {"kind": "box", "size": [0.4, 0.1, 0.1], "resolution": [4, 1, 1]},
     "material": {"density": 7850, "youngs_modulus": 2e9, "poisson_ratio": 0.3, "yield_stress": 4e6,
                  "hardening_modulus": 1e8},
     "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}},
                 {"region": {"box": [[1, 0, 0], [1, 1, 1]], "frame": "body"}, "displacement": ["0.1 * t", 0, 0]}]},
    {"name": "block", "generator": {"kind": "box", "size": [0.3, 0.1, 0.1], "resolution": [3, 1, 1]},
     "transform": {"translation": [0, 0.5, 0]}, "material": {"youngs_modulus": 1e6},
     "motions": [{"region": {"box": [[0, 0, 0], [0, 1, 1]], "frame": "body"}}]},
    {"name": "cloth", "kind": "shell", "thickness": 0.001,
     "generator": {"kind": "sheet", "size": [0.2, 0.2], "resolution": [3, 3]},
     "transform": {"translation": [0, 0.34, 0], "rotation": [90, 0, 0]},
     "material": {"youngs_modulus": 1e5, "density": 300}}],
  "attachments": [{"name": "pins", "body": "cloth", "to": "block",
                   "region": {"box": [[-1, 0.439, -1], [1, 0.45, 1]]}}],
  "output": {"fields": ["von_mises", "plastic_strain", "stress"],
             "probes": [{"name": "peak", "kind": "stress", "body": "block"},
                        {"name": "pins", "kind": "attachment", "attachment": "pins"}]}
})json";

class ProcessorTest : public ProgramTest {
 protected:
  /// Returns the hash of every step; empty if the processor lacks the requested instructions.
  std::vector<std::string> hashes(const std::string& scene, const std::string& processor,
                                  const std::string& tunables = "") const {
    const Setting choice("CLEARANCE_PROCESSOR", processor), tuning("GLIBC_TUNABLES", tunables);
    const fs::path out = folder_ / "out";
    const ProcessResult run = clearance({"run", scene, "-o", out.string(), "-q", "--overwrite"});
    if (run.errors.find("this processor can do less") != std::string::npos) return {};
    EXPECT_EQ(run.status, 0) << run.errors;
    return hashes_of(out);
  }

  void expect_equal_hashes(const std::string& text) const {
    const std::string scene = write("scene.json", text).string();
    const std::vector<std::string> expected = hashes(scene, "portable");
    ASSERT_FALSE(expected.empty());
    EXPECT_EQ(hashes(scene, "portable", without_fused), expected);
    EXPECT_EQ(hashes(scene, ""), expected);
    EXPECT_EQ(hashes(scene, "", without_fused), expected);
    for (const char* processor : {"avx2", "avx512"}) {
      const std::vector<std::string> found = hashes(scene, processor);
      if (found.empty()) GTEST_SKIP() << "this processor has no " << processor;
      EXPECT_EQ(found, expected) << processor;
    }
  }

  /// Setting that makes glibc choose its functions for old processors.
  static constexpr const char* without_fused = "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4";
};

TEST_F(ProcessorTest, SoftBodies_HaveTheSameBitsOnEveryProcessor) {
  expect_equal_hashes(soft_scene);
}
TEST_F(ProcessorTest, StiffBodies_HaveTheSameBitsOnEveryProcessor) {
  expect_equal_hashes(stiff_scene);
}
TEST_F(ProcessorTest, PlanarBodies_HaveTheSameBitsOnEveryProcessor) {
  expect_equal_hashes(planar_scene);
}

// The fields of yielding bodies were computed by copies with the alignment of another processor, and AVX2 crashed.
TEST_F(ProcessorTest, StressesOfYieldingBodies_AreAlignedAndTheSameOnEveryProcessor) {
  expect_equal_hashes(yielding_scene);
}

TEST_F(ProcessorTest, UnknownName_IsRefused) {
  const Setting choice("CLEARANCE_PROCESSOR", "sse9");
  const ProcessResult process = clearance({"--version"});
  EXPECT_EQ(process.status, 2);
  EXPECT_NE(process.errors.find("CLEARANCE_PROCESSOR: expected `portable`, `avx2` or `avx512`; unset, the processor's "
                                "own is taken (got sse9)"),
            std::string::npos)
      << process.errors;
}

}  // namespace
}  // namespace clearance::cli
