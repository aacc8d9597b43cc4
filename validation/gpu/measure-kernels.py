#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the kernels of a Transformer's training step on this machine's GPU, with PyTorch.

    measure-kernels.py -o kernels.csv [--facts=facts.txt] [--seconds=300] [--only=product,...]

The file has the columns that `lightpath calibrate --kernels=` reads; rows whose kind is `named` and whose
name begins with "chain:" or "host:" are what software launches, and what its host takes.
"""
import argparse, subprocess, time

import torch
import torch.nn.functional as F
from small_kernels import chains, hosts, optimizers, streams, sustained
from timing import BF16, DEVICE, FP32, STREAM, Table, device_seconds, random, rotate

# --- products ---

def product(table, m, k, n, layout="nt", precision="bf16", note=""):
    """layout: nt is x W' (forward), nn is g W (to the input), tn is g' x (to the weight)."""
    try:
        if precision == "fp8":
            def make():
                return (random(m, k).to(torch.float8_e4m3fn), random(n, k).to(torch.float8_e4m3fn).t())
            one = torch.ones((), device=DEVICE)
            get = rotate(make, m * k + n * k)
            call = lambda: torch._scaled_mm(*get(), scale_a=one, scale_b=one, out_dtype=BF16, use_fast_accum=True)
        else:
            dtype = FP32 if precision in ("fp32", "tf32") else BF16

            def make():
                if layout == "nt":
                    return random(m, k, dtype=dtype), random(n, k, dtype=dtype).t()
                if layout == "nn":
                    return random(m, k, dtype=dtype), random(k, n, dtype=dtype)
                return random(k, m, dtype=dtype).t(), random(k, n, dtype=dtype)
            get = rotate(make, (m * k + n * k) * (4 if dtype == FP32 else 2))
            call = lambda: torch.mm(*get())
        table.add(kernel="product", m=m, k=k, n=n, count=1, precision=precision, seconds=device_seconds(call),
                  direction=layout, note=note)
    except Exception as error:
        table.fail(("product", m, k, n, layout, precision), error)


def products(table):
    seen = set()
    for h in (768, 1024, 1600, 2048, 3072, 4096, 8192):
        ffn = {1600: 6400, 768: 3072, 2048: 8192, 4096: 14336, 8192: 28672}.get(h, 4 * h)
        for t in (256, 512, 1024, 2048, 4096, 8192, 16384):
            if t * h > 16384 * 4096:
                continue
            for k, n in ((h, h), (h, ffn), (ffn, h), (h, 3 * h if h < 2048 else h + h // 2)):
                if table.late("product"):
                    return
                for layout, m_, k_, n_ in (("nt", t, k, n), ("tn", n, t, k)):
                    if (layout, m_, k_, n_) not in seen:
                        seen.add((layout, m_, k_, n_))
                        product(table, m_, k_, n_, layout)
    for h, v in ((768, 50257), (768, 50304), (2048, 32000), (2048, 128256), (896, 151936), (1536, 151936), (4096, 32000)):
        for t in (1024, 4096, 8192):
            for layout, m_, k_, n_ in (("nt", t, h, v), ("nn", t, v, h), ("tn", v, t, h)):
                product(table, m_, k_, n_, layout)
    for h in (896, 1536, 2048, 4096):
        for t in (256, 1024, 4096, 8192):
            product(table, t, h, 256, note="narrow")
            product(table, t, 4 * h, h, "nn")
    for h in (1024, 2048, 4096, 8192):
        ffn = {4096: 14336, 8192: 28672}.get(h, 4 * h)
        for t in (512, 1024, 2048, 4096, 8192):
            for k, n in ((h, h), (h, ffn), (ffn, h)):
                if not table.late("product"):
                    product(table, t, k, n, precision="fp8")
    for t, h in ((2048, 1024), (4096, 2048)):
        product(table, t, h, 4 * h, precision="fp32")


def batched(table):
    for b, s, d in ((96, 512, 64), (96, 1024, 64), (128, 1024, 128), (64, 2048, 128), (24, 2048, 64)):
        for m, k, n in ((s, d, s), (s, s, d)):
            if table.late("grouped"):
                return
            try:
                get = rotate(lambda: (random(b, m, k), random(b, k, n)), 2 * b * (m * k + k * n))
                table.add(kernel="named", name="chain:bmm", size=b, m=m, k=k, n=n, count=b, precision="bf16",
                          seconds=device_seconds(lambda: torch.bmm(*get())))
            except Exception as error:
                table.fail(("bmm", b, m, k, n), error)


def grouped(table):
    for e, rows, k, n in ((8, 128, 4096, 14336), (8, 512, 4096, 14336), (8, 2048, 4096, 14336), (8, 512, 14336, 4096),
                          (8, 1024, 1024, 3584), (8, 256, 1024, 3584), (8, 1024, 2048, 8192), (60, 64, 2048, 2816), (60, 256, 2048, 2816), (60, 256, 1408, 2048),
                          (64, 128, 2048, 2048), (128, 64, 2048, 1536), (128, 256, 2048, 1536), (128, 256, 768, 2048), (128, 1024, 2048, 1536), (256, 64, 7168, 2048)):
        if table.late("grouped"):
            return
        try:
            offs = torch.arange(rows, rows * e + 1, rows, device=DEVICE, dtype=torch.int32)
            get = rotate(lambda: (random(rows * e, k), random(e, n, k).transpose(-2, -1)), 2 * e * (rows * k + k * n))
            table.add(kernel="grouped", m=rows, k=k, n=n, count=e, precision="bf16", whose="torch", direction="nt",
                      seconds=device_seconds(lambda: torch._grouped_mm(*get(), offs=offs)))
        except Exception as error:
            table.fail(("grouped", e, rows, k, n), error)
        try:
            get = rotate(lambda: (random(rows * e, n).t(), random(rows * e, k)), 2 * e * rows * (k + n))
            table.add(kernel="grouped", m=n, k=rows, n=k, count=e, precision="bf16", whose="torch", direction="tn",
                      seconds=device_seconds(lambda: torch._grouped_mm(*get(), offs=offs)))
        except Exception as error:
            table.fail(("grouped tn", e, rows, k, n), error)


# --- attention ---

def attention(table):
    from torch.nn.attention import SDPBackend, sdpa_kernel
    backends = {"flash-2": SDPBackend.FLASH_ATTENTION, "cudnn": SDPBackend.CUDNN_ATTENTION,
                "efficient": SDPBackend.EFFICIENT_ATTENTION, "math": SDPBackend.MATH}
    cases = []
    for d in (64, 128, 256):
        for b, s in ((32, 256), (16, 512), (8, 1024), (4, 2048), (2, 4096), (1, 8192), (1, 16384)):
            cases.append((b, s, 2048 // d, 2048 // d, d, True))
    cases += [(8, 1024, 12, 12, 64, True), (4, 2048, 32, 8, 128, True), (1, 8192, 32, 8, 128, True), (4, 2048, 14, 2, 64, True),
              (4, 2048, 12, 2, 128, True), (1, 8192, 12, 2, 128, True), (8, 1024, 16, 16, 128, False), (4, 2048, 16, 16, 128, False),
              (2, 4096, 16, 16, 128, False), (1, 16384, 16, 16, 128, False), (4, 2048, 32, 32, 64, False), (1, 256, 16, 16, 128, True),
              (1, 1024, 16, 16, 128, True), (1, 2048, 12, 12, 64, True), (1, 1024, 32, 8, 64, True), (2, 2048, 25, 25, 64, True), (1, 4096, 32, 32, 128, True)]
    for b, s, a, kv, d, causal in cases:
        for whose, backend in backends.items():
            if table.late("attention") or (whose == "math" and s > 2048) or (whose == "efficient" and (s > 8192 or kv != a)) or (whose == "math" and kv != a):
                continue
            share = (s + 1) / (2 * s) if causal else 1.0
            row = dict(kernel="attention", m=s, n=s, count=b * a, precision="bf16", share=share, head_width=d, whose=whose,
                       note=f"batch {b} heads {a} kv {kv} causal {int(causal)}")
            try:
                with torch.cuda.stream(STREAM), sdpa_kernel(backend):
                    q, k, v = random(b, a, s, d, grad=True), random(b, kv, s, d, grad=True), random(b, kv, s, d, grad=True)
                    call = lambda: F.scaled_dot_product_attention(q, k, v, is_causal=causal, enable_gqa=kv != a)
                    with torch.no_grad():
                        table.add(k=2 * d, direction="forward", seconds=device_seconds(call), **row)
                    out = call()
                    g = torch.randn_like(out)
                    back = lambda: torch.autograd.grad(out, (q, k, v), g, retain_graph=True)
                    table.add(k=5 * d, direction="backward", seconds=device_seconds(back), **row)
                    del out, g
            except Exception as error:
                table.fail((whose, b, s, a, kv, d, causal), error)
    try:
        from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        flex = torch.compile(flex_attention, dynamic=False)
        for b, s, a, kv, d in ((8, 1024, 32, 32, 64), (4, 2048, 16, 16, 128), (1, 8192, 16, 16, 128), (4, 2048, 32, 8, 128)):
            if table.late("attention"):
                break
            try:
                mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, s, s, device=DEVICE)
                row = dict(kernel="attention", m=s, n=s, count=b * a, precision="bf16", share=(s + 1) / (2 * s), head_width=d,
                           whose="flex", note=f"batch {b} heads {a} kv {kv} causal 1")
                with torch.cuda.stream(STREAM):
                    q, k, v = random(b, a, s, d, grad=True), random(b, kv, s, d, grad=True), random(b, kv, s, d, grad=True)
                    call = lambda: flex(q, k, v, block_mask=mask, enable_gqa=kv != a)
                    out = call()
                    g = torch.randn_like(out)
                    back = lambda: torch.autograd.grad(out, (q, k, v), g, retain_graph=True)
                    table.add(k=5 * d, direction="backward", seconds=device_seconds(back), **row)
                    table.add(k=2 * d, direction="forward", seconds=device_seconds(call), **row)
            except Exception as error:
                table.fail(("flex", b, s, a, kv, d), error)
    except Exception as error:
        table.fail("flex", error)


def facts(path):
    import platform
    with open(path, "w") as out:
        out.write(f"date {time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}\npython {platform.python_version()}\ntorch {torch.__version__} cuda {torch.version.cuda} cudnn {torch.backends.cudnn.version()}\n")
        for name in ("transformers", "triton", "peft", "accelerate"):
            try:
                out.write(f"{name} {__import__('importlib.metadata').metadata.version(name)}\n")
            except Exception as error:
                out.write(f"{name} {error}\n")
        p = torch.cuda.get_device_properties(0)
        out.write(f"device {p.name} {p.multi_processor_count} multiprocessors {p.total_memory} B\n")
        out.write(f"seed 1\n")
        for command in (["nvidia-smi", "--query-gpu=name,driver_version,power.limit,clocks.max.sm,clocks.max.mem,clocks.sm,temperature.gpu,vbios_version,pcie.link.gen.max", "--format=csv"], ["lscpu"], ["uname", "-a"]):
            try:
                out.write(subprocess.run(command, capture_output=True, text=True, timeout=20).stdout + "\n")
            except Exception as error:
                out.write(f"{command}: {error}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="kernels.csv")
    parser.add_argument("--facts")
    parser.add_argument("--seconds", type=float, default=600, help="begin no further kernel after so many")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    torch.manual_seed(1)
    torch.cuda.set_stream(STREAM)  # inputs are made where they are read
    table = Table(options.output, time.time() + options.seconds, set(filter(None, options.only.split(","))))
    if options.facts:
        facts(options.facts)
    for part in (hosts, streams, attention, optimizers, chains, grouped, batched, products, sustained):
        begin = time.time()
        try:
            part(table)
        except Exception as error:
            table.fail(part.__name__, error)
        torch.cuda.synchronize()
        torch.cuda.empty_cache()
        print(f"{part.__name__}: {table.rows} rows, {table.failed} failed, {time.time() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
