# SPDX-License-Identifier: Apache-2.0
# What "cmake --install" puts where. The program links the folders' static libraries; programs of
# others get one shared library that holds all folders but cli/.

set(lp_folders base model platforms workloads sim search validation report)
set(lp_objects)
foreach(folder IN LISTS lp_folders)
    list(APPEND lp_objects $<TARGET_OBJECTS:lp_${folder}>)
endforeach()
list(APPEND lp_objects $<TARGET_OBJECTS:lp_collective>)

# Objects, not archives: nothing refers to the constructors that register the embedded XML, so a
# linker would leave them out of an archive.
add_library(lp_shared SHARED ${lp_objects})
set_target_properties(lp_shared PROPERTIES
    OUTPUT_NAME lightpath
    VERSION ${PROJECT_VERSION}
    SOVERSION 0
    LINKER_LANGUAGE C)

# Public are the headers that lightpath.h includes: they alone are installed, and the library exports
# what they declare.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lightpath.h)
file(STRINGS lightpath.h lp_public REGEX "^#include")
list(TRANSFORM lp_public REPLACE "^#include \"(.*)\"$" "\\1")
set(lp_exports ${PROJECT_BINARY_DIR}/lightpath.map)
add_custom_command(
    OUTPUT ${lp_exports}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/exports.py
        ${PROJECT_SOURCE_DIR} ${lp_exports}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/exports.py lightpath.h ${lp_public}
    VERBATIM)
add_custom_target(lp_version_script DEPENDS ${lp_exports})
add_dependencies(lp_shared lp_version_script)
set_target_properties(lp_shared PROPERTIES LINK_DEPENDS ${lp_exports})
target_link_options(lp_shared PRIVATE -Wl,--version-script=${lp_exports})
target_link_libraries(lp_shared PRIVATE
    lp_flags PkgConfig::GLIB PkgConfig::LIBXML PkgConfig::JANSSON PkgConfig::SMARTCOLS
    PkgConfig::SIMGRID ${CSV_LIBRARY} PkgConfig::NLOPT m)

install(TARGETS lightpath RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS lp_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Headers keep their folders, since they include one another as "folder/noun.h".
foreach(header IN LISTS lp_public ITEMS lightpath.h)
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lightpath/${folder})
endforeach()

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
# Documents keep their folders, since they link to one another, and what they link to comes along.
file(GLOB lp_documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS
    *.md docs/*.md docs/*.json docs/*.svg docs/studies/*.svg docs/studies/*.md docs/gallery/*.png docs/ways/*.md docs/tutorials/*.md model/*.md platforms/*.md sim/*.md tests/*.md
    validation/*.md validation/*.svg workloads/*.md)
foreach(document IN LISTS lp_documents ITEMS LICENSE tests/cli/use_library.c)
    cmake_path(GET document PARENT_PATH folder)
    install(FILES ${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
