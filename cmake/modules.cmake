# clearance_module(folder [ONCE] [DEPENDS folders...] [EXTERNAL targets...])
#   A library of all .cpp files directly in src/clearance/<folder>. With CLEARANCE_DISPATCH every module exists a second
#   time for x86-64-v3 (AVX2) without FMA: target suffix `_v3`. With ONCE only its name does: what takes no time in a step is
#   compiled for any processor and linked into both programs.
# clearance_program(name folder [DEPENDS folders...] [EXTERNAL targets...])
#   A program of <folder>/main.cpp and a library clearance_<last part of folder>, once, of the other .cpp files.

add_library(clearance_flags INTERFACE)
target_compile_options(clearance_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Werror
  # Contraction to fused multiply-add would break error-bounded and exact arithmetic silently. GCC 12 vectorises
  # alternating sums and differences of products with it all the same: processors that have it are denied it (-mno-fma).
  -ffp-contract=off -fno-math-errno
  # Users may put what is installed (package.cmake) into shared libraries of theirs.
  -fPIC -fno-semantic-interposition
  # What ccache needs to work with precompiled headers.
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
  # False positives of GCC 12 in inlined AVX intrinsics and strings (bugs 105593, 105329, 107561); the debug preset keeps
  # these warnings.
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release,RelWithDebInfo>>:-Wno-maybe-uninitialized;-Wno-array-bounds>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release,RelWithDebInfo>>:-Wno-stringop-overflow;-Wno-stringop-overread>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release,RelWithDebInfo>>:-Wno-restrict>)
# The debug preset checks every index into standard arrays and spans: indices are ints, and a negative one is out of range.
target_compile_definitions(clearance_flags INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)
# Clang builds the fuzz targets alone: its own warnings stop nothing, and tables need more steps than it allows.
target_compile_options(clearance_flags INTERFACE
  $<$<CXX_COMPILER_ID:Clang>:-Wno-error;-Wno-shadow;-fconstexpr-steps=100000000>)
if(CLEARANCE_ASSERTIONS)
  target_compile_definitions(clearance_flags INTERFACE CLEARANCE_ASSERTIONS)
endif()
# Eigen's vectors have the length of the processor's: sums would be added in another order on each. What is worked on
# four at a time says so itself (math/lanes.h).
target_compile_definitions(clearance_flags INTERFACE EIGEN_DONT_VECTORIZE)
if(CLEARANCE_NATIVE)
  # GCC 12 takes its own AVX-512 intrinsics for uninitialised variables (bug 105593).
  target_compile_options(clearance_flags INTERFACE -march=native -mno-fma -mno-avx512f -Wno-uninitialized)
endif()
if(CLEARANCE_SANITIZE)
  target_compile_options(clearance_flags INTERFACE -fsanitize=${CLEARANCE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(clearance_flags INTERFACE -fsanitize=${CLEARANCE_SANITIZE})
endif()

if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Characters have a sign everywhere, as on x86-64.
  target_compile_options(clearance_flags INTERFACE -fsigned-char)
endif()

set(clearance_variants "")
if(CLEARANCE_DISPATCH)
  set(clearance_variants "_v3")
endif()

# Headers that most files read, compiled first: for kernels, and for what is compiled once.
file(WRITE ${PROJECT_BINARY_DIR}/empty.cpp "")
set(clearance_common_headers <Eigen/Geometry> <algorithm> <array> <functional> <map> <optional> <string> <vector>
  <tbb/blocked_range.h> <tbb/parallel_for.h>)
foreach(suffix IN ITEMS "" ${clearance_variants})
  add_library(clearance_headers${suffix} STATIC ${PROJECT_BINARY_DIR}/empty.cpp)
  target_precompile_headers(clearance_headers${suffix} PRIVATE ${clearance_common_headers})
endforeach()
add_library(clearance_headers_once STATIC ${PROJECT_BINARY_DIR}/empty.cpp)
target_precompile_headers(clearance_headers_once PRIVATE ${clearance_common_headers} <filesystem> <fmt/format.h>)

# The flags of one of the three ways to compile: "", "_v3", "_once".
function(clearance_set_flags target way)
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE clearance_flags)
  target_compile_definitions(${target} PRIVATE CLEARANCE_VERSION="${PROJECT_VERSION}")
  if(way STREQUAL "_v3")
    target_compile_options(${target} PRIVATE -march=x86-64-v3 -mno-fma)
  elseif(way STREQUAL "_once")
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  if(NOT "${target}" STREQUAL "clearance_headers${way}")
    target_precompile_headers(${target} REUSE_FROM clearance_headers${way})
  endif()
endfunction()

foreach(way IN ITEMS "" ${clearance_variants} "_once")
  clearance_set_flags(clearance_headers${way} "${way}")
  target_link_libraries(clearance_headers${way} PRIVATE Eigen3::Eigen TBB::tbb fmt::fmt)
endforeach()

# Libraries of all variants from some sources.
function(clearance_libraries name)
  cmake_parse_arguments(arg "ONCE" "" "SOURCES;DEPENDS;EXTERNAL" ${ARGN})
  string(REPLACE "/" "_" depends "${arg_DEPENDS}")
  if(NOT arg_SOURCES)
    set(arg_SOURCES ${PROJECT_BINARY_DIR}/empty.cpp)
  endif()
  foreach(suffix IN ITEMS "" ${clearance_variants})
    list(TRANSFORM depends PREPEND clearance_ OUTPUT_VARIABLE libraries)
    list(TRANSFORM libraries APPEND "${suffix}")
    if(arg_ONCE AND suffix)
      # The same archive, but what it needs comes from the variant. Imported, it is linked before that.
      add_library(${name}${suffix} STATIC IMPORTED GLOBAL)
      set_target_properties(${name}${suffix} PROPERTIES IMPORTED_LOCATION
        ${PROJECT_BINARY_DIR}/${CMAKE_STATIC_LIBRARY_PREFIX}${name}${CMAKE_STATIC_LIBRARY_SUFFIX})
      add_dependencies(${name}${suffix} ${name})
      target_link_libraries(${name}${suffix} INTERFACE ${libraries} ${arg_EXTERNAL})
      continue()
    endif()
    add_library(${name}${suffix} STATIC ${arg_SOURCES})
    target_link_libraries(${name}${suffix} PUBLIC ${libraries} ${arg_EXTERNAL})
    if(arg_ONCE)
      clearance_set_flags(${name} "_once")
    else()
      clearance_set_flags(${name}${suffix} "${suffix}")
    endif()
  endforeach()
endfunction()

function(clearance_module folder)
  string(REPLACE "/" "_" name ${folder})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/clearance/${folder}/*.cpp)
  clearance_libraries(clearance_${name} SOURCES ${sources} ${ARGN})
endfunction()

function(clearance_program name folder)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  set(main ${PROJECT_SOURCE_DIR}/${folder}/main.cpp)
  list(REMOVE_ITEM sources ${main})
  # Everything but main.cpp is a library, so that tests can call it.
  get_filename_component(library ${folder} NAME)
  clearance_libraries(clearance_${library} ONCE SOURCES ${sources} ${ARGN})
  foreach(suffix IN ITEMS "" ${clearance_variants})
    add_executable(${name}${suffix} ${main})
    clearance_set_flags(${name}${suffix} "_once")
    target_link_libraries(${name}${suffix} PRIVATE clearance_${library}${suffix})
    install(TARGETS ${name}${suffix} COMPONENT program)
  endforeach()
  if(CLEARANCE_DISPATCH)
    target_compile_definitions(${name} PRIVATE CLEARANCE_DISPATCH)
    add_dependencies(${name} ${name}_v3)
    set_target_properties(${name}_v3 PROPERTIES OUTPUT_NAME ${name}-v3)
  endif()
endfunction()
