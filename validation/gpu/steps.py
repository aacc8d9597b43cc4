#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures training steps of transformers' models with random weights on this machine's GPU.

    steps.py -o steps.jsonl [--seconds=500] [--only=own-h100-01,...] [--smoke] [--traces=DIR]
"""
import argparse, gc, json, os, statistics, sys, time, traceback

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import torch
import transformers
from cases import SHAPES, steps

DEVICE = "cuda"


def config_of(c, layers=None):
    family, n, hidden, heads, kv, width, ffn, vocab, tied, more = SHAPES[c["shape"]]
    n = layers or n
    if family == "gpt2":
        return transformers.GPT2Config(vocab_size=vocab, n_positions=max(1024, c["seq"]), n_embd=hidden, n_layer=n, n_head=heads,
                                       tie_word_embeddings=tied, use_cache=False)
    words = dict(vocab_size=vocab, hidden_size=hidden, intermediate_size=ffn, num_hidden_layers=n, num_attention_heads=heads,
                 num_key_value_heads=kv, max_position_embeddings=max(4096, c["seq"]), tie_word_embeddings=tied, use_cache=False)
    if family == "llama":
        return transformers.LlamaConfig(head_dim=width, **words)
    if family == "qwen2":
        return transformers.Qwen2Config(**words)
    if family == "gpt_neox":
        words.pop("num_key_value_heads")
        return transformers.GPTNeoXConfig(**words)
    if family == "qwen3":
        return transformers.Qwen3Config(head_dim=width, **words)
    if family == "mixtral":
        return transformers.MixtralConfig(num_local_experts=more["experts"], num_experts_per_tok=more["top"], head_dim=width, **words)
    if family == "qwen3_moe":
        return transformers.Qwen3MoeConfig(head_dim=width, num_experts=more["experts"], num_experts_per_tok=more["top"], norm_topk_prob=True,
                                           moe_intermediate_size=more["expert_ffn"], **words)
    return transformers.Qwen2MoeConfig(num_experts=more["experts"], num_experts_per_tok=more["top"], moe_intermediate_size=more["expert_ffn"],
                                       shared_expert_intermediate_size=more["expert_ffn"] * more["shared"], **words)


def model_of(c, layers=None):
    config = config_of(c, layers)
    dtype = torch.bfloat16 if c["precision"] == "bf16" else torch.float32
    words = dict(attn_implementation=c["attention"], dtype=dtype)
    if c["experts"]:
        words["experts_implementation"] = c["experts"]
    with torch.device(DEVICE):
        try:
            model = transformers.AutoModelForCausalLM.from_config(config, **words)
        except TypeError:
            words.pop("experts_implementation", None)
            words["torch_dtype"] = words.pop("dtype")
            model = transformers.AutoModelForCausalLM.from_config(config, **words)
            if c["experts"]:
                model.set_experts_implementation(c["experts"])
    model = model.to(DEVICE)
    if c["precision"] == "bf16":
        model = model.to(torch.bfloat16)
    model.config.use_cache = False
    if c["lora"]:
        import peft
        if c["ckpt"]:
            model.enable_input_require_grads()
        model = peft.get_peft_model(model, peft.LoraConfig(r=16, lora_alpha=32, lora_dropout=0.0, task_type="CAUSAL_LM",
                                                           target_modules=["q_proj", "k_proj", "v_proj", "o_proj"]))
    if c["ckpt"]:
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    model.train()
    return model


class Run:
    def __init__(self, c, layers=None):
        self.c, torch_model = c, model_of(c, layers)
        self.parameters = [p for p in torch_model.parameters() if p.requires_grad]
        self.n_parameters = sum(p.numel() for p in torch_model.parameters())
        self.implementation = getattr(torch_model.config, "_attn_implementation", "")
        self.experts = getattr(torch_model.config, "_experts_implementation", "") if c["experts"] else ""
        self.model = torch.compile(torch_model) if c["compile"] else torch_model
        self.optimizer = torch.optim.AdamW(self.parameters, lr=1e-5, **(dict(fused=True) if c["optimizer"] == "fused" else {}))
        self.ids = torch.randint(0, torch_model.config.vocab_size, (c["batch"], c["seq"]), device=DEVICE)
        self.marker = False

    def mark(self):
        if self.marker:
            torch.cuda._sleep(1000)

    def forward(self):
        if self.c["precision"] == "autocast":
            with torch.autocast("cuda", torch.bfloat16):
                loss = self.model(input_ids=self.ids, labels=self.ids).loss
        else:
            loss = self.model(input_ids=self.ids, labels=self.ids).loss
        return loss / self.c["accumulate"] if self.c["accumulate"] > 1 else loss

    def update(self):
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        self.mark()
        self.optimizer.step()
        self.optimizer.zero_grad()

    def step(self):
        for _ in range(self.c["accumulate"]):
            loss = self.forward()
            self.mark()
            loss.backward()
            self.mark()
        self.update()
        self.mark()
        return loss


def kernels_of(run):
    """Kernels of one step by phase and name: [count, us]; busy time of the device, s."""
    from torch.profiler import ProfilerActivity, profile
    run.marker = True
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as prof:
        run.step()
        torch.cuda.synchronize()
    run.marker = False
    events = [(e.start_ns(), e.duration_ns(), e.name()) for e in prof.profiler.kineto_results.events() if "CUDA" in str(e.device_type())]
    events = sorted(e for e in events if not e[2].startswith(("cuda", "Context", "Command", "Event", "Stream")))
    phases, phase, found = ["forward", "backward"] * run.c["accumulate"] + ["clip", "optimizer", "rest"], 0, {}
    busy, until = 0, 0
    for start, duration, name in events:
        if "spin_kernel" in name:
            phase = min(phase + 1, len(phases) - 1)
            continue
        cell = found.setdefault(phases[phase], {}).setdefault(name[:150], [0, 0.0])
        cell[0] += 1
        cell[1] += duration / 1e3
        busy += max(0, start + duration - max(start, until))
        until = max(until, start + duration)
    return {p: {k: [v[0], round(v[1], 1)] for k, v in names.items()} for p, names in found.items()}, busy * 1e-9


def measure(c, warm=3, timed=10, profile=True):
    torch.manual_seed(1)
    begin = time.time()
    run = Run(c)
    built = time.time() - begin
    for _ in range(warm):
        loss = run.step()
    torch.cuda.synchronize()
    warmed = time.time() - begin - built
    torch.cuda.reset_peak_memory_stats()
    t0 = time.perf_counter()
    run.step()
    torch.cuda.synchronize()
    once = time.perf_counter() - t0
    timed = max(8, min(30, int(2.0 / once))) if not c.get("smoke") else 2
    events = [torch.cuda.Event(enable_timing=True) for _ in range(timed + 1)]
    events[0].record()
    for i in range(timed):
        loss = run.step()
        events[i + 1].record()
    torch.cuda.synchronize()
    times = sorted(a.elapsed_time(b) * 1e-3 for a, b in zip(events, events[1:]))
    hosts = []
    if c["accumulate"] == 1:
        for _ in range(3):
            torch.cuda.synchronize()
            t = [time.perf_counter()]
            loss = run.forward(); t.append(time.perf_counter())
            loss.backward(); t.append(time.perf_counter())
            torch.cuda.synchronize(); t.append(time.perf_counter())
            torch.nn.utils.clip_grad_norm_(run.parameters, 1.0); t.append(time.perf_counter())
            run.optimizer.step(); t.append(time.perf_counter())
            run.optimizer.zero_grad(); t.append(time.perf_counter())
            torch.cuda.synchronize(); t.append(time.perf_counter())
            hosts.append([b - a for a, b in zip(t, t[1:])])
    host = [statistics.median(h) for h in zip(*hosts)] if hosts else []
    result = dict(id=c["id"], shape=c["shape"], step_s=statistics.median(times), fastest_s=times[0], slowest_s=times[-1], steps=timed, first_synchronised_s=once,
                  loss=float(loss), parameters=run.n_parameters, attention=run.implementation, experts=run.experts,
                  peak_allocated=torch.cuda.max_memory_allocated(), peak_reserved=torch.cuda.max_memory_reserved(),
                  held=torch.cuda.memory_allocated(), built_s=round(built, 2), warmed_s=round(warmed, 2))
    if host:
        result["host_s"] = dict(zip(("forward", "backward", "wait", "clip", "optimizer", "zero_grad", "wait_again"), (round(h, 6) for h in host)))
    if profile:
        try:
            result["kernels"], result["busy_s"] = kernels_of(run)
        except Exception as error:
            result["profile_error"] = str(error)[:200]
    return result


def clear():
    gc.collect()
    torch._dynamo.reset()
    gc.collect()
    torch.cuda.empty_cache()


def trace(c, layers, path, execution=None):
    """One step as Kineto sees it, with hosts' operations, compressed."""
    import gzip, shutil, tempfile
    from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile
    run = Run(c, layers)
    for _ in range(3):
        run.step()
    torch.cuda.synchronize()
    observer = ExecutionTraceObserver().register_callback(execution) if execution else None
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True, execution_trace_observer=observer) as prof:
        run.step()
        torch.cuda.synchronize()
    with tempfile.TemporaryDirectory() as folder:
        name = os.path.join(folder, "trace.json")
        prof.export_chrome_trace(name)
        with open(name, "rb") as a, gzip.open(path, "wb", 9) as b:
            shutil.copyfileobj(a, b)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", default="steps.jsonl")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="")
    parser.add_argument("--set", default="h100", help="h100 or h200 of cases.py")
    parser.add_argument("--traces")
    parser.add_argument("--smoke", action="store_true", help="only say which kinds run, two layers each")
    options = parser.parse_args()
    deadline = time.time() + options.seconds
    print(torch.__version__, transformers.__version__, torch.cuda.get_device_name(0), flush=True)
    only, skip = set(filter(None, options.only.split(","))), set(filter(None, options.skip.split(",")))
    if options.smoke:
        seen = set()
        for c in steps(options.set):
            kind = (SHAPES[c["shape"]][0], c["attention"], c["precision"], c["compile"], c["ckpt"], c["lora"], c["experts"])
            if kind in seen or time.time() > deadline:
                continue
            seen.add(kind)
            try:
                run = Run(dict(c, batch=1, seq=256), layers=2)
                run.step()
                run.step()
                torch.cuda.synchronize()
                names, _ = kernels_of(run)
                print("ran", kind, run.implementation, run.experts, {p: sum(v[0] for v in n.values()) for p, n in names.items()}, flush=True)
            except Exception as error:
                print("failed", kind, type(error).__name__, str(error)[:300].replace("\n", " "), flush=True)
                traceback.print_exc(limit=-4)
            run = None
            clear()
        return
    if options.traces:
        os.makedirs(options.traces, exist_ok=True)
        by = {c["id"]: c for c in steps()}
        for id_, layers, batch, seq, name, et in (("own-h100-01", 4, 4, 512, "gpt2-4-layers", True), ("own-h100-09", 4, 1, 1024, "llama-4-layers-compiled", False),
                                                  ("own-h100-07", 2, 1, 512, "qwen3-moe-2-layers", False)):
            try:
                trace(dict(by[id_], batch=batch, seq=seq), layers, os.path.join(options.traces, name + ".json.gz"),
                      os.path.join(options.traces, name + ".et.json") if et else None)
                print("trace", name, flush=True)
            except Exception as error:
                print("trace failed", name, str(error)[:300], flush=True)
            clear()
    with open(options.output, "a") as out:
        for c in steps(options.set):
            if (only and c["id"] not in only) or c["id"] in skip:
                continue
            if time.time() > deadline:
                print("left out", c["id"], flush=True)
                continue
            begin = time.time()
            try:
                result = measure(c)
            except Exception as error:
                result = dict(id=c["id"], shape=c["shape"], error=f"{type(error).__name__}: {error}"[:400])
            clear()
            result["whole_s"] = round(time.time() - begin, 1)
            out.write(json.dumps(result) + "\n")
            out.flush()
            print(result["id"], result["shape"], result.get("step_s"), result.get("busy_s"), result.get("error", ""), result["whole_s"], flush=True)


if __name__ == "__main__":
    main()
