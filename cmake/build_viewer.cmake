# Installs the packages of web/ into a copy of it and bundles the viewer. What fails is told and fails no build; it is tried
# again when a file of web/ changes, or after `cmake --build FOLDER --target clean`.
file(COPY ${source}/ DESTINATION ${folder} PATTERN node_modules EXCLUDE)
execute_process(COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund --loglevel=error --fetch-retries=1
  WORKING_DIRECTORY ${folder} RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE problem)
if(status EQUAL 0)
  execute_process(COMMAND ${node} build.mjs ${viewer} WORKING_DIRECTORY ${folder} RESULT_VARIABLE status OUTPUT_QUIET
    ERROR_VARIABLE problem)
endif()
if(NOT status EQUAL 0)
  message(STATUS "no viewer for `clearance export`: ${problem}")
endif()
file(TOUCH ${stamp})
