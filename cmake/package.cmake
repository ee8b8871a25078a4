# What `cmake --install` writes beside the program: a package for find_package(clearance COMPONENTS ...), one library a
# component. The only component so far is `ccd`: collision detection without the simulator.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(clearance_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/clearance)

# One archive of the objects that collision detection needs, so that its users need Eigen, TBB and GMP only. Of geometry
# these are the distances and the intersection tests. tests/package links a program with it: nothing is missing.
# It is compiled with the flags of the preset: the portable ones, or those of this machine's processor.
set(geometry_objects "$<FILTER:$<TARGET_OBJECTS:clearance_geometry>,INCLUDE,/(distance|intersection)\\.cpp>")
add_library(clearance_package_ccd STATIC
  $<TARGET_OBJECTS:clearance_ccd> $<TARGET_OBJECTS:clearance_math> ${geometry_objects})
set_target_properties(clearance_package_ccd PROPERTIES EXPORT_NAME ccd OUTPUT_NAME clearance_ccd LINKER_LANGUAGE CXX
  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/package)
target_compile_features(clearance_package_ccd INTERFACE cxx_std_20)
target_link_libraries(clearance_package_ccd INTERFACE Eigen3::Eigen TBB::tbb GMP::GMP)

# Headers for users and what these include. They compute nothing in floating point, so that no flag of ours concerns
# those who include them.
set(clearance_ccd_headers math/types.h
  ccd/ccd.h ccd/query.h ccd/exact_ccd.h ccd/exact_query.h ccd/exact_time.h ccd/exact_polynomial.h)
list(TRANSFORM clearance_ccd_headers PREPEND ${PROJECT_SOURCE_DIR}/src/clearance/)
target_sources(clearance_package_ccd INTERFACE FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/src
  FILES ${clearance_ccd_headers})

install(TARGETS clearance_package_ccd EXPORT clearance_ccd
  ARCHIVE COMPONENT ccd
  FILE_SET HEADERS COMPONENT ccd
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT clearance_ccd NAMESPACE clearance:: FILE clearance_ccd.cmake COMPONENT ccd
  DESTINATION ${clearance_package_folder})
# Versions 0.x promise nothing to one another.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/clearanceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES cmake/clearanceConfig.cmake cmake/FindGMP.cmake ${PROJECT_BINARY_DIR}/package/clearanceConfigVersion.cmake
  COMPONENT ccd DESTINATION ${clearance_package_folder})
