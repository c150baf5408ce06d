"""Draws which failed jobs are for validation and which for development, from the table alone (families and classes, no labels).

Draw k sorts the failed jobs of a family by the SHA-256 of "<k> <job id>" and takes the first half for validation (of an odd
number one more, in families by turns one less); the first draw that has every class in both halves holds.
"""
import hashlib
import itertools

import jobs as jobs_val


def halves(k):
    validation, development, odd = [], [], 0
    for family in sorted({s["family"] for s in jobs_val.JOBS}):
        failed = [s for s in jobs_val.JOBS if s["family"] == family and s["split"] == "f"]
        failed.sort(key=lambda s: hashlib.sha256(("%d %s" % (k, s["id"])).encode()).hexdigest())
        n = len(failed) // 2
        if len(failed) % 2:
            odd += 1
            n += odd % 2
        validation += failed[:n]
        development += failed[n:]
    return validation, development


def classes(jobs):
    return set(itertools.chain.from_iterable(s["classes"] for s in jobs))


def draw():
    for k in itertools.count():
        v, d = halves(k)
        if classes(v) == classes(d):
            return k, sorted(s["id"] for s in v), sorted(s["id"] for s in d)


if __name__ == "__main__":
    print("draw %d\nvalidation %s\ndevelopment %s" % tuple(x if isinstance(x, int) else " ".join(x) for x in draw()))
