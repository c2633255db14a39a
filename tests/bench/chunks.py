# SPDX-License-Identifier: Apache-2.0
# The exact path's chunk model as one would write it with numpy: a 1F1B pipeline of 16 ranks and 32 micro-batches, three
# draws a chunk (compute, communication, transfer) from tables by upper-tail mass, factors by rank, times in 32-bit floats,
# vectorised over trials and replicas. One thread, numpy's own generator. Prints chunks a second.
import json
import time

import numpy as np

RANKS, MICRO_BATCHES, REPLICAS, TRIALS = 16, 32, 512, 8
SIDE, MANTISSA_BITS = 48 << 5, 5


def table(rng):
    """Buckets (value, slope) of the two sides, as many as the engine's tables have."""
    return (rng.random(2 * SIDE, dtype=np.float32), rng.random(2 * SIDE, dtype=np.float32) * np.float32(1e-10))


def draw(rng, law, lanes):
    word = rng.integers(0, 2**32, size=lanes, dtype=np.uint32)
    upper = word >> np.uint32(31)
    mass = ((word ^ (np.uint32(0) - upper)) | np.uint32(1)).view(np.int32).astype(np.float32)
    index = (mass.view(np.uint32) >> np.uint32(23 - MANTISSA_BITS)) - np.uint32(127 << MANTISSA_BITS)
    index += upper * np.uint32(SIDE)
    return law[0].take(index) + law[1].take(index) * mass


def order():
    """(rank, pass) of every chunk, each after what it waits for."""
    plan = []
    for rank in range(RANKS):
        ahead = min(RANKS - rank - 1, MICRO_BATCHES)
        steps = ["f"] * ahead
        for _ in range(MICRO_BATCHES - ahead):
            steps += ["f", "b"]
        plan.append(steps + ["b"] * ahead)
    done = {"f": [0] * RANKS, "b": [0] * RANKS}
    at = [0] * RANKS
    tasks = []
    while len(tasks) < 2 * RANKS * MICRO_BATCHES:
        for rank in range(RANKS):
            while at[rank] < len(plan[rank]):
                step = plan[rank][at[rank]]
                count = done[step][rank]
                neighbour = rank - 1 if step == "f" else rank + 1
                if 0 <= neighbour < RANKS and done[step][neighbour] <= count:
                    break
                done[step][rank] += 1
                at[rank] += 1
                tasks.append((rank, step))
    return tasks


def main():
    rng = np.random.Generator(np.random.SFC64(1))
    lanes = REPLICAS * TRIALS
    laws = [[table(rng) for _ in range(3)] for _ in range(2 * RANKS)]
    factor = 1 + np.float32(0.03) * rng.random((2, RANKS, lanes), dtype=np.float32)
    tasks = order()
    start = time.perf_counter()
    free = np.zeros((RANKS, lanes), np.float32)
    link = np.zeros((2, RANKS, lanes), np.float32)
    arrivals = {}
    for rank, step in tasks:
        backward = step == "b"
        compute, communication, transfer = laws[2 * rank + backward]
        duration = draw(rng, compute, lanes) * factor[0, rank]
        duration += draw(rng, communication, lanes) * factor[1, rank]
        waiting = arrivals.get((rank, step))
        if waiting:
            np.maximum(free[rank], waiting.pop(0), out=free[rank])
        free[rank] += duration
        to = rank - 1 if backward else rank + 1
        if 0 <= to < RANKS:
            sent = np.maximum(link[int(backward), rank], free[rank])
            sent += draw(rng, transfer, lanes) * factor[1, rank]
            link[int(backward), rank] = sent
            arrivals.setdefault((to, step), []).append(sent)
    seconds = time.perf_counter() - start
    print(json.dumps({"chunks_per_s": len(tasks) * lanes / seconds}))


main()
