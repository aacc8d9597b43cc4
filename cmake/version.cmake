# SPDX-License-Identifier: Apache-2.0
# Writes version.h with the commit that is built, at every build, and only if it changed:
#     cmake -DSOURCE=FOLDER -DVERSION=X -DINPUT=version.h.in -DOUTPUT=version.h -P version.cmake
find_package(Git QUIET)
set(LP_COMMIT "no commit")
if(Git_FOUND)
    execute_process(COMMAND ${GIT_EXECUTABLE} -C ${SOURCE} describe --always --dirty --abbrev=12
        --exclude=* OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed
        ERROR_QUIET)
    if(NOT failed)
        set(LP_COMMIT "commit ${commit}")
    endif()
endif()
set(LP_VERSION ${VERSION})
configure_file(${INPUT} ${OUTPUT} @ONLY)
