# The script that `clearance export` writes beside point caches, as a part of the program.
set(script ${PROJECT_SOURCE_DIR}/src/clearance/exchange/blender_import.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
file(READ ${script} text)
configure_file(${PROJECT_SOURCE_DIR}/src/clearance/exchange/blender_script.cpp.in
  ${PROJECT_BINARY_DIR}/generated/blender_script.cpp @ONLY)
target_sources(clearance_exchange PRIVATE ${PROJECT_BINARY_DIR}/generated/blender_script.cpp)
