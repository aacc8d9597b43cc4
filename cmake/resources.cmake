# SPDX-License-Identifier: Apache-2.0
# lp_add_resources(NAME FILES...): compiles NAME.gresource.xml of this folder, which lists FILES, to
# NAME_resource.c and .h in the build folder; the accessor is lp_NAME_get_resource().

find_program(GLIB_COMPILE_RESOURCES glib-compile-resources REQUIRED)

function(lp_add_resources name)
    set(manifest ${CMAKE_CURRENT_SOURCE_DIR}/${name}.gresource.xml)
    set(target ${CMAKE_CURRENT_BINARY_DIR}/${name}_resource)
    set(command ${GLIB_COMPILE_RESOURCES} ${manifest} --c-name lp_${name}
        --sourcedir=${CMAKE_CURRENT_SOURCE_DIR})
    add_custom_command(
        OUTPUT ${target}.c ${target}.h
        COMMAND ${command} --generate-source --target=${target}.c
        COMMAND ${command} --generate-header --target=${target}.h
        DEPENDS ${manifest} ${ARGN}
        VERBATIM)
    # Generated code is not as strict as ours.
    set_source_files_properties(${target}.c PROPERTIES COMPILE_OPTIONS "-w")
endfunction()
