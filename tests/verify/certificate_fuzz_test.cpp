// Certificates of random scenes with one forged move, record or screw, or with damaged bytes: all are found.
//
//   CLEARANCE_FUZZ_CERTIFICATES=5000   forges that many and prints the counts
//   CLEARANCE_FUZZ_FIRST=17            the first seed, of 20 certificates of one scene each
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "cli/random.h"
#include "cli/random_scene.h"
#include "support/environment.h"
#include "verify/certificate_run.h"

namespace clearance::verify {
namespace {

constexpr int num_forged_of_a_scene = 20;
constexpr long num_forged_of_every_test = 80;

class CertificateFuzz : public CertificateRun {
 protected:
  using Random = cli::Random;

  /// Chooses an unknown of a vertex of frames: others (slopes, angles) say nothing about positions.
  static std::size_t choose_unknown(const PathLayout& layout, Random& random) {
    const int term = random.integer(0, static_cast<int>(layout.terms.size()) - 1);
    return static_cast<std::size_t>(layout.dim * layout.terms[term].block + random.integer(0, layout.dim - 1));
  }
  /// Returns another value: for nodes the next double now and then. Positions of stiff bodies are compared as far as
  /// rounding lets them differ.
  static double moved(const PathLayout& layout, std::size_t unknown, double value, Random& random) {
    const bool is_stiff = layout.stiff_of_block[unknown / static_cast<std::size_t>(layout.dim)] >= 0;
    if (!is_stiff && random.chance(0.3)) return std::nextafter(value, random.chance(0.5) ? infinity : -infinity);
    const double by = random.log_uniform(is_stiff ? 1e-6 : 1e-12, 10.0) * std::max(std::abs(value), 1e-3);
    return value + (random.chance(0.5) ? by : -by);
  }
  /// Changes an unknown at the end of a move and, if the rest of the chain follows, in all moves after it.
  template <class Change>
  static void change(Certificate& of_run, std::size_t step, std::size_t move, std::size_t unknown, bool follows,
                     const Change& changed) {
    bool is_after = false;
    for (std::size_t k = step; k < of_run.steps.size(); ++k) {
      auto& moves = of_run.steps[k].moves;
      for (std::size_t m = k == step ? move : 0; m < moves.size(); ++m) {
        if (is_after) moves[m].x_t0[unknown] = changed(moves[m].x_t0[unknown]);
        moves[m].x_t1[unknown] = changed(moves[m].x_t1[unknown]);
        is_after = true;
        if (!follows) return;
      }
    }
  }

  /// Forges something; returns its name, or nothing if it would change nothing that has a meaning.
  static std::string forge(Certificate& of_run, Random& random) {
    std::vector<std::size_t> with_moves;
    for (std::size_t k = 0; k < of_run.steps.size(); ++k) {
      if (!of_run.steps[k].moves.empty()) with_moves.push_back(k);
    }
    if (with_moves.empty()) return "";
    const std::size_t step = with_moves[random.integer(0, static_cast<int>(with_moves.size()) - 1)];
    auto& moves = of_run.steps[step].moves;
    const auto m = static_cast<std::size_t>(random.integer(0, static_cast<int>(moves.size()) - 1));
    const std::size_t unknown = choose_unknown(of_run.layout, random);
    const bool follows = random.chance(0.5);
    switch (random.integer(0, 5)) {
      case 0: {
        const double value = moves[m].x_t1[unknown], by = moved(of_run.layout, unknown, value, random) - value;
        if (value + by == value) return "";
        change(of_run, step, m, unknown, follows, [&](double x) { return x + by; });
        return follows ? "a vertex moved, and all moves after it" : "a vertex moved";
      }
      case 1: {
        if (!(std::abs(moves[m].x_t1[unknown]) > 1e-6)) return "";
        change(of_run, step, m, unknown, follows, [](double x) { return -x; });
        return follows ? "a sign, and in all moves after it" : "a sign";
      }
      case 2: {
        if (!has_meaning(of_run.layout, moves[m])) return "";
        moves.erase(moves.begin() + static_cast<std::ptrdiff_t>(m));
        return "a move left out";
      }
      case 3:
        of_run.steps.erase(of_run.steps.begin() + static_cast<std::ptrdiff_t>(step));
        return "a step left out";
      case 4: {
        if (m == 0 || !has_meaning(of_run.layout, moves[m]) || moves[m].x_t1 == moves[m - 1].x_t1) return "";
        std::swap(moves[m], moves[m - 1]);
        return "moves in another order";
      }
      default: {
        for (PathScrew& screw : moves[m].screws) {
          if (!(screw.turn.norm() > 1e-4)) continue;
          if (random.chance(0.3)) {
            screw.shift[0] = 1e308;
            return "a shift that overflows";
          }
          screw.turn = -screw.turn;
          return "the sign of a turn";
        }
        return "";
      }
    }
  }
  /// True if the move moves a vertex of frames.
  static bool has_meaning(const PathLayout& layout, const PathMove& move) {
    return std::any_of(layout.terms.begin(), layout.terms.end(), [&](const PathLayout::Term& term) {
      const auto first = static_cast<std::size_t>(layout.dim * term.block);
      for (std::size_t c = first; c < first + static_cast<std::size_t>(layout.dim); ++c) {
        const bool is_stiff = layout.stiff_of_block[term.block] >= 0;
        if (std::abs(move.x_t1[c] - move.x_t0[c]) > (is_stiff ? 1e-9 : 0.0)) return true;
      }
      return false;
    });
  }

  /// Damages the bytes of a file.
  static std::string damage(std::string& bytes, Random& random) {
    const auto at = static_cast<std::size_t>(random.integer(0, static_cast<int>(bytes.size()) - 1));
    switch (random.integer(0, 2)) {
      case 0:
        bytes.resize(at);
        return "cut off";
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.integer(0, 7)));
        return "a bit";
      default:
        bytes.erase(at, static_cast<std::size_t>(random.integer(1, 64)));
        return "bytes left out";
    }
  }
};

TEST_F(CertificateFuzz, WhateverIsForgedIsFound) {
  const long wanted = number_from_environment("CLEARANCE_FUZZ_CERTIFICATES", num_forged_of_every_test);
  const long first = number_from_environment("CLEARANCE_FUZZ_FIRST", 1);
  constexpr std::array kinds = {cli::RandomKinds::mixed, cli::RandomKinds::deformable, cli::RandomKinds::thin,
                                cli::RandomKinds::curved};
  std::map<std::string, long> forged;
  long num_forged = 0;
  for (long seed = first; seed < first + (wanted + num_forged_of_a_scene - 1) / num_forged_of_a_scene; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    SceneDesc scene =
        cli::make_random_scene(static_cast<std::uint64_t>(seed), folder_, kinds[static_cast<std::size_t>(seed) % 4])
            .desc;
    scene.remesh.reset();
    for (BodyDesc& body : scene.bodies) body.remesh.reset();
    scene.output.certificate = true;
    fs::remove_all(folder_ / "out");
    RunLimits limits;
    limits.num_steps = 3;
    run_into("out", scene, FolderUse::start, limits);
    const PathReport whole = report_of("out");
    ASSERT_TRUE(whole.is_clean()) << text_of(whole);
    const Certificate good = read_certificate("out");
    const std::string bytes = read(certificate("out"));
    write_certificate("out", good);
    ASSERT_EQ(read(certificate("out")), bytes);
    cli::Random random(static_cast<std::uint64_t>(seed));
    for (int trial = 0; trial < num_forged_of_a_scene; ++trial) {
      std::string what;
      if (trial % 5 == 4) {
        std::string bad = bytes;
        what = damage(bad, random);
        write(certificate("out"), bad);
      } else {
        Certificate bad = good;
        what = forge(bad, random);
        if (what.empty()) continue;
        write_certificate("out", bad);
      }
      const PathReport report = report_of("out");
      EXPECT_FALSE(report.is_clean()) << "trial " << trial << ": " << what << " was not found\n" << text_of(report);
      ++forged[what];
      ++num_forged;
    }
  }
  std::printf("%ld forged certificates:", num_forged);
  for (const auto& [what, count] : forged) std::printf(" %ld %s;", count, what.c_str());
  std::printf("\n");
  EXPECT_GT(num_forged, wanted / 4);
}

}  // namespace
}  // namespace clearance::verify
