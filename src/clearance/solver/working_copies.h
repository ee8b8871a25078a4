// A workspace's own copies of what a model is evaluated with: they have scratch, and snapshots of the step under way.
#pragma once

#include <memory>
#include <vector>

#include "clearance/contact/contact_hessians.h"
#include "clearance/contact/contact_model.h"
#include "clearance/model/model.h"

namespace clearance {

template <int dim>
struct WorkingCopies {
  WorkingCopies(const Model& model, std::unique_ptr<const ContactModel<dim>> contacts)
      : contact_model(std::move(contacts)) {
    for (const auto& potential : model.potentials) potentials.push_back(potential->clone());
    if (model.consistent_mass) consistent_mass = model.consistent_mass->clone();
  }
  std::vector<std::unique_ptr<Potential>> potentials;  ///< as in the model
  std::unique_ptr<MassOperator> consistent_mass;       ///< null where the model has none
  std::unique_ptr<const ContactModel<dim>> contact_model;
  /// Plans of the Hessians of the last step; contacts often stay the same.
  std::shared_ptr<ContactHessians<dim>> contact_hessians = std::make_shared<ContactHessians<dim>>();
  std::shared_ptr<ContactHessians<dim>> friction_hessians = std::make_shared<ContactHessians<dim>>();
};

}  // namespace clearance
