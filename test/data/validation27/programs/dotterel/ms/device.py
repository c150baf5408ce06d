"""Memory and streams of a device, emulated: what the runtime says in the plog."""
import time, weakref
import numpy as np
from ms.log import plog


LIMIT, used = None, []


def alloc(mb, step):
    """a buffer that is written to; LIMIT is max_device_memory"""
    try:
        if LIMIT and sum(r() is not None for r in used) * mb + mb > LIMIT: raise MemoryError()
        b = np.empty(mb << 20, np.uint8); used.append(weakref.ref(b))
    except MemoryError:
        plog("ERROR", "RUNTIME", "npu_driver.cc:780",
            "[MallocHugePage]halMemAlloc failed: device_id=0, size=%d, drvRetCode=6" % (mb << 20))
        plog("ERROR", "RUNTIME", "api_error.cc:1106", "[DevMalloc]Allocate memory failed, size=%d, ErrorNo=207001(memory "
            "allocation failed)"
             % (mb << 20))
        raise RuntimeError("Device(id:0) memory isn't enough and alloc failed, kernel name: Default/AllocWorkspace-op%d, "
            "alloc size: %dB.\n\n%s\n- "
            "Ascend Error Message:\n%s\nEL0004: Failed to allocate memory. Possible Cause: Available memory is "
            "insufficient. Solution: Close "
            "applications not in use." % (step, mb << 20, "-" * 52, "-" * 52)) from None
    b[::4096] = 1
    return b


def busy(ms): time.sleep(ms / 1e3)
