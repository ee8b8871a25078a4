# GMP::GMP, the C++ interface of GMP with the C library under it. GMP brings no CMake package of its own; an installed
# Clearance brings this file.
find_path(GMP_INCLUDE_DIR gmpxx.h)
find_library(GMP_CXX_LIBRARY gmpxx)
find_library(GMP_LIBRARY gmp)
mark_as_advanced(GMP_INCLUDE_DIR GMP_CXX_LIBRARY GMP_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(GMP DEFAULT_MSG GMP_LIBRARY GMP_CXX_LIBRARY GMP_INCLUDE_DIR)

if(GMP_FOUND AND NOT TARGET GMP::GMP)
  add_library(GMP::GMP INTERFACE IMPORTED)
  set_target_properties(GMP::GMP PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${GMP_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${GMP_CXX_LIBRARY};${GMP_LIBRARY}")
endif()
