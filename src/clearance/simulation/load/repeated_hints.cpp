#include "clearance/simulation/load/repeated_hints.h"

#include <fmt/format.h>

namespace clearance {

namespace {

/// Names of elements by dimension.
constexpr std::array<const char*, 4> element_names = {"point", "edge", "triangle", "tetrahedron"};

std::string counted_elements(int count, int dim) {
  if (dim == 3 && count != 1) return fmt::format("{} tetrahedra", count);
  return counted(count, element_names[dim]);
}

/// Text about repeated elements: how one and how several are repeated, and the consequence.
struct Kind {
  const char* of_one;
  const char* of_several;
  const char* consequence;
};

constexpr Kind listed_again = {"is listed again", "are listed again",
                               "each counts once, and belongs to the groups of all its copies"};
constexpr Kind opposite = {"is the reverse of another one", "are the reverse of others",
                           "two sides without a volume between them enclose nothing, and only one of them counts"};
constexpr Kind coinciding = {"coincides with another one, but has vertices of its own",
                             "coincide with others, but have vertices of their own",
                             "the part to which they belong is left out"};

}  // namespace

void warn_of_repeated_elements(const std::string& place, const std::string& owner, int dim,
                               const MergedElements& merged, Issues& hints) {
  const auto warn = [&](const ElementCopies& copies, int of_dim, const Kind& kind) {
    if (copies.count == 0) return;
    add_hint(hints, place,
             fmt::format("{}: {} of its mesh {}: number {} (counted from 0){} as number {}; {}", owner,
                         counted_elements(copies.count, of_dim), copies.count == 1 ? kind.of_one : kind.of_several,
                         copies.first, copies.count == 1 ? ", the same" : " is the first, the same", copies.original,
                         kind.consequence));
  };
  for (int of = 0; of <= 3; ++of) warn(merged.listed_again[of], of, listed_again);
  warn(merged.opposite, dim - 1, opposite);
  warn(merged.coinciding, merged.dim_of_coinciding, coinciding);
}

}  // namespace clearance
