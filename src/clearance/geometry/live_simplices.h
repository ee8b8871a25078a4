// Simplices that come and go: a list that only grows while they die and are revived, and the live ones at each vertex.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "clearance/base/contract.h"

namespace clearance {

/// True if a cell, facet or edge has the vertex v.
template <std::size_t num_corners>
bool has_vertex(const std::array<int, num_corners>& simplex, int v) {
  return std::ranges::find(simplex, v) != simplex.end();
}

/// Simplices with `n` corners keep their numbers as long as they are in the list, dead or alive.
template <std::size_t n>
class LiveSimplices {
 public:
  using Simplex = std::array<int, n>;

  /// Lists simplices that are all alive; their corners are below `num_vertices`.
  LiveSimplices(std::vector<Simplex> simplices, std::size_t num_vertices)
      : all_(std::move(simplices)), is_alive_(all_.size(), 1), at_(num_vertices) {
    for (std::size_t i = 0; i < all_.size(); ++i) {
      for (const int v : all_[i]) {
        CLEARANCE_ASSERT(v >= 0 && static_cast<std::size_t>(v) < num_vertices);
        at_[v].push_back(static_cast<int>(i));
      }
    }
  }

  int count() const { return static_cast<int>(all_.size()); }  ///< with dead ones
  int num_vertices() const { return static_cast<int>(at_.size()); }
  const Simplex& operator[](int number) const { return all_[number]; }
  const std::vector<Simplex>& all() const { return all_; }
  bool is_alive(int number) const { return is_alive_[number]; }
  const std::vector<char>& are_alive() const { return is_alive_; }  ///< per simplex
  /// Returns the numbers of the live simplices at a vertex, in ascending order.
  const std::vector<int>& at(int v) const { return at_[v]; }
  /// True if a live simplex has both vertices.
  bool has_edge(int a, int b) const {
    return std::ranges::any_of(at_[a], [&](int number) { return has_vertex(all_[number], b); });
  }

  void add_vertex() { at_.emplace_back(); }
  /// Removes the last vertex, at which there is no live simplex.
  void remove_last_vertex() {
    CLEARANCE_ASSERT(at_.back().empty());
    at_.pop_back();
  }
  void add(const Simplex& simplex) {
    const int number = count();
    all_.push_back(simplex);
    is_alive_.push_back(1);
    for (const int v : simplex) at_[v].push_back(number);
  }
  void remove_last() {
    for (const int v : all_.back()) at_[v].pop_back();
    all_.pop_back();
    is_alive_.pop_back();
  }
  void kill(int number) {
    is_alive_[number] = 0;
    for (const int v : all_[number]) erase_sorted(at_[v], number);
  }
  void revive(int number) {
    is_alive_[number] = 1;
    for (const int v : all_[number]) insert_sorted(at_[v], number);
  }

 private:
  /// Inserts a number into a sorted list; the largest one is appended.
  static void insert_sorted(std::vector<int>& list, int number) {
    if (list.empty() || list.back() < number) {
      list.push_back(number);
    } else {
      list.insert(std::ranges::lower_bound(list, number), number);
    }
  }
  static void erase_sorted(std::vector<int>& list, int number) {
    const auto place = std::ranges::lower_bound(list, number);
    CLEARANCE_ASSERT(place != list.end() && *place == number);
    list.erase(place);
  }

  std::vector<Simplex> all_;
  std::vector<char> is_alive_;
  std::vector<std::vector<int>> at_;  // numbers of live simplices at each vertex
};

}  // namespace clearance
