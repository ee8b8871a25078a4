// `clearance-mpi` as its users see it, under mpirun, and the plain program's messages for scenes that ask for it.
#include <cstdlib>

#include "clearance/io/mesh/vtu.h"
#include "cli/process.h"
#include "support/paths.h"

namespace clearance::cli {
namespace {

const std::string program = program_path() + "-mpi";

/// Soft and stiff bodies of all kinds meet with friction.
const std::string scene_text = R"({
  "time": {"step": 0.01, "duration": 0.2},
  "friction": {"coefficient": 0.4},
  "solver": {"linear_solver": "petsc", "force_tolerance": 1e-5, "petsc": {"tolerance": 1e-12}},
  "half_spaces": [{"point": [0, -0.26, 0]}],
  "bodies": [
    {"name": "base", "generator": {"kind": "box", "size": [0.8, 0.5, 0.5], "resolution": [5, 3, 3]},
     "stiff_parts": [{"region": {"frame": "body", "box": [[-0.1, -0.1, -0.1], [0.3, 1.1, 1.1]]}}]},
    {"name": "left", "kind": "affine", "generator": {"kind": "box", "size": [0.3, 0.2, 0.2], "resolution": [1, 1, 1]},
     "transform": {"translation": [-0.2, 0.42, 0], "rotation": [0, 20, 10]}, "linear_velocity": [0, -2, 0]},
    {"name": "right", "kind": "rigid", "generator": {"kind": "box", "size": [0.3, 0.2, 0.2], "resolution": [1, 1, 1]},
     "transform": {"translation": [0.25, 0.5, 0.03], "rotation": [20, 0, 0]}, "linear_velocity": [0, -2, 0]}]})";

class MpiProgram : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    scene_ = write("scene.json", scene_text).string();
  }
  static bool is_built() { return fs::exists(program); }

  std::string command(int processes, const std::string& arguments) const {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1 OMP_NUM_THREADS=1 "
           "mpirun --oversubscribe --bind-to none -n " +
           std::to_string(processes) + " " + program + " " + arguments;
  }
  ProcessResult run_shell(const std::string& line) const {
    const std::string out = folder_ / "shell.out", err = folder_ / "shell.err";
    const int status = std::system((line + " >" + out + " 2>" + err).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_text(out), read_text(err)};
  }
  ProcessResult mpirun(int processes, const std::string& arguments) const {
    return run_shell(command(processes, arguments));
  }
  std::vector<Vec<3>> last_positions(const std::string& folder) const {
    const std::vector<Json> stats = stats_of(folder);
    const Result<Frame> frame = read_frame(fs::path(folder) / stats.back()["frame"].get<std::string>());
    EXPECT_TRUE(frame) << folder;
    return frame ? frame->mesh.vertices : std::vector<Vec<3>>();
  }
  double distance(const std::string& a, const std::string& b) const {
    const std::vector<Vec<3>> at_a = last_positions(a), at_b = last_positions(b);
    EXPECT_EQ(at_a.size(), at_b.size());
    double largest = 0.0;
    for (std::size_t i = 0; i < std::min(at_a.size(), at_b.size()); ++i) {
      largest = std::max(largest, (at_a[i] - at_b[i]).cwiseAbs().maxCoeff());
    }
    return largest;
  }

  std::string scene_;
};

TEST_F(MpiProgram, PlainProgramRefusesItsScenesAndSaysWhatToUse) {
  const std::string out = folder_ / "out";
  const ProcessResult run = clearance({"run", scene_, "-o", out});
  EXPECT_EQ(run.status, 2);
  for (const char* phrase : {"solver.linear_solver", "mpirun -n N clearance-mpi run"}) {
    EXPECT_NE(run.errors.find(phrase), std::string::npos) << phrase << " is not in\n" << run.errors;
  }
  EXPECT_FALSE(fs::exists(out));
}

TEST_F(MpiProgram, StepsAreThoseOfTheOwnSolverWithinTolerance) {
  if (!is_built()) GTEST_SKIP() << "clearance-mpi is not built: no PETSc";
  const std::string own = folder_ / "own";
  ASSERT_EQ(clearance({"run", scene_, "-o", own, "-q", "--set", "solver.linear_solver=cholmod"}).status, 0);
  int most_contacts = 0;
  for (const Json& step : stats_of(own)) most_contacts = std::max(most_contacts, step["contacts"].get<int>());
  EXPECT_GT(most_contacts, 0);
  for (const std::string method : {"mumps", "gamg", "hypre"}) {
    for (const int processes : {1, 2}) {
      SCOPED_TRACE(method + ", " + std::to_string(processes));
      const std::string out = folder_ / (method + std::to_string(processes));
      // Affine bodies are too stiff for multigrid that smooths number by number (docs/huge_scenes.md).
      const std::string smoothing = method == "gamg" ? " -- -mg_levels_pc_type pbjacobi" : "";
      const ProcessResult run =
          mpirun(processes, "run " + scene_ + " -o " + out + " -q --set solver.petsc.method=" + method + smoothing);
      ASSERT_EQ(run.status, 0) << run.errors;
      EXPECT_EQ(stats_of(out).size(), 20u);
      for (const Json& step : stats_of(out)) EXPECT_EQ(step["status"], "converged");
      // Either way some of the forces is left over; 1e-5 m is a few hundredths of dhat.
      EXPECT_LT(distance(own, out), 1e-5);
      EXPECT_EQ(clearance({"verify", out}).status, 0);
      const Json summary = Json::parse(read_text(out + "/summary.json"));
      EXPECT_NE(summary["linear_solver"].get<std::string>().find("PETSc"), std::string::npos);
    }
  }
}

TEST_F(MpiProgram, OneProcessGivesTheSameBitsAgainAndResumed) {
  if (!is_built()) GTEST_SKIP() << "clearance-mpi is not built: no PETSc";
  for (const std::string method : {"mumps", "gamg", "hypre"}) {
    SCOPED_TRACE(method);
    const std::string whole = folder_ / ("whole_" + method), parts = folder_ / ("parts_" + method);
    const std::string options = " -q --set solver.petsc.method=" + method;
    ASSERT_EQ(mpirun(1, "run " + scene_ + " -o " + whole + options).status, 0);
    ASSERT_EQ(mpirun(1, "run " + scene_ + " -o " + parts + " --steps 12" + options).status, 0);
    ASSERT_EQ(mpirun(1, "run " + scene_ + " -o " + parts + " --resume" + options).status, 0);
    EXPECT_EQ(hashes_of(parts), hashes_of(whole));
  }
}

TEST_F(MpiProgram, ProblemsEndWithTheStatusOfThePlainProgram) {
  if (!is_built()) GTEST_SKIP() << "clearance-mpi is not built: no PETSc";
  const ProcessResult missing = mpirun(2, "run " + (folder_ / "nowhere.json").string());
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.errors.find("nowhere.json"), std::string::npos);
  EXPECT_EQ(mpirun(2, "run --no-such-option " + scene_).status, 2);
  EXPECT_EQ(mpirun(2, "--help").status, 0);
}

TEST_F(MpiProgram, OptionsBehindTwoDashesGoToPetsc) {
  if (!is_built()) GTEST_SKIP() << "clearance-mpi is not built: no PETSc";
  const std::string soft = write("soft.json", R"({"time": {"step": 0.01, "duration": 0.02}, "bodies": [
    {"generator": {"kind": "box", "size": [1, 1, 1], "resolution": [3, 3, 3]}}],
    "solver": {"linear_solver": "petsc", "petsc": {"method": "gamg"}}})");
  const std::string out = folder_ / "out";
  const ProcessResult run = mpirun(2, "run " + soft + " -o " + out +
                                          " -q -- -ksp_monitor -ksp_type gmres"
                                          " -no_such_option 3");
  EXPECT_EQ(run.status, 0) << run.errors;
  EXPECT_NE(run.output.find("KSP Residual norm"), std::string::npos) << run.output;
  EXPECT_NE((run.output + run.errors).find("no_such_option"), std::string::npos) << "nobody says that it is unknown";
  EXPECT_EQ(stats_of(out).size(), 2u);
}

TEST_F(MpiProgram, AHelperThatDiesEndsAllAndTheRunGoesOnByResume) {
  if (!is_built()) GTEST_SKIP() << "clearance-mpi is not built: no PETSc";
  const std::string out = folder_ / "out", arguments = "run " + scene_ + " -o " + out + " -q";
  // The helper is the younger child of mpirun.
  const std::string line = "(" + command(2, arguments) + ") & job=$!; until grep -q step..3 " + out +
                           "/stats.jsonl 2>/dev/null; do sleep 0.01; done; kill -KILL $(pgrep -n -f " + out +
                           "); wait $job";
  const ProcessResult run = run_shell("timeout 120 bash -c '" + line + "'");
  EXPECT_NE(run.status, 0);
  EXPECT_NE(run.status, 124) << "the others wait for ever";
  EXPECT_LT(stats_of(out).size(), 20u);
  EXPECT_EQ(clearance({"verify", out}).status, 0);
  ASSERT_EQ(mpirun(2, arguments + " --resume").status, 0);
  EXPECT_EQ(stats_of(out).size(), 20u);
}

TEST_F(MpiProgram, HasOneHdf5) {
  if (!is_built()) GTEST_SKIP() << "clearance-mpi is not built: no PETSc";
  const ProcessResult libraries = run_shell("ldd " + program);
  EXPECT_NE(libraries.output.find("libhdf5_openmpi"), std::string::npos) << libraries.output;
  EXPECT_EQ(libraries.output.find("libhdf5_serial"), std::string::npos) << libraries.output;
}

}  // namespace
}  // namespace clearance::cli
