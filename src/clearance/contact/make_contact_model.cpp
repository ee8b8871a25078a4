#include "clearance/contact/make_contact_model.h"

#include "clearance/contact/convergent_at_rest.h"
#include "clearance/contact/gcp_at_rest.h"
#include "clearance/contact/ipc_contact_model.h"

namespace clearance {

namespace {

// One function for each alternative of ContactOptions.

/// Without any part of the convergent formulation there is nothing to know.
std::shared_ptr<const ContactAtRest> at_rest(const SurfaceAtRest& rest, const ConvergentOptions& options) {
  if (options.is_plain()) return nullptr;
  return std::make_shared<const ConvergentAtRest>(options, rest);
}

std::shared_ptr<const ContactAtRest> at_rest(const SurfaceAtRest& rest, const IpcOptions& options) {
  return at_rest(rest,
                 ConvergentOptions{options.has_areas(), options.has_improved_max(), options.has_physical_barrier()});
}

std::shared_ptr<const ContactAtRest> at_rest(const SurfaceAtRest& rest, const GcpOptions& options) {
  return std::make_shared<const GcpAtRest>(rest.dim(), options, find_gcp_rest(rest, options));
}

}  // namespace

std::shared_ptr<const ContactAtRest> make_contact_at_rest(const SurfaceAtRest& rest, const ContactOptions& options) {
  return std::visit([&](const auto& chosen) { return at_rest(rest, chosen); }, options);
}

template <int dim>
std::unique_ptr<const ContactModel<dim>> make_contact_model(const Model& model, const BarrierOptions& barrier) {
  if (!model.contact_at_rest) return std::make_unique<const IpcContactModel<dim>>(model, barrier);
  if constexpr (dim == 2) {
    return model.contact_at_rest->make_in_plane(model, barrier);
  } else {
    return model.contact_at_rest->make_in_space(model, barrier);
  }
}

template std::unique_ptr<const ContactModel<2>> make_contact_model<2>(const Model&, const BarrierOptions&);
template std::unique_ptr<const ContactModel<3>> make_contact_model<3>(const Model&, const BarrierOptions&);

}  // namespace clearance
