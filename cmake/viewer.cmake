# The viewer of `clearance export`: one file of HTML, made from web/ by what its lockfile names. Without Node.js and npm, or
# without their registry at the first build, the program is built all the same, and `clearance export` says what is missing.
# Archives of releases bring web/viewer.html ready-made, which is taken then; remove it after changes in web/src.
set(viewer ${PROJECT_BINARY_DIR}/share/clearance/viewer.html)
set(viewer_licences ${PROJECT_BINARY_DIR}/share/clearance/viewer.licences.txt)
install(FILES ${viewer} ${viewer_licences} DESTINATION ${CMAKE_INSTALL_DATADIR}/clearance COMPONENT program OPTIONAL)
if(EXISTS ${PROJECT_SOURCE_DIR}/web/viewer.html)
  add_custom_command(OUTPUT ${viewer} ${viewer_licences}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/web/viewer.html ${viewer}
    COMMAND ${CMAKE_COMMAND} -E copy ${PROJECT_SOURCE_DIR}/web/viewer.licences.txt ${viewer_licences}
    DEPENDS ${PROJECT_SOURCE_DIR}/web/viewer.html ${PROJECT_SOURCE_DIR}/web/viewer.licences.txt VERBATIM)
  add_custom_target(viewer ALL DEPENDS ${viewer} ${viewer_licences})
  add_dependencies(clearance viewer)
  return()
endif()
find_program(CLEARANCE_NODE NAMES node nodejs)
find_program(CLEARANCE_NPM npm)
if(NOT CLEARANCE_NODE OR NOT CLEARANCE_NPM)
  message(STATUS "Node.js or npm not found: no viewer for `clearance export`")
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/src/* ${PROJECT_SOURCE_DIR}/web/*.json
  ${PROJECT_SOURCE_DIR}/web/.npmrc ${PROJECT_SOURCE_DIR}/web/build.mjs)
set(stamp ${PROJECT_BINARY_DIR}/viewer.stamp)
add_custom_command(OUTPUT ${stamp}
  COMMAND ${CMAKE_COMMAND} -D source=${PROJECT_SOURCE_DIR}/web -D folder=${PROJECT_BINARY_DIR}/web -D viewer=${viewer}
    -D stamp=${stamp} -D node=${CLEARANCE_NODE} -D npm=${CLEARANCE_NPM} -P ${PROJECT_SOURCE_DIR}/cmake/build_viewer.cmake
  DEPENDS ${sources} ${PROJECT_SOURCE_DIR}/cmake/build_viewer.cmake
  COMMENT "Building the viewer" VERBATIM)
add_custom_target(viewer ALL DEPENDS ${stamp})
# Whoever builds the program wants all that it can do.
add_dependencies(clearance viewer)
