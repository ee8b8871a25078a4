# Installs the component ccd, builds examples/use_ccd and tests/package with nothing else, and runs the example.
# Called by ctest with -D: SOURCE and BUILD (folders), CONFIG, GENERATOR, COMPILER, FLAGS (sanitizers).
set(folder ${BUILD}/package/test)
set(prefix ${folder}/prefix)
file(REMOVE_RECURSE ${folder})

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${prefix} --component ccd)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/package -B ${folder}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=${CONFIG}
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_FLAGS=${FLAGS}
  -DCMAKE_PREFIX_PATH=${prefix} -DINSTALLED=${prefix} -DEXAMPLE=${SOURCE}/examples/use_ccd)
run(${CMAKE_COMMAND} --build ${folder}/build --config ${CONFIG})

execute_process(COMMAND ${folder}/build/bin/use_ccd OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "impact at 0.5\nno impact until 1\n")
  message(FATAL_ERROR "use_ccd printed '${output}'")
endif()
