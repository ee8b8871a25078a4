#include "clearance/sparse/external_solver.h"

#include <optional>
#include <utility>

namespace clearance {

namespace {

std::optional<PetscProvider>& provided() {
  static std::optional<PetscProvider> provider;
  return provider;
}

}  // namespace

void provide_petsc(PetscProvider provider) {
  provided() = std::move(provider);
}

const PetscProvider* petsc_provider() {
  return provided() ? &*provided() : nullptr;
}

}  // namespace clearance
