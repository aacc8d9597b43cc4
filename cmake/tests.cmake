# SPDX-License-Identifier: Apache-2.0
# lp_add_test(NAME label SOURCES ... LIBS ...): one CUnit program, one CTest test.

function(lp_add_test name label)
    cmake_parse_arguments(arg "" "" "LIBS" ${ARGN})
    add_executable(${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.c)
    target_link_libraries(${name} PRIVATE lp_test_support ${arg_LIBS} PkgConfig::CUNIT)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES LABELS ${label}
        ENVIRONMENT "G_DEBUG=fatal-warnings;LIGHTPATH=$<TARGET_FILE:lightpath>")
endfunction()
