# What is installed beside the program for people: manual pages and the completion of the shell, both made from what
# `--help` prints, and documents and examples.
find_program(CLEARANCE_PYTHON3 NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
find_program(CLEARANCE_PYTHON3 NAMES python3)
if(CLEARANCE_PYTHON3)
  set(stamp ${PROJECT_BINARY_DIR}/manual.stamp)
  set(programs clearance)
  foreach(program IN ITEMS clearance-mesh clearance-view)
    if(TARGET ${program})
      list(APPEND programs ${program})
    endif()
  endforeach()
  list(TRANSFORM programs REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  add_custom_command(OUTPUT ${stamp}
    COMMAND ${CLEARANCE_PYTHON3} ${PROJECT_SOURCE_DIR}/scripts/make_manual.py --version ${PROJECT_VERSION}
      --share ${PROJECT_BINARY_DIR}/share ${files}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS ${programs} ${PROJECT_SOURCE_DIR}/scripts/make_manual.py COMMENT "Manual pages" VERBATIM)
  add_custom_target(manual ALL DEPENDS ${stamp})
  foreach(program IN LISTS programs)
    set(component program)
    if(program STREQUAL "clearance-mesh")
      set(component mesh)
    endif()
    install(FILES ${PROJECT_BINARY_DIR}/share/man/man1/${program}.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
      COMPONENT ${component})
    install(FILES ${PROJECT_BINARY_DIR}/share/bash-completion/completions/${program}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT ${component})
  endforeach()
endif()

# The paths of the source: README.md names docs/ and examples/.
install(FILES LICENSE NOTICE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(DIRECTORY python/examples DESTINATION ${CMAKE_INSTALL_DOCDIR}/python COMPONENT program)
install(FILES docs/scene.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/clearance COMPONENT program)
