# SPDX-License-Identifier: Apache-2.0
"""What measure-kernels.py and its parts time with."""
import csv, time

import torch

COLUMNS = ("kernel m k n count precision bytes share head_width whose seconds name size "
           "direction kernels note").split()
BF16, FP32 = torch.bfloat16, torch.float32
DEVICE = "cuda"


class Table:
    def __init__(self, path, deadline, only):
        self.file = open(path, "w", newline="")
        self.out = csv.DictWriter(self.file, COLUMNS, restval="")
        self.out.writeheader()
        self.deadline, self.only, self.rows, self.failed = deadline, only, 0, 0

    def late(self, kind):
        return time.time() > self.deadline or (self.only and kind not in self.only)

    def add(self, **row):
        row = {k: (f"{v:.6g}" if isinstance(v, float) else v) for k, v in row.items()}
        self.out.writerow(row)
        self.file.flush()
        self.rows += 1

    def fail(self, what, error):
        self.failed += 1
        print("failed", what, type(error).__name__, str(error).split("\n")[0][:160], flush=True)


STREAM = torch.cuda.Stream() if torch.cuda.is_available() else None


def device_seconds(call, target_s=0.008, rounds=5):
    """Median device time of a call, s: replays of a CUDA graph of several, else a queue of them."""
    with torch.cuda.stream(STREAM):
        for _ in range(2):
            call()
        STREAM.synchronize()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record(STREAM)
        call()
        end.record(STREAM)
        STREAM.synchronize()
        once = max(begin.elapsed_time(end) * 1e-3, 2e-6)
        n = max(1, min(200, int(target_s / once)))
        graph = None
        try:
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph, stream=STREAM):
                for _ in range(n):
                    call()
            run = graph.replay
        except Exception:
            graph = None
            torch.cuda.synchronize()

            def run():
                for _ in range(n):
                    call()
        run()
        times = []
        for _ in range(rounds):
            begin.record(STREAM)
            run()
            end.record(STREAM)
            STREAM.synchronize()
            times.append(begin.elapsed_time(end) * 1e-3 / n)
        del graph
    return sorted(times)[len(times) // 2]


def rotate(make, bytes_each, most=6):
    """Makers of inputs, enough of them that a call finds none in the cache."""
    n = max(1, min(most, int(2e8 / max(bytes_each, 1)) + 1))
    sets, state = [make() for _ in range(n)], [0]

    def next_set():
        state[0] = (state[0] + 1) % n
        return sets[state[0]]
    return next_set


def random(*shape, dtype=BF16, grad=False):
    return torch.randn(*shape, device=DEVICE, dtype=dtype).requires_grad_(grad)
