# What `cmake --install` writes beside the program: a package for find_package(clearance COMPONENTS ...), one library a
# component: `ccd`, collision detection without the simulator, and `simulation`, which is linked with it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(clearance_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/clearance)

# clearance_component(name OBJECTS objects... LIBRARIES targets... HEADERS headers...)
#   One archive of these objects with the libraries that its users need, and headers: those for users and what these
#   include. They compute next to nothing in floating point, so that no flag of ours concerns those who include them.
#   tests/package links a program with the whole archive: nothing is missing.
function(clearance_component name)
  cmake_parse_arguments(arg "" "" "OBJECTS;LIBRARIES;HEADERS" ${ARGN})
  set(target clearance_package_${name})
  add_library(${target} STATIC ${arg_OBJECTS})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} OUTPUT_NAME clearance_${name} LINKER_LANGUAGE CXX
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/package)
  target_compile_features(${target} INTERFACE cxx_std_20)
  target_link_libraries(${target} INTERFACE ${arg_LIBRARIES})
  list(TRANSFORM arg_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/src/clearance/)
  target_sources(${target} INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src FILES ${arg_HEADERS})
  install(TARGETS ${target} EXPORT clearance_${name}
    ARCHIVE COMPONENT ${name}
    FILE_SET HEADERS COMPONENT ${name}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT clearance_${name} NAMESPACE clearance:: FILE clearance_${name}.cmake COMPONENT ${name}
    DESTINATION ${clearance_package_folder})
endfunction()

# Of base and geometry, collision detection needs stops within loops, the distances and the intersection tests. So its
# users need Eigen, TBB and GMP only. Everything is compiled with the flags of the preset: the portable ones, or those of
# this machine's processor.
set(clearance_ccd_geometry "$<FILTER:$<TARGET_OBJECTS:clearance_geometry>,INCLUDE,/(distance|intersection)\\.cpp>")
set(clearance_ccd_base "$<FILTER:$<TARGET_OBJECTS:clearance_base>,INCLUDE,/stop\\.cpp>")
clearance_component(ccd
  OBJECTS $<TARGET_OBJECTS:clearance_ccd> $<TARGET_OBJECTS:clearance_math> ${clearance_ccd_geometry} ${clearance_ccd_base}
  LIBRARIES Eigen3::Eigen TBB::tbb GMP::GMP
  HEADERS base/methods.h math/types.h
    ccd/ccd.h ccd/ccd_options.h ccd/ccd_result.h ccd/query.h
    ccd/exact_ccd.h ccd/exact_query.h ccd/exact_time.h ccd/exact_polynomial.h)

# Versions 0.x promise nothing to one another.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/clearanceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/clearanceConfig.cmake cmake/FindGMP.cmake ${PROJECT_BINARY_DIR}/package/clearanceConfigVersion.cmake
  COMPONENT ccd DESTINATION ${clearance_package_folder})
if(CLEARANCE_CCD_ONLY)
  return()
endif()

set(clearance_simulation_objects
  "$<FILTER:$<TARGET_OBJECTS:clearance_geometry>,EXCLUDE,/(distance|intersection)\\.cpp>"
  "$<FILTER:$<TARGET_OBJECTS:clearance_base>,EXCLUDE,/stop\\.cpp>")
foreach(module IN ITEMS device sparse model broad_phase bodies_fem bodies_affine bodies_shell bodies_rod bodies_links contact solver remesh scene io_files io_mesh meshing io_ipc io_rigid_ipc io_polyfem io_abaqus io_robot io io_result
    simulation_load simulation_build simulation_start simulation_watches simulation_output simulation_stiffness simulation_adapt
    simulation_stepping simulation_overlaps simulation_hints simulation)
  list(APPEND clearance_simulation_objects $<TARGET_OBJECTS:clearance_${module}>)
endforeach()
clearance_component(simulation
  OBJECTS ${clearance_simulation_objects}
  LIBRARIES clearance_package_ccd fmt::fmt spdlog::spdlog ZLIB::ZLIB clearance_cholmod clearance_hdf5 clearance_muparser
  HEADERS base/contact_options.h base/log.h base/parallel.h base/profile.h base/result.h base/stop.h base/unit_system.h bodies/affine/joint_state.h model/stiff_strain.h
    geometry/lagrange.h geometry/mesh.h
    io/result/energy_monitor.h io/result/folder_claim.h io/result/pvd.h io/result/result_files.h scene/loaded_scene.h io/scene_reader.h io/mesh/vtu.h
    scene/body_shapes.h scene/scene.h scene/validate.h
    simulation/run.h simulation/simulation.h
    simulation/build/joint_strain.h simulation/hints/body_facts.h simulation/load/hint.h simulation/output/discretisation_error.h simulation/output/probe_row.h simulation/output/soft_holds.h simulation/overlaps/separate_overlaps.h
    simulation/overlaps/separation.h simulation/start/start_overlap.h simulation/stepping/body_view.h simulation/stepping/contact_pair.h
    simulation/watches/coarse_motion.h simulation/watches/curved_distance.h simulation/watches/large_rotation.h
    solver/energy_account.h solver/report.h solver/step_forces.h solver/step_status.h)
# Its headers hand over Eigen's objects, which lie and are freed as Eigen is told here; users who compile for AVX without it
# would free what they do not own.
target_compile_definitions(clearance_package_simulation INTERFACE EIGEN_DONT_VECTORIZE)
install(FILES cmake/imported_libraries.cmake COMPONENT simulation DESTINATION ${clearance_package_folder})
