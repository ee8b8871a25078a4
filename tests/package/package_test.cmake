# Installs the components of the package, builds examples/use_ccd, examples/use_simulation and tests/package with nothing
# else, and runs the examples.
# For this processor, as users may: Eigen aligns and frees its objects in another way there.
# Called by ctest with -D: SOURCE and BUILD (folders), CONFIG, GENERATOR, COMPILER, FLAGS (sanitizers).
set(folder ${BUILD}/package/test)
set(prefix ${folder}/prefix)
file(REMOVE_RECURSE ${folder})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN ITEMS ccd simulation)
  run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${prefix} --component ${component})
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/package -B ${folder}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${CONFIG}
  -DCMAKE_CXX_COMPILER=${COMPILER} "-DCMAKE_CXX_FLAGS=${FLAGS} -march=native"
  -DCMAKE_PREFIX_PATH=${prefix} -DINSTALLED=${prefix} -DEXAMPLES=${SOURCE}/examples)
run(${CMAKE_COMMAND} --build ${folder}/build --config ${CONFIG})

execute_process(COMMAND ${folder}/build/bin/use_ccd OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "impact at 0.5\nno impact until 1\n")
  message(FATAL_ERROR "use_ccd printed '${output}'")
endif()

execute_process(COMMAND ${folder}/build/bin/use_simulation ${folder}/result OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "^ball: lowest point at [0-9.]+ m, pushed up with [0-9.]+ N\ncomplete after step 20\n$")
  message(FATAL_ERROR "use_simulation printed '${output}'")
endif()
