#include "clearance/render/geometry.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "clearance/render/camera.h"

namespace clearance::render {
namespace {

using Eigen::Vector3f;

// Geometry ids, the same in all three Embree scenes. The points among the rods have the id of the rods plus one.
enum Id : unsigned { body_triangles = 0, obstacle_triangles = 1, planes = 2, body_rods = 4, obstacle_rods = 6 };

// Half the width of drawn edges, in sizes of the scene, and its largest share of the smallest height of a triangle.
constexpr float edge_width = 0.0008f, largest_edge_share = 0.08f;
constexpr float edge_shade = 0.3f;  ///< brightness of an edge relative to the colour beside it

/// half the side of a drawn plane, in sizes of the scene; the plane fades out long before
constexpr float plane_extent = 30;

template <class T>
T* new_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format, std::size_t count) {
  return static_cast<T*>(rtcSetNewGeometryBuffer(geometry, type, 0, format, sizeof(T), count));
}

bool is_point(const std::array<Vector3f, 2>& ends) {
  return ends[0] == ends[1];
}

RTCRay make_ray(const Vector3f& origin, const Vector3f& direction, float length) {
  RTCRay ray{};
  ray.org_x = origin[0], ray.org_y = origin[1], ray.org_z = origin[2];
  ray.dir_x = direction[0], ray.dir_y = direction[1], ray.dir_z = direction[2];
  ray.tfar = length;
  ray.mask = ~0u;
  return ray;
}

bool is_occluded(RTCScene scene, const Vector3f& origin, const Vector3f& direction, float length) {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRay ray = make_ray(origin, direction, length);
  rtcOccluded1(scene, &context, &ray);
  return ray.tfar < 0;
}

/// True if a point of a triangle lies on a drawn edge. `weight` holds the barycentric coordinates of the point.
bool is_at_edge(const std::array<Vector3f, 3>& x, const std::array<float, 3>& weight, float size) {
  const float twice_area = (x[1] - x[0]).cross(x[2] - x[0]).norm();
  std::array<float, 3> length{};  // length of the edge opposite to each corner
  for (std::size_t i = 0; i < 3; ++i) length[i] = (x[(i + 2) % 3] - x[(i + 1) % 3]).norm();
  const float longest = *std::max_element(length.begin(), length.end());
  const float width = std::min(edge_width * size, largest_edge_share * twice_area / longest);
  for (std::size_t i = 0; i < 3; ++i) {
    if (weight[i] * twice_area < width * length[i]) return true;
  }
  return false;
}

}  // namespace

TraceGeometry::TraceGeometry(const Drawing& drawing)
    : drawing_(drawing),
      offset_(static_cast<float>(2e-5 * drawing.size)),
      device_(rtcNewDevice(nullptr)),
      seen_(rtcNewScene(device_)),
      solid_(rtcNewScene(device_)),
      bodies_(rtcNewScene(device_)) {
  for (RTCScene scene : {seen_, solid_, bodies_}) rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
  add_triangles(drawing.bodies, body_triangles, true);
  add_triangles(drawing.obstacles, obstacle_triangles, false);
  add_rods(drawing.body_rods, body_rods, true);
  add_rods(drawing.obstacle_rods, obstacle_rods, false);
  if (!drawing.is_plane) add_planes();
  for (RTCScene scene : {seen_, solid_, bodies_}) rtcCommitScene(scene);
}

TraceGeometry::~TraceGeometry() {
  for (RTCScene scene : {seen_, solid_, bodies_}) rtcReleaseScene(scene);
  rtcReleaseDevice(device_);
}

void TraceGeometry::attach(RTCGeometry geometry, unsigned id, bool is_body, bool is_plane) {
  rtcCommitGeometry(geometry);
  rtcAttachGeometryByID(seen_, geometry, id);
  if (!is_plane) rtcAttachGeometryByID(solid_, geometry, id);
  if (is_body) rtcAttachGeometryByID(bodies_, geometry, id);
  rtcReleaseGeometry(geometry);
}

void TraceGeometry::add_triangles(const DrawTriangles& triangles, unsigned id, bool is_body) {
  if (triangles.indices.empty()) return;
  RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices =
      new_buffer<std::array<float, 3>>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, triangles.vertices.size());
  for (std::size_t i = 0; i < triangles.vertices.size(); ++i) {
    vertices[i] = {triangles.vertices[i][0], triangles.vertices[i][1], triangles.vertices[i][2]};
  }
  auto* indices =
      new_buffer<std::array<unsigned, 3>>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, triangles.indices.size());
  std::copy(triangles.indices.begin(), triangles.indices.end(), indices);
  attach(geometry, id, is_body, false);
}

void TraceGeometry::add_rods(const DrawRods& rods, unsigned id, bool is_body) {
  if (rods.ends.empty()) return;
  // Two geometries share the primitive numbers, so that a hit finds its colour. Spheres have radius zero in the
  // geometry of rods, and rods have radius zero in the geometry of spheres.
  RTCGeometry lines = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_ROUND_LINEAR_CURVE);
  RTCGeometry points = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_SPHERE_POINT);
  auto* ends = new_buffer<std::array<float, 4>>(lines, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, 2 * rods.ends.size());
  auto* first = new_buffer<unsigned>(lines, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT, rods.ends.size());
  auto* centers = new_buffer<std::array<float, 4>>(points, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, rods.ends.size());
  for (std::size_t i = 0; i < rods.ends.size(); ++i) {
    const bool is_sphere = is_point(rods.ends[i]);
    const float rod_radius = is_sphere ? 0 : rods.radius_of(i);
    for (std::size_t end : {0, 1}) {
      const Vector3f& p = rods.ends[i][end];
      ends[2 * i + end] = {p[0], p[1], p[2], rod_radius};
    }
    first[i] = static_cast<unsigned>(2 * i);
    const Vector3f& p = rods.ends[i][0];
    // Points without a size of their own are drawn a little larger than lines.
    const float sphere_radius = rods.radii[i] > 0 ? rods.radii[i] : 1.6f * rods.radius;
    centers[i] = {p[0], p[1], p[2], is_sphere ? sphere_radius : 0};
  }
  attach(lines, id, is_body, false);
  attach(points, id + 1, is_body, false);
}

void TraceGeometry::add_planes() {
  const std::size_t count = drawing_.planes.size();
  if (count == 0) return;
  RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_QUAD);
  auto* vertices = new_buffer<std::array<float, 3>>(geometry, RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, 4 * count);
  auto* indices = new_buffer<std::array<unsigned, 4>>(geometry, RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT4, count);
  for (unsigned i = 0; i < count; ++i) {
    const DrawPlane& plane = drawing_.planes[i];
    Vec<3> side, front;
    complete_basis(plane.normal, side, front);
    const Vec<3> center = -plane.normal * plane.normal.dot(drawing_.origin - plane.point);
    const double extent = plane_extent * drawing_.size;
    for (unsigned k = 0; k < 4; ++k) {
      const Vec<3> corner = center + extent * ((k == 1 || k == 2 ? 1 : -1) * side + (k >= 2 ? 1 : -1) * front);
      for (int c = 0; c < 3; ++c) vertices[4 * i + k][c] = static_cast<float>(corner[c]);
      indices[i][k] = 4 * i + k;
    }
  }
  attach(geometry, planes, false, true);
}

void TraceGeometry::fill_triangle(const DrawTriangles& triangles, unsigned primitive, float u, float v,
                                  Hit& hit) const {
  const auto& index = triangles.indices[primitive];
  const std::array<float, 3> weight = {1 - u - v, u, v};
  Vector3f normal = Vector3f::Zero();
  hit.color.setZero();
  hit.position.setZero();
  for (int i = 0; i < 3; ++i) {
    normal += weight[i] * triangles.corner_normals[3 * primitive + i];
    hit.color += weight[i] * triangles.vertex_colors[index[i]];
    hit.position += weight[i] * triangles.vertices[index[i]];
  }
  const auto x = [&](int i) { return triangles.vertices[index[i]]; };
  if (primitive < triangles.num_edged && is_at_edge({x(0), x(1), x(2)}, weight, static_cast<float>(drawing_.size))) {
    hit.color *= edge_shade;
  }
  const float facing = hit.face_normal.dot(normal) < 0 ? -1.0f : 1.0f;
  hit.normal = (facing * normal).normalized();

  // By [Han21] shadow rays start on the rounded surface that the smooth normals suggest. Otherwise flat faces would
  // shade themselves at grazing light.
  hit.shadow_origin.setZero();
  for (int i = 0; i < 3; ++i) {
    const Vector3f n = facing * triangles.corner_normals[3 * primitive + i];
    const Vector3f d = hit.position - triangles.vertices[index[i]];
    hit.shadow_origin += weight[i] * (hit.position - std::min(0.0f, d.dot(n)) * n);
  }
  hit.shadow_origin += offset_ * hit.face_normal;
}

Hit TraceGeometry::find_hit(RTCScene scene, const Vector3f& origin, const Vector3f& direction) const {
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  RTCRayHit query{};
  query.ray = make_ray(origin, direction, std::numeric_limits<float>::infinity());
  query.hit.geomID = query.hit.instID[0] = RTC_INVALID_GEOMETRY_ID;
  rtcIntersect1(scene, &context, &query);

  Hit hit;
  const unsigned id = query.hit.geomID, primitive = query.hit.primID;
  if (id == RTC_INVALID_GEOMETRY_ID) return hit;
  hit.distance = query.ray.tfar;
  hit.position = origin + query.ray.tfar * direction;
  hit.face_normal = Vector3f(query.hit.Ng_x, query.hit.Ng_y, query.hit.Ng_z).normalized();
  if (hit.face_normal.dot(direction) > 0) hit.face_normal = -hit.face_normal;
  hit.normal = hit.face_normal;
  hit.shadow_origin = hit.position + offset_ * hit.face_normal;
  if (id == body_triangles) {
    hit.kind = Hit::Kind::body;
    fill_triangle(drawing_.bodies, primitive, query.hit.u, query.hit.v, hit);
  } else if (id == obstacle_triangles) {
    hit.kind = Hit::Kind::obstacle;
    fill_triangle(drawing_.obstacles, primitive, query.hit.u, query.hit.v, hit);
  } else if (id == planes) {
    hit.kind = Hit::Kind::plane;
  } else {
    const bool is_body = id == body_rods || id == body_rods + 1;
    hit.kind = is_body ? Hit::Kind::body : Hit::Kind::obstacle;
    hit.color = (is_body ? drawing_.body_rods : drawing_.obstacle_rods).colors[primitive];
  }
  return hit;
}

Hit TraceGeometry::first_hit(const Vector3f& origin, const Vector3f& direction) const {
  return find_hit(seen_, origin, direction);
}
Hit TraceGeometry::first_body_hit(const Vector3f& origin, const Vector3f& direction) const {
  return find_hit(bodies_, origin, direction);
}
bool TraceGeometry::is_blocked(const Vector3f& origin, const Vector3f& direction, float length) const {
  return is_occluded(solid_, origin, direction, length);
}
bool TraceGeometry::is_blocked_by_body(const Vector3f& origin, const Vector3f& direction, float length) const {
  return is_occluded(bodies_, origin, direction, length);
}

}  // namespace clearance::render
