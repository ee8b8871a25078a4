#include "clearance/render/trace.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "clearance/base/parallel.h"
#include "clearance/render/geometry.h"

namespace clearance::render {
namespace {

using Eigen::Vector2f;
using Eigen::Vector3f;

constexpr int tile_size = 16;
constexpr float pi = 3.14159265f;
constexpr float sun_radius = 0.09f;  ///< [rad] a large sun gives soft shadows
constexpr float shadow_length = 40;  ///< length of shadow rays in sizes of the scene
constexpr float sky_reach = 0.6f;    ///< range of shading from the sky, in sizes of the scene
/// share of sunlight behind obstacles alone, so that a closed container does not turn dark
constexpr float obstacle_shadow = 0.35f;
constexpr float even_error = 0.004f;    ///< error of a pixel's colour below which it needs no more samples
constexpr float obstacle_veil = 0.45f;  ///< weight of an obstacle in front of a body

const Color sun_color(0.92f, 0.88f, 0.80f);
const Color sky_color(0.62f, 0.67f, 0.76f);
const Color bounce_color(0.44f, 0.42f, 0.40f);  ///< light from below
const Color shaded_color(0.10f, 0.10f, 0.11f);  ///< light that a blocked ray to the sky still contributes
const Color background_high(0.80f, 0.85f, 0.91f), background_low(0.90f, 0.91f, 0.92f);

std::uint32_t hash(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x7FEB352Du;
  x = (x ^ (x >> 15)) * 0x846CA68Bu;
  return x ^ (x >> 16);
}

/// Returns points that cover the unit square evenly: the R2 sequence [Rob18], shifted by a fixed amount per pixel and
/// use.
Vector2f sample_square(int index, std::uint32_t seed) {
  const double shift_x = hash(seed) * 0x1p-32, shift_y = hash(seed ^ 0x9E3779B9u) * 0x1p-32;
  const double x = shift_x + 0.7548776662466927 * index, y = shift_y + 0.5698402909980532 * index;
  return {static_cast<float>(x - std::floor(x)), static_cast<float>(y - std::floor(y))};
}

Vector3f any_perpendicular(const Vector3f& n) {
  return n.cross(std::abs(n[0]) < 0.7f ? Vector3f::UnitX() : Vector3f::UnitY()).normalized();
}

float smooth_step(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

/// Returns the largest number of the form 1, 2 or 5 times a power of ten that is not above `x`.
double round_down(double x) {
  const double power = std::pow(10.0, std::floor(std::log10(x)));
  return x >= 5 * power ? 5 * power : (x >= 2 * power ? 2 * power : power);
}

std::uint8_t to_srgb(float c) {
  // A soft shoulder above 0.8 replaces a hard clip.
  if (c > 0.8f) c = 0.8f + 0.2f * (1 - std::exp(-(c - 0.8f) / 0.2f));
  const float s = c <= 0.0031308f ? 12.92f * c : 1.055f * std::pow(c, 1 / 2.4f) - 0.055f;
  return static_cast<std::uint8_t>(std::clamp(255 * s + 0.5f, 0.0f, 255.0f));
}

class Tracer {
 public:
  Tracer(const Drawing& drawing, const Camera& camera)
      : drawing_(drawing),
        camera_(camera),
        geometry_(drawing),
        size_(static_cast<float>(drawing.size)),
        up_(drawing.up.cast<float>()),
        cell_size_(static_cast<float>(round_down(0.16 * drawing.size))) {
    Vec<3> side, front;
    complete_basis(drawing.up, side, front);
    side_ = side.cast<float>();
    front_ = front.cast<float>();
    // The sun stands high, to the left and slightly to the front; the camera stands to the right.
    sun_ = (1.0 * drawing.up - 0.55 * side + 0.5 * front).normalized().cast<float>();
    if (drawing.is_plane) sun_ = Vector3f(-0.3f, 0.4f, 1).normalized();
    origin_ = (camera.position - drawing.origin).cast<float>();
  }

  Color trace_pixel(int x, int y, const TraceOptions& options) const {
    const std::uint32_t seed = hash(static_cast<std::uint32_t>(y) * 8192u + static_cast<std::uint32_t>(x));
    Color sum = Color::Zero();
    float sum_sq = 0;
    int count = 0;
    bool is_open = true;
    while (count < options.samples) {
      // A tent over two pixels is smoother than a box over one.
      const Vector2f u = sample_square(count, 1);
      const double s = (x + 0.5 + tent(u[0])) / options.width, t = (y + 0.5 + tent(u[1])) / options.height;
      const Vector3f direction = camera_.direction(s, t).cast<float>();
      const Color color = trace_ray(direction, t, count, seed, is_open).cwiseMin(1.5f);
      sum += color;
      sum_sq += color.squaredNorm();
      // Uniform areas that nothing shades are finished after half of the samples.
      ++count;
      const float n = static_cast<float>(count);
      const float variance = sum_sq / n - (sum / n).squaredNorm();
      if (is_open && 2 * count >= options.samples && variance < n * even_error * even_error) break;
    }
    return sum / static_cast<float>(count);
  }

 private:
  static double tent(float u) { return u < 0.5f ? std::sqrt(2.0 * u) - 1 : 1 - std::sqrt(2.0 - 2.0 * u); }

  Color background(double t) const {
    return drawing_.is_plane ? Color(0.93f, 0.94f, 0.95f)
                             : Color(background_high + static_cast<float>(t) * (background_low - background_high));
  }

  Color trace_ray(const Vector3f& direction, double t, int index, std::uint32_t seed, bool& is_open) const {
    const Hit hit = geometry_.first_hit(origin_, direction);
    if (hit.kind == Hit::Kind::none) return background(t);
    Color color = shade(hit, direction, index, seed, is_open);
    if (hit.kind == Hit::Kind::plane) {
      const float distance = (hit.position - hit.position.dot(up_) * up_).norm() / size_;
      color += smooth_step(0.9f, 4.5f, distance) * (background(t) - color);
    }
    if (hit.kind == Hit::Kind::obstacle) {
      const Hit behind = geometry_.first_body_hit(origin_, direction);
      if (behind.kind == Hit::Kind::body) {
        color = obstacle_veil * color + (1 - obstacle_veil) * shade(behind, direction, index, seed, is_open);
      }
    }
    return color;
  }

  /// Returns the colour of the ground, a subtle checkerboard that conveys scale.
  Color plane_color(const Vector3f& position) const {
    const Vector3f p = position + drawing_.origin.cast<float>();
    const long a = std::lround(std::floor(p.dot(side_) / cell_size_)),
               b = std::lround(std::floor(p.dot(front_) / cell_size_));
    return Color::Constant((a + b) % 2 == 0 ? 0.68f : 0.60f);
  }

  /// Computes the colour of a hit. `is_open` becomes false if something blocks the light.
  Color shade(const Hit& hit, const Vector3f& direction, int index, std::uint32_t seed, bool& is_open) const {
    const Color albedo = hit.kind == Hit::Kind::plane ? plane_color(hit.position) : hit.color;
    const Color sky = sky_light(hit, index, seed, is_open);
    const Vector3f to_sun = sample_sun(index, seed);
    const float cosine = hit.normal.dot(to_sun);
    if (cosine <= 0) return albedo.cwiseProduct(sky);
    const float sun = sun_visibility(hit, to_sun);
    is_open = is_open && sun == 1;
    // A faint highlight (Blinn-Phong) lets the eye read curvature.
    const Vector3f half = (to_sun - direction).normalized();
    const float gloss =
        hit.kind == Hit::Kind::plane ? 0 : 0.16f * std::pow(std::max(0.0f, half.dot(hit.normal)), 48.0f);
    return albedo.cwiseProduct(sky + sun * cosine * sun_color) + sun * gloss * sun_color;
  }

  Vector3f sample_sun(int index, std::uint32_t seed) const {
    const Vector2f u = sample_square(index, seed ^ 0x51ED270Bu);
    const Vector3f a = any_perpendicular(sun_), b = sun_.cross(a);
    const float radius = sun_radius * std::sqrt(u[0]), angle = 2 * pi * u[1];
    return (sun_ + radius * (std::cos(angle) * a + std::sin(angle) * b)).normalized();
  }

  float sun_visibility(const Hit& hit, const Vector3f& to_sun) const {
    const float length = shadow_length * size_;
    if (!geometry_.is_blocked(hit.shadow_origin, to_sun, length)) return 1;
    return geometry_.is_blocked_by_body(hit.shadow_origin, to_sun, length) ? 0 : obstacle_shadow;
  }

  /// Estimates the light of the sky from one cosine-weighted direction of the hemisphere.
  Color sky_light(const Hit& hit, int index, std::uint32_t seed, bool& is_open) const {
    const Vector2f u = sample_square(index, seed ^ 0xB5297A4Du);
    const Vector3f a = any_perpendicular(hit.normal), b = hit.normal.cross(a);
    const float radius = std::sqrt(u[0]), angle = 2 * pi * u[1];
    const Vector3f d = radius * (std::cos(angle) * a + std::sin(angle) * b) + std::sqrt(1 - u[0]) * hit.normal;
    if (drawing_.is_plane) return 0.8f * sky_color;
    // Far ground has nothing nearby that could shade it.
    const bool is_far = hit.kind == Hit::Kind::plane && hit.position.norm() > (0.6f + sky_reach) * size_;
    if (is_far) return bounce_color + (0.5f + 0.5f * d.dot(up_)) * (sky_color - bounce_color);
    if (geometry_.is_blocked(hit.shadow_origin, d, sky_reach * size_)) {
      is_open = false;
      return shaded_color;
    }
    return bounce_color + (0.5f + 0.5f * d.dot(up_)) * (sky_color - bounce_color);
  }

  const Drawing& drawing_;
  const Camera& camera_;
  TraceGeometry geometry_;
  float size_;
  Vector3f up_, side_, front_, sun_, origin_;
  float cell_size_;
};

}  // namespace

Image trace(const Drawing& drawing, const Camera& camera, const TraceOptions& options) {
  const Tracer tracer(drawing, camera);
  Image image(options.width, options.height);
  const int num_columns = (options.width + tile_size - 1) / tile_size;
  const int num_rows = (options.height + tile_size - 1) / tile_size;
  parallel_for(num_columns * num_rows, 1, [&](int tile) {
    const int x0 = tile % num_columns * tile_size, y0 = tile / num_columns * tile_size;
    for (int y = y0; y < std::min(options.height, y0 + tile_size); ++y) {
      for (int x = x0; x < std::min(options.width, x0 + tile_size); ++x) {
        const Color color = tracer.trace_pixel(x, y, options);
        for (int c = 0; c < 3; ++c) image.pixel(x, y)[c] = to_srgb(color[c]);
      }
    }
  });
  return image;
}

}  // namespace clearance::render
