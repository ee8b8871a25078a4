#include "apps/cli/ccd_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <limits>

#include "apps/cli/ccd_bench_report.h"
#include "apps/cli/ccd_sets.h"
#include "apps/cli/console.h"
#include "apps/cli/run.h"
#include "clearance/base/parallel.h"
#include "clearance/ccd/exact_ccd.h"
#include "clearance/ccd/methods/methods.h"
#include "clearance/io/files/atomic_file.h"

namespace clearance::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<const CcdMethodEntry*> choose_methods(const std::vector<std::string>& names, Issues& issues) {
  std::vector<const CcdMethodEntry*> methods;
  std::string known;
  for (const CcdMethodEntry& method : ccd_methods()) {
    if (names.empty()) methods.push_back(&method);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", method.name);
  }
  for (const std::string& name : names) {
    const CcdMethodEntry* method = find_ccd_method(name);
    if (method == nullptr) {
      issues.push_back({"", "--method", name, "expected one of " + known});
    } else if (std::find(methods.begin(), methods.end(), method) == methods.end()) {
      methods.push_back(method);
    }
  }
  return methods;
}

/// Answers some queries untimed, so that caches, branch predictors and the processor's frequency settle first.
void warm_up(const CcdMethodEntry& method, const QuerySet& set, const CcdMethodOptions& options) {
  constexpr std::size_t max_queries = 1000;
  constexpr auto max_time = std::chrono::milliseconds(20);
  const auto start = Clock::now();
  for (std::size_t i = 0; i < std::min(max_queries, set.queries.size()) && Clock::now() - start < max_time; ++i) {
    method.decide(set.queries[i].query, options);
  }
}

/// Measures the time of reading the clock twice, which is as long as a quick method takes. Returns the median, so that
/// interrupts do not count.
float clock_cost() {
  std::array<float, 1001> costs;
  for (float& cost : costs) {
    const auto start = Clock::now();
    cost = std::chrono::duration<float, std::micro>(Clock::now() - start).count();
  }
  std::nth_element(costs.begin(), costs.begin() + costs.size() / 2, costs.end());
  return costs[costs.size() / 2];
}

CcdBenchResult measure(const CcdMethodEntry& method, const QuerySet& set, const CcdMethodOptions& options,
                       int num_passes) {
  CcdBenchResult result{std::string(method.name), set.name, set.kind, 0, 0, {}};
  result.times.assign(set.queries.size(), std::numeric_limits<float>::infinity());
  warm_up(method, set, options);
  const float cost = clock_cost();
  for (int pass = 0; pass < num_passes; ++pass) {
    for (std::size_t i = 0; i < set.queries.size(); ++i) {
      const LabelledQuery& q = set.queries[i];
      const auto start = Clock::now();
      const CcdAnswer answer = method.decide(q.query, options);
      const auto end = Clock::now();
      const float time = std::chrono::duration<float, std::micro>(end - start).count() - cost;
      result.times[i] = std::min(result.times[i], std::max(time, 0.0F));
      if (pass > 0) continue;
      result.false_positives += answer.is_hit && !*q.is_hit;
      result.false_negatives += !answer.is_hit && *q.is_hit;
    }
  }
  std::sort(result.times.begin(), result.times.end());
  return result;
}

}  // namespace

int run_ccd_bench(const CcdBenchOptions& options) {
  // Report all problems at once: names of methods, files and their content.
  Issues issues;
  const std::vector<const CcdMethodEntry*> methods = choose_methods(options.methods, issues);
  Result<std::vector<QuerySet>> sets = read_query_sets(options.paths);
  issues.insert(issues.end(), sets.issues().begin(), sets.issues().end());
  if (!issues.empty()) return refuse(issues);

  for (QuerySet& set : *sets) {
    if (options.max_queries > 0) keep_at_most(set, options.max_queries);
    answer_exactly(set, options.min_separation);
  }

  const ThreadLimit limit(1);
  const CcdMethodOptions method_options{options.min_separation, options.tolerance, options.max_iterations};
  std::vector<CcdBenchResult> results;
  for (const QuerySet& set : *sets) {
    for (const CcdMethodEntry* method : methods)
      results.push_back(measure(*method, set, method_options, options.num_passes));
  }

  fmt::print("{}", options.json ? format_json(results) : format_tables(results));
  if (options.histogram.empty()) return exit_done;
  const Result<Done> written = write_user_file_atomically(options.histogram, format_histogram(results));
  return written ? exit_done : refuse(written.issues());
}

int run_ccd_label(const CcdLabelOptions& options) {
  const ThreadLimit limit(options.threads);
  Result<std::vector<QuerySet>> sets = read_query_sets(options.paths);
  if (!sets) return refuse(sets.issues());
  Result<CcdQueryWriter> writer = CcdQueryWriter::create(options.output);
  if (!writer) return refuse(writer.issues());

  long num_hits = 0, num_other = 0;
  for (QuerySet& set : *sets) {
    QuerySet exact = set;
    for (LabelledQuery& q : exact.queries) q.is_hit.reset();
    answer_exactly(exact, 0.0);
    for (std::size_t i = 0; i < set.queries.size(); ++i) {
      const LabelledQuery &stored = set.queries[i], &answered = exact.queries[i];
      num_hits += *answered.is_hit;
      if (stored.is_hit && *stored.is_hit != *answered.is_hit && num_other++ < 10) {
        fmt::print(stderr, "error: {}, {} query {}: stored answer {}, exact answer {}\n", set.name, name_of(set.kind),
                   i, int{*stored.is_hit}, int{*answered.is_hit});
      }
      writer->write(answered);
    }
  }
  if (const Result<Done> done = writer->finish(); !done) return refuse(done.issues());
  fmt::print("{} queries, {} hits, {} stored answers differ from the exact ones\n", writer->num_written(), num_hits,
             num_other);
  return num_other == 0 ? exit_done : exit_verification_failed;
}

}  // namespace clearance::cli
