# Libraries without a CMake package of their own, or with one that asks for a C compiler: clearance_cholmod,
# clearance_hdf5 and clearance_muparser. An installed Clearance brings this file; clearance_missing_libraries names what
# was not found.
set(clearance_missing_libraries)
function(clearance_imported_library name header)
  if(TARGET ${name})
    return()
  endif()
  find_path(${name}_INCLUDE_DIR ${header} PATH_SUFFIXES suitesparse hdf5/serial)
  set(found ${name}_INCLUDE_DIR)
  foreach(library IN LISTS ARGN)
    find_library(${name}_${library} ${library} PATH_SUFFIXES hdf5/serial)
    list(APPEND found ${name}_${library})
  endforeach()
  foreach(variable IN LISTS found)
    if(NOT ${variable})
      set(clearance_missing_libraries ${clearance_missing_libraries} ${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  # Headers of libraries are not ours to warn about.
  target_include_directories(${name} SYSTEM INTERFACE ${${name}_INCLUDE_DIR})
  foreach(library IN LISTS ARGN)
    target_link_libraries(${name} INTERFACE ${${name}_${library}})
  endforeach()
endfunction()

# Of CHOLMOD only ordering and symbolic factorisation are used: no BLAS of our choice is needed.
clearance_imported_library(clearance_cholmod cholmod.h cholmod metis)
clearance_imported_library(clearance_hdf5 hdf5.h hdf5)
clearance_imported_library(clearance_muparser muParser.h muparser)
