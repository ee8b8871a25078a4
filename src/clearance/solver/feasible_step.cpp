#include "clearance/solver/feasible_step.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <tuple>

#include "clearance/base/parallel.h"
#include "clearance/contact/contact_frame.h"
#include "clearance/geometry/intersection.h"
#include "clearance/math/lanes.h"
#include "clearance/model/half_space_pairs.h"
#include "clearance/solver/curved_ccd.h"

namespace clearance {

namespace {

/// Pairs are visited in blocks of this many, each limited by the result of the blocks before: the answer cannot depend
/// on the number of threads.
constexpr int ccd_block = 256;
constexpr int first_block = 64;

/// Primitives whose gap is small beside their size keep tight inclusion busy for a million boxes; then the other method
/// takes over. In hard impacts half of the queries exceed a thousand, and ten times the time changes nothing in the
/// motion.
constexpr int max_inclusion_boxes = 250;

/// At distances hardly above min_separation the certificates of separation become so short that a pair that glides
/// across the scene takes a million of them, half a second. The step ends at what these certify, 0.2 ms a pair. Plates
/// that close on a cube need no more directions with 2000 than with 20,000, and a tenth of the time.
constexpr int max_advances = 2000;

/// Returns the largest magnitude [m] of the coordinates at both ends of a path, which every direction asks for: four at
/// a time.
double largest_coordinate(const SurfacePath& path) {
  Lanes largest(0.0);
  const auto take = [&](const Lanes& coordinates) {
    const Lanes size = absolute(coordinates);
    largest = select(size > largest, size, largest);
  };
  for (const VecX* x : {&path.x_t0, &path.x_t1}) {
    Eigen::Index i = 0;
    for (; i + num_lanes <= x->size(); i += num_lanes) {
      Lanes four;
      std::memcpy(&four, x->data() + i, sizeof(four));
      take(four);
    }
    for (; i < x->size(); ++i) take(Lanes((*x)[i]));
  }
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

/// Bound of the rounding error of a distance, as a share of the largest coordinate that it is computed from.
constexpr double distance_rounding = 1e-14;

/// [m] What is left of a gap on a turning path may be rounding up to here (SurfacePath::rounding), of any pair; 0 if
/// nothing turns. The bound grows with the arm alone, so that the farthest vertex of each screw decides.
template <int dim>
double rounding_on_paths(const SurfacePath& path) {
  struct Farthest {
    double arm_sq = -1.0;
    int vertex = -1;
  };
  std::vector<Farthest> of_screws(path.screws.size());
  double largest = 0.0;
  for (int v = 0; v < static_cast<int>(path.deviation.size()); ++v) {
    if (path.is_straight(v)) continue;
    const Screw* const screw = path.screw_at(v);
    if (screw == nullptr) {
      largest = std::max(largest, path.rounding<dim>(v));
      continue;
    }
    const double arm_sq = (block<dim>(path.x_t0, v) - screw->center.template head<dim>()).squaredNorm();
    if (Farthest& farthest = of_screws[screw - path.screws.data()]; arm_sq > farthest.arm_sq) farthest = {arm_sq, v};
  }
  for (const Farthest& farthest : of_screws) {
    if (farthest.vertex >= 0) largest = std::max(largest, path.rounding<dim>(farthest.vertex));
  }
  return 2.0 * largest;
}

/// visit(plane, vertex, alpha) for the vertices that come too close to a half-space, with the fraction of the path that
/// is feasible. `largest` is the path's largest coordinate.
template <int dim, class Visit>
void for_each_half_space_hit(const Model& model, const SurfacePath& path, double largest, const SolverOptions& options,
                             const Visit& visit) {
  const double min_separation = options.barrier.min_separation;
  const std::vector<double>& radius = model.surface.radius;
  const double largest_radius = radius.empty() ? 0.0 : *std::max_element(radius.begin(), radius.end());
  for (std::size_t k = 0; k < model.half_spaces.size(); ++k) {
    const HalfSpace& plane = model.half_spaces[k];
    const double largest_rounding =
        1.1e-15 * (std::abs(plane.offset) + min_separation + largest_radius + 2 * dim * largest);
    for (int vertex = 0; vertex < model.surface.num_vertices; ++vertex) {
      if (!meets_half_space(model, static_cast<int>(k), vertex)) continue;
      // The gap is linear along a straight path.
      double gap_t0 = -plane.offset - min_separation - model.surface.radius_at(vertex), gap_t1 = gap_t0;
      for (int c = 0; c < dim; ++c) {
        gap_t0 += plane.normal[c] * path.x_t0[dim * vertex + c];
        gap_t1 += plane.normal[c] * path.x_t1[dim * vertex + c];
      }
      // A curved path strays by up to 4 t of its deviation at the fraction t (swept_candidates.h).
      if (!path.deviation.empty()) gap_t1 -= 4.0 * path.deviation[vertex];
      // Most vertices keep their distance and need no bound of their own rounding.
      if (gap_t1 >= std::max(options.gap_fraction * gap_t0, largest_rounding)) continue;
      // `size` bounds the numbers that the gap is computed from.
      double size = std::abs(plane.offset) + min_separation + model.surface.radius_at(vertex);
      for (int c = 0; c < dim; ++c) {
        size += std::abs(path.x_t0[dim * vertex + c]) + std::abs(path.x_t1[dim * vertex + c]);
      }
      // A gap below the rounding of the distances, of the plane and of the moved vertex may be none at all.
      const double target = std::max(options.gap_fraction * gap_t0, 1e-15 * size);
      if (gap_t1 >= target || gap_t1 >= gap_t0) continue;
      visit(static_cast<int>(k), vertex, gap_t0 > target ? (gap_t0 - target) / (gap_t0 - gap_t1) : 0.0);
    }
  }
}

template <int dim>
FeasibleStep half_space_step(const Model& model, const SurfacePath& path, double largest,
                             const SolverOptions& options) {
  FeasibleStep step;
  for_each_half_space_hit<dim>(model, path, largest, options, [&](int /*plane*/, int vertex, double alpha) {
    if (alpha < step.alpha) step = {alpha, fmt::format("vertex {} and a half-space", vertex), 0};
  });
  return step;
}

template <int dim>
std::string pair_text(const SurfaceTopology& surface, const SurfacePath& path, const PrimitivePair& pair) {
  const std::array<int, 4>& v = pair.vertices;
  ContactPositions<dim> x;
  for (int i = 0; i < pair.num_vertices(); ++i) x[i] = block<dim>(path.x_t0, v[i]);
  const double gap = distance<dim>(pair, x) - pair.thickness(surface);
  // A primitive by its kind and its vertices.
  const auto text_of = [&](int begin, int end) {
    static constexpr std::array kinds = {"vertex", "edge of vertices", "triangle of vertices"};
    return fmt::format("{} {} of {}", kinds[end - begin - 1], fmt::join(v.begin() + begin, v.begin() + end, ", "),
                       surface.body_label(v[begin]));
  };
  return fmt::format("{} and {}, {:.3g} m apart", text_of(0, pair.num_first),
                     text_of(pair.num_first, pair.num_vertices()), gap);
}

/// Pair that may come too close, with a lower bound of the time when it does. Suspects sort by time.
struct Suspect {
  double bound;
  std::size_t k;
  bool operator<(const Suspect& other) const { return std::tie(bound, k) < std::tie(other.bound, other.k); }
};

/// Returns the pairs whose approach could use up the allowed part of the gap, or leave no more of it than `margin` [m],
/// in order of their number.
std::vector<Suspect> find_suspects(const SweptCandidates& candidates, double rounding, double margin,
                                   const SolverOptions& options) {
  constexpr int chunk = 8192;
  const int count = static_cast<int>(candidates.distance.size());
  std::vector<std::vector<Suspect>> chunks((count + chunk - 1) / chunk);
  parallel_for_chunks(count, chunk, [&](int begin, int end) {
    std::vector<Suspect>& suspects = chunks[begin / chunk];
    for (std::size_t k = begin; std::cmp_less(k, end); ++k) {
      const double gap = candidates.distance[k] - options.barrier.min_separation;
      const double room = (1.0 - options.gap_fraction) * gap - rounding;
      if (candidates.motion[k] + rounding <= room && candidates.motion[k] + margin <= gap) continue;
      // A pair at rounding distance may come without motion; 0 / 0 would break the order and end the search.
      suspects.push_back({room > 0.0 ? room / candidates.motion[k] : 0.0, k});
    }
  });
  std::vector<Suspect> all;
  for (const auto& suspects : chunks) all.insert(all.end(), suspects.begin(), suspects.end());
  return all;
}

CcdOptions ccd_options(const SolverOptions& options) {
  CcdOptions ccd;
  ccd.method = options.ccd;
  ccd.min_separation = options.barrier.min_separation;
  ccd.gap_fraction = options.gap_fraction;
  ccd.max_iterations = options.ccd == CcdMethod::tight_inclusion ? max_inclusion_boxes : max_advances;
  return ccd;
}

/// Runs the CCD that the kind of the pair and the kind of its path need.
template <int dim>
CcdResult test_pair(const SurfaceTopology& surface, const SurfacePath& path, const PrimitivePair& pair,
                    CcdOptions ccd) {
  ccd.min_separation += pair.thickness(surface);
  if (!is_straight(path, pair)) return curved_ccd<dim>(path, pair, ccd);
  ContactPositions<dim> start, stop;
  for (int i = 0; i < pair.num_vertices(); ++i) {
    start[i] = block<dim>(path.x_t0, pair.vertices[i]);
    stop[i] = block<dim>(path.x_t1, pair.vertices[i]);
  }
  return straight_ccd<dim>(pair, start, stop, ccd);
}

/// True if two edges meet in the plane, or an edge and a triangle in space.
template <int dim>
bool do_meet(const SurfaceTopology& surface, const VecX& x, int edge, int other) {
  const auto& e = surface.edges[edge];
  const Vec<dim> a = block<dim>(x, e[0]), b = block<dim>(x, e[1]);
  if constexpr (dim == 2) {
    const auto& f = surface.edges[other];
    return edges_intersect(a, b, block<2>(x, f[0]), block<2>(x, f[1]));
  } else {
    const auto& t = surface.triangles[other];
    return edge_intersects_triangle(a, b, block<3>(x, t[0]), block<3>(x, t[1]), block<3>(x, t[2]));
  }
}

/// Visits the vertices of a pair with their places in it.
template <class Visit>
void for_each_vertex(const PrimitivePair& pair, const Visit& visit) {
  for (int i = 0; i < pair.num_vertices(); ++i) visit(i, pair.vertices[i]);
}

/// Other primitives may meet the two primitives of a pair a little earlier; a pair that meets much later is out of
/// sight.
constexpr double line_of_sight = 1.3;

/// Leaves out the encounters that a vertex or a primitive never gets to see.
void leave_out_hidden(int num_vertices, std::vector<Encounter>& all) {
  // The earliest time at which each vertex meets anything.
  std::vector<double> earliest(num_vertices, 1.0);
  for (const Encounter& encounter : all) {
    for_each_vertex(encounter.pair, [&](int, std::size_t v) { earliest[v] = std::min(earliest[v], encounter.time); });
  }
  // An encounter is left out if the pair does not meet on the path, or if both of its primitives have met something
  // considerably earlier.
  const auto is_hidden = [&](const Encounter& encounter) {
    std::array<double, 2> of_primitive = {1.0, 1.0};
    for_each_vertex(encounter.pair, [&](int i, std::size_t v) {
      double& time = of_primitive[i < encounter.pair.num_first ? 0 : 1];
      time = std::min(time, earliest[v]);
    });
    if (encounter.pair.plane >= 0) of_primitive[1] = of_primitive[0];
    return encounter.time >= 1.0 || encounter.time > line_of_sight * std::max(of_primitive[0], of_primitive[1]);
  };
  std::erase_if(all, is_hidden);
}

/// Returns the first vertex that is outside of a half-space; -1 if there is none.
template <int dim>
int find_vertex_outside(const Model& model, const VecX& x_surface) {
  for (std::size_t k = 0; k < model.half_spaces.size(); ++k) {
    const HalfSpace& plane = model.half_spaces[k];
    for (int vertex = 0; vertex < model.surface.num_vertices; ++vertex) {
      if (!meets_half_space(model, static_cast<int>(k), vertex)) continue;
      double distance = -plane.offset;
      for (int c = 0; c < dim; ++c) distance += plane.normal[c] * x_surface[dim * vertex + c];
      if (!(distance > model.surface.radius_at(vertex))) return vertex;
    }
  }
  return -1;
}

/// Returns the first pair of a sphere or capsule with another primitive that is no farther away than their radii; of
/// the candidates of a broad phase that reaches over them.
template <int dim>
std::optional<PrimitivePair> find_overlap(const SurfaceTopology& surface, const VecX& x, BroadPhase& broad_phase) {
  if (surface.radius.empty()) return std::nullopt;
  const Candidates candidates = broad_phase.find_candidates(x, x, 0.0, surface.radius);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    const PrimitivePair pair = pair_of(surface, candidates, k);
    const double thickness = pair.thickness(surface);
    if (!(thickness > 0.0)) continue;
    ContactPositions<dim> at;
    for (int i = 0; i < pair.num_vertices(); ++i) at[i] = block<dim>(x, pair.vertices[i]);
    if (!(distance<dim>(pair, at) > thickness)) return pair;
  }
  return std::nullopt;
}

}  // namespace

template <int dim>
FeasibleStep find_feasible_step(const Model& model, const SurfacePath& path, const SweptCandidates& candidates,
                                const SolverOptions& options) {
  // Half-spaces limit the step first. The displacement bound then dismisses most pairs without CCD.
  const double largest = largest_coordinate(path), rounding = distance_rounding * largest;
  FeasibleStep step = half_space_step<dim>(model, path, largest, options);
  std::vector<Suspect> suspects = find_suspects(candidates, rounding, rounding_on_paths<dim>(path), options);
  CcdOptions ccd = ccd_options(options);

  // Run CCD for one block, limited by the step so far.
  std::array<double, ccd_block> toi;
  const auto test_block = [&](const Suspect* block, int count) {
    ccd.max_time = step.alpha;
    parallel_for(count, 8, [&](int i) {
      const PrimitivePair pair = pair_of(model.surface, candidates.pairs, block[i].k);
      toi[i] = test_pair<dim>(model.surface, path, pair, ccd).toi;
    });
    step.num_ccd_calls += count;
    for (int i = 0; i < count; ++i) {
      if (toi[i] >= step.alpha) continue;
      step.alpha = toi[i];
      step.limited_by = pair_text<dim>(model.surface, path, pair_of(model.surface, candidates.pairs, block[i].k));
    }
  };

  // Take the nearest bounds first. The very first leave few pairs that could come earlier; only these are worth
  // sorting.
  const auto num_first = std::min<std::ptrdiff_t>(first_block, static_cast<std::ptrdiff_t>(suspects.size()));
  const auto rest = suspects.begin() + num_first;
  std::nth_element(suspects.begin(), rest, suspects.end());
  std::sort(suspects.begin(), rest);
  test_block(suspects.data(), static_cast<int>(num_first));
  suspects.erase(std::remove_if(rest, suspects.end(), [&](const Suspect& s) { return s.bound >= step.alpha; }),
                 suspects.end());
  std::sort(rest, suspects.end());
  for (std::size_t at = num_first; at < suspects.size() && suspects[at].bound < step.alpha; at += ccd_block) {
    test_block(suspects.data() + at, static_cast<int>(std::min<std::size_t>(ccd_block, suspects.size() - at)));
  }
  return step;
}

template <int dim>
std::vector<Encounter> find_encounters(const Model& model, const SurfacePath& path, const SweptCandidates& candidates,
                                       const SolverOptions& options) {
  const double largest = largest_coordinate(path), rounding = distance_rounding * largest;
  const CcdOptions ccd = ccd_options(options);
  const std::vector<Suspect> suspects = find_suspects(candidates, rounding, rounding_on_paths<dim>(path), options);
  std::vector<Encounter> all(suspects.size());
  parallel_for(static_cast<int>(suspects.size()), 8, [&](int i) {
    const std::size_t at = i;
    const PrimitivePair pair = pair_of(model.surface, candidates.pairs, suspects[at].k);
    all[at] = {pair, test_pair<dim>(model.surface, path, pair, ccd).toi};
  });
  for_each_half_space_hit<dim>(model, path, largest, options, [&](int plane, int vertex, double alpha) {
    all.push_back({{{vertex, -1, -1, -1}, 1, plane}, alpha});
  });

  leave_out_hidden(model.surface.num_vertices, all);
  return all;
}

template <int dim>
bool is_intersection_free(const Model& model, const VecX& x_surface, BroadPhase& broad_phase, std::string* first_hit) {
  // The exact test of all pairs; the first hit in order is reported for any number of threads.
  const auto pairs = broad_phase.find_intersection_candidates(x_surface);
  const int no_hit = static_cast<int>(pairs.size());
  const int hit = ordered_reduce(
      no_hit, no_hit,
      [&](int i) {
        const auto [first, second] = pairs[i];
        return do_meet<dim>(model.surface, x_surface, first, second) ? i : no_hit;
      },
      [](int a, int b) { return std::min(a, b); });
  if (hit < no_hit) {
    if (first_hit != nullptr) {
      const auto [first, second] = pairs[hit];
      *first_hit = fmt::format("edge {} meets {} {}", first, dim == 2 ? "edge" : "triangle", second);
    }
    return false;
  }
  if (const auto overlap = find_overlap<dim>(model.surface, x_surface, broad_phase)) {
    const SurfacePath still{x_surface, x_surface, {}, {}, {}};
    if (first_hit != nullptr) *first_hit = pair_text<dim>(model.surface, still, *overlap);
    return false;
  }
  const int outside = find_vertex_outside<dim>(model, x_surface);
  if (outside < 0) return true;
  if (first_hit != nullptr) *first_hit = fmt::format("vertex {} is outside of a half-space", outside);
  return false;
}

template FeasibleStep find_feasible_step<2>(const Model&, const SurfacePath&, const SweptCandidates&,
                                            const SolverOptions&);
template FeasibleStep find_feasible_step<3>(const Model&, const SurfacePath&, const SweptCandidates&,
                                            const SolverOptions&);
template std::vector<Encounter> find_encounters<2>(const Model&, const SurfacePath&, const SweptCandidates&,
                                                   const SolverOptions&);
template std::vector<Encounter> find_encounters<3>(const Model&, const SurfacePath&, const SweptCandidates&,
                                                   const SolverOptions&);
template bool is_intersection_free<2>(const Model&, const VecX&, BroadPhase&, std::string*);
template bool is_intersection_free<3>(const Model&, const VecX&, BroadPhase&, std::string*);

}  // namespace clearance
