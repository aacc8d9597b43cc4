#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the steps as rows of lightpath validate: rows.py h100|h200 [RESULTS.jsonl...] > steps.csv"""
import csv, json, sys
from cases import SHAPES, steps, title
COLUMNS = "id source publisher where kind model framework machine workload iteration_s memory_GB iteration_origin inferred unchecked refused group note".split()
results, card = {}, sys.argv[1]
for path in sys.argv[2:]:
    for line in open(path):
        r = json.loads(line)
        if r.get("step_s"):
            results[r["id"]] = r
out = csv.DictWriter(sys.stdout, COLUMNS, restval="", lineterminator="\n")
out.writeheader()
for c in steps(card):
    family, layers, hidden, heads, kv, width, ffn, vocab, tied, more = SHAPES[c["shape"]]
    w = [f"layers={layers} hidden={hidden} heads={heads}"]
    w += [f"kv-heads={kv}"] if kv != heads else []
    w += [f"head-width={width}"] if width * heads != hidden else []
    w += [f"ffn={ffn} ffn-kind={'gelu' if family in ('gpt2', 'gpt_neox') else 'swiglu'} positions={'learned' if family == 'gpt2' else 'rotary'}"]
    w += [f"vocab={vocab} tied-embeddings={'yes' if tied else 'no'} seq={c['seq']}"]
    w += ["bias=qkv"] if family in ("qwen2", "qwen2_moe") else []
    w += ["parallel-blocks=yes dropout=no"] if family == "gpt_neox" else []
    w += ["head-norms=yes"] if family in ("qwen3", "qwen3_moe") else []
    if more:
        w += [f"experts={more['experts']} top-k={more['top']} expert-ffn={more['expert_ffn']}"]
        w += [f"shared-experts={more['shared']}"] if "shared" in more else []
    w += ["attention=" + {"sdpa": "flash", "eager": "unfused"}.get(c["attention"], c["attention"])]
    w += [f"tp=1 pp=1 cp=1 ep=1 dp=1 micro-batch={c['batch']} global-batch={c['batch'] * c['accumulate']} precision=bf16"]
    w += ["optimizer=adam-bf16 gradient-precision=bf16"] if c["precision"] == "bf16" else ["gradient-precision=fp32 autocast=yes"]
    w += ["eager-optimizer=no step-bytes=0"] if c["optimizer"] == "fused" else []
    w += ["kernels=fused fused-loss=yes eager-norms=no eager-rotary=no rotary-slices=no"] if c["compile"] else []
    w += ["gelu-steps=yes"] if family == "gpt2" and not c["compile"] else []
    w += ["recompute=full"] if c["ckpt"] else ["recompute=none"]
    w += ["expert-loop=yes experts-one-by-one=yes experts-kernel=products"] if c["experts"] == "eager" else []
    w += ["lora-rank=16 lora-targets=attention"] if c["lora"] else []
    r = results.get(c["id"], {})
    out.writerow(dict(
        id=c["id"], source="Lightpath's own, transformers on one " + card.upper(), publisher="Lightpath", where="validation/gpu: measured with steps.py",
        kind="training", model=c["shape"], framework="transformers-5",
        machine=f"system=generic accelerators=1 accelerator={dict(h100='h100-sxm').get(card, card)} domain-size=1 domain-bandwidth=450GBps",
        workload=" ".join(w) + " memory-reserve=0B", iteration_s=f"{r['step_s']:.6g}" if r else "1",
        iteration_origin="measured (median of steps)" if r else "not yet measured",
        note=title(c)))
