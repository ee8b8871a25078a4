// Damaged results: a file of a result folder is changed, cut, spliced with that of another run or left out, and the
// result is verified and resumed. Both end with a reason, or are right: a run that is resumed has the states of the
// whole run, and what verification of the ways calls proved has the positions of the run.
// Mutated scenes: each is refused with a reason, or runs and verifies.
//
//   CLEARANCE_FUZZ_RESULTS=5000   damages that many and prints the counts
//   CLEARANCE_FUZZ_FIRST=17       the first seed, of ten of them
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <map>
#include <new>

#include "clearance/base/hash.h"
#include "clearance/io/result/result_files.h"
#include "clearance/io/scene_reader.h"
#include "clearance/scene/json_writer.h"
#include "clearance/simulation/run.h"
#include "clearance/verify/folder/verify_paths.h"
#include "cli/process.h"
#include "cli/random.h"
#include "support/environment.h"

namespace clearance::cli {
namespace {

constexpr int num_of_a_seed = 10;
constexpr long num_of_every_test = 100;
/// Seconds after which a damaged result counts as one that hangs.
constexpr unsigned patience = 120;
constexpr int num_all_steps = 6, num_stored_steps = 3;

/// A soft box, and a round ball with a capsule that hangs on it by a joint, fall onto a sheet. Everything that a folder
/// may hold is there.
const std::string scene_text_of_fuzz = R"({
  "time": {"step": 0.01, "duration": 0.06}, "friction": {"coefficient": 0.3},
  "output": {"certificate": true, "fields": ["von_mises"], "probes": [{"name": "box", "body": "box"}]},
  "half_spaces": [{"point": [0, -0.4, 0]}],
  "bodies": [
    {"name": "box", "generator": {"kind": "box", "size": [0.2, 0.2, 0.2], "resolution": [1, 1, 1]},
     "transform": {"translation": [0, 0.105, 0]}, "linear_velocity": [0.5, -1, 0],
     "material": {"density": 1000, "youngs_modulus": 1e5, "poisson_ratio": 0.4}},
    {"name": "ball", "kind": "rigid", "generator": {"kind": "sphere", "size": [0.1], "resolution": [1]},
     "transform": {"translation": [0.05, 0.31, 0.02]}, "linear_velocity": [0, -2, 0], "angular_velocity": [1, 2, 9]},
    {"name": "lamp", "kind": "rigid", "generator": {"kind": "capsule", "size": [0.05, 0.2]},
     "transform": {"translation": [0.5, 0.2, 0]}, "angular_velocity": [0, 0, 3]},
    {"name": "floor", "kind": "obstacle", "generator": {"kind": "sheet", "size": [1, 1]}}],
  "joints": [{"kind": "hinge", "bodies": ["lamp", "ball"], "point": [0.5, 0.35, 0], "axis": [0, 0, 1]}]})";

/// Lets large allocations of this process fail.
class MemoryLimit {
 public:
  MemoryLimit() {
    getrlimit(RLIMIT_AS, &before_);
    rlimit less = before_;
#ifndef __SANITIZE_ADDRESS__
    less.rlim_cur = std::min<rlim_t>(before_.rlim_max, rlim_t{4} << 30U);
#endif
    setrlimit(RLIMIT_AS, &less);
  }
  ~MemoryLimit() {
    setrlimit(RLIMIT_AS, &before_);
  }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

using Contents = std::map<std::string, std::string>;

class ResultFuzz : public ProgramTest {
 protected:
  static SceneDesc scene_of(const std::string& text) {
    const Result<LoadedScene> loaded = load_scene_text(text, "scene", "");
    if (!loaded) throw std::runtime_error(to_string(loaded.issues().front()));
    return loaded->scene;
  }
  /// Runs into a folder. The outcome is that of run(); its hashes are of the states after each step.
  struct Ran {
    Issues refusal;
    RunEnd end = RunEnd::stopped;
    std::map<int, std::string> hashes;
  };
  static Ran run_into(const fs::path& folder, const SceneDesc& scene, FolderUse use, int num_steps) {
    Ran ran;
    Result<Simulation> simulation = Simulation::create(scene);
    if (!simulation) throw std::runtime_error(to_string(simulation.issues().front()));
    const Result<FolderClaim> claim = FolderClaim::make(folder, use);
    if (!claim) {
      ran.refusal = claim.issues();
      return ran;
    }
    RunObserver observer;
    observer.on_step = [&](int step, const StepReport&) { ran.hashes[step] = simulation->state_hash(); };
    const Result<RunOutcome> outcome = run(*simulation, *claim, {num_steps, false}, observer);
    if (!outcome) {
      ran.refusal = outcome.issues();
      return ran;
    }
    ran.end = outcome->end;
    if (ran.end != RunEnd::complete) ran.refusal = outcome->errors;
    ran.hashes[num_steps] = simulation->state_hash();
    return ran;
  }
  static Contents contents_of(const fs::path& folder) {
    Contents contents;
    for (const std::string& file : files_in(folder)) contents[file] = read_text(folder / file);
    return contents;
  }
  static void store(const fs::path& folder, const Contents& contents) {
    fs::remove_all(folder);
    for (const auto& [name, bytes] : contents) {
      fs::create_directories((folder / name).parent_path());
      std::ofstream(folder / name, std::ios::binary) << bytes;
    }
  }
  static void expect_reasons(const Issues& issues) {
    EXPECT_TRUE(has_errors(issues));
    for (const Issue& issue : issues) {
      EXPECT_FALSE(issue.message.empty());
      EXPECT_LT(to_string(issue).size(), 4000u);
    }
  }
};

/// Changes bytes. `donor` is the same file of another run, or another file.
std::string damage(std::string& bytes, const std::string& donor, Random& random) {
  const auto place_in = [&](const std::string& text) {
    return static_cast<std::size_t>(random.integer(0, static_cast<int>(text.size())));
  };
  const std::size_t at = place_in(bytes);
  const auto length = static_cast<std::size_t>(random.log_uniform(1.0, 300.0));
  switch (random.integer(0, 7)) {
    case 0:
      bytes.resize(at);
      return "cut off";
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.integer(0, 7)));
      return "a bit";
    case 2:
      bytes.erase(at, length);
      return "bytes left out";
    case 3:
      bytes.insert(at, bytes.substr(place_in(bytes), length));
      return "bytes repeated";
    case 4:
      for (std::size_t i = at; i < std::min(at + length, bytes.size()); ++i) {
        bytes[i] = static_cast<char>(random.one_of({0, 0xff, random.integer(0, 255)}));
      }
      return "bytes overwritten";
    case 5:
      bytes.replace(at, bytes.size() - at, donor, std::min(at, donor.size()), std::string::npos);
      return "the rest of another file";
    case 6: {
      const std::size_t from = place_in(donor);
      bytes.replace(at, length, donor.substr(from, length));
      return "bytes of another file";
    }
    default:
      bytes = donor;
      return "another file";
  }
}

/// Replaces a number or a word of a text by another one; false if the file is none.
bool damage_text(const std::string& name, std::string& text, Random& random) {
  const bool is_text = name.ends_with(".json") || name.ends_with(".jsonl") || name.ends_with(".pvd") ||
                       name.ends_with(".csv") || name.ends_with(".vtu");
  if (!is_text || text.empty()) return false;
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-'; };
  std::size_t begin = static_cast<std::size_t>(random.integer(0, static_cast<int>(text.size()) - 1)), end;
  while (begin < text.size() && !is_part(text[begin])) ++begin;
  while (begin > 0 && is_part(text[begin - 1])) --begin;
  for (end = begin; end < text.size() && is_part(text[end]);) ++end;
  text.replace(begin, end - begin,
               random.one_of({"0", "-1", "1e300", "-1e-300", "2147483647", "9223372036854775807", "1e9", "0.5", "null",
                              "true", "[]", "{}", "\"\"", "[1, 2]", "3", "nan"}));
  return true;
}

/// Makes the hash at the end of a checkpoint right.
void seal(std::string& bytes) {
  if (bytes.size() < 16) return;
  Hash hash;
  hash.add(bytes.data(), bytes.size() - 8);
  const std::uint64_t value = hash.value();
  std::memcpy(bytes.data() + bytes.size() - 8, &value, 8);
}

TEST_F(ResultFuzz, DamagedResultsAreRefusedOrResumeToTheRightStates) {
  const long wanted = number_from_environment("CLEARANCE_FUZZ_RESULTS", num_of_every_test);
  const long first = number_from_environment("CLEARANCE_FUZZ_FIRST", 1);
  const MemoryLimit limit;
  const SceneDesc scene = scene_of(scene_text_of_fuzz);
  SceneDesc other = scene;
  other.bodies[0].linear_velocity[0] = 0.25;
  const fs::path out = folder_ / "out";
  const auto result_of = [&](const SceneDesc& of, int num_steps) {
    fs::remove_all(out);
    run_into(out, of, FolderUse::start, num_steps);
    return contents_of(out);
  };
  const Contents good = result_of(scene, num_stored_steps);
  const std::map<int, std::string> right = run_into(folder_ / "whole", scene, FolderUse::start, num_all_steps).hashes;
  const std::vector<Contents> donors = {result_of(other, num_stored_steps), contents_of(folder_ / "whole"),
                                        result_of(scene, 1), good};
  std::vector<std::string> names;
  for (const auto& [name, bytes] : good) names.push_back(name);

  std::map<std::string, long> counts;
  long num_refused = 0, num_right = 0, num_found = 0;
  for (long k = 0; k < wanted; ++k) {
    const long seed = first + k / num_of_a_seed;
    Random random(static_cast<std::uint64_t>(num_of_a_seed * seed + k % num_of_a_seed));
    Contents bad = good;
    const int num_changes = random.chance(0.8) ? 1 : random.integer(2, 4);
    std::string what;
    bool is_sealed = false;
    for (int change = 0; change < num_changes; ++change) {
      // Half of the changes are those of the two files that decide most.
      const std::string name = random.chance(0.4) ? random.one_of({"checkpoint/state.bin", "certificate.bin"})
                                                  : names[random.integer(0, static_cast<int>(names.size()) - 1)];
      std::string how;
      if (random.chance(0.05)) {
        bad.erase(name);
        how = "left out";
      } else if (random.chance(0.3) && damage_text(name, bad[name], random)) {
        how = "a word";
      } else {
        const Contents& from = donors[random.integer(0, static_cast<int>(donors.size()) - 1)];
        const std::string& donor =
            random.chance(0.8) ? name : names[random.integer(0, static_cast<int>(names.size()) - 1)];
        const auto found = from.find(donor);
        how = damage(bad[name], found == from.end() ? std::string() : found->second, random);
      }
      if (name == "checkpoint/state.bin" && random.chance(0.3)) {
        seal(bad[name]);
        is_sealed = true;
      }
      what += (what.empty() ? "" : ", ") + name + ": " + how;
      ++counts[how];
    }
    SCOPED_TRACE(fmt::format("seed {}, number {}: {}", seed, k % num_of_a_seed, what));
    write("last.txt", fmt::format("seed {}, number {}: {}\n", seed, k % num_of_a_seed, what));
    store(out, bad);
    alarm(patience);

    const auto read = verify::read_verify_folder(out);
    if (!read) {
      expect_reasons(read.issues());
      ++num_found;
    } else {
      const bool is_clean = verify::verify_folder(*read).is_clean();
      const auto paths = verify::verify_paths(out, *read);
      if (!paths) expect_reasons(paths.issues());
      num_found += is_clean && paths && paths->is_clean() ? 0 : 1;
      if (is_clean && paths && paths->is_clean()) {
        EXPECT_TRUE(bad["certificate.bin"].starts_with(good.at("certificate.bin"))) << "a changed certificate passes";
        for (const auto& [name, bytes] : good) {
          if (!name.starts_with("frames/") || !bad.contains(name) || bad.at(name) == bytes) continue;
          write("good.vtu", bytes);
          EXPECT_TRUE(read_frame(out / name)->mesh.vertices == read_frame(folder_ / "good.vtu")->mesh.vertices)
              << name << " has other positions and passes";
        }
      }
    }

    const Ran resumed = run_into(out, scene, FolderUse::resume, num_all_steps);
    alarm(0);
    if (!resumed.refusal.empty() || resumed.end != RunEnd::complete) {
      expect_reasons(resumed.refusal);
      ++num_refused;
      continue;
    }
    ++num_right;
    // A checkpoint that was forged, with the hash of what it holds, is another state.
    if (is_sealed) continue;
    for (const auto& [step, hash] : resumed.hashes) EXPECT_EQ(hash, right.at(step)) << "step " << step;
    if (HasFailure()) break;
  }
  std::printf("%ld damaged results (%ld found by verification, %ld not resumed, %ld resumed):", wanted, num_found,
              num_refused, num_right);
  for (const auto& [how, count] : counts) std::printf(" %ld %s;", count, how.c_str());
  std::printf("\n");
  if (wanted < num_of_every_test) return;  // too few to tell
  EXPECT_GT(num_refused, wanted / 5);
  EXPECT_GT(num_right, wanted / 5);
}

/// Changes a number, a word, or leaves something out or in twice.
std::string mutate(Json& scene, Random& random) {
  const Json leaves = scene.flatten();
  auto leaf = leaves.begin();
  std::advance(leaf, random.integer(0, static_cast<int>(leaves.size()) - 1));
  const Json::json_pointer at(leaf.key());
  Json& value = scene[at];
  Json& parent = scene[at.parent_pointer()];
  switch (random.integer(0, 5)) {
    case 0:
      if (parent.is_array()) {
        parent.push_back(parent.front());
        return leaf.key() + " again";
      }
      parent.erase(at.back());
      return leaf.key() + " left out";
    case 1: {
      auto other = leaves.begin();
      std::advance(other, random.integer(0, static_cast<int>(leaves.size()) - 1));
      value = other.value();
      break;
    }
    case 2:
      value = Json::parse(random.one_of({"null", "true", "[]", "{}", "\"ball\"", "[1, 2]", "\"t\"", "-1"}));
      break;
    default:
      if (value.is_number()) {
        value = value.get<double>() * random.one_of({0.0, -1.0, 0.5, 2.0, 10.0, 1e-3, 1e-9, 1e3, 1e9, 1e100, 1e-100});
      } else {
        value = random.log_uniform(1e-3, 1e3);
      }
  }
  return leaf.key() + ": " + value.dump();
}

bool is_beyond_all_scales(const Simulation& simulation) {
  constexpr double largest = 1e30;
  const auto is_larger = [](const Vec<3>& value) { return !(value.cwiseAbs().maxCoeff() < largest); };
  return std::ranges::any_of(simulation.positions(), is_larger) ||
         std::ranges::any_of(simulation.velocities(), is_larger);
}

TEST_F(ResultFuzz, MutatedScenesAreRefusedOrRunAndVerify) {
  const long wanted = number_from_environment("CLEARANCE_FUZZ_RESULTS", num_of_every_test);
  const long first = number_from_environment("CLEARANCE_FUZZ_FIRST", 1);
  const MemoryLimit limit;
  const fs::path out = folder_ / "out";
  long num_refused = 0, num_without_memory = 0, num_run = 0, num_proved = 0;
  for (long k = 0; k < wanted; ++k) {
    const long seed = first + k / num_of_a_seed;
    Random random(static_cast<std::uint64_t>(num_of_a_seed * seed + k % num_of_a_seed));
    Json text = Json::parse(scene_text_of_fuzz);
    std::string what = mutate(text, random);
    while (random.chance(0.4)) what += ", " + mutate(text, random);
    SCOPED_TRACE(fmt::format("seed {}, number {}: {}", seed, k % num_of_a_seed, what));
    write("last.txt", fmt::format("seed {}, number {}: {}\n", seed, k % num_of_a_seed, what));
    fs::remove_all(out);
    alarm(patience);
    try {
      const Result<LoadedScene> loaded = load_scene_text(text.dump(), "scene", "");
      Result<Simulation> simulation = loaded ? Simulation::create(loaded->scene) : loaded.issues();
      if (!simulation) {
        expect_reasons(simulation.issues());
        ++num_refused;
        continue;
      }
      const Result<FolderClaim> claim = FolderClaim::make(out, FolderUse::start);
      RunObserver observer;
      const std::clock_t begin = std::clock();
      observer.is_stop_wanted = [&] { return std::clock() - begin > 2 * CLOCKS_PER_SEC; };
      const Result<RunOutcome> outcome = run(*simulation, *claim, {num_stored_steps, false}, observer);
      ASSERT_TRUE(outcome) << to_string(outcome.issues().front());
      if (outcome->end == RunEnd::failed_step) expect_reasons(outcome->errors);
      ++num_run;
      const auto read = verify::read_verify_folder(out);
      ASSERT_TRUE(read) << to_string(read.issues().front());
      const verify::VerifyReport report = verify::verify_folder(*read);
      EXPECT_TRUE(report.is_clean()) << fmt::format("{}", fmt::join(report.problems, ", "));
      if (!loaded->scene.output.certificate) continue;
      const auto paths = verify::verify_paths(out, *read);
      ASSERT_TRUE(paths) << to_string(paths.issues().front());
      // Rounding hides what happens 1e99 m away, or at 1e99 m/s.
      if (is_beyond_all_scales(*simulation)) continue;
      EXPECT_TRUE(paths->counts.num_violated == 0 && paths->problems.empty())
          << fmt::format("{} {}", fmt::join(paths->problems, ", "), fmt::join(paths->offenses, ", "));
      ++num_proved;
    } catch (const std::bad_alloc&) {
      ++num_without_memory;  // the program says so and ends
    }
    if (HasFailure()) break;
  }
  alarm(0);
  std::printf("%ld mutated scenes (%ld refused, %ld run, of which %ld with proved moves, %ld without the memory)\n",
              wanted, num_refused, num_run, num_proved, num_without_memory);
  if (wanted < num_of_every_test) return;  // too few to tell
  EXPECT_GT(num_refused, wanted / 5);
  EXPECT_GT(num_proved, wanted / 5);
}

}  // namespace
}  // namespace clearance::cli
