// `clearance export` as users meet it.
#include "cli/quick_run.h"

namespace clearance::cli {
namespace {

class ExportCommand : public QuickRun {};

TEST_F(ExportCommand, RefusesWhatItCannotDoAndWritesNothing) {
  const auto expect_refusal = [&](const std::vector<std::string>& words, const std::string& text) {
    const ProcessResult refused = clearance(words);
    EXPECT_EQ(refused.status, 2) << text;
    EXPECT_NE(refused.errors.find(text), std::string::npos) << refused.errors;
  };
  const std::string page = (folder_ / "page.html").string();
  expect_refusal({"export", out_.string(), "-o", (folder_ / "page.pdf").string()},
                 "expected a name that ends in .html, .glb, .obj, .pc2, .usda, .abc, .xdmf or .frd");
  expect_refusal({"export", out_.string(), "-o", page, "--frames", "1:2", "--speed", "2"},
                 "--frames: this option is not for .html files");
  for (const char* frames : {"1:x", "1:2:0", "1:2:3:4", "1.5", ":"}) {
    const ProcessResult refused =
        clearance({"export", out_.string(), "-o", (folder_ / "a.obj").string(), "--frames", frames});
    EXPECT_EQ(refused.status, 2) << frames;
    EXPECT_EQ(refused.errors.find("--frames: expected FROM:TO") != std::string::npos, std::string(frames) != ":")
        << refused.errors;
  }
  expect_refusal({"export", out_.string()}, "--output");
  expect_refusal({"export", out_.string(), "-o", page, "--max-size", "0"}, "--max-size");
  const ProcessResult none = clearance({"export", out_.string(), "-o", page});
  EXPECT_EQ(none.status, 2);
  EXPECT_FALSE(fs::exists(page));
  write("page.html", "mine");
  expect_refusal({"export", out_.string(), "-o", page}, "replace it with --overwrite");
  EXPECT_EQ(read_text(page), "mine");
}

TEST_F(ExportCommand, WritesARunOrSaysThatTheViewerIsMissing) {
  ASSERT_EQ(run({"--steps", "4"}).status, 0);
  const fs::path page = folder_ / "new" / "page.html";
  const ProcessResult made = clearance({"export", out_.string(), "-o", page.string()});
  if (made.status == 2) {
    EXPECT_NE(made.errors.find("the viewer has not been built"), std::string::npos) << made.errors;
    EXPECT_FALSE(fs::exists(page));
    return;
  }
  EXPECT_EQ(made.status, 0) << made.errors;
  EXPECT_NE(made.output.find("5 frames, 12 triangles"), std::string::npos) << made.output;
  EXPECT_GT(fs::file_size(page), 100000u);
}

TEST_F(ExportCommand, WritesEveryFormatAndReplacesItOnlyIfTold) {
  ASSERT_EQ(run({"--steps", "6"}).status, 0);
  for (const char* ending : {".glb", ".obj", ".pc2", ".usda", ".abc", ".xdmf", ".frd"}) {
    const fs::path folder = folder_ / ("new" + std::string(ending));
    std::vector<std::string> words = {
        "export",   out_.string(), "-o",    (folder / ("run" + std::string(ending))).string(),
        "--frames", "1:5:2",       "--json"};
    const ProcessResult made = clearance(words);
    ASSERT_EQ(made.status, 0) << made.errors;
    const Json json = Json::parse(made.output);
    EXPECT_EQ(json["frames"], 3);
    EXPECT_EQ(json["frames_of_run"], 7);
    std::uintmax_t num_bytes = 0;
    std::vector<std::string> files = json["files"], found = files_in(folder);
    for (const std::string& file : files) num_bytes += fs::file_size(folder / file);
    EXPECT_EQ(json["bytes"], num_bytes);
    std::sort(files.begin(), files.end());
    EXPECT_EQ(files, found);
    const ProcessResult refused = clearance(words);
    EXPECT_EQ(refused.status, 2);
    EXPECT_NE(refused.errors.find("the file exists; replace it with --overwrite"), std::string::npos);
    words.emplace_back("--overwrite");
    EXPECT_EQ(clearance(words).status, 0);
    EXPECT_EQ(files_in(folder), files);
  }
}

TEST_F(ExportCommand, AnArchiveOfAlembicMovesAnObstacleAsAStageOfUsdDoes) {
  ASSERT_EQ(run({"--steps", "12", "--set", "half_spaces=[]"}).status, 0);
  std::vector<fs::path> results;
  for (const std::string ending : {".usda", ".abc"}) {
    ASSERT_EQ(clearance({"export", out_.string(), "-o", (folder_ / ("run" + ending)).string()}).status, 0);
    const std::string mesh = "\"run" + ending + "</quick/box>\"";
    const fs::path scene = write(
        "driven" + ending + ".json", R"({"time": {"step": 0.01, "duration": 0.12}, "gravity": [0, 0, 0], "bodies": [
      {"kind": "obstacle", "mesh": )" + mesh +
                                         R"(, "motions": [{"mesh_rate": 100, "mesh_files": [)" + mesh + R"(]}]},
      {"generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]},
       "transform": {"translation": [0, -0.4, 0]}}]})");
    results.push_back(folder_ / ("driven" + ending));
    const ProcessResult driven = clearance({"run", scene.string(), "-o", results.back().string(), "-q"});
    ASSERT_EQ(driven.status, 0) << driven.errors;
  }
  EXPECT_EQ(hashes_of(results[0]), hashes_of(results[1]));
}

TEST_F(ExportCommand, AKillLeavesNoFilesOfItsNamesOrAllOfThem) {
  ASSERT_EQ(run().status, 0);
  for (int i = 0; i < 12; ++i) {
    const char* ending = i % 2 == 0 ? ".xdmf" : ".pc2";
    const fs::path folder = folder_ / ("killed" + std::to_string(i));
    const pid_t process = start({"export", out_.string(), "-o", (folder / ("run" + std::string(ending))).string()});
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * i));
    kill(process, SIGKILL);
    wait_for(process);
    std::size_t num_files = 0;
    bool has_head = false;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (!entry.is_regular_file()) continue;
      ++num_files;
      const std::string name = entry.path().filename();
      has_head = has_head || name == "run.xdmf" || name == "run.json";
    }
    const std::size_t whole = i % 2 == 0 ? 2 : 4;
    if (has_head) {
      EXPECT_EQ(num_files, whole);
    }
  }
}

}  // namespace
}  // namespace clearance::cli
