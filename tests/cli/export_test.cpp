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
                 "expected a name that ends in .html");
  expect_refusal({"export", out_.string()}, "--output");
  expect_refusal({"export", out_.string(), "-o", page, "--max-size", "0"}, "--max-size");
  const ProcessResult none = clearance({"export", out_.string(), "-o", page});
  EXPECT_EQ(none.status, 2);
  EXPECT_FALSE(fs::exists(page));
  write("page.html", "mine");
  expect_refusal({"export", out_.string(), "-o", page}, "--overwrite replaces it");
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

}  // namespace
}  // namespace clearance::cli
