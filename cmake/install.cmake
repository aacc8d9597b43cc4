# SPDX-License-Identifier: Apache-2.0
# What "cmake --install" puts where. The program links the folders' static libraries; programs of
# others get a shared library that starts the program for them (lightpath.h).

file(RELATIVE_PATH lp_program_installed
    ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_BINDIR}/lightpath)
add_library(lp_shared SHARED api/lightpath.c api/server.c base/printable.c)
set_target_properties(lp_shared PROPERTIES
    OUTPUT_NAME lightpath
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR})
target_compile_definitions(lp_shared PRIVATE
    LP_PROGRAM_INSTALLED="${lp_program_installed}" LP_PROGRAM_BUILT="cli/lightpath")
# It exports what its header declares.
set(lp_exports ${PROJECT_SOURCE_DIR}/api/exports.map)
set_target_properties(lp_shared PROPERTIES LINK_DEPENDS ${lp_exports})
target_link_options(lp_shared PRIVATE -Wl,--version-script=${lp_exports})
target_link_libraries(lp_shared PRIVATE lp_flags lp_thread_flags PkgConfig::GLIB PkgConfig::JANSSON m)
add_dependencies(lp_shared lightpath)

install(TARGETS lightpath RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS lp_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

install(FILES lightpath.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lightpath)

# What the program is made of: the libraries, with the versions that it was built with (CycloneDX).
configure_file(${CMAKE_CURRENT_LIST_DIR}/sbom.json.in ${PROJECT_BINARY_DIR}/sbom.json @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sbom.json DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Relative to the file itself, so that an installed tree can be moved.
file(RELATIVE_PATH lp_pc_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/lightpath.pc.in
    ${PROJECT_BINARY_DIR}/lightpath.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lightpath.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# What is compiled into library and program, once more: for reading and copying.
foreach(folder platforms workloads workloads/scenarios study validation)
    file(GLOB lp_data CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.xml)
    list(FILTER lp_data EXCLUDE REGEX "gresource")
    install(FILES ${lp_data} DESTINATION ${CMAKE_INSTALL_DATADIR}/lightpath/${folder})
    file(GLOB lp_schemas CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.xsd)
    install(FILES ${lp_schemas} DESTINATION ${CMAKE_INSTALL_DATADIR}/lightpath/schemas)
endforeach()
install(FILES validation/training.csv
    DESTINATION ${CMAKE_INSTALL_DATADIR}/lightpath/validation)
install(FILES cli/completions/lightpath.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME lightpath)
install(FILES cli/completions/_lightpath
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES cli/completions/lightpath.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES docs/output.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/lightpath/schemas)
install(FILES docs/lightpath.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(DIRECTORY python/ DESTINATION ${CMAKE_INSTALL_DATADIR}/lightpath/python
    FILES_MATCHING PATTERN "*.py" PATTERN "*.toml" PATTERN "py.typed")
# Documents keep their folders, since they link to one another, and what they link to comes along.
file(GLOB lp_documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
    *.md docs/*.md docs/*.json docs/*.svg docs/*.ipynb docs/studies/*.svg docs/studies/*.md docs/gallery/*.png docs/ways/*.md docs/tutorials/*.md model/*.md platforms/*.md sim/*.md tests/*.md
    validation/*.md validation/*.svg workloads/*.md)
foreach(document IN LISTS lp_documents ITEMS LICENSE api/examples/loop.c api/examples/progress.c api/examples/search.c lightpath.h)
    cmake_path(GET document PARENT_PATH folder)
    install(FILES ${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
