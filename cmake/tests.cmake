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

# lp_add_python_test(NAME label [SCRIPT NAME] [ARGUMENTS ...] [ENVIRONMENT NAME=VALUE ...] [PROPERTIES ...]): NAME.py, or
# SCRIPT.py, as a test. It finds the modules of tests/support, and in its environment the program and the build.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(lp_sanitizer_flags "")
if(LIGHTPATH_SANITIZE)
    set(lp_sanitizer_flags "-fsanitize=address,undefined -fno-sanitize-recover=all")
endif()
function(lp_add_python_test name labels)
    cmake_parse_arguments(arg "" "SCRIPT" "ARGUMENTS;ENVIRONMENT;PROPERTIES" ${ARGN})
    if(NOT arg_SCRIPT)
        set(arg_SCRIPT ${name})
    endif()
    add_test(NAME ${name}
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT}.py ${arg_ARGUMENTS}
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
    set(environment PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support
        LIGHTPATH=$<TARGET_FILE:lightpath> BUILD=${PROJECT_BINARY_DIR} CMAKE=${CMAKE_COMMAND} CC=${CMAKE_C_COMPILER}
        CFLAGS=${lp_sanitizer_flags} VERSION=${LP_VERSION} ${arg_ENVIRONMENT})
    set_tests_properties(${name} PROPERTIES LABELS "${labels}" ENVIRONMENT "${environment}" ${arg_PROPERTIES})
endfunction()
