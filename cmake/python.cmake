# The Python package `clearance`: python/clearance with two compiled parts, `_core` and, with CLEARANCE_DISPATCH,
# `_core_v3` for AVX2; `_processor` tells which of them to load. All of it lies in <build>/python, ready for PYTHONPATH.
set(Python_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The interpreter that the module is for")
set(PYBIND11_FINDPYTHON ON)
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 REQUIRED)
set(clearance_python_folder ${PROJECT_BINARY_DIR}/python/clearance)
# Where Debian's interpreter looks below /usr/local; elsewhere PYTHONPATH names it.
set(clearance_python_destination lib/python${Python_VERSION_MAJOR}.${Python_VERSION_MINOR}/dist-packages/clearance)

# A module that Python imports; it shows nothing else to other modules of the process.
function(clearance_python_module name)
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".${Python_SOABI}.so" LIBRARY_OUTPUT_DIRECTORY
    ${clearance_python_folder} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # Symbols of the static libraries, too.
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
  target_link_libraries(${name} PRIVATE pybind11::module clearance_flags)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  add_dependencies(python ${name})
  install(TARGETS ${name} LIBRARY DESTINATION ${clearance_python_destination} COMPONENT python)
endfunction()

add_custom_target(python ALL COMMENT "Python package"
  COMMAND ${CMAKE_COMMAND} -E copy_directory ${PROJECT_SOURCE_DIR}/python/clearance ${clearance_python_folder})
clearance_python_module(_processor ${PROJECT_SOURCE_DIR}/src/apps/python/processor.cpp)
target_link_libraries(_processor PRIVATE clearance_base)

file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/apps/python/*.cpp)
list(REMOVE_ITEM sources ${PROJECT_SOURCE_DIR}/src/apps/python/processor.cpp ${PROJECT_SOURCE_DIR}/src/apps/python/module.cpp)
add_library(clearance_python_bindings OBJECT ${sources})
target_link_libraries(clearance_python_bindings PRIVATE pybind11::module clearance_flags clearance_simulation
  clearance_derivatives clearance_verify_folder clearance_page)
set_target_properties(clearance_python_bindings PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_compile_options(clearance_python_bindings PRIVATE $<$<CONFIG:Release>:-O2>)
target_compile_definitions(clearance_python_bindings PRIVATE CLEARANCE_VERSION="${PROJECT_VERSION}")
foreach(suffix IN ITEMS "" ${clearance_variants})
  clearance_python_module(_core${suffix} ${PROJECT_SOURCE_DIR}/src/apps/python/module.cpp
    $<TARGET_OBJECTS:clearance_python_bindings>)
  target_compile_definitions(_core${suffix} PRIVATE CLEARANCE_MODULE=_core${suffix} CLEARANCE_VERSION="${PROJECT_VERSION}")
  target_link_libraries(_core${suffix} PRIVATE clearance_derivatives${suffix} clearance_simulation${suffix}
    clearance_verify_folder${suffix} clearance_page${suffix})
endforeach()

# What fills bare surfaces lies beside it.
if(TARGET clearance-mesh)
  add_custom_command(TARGET python POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:clearance-mesh> ${clearance_python_folder})
  add_dependencies(python clearance-mesh)
endif()
# So does the page that Results.show fills.
if(TARGET viewer)
  add_custom_command(TARGET python POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${viewer} ${clearance_python_folder}/viewer.html)
  add_dependencies(python viewer)
endif()
# So does what reads robots.
if(TARGET clearance-robot)
  add_custom_command(TARGET python POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_FILE:clearance-robot> ${clearance_python_folder})
  add_dependencies(python clearance-robot)
endif()

# The installed module finds clearance-mesh in bin/.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/clearance/ DESTINATION ${clearance_python_destination} COMPONENT python
  PATTERN __pycache__ EXCLUDE)
install(FILES ${viewer} ${viewer_licences} DESTINATION ${clearance_python_destination} COMPONENT python OPTIONAL)
