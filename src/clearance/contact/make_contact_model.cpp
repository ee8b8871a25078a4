#include "clearance/contact/make_contact_model.h"

#include "clearance/contact/convergent_contact_model.h"
#include "clearance/contact/ipc_contact_model.h"

namespace clearance {

template <int dim>
std::unique_ptr<const ContactModel<dim>> make_contact_model(const Model& model, const BarrierOptions& barrier,
                                                            const ContactWeighting& weighting) {
  if (weighting.is_plain()) return std::make_unique<const IpcContactModel<dim>>(model, barrier);
  return std::make_unique<const ConvergentContactModel<dim>>(model, barrier, weighting);
}

template std::unique_ptr<const ContactModel<2>> make_contact_model<2>(const Model&, const BarrierOptions&,
                                                                      const ContactWeighting&);
template std::unique_ptr<const ContactModel<3>> make_contact_model<3>(const Model&, const BarrierOptions&,
                                                                      const ContactWeighting&);

}  // namespace clearance
