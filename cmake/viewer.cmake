# The viewer of `clearance export`: one file of HTML, made from web/ by what its lockfile names. Without Node.js and npm, or
# without their registry at the first build, the program is built all the same, and `clearance export` says what is missing.
find_program(CLEARANCE_NODE NAMES node nodejs)
find_program(CLEARANCE_NPM npm)
if(NOT CLEARANCE_NODE OR NOT CLEARANCE_NPM)
  message(STATUS "Node.js or npm not found: no viewer for `clearance export`")
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/* ${PROJECT_SOURCE_DIR}/web/*.json
  ${PROJECT_SOURCE_DIR}/web/.npmrc ${PROJECT_SOURCE_DIR}/web/build.mjs)
set(stamp ${PROJECT_BINARY_DIR}/viewer.stamp)
set(viewer ${PROJECT_BINARY_DIR}/share/clearance/viewer.html)
add_custom_command(OUTPUT ${stamp}
  COMMAND ${CMAKE_COMMAND} -D source=${PROJECT_SOURCE_DIR}/web -D folder=${PROJECT_BINARY_DIR}/web -D viewer=${viewer}
    -D stamp=${stamp} -D node=${CLEARANCE_NODE} -D npm=${CLEARANCE_NPM} -P ${PROJECT_SOURCE_DIR}/cmake/build_viewer.cmake
  DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/build_viewer.cmake
  COMMENT "Building the viewer" VERBATIM)
add_custom_target(viewer ALL DEPENDS ${stamp})
# Whoever builds the program wants all that it can do.
add_dependencies(clearance viewer)
install(FILES ${viewer} DESTINATION ${CMAKE_INSTALL_DATADIR}/clearance COMPONENT program OPTIONAL)
