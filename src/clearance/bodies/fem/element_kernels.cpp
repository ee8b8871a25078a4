#include "clearance/bodies/fem/element_kernels.h"

namespace clearance::element_kernels {

template Lanes pack_energy(const ElementSet<2>&, const ElementPack<2>&, const VecX&);
template Lanes pack_energy(const ElementSet<3>&, const ElementPack<3>&, const VecX&);
template void store_pack_forces(const ElementSet<2>&, const ElementPack<2>&, const VecX&, Lanes*);
template void store_pack_forces(const ElementSet<3>&, const ElementPack<3>&, const VecX&, Lanes*);
template void write_derivatives(const ElementSet<2>&, const ElementPack<2>&, const VecX&, bool, Lanes*,
                                const LaneTargets&);
template void write_derivatives(const ElementSet<3>&, const ElementPack<3>&, const VecX&, bool, Lanes*,
                                const LaneTargets&);
template void store_point_derivatives(const ElementPack<2>&, const ShapeGradients<2>&, const VecX&, bool, const Lanes&,
                                      SmallMatrix<Lanes, 2>*, Lanes*);
template void store_point_derivatives(const ElementPack<3>&, const ShapeGradients<3>&, const VecX&, bool, const Lanes&,
                                      SmallMatrix<Lanes, 3>*, Lanes*);
template void write_hessians(const ShapeGradients<2>&, std::size_t, const SmallMatrix<Lanes, 2>*,
                             std::vector<SmallMatrix<Lanes, 2>>&, const LaneTargets&);
template void write_hessians(const ShapeGradients<3>&, std::size_t, const SmallMatrix<Lanes, 3>*,
                             std::vector<SmallMatrix<Lanes, 3>>&, const LaneTargets&);

}  // namespace clearance::element_kernels
