// The geometry of a drawing in Embree, for ray queries.
#pragma once

#include <embree3/rtcore.h>

#include "clearance/render/drawing.h"

namespace clearance::render {

/// The first hit of a ray.
struct Hit {
  enum class Kind { none, body, obstacle, plane };
  Kind kind = Kind::none;
  float distance = 0;
  Eigen::Vector3f position = Eigen::Vector3f::Zero();
  Eigen::Vector3f normal = Eigen::Vector3f::UnitY();        ///< smooth normal, toward the viewer
  Eigen::Vector3f face_normal = Eigen::Vector3f::UnitY();   ///< normal of the face, toward the viewer
  Eigen::Vector3f shadow_origin = Eigen::Vector3f::Zero();  ///< start of rays to the lights
  Color color = Color::Ones();
};

class TraceGeometry {
 public:
  explicit TraceGeometry(const Drawing& drawing);
  ~TraceGeometry();
  TraceGeometry(const TraceGeometry&) = delete;
  TraceGeometry& operator=(const TraceGeometry&) = delete;

  Hit first_hit(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction) const;
  /// Returns the first hit of a body, ignoring obstacles and planes.
  Hit first_body_hit(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction) const;
  bool is_blocked(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction, float length) const;
  bool is_blocked_by_body(const Eigen::Vector3f& origin, const Eigen::Vector3f& direction, float length) const;

 private:
  void add_triangles(const DrawTriangles& triangles, unsigned id, bool is_body);
  void add_rods(const DrawRods& rods, unsigned id, bool is_body);
  void add_planes();
  void attach(RTCGeometry geometry, unsigned id, bool is_body, bool is_plane);
  Hit find_hit(RTCScene scene, const Eigen::Vector3f& origin, const Eigen::Vector3f& direction) const;
  void fill_triangle(const DrawTriangles& triangles, unsigned primitive, float u, float v, Hit& hit) const;

  const Drawing& drawing_;
  float offset_;  ///< [m] distance from a surface at which rays start, so that they do not hit it again
  RTCDevice device_;
  RTCScene seen_;    ///< all geometry
  RTCScene solid_;   ///< all geometry but the planes; casts shadows
  RTCScene bodies_;  ///< bodies, which are visible through obstacles
};

}  // namespace clearance::render
