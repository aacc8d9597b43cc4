# SPDX-License-Identifier: Apache-2.0
"""Streams, chains of small kernels, optimizers and hosts."""
import math, time

import torch
import torch.nn.functional as F
from timing import BF16, DEVICE, FP32, STREAM, device_seconds, random, rotate

# --- streams and chains of small kernels ---

def streams(table):
    for log in range(18, 31, 2):
        n = 1 << log
        if table.late("stream"):
            return
        try:
            get = rotate(lambda: random(n // 2), n)
            table.add(kernel="stream", bytes=2 * n, seconds=device_seconds(lambda: get().clone()), name="clone", direction="copy")
            table.add(kernel="stream", bytes=3 * n, seconds=device_seconds(lambda: torch.add(get(), get())), direction="add")
            x = get().view(-1, 2048)
            w = random(2048)
            table.add(kernel="sweep", bytes=2 * n, seconds=device_seconds(lambda: F.layer_norm(get().view(-1, 2048), (2048,), w, w)), direction="layer_norm")
            table.add(kernel="sweep", bytes=2 * n, seconds=device_seconds(lambda: F.softmax(get().view(-1, 2048), -1)), direction="softmax")
        except Exception as error:
            table.fail(("stream", n), error)


def rms_norm(x, w, eps=1e-6):  # the operations of LlamaRMSNorm, in its order
    dtype = x.dtype
    y = x.to(torch.float32)
    y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + eps)
    return w * y.to(dtype)


def rotate_half(x):
    half = x.shape[-1] // 2
    return torch.cat((-x[..., half:], x[..., :half]), dim=-1)


def rotary(q, k, cos, sin):
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def new_gelu(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


def swiglu(g, u):
    return F.silu(g) * u


def loss_upcast(logits, labels):  # logits.float(), shifted labels, mean
    return F.cross_entropy(logits.float(), labels)


def head_loss(x, w, labels):
    return F.cross_entropy(F.linear(x, w).float(), labels)


def chunked_loss(x, w, labels, chunks=8):
    return sum(F.cross_entropy(F.linear(a, w).float(), b, reduction="sum") for a, b in zip(x.chunk(chunks), labels.chunk(chunks))) / labels.numel()


def count_kernels(call):
    from torch.profiler import ProfilerActivity, profile
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as prof:
        call()
        torch.cuda.synchronize()
    events = [e for e in prof.profiler.kineto_results.events() if "CUDA" in str(e.device_type())]
    names = [e.name() for e in events if not e.name().startswith(("cuda", "cu"))]
    return len(names)


def chain(table, name, size, function, inputs, grads, note="", precision="bf16"):
    """Forward and backward device time, kernels, of a function of tensors."""
    try:
        with torch.cuda.stream(STREAM):
            call = lambda: function(*inputs)
            out = call()
            outs = [o for o in (out if isinstance(out, tuple) else (out,))]
            n = count_kernels(call)
            table.add(kernel="named", name="chain:" + name, size=size, direction="forward", precision=precision,
                      seconds=device_seconds(call), kernels=n, note=note)
            wants = [i for i, g in zip(inputs, grads) if g]
            if wants:
                gs = [torch.ones_like(o) if o.dim() == 0 else torch.randn_like(o) for o in outs]
                back = lambda: torch.autograd.grad(outs, wants, gs, retain_graph=True)
                back()
                n = count_kernels(back)
                table.add(kernel="named", name="chain:" + name, size=size, direction="backward", precision=precision,
                          seconds=device_seconds(back), kernels=n, note=note)
    except Exception as error:
        table.fail(("chain", name, size), error)
    torch.cuda.synchronize()


def chains(table):
    compiled = {}

    def fused(f):
        if f not in compiled:
            compiled[f] = torch.compile(f, dynamic=False)
        return compiled[f]
    for t, h, compile_ in ((512, 1024, False), (2048, 768, False), (2048, 2048, True), (8192, 2048, True), (8192, 4096, False), (16384, 1600, False)):
        if table.late("chain"):
            return
        torch._dynamo.reset()
        compiled.clear()
        ffn = 4 * h
        note = f"{t} x {h}"
        x, y, w = random(t, h, grad=True), random(t, h, grad=True), random(h, grad=True)
        b = random(h, grad=True)
        for tag, wrap in (("", lambda f: f),) + ((("compiled ", fused),) if compile_ else ()):
            chain(table, tag + "rms_norm llama", t * h, wrap(rms_norm), (x, w), (1, 1), note)
            chain(table, tag + "swiglu", t * ffn, wrap(swiglu), (random(t, ffn, grad=True), random(t, ffn, grad=True)), (1, 1), note)
            d = 64 if h % 128 else 128
            q = random(1, t, h // d, d, grad=True).transpose(1, 2)
            cs = [random(1, 1, t, d) for _ in range(2)]
            q0, k0 = random(1, t, h // d, d, grad=True), random(1, t, h // d, d, grad=True)
            chain(table, tag + "rotary", t * h, wrap(lambda a, c, p, r: rotary(a.transpose(1, 2), c.transpose(1, 2), p, r)), (q0, k0, *cs), (1, 1, 0, 0), note)
            chain(table, tag + "new_gelu", t * ffn, wrap(new_gelu), (random(t, ffn, grad=True),), (1,), note)
            chain(table, tag + "add norm", t * h, wrap(lambda a, c, g: rms_norm(a + c, g)), (x, y, w), (1, 1, 1), note)
            chain(table, tag + "layer_norm", t * h, wrap(lambda a, g, c: F.layer_norm(a, (h,), g, c)), (x, w, b), (1, 1, 1), note)
        chain(table, "rms_norm torch", t * h, lambda a, g: F.rms_norm(a, (h,), g, 1e-6), (x, w), (1, 1), note)
        chain(table, "layer_norm fp32", t * h, lambda a, g, c: F.layer_norm(a, (h,), g, c), tuple(random(*z.shape, dtype=FP32, grad=True) for z in (x, w, b)), (1, 1, 1), note, "fp32")
        chain(table, "residual", t * h, lambda a, c: a + c, (x, y), (1, 1), note)
        chain(table, "dropout", t * h, lambda a: F.dropout(a, 0.1, True), (x,), (1,), note)
        chain(table, "gelu", t * ffn, lambda a: F.gelu(a, approximate="tanh"), (random(t, ffn, grad=True),), (1,), note)
        chain(table, "bias", t * h, lambda a, c: a + c, (x, b), (1, 1), note)
        chain(table, "cast to bf16", t * h, lambda a: a.to(BF16), (random(t, h, dtype=FP32, grad=True),), (1,), note)
        chain(table, "transpose", t * h, lambda a: a.view(1, t, h // d, d).transpose(1, 2).contiguous(), (x,), (1,), note)
        for v in ((50257,) if h in (768, 1600) else (32000, 151936) if t <= 8192 and h <= 2048 else (32000,)):
            table_w = random(v, h, grad=True)
            ids = torch.randint(0, v, (t,), device=DEVICE)
            chain(table, f"embedding {v}", t * h, lambda e: F.embedding(ids, e), (table_w,), (1,), note)
            logits = random(t, v, grad=True)
            chain(table, f"loss {v}", t * v, lambda z: loss_upcast(z, ids), (logits,), (1,), note)
            if compile_:
                chain(table, f"compiled loss {v}", t * v, fused(lambda z: loss_upcast(z, ids)), (logits,), (1,), note)
                chain(table, f"head and loss {v}", t * v, lambda a, e: head_loss(a, e, ids), (x, table_w), (1, 1), note)
                chain(table, f"compiled head and loss {v}", t * v, fused(lambda a, e: head_loss(a, e, ids)), (x, table_w), (1, 1), note)
                chain(table, f"chunked head and loss {v}", t * v, lambda a, e: chunked_loss(a, e, ids), (x, table_w), (1, 1), note)
            del logits, table_w
        torch.cuda.empty_cache()
    for b, a, s in ((8, 12, 1024), (4, 16, 2048)):
        if table.late("chain"):
            return
        z = random(b, a, s, s, grad=True)
        chain(table, "softmax fp32", z.numel(), lambda q: F.softmax(q, dim=-1, dtype=FP32).to(BF16), (z,), (1,), f"{b} x {a} x {s} x {s}")
        chain(table, "softmax", z.numel(), lambda q: F.softmax(q, dim=-1), (z,), (1,), f"{b} x {a} x {s} x {s}")
        del z


def shapes_of(layers, h, ffn, v):
    out = [(v, h), (h,)]
    for _ in range(layers):
        out += [(h, h), (h, h), (h, h), (h, h), (ffn, h), (ffn, h), (h, ffn), (h,), (h,)]
    return out


def optimizers(table):
    for layers, h, ffn, v in ((12, 768, 3072, 50257), (24, 896, 4864, 151936), (16, 2048, 8192, 128256)):
        for dtype, word in ((FP32, "fp32"), (BF16, "bf16")):
            if table.late("optimizer"):
                return
            parameters = [torch.nn.Parameter(random(*s, dtype=dtype)) for s in shapes_of(layers, h, ffn, v)]
            for p in parameters:
                p.grad = torch.randn_like(p)
            size = sum(p.numel() for p in parameters)
            note = f"{len(parameters)} tensors"
            for name, options in (("for-loop", dict(foreach=False)), ("foreach", dict(foreach=True)), ("fused", dict(fused=True))):
                try:
                    optimizer = torch.optim.AdamW(parameters, lr=1e-4, **options)
                    for _ in range(2):
                        optimizer.step()
                    torch.cuda.synchronize()
                    times, hosts = [], []
                    for _ in range(5):
                        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                        torch.cuda._sleep(int(60e6 if name == "for-loop" else 20e6))
                        begin.record()
                        t0 = time.perf_counter()
                        optimizer.step()
                        hosts.append(time.perf_counter() - t0)
                        end.record()
                        torch.cuda.synchronize()
                        times.append(begin.elapsed_time(end) * 1e-3)
                    n = count_kernels(optimizer.step)
                    table.add(kernel="named", name="chain:adamw " + name, size=size, precision=word, seconds=sorted(times)[2], kernels=n, note=note)
                    table.add(kernel="named", name="host:adamw " + name, size=len(parameters), precision=word, seconds=sorted(hosts)[2], note=note)
                    del optimizer
                except Exception as error:
                    table.fail(("adamw", name, size), error)
            for name, call in (("clip_grad_norm", lambda: torch.nn.utils.clip_grad_norm_(parameters, 1e9)),):
                try:
                    n = count_kernels(call)
                    hosts, times = [], []
                    for _ in range(5):
                        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                        torch.cuda._sleep(int(20e6))
                        begin.record()
                        t0 = time.perf_counter()
                        call()
                        hosts.append(time.perf_counter() - t0)
                        end.record()
                        torch.cuda.synchronize()
                        times.append(begin.elapsed_time(end) * 1e-3)
                    table.add(kernel="named", name="chain:" + name, size=size, precision=word, seconds=sorted(times)[2], kernels=n, note=note)
                    table.add(kernel="named", name="host:" + name, size=len(parameters), precision=word, seconds=sorted(hosts)[2], note=note)
                except Exception as error:
                    table.fail((name, size), error)
            del parameters
            torch.cuda.empty_cache()


# --- hosts ---

def host_seconds(call, n=300, rounds=5):
    """Wall time a call, s, where the device has less to do than the host: call is of tiny tensors."""
    for _ in range(20):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(rounds):
        t0 = time.perf_counter()
        for _ in range(n):
            call()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - t0) / n)
    return sorted(times)[rounds // 2]


class Nest(torch.nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.inner = Nest(depth - 1) if depth else None

    def forward(self, x):
        return x if self.inner is None else self.inner(x)


def hosts(table):
    def host(name, call, n=300, per=1, note=""):
        if table.late("host"):
            return
        try:
            table.add(kernel="named", name="host:" + name, size=1, seconds=host_seconds(call, n) / per, note=note)
        except Exception as error:
            table.fail(("host", name), error)
    x, w = random(16, 64), random(64, 64)
    xg, wg = random(16, 64, grad=True), random(64, 64, grad=True)
    norm, linear = torch.nn.LayerNorm(64).to(DEVICE, BF16), torch.nn.Linear(64, 64).to(DEVICE, BF16)
    q = random(1, 2, 16, 64, grad=True)
    host("add, no gradient", lambda: x + x)
    host("add", lambda: xg + xg)
    host("view", lambda: xg.view(-1))
    host("transpose", lambda: xg.transpose(0, 1))
    host("linear, no gradient", lambda: F.linear(x, w))
    host("linear", lambda: F.linear(xg, wg))
    host("Linear module", lambda: linear(xg))
    host("LayerNorm module", lambda: norm(xg))
    host("empty module", (lambda nest: lambda: nest(x))(Nest(10)), per=11)
    host("rms_norm llama", lambda: rms_norm(xg, w[0]), note="6 kernels")
    host("scaled_dot_product_attention", lambda: F.scaled_dot_product_attention(q, q, q, is_causal=True))
    with torch.autocast("cuda", BF16):
        host("linear under autocast, bf16", lambda: F.linear(xg, wg))
        wf = random(64, 64, dtype=FP32, grad=True)
        xf = random(16, 64, dtype=FP32, grad=True)
        host("linear under autocast, fp32", lambda: F.linear(xf, wf))

    def deep(op, n=200):
        def forward():
            y = xg
            for _ in range(n):
                y = op(y)
            return y
        return forward
    for name, op in (("add", lambda y: y + x), ("linear", lambda y: F.linear(y, wg)), ("layer_norm", norm)):
        forward = deep(op)
        host(f"forward {name} of 200", forward, n=4, per=200)
        host(f"forward and backward {name} of 200", lambda: forward().sum().backward(), n=4, per=200)
    from torch.utils.checkpoint import checkpoint
    host("checkpoint", lambda: checkpoint(lambda y: y + x, xg, use_reentrant=False))
    host("item", lambda: x[0, 0].item())
    for name, f in (("compiled function", lambda a: a * 2 + 1), ):
        compiled = torch.compile(f)
        host(name, lambda: compiled(x))
        host(name + " with gradient", lambda: compiled(xg))
    try:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            y = x
            for _ in range(1000):
                y = y + x
        host("graph replay of 1000", graph.replay, n=10, per=1000, note="device time of a kernel within a graph")
    except Exception as error:
        table.fail("graph", error)
    # kernels that wait in the stream's queue: device time from one to the next
    try:
        for name, op in (("add", lambda: torch.add(x, x)), ("linear", lambda: torch.mm(x, w))):
            times = []
            for _ in range(5):
                begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
                torch.cuda._sleep(int(20e6))
                begin.record()
                for _ in range(400):
                    op()
                end.record()
                torch.cuda.synchronize()
                times.append(begin.elapsed_time(end) * 1e-3 / 400)
            table.add(kernel="named", name="host:queued " + name, size=1, seconds=sorted(times)[2], note="device time from one small kernel to the next, all queued")
    except Exception as error:
        table.fail("queued", error)


def sustained(table, seconds=4.0):
    """A product of 8,192 sides, from the first to what the power limit leaves."""
    try:
        a, b = random(8192, 8192), random(8192, 8192)
        torch.mm(a, b)
        torch.cuda.synchronize()
        t_begin = time.time()
        while time.time() - t_begin < seconds:
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
            for _ in range(100):
                torch.mm(a, b)
            end.record()
            torch.cuda.synchronize()
            table.add(kernel="named", name="chain:sustained product 8192", size=time.time() - t_begin, m=8192, k=8192, n=8192,
                      seconds=begin.elapsed_time(end) * 1e-3 / 100, precision="bf16")
    except Exception as error:
        table.fail("sustained", error)
