#include "clearance/exchange/outline_fill.h"

#include <algorithm>
#include <map>
#include <optional>

#include "clearance/math/predicates.h"

namespace clearance::exchange {
namespace {

using Loop = std::vector<std::uint32_t>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

class OutlineFiller {
 public:
  explicit OutlineFiller(std::span<const Vec<3>> places) {
    for (const Vec<3>& x : places) places_.emplace_back(x[0], x[1]);
  }

  Triangles fill(std::span<const std::array<std::uint32_t, 2>> edges) {
    if (!find_loops(edges)) return {};
    Triangles triangles;
    for (std::size_t outer = 0; outer < loops_.size(); ++outer) {
      if (depth(outer) % 2 != 0) continue;
      std::optional<Loop> whole = with_holes(outer);
      if (!whole || !clip(std::move(*whole), triangles)) return {};
    }
    return triangles;
  }

 private:
  int side(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return orient2d(places_[a], places_[b], places_[c]);
  }

  /// Finds the loops and orients them with the enclosed area on their left. Returns false if they do not close.
  bool find_loops(std::span<const std::array<std::uint32_t, 2>> edges) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> neighbours;
    for (const auto& [a, b] : edges) {
      neighbours[a].push_back(b);
      neighbours[b].push_back(a);
    }
    for (const auto& [vertex, ends] : neighbours) {
      if (ends.size() != 2 || ends[0] == ends[1] || ends[0] == vertex) return false;
    }
    while (!neighbours.empty()) {
      Loop loop;
      std::uint32_t vertex = neighbours.begin()->first;
      for (auto at = neighbours.find(vertex); at != neighbours.end(); at = neighbours.find(vertex)) {
        loop.push_back(vertex);
        const bool is_back = loop.size() > 1 && at->second[0] == loop[loop.size() - 2];
        vertex = at->second[is_back ? 1 : 0];
        neighbours.erase(at);
      }
      if (area(loop) < 0.0) std::reverse(loop.begin(), loop.end());
      loops_.push_back(std::move(loop));
    }
    return true;
  }

  double area(const Loop& loop) const {
    double twice = 0.0;
    const Vec<2> origin = places_[loop.front()];
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec<2> a = places_[loop[i]] - origin, b = places_[loop[(i + 1) % loop.size()]] - origin;
      twice += a[0] * b[1] - a[1] * b[0];
    }
    return 0.5 * twice;
  }

  bool is_inside(const Vec<2>& x, const Loop& loop) const {
    bool is_in = false;
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const Vec<2>*low = &places_[loop[i]], *high = &places_[loop[(i + 1) % loop.size()]];
      if ((*low)[1] > (*high)[1]) std::swap(low, high);
      if ((*low)[1] <= x[1] && x[1] < (*high)[1] && orient2d(*low, *high, x) > 0) is_in = !is_in;
    }
    return is_in;
  }

  /// Returns the number of other loops that contain a loop.
  int depth(std::size_t loop) const {
    int count = 0;
    for (std::size_t other = 0; other < loops_.size(); ++other) {
      count += other != loop && is_inside(places_[loops_[loop].front()], loops_[other]) ? 1 : 0;
    }
    return count;
  }

  /// Returns the outline and its holes as one loop. Each hole is joined by an edge that is traversed in both
  /// directions.
  std::optional<Loop> with_holes(std::size_t outer) const {
    Loop whole = loops_[outer];
    std::vector<Loop> holes;
    for (std::size_t hole = 0; hole < loops_.size(); ++hole) {
      if (hole == outer || depth(hole) != depth(outer) + 1) continue;
      if (!is_inside(places_[loops_[hole].front()], loops_[outer])) continue;
      holes.emplace_back(loops_[hole].rbegin(), loops_[hole].rend());
    }
    while (!holes.empty()) {
      bool is_joined = false;
      for (std::size_t h = 0; h < holes.size() && !is_joined; ++h) {
        is_joined = join(whole, holes[h], holes);
        if (is_joined) holes.erase(holes.begin() + static_cast<std::ptrdiff_t>(h));
      }
      if (!is_joined) return std::nullopt;
    }
    return whole;
  }

  bool join(Loop& whole, const Loop& hole, const std::vector<Loop>& holes) const {
    // Takes, from the first vertex of the hole that has one, the shortest connection that meets nothing.
    for (std::size_t h = 0; h < hole.size(); ++h) {
      std::vector<std::size_t> order(whole.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      const auto length_sq = [&](std::size_t i) { return (places_[whole[i]] - places_[hole[h]]).squaredNorm(); };
      std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return length_sq(a) < length_sq(b); });
      for (const std::size_t i : order) {
        if (!opens_to(whole, i, hole[h]) || !opens_to(hole, h, whole[i]) || !is_free(whole[i], hole[h], whole))
          continue;
        if (!std::all_of(holes.begin(), holes.end(), [&](const Loop& l) { return is_free(whole[i], hole[h], l); }))
          continue;
        Loop way(hole.begin() + static_cast<std::ptrdiff_t>(h), hole.end());
        way.insert(way.end(), hole.begin(), hole.begin() + static_cast<std::ptrdiff_t>(h));
        way.push_back(hole[h]);
        way.push_back(whole[i]);
        whole.insert(whole.begin() + static_cast<std::ptrdiff_t>(i) + 1, way.begin(), way.end());
        return true;
      }
    }
    return false;
  }

  /// True if the segment from a corner of a loop to a vertex starts on the left of the loop.
  bool opens_to(const Loop& loop, std::size_t corner, std::uint32_t to) const {
    const std::uint32_t before = loop[(corner + loop.size() - 1) % loop.size()], at = loop[corner];
    const std::uint32_t after = loop[(corner + 1) % loop.size()];
    const bool is_left_of_first = side(before, at, to) > 0, is_left_of_second = side(at, after, to) > 0;
    return side(before, at, after) > 0 ? is_left_of_first && is_left_of_second : is_left_of_first || is_left_of_second;
  }

  /// True if a segment touches no edge of a loop except at its own ends.
  bool is_free(std::uint32_t a, std::uint32_t b, const Loop& loop) const {
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const std::uint32_t c = loop[i], d = loop[(i + 1) % loop.size()];
      if (c == a || c == b || d == a || d == b) continue;
      if (side(a, b, c) * side(a, b, d) <= 0 && side(c, d, a) * side(c, d, b) <= 0) return false;
    }
    return true;
  }

  /// Cuts off corners that contain no other vertex, one after another.
  bool clip(Loop loop, Triangles& triangles) const {
    std::size_t i = 0, num_passed = 0;
    while (loop.size() > 3) {
      if (num_passed > loop.size()) return false;
      const std::size_t size = loop.size();
      i %= size;
      const std::uint32_t a = loop[(i + size - 1) % size], b = loop[i], c = loop[(i + 1) % size];
      if (!is_ear(loop, a, b, c)) {
        ++i;
        ++num_passed;
        continue;
      }
      if (side(a, b, c) > 0) triangles.push_back({a, b, c});
      loop.erase(loop.begin() + static_cast<std::ptrdiff_t>(i));
      // Skipping every second corner avoids a fan of slivers.
      ++i;
      num_passed = 0;
    }
    if (side(loop[0], loop[1], loop[2]) > 0) triangles.push_back({loop[0], loop[1], loop[2]});
    return true;
  }

  bool is_ear(const Loop& loop, std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    const int turn = side(a, b, c);
    if (turn < 0) return false;
    // A corner that folds back on itself or repeats a vertex encloses nothing.
    if (turn == 0) return a == c || a == b || b == c;
    return std::none_of(loop.begin(), loop.end(), [&](std::uint32_t v) {
      return v != a && v != b && v != c && side(a, b, v) >= 0 && side(b, c, v) >= 0 && side(c, a, v) >= 0;
    });
  }

  std::vector<Vec<2>> places_;
  std::vector<Loop> loops_;
};

}  // namespace

Triangles fill_outlines(std::span<const Vec<3>> places, std::span<const std::array<std::uint32_t, 2>> edges) {
  return OutlineFiller(places).fill(edges);
}

}  // namespace clearance::exchange
