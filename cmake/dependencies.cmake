# Everything comes from Debian 12 packages; `./dev deps` installs them.
find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(embree 3 REQUIRED)
add_library(clearance_embree INTERFACE IMPORTED GLOBAL)
target_include_directories(clearance_embree SYSTEM INTERFACE ${EMBREE_INCLUDE_DIRS})
target_link_libraries(clearance_embree INTERFACE ${EMBREE_LIBRARY})
find_package(PkgConfig REQUIRED)

# Headers of libraries are not ours to warn about.
function(clearance_imported_library name header)
  find_path(${name}_INCLUDE_DIR ${header} PATH_SUFFIXES suitesparse REQUIRED)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
  foreach(library IN LISTS ARGN)
    find_library(${name}_${library} ${library} REQUIRED)
    target_link_libraries(${name} INTERFACE ${${name}_${library}})
  endforeach()
endfunction()

# Of CHOLMOD only ordering and symbolic factorisation are used: no BLAS of our choice is needed.
clearance_imported_library(clearance_cholmod cholmod.h cholmod metis)
clearance_imported_library(GMP::GMP gmpxx.h gmpxx gmp)
