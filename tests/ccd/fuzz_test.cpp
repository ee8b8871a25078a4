// The method `clearance` against the exact oracle on random and adversarial queries: contacts at chosen times and
// places, moved by single units in the last place, near misses, slivers, mixed magnitudes, far from the origin.
//
//   CLEARANCE_FUZZ_CCD=10000000   runs that many queries instead of the fixed set and prints the counts
//   CLEARANCE_FUZZ_FIRST=41       the first seed, of 500 queries each
#include <gtest/gtest.h>

#include <mutex>
#include <sstream>

#include "ccd/motions.h"
#include "clearance/base/parallel.h"
#include "clearance/ccd/exact_ccd.h"
#include "clearance/ccd/quick_separation.h"
#include "support/environment.h"

namespace clearance {
namespace {

constexpr int batch_size = 500;
constexpr int num_batches_of_every_test = 40;

class Adversary {
 public:
  explicit Adversary(unsigned seed) : generator_(seed) {}

  CcdQuery next() {
    CcdQuery query{draw(0, 1) == 0 ? QueryKind::point_triangle : QueryKind::edge_edge, {}};
    const bool is_built = draw(0, 2) > 0;
    query.motion = is_built ? motion_of_contact(query.kind) : any_motion(query.kind);
    if (draw(0, 3) == 0) shift(query.motion, std::ldexp(uniform(), draw(0, 40)) * Vec<3>(1.0, 0.3, -0.7));
    if (draw(0, 3) == 0) scale(query.motion, std::ldexp(1.0, draw(-60, 60)));
    if (draw(0, 1) == 0) nudge(query.motion, draw(1, 6));
    return query;
  }

  CcdOptions options() {
    CcdOptions options;
    if (draw(0, 3) == 0) {
      options.norm = CcdNorm::maximum;
      options.min_separation = std::ldexp(std::abs(uniform()), draw(-40, 0));
    }
    if (draw(0, 3) == 0) options.max_time = 0.125 * draw(1, 7);
    return options;
  }

 private:
  int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(generator_); }
  double uniform() { return std::uniform_real_distribution<double>(-1.0, 1.0)(generator_); }

  Motion any_motion(QueryKind kind) {
    const auto motions =
        random_motions(generator_, kind == QueryKind::point_triangle ? Pair::point_triangle : Pair::edge_edge);
    return motions[draw(0, static_cast<int>(motions.size()) - 1)].motion;
  }

  /// Returns small integers, sometimes with few different values, or numbers with all their digits.
  Vec<3> point(int digits) {
    if (digits == 0) return {uniform(), uniform(), uniform()};
    return Vec<3>(draw(-digits, digits), draw(-digits, digits), draw(-digits, digits));
  }

  /// Returns primitives that meet at a dyadic time and place, exactly if the coordinates are integers: at corners and
  /// edges too, at t0 and t1, sometimes in a common plane.
  Motion motion_of_contact(QueryKind kind) {
    const int digits = draw(0, 3) == 0 ? 0 : draw(1, 8);
    Motion m;
    for (int k = 0; k < 4; ++k) {
      m.t0[k] = point(digits);
      m.t1[k] = draw(0, 3) == 0 ? m.t0[k] : point(digits);
    }
    if (draw(0, 4) == 0) {
      for (auto* vertices : {&m.t0, &m.t1}) {
        for (Vec<3>& x : *vertices) x[2] = 0.0;
      }
    }
    const double t = 0.125 * draw(0, 8), u = 0.25 * draw(0, 4), v = 0.25 * draw(0, 4) * (1.0 - u);
    const auto at = [&](int k) { return Vec<3>((1.0 - t) * m.t0[k] + t * m.t1[k]); };
    // Vertex 0 must be at `target` at that time.
    Vec<3> target;
    if (kind == QueryKind::point_triangle) {
      target = at(1) + u * (at(2) - at(1)) + v * (at(3) - at(1));
    } else {
      const Vec<3> place = at(2) + u * (at(3) - at(2));
      m.t0[1] = place + (draw(1, 4) * 0.25) * (place - at(0)) + t * (m.t0[1] - m.t1[1]);
      m.t1[1] = m.t0[1] + (m.t1[1] - m.t0[1]) * (t > 0.0 ? 1.0 : 0.5);
      target = 2.0 * place - at(1);
    }
    const Vec<3> way = m.t1[0] - m.t0[0];
    m.t0[0] = target - t * way;
    m.t1[0] = target + (1.0 - t) * way;
    return m;
  }

  template <class Change>
  static void change_all(Motion& motion, const Change& change) {
    for (auto* vertices : {&motion.t0, &motion.t1}) {
      for (Vec<3>& x : *vertices) x = change(x);
    }
  }
  static void shift(Motion& motion, const Vec<3>& by) {
    change_all(motion, [&](const Vec<3>& x) { return Vec<3>(x + by); });
  }
  static void scale(Motion& motion, double factor) {
    change_all(motion, [&](const Vec<3>& x) { return Vec<3>(factor * x); });
  }
  /// Moves some coordinates by one unit in the last place.
  void nudge(Motion& motion, int count) {
    for (int i = 0; i < count; ++i) {
      double& x = (draw(0, 1) == 0 ? motion.t0 : motion.t1)[draw(0, 3)][draw(0, 2)];
      x = std::nextafter(x, draw(0, 1) == 0 ? infinity : -infinity);
    }
  }

  std::mt19937_64 generator_;
};

std::string to_text(const CcdQuery& query, const CcdOptions& options, const CcdResult& result) {
  std::ostringstream text;
  text << std::hexfloat << (query.kind == QueryKind::point_triangle ? "point-triangle" : "edge-edge") << ", separation "
       << options.min_separation << ", max_time " << options.max_time << ", status " << static_cast<int>(result.status)
       << ", toi " << result.toi;
  for (const auto& vertices : {query.motion.t0, query.motion.t1}) {
    for (const Vec<3>& x : vertices) text << "\n  " << x[0] << " " << x[1] << " " << x[2];
  }
  return text.str();
}

struct Counts {
  long queries = 0, hits = 0, near_starts = 0;
  std::string failures;
};

/// Checks the contract for one query: the exact verdict, a time that is never late, and not zero if apart at t0.
std::string check(const CcdQuery& query, CcdOptions options, Counts& counts) {
  const CcdResult result = find_impact(query, options);
  auto contact = find_first_contact(query, options.min_separation);
  const bool is_hit = contact && !contact->is_after(options.max_time);
  ++counts.queries;
  counts.hits += is_hit;
  const auto fail = [&](const char* what) { return std::string(what) + ": " + to_text(query, options, result) + "\n"; };
  if (!result.is_certain) return fail("undecided");
  if (is_hit && !result.is_impact()) return fail("false negative");
  if (!is_hit && result.is_impact()) return fail("false positive");
  if (!is_hit) return result.toi == options.max_time ? "" : fail("no impact, but not at max_time");
  if (contact->is_before(result.toi)) return fail("late");
  // Gaps of denormal size can close before the first double above zero.
  const bool is_apart_at_t0 = !contact->is_before(std::numeric_limits<double>::denorm_min());
  counts.near_starts += is_apart_at_t0 && result.toi < 1e-12;
  if (is_apart_at_t0 && !(result.toi > 0.0)) return fail("zero although apart at t0");
  // In the Euclidean norm the contact is later.
  if (options.min_separation > 0.0) return "";
  if (stays_apart(query.kind, query.motion, 0.0)) return fail("quick separation of a hit");

  // Now with the solver's options: no exact arithmetic, a part of the gap to keep.
  options.is_exact = false;
  for (const double gap_fraction : {0.0, 0.2}) {
    options.gap_fraction = gap_fraction;
    const CcdResult fast = find_impact(query, options);
    if (!fast.is_impact() || contact->is_before(fast.toi)) return fail("without exact arithmetic: missed or late");
  }
  return "";
}

TEST(CcdFuzz, Clearance_DecidesExactlyAndIsNeverLate) {
  const auto num_batches = static_cast<int>(
      number_from_environment("CLEARANCE_FUZZ_CCD", batch_size * num_batches_of_every_test) / batch_size);
  const auto first = static_cast<unsigned>(number_from_environment("CLEARANCE_FUZZ_FIRST", 1));
  Counts total;
  std::mutex mutex;
  parallel_for(num_batches, 1, [&](int batch) {
    const unsigned seed = first + static_cast<unsigned>(batch);
    Adversary adversary(seed);
    Counts counts;
    for (int i = 0; i < batch_size; ++i) {
      const CcdQuery query = adversary.next();
      counts.failures += check(query, adversary.options(), counts);
    }
    const std::lock_guard lock(mutex);
    total.queries += counts.queries;
    total.hits += counts.hits;
    total.near_starts += counts.near_starts;
    if (total.failures.size() < 2000 && !counts.failures.empty()) {
      total.failures += "seed " + std::to_string(seed) + ", " + counts.failures;
    }
  });
  std::cout << total.queries << " queries, " << total.hits << " hits, " << total.near_starts
            << " of them within 1e-12 of the start\n";
  EXPECT_EQ(total.failures, "");
  EXPECT_GT(total.hits, total.queries / 4);
  EXPECT_LT(total.hits, total.queries * 3 / 4);
}

}  // namespace
}  // namespace clearance
