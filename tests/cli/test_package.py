#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Debian package: what it depends on, what it holds, and that what it holds runs.

Environment: BUILD (the build folder), LIGHTPATH (the built program), CFLAGS, VERSION."""
import json
import os
import pathlib
import shutil
import tempfile
import unittest

from command import PROGRAM, SOURCE, output_of


@unittest.skipIf(os.environ.get("CFLAGS"), "a package of a build with sanitizers is of no use")
class Package(unittest.TestCase):
    def test_package(self):
        for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps"):
            if shutil.which(tool) is None:
                self.skipTest(f"{tool} is not installed")
        with tempfile.TemporaryDirectory() as folder:
            output_of("cpack", "-G", "DEB", "-B", folder, "--config", f"{os.environ['BUILD']}/CPackConfig.cmake", cwd=folder)
            package, = pathlib.Path(folder).glob("*.deb")
            again = pathlib.Path(folder) / "again"
            output_of("cpack", "-G", "DEB", "-B", again, "--config", f"{os.environ['BUILD']}/CPackConfig.cmake", cwd=folder)
            self.assertEqual((again / package.name).read_bytes(), package.read_bytes())
            fields = dict(line.split(": ", 1) for line in output_of("dpkg-deb", "--field", package).splitlines()
                          if ": " in line and not line.startswith(" "))
            self.assertEqual((fields["Package"], fields["Version"]), ("lightpath", os.environ["VERSION"].replace("-", "~")))
            for library in ("libc6", "libcsv3", "libglib2.0-0", "libjansson4", "libnlopt0", "libsimgrid3.32",
                            "libsmartcols1", "libsqlite3-0", "libxml2"):
                self.assertRegex(fields["Depends"], rf"(^|, ){library}( |,|$)")
            root = pathlib.Path(folder) / "root"
            output_of("dpkg-deb", "--extract", package, root)
            # What is built does not know where.
            for name in ("bin/lightpath", *(path.relative_to(root / "usr") for path in root.glob("usr/lib/**/*.so"))):
                self.assertNotIn(os.fsencode(SOURCE), (root / "usr" / name).read_bytes(), name)
            for name in ("bin/lightpath", "share/man/man1/lightpath.1.gz", "share/doc/lightpath/copyright", "share/doc/lightpath/README.md",
                         "include/lightpath/lightpath.h", "share/bash-completion/completions/lightpath",
                         "share/lightpath/workloads/gpt3-175b.xml"):
                self.assertGreater((root / "usr" / name).stat().st_size, 0, name)
            self.assertEqual(sorted(path.name for path in root.iterdir()), ["usr"])
            bill = json.loads((root / "usr/share/doc/lightpath/sbom.json").read_text())
            for part in bill["components"]:
                self.assertRegex(part["version"], r"^[0-9][0-9.]*$", part["name"])
            self.assertEqual(len(bill["components"]), 8)
            self.assertEqual(output_of("python3", "-c", "import lightpath; print(lightpath.simulate('gpt3-125m', 'dgx-a100-8')"
                                       ".to_dict()['format_version'])", cwd="/", silent=True,
                                       env=dict(os.environ, PATH=f"{root}/usr/bin:{os.environ['PATH']}",
                                                PYTHONPATH=root / "usr/lib/python3/dist-packages")), "2\n")
            # The two runs of scripts/demo.
            for words in (["compare", "gpt3-175b", "dgx-a100-1024", "optical-substrate-1024"],
                          ["simulate", "gpt3-175b", "dgx-a100-1024"]):
                self.assertEqual(output_of(root / "usr/bin/lightpath", *words, cwd="/"),
                                 output_of(PROGRAM, *words, cwd="/"))


if __name__ == "__main__":
    unittest.main()
