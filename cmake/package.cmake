# SPDX-License-Identifier: Apache-2.0
# "cpack" in the build folder makes a Debian package of what "cmake --install" installs, and of
# nothing else: it builds nothing that is not built.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME lightpath)
set(CPACK_PACKAGE_VERSION ${LP_VERSION_SORTED})
set(CPACK_PACKAGE_CONTACT "The authors of Lightpath <lightpath@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package_tree.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package_date.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# Plots in pages, and tables of measurements that validate restates; programs that use the library.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libjs-vega, python3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "pkg-config, python3-pandas")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "One training iteration runs event by event on a machine that is described in\nXML, beside a closed form of the same iteration; the difference is explained\npart by part.")
include(CPack)
