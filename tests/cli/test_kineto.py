#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's profiles: made ones take the times that follow from their kernels, calls and collectives.

Environment: LIGHTPATH (the built program)."""
import gzip
import json
import pathlib
import random
import unittest

import test_program_by_hand

from command import refused, run

DOMAIN_S, DOMAIN_RATE = test_program_by_hand.DOMAIN_S, test_program_by_hand.DOMAIN_RATE
START_US = 4458677009853.25  # profiles count from a clock of the host


class Profile:
    """Events are added with microseconds from the start."""

    def __init__(self, rank=0, world_size=2, groups=True):
        self.events, self.n = [], 0
        self.head = {"rank": rank, "world_size": world_size}
        if groups:
            self.head["pg_config"] = [{"pg_name": "0", "pg_desc": "default_pg", "ranks": list(range(world_size))}]

    def call(self, at, length=2.0, name="cudaLaunchKernel"):
        self.n += 1
        self.events.append({"ph": "X", "cat": "cuda_runtime", "name": name, "ts": START_US + at, "dur": length,
                            "args": {"correlation": self.n}})
        return self

    def kernel(self, at, length, stream=7, cat="kernel", name="k", **args):
        """What the last call launched."""
        self.events.append({"ph": "X", "cat": cat, "name": name, "ts": START_US + at, "dur": length,
                            "args": {"stream": stream, "correlation": self.n, **args}})
        return self

    def collective(self, at, length, stream=20, n=12_500_000, name="allreduce", dtype="Float", **more):
        return self.kernel(at, length, stream, name="k", **{"Collective name": name, "In msg nelems": n, "Out msg nelems": n,
                                                  "dtype": dtype, "Process Group Name": "0", **more})

    def record(self, at, length, name="record_param_comms", cat="cpu_op", **args):
        """What the host says of the calls that stand in it."""
        self.events.append({"ph": "X", "cat": cat, "name": name, "ts": START_US + at, "dur": length, "args": args})
        return self

    def text(self):
        return json.dumps({"distributedInfo": self.head, "traceEvents": self.events})


def two_kernels():
    return Profile().call(0).kernel(5, 1000).call(3).kernel(1005, 500)


class Kineto(test_program_by_hand.Case):
    def write(self, text, name="rank-0.json"):
        path = self.folder / name
        path.write_text(text)
        return path

    def check_time(self, seconds, *profiles):
        paths = [self.write(profile.text(), f"rank-{i}.json") for i, profile in enumerate(profiles)]
        path = self.folder / "p.xml"
        self.taken("import", "kineto", *paths, "-o", path)
        for collapse, fidelity in test_program_by_hand.EVERY:
            found = self.simulate(path, f"--collapse={collapse}", f"--fidelity={fidelity}",
                                  "--set=library=single-ring")["simulated"]["iteration_time_s"]
            # Profiles have nanoseconds.
            self.assertAlmostEqual(found, seconds, delta=2e-9)

    def test_kernels(self):
        """One stream, whose kernels are launched ahead: from the first call on."""
        self.check_time(2e-6 + 1.5e-3, two_kernels())

    def test_host(self):
        """A kernel that is launched late starts late: idle time is not lost."""
        self.check_time(0.702e-3 + 100e-6, Profile().call(0).kernel(5, 200).call(700).kernel(705, 100))

    def test_synchronise(self):
        """The host waits, and needs its own time after that."""
        self.check_time(2e-6 + 1e-3 + 52e-6 + 100e-6, Profile().call(0).kernel(5, 1000)
                        .call(10, 1000, "cudaDeviceSynchronize").call(1060).kernel(1065, 100))

    def test_streams(self):
        """A kernel that was held by another stream waits for it; one that was not does not."""
        self.check_time(2e-6 + 1.5e-3, Profile().call(0).kernel(5, 1000).call(3).kernel(1006, 500, stream=9))
        self.check_time(2e-6 + 1e-3, Profile().call(0).kernel(5, 1000).call(3).kernel(8, 500, stream=9))

    def test_collective(self):
        """Its time is the machine's, not the profile's; one file stands for two equal ranks."""
        ring_s = 2 * (DOMAIN_S + 25e6 / DOMAIN_RATE)
        profile = two_kernels().call(6).collective(1505, 77777).call(9).kernel(1600, 100)
        # The last kernel ran beside it.
        self.check_time(2e-6 + 1.5e-3 + ring_s, profile)
        waits = two_kernels().call(6).collective(1505, 3000).call(9).kernel(4506, 100)
        self.check_time(2e-6 + 1.5e-3 + ring_s + 100e-6, waits)
        self.check_time(2e-6 + 1.5e-3 + ring_s + 100e-6, waits, waits)
        for dtype, n in (("BFloat16", 25_000_000), ("Double", 6_250_000), ("Byte", 50_000_000)):
            self.check_time(2e-6 + 1.5e-3 + ring_s, two_kernels().call(6).collective(1505, 9, n=n, dtype=dtype))
        told = {"Process Group Name": "5", "Process Group Ranks": "[0, 1]"}
        self.check_time(2e-6 + 1.5e-3 + ring_s, two_kernels().call(6).collective(1505, 9, **told))
        # Of an all-gather the output is the whole buffer, of a reduce-scatter the input.
        half_s = DOMAIN_S + 25e6 / DOMAIN_RATE
        for name, key in (("_allgather_base", "In msg nelems"), ("_reduce_scatter_base", "Out msg nelems")):
            self.check_time(2e-6 + 1.5e-3 + half_s,
                            two_kernels().call(6).collective(1505, 9, name=name, **{key: 6_250_000}))

    def test_messages(self):
        sender = Profile().call(0).kernel(5, 1000).call(3).collective(1005, 9, name="send", **{"Dst Rank": 1})
        receiver = Profile(1).call(0).collective(5, 1505, name="recv", **{"Src Rank": 0}).call(3).kernel(1511, 200)
        self.check_time(2e-6 + 1e-3 + DOMAIN_S + 50e6 / DOMAIN_RATE + 200e-6, sender, receiver)

    def test_records(self):
        """What kernels do not say of themselves, the host's operators around their calls do, or annotations by shapes."""
        ring_s = 2 * (DOMAIN_S + 25e6 / DOMAIN_RATE)
        nccl = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"
        said = {"Collective name": "allreduce", "In msg nelems": 12_500_000, "Out msg nelems": 12_500_000, "dtype": "Float",
                "Process Group Name": "0"}
        shapes = {"Input Dims": [[12_500_000]], "Input type": ["float"]}
        for records in ([(9, 20, {**said})], [(9, 20, {**said}), (11, 17, {**shapes, "name": "nccl:all_reduce", "cat": "user_annotation"})],
                        [(11, 17, {**shapes, "name": "nccl:all_reduce", "cat": "user_annotation"})],
                        [(11, 17, {**shapes, "Input Dims": [[2500, 4000], [2_500_000]], "name": "nccl:all_reduce", "cat": "user_annotation"})]):
            profile = two_kernels()
            for at, length, args in records:
                profile.record(at, length, **args)
            profile.call(12).kernel(1505, 77777, 20, name=nccl)
            with self.subTest(records=records):
                self.check_time(2e-6 + 1.5e-3 + ring_s, profile)
        # Of an all-gather the shapes are those of a rank's part.
        half_s = DOMAIN_S + 25e6 / DOMAIN_RATE
        gather = two_kernels().record(9, 20, "nccl:_all_gather_base", "user_annotation", **{**shapes, "Input Dims": [[6_250_000]]})
        self.check_time(2e-6 + 1.5e-3 + half_s, gather.call(12).kernel(1505, 9, 20, name=nccl))

    def test_unsized(self):
        """Communication of which nothing is said keeps its time, under a term of its own, and the import says so."""
        for name, term in (("ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclWorkElem)", "dp"),
                           ("void deep_ep::internode::dispatch<true>(int4*)", "ep"),
                           ("void dpsk::ep::internode::combine<false>(int4*)", "ep")):
            profile = Profile().call(0).kernel(5, 1000).call(6).kernel(1005, 300, 20, name=name)
            # A record that ended before the call, or of another thread, is of others.
            profile.record(1, 3, **{"Collective name": "allreduce", "In msg nelems": 1, "Out msg nelems": 1, "dtype": "Float"})
            path = self.folder / "p.xml"
            said = self.taken("import", "kineto", self.write(profile.text()), "-o", path)
            self.assertIn("1 kernels communicate", said)
            found = self.simulate(path)["simulated"]
            self.assertAlmostEqual(found["iteration_time_s"], 2e-6 + 1.3e-3, delta=2e-9)
            self.assertAlmostEqual(found["terms_s"][term], 300e-6, delta=2e-9)
            described, = self.described(profile)["profiles"]
            self.assertAlmostEqual(described["communicating_s"], 300e-6, delta=2e-9)
        self.assertNotIn("communicate", self.taken("import", "kineto", self.write(two_kernels().text()), "-o", path))

    def test_packed(self):
        """As PyTorch's handlers write them: packed, and called by worker and instant, so that the profile says its rank."""
        sender = Profile(0).call(0).kernel(5, 1000).call(3).collective(1005, 9, name="send", **{"Dst Rank": 1})
        receiver = Profile(1).call(0).collective(5, 1505, name="recv", **{"Src Rank": 0})
        paths = [self.folder / name for name in ("host_9.1732.pt.trace.json.gz", "host_8.1733.pt.trace.json.gz")]
        for path, profile in zip(paths, (receiver, sender)):
            path.write_bytes(gzip.compress(profile.text().encode()))
        program = self.folder / "p.xml"
        self.taken("import", "kineto", *paths, "-o", program)
        found = self.simulate(program)["simulated"]["iteration_time_s"]
        self.assertAlmostEqual(found, 2e-6 + 1e-3 + DOMAIN_S + 50e6 / DOMAIN_RATE, delta=2e-9)
        paths[0].write_bytes(gzip.compress(sender.text().encode()))
        done = run("import", "kineto", *map(str, paths))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn("with 2 files, wanted a file of each rank", done.stderr)

    def test_large(self):
        """Bombs and large files end in one line, and in the memory that they may take."""
        bomb, cut = self.folder / "rank-0.json.gz", gzip.compress(two_kernels().text().encode())[:-9]
        for content, part in ((gzip.compress(b" " * (300 << 20), 1), "unpack to more than 268435456 B"), (cut, "damaged gzip data")):
            bomb.write_bytes(content)
            done = run("import", "kineto", str(bomb))
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
            self.assertIn(part, done.stderr)

    def described(self, *profiles, words=()):
        paths = [self.write(profile.text(), f"rank-{i}.json") for i, profile in enumerate(profiles)]
        return json.loads(self.taken("describe", *paths, *words, "--format=json"))

    def test_describe(self):
        """By hand: products 0 to 1 ms, an all-reduce beside the second kernel, 0.2 ms of idle, a copy."""
        profile = (Profile().call(0).kernel(5, 1000, name="ampere_bf16_s16816gemm_bf16").call(3).collective(1005, 800)
                   .call(6).kernel(1005, 500, name="flash_fwd_kernel").call(9).kernel(2005, 100, name="elementwise_kernel")
                   .call(12).kernel(2105, 50, cat="gpu_memcpy", name="Memcpy DtoD (Device -> Device)"))
        found, = self.described(profile)["profiles"]
        wanted = {"span_s": 2155e-6, "computing_s": 1650e-6, "communicating_s": 800e-6, "overlap_s": 500e-6, "idle_s": 205e-6}
        for key, value in wanted.items():
            self.assertAlmostEqual(found[key], value, delta=2e-9, msg=key)
        self.assertAlmostEqual(found["computing_s"] + found["communicating_s"] - found["overlap_s"] + found["idle_s"], found["span_s"], delta=1e-9)
        for kind, time_us in (("products", 1000), ("attention", 500), ("others", 100), ("copies", 50), ("communication", 800)):
            self.assertEqual(found[kind]["kernels"], 1)
            self.assertAlmostEqual(found[kind]["time_s"], time_us * 1e-6, delta=2e-9, msg=kind)

    def test_describe_beside(self):
        """Beside a prediction, which is that of simulate; kernels by kind are those of the plan."""
        words = ("gpt3-125m", "dgx-a100-8", "--set=dp=8", "--set=tp=1", "--set=pp=1", "--set=global-batch=16", "--set=micro-batch=1")
        alone = json.loads(self.taken("simulate", *words, "--format=json"))["simulated"]
        found = self.described(two_kernels(), two_kernels(), words=(f"--workload={words[0]}", f"--platform={words[1]}", *words[2:]))
        self.assertEqual(len(found["profiles"]), 2)
        predicted, terms = found["predicted"], alone["terms_s"]
        self.assertAlmostEqual(predicted["span_s"], alone["iteration_time_s"], delta=1e-9)
        self.assertAlmostEqual(predicted["communicating_s"], sum(terms[key] for key in ("tp", "pp", "dp", "ep", "cp")), delta=1e-9)
        # Checks of gradients, and what tidies up around a step, are no kernels of layers.
        self.assertAlmostEqual(sum(predicted[kind]["time_s"] for kind in ("products", "attention", "others")) /
                               predicted["computing_s"], 1, delta=0.01)
        self.assertIn("products, summed", self.taken("describe", self.folder / "rank-0.json"))

    def test_kinds(self):
        """Names of kernels in public profiles, and in our own of an H100."""
        names = {
            "products": ["nvjet_sm90_tst_256x128_64x4_1x2_h_badd_coopA_NTT", "ampere_bf16_s16816gemm_bf16", "triton_tem_fused_mm_3",
                         "void cutlass::Kernel2<cutlass_75_tensorop_bf16_s1688gemm_bf16_128x128_tn_align1>(...)", "volta_scudnn_128x64_relu_small_nn_v1",
                         "void cudnn::cnn::conv2d_grouped_direct_kernel<false>", "Cijk_Ailk_Bljk_SB_MT64x64x16",
                         "void cutlass::device_kernel<dpsk::grouped_gemm::cuda::fp8_dptp128c_acc::GemmKernel>"],
            "attention": ["cudnn_generated_fort_native_sdpa_sm90_flash_bprop_wgmma_f16", "void flash::compute_attn_ws<Flash_fwd_kernel_traits<192>>",
                          "fmha_cutlassF_bf16_aligned_64x64_rf_sm80", "triton_tem_fused_flex_attention_7"],
            "others": ["triton_red_fused__log_softmax__log_softmax_backward_data__to_copy_add", "triton_poi_fused__scaled_dot_product_flash_attention_5",
                       "triton_per_fused_convolution_2", "void at::native::convert_element_type", "rotary_kernel",
                       "void at::native::(anonymous namespace)::multi_tensor_apply_kernel"],
            "copies": ["Memcpy DtoD (Device -> Device)", "Memset (Device)"],
            "communication": ["ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "void deep_ep::intranode::combine<__nv_bfloat16>",
                              "void dpsk::ep::internode::notify_dispatch<false, 8>", "rcclKernel_SendRecv", "nvshmemi_proxy"]}
        profile = Profile()
        for at, name in enumerate(name for of_kind in names.values() for name in of_kind):
            profile.call(at).kernel(at + 0.5, 1, name=name)
        found, = self.described(profile)["profiles"]
        self.assertEqual({kind: found[kind]["kernels"] for kind in names}, {kind: len(of_kind) for kind, of_kind in names.items()})

    def test_measured(self):
        """A step of four layers of Llama on an H100, compiled: replayed it takes what it took, and is described as its events say."""
        path = pathlib.Path(__file__).with_name("llama-4-layers-h100.json.gz")
        events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
        ran = sorted((event["ts"], event["ts"] + event["dur"], event["name"]) for event in events if event["cat"] not in ("cuda_runtime", "cuda_driver"))
        begin, busy, end = min(event["ts"] for event in events), 0.0, 0.0
        for start, stop, _ in ran:
            busy, end = busy + max(stop - max(start, end), 0.0), max(end, stop)
        found, = json.loads(self.taken("describe", path, "--format=json"))["profiles"]
        for key, wanted_us in (("computing_s", busy), ("idle_s", found["span_s"] * 1e6 - busy), ("communicating_s", 0.0)):
            self.assertAlmostEqual(found[key], wanted_us * 1e-6, delta=1e-8, msg=key)
        self.assertAlmostEqual(found["span_s"], (end - begin) * 1e-6, delta=1e-8)
        for kind, words in (("products", ("nvjet", "cutlass", "cublas")), ("attention", ("flash",)), ("copies", ("Memcpy", "Memset"))):
            wanted = [stop - start for start, stop, name in ran if any(word in name for word in words)]
            self.assertEqual(found[kind]["kernels"], len(wanted))
            self.assertAlmostEqual(found[kind]["time_s"], sum(wanted) * 1e-6, delta=1e-8, msg=kind)
        program = self.folder / "p.xml"
        self.taken("import", "kineto", path, "-o", program)
        self.assertAlmostEqual(self.simulate(program)["simulated"]["iteration_time_s"] / found["span_s"], 1.0, delta=0.01)

    def test_scaled(self):
        """On another accelerator kernels take what the ratio of rates is, by kind; collectives are simulated."""
        def time_s(*words):
            path = self.folder / "p.xml"
            self.taken("import", "kineto", self.folder / "rank-0.json", "-o", path, *words)
            return self.simulate(path, "--set=library=single-ring")["simulated"]["iteration_time_s"]

        def ratio(name):
            self.write(Profile(groups=False, world_size=1).call(0).kernel(5, 1000, name=name).text())
            plain = time_s() - 2e-6
            self.assertAlmostEqual(time_s("--from=a100-80", "--to=a100-80"), plain + 2e-6, delta=2e-9)
            return plain / (time_s("--from=a100-80", "--to=h100-sxm") - 2e-6)
        # Dense bf16 of 989 and 312 TFLOP/s, memory of 3.35 and 2.04 TB/s, and what kernels reach of them.
        self.assertTrue(2.2 < ratio("sm80_xmma_gemm_bf16") < 3.6, ratio("sm80_xmma_gemm_bf16"))
        self.assertTrue(1.2 < ratio("vectorized_elementwise_kernel") < 2.2)
        self.assertGreater(ratio("gemm"), ratio("Memcpy DtoD"))
        for words, part in ((("--from=a100-80",), "--from: got it alone"), (("--from=a100-80", "--to=nobody"), "--to: "),
                            (("--precision=fp8",), "--precision: got it alone"),
                            (("--from=a100-80", "--to=h100-sxm", "--precision=fp4"), "--precision: ")):
            done = run("import", "kineto", str(self.folder / "rank-0.json"), *words)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(part, done.stderr)

    def refused(self, wanted, *texts):
        paths = [self.write(text, f"rank-{i}.json") for i, text in enumerate(texts)]
        refused(wanted, "import", "kineto", *paths)

    def test_refused(self):
        self.refused("no event of category kernel", '{"traceEvents": []}')
        self.refused("no event of category kernel", "[]")
        self.refused("rank-0.json:1", '{"traceEvents": [')
        self.refused("without name, ts, dur and stream", '{"traceEvents": [{"cat": "kernel", "name": "k", "ts": 5}]}')
        self.refused("without Out msg nelems", two_kernels().call(9).kernel(1600, 9, **{"Collective name": "allgather", "dtype": "Float"}).text())
        self.refused('Collective name "gather"', Profile().call(0).collective(5, 9, name="gather").text())
        self.refused('dtype "Strange"', Profile().call(0).collective(5, 9, dtype="Strange").text())
        self.refused("without Dst Rank", Profile().call(0).collective(5, 9, name="send").text())
        many = Profile()
        for stream in range(1001):
            many.call(stream).kernel(stream + 1, 1, stream)
        self.refused("more than 1000 streams", many.text())
        part = {"Process Group Name": "5", "Process Group Ranks": "[0, 1]"}
        self.refused("wanted the files of all ranks", Profile(world_size=4).call(0).collective(5, 9, **part).text())
        self.refused("waits for ever", Profile().call(0).collective(5, 9).text(), two_kernels().text())

    def test_damaged(self):
        generator = random.Random(5)
        good = two_kernels().call(6).collective(1505, 3000).text().encode()
        path = self.folder / "rank-0.json"
        for _ in range(60):
            data = bytearray(good)
            data[generator.randrange(len(data))] = generator.randrange(256)
            path.write_bytes(data[:generator.randrange(len(data))] if generator.random() < 0.2 else data)
            done = run("import", "kineto", path, timeout=10)
            self.assertIn(done.returncode, (0, 1), data)
            self.assertEqual(done.stderr.count("\n"), done.returncode, (data, done.stderr))


if __name__ == "__main__":
    unittest.main()
