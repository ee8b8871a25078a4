# clearance_module(folder [DEPENDS folders...] [EXTERNAL targets...])
#   A library of all .cpp files directly in src/clearance/<folder>. With CLEARANCE_DISPATCH every module exists a second
#   time, compiled for x86-64-v3 (AVX2, FMA): target suffix `_v3`.
# clearance_program(name folder [DEPENDS folders...] [EXTERNAL targets...])
#   A program of <folder>/main.cpp and a library clearance_<last part of folder> of the other .cpp files.

add_library(clearance_flags INTERFACE)
target_compile_options(clearance_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror
  # Contraction to fused multiply-add would break error-bounded and exact arithmetic silently.
  -ffp-contract=off -fno-math-errno
  # False positives of GCC 12 in inlined AVX intrinsics and strings (bugs 105593, 105329, 107561); the debug preset keeps
  # these warnings.
  $<$<CONFIG:Release,RelWithDebInfo>:-Wno-maybe-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow>
  $<$<CONFIG:Release,RelWithDebInfo>:-Wno-stringop-overread;-Wno-restrict>)
# Eigen's vectors have the length of the processor's: sums would be added in another order on each. What is worked on
# four at a time says so itself (math/lanes.h).
target_compile_definitions(clearance_flags INTERFACE EIGEN_DONT_VECTORIZE)
if(CLEARANCE_NATIVE)
  # GCC 12 takes its own AVX-512 intrinsics for uninitialised variables (bug 105593).
  target_compile_options(clearance_flags INTERFACE -march=native -Wno-uninitialized)
endif()
if(CLEARANCE_SANITIZE)
  target_compile_options(clearance_flags INTERFACE -fsanitize=${CLEARANCE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(clearance_flags INTERFACE -fsanitize=${CLEARANCE_SANITIZE})
endif()

set(clearance_variants "")
if(CLEARANCE_DISPATCH)
  set(clearance_variants "_v3")
endif()

function(clearance_set_up target suffix)
  cmake_parse_arguments(arg "" "" "DEPENDS;EXTERNAL" ${ARGN})
  string(REPLACE "/" "_" depends "${arg_DEPENDS}")
  set(libraries)
  foreach(module IN LISTS depends)
    list(APPEND libraries clearance_${module}${suffix})
  endforeach()
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PUBLIC ${libraries} ${arg_EXTERNAL} PRIVATE clearance_flags)
  target_compile_definitions(${target} PRIVATE CLEARANCE_VERSION="${PROJECT_VERSION}")
  if(suffix STREQUAL "_v3")
    target_compile_options(${target} PRIVATE -march=x86-64-v3)
  endif()
endfunction()

function(clearance_module folder)
  string(REPLACE "/" "_" name ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/clearance/${folder}/*.cpp)
  if(NOT sources)
    file(WRITE ${PROJECT_BINARY_DIR}/empty.cpp "")
    set(sources ${PROJECT_BINARY_DIR}/empty.cpp)
  endif()
  foreach(suffix IN ITEMS "" ${clearance_variants})
    add_library(clearance_${name}${suffix} STATIC ${sources})
    clearance_set_up(clearance_${name}${suffix} "${suffix}" ${ARGN})
  endforeach()
endfunction()

function(clearance_program name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  set(main ${PROJECT_SOURCE_DIR}/${folder}/main.cpp)
  list(REMOVE_ITEM sources ${main})
  # Everything but main.cpp is a library, so that tests can call it.
  if(NOT sources)
    file(WRITE ${PROJECT_BINARY_DIR}/empty.cpp "")
    set(sources ${PROJECT_BINARY_DIR}/empty.cpp)
  endif()
  get_filename_component(library ${folder} NAME)
  foreach(suffix IN ITEMS "" ${clearance_variants})
    add_library(clearance_${library}${suffix} STATIC ${sources})
    clearance_set_up(clearance_${library}${suffix} "${suffix}" ${ARGN})
  endforeach()
  if(NOT EXISTS ${main})
    return()
  endif()
  add_executable(${name} ${main})
  clearance_set_up(${name} "" ${ARGN})
  target_link_libraries(${name} PRIVATE clearance_${library})
  install(TARGETS ${name} COMPONENT program)
  if(CLEARANCE_DISPATCH)
    add_executable(${name}_v3 ${main})
    clearance_set_up(${name}_v3 "_v3" ${ARGN})
    target_link_libraries(${name}_v3 PRIVATE clearance_${library}_v3)
    set_target_properties(${name}_v3 PROPERTIES OUTPUT_NAME ${name}-v3)
    target_compile_definitions(${name} PRIVATE CLEARANCE_DISPATCH)
    add_dependencies(${name} ${name}_v3)
    install(TARGETS ${name}_v3 COMPONENT program)
  endif()
endfunction()
