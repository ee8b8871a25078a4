# clearance-view, the server of `clearance view`: a program of its own, since cpp-httplib brings OpenSSL, which a run need
# not load. Without cpp-httplib it is not built, and `clearance view` says so.
find_path(httplib_INCLUDE_DIR httplib.h)
find_library(httplib_LIBRARY cpp-httplib)
if(NOT httplib_INCLUDE_DIR OR NOT httplib_LIBRARY)
  message(STATUS "cpp-httplib not found: no `clearance view`; ./dev deps installs it")
  return()
endif()
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/apps/view/*.cpp)
add_executable(clearance-view ${sources})
target_link_libraries(clearance-view PRIVATE clearance_page CLI11::CLI11 ${httplib_LIBRARY})
target_include_directories(clearance-view SYSTEM PRIVATE ${httplib_INCLUDE_DIR})
# As Debian has built the library.
target_compile_definitions(clearance-view PRIVATE CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)
clearance_set_flags(clearance-view "_once")
install(TARGETS clearance-view COMPONENT program)
# Whoever builds the program wants all that it can do.
add_dependencies(clearance clearance-view)
