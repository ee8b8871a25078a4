// The methods that promise to miss no hit, against the exact oracle: random, degenerate and far-off motions, with and
// without a minimum separation, and when their iterations end early.
#include <gtest/gtest.h>

#include "ccd_methods/queries.h"

namespace clearance {
namespace {

void check_against_oracle(unsigned seed, int num_samples, const CcdMethodOptions& options) {
  std::mt19937_64 generator(seed);
  int num_hits = 0;
  for (int sample = 0; sample < num_samples; ++sample) {
    for (const auto& [name, query] : random_queries(generator)) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", sample " + std::to_string(sample) + ", " + name + "\n" +
                   to_text(query));
      auto contact = find_first_contact(query, options.min_separation);
      num_hits += contact.has_value();
      if (!contact) continue;
      for (const char* method : conservative_methods) {
        const CcdMethodEntry& entry = *find_ccd_method(method);
        if (options.min_separation > 0.0 && !entry.has_min_separation) continue;
        const CcdAnswer answer = entry.decide(query, options);
        EXPECT_TRUE(answer.is_hit) << method;
        EXPECT_FALSE(entry.has_times && contact->is_before(answer.toi)) << method << ", toi " << answer.toi;
      }
    }
  }
  EXPECT_GT(num_hits, num_samples) << "too few hits to mean anything";
}

TEST(CcdMethods, Conservative_NoFalseNegativeAndNeverLate) {
  check_against_oracle(11, 60, {.max_iterations = 3000});
}

TEST(CcdMethods, Conservative_NoFalseNegativeAndNeverLateWithMinSeparation) {
  for (const double d : {1e-12, 1e-6, 1e-2, 0.5}) {
    SCOPED_TRACE(d);
    check_against_oracle(12, 20, {.min_separation = d, .max_iterations = 2000});
  }
}

TEST(CcdMethods, Conservative_EarlyEndIsAHitThatIsNotLate) {
  for (const int cap : {1, 2, 7, 40}) {
    SCOPED_TRACE(cap);
    check_against_oracle(13, 20, {.max_iterations = cap});
  }
}

TEST(CcdMethods, Conservative_NotFiniteCoordinatesAreNoProof) {
  std::mt19937_64 generator(14);
  for (const auto& [name, query] : random_queries(generator)) {
    CcdQuery broken = query;
    broken.motion.t1[2][1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(ask("tight-ccd", broken).is_hit) << name;
    EXPECT_TRUE(ask("additive", broken).is_hit) << name;
  }
}

}  // namespace
}  // namespace clearance
