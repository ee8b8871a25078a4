#include "clearance/contact/make_contact_model.h"

#include "clearance/contact/convergent_contact_model.h"
#include "clearance/contact/gcp_contact_model.h"
#include "clearance/contact/ipc_contact_model.h"

namespace clearance {

template <int dim>
std::unique_ptr<const ContactModel<dim>> make_contact_model(const Model& model, const BarrierOptions& barrier,
                                                            const FormulationOptions& formulation) {
  if (formulation.orientation) {
    return std::make_unique<const GcpContactModel<dim>>(model, barrier, *formulation.orientation);
  }
  if (formulation.is_plain()) return std::make_unique<const IpcContactModel<dim>>(model, barrier);
  return std::make_unique<const ConvergentContactModel<dim>>(model, barrier, formulation);
}

template std::unique_ptr<const ContactModel<2>> make_contact_model<2>(const Model&, const BarrierOptions&,
                                                                      const FormulationOptions&);
template std::unique_ptr<const ContactModel<3>> make_contact_model<3>(const Model&, const BarrierOptions&,
                                                                      const FormulationOptions&);

}  // namespace clearance
