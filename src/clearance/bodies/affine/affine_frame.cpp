#include "clearance/bodies/affine/affine_frame.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "clearance/geometry/mesh_mass.h"

namespace clearance {

namespace {

template <class Elements, class Visit>
void for_each_vertex_of(const Elements& elements, const Visit& visit) {
  for (const auto& element : elements) {
    for (const int v : element) visit(v);
  }
}

/// Calls visit(position) for the vertices of all elements, some of them repeatedly.
template <class Visit>
void for_each_used_position(const Mesh& mesh, const Visit& visit) {
  const auto visit_vertex = [&](int v) { visit(mesh.vertices[v]); };
  for_each_vertex_of(mesh.tets, visit_vertex);
  for_each_vertex_of(mesh.triangles, visit_vertex);
  for_each_vertex_of(mesh.edges, visit_vertex);
  for (const int v : mesh.points) visit_vertex(v);
}

/// Turns the axes p and q, by at most 45 degrees, to where the moment between them vanishes (Jacobi). A moment that is
/// hardly above rounding stays: the axes of a symmetric body must not be those of its rounding errors.
void rotate_pair(Mat<3>& moment, Mat<3>& axes, int p, int q) {
  constexpr double negligible = 1e-10;
  const double mixed = moment(p, q);
  if (std::abs(mixed) <= negligible * std::sqrt(std::abs(moment(p, p) * moment(q, q)))) return;
  // The smaller root of t^2 + 2 ratio t - 1 = 0 is the tangent of the angle.
  const double ratio = (moment(q, q) - moment(p, p)) / (2.0 * mixed);
  const double tangent = (ratio < 0.0 ? -1.0 : 1.0) / (std::abs(ratio) + std::sqrt(1.0 + ratio * ratio));
  const double cosine = 1.0 / std::sqrt(1.0 + tangent * tangent), sine = tangent * cosine;
  // Turn the moment and the axes alike.
  Mat<3> turn = Mat<3>::Identity();
  turn(p, p) = turn(q, q) = cosine;
  turn(p, q) = sine;
  turn(q, p) = -sine;
  moment = turn.transpose() * moment * turn;
  axes = axes * turn;
}

/// Returns right-handed axes in which the moment is diagonal up to rounding.
Mat<3> principal_axes(const Mat<3>& second_moment, int dim) {
  Mat<3> moment = second_moment, axes = Mat<3>::Identity();
  // The sweeps converge quadratically: four to five are enough.
  for (int sweep = 0; sweep < 12; ++sweep) {
    rotate_pair(moment, axes, 0, 1);
    if (dim == 2) continue;
    rotate_pair(moment, axes, 0, 2);
    rotate_pair(moment, axes, 1, 2);
  }
  return axes;
}

/// Returns the moments [kg m^2] along the axes. A body so flat that rounding hides its moment gets a moment as small.
Vec<3> moments_along(const Mat<3>& axes, const Mat<3>& second_moment, int dim) {
  Vec<3> moments = (axes.transpose() * second_moment * axes).diagonal();
  moments = moments.cwiseMax(1e-14 * moments.maxCoeff());
  if (dim == 2) moments[2] = 0.0;
  return moments;
}

}  // namespace

Result<AffineFrame> make_affine_frame(const Mesh& mesh, const StiffBodyOptions& options) {
  // Parts without volume get a thickness, a hundredth of the body's size unless it is given.
  BoundingBox box;
  for_each_used_position(mesh, [&](const Vec<3>& x) { box.extend(x); });
  const double size = box.diagonal();
  const double thickness = options.thickness.value_or(size > 0.0 ? 0.01 * size : options.point_thickness);

  const MeshMass mass = mass_of_mesh(mesh, thickness);
  const MassProperties& properties = mass.properties;
  if (!(properties.measure > 0.0) || !std::isfinite(properties.measure)) {
    return Issue{"", "", "", "a stiff body needs elements that have a volume, an area or a length", Severity::error};
  }

  AffineFrame frame;
  // Given values replace those of the shape; the second moment scales with the mass.
  frame.center = options.center.value_or(properties.center);
  frame.volume = properties.measure;
  frame.mass = options.mass.value_or(options.density * frame.volume);
  const Mat<3> second_moment =
      options.second_moment ? *options.second_moment : Mat<3>((frame.mass / frame.volume) * properties.second_moment);
  frame.axes = principal_axes(second_moment, mesh.dim);
  frame.second_moment = moments_along(frame.axes, second_moment, mesh.dim);

  // The radius is the largest distance of a vertex, and at least half the thickness of thin parts.
  for_each_used_position(
      mesh, [&](const Vec<3>& x) { frame.radius = std::max(frame.radius, (x - frame.center).squaredNorm()); });
  frame.radius = std::sqrt(frame.radius);
  if (mass.has_thin_parts) frame.radius = std::max(frame.radius, 0.5 * thickness);
  return frame;
}

template <int dim>
Vec<dim*(dim + 1)> affine_unknowns(const AffineFrame& frame) {
  Vec<dim*(dim + 1)> x;
  // At the start the columns are the principal axes times R.
  block<dim>(x, 0) = frame.center.head<dim>();
  for (int i = 0; i < dim; ++i) block<dim>(x, 1 + i) = frame.radius * frame.axes.col(i).template head<dim>();
  return x;
}

template <int dim>
Vec<dim*(dim + 1)> affine_velocities(const AffineFrame& frame, const Vec<3>& linear, const Vec<3>& angular) {
  const Vec<3> turning = dim == 2 ? Vec<3>(0.0, 0.0, angular[2]) : angular;
  Vec<dim*(dim + 1)> v;
  block<dim>(v, 0) = linear.head<dim>();
  for (int i = 0; i < dim; ++i) {
    block<dim>(v, 1 + i) = turning.cross(frame.radius * frame.axes.col(i)).template head<dim>();
  }
  return v;
}

template <int dim>
Vec<dim + 1> weights_of(const AffineFrame& frame, const Vec<3>& x) {
  Vec<dim + 1> weights;
  // The point is the centre plus its coordinates along the axes, in units of R.
  weights[0] = 1.0;
  weights.template tail<dim>() = (frame.axes.transpose() * (x - frame.center) / frame.radius).template head<dim>();
  return weights;
}

template <int dim>
Vec<dim + 1> block_masses(const AffineFrame& frame) {
  Vec<dim + 1> masses;
  // In principal axes the columns are not coupled: integral of density xi_i xi_j / R^2 is diagonal.
  masses[0] = frame.mass;
  masses.template tail<dim>() = frame.second_moment.head<dim>() / (frame.radius * frame.radius);
  return masses;
}

template Vec<6> affine_unknowns<2>(const AffineFrame&);
template Vec<12> affine_unknowns<3>(const AffineFrame&);
template Vec<6> affine_velocities<2>(const AffineFrame&, const Vec<3>&, const Vec<3>&);
template Vec<12> affine_velocities<3>(const AffineFrame&, const Vec<3>&, const Vec<3>&);
template Vec<3> weights_of<2>(const AffineFrame&, const Vec<3>&);
template Vec<4> weights_of<3>(const AffineFrame&, const Vec<3>&);
template Vec<3> block_masses<2>(const AffineFrame&);
template Vec<4> block_masses<3>(const AffineFrame&);

}  // namespace clearance
