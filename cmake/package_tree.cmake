# SPDX-License-Identifier: Apache-2.0
# Run by cpack before a Debian package is made of the installed tree: what Debian wants beside it. The system's Python finds
# the package "lightpath", and manual and changes are compressed.
set(usr ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/usr)
set(documents ${usr}/share/doc/lightpath)

file(WRITE ${documents}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Lightpath

Files: *
Copyright: The authors of Lightpath
License: Apache-2.0
 On Debian systems the text of the license is in /usr/share/common-licenses/Apache-2.0.
")
file(COPY_FILE ${documents}/CHANGELOG.md ${documents}/changelog)
execute_process(COMMAND gzip -9nf ${documents}/changelog ${usr}/share/man/man1/lightpath.1 COMMAND_ERROR_IS_FATAL ANY)

file(MAKE_DIRECTORY ${usr}/lib/python3/dist-packages)
file(CREATE_LINK ../../../share/lightpath/python/lightpath ${usr}/lib/python3/dist-packages/lightpath SYMBOLIC)
