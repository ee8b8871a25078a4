# Libraries without a CMake package of their own: clearance_cholmod and clearance_muparser. An installed Clearance brings
# this file.
function(clearance_imported_library name header)
  if(TARGET ${name})
    return()
  endif()
  find_path(${name}_INCLUDE_DIR ${header} PATH_SUFFIXES suitesparse REQUIRED)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  # Headers of libraries are not ours to warn about.
  target_include_directories(${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
  foreach(library IN LISTS ARGN)
    find_library(${name}_${library} ${library} REQUIRED)
    target_link_libraries(${name} INTERFACE ${${name}_${library}})
  endforeach()
endfunction()

# Of CHOLMOD only ordering and symbolic factorisation are used: no BLAS of our choice is needed.
clearance_imported_library(clearance_cholmod cholmod.h cholmod metis)
clearance_imported_library(clearance_muparser muParser.h muparser)
