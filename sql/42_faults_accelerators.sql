/*
 * Built-in faults. A pattern is matched against one record, which may have several lines. The role says whether a fault may be
 * what a failure began with (root), follows from another failure (cascade), says again what is known otherwise (confirmation),
 * or is what successful jobs print too and silences its records (benign, category noise). Several faults may match one record
 * (a library error and the general wording of it): the priority is 100 for a certain fault, 200 for a general wording, 300 and
 * 400 for what nearly every failure prints.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, builtin)
VALUES
	('cuda_ecc', 'Program met a GPU memory error', 'hardware', 'accelerator', 'critical', 'root', 100,
		'uncorrectable ECC error encountered|CUDA_ERROR_ECC_UNCORRECTABLE',
		'The memory of the GPU that this process uses is faulty.',
		'Find the GPU from the rank, confirm with the ECC counters of nvidia-smi, take the node out and reset; replace on '
		'return.', true),
	('cuda_illegal_access', 'Illegal GPU memory access', 'user', 'program_bug', 'error', 'root', 100,
		'an illegal memory access was encountered|CUDA_ERROR_ILLEGAL_ADDRESS',
		'A kernel went outside its buffers. GPU errors are reported late, so the traceback may show another place.',
		'Run with CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer; test the GPU if always the same one shows it.', true),
	('cuda_illegal_instruction', 'Illegal instruction or misaligned address on the GPU', 'hardware', 'accelerator', 'error',
		'root', 100,
		'CUDA error: (?:an illegal instruction was encountered|misaligned address)|CUDA_ERROR_(?:ILLEGAL_INSTRUCTION'
		'|MISALIGNED_ADDRESS)',
		'A kernel is broken or was damaged on its way to the chip.',
		'Run the same input on another GPU: if only one fails, take it out; otherwise rebuild the kernel for this GPU type.',
		true),
	('cuda_device_assert', 'Assertion inside a GPU kernel', 'user', 'program_bug', 'error', 'root', 100,
		'device-side assert triggered',
		'An index is out of range, most often a token or label that is larger than the table it looks up.',
		'Compare token ids with the vocabulary size and labels with their range; a run on the CPU shows the exact line.', true),
	('cuda_launch_failure', 'GPU kernel died without a reason', 'hardware', 'accelerator', 'error', 'root', 200,
		'CUDA error: unspecified launch failure|CUDA_ERROR_LAUNCH_FAILED',
		'A kernel ended with no exact code: a bug in a library kernel, or failing hardware.',
		'Look for an Xid on this host at the same second and try another node, to tell bug from hardware.', true),
	('cuda_oom', 'Out of accelerator memory', 'user', 'configuration', 'error', 'root', 100,
		'CUDA out of memory|CUBLAS_STATUS_ALLOC_FAILED|CUDA error: out of memory|NPU out of memory|HIP out of '
		'memory|RESOURCE_EXHAUSTED: Out of memory',
		'Model, activations and fragmentation need more memory than the device has; a process left over on it counts too.',
		'Use a smaller micro-batch or sequence, recomputation or more sharding; check that no old process sits on the device.',
		true),
	('cuda_no_device', 'No GPU visible', 'hardware', 'accelerator', 'critical', 'root', 100,
		'no CUDA-capable device is detected|No CUDA GPUs are available|couldn''t communicate with the NVIDIA driver|Unable to '
		'determine the device handle|RmInitAdapter failed',
		'The driver is not loaded, the GPU is gone, or the process was told to use none.',
		'Check nvidia-smi and the kernel log on the host and the list of visible devices; keep the node out of use until it '
		'is right.', true),
	('cuda_invalid_device', 'Wrong GPU number', 'user', 'configuration', 'error', 'root', 100,
		'CUDA error: invalid device ordinal|CUDA_ERROR_INVALID_DEVICE',
		'More processes were started on the node than it has GPUs, or the visible devices are restricted.',
		'Make processes per node equal to the GPUs of the node; check CUDA_VISIBLE_DEVICES on that node.', true),
	('cuda_device_busy', 'GPU is in use', 'platform', 'resource_management', 'error', 'root', 100,
		'CUDA-capable device\(s\) is/are busy or unavailable|all CUDA-capable devices are busy',
		'Another process holds the GPU in exclusive mode, or an earlier job has not ended there.',
		'Find and end the left-over process on that node.', true),
	('cuda_fabric_802', 'GPU fabric not ready (CUDA 802)', 'hardware', 'accelerator', 'error', 'root', 100,
		'system not yet initialized|CUDA_ERROR_SYSTEM_NOT_READY',
		'On machines with NVSwitch the fabric manager is not running or not done.',
		'Start the fabric manager in the version of the driver and keep the node out until it is up.', true),
	('nvlink_fabric', 'NVLink or fabric manager trouble', 'hardware', 'network', 'critical', 'root', 200,
		'(?i)fabric ?manager[^\n]{0,80}(?:error|failed|not running|degraded)|NVLink[^\n]{0,60}(?:fatal|is '
		'down|inactive|training failed)',
		'Links between the GPUs of a node are not usable, or their manager is not running.',
		'Restart the fabric manager and look at the link state; take the node out when a link stays down.', true),
	('gpu_thermal', 'Accelerator too hot or slowed down', 'hardware', 'accelerator', 'warning', 'root', 100,
		'(?i)HW (?:thermal )?slowdown|thermal (?:throttl\w*|shutdown|trip)|temperature[^\n]{0,40}(?:above|over'
		'|exceed\w*)[^\n]{0,20}(?:threshold|limit|critical)|(?:throttled|throttling) due to (?:heat|power|temperature)',
		'Cooling or power is not enough, so the device lowers its clocks; the whole job waits for it.',
		'Check fans, coolant, dust and power cap of the node; move the job and have the node cleaned or repaired.', true),
	('device_memory_ecc', 'Uncorrectable memory error', 'hardware', 'accelerator', 'critical', 'root', 200,
		'(?i)(?:uncorrect(?:able|ed)|double[- ]bit|multi[- ]bit|unrecoverable)[^\n]{0,60}(?:\bECC\b|memory|HBM|error '
		'in)|(?:HBM|device memory|ECC)[^\n]{0,60}(?:uncorrect(?:able|ed)|multi[- ]bit|double[- ]bit)|\bparity error\b',
		'A memory cell of the device or the host gave back something else than was stored.',
		'Take the node out, read its ECC counters and replace the device when the error returns.', true),
	('silent_corruption', 'Silent data corruption', 'hardware', 'accelerator', 'critical', 'root', 100,
		'(?i)silent (?:data )?corruption|\bSDC (?:detected|suspected)|\bbit[- ]?flip',
		'A device calculates wrong results without an error of its own.',
		'Take the named device out and test it with a fixed calculation; go back to a checkpoint from before the first doubt.',
		true),
	('replica_mismatch', 'Replicas differ between ranks', 'hardware', 'accelerator', 'critical', 'root', 100,
		'(?i)(?:param(?:eter)?s?|weights?|gradients?|model)[ _-]{0,3}(?:hash(?:es)?|checksums?|crc\d*|fingerprints?)[^\n]{0,'
		'80}(?:not match|mismatch|differ|diverg|inconsistent|unequal)|(?:mismatch\w*|differ\w*|diverg\w*|not '
		'matching|inconsistent)[^\n]{0,40} (?:across|between|among) (?:the )?(?:DP|data[- ]parallel|replicas?|ranks)\b',
		'Ranks that must hold the same numbers do not: one device calculated wrongly, or one rank loaded or skipped something '
		'else.',
		'Test the devices of the rank that stands apart; go back to the last checkpoint on which all agreed.', true),
	('cudnn_exec_failed', 'GPU math library failed', 'framework', 'framework', 'error', 'root', 200,
		'CUDNN_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR|MAPPING_ERROR|NOT_INITIALIZED)|CUBLAS_STATUS_(?:EXECUTION_FAILED'
		'|INTERNAL_ERROR|NOT_INITIALIZED)',
		'A kernel of cuDNN or cuBLAS failed: versions that do not fit, no workspace left, or a bad GPU.',
		'Align library, CUDA and driver versions and try on another GPU.', true),
	('peermem_invalid_context', 'GPU memory registration for RDMA went bad', 'hardware', 'accelerator', 'warning',
		'cascade', 100,
		'nvidia-peermem .{0,200}ERROR detected invalid context',
		'A process that had GPU memory registered with the network card died.',
		'Restart the processes on the host, reload nvidia-peermem, and expect NCCL errors there.', true),
	('rank_table_error', 'Rank table or host list not usable', 'user', 'configuration', 'error', 'root', 100,
		'(?i)rank[ _]?table[^\n]{0,120}(?:invalid|not exist|not found|mismatch|inconsistent|duplicate|wrong|malformed|does '
		'not match)|(?:invalid|wrong|bad|inconsistent|duplicate|missing)[^\n]{0,40}(?:rank[ _]?table|host ?file\b|rank id)',
		'The file that says which rank runs where is missing, out of date or contradicts itself.',
		'Generate it from the nodes of this very job and give all of them the same file.', true);
