// Scenes of the published reference implementation: read as they are, every step converged, every frame clean.
#include <cstdlib>

#include "cli/process.h"
#include "support/paths.h"

namespace clearance::cli {
namespace {

class PeerScenes : public ProgramTest {
 protected:
  /// Runs a few steps, strictly, then the independent check.
  void run_and_verify(const std::string& scene, int num_steps, const std::vector<std::string>& more = {}) {
    const fs::path path = peer_data() / "ipc/input" / scene;
    if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
    const std::string out = (folder_ / "out").string();
    std::vector<std::string> arguments = {"run",      path.string(), "-o", out,       "-q",
                                          "--strict", "--threads",   "2",  "--steps", std::to_string(num_steps)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProcessResult run = clearance(arguments);
    EXPECT_EQ(run.status, 0) << run.errors;
    const std::vector<Json> stats = stats_of(out);
    EXPECT_EQ(stats.size(), num_steps);
    int most_contacts = 0;
    for (const Json& line : stats) {
      EXPECT_EQ(line["status"], "converged") << line["step"];
      most_contacts = std::max(most_contacts, line["contacts"].get<int>());
    }
    EXPECT_GT(most_contacts, 0) << "the steps are too few to meet anything";
    const ProcessResult verdict = clearance({"verify", out});
    EXPECT_EQ(verdict.status, 0) << verdict.output;
  }
};

TEST_F(PeerScenes, TetrahedronOnTetrahedron) {
  run_and_verify("paperExamples/10_tetTet.txt", 100);
}
TEST_F(PeerScenes, StackOfCubes) {
  run_and_verify("paperExamples/10_cubeStack.txt", 100);
}
TEST_F(PeerScenes, SpikeInAHoleOfItsShape) {
  run_and_verify("paperExamples/11_erleben/spikeHoleCO.txt", 100);
}
TEST_F(PeerScenes, LargeMassRatio) {
  run_and_verify("paperExamples/12_largeMassRatio.txt", 100);
}

TEST_F(PeerScenes, CubeInATunnelAtAThousandMetresPerSecond) {
  const fs::path path = peer_data() / "ipc/input/otherExamples/tunnel.txt";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  run_and_verify("otherExamples/tunnel.txt", 40, {"--set", "bodies[0].linear_velocity=[0,0,1000]"});
}

TEST_F(PeerScenes, TwistedRodsAreTheSameForOneAndTwoThreads) {
  const fs::path path = peer_data() / "ipc/input/paperExamples/tb1_diffDt/rodsTwist_E1e4_dt0.025.txt";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  std::vector<std::vector<std::string>> hashes;
  for (const char* threads : {"1", "2"}) {
    const std::string out = (folder_ / threads).string();
    const ProcessResult run =
        clearance({"run", path.string(), "-o", out, "-q", "--strict", "--threads", threads, "--steps", "5"});
    EXPECT_EQ(run.status, 0) << run.errors;
    hashes.push_back(hashes_of(out));
  }
  EXPECT_EQ(hashes[0].size(), 5u);
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace clearance::cli
