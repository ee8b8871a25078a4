# clearance-mpi: the program whose linear systems PETSc solves on all processes of mpirun. Without PETSc and MPI it is not
# built, and `linear_solver: petsc` is refused.
find_package(MPI QUIET COMPONENTS CXX)
pkg_check_modules(PETSC QUIET IMPORTED_TARGET PETSc>=3.18)
if(NOT PETSC_FOUND OR NOT MPI_CXX_FOUND)
  message(STATUS "PETSc not found: no clearance-mpi; apt-get install libpetsc-real-dev")
  return()
endif()
# PETSc brings the HDF5 that was built for MPI, which must not meet the other one: this program reads files by it, too.
find_library(CLEARANCE_MPI_HDF5 hdf5_openmpi PATH_SUFFIXES hdf5/openmpi)
mark_as_advanced(CLEARANCE_MPI_HDF5)
if(NOT CLEARANCE_MPI_HDF5)
  message(STATUS "the HDF5 of PETSc not found: no clearance-mpi; apt-get install libhdf5-openmpi-dev")
  return()
endif()
set_property(TARGET clearance_hdf5 PROPERTY INTERFACE_LINK_LIBRARIES
  "$<IF:$<BOOL:$<TARGET_PROPERTY:CLEARANCE_MPI>>,${CLEARANCE_MPI_HDF5},${clearance_hdf5_hdf5}>")

# Their headers are not ours to warn about, and of MPI the interface of C is enough.
add_library(clearance_petsc INTERFACE)
target_include_directories(clearance_petsc SYSTEM INTERFACE ${PETSC_INCLUDE_DIRS} ${MPI_CXX_INCLUDE_DIRS})
target_link_libraries(clearance_petsc INTERFACE ${PETSC_LINK_LIBRARIES} MPI::MPI_CXX)
target_compile_definitions(clearance_petsc INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)

# Everything but main.cpp is a library, so that tests can call it.
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/apps/mpi/*.cpp)
list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/apps/mpi/main.cpp)
clearance_libraries(clearance_mpi ONCE SOURCES ${sources} DEPENDS cli EXTERNAL clearance_petsc)
foreach(suffix IN ITEMS "" ${clearance_variants})
  add_executable(clearance-mpi${suffix} ${PROJECT_SOURCE_DIR}/src/apps/mpi/main.cpp)
  clearance_set_flags(clearance-mpi${suffix} "_once")
  target_link_libraries(clearance-mpi${suffix} PRIVATE clearance_mpi${suffix})
  set_target_properties(clearance-mpi${suffix} PROPERTIES CLEARANCE_MPI ON)
  # Not among what is installed and packaged by itself: it needs PETSc and MPI.
  install(TARGETS clearance-mpi${suffix} COMPONENT mpi)
endforeach()
if(CLEARANCE_DISPATCH)
  target_compile_definitions(clearance-mpi PRIVATE CLEARANCE_DISPATCH)
  add_dependencies(clearance-mpi clearance-mpi_v3)
  set_target_properties(clearance-mpi_v3 PROPERTIES OUTPUT_NAME clearance-mpi-v3)
endif()
# Whoever builds the program wants all that it can do.
add_dependencies(clearance clearance-mpi)
