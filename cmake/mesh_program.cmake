# clearance-mesh, the only program that uses CGAL: its meshing is under the GPL, and so is what is linked with it. Without
# CGAL it is not built, and `clearance mesh` says so.
set(CGAL_DO_NOT_WARN_ABOUT_CMAKE_BUILD_TYPE ON)
find_package(CGAL 5.5 QUIET)
if(NOT CGAL_FOUND)
  message(STATUS "CGAL not found: bare surfaces cannot be meshed; ./dev deps installs it")
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/apps/mesh/*.cpp)
add_executable(clearance-mesh ${sources})
target_link_libraries(clearance-mesh PRIVATE clearance_meshing CLI11::CLI11 CGAL::CGAL GMP::GMP)
clearance_set_flags(clearance-mesh "_once")
install(TARGETS clearance-mesh COMPONENT mesh)
# Whoever builds the program wants all that it can do.
add_dependencies(clearance clearance-mesh)
