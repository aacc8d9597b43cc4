# SPDX-License-Identifier: Apache-2.0
# lp_add_attributes(WHAT FILE): makes FILE in the build folder of the table of attributes; attributes.py
# says what there is to be made.

find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(lp_add_attributes what file)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${file})
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/attributes.py ${what} ${output}
        DEPENDS ${PROJECT_SOURCE_DIR}/cmake/attributes.py ${PROJECT_SOURCE_DIR}/workloads/description/attributes.xml
        VERBATIM)
endfunction()
