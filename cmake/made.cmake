# SPDX-License-Identifier: Apache-2.0
# lp_add_made(SCRIPT TABLE WHAT FILE): makes FILE in the build folder of TABLE by a script of this
# folder, which says what there is to be made; it may read traits and lists of kernels, too.

find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(lp_add_made script table what file)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${file})
    file(GLOB lists CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/model/kernels/*.xml
        ${PROJECT_SOURCE_DIR}/model/kernels/mixers/*.xml ${PROJECT_SOURCE_DIR}/model/plan/plan_traits.h
        ${PROJECT_SOURCE_DIR}/workloads/description/traits.xml)
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/cmake/${script} ${what} ${output}
        DEPENDS ${PROJECT_SOURCE_DIR}/cmake/${script} ${CMAKE_CURRENT_SOURCE_DIR}/${table} ${lists}
        VERBATIM)
endfunction()
