# SPDX-License-Identifier: Apache-2.0
# lp_add_test(NAME label [FORKED] LIBS ...): one CUnit program, one CTest test. The C library fills memory that is freed,
# MALLOC_PERTURB_, so that what is read from there is seen.
#
# FORKED: of many short commands, most of whose time would be spent in linking the engine's libraries. They are forked from
# a program that is linked (tests/support/fork_server.c), so that addresses are the same in all; of what must have the
# same bytes whatever the addresses are, a test has none.

# A test has a second label, the folder of its module: that of the file of its name in the same part of the tree, or of
# the name without its last words; otherwise its own.
file(GLOB_RECURSE lp_modules RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*/*.[ch])
function(lp_module name out)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
    string(REGEX MATCH "^[^/]+" part ${folder})
    string(REGEX REPLACE "^test_" "" noun ${name})
    while(NOT noun STREQUAL "")
        set(file ${lp_modules})
        list(FILTER file INCLUDE REGEX "^${part}/(.+/)?${noun}\\.[ch]$")
        if(file)
            list(GET file 0 file)
            cmake_path(GET file PARENT_PATH folder)
            break()
        endif()
        string(REGEX REPLACE "_?[^_]+$" "" noun ${noun})
    endwhile()
    set(${out} ${folder} PARENT_SCOPE)
endfunction()

# gcc's library of sanitizers, where it is a shared one, which must be loaded before what is built with it (LD_PRELOAD), and
# what is no leak of ours.
set(lp_sanitizer_library "")
set(lp_preloaded_first "")
set(lp_sanitizer_environment "")
if(LIGHTPATH_SANITIZE)
    execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so
        OUTPUT_VARIABLE lp_sanitizer_library OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(IS_ABSOLUTE "${lp_sanitizer_library}")
        set(lp_preloaded_first "${lp_sanitizer_library}:")
    else()
        set(lp_sanitizer_library "")
    endif()
    set(lp_sanitizer_environment LSAN_OPTIONS=print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tests/support/leaks.supp)
endif()

function(lp_add_test name label)
    cmake_parse_arguments(arg "FORKED" "" "LIBS" ${ARGN})
    add_executable(${name} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.c)
    target_link_libraries(${name} PRIVATE lp_test_support ${arg_LIBS} PkgConfig::CUNIT)
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    lp_module(${name} module)
    set_tests_properties(${name} PROPERTIES LABELS "${label};${module}"
        ENVIRONMENT
        "G_DEBUG=fatal-warnings;MALLOC_PERTURB_=77;LIGHTPATH=$<TARGET_FILE:lightpath>;${lp_sanitizer_environment}")
    if(arg_FORKED)
        lp_fork_commands(${name})
    endif()
endfunction()

function(lp_fork_commands name)
    set_property(TEST ${name} APPEND PROPERTY
        ENVIRONMENT FORK_SERVER=${lp_preloaded_first}$<TARGET_FILE:lp_fork_server>)
endfunction()

# lp_add_python_test(NAME label [FORKED] [SCRIPT NAME] [ARGUMENTS ...] [ENVIRONMENT NAME=VALUE ...] [PROPERTIES ...]): NAME.py, or
# SCRIPT.py, as a test. It finds the modules of tests/support, and in its environment the program and the build.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(lp_sanitizer_flags "")
if(LIGHTPATH_SANITIZE)
    set(lp_sanitizer_flags "-fsanitize=address,undefined -fno-sanitize-recover=all")
endif()
function(lp_add_python_test name labels)
    cmake_parse_arguments(arg "FORKED" "SCRIPT" "ARGUMENTS;ENVIRONMENT;PROPERTIES" ${ARGN})
    if(NOT arg_SCRIPT)
        set(arg_SCRIPT ${name})
    endif()
    add_test(NAME ${name}
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/${arg_SCRIPT}.py ${arg_ARGUMENTS}
        WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
    set(environment PYTHONDONTWRITEBYTECODE=1 MALLOC_PERTURB_=77 PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support
        LIGHTPATH=$<TARGET_FILE:lightpath> BUILD=${PROJECT_BINARY_DIR} CMAKE=${CMAKE_COMMAND} CC=${CMAKE_C_COMPILER}
        CFLAGS=${lp_sanitizer_flags} SANITIZER_LIBRARY=${lp_sanitizer_library} VERSION=${LP_VERSION}
        ${lp_sanitizer_environment} ${arg_ENVIRONMENT})
    lp_module(${arg_SCRIPT} module)
    set_tests_properties(${name} PROPERTIES LABELS "${labels};${module}" ENVIRONMENT "${environment}" ${arg_PROPERTIES})
    if(arg_FORKED)
        lp_fork_commands(${name})
    endif()
endfunction()
