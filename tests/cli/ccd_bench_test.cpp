// `clearance ccd-bench`, `ccd-label` and `run --record-ccd` as their users see them.
#include <map>
#include <set>

#include "clearance/ccd/exact_ccd.h"
#include "clearance/ccd/methods/methods.h"
#include "clearance/io/ccd/ccd_query_file.h"
#include "cli/process.h"

namespace clearance::cli {
namespace {

/// A point that falls from z = 1 to z = end towards the triangle with corners at 0, 4 x and 4 y.
CcdQuery falling_point(double x, double end) {
  const std::array<Vec<3>, 3> triangle = {Vec<3>(0, 0, 0), Vec<3>(4, 0, 0), Vec<3>(0, 4, 0)};
  CcdQuery query;
  query.motion.t0 = {Vec<3>(x, 1, 1), triangle[0], triangle[1], triangle[2]};
  query.motion.t1 = {Vec<3>(x, 1, end), triangle[0], triangle[1], triangle[2]};
  return query;
}

/// Two crossed edges, the upper falls by `depth` from z = 1.
CcdQuery crossed_edges(double depth) {
  CcdQuery query;
  query.kind = QueryKind::edge_edge;
  query.motion.t0 = {Vec<3>(-1, 0, 1), Vec<3>(1, 0, 1), Vec<3>(0, -1, 0), Vec<3>(0, 1, 0)};
  query.motion.t1 = query.motion.t0;
  for (int k = 0; k < 2; ++k) query.motion.t1[k].z() -= depth;
  return query;
}

class CcdBench : public ProgramTest {
 protected:
  std::string store(const std::string& name, const std::vector<LabelledQuery>& queries) const {
    auto writer = CcdQueryWriter::create(folder_ / name);
    for (const LabelledQuery& q : queries) writer->write(q);
    EXPECT_TRUE(writer->finish());
    return (folder_ / name).string();
  }
  /// Results by method and kind.
  std::map<std::pair<std::string, std::string>, Json> bench(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "ccd-bench");
    arguments.push_back("--json");
    const ProcessResult process = clearance(arguments);
    EXPECT_EQ(process.status, 0) << process.errors;
    std::map<std::pair<std::string, std::string>, Json> results;
    const Json output = Json::parse(process.output, nullptr, false);
    EXPECT_EQ(output.size(), 1u);
    for (const Json& r : output["results"]) results[{r["method"], r["kind"]}] = r;
    return results;
  }
};

TEST_F(CcdBench, Bench_JsonHasEveryMethodAndFigure) {
  store("tiny.ccd", {{falling_point(1, -1), true}, {falling_point(1, 0.5), false}, {crossed_edges(2), true}});
  const auto results = bench({folder_.string()});
  std::set<std::string> methods, keys;
  for (const auto& [of, r] : results) {
    methods.insert(of.first);
    EXPECT_EQ(r["set"], "tiny");
    EXPECT_EQ(r["queries"], of.second == "vertex-face" ? 2 : 1);
    EXPECT_EQ(r["false_negatives"], 0) << of.first;
    EXPECT_EQ(r["false_positives"], 0) << of.first;
    EXPECT_LE(r["median_us"].get<double>(), r["p99_us"].get<double>());
    EXPECT_LE(r["p99_us"].get<double>(), r["max_us"].get<double>());
    EXPECT_LE(r["mean_us"].get<double>(), r["max_us"].get<double>());
    EXPECT_GT(r["median_us"].get<double>(), 0.0);
    for (const auto& [key, value] : r.items()) keys.insert(key);
  }
  EXPECT_EQ(keys, (std::set<std::string>{"method", "set", "kind", "queries", "mean_us", "median_us", "p99_us", "max_us",
                                         "false_positives", "false_negatives"}));
  EXPECT_EQ(results.size(), 2 * methods.size());
  EXPECT_EQ(methods.size(), ccd_methods().size());
}

TEST_F(CcdBench, Bench_AnswersAreTheFilesThoseMissingAndWithSeparationTheOracles) {
  // Store wrong answers, so that the output shows whose they are.
  const std::string file = store("wrong.ccd", {{falling_point(1, -1), false},
                                               {falling_point(1, 0.5), true},
                                               {falling_point(1, 0.25), true},
                                               {falling_point(1, 0.25), std::nullopt}});
  const Json plain = bench({file, "--method", "clearance"})[{"clearance", "vertex-face"}];
  EXPECT_EQ(plain["false_positives"], 1);
  EXPECT_EQ(plain["false_negatives"], 2);
  const Json apart = bench({file, "--method", "clearance", "--min-separation", "0.3"})[{"clearance", "vertex-face"}];
  EXPECT_EQ(apart["false_positives"], 0);
  EXPECT_EQ(apart["false_negatives"], 0);
  EXPECT_EQ(bench({file, "--method", "clearance", "--max-queries", "3"}).begin()->second["queries"], 3);
}

TEST_F(CcdBench, Bench_AllProblemsAtOnceAreStatusTwo) {
  write("not.ccd", "no queries");
  const ProcessResult process =
      clearance({"ccd-bench", (folder_ / "not.ccd").string(), "nowhere", "--method", "clear,additive,odd"});
  EXPECT_EQ(process.status, 2);
  EXPECT_TRUE(process.output.empty());
  for (const std::string part :
       {"got clear)", "got odd)", "nowhere", "not a file of CCD queries", "tight-inclusion-depth-first"}) {
    EXPECT_NE(process.errors.find(part), std::string::npos) << part << " in " << process.errors;
  }
  EXPECT_EQ(clearance({"ccd-bench"}).status, 2);
  EXPECT_EQ(clearance({"ccd-bench", "x", "--tolerance", "-1"}).status, 2);
}

TEST_F(CcdBench, Bench_TablesAndPictureNameTheMethods) {
  const std::string file = store("tiny.ccd", {{falling_point(1, -1), true}, {crossed_edges(0.5), false}});
  const std::string picture = (folder_ / "times.svg").string();
  const ProcessResult process =
      clearance({"ccd-bench", file, "--method", "additive,clearance", "--histogram", picture});
  EXPECT_EQ(process.status, 0) << process.errors;
  for (const std::string part :
       {"tiny, vertex-face", "tiny, edge-edge", "all sets, vertex-face", "additive", "clearance"}) {
    EXPECT_NE(process.output.find(part), std::string::npos) << part;
  }
  const std::string svg = read_text(picture);
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_NE(svg.find(">additive<"), std::string::npos);
  EXPECT_NE(svg.find(">clearance<"), std::string::npos);
}

TEST_F(CcdBench, Label_StoresExactAnswersAndReportsOthers) {
  const std::string file =
      store("mixed.ccd", {{falling_point(1, 0), std::nullopt}, {crossed_edges(0.5), std::nullopt}});
  const std::string out = (folder_ / "labelled.ccd").string();
  EXPECT_EQ(clearance({"ccd-label", file, "-o", out}).status, 0);
  const auto labelled = read_ccd_query_file(out);
  ASSERT_TRUE(labelled);
  ASSERT_EQ(labelled->size(), 2u);
  EXPECT_EQ((*labelled)[0].is_hit, true) << "it touches at the very end";
  EXPECT_EQ((*labelled)[1].is_hit, false);
  const std::string wrong = store("wrong.ccd", {{falling_point(1, 0), false}});
  EXPECT_EQ(clearance({"ccd-label", wrong, "-o", out}).status, 4);
  EXPECT_EQ((*read_ccd_query_file(out))[0].is_hit, true);
}

// --- run --record-ccd ---

const std::string two_boxes = R"({
  "time": {"step": 0.01, "duration": 0.06},
  "bodies": [
    {"name": "lower", "generator": {"kind": "box", "size": [0.5, 0.5, 0.5], "resolution": [2, 2, 2]}},
    {"name": "upper", "KIND": 0, "generator": {"kind": "box", "size": [0.4, 0.4, 0.4], "resolution": [2, 2, 2]},
     "transform": {"translation": [0.1, 0.6, 0], "rotation": [10, 20, 0]}, "linear_velocity": [0, -3, 0]}]})";

std::string boxes(const std::string& kind) {
  std::string scene = two_boxes;
  return scene.replace(scene.find(R"("KIND": 0)"), 9, R"("kind": ")" + kind + '"');
}

long num_candidates(const std::vector<Json>& stats) {
  long sum = 0;
  for (const Json& step : stats) sum += step["counters"]["candidates"].get<long>();
  return sum;
}

TEST_F(CcdBench, Record_HasEveryCandidateForAnyNumberOfThreadsAndChangesNothing) {
  const std::string scene = write("boxes.json", boxes("deformable")).string();
  const std::string out = (folder_ / "out").string();
  ASSERT_EQ(clearance({"run", scene, "-o", out, "-q"}).status, 0);
  const std::vector<std::string> hashes = hashes_of(out);
  std::vector<std::string> recorded;
  for (const std::string threads : {"1", "2"}) {
    const std::string file = (folder_ / (threads + ".ccd")).string();
    ASSERT_EQ(
        clearance({"run", scene, "-o", out, "-q", "--overwrite", "--threads", threads, "--record-ccd", file}).status,
        0);
    EXPECT_EQ(hashes_of(out), hashes);
    recorded.push_back(read_text(file));
  }
  EXPECT_EQ(recorded[0], recorded[1]);

  const auto queries = read_ccd_query_file(folder_ / "1.ccd");
  ASSERT_TRUE(queries);
  EXPECT_EQ(static_cast<long>(queries->size()), num_candidates(stats_of(out)));
  // Sweeps start where nothing meets, and some would end in contact: CCD prevents that.
  long num_hits = 0;
  for (const LabelledQuery& q : *queries) {
    num_hits += is_hit(q.query);
    CcdQuery at_start = q.query;
    at_start.motion.t1 = at_start.motion.t0;
    EXPECT_FALSE(is_hit(at_start));
  }
  EXPECT_GT(num_hits, 0);
}

TEST_F(CcdBench, Record_LimitThinsAndCurvedPathsAreLeftOut) {
  const std::string out = (folder_ / "out").string(), file = (folder_ / "few.ccd").string();
  const std::string scene = write("boxes.json", boxes("deformable")).string();
  ASSERT_EQ(clearance({"run", scene, "-o", out, "-q", "--record-ccd", file, "--record-ccd-limit", "100"}).status, 0);
  const std::size_t count = read_ccd_query_file(file)->size();
  EXPECT_LE(count, 100u);
  EXPECT_GT(count, 50u);
  const std::string rigid = write("rigid.json", boxes("rigid")).string();
  ASSERT_EQ(clearance({"run", rigid, "-o", out, "-q", "--overwrite", "--record-ccd", file}).status, 0);
  EXPECT_LT(static_cast<long>(read_ccd_query_file(file)->size()), num_candidates(stats_of(out)));
}

TEST_F(CcdBench, Record_PlanarScenesAndBadFilesAreStatusTwo) {
  const std::string scene = write("boxes.json", boxes("deformable")).string();
  const std::string out = (folder_ / "out").string();
  EXPECT_EQ(clearance({"run", scene, "-o", out, "--record-ccd", (folder_ / "none" / "q.ccd").string()}).status, 2);
  const std::string planar = write("planar.json", R"({"dimension": 2, "time": {"step": 0.01, "duration": 0.01},
    "bodies": [{"generator": {"kind": "rectangle", "size": [1, 1], "resolution": [1, 1]}}]})")
                                 .string();
  const ProcessResult process = clearance({"run", planar, "-o", out, "--record-ccd", (folder_ / "q.ccd").string()});
  EXPECT_EQ(process.status, 2);
  EXPECT_NE(process.errors.find("recorded in 3D"), std::string::npos) << process.errors;
}

}  // namespace
}  // namespace clearance::cli
