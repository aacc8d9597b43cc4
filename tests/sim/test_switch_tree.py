#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All-reduces by switches inside domains and a tree between them, at once: what ports carry, and what the
busiest of them needs."""
import json
import unittest

from test_circuits import Machines, opus
from command import run

PLAIN = "--system=generic --domain-latency=0s --scale-out-latency=0s --topology=crossbar --nics-per-domain=8 "


class SwitchTrees(Machines):
    def run_it(self, domains, domain_gbps, card_gbps, size, *words):
        file = self.generate("m.xml", f"{PLAIN}--accelerators={8 * domains} --domain-size=8 "
                             f"--domain-bandwidth={domain_gbps}GBps --nic-bandwidth={card_gbps}GBps")
        done = run("collective", "all-reduce", file, "--algorithm=in-network+tree", "--library=single-ring",
                   f"--bytes={size}B", "--format=json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_volumes(self):
        """A port within a domain carries all of a member's data and its eighth of the sum, each way. Every
        channel's heads, one in each domain, send its eighth up a tree and down again: 2 (domains - 1) times."""
        for domains in (2, 3, 4, 7):
            size = 8 * 9000
            flows = self.run_it(domains, 450, 50, size, "--flows")["flows"]
            inside, between = {}, 0
            for flow in flows:
                if flow["from"] // 8 == flow["to"] // 8:
                    inside[flow["from"]] = inside.get(flow["from"], 0) + flow["bytes"]
                else:
                    self.assertEqual(flow["from"] % 8, flow["to"] % 8)
                    between += flow["bytes"]
            self.assertEqual(set(inside.values()), {size + size // 8})
            self.assertEqual(len(inside), 8 * domains)
            self.assertEqual(between, 2 * (domains - 1) * size)

    def test_rates(self):
        """Both levels work at once: large ones take what the busier of them needs, and the pipeline's filling.
        Two domains send an eighth each way; in four, by their double tree, a head has half of its channel
        from two children and to its parent in one tree, and is a leaf in the other: 3/2 and 1/2."""
        size = 4 * 10**9
        for fidelity in ("flow", "message"):
            for domains, shares in ((2, 1.0), (4, 2.0)):
                for domain_gbps, card_gbps in ((450, 50), (450, 400), (100, 50)):
                    took_s = self.run_it(domains, domain_gbps, card_gbps, size, f"--fidelity={fidelity}")["runs"][0]["time_s"]
                    bound_s = max(9 / 8 * size / domain_gbps, shares * size / 8 / card_gbps) / 1e9
                    self.assertGreaterEqual(took_s, bound_s * (1.0 - 1e-9))
                    self.assertLessEqual(took_s, bound_s * 1.03, f"{domains} {domain_gbps} {card_gbps} {fidelity}")


if __name__ == "__main__":
    unittest.main()
