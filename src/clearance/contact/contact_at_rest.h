// A contact formulation with what it knows of a surface at rest. It is made once for a surface (make_contact_at_rest)
// and belongs to the model; every contact model of that surface is made from it.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "clearance/contact/contact_model.h"

namespace clearance {

/// The gap between two bodies, or features of one, that repel each other at rest.
struct RestGap {
  double distance = infinity;          ///< [m]; infinity: there is none
  std::array<int, 2> bodies = {0, 0};  ///< ascending; -1 - half-space
};

/// The features of a part of a surface, in the order of the part. Some may be new, because elements have changed.
struct ContactPart {
  struct Feature {
    int like;                    ///< a vertex, edge or triangle of the whole surface, on the same body; -1: none
    std::optional<double> area;  ///< [m^2] (2D: [m]) share of the surface at rest; absent: as the one that it is like
  };
  std::vector<Feature> vertices;  ///< each is like one of the whole surface
  std::vector<Feature> edges, triangles;
};

/// Constant; its functions may be called from several threads.
class ContactAtRest {
 public:
  virtual ~ContactAtRest() = default;

  // The next two functions make the contact model of a surface in the plane and in space. `model` has the surface and
  // outlives the result.
  virtual std::unique_ptr<const ContactModel<2>> make_in_plane(const Model& model,
                                                               const BarrierOptions& barrier) const = 0;
  virtual std::unique_ptr<const ContactModel<3>> make_in_space(const Model& model,
                                                               const BarrierOptions& barrier) const = 0;

  /// Returns the same formulation for a part of the surface; remeshing solves problems of parts.
  virtual std::shared_ptr<const ContactAtRest> restricted_to(const ContactPart& part) const = 0;

  /// Returns the same formulation with `factor` times the activation distances that it keeps from rest; null if it
  /// keeps none.
  virtual std::shared_ptr<const ContactAtRest> narrowed(double /*factor*/) const { return nullptr; }

  /// Returns the stiffness per area [Pa] of each surface vertex; nothing if the formulation has none.
  virtual std::span<const double> moduli() const { return {}; }
  /// The closest features that repel each other at rest, if the formulation keeps others from doing so.
  virtual RestGap rest_gap() const { return {}; }
};

}  // namespace clearance
