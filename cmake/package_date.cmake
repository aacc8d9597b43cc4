# SPDX-License-Identifier: Apache-2.0
# Read by cpack: what is in a package is as old as the commit, so that two packages of one commit have the
# same bytes. SOURCE_DATE_EPOCH says another time.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND git -C ${CMAKE_CURRENT_LIST_DIR} log -1 --format=%ct
        OUTPUT_VARIABLE lp_date OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE lp_failed ERROR_QUIET)
    if(NOT lp_failed)
        set(ENV{SOURCE_DATE_EPOCH} ${lp_date})
    endif()
endif()
