# SPDX-License-Identifier: Apache-2.0
# Compiler flags, per target.

option(LIGHTPATH_WERROR "Treat warnings as errors" OFF)
option(LIGHTPATH_SANITIZE "Build with the address and undefined-behaviour sanitizers" OFF)
option(LIGHTPATH_SANITIZE_THREADS "Build the library, which threads call, with the thread sanitizer" OFF)
option(LIGHTPATH_FUZZ "Build with clang's libFuzzer, and the sanitizers" OFF)

add_library(lp_flags INTERFACE)
target_compile_features(lp_flags INTERFACE c_std_17)
# -fexceptions: SimGrid unwinds killed actors with C++ exceptions; without it their frames leak.
target_compile_options(lp_flags INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Wmissing-prototypes
    -Wcast-qual -Wwrite-strings -Wundef -Wvla -fexceptions -fno-common)
# Names of sources stand in messages of assertions: without the folder in which they were built, so that
# two builds of a commit have the same bytes.
target_compile_options(lp_flags INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(LIGHTPATH_WERROR)
    target_compile_options(lp_flags INTERFACE -Werror)
endif()
# What is built to be used ends where its memory is overrun, and its tables of addresses are constant
# once it runs. Sanitizers have their own ways.
if(CMAKE_BUILD_TYPE MATCHES "Rel" AND NOT LIGHTPATH_SANITIZE)
    target_compile_options(lp_flags INTERFACE
        -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
    target_link_options(lp_flags INTERFACE -Wl,-z,relro -Wl,-z,now)
endif()
if(LIGHTPATH_SANITIZE)
    # Optimized, since checks make all several times as slow; assertions stay, as in a debug build.
    target_compile_options(lp_flags INTERFACE
        -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1)
    target_link_options(lp_flags INTERFACE -fsanitize=address,undefined)
    # Clang's AddressSanitizer is confused by SimGrid's ways to switch stacks (for gcc's: sim/engine/asan_stacks.c),
    # but for the one of threads, which is ten times as slow.
    if(NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
        target_compile_definitions(lp_flags INTERFACE LP_CONTEXT_FACTORY="thread")
    endif()
endif()
if(LIGHTPATH_FUZZ)
    target_compile_options(lp_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# For the library and its test: the program has no threads.
add_library(lp_thread_flags INTERFACE)
if(LIGHTPATH_SANITIZE_THREADS)
    target_compile_options(lp_thread_flags INTERFACE -fsanitize=thread -g)
    target_link_options(lp_thread_flags INTERFACE -fsanitize=thread)
endif()
