#include "clearance/broad_phase/device_culling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "clearance/base/parallel.h"

namespace clearance {

namespace {

// Proof that a pair is told to be distant only if it is. u = 2^-24. OpenCL's full profile rounds sums, differences and
// products of floats correctly; only numbers below 2^-126 may become zero, which the bounds below exceed by far since
// the size R of a pair is at least 2^-40. Square roots are within 3 units of the last place. Quotients, reciprocal
// roots and the choice of the direction need no accuracy.
//
// - Positions are relative to a point of the scene and rounded once: by at most E = `rounding` a coordinate.
// - A corner r = a - b of the relative motion (ccd/relative_motion.h) has the error 2 E + u R a coordinate, where R is
//   the largest coordinate of all corners at both ends.
// - For the direction n as it is, float by float, h = n . r has the error 3.01 u |n|_1 R of its products and sums, and
//   |n|_1 (2 E + u R) of r. Together that is less than |n|_1 (2 E + 8 u R) as computed.
// - n . r is linear in time, so that the smallest h of all corners at both ends, less that error, bounds n . r on the
//   whole path and on the whole hull of the corners from below. The distance is at least that over |n|, and
//   |n| <= (1 + |n|^2) / 2 for every n.
// - The distance at the start is at most the length of any point of the hull. The point is r_0 + s (r_1 - r_0) +
//   t (r_last - r_0), or lies on an edge, with weights within the hull; its coordinates have the error
//   6 E + 16 u R, and its length at most 12 E + 32 u R, besides 2^-20 of the length for the root and its argument.
// - The largest displacement of a corner is at most sqrt(3) times that of a coordinate, whose error is twice that of r.
// - Factors of 1 + 2^-18 cover the rounding of the bounds themselves, of fewer than 16 operations each.
constexpr const char* culling_kernels = R"CL(
#pragma OPENCL FP_CONTRACT OFF

float dot_of(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
float3 cross_of(float3 a, float3 b) {
  return (float3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
float largest_of(float3 a) { return max(max(fabs(a.x), fabs(a.y)), fabs(a.z)); }
float sum_of(float3 a) { return fabs(a.x) + fabs(a.y) + fabs(a.z); }
float3 point(__global const float* x, int vertex) { return vload3(vertex, x); }

// Corners of a vertex against a triangle (3), or of an edge against an edge (4, along their outline).
void find_corners(__global const float* x, const int* v, int is_edge_edge, float3* r) {
  const float3 a = point(x, v[0]), b = point(x, v[1]), c = point(x, v[2]), d = point(x, v[3]);
  if (is_edge_edge) {
    r[0] = a - c;
    r[1] = b - c;
    r[2] = b - d;
    r[3] = a - d;
  } else {
    r[0] = a - b;
    r[1] = a - c;
    r[2] = a - d;
    r[3] = r[0];
  }
}

__kernel void find_distant(__global const float* x_t0, __global const float* x_t1, __global const int2* pairs,
                           __global const int* edges, __global const int* triangles, const int is_edge_edge,
                           const float rounding, const float activation, const float min_separation,
                           const float gap_fraction, __global uchar* is_distant, const uint count) {
  const uint i = get_global_id(0);
  if (i >= count) return;
  is_distant[i] = 0;
  const int2 pair = pairs[i];
  int v[4];
  if (is_edge_edge) {
    v[0] = edges[2 * (size_t)pair.x];
    v[1] = edges[2 * (size_t)pair.x + 1];
    v[2] = edges[2 * (size_t)pair.y];
    v[3] = edges[2 * (size_t)pair.y + 1];
  } else {
    v[0] = pair.x;
    for (int k = 0; k < 3; ++k) v[1 + k] = triangles[3 * (size_t)pair.y + k];
  }
  float3 r0[4], r1[4];
  find_corners(x_t0, v, is_edge_edge, r0);
  find_corners(x_t1, v, is_edge_edge, r1);
  const int num_corners = is_edge_edge ? 4 : 3;

  float size = 0.0f, sum = 0.0f, moved = 0.0f;
  for (int k = 0; k < 4; ++k) {
    size = max(size, max(largest_of(r0[k]), largest_of(r1[k])));
    sum += sum_of(r0[k]) + sum_of(r1[k]);
    moved = max(moved, largest_of(r1[k] - r0[k]));
  }
  // The sum also tells numbers that are none.
  if (!(sum < 0x1p40f) || !(size > 0x1p-40f)) return;
  const float rounding_of_corner = 2.0f * rounding + 0x1p-21f * size;

  // The closest point of the face, or else of its outline, about as the CPU finds it (ccd/approach.h).
  const float3 e = r0[1] - r0[0], f = r0[num_corners - 1] - r0[0];
  const float ee = dot_of(e, e), ef = dot_of(e, f), ff = dot_of(f, f), er = dot_of(e, r0[0]), fr = dot_of(f, r0[0]);
  const float determinant = ee * ff - ef * ef;
  const float s = (ef * fr - ff * er) / determinant, t = (ef * er - ee * fr) / determinant;
  const int is_inside = determinant > 0.0f && s >= 0.0f && t >= 0.0f && (is_edge_edge ? s <= 1.0f && t <= 1.0f : s + t <= 1.0f);
  float3 closest, n;
  if (is_inside) {
    closest = r0[0] + s * e + t * f;
    n = cross_of(e, f);
    if (dot_of(n, r0[0]) < 0.0f) n = -n;
  } else {
    float least = INFINITY;
    closest = r0[0];
    for (int k = 0; k < num_corners; ++k) {
      const float3 a = r0[k], b = r0[k + 1 == num_corners ? 0 : k + 1] - a;
      float along = -dot_of(a, b) / dot_of(b, b);
      along = along > 0.0f ? min(along, 1.0f) : 0.0f;
      const float3 p = a + along * b;
      const float length_sq = dot_of(p, p);
      if (length_sq < least) {
        least = length_sq;
        closest = p;
      }
    }
    n = closest;
  }
  const float scale = dot_of(n, n);
  if (!(scale > 0x1p-100f && scale < 0x1p100f)) return;
  n *= rsqrt(scale);

  float least = INFINITY;
  for (int k = 0; k < num_corners; ++k) least = min(least, min(dot_of(n, r0[k]), dot_of(n, r1[k])));
  const float lower = least - sum_of(n) * rounding_of_corner;
  const float length = (0.5f + 0.5f * dot_of(n, n)) * (1.0f + 0x1p-18f);

  const float at_start = sqrt(dot_of(closest, closest)) * (1.0f + 0x1p-18f) + 12.0f * rounding + 0x1p-19f * size;
  const float to_keep = min_separation + gap_fraction * max(at_start - min_separation, 0.0f);
  const float path = 1.75f * moved + 16.0f * rounding + 0x1p-20f * size;
  const float wanted = max(1.125f * max(activation, to_keep) + path / 512.0f, 0x1p-18f * size);
  is_distant[i] = lower >= length * wanted * (1.0f + 0x1p-18f);
}
)CL";

/// Returns a float that is not below the number.
float rounded_up(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest < value ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
}

}  // namespace

DeviceCulling::DeviceCulling(const SurfaceTopology& surface, std::shared_ptr<DeviceUse> use)
    : surface_(surface), use_(std::move(use)) {}

std::optional<Candidates> DeviceCulling::without_distant(const Candidates& candidates, const VecX& x_t0,
                                                         const VecX& x_t1, const std::vector<double>& deviation,
                                                         const CullingBounds& bounds) {
  if (!surface_.radius.empty() || !write_positions(x_t0, x_t1, deviation)) return std::nullopt;
  write_surface();
  Candidates result;
  result.is_complete = candidates.is_complete;
  keep_near(candidates.point_triangle, false, bounds, result.point_triangle);
  keep_near(candidates.edge_edge, true, bounds, result.edge_edge);
  result.point_edge = candidates.point_edge;
  result.point_point = candidates.point_point;
  use_->num_pairs += candidates.size();
  use_->num_culled += candidates.size() - result.size();
  return result;
}

/// Copies the positions relative to the first vertex; infinity for a vertex that strays from its straight path, so that
/// its pairs stay. False if they are not numbers of a usual size.
bool DeviceCulling::write_positions(const VecX& x_t0, const VecX& x_t1, const std::vector<double>& deviation) {
  if (x_t0.size() < 3) return false;
  const Vec<3> origin = x_t0.head<3>();
  double largest = 0.0;
  for (const VecX* x : {&x_t0, &x_t1}) {
    const auto size_of = [&](int v) {
      return (x->segment<3>(3 * static_cast<Eigen::Index>(v)) - origin).cwiseAbs().sum();
    };
    // A sum of what is no number is none.
    largest = ordered_reduce(
        static_cast<int>(x->size() / 3), largest, size_of,
        [](double a, double b) { return std::isnan(a) || a >= b ? a : b; }, 4096);
  }
  if (!(largest < 0x1p40)) return false;
  // Half a unit of the last place, twice: the difference is rounded in double before.
  rounding_ = rounded_up(0x1p-23 * largest + 0x1p-100);
  positions_.resize(x_t0.size());
  for (const auto& [x, buffer] : {std::pair(&x_t0, &x_t0_), std::pair(&x_t1, &x_t1_)}) {
    parallel_for(static_cast<int>(x->size() / 3), 4096, [&, from = x](int v) {
      const bool is_straight = deviation.empty() || deviation[v] == 0.0;
      for (Eigen::Index k = 0; k < 3; ++k) {
        const Eigen::Index at = 3 * static_cast<Eigen::Index>(v) + k;
        positions_[at] = is_straight ? static_cast<float>((*from)[at] - origin[k]) : INFINITY;
      }
    });
    use_->device->write(*buffer, positions_);
  }
  return true;
}

void DeviceCulling::write_surface() {
  if (has_surface_) return;
  use_->device->write(edges_, surface_.edges);
  use_->device->write(triangles_, surface_.triangles);
  has_surface_ = true;
}

void DeviceCulling::keep_near(const std::vector<std::array<int, 2>>& pairs, bool is_edge_edge,
                              const CullingBounds& bounds, std::vector<std::array<int, 2>>& kept) {
  if (pairs.empty()) return;
  Device& device = *use_->device;
  is_distant_.resize(pairs.size());
  device.write(pairs_, pairs);
  device.reserve(is_distant_on_device_, is_distant_.size());
  device.run(culling_kernels, "find_distant", static_cast<std::uint32_t>(pairs.size()), x_t0_, x_t1_, pairs_, edges_,
             triangles_, is_edge_edge ? 1 : 0, rounding_, rounded_up(bounds.activation),
             rounded_up(bounds.min_separation), rounded_up(bounds.gap_fraction), is_distant_on_device_);
  device.read(is_distant_on_device_, 0, std::span(is_distant_));
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (is_distant_[k] == 0) kept.push_back(pairs[k]);
  }
}

}  // namespace clearance
