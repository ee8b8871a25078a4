#include "clearance/solver/near_candidates.h"

#include <utility>

#include "clearance/broad_phase/device_culling.h"

namespace clearance {

template <int dim>
SweptCandidates measure_near_candidates(const StepInputs<dim>& in, const SurfacePath& path, Candidates pairs) {
  const SurfaceTopology& surface = in.model.surface;
  DeviceCulling* culling = culling_of(in.broad_phase);
  const bool is_culling =
      culling != nullptr && pairs.is_complete && in.options.ccd == CcdMethod::clearance && !in.hooks.on_ccd_query;
  if (!is_culling) return measure_candidates<dim>(surface, path, std::move(pairs));
  const CullingBounds bounds{in.copies.contact_model->activation_distance(), in.options.barrier.min_separation,
                             in.options.gap_fraction};
  DeviceUse& use = culling->use();
  return answer(
      use, use.culling, pairs.size(), [&] { return measure_candidates<dim>(surface, path, pairs); },
      [&]() -> std::optional<SweptCandidates> {
        std::optional<Candidates> rest = culling->without_distant(pairs, path.x_t0, path.x_t1, path.deviation, bounds);
        if (!rest) return std::nullopt;
        return measure_candidates<dim>(surface, path, *std::move(rest));
      });
}

template SweptCandidates measure_near_candidates<2>(const StepInputs<2>&, const SurfacePath&, Candidates);
template SweptCandidates measure_near_candidates<3>(const StepInputs<3>&, const SurfacePath&, Candidates);

}  // namespace clearance
