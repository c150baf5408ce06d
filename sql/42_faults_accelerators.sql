/*
 * Built-in faults. A pattern is matched against one record, which may have several lines. The role says whether a fault may be
 * what a failure began with (root), follows from another failure (cascade), a further sign of it (confirmation),
 * or is what successful jobs print too and silences its records (benign, category noise). Several faults may match one record
 * (a library error and the general wording of it): the priority is 100 for a certain fault, 200 for a general wording, 300 and
 * 400 for what nearly every failure prints. The recovery is what brings back what failed, as far as the fault alone tells it;
 * it is left out where that hangs on what a look at the device finds.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, builtin, recovery)
VALUES
	('cuda_ecc', 'Program met a GPU memory error', 'hardware', 'accelerator', 'critical', 'root', 100,
		'uncorrectable ECC error encountered|CUDA_ERROR_ECC_UNCORRECTABLE',
		'The memory of the GPU that this process uses is faulty.',
		'Find the GPU from the rank, confirm with the ECC counters of nvidia-smi, take the node out and reset; replace on '
		'return.', true, 'reset_device'),
	('cuda_contained', 'Program met an error of another GPU or of a link', 'hardware', 'accelerator', 'error', 'root', 100,
		'CUDA_ERROR_CONTAINED|cudaErrorContained|Invalid access of peer GPU memory over nvlink',
		'An access to the memory of another GPU failed: its process ended, a link failed, or memory there is bad; only this '
		'process is hit.', 'Look for the Xid on the GPUs of the node or rack at the same time; with none, start again.', true,
		'restart_job'),
	('cuda_illegal_access', 'Illegal GPU memory access', 'user', 'program_bug', 'error', 'root', 100,
		'an illegal memory access was encountered|CUDA_ERROR_ILLEGAL_ADDRESS',
		'A kernel went outside its buffers. GPU errors are reported late, so the traceback may show another place.',
		'Run with CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer; test the GPU if always the same one shows it.', true, 'fix_job'),
	('cuda_nvlink', 'Program met an NVLink error', 'hardware', 'network', 'critical', 'root', 100,
		'uncorrectable NVLink error was detected|(?:CUDA_ERROR|cudaError_?)_?N(?:VLINK_UNCORRECTABLE|vlinkUncorrectable)',
		'A link between GPUs lost data that it could not send again.',
		'Take the node out, reset its GPUs together and look for Xid 74 or 149; test the links before it comes back.', true,
		'reset_device'),
	('cuda_illegal_instruction', 'Illegal instruction or misaligned address on the GPU', 'user', 'program_bug', 'error',
		'root', 100,
		'CUDA error: (?:an illegal instruction was encountered|misaligned address)|CUDA_ERROR_(?:ILLEGAL_INSTRUCTION'
		'|MISALIGNED_ADDRESS)',
		'A kernel is broken or was damaged on its way to the chip.',
		'Run the same input on another GPU: if only one fails, take it out; otherwise rebuild the kernel for this GPU type.',
		true, NULL),
	('cuda_kernel_broken', 'GPU kernel ran into nowhere', 'user', 'program_bug', 'error', 'root', 100,
		'CUDA error: (?:hardware stack error|invalid program counter|operation not supported on global/shared address '
		'space)|CUDA_ERROR_(?:HARDWARE_STACK_ERROR|INVALID_PC|INVALID_ADDRESS_SPACE)',
		'A kernel overwrote its own stack, jumped to no code, or used the wrong kind of memory.',
		'Run with CUDA_LAUNCH_BLOCKING=1 or compute-sanitizer to find the kernel; test the GPU if always the same one shows '
		'it.', true, 'fix_job'),
	('cuda_device_assert', 'Assertion inside a GPU kernel', 'user', 'program_bug', 'error', 'root', 100,
		'device-side assert triggered',
		'An index is out of range, most often a token or label that is larger than the table it looks up.',
		'Compare token ids with the vocabulary size and labels with their range; a run on the CPU shows the exact line.',
		true, 'fix_job'),
	('cuda_launch_failure', 'GPU kernel died without a reason', 'hardware', 'accelerator', 'error', 'root', 200,
		'CUDA error: unspecified launch failure|CUDA_ERROR_LAUNCH_FAILED',
		'A kernel ended with no exact code: a bug in a library kernel, or failing hardware.',
		'Look for an Xid on this host at the same second and try another node, to tell bug from hardware.', true, NULL),
	('cuda_oom', 'Out of accelerator memory', 'user', 'configuration', 'error', 'root', 100,
		'CUDA out of memory|CUBLAS_STATUS_ALLOC_FAILED|CUDA error: out of memory|NPU out of memory|HIP out of '
		'memory|PT_DEVMEM Allocation failed for size|HIP error: out of memory|XPU out of memory',
		'Model, activations and fragmentation need more memory than the device has; a process left over on it counts too.',
		'Use a smaller micro-batch or sequence, recomputation or more sharding; check that no old process sits on the device.',
		true, 'fix_job'),
	('cuda_no_device', 'No GPU visible', 'hardware', 'accelerator', 'critical', 'root', 100,
		'no (?:CUDA|ROCm)-capable device is detected|\bCUDA_ERROR_NO_DEVICE\b'
		'|No (?:CUDA|HIP) GPUs are available|couldn''t communicate with the NVIDIA '
		'driver|Unable to determine the device handle|RmInitAdapter failed|rm_init_adapter failed|NVRM: No NVIDIA GPU '
		'found|Failed to initialize NVML: Driver Not Loaded'
		'|osInitNvMapping: \*\*\* Cannot attach gpu|hipErrorNoDevice|hsa_init failed with',
		'The driver is not loaded, the GPU is gone, or the process was told to use none.',
		'Check nvidia-smi and the kernel log on the host and the list of visible devices; keep the node out of use until it '
		'is right.', true, 'restart_node'),
	('cuda_invalid_device', 'Wrong GPU number', 'user', 'configuration', 'error', 'root', 100,
		'(?:CUDA|HIP|Cuda)[^\n]{0,40}\binvalid device ordinal|CUDA_ERROR_INVALID_DEVICE|hipErrorInvalidDevice\b',
		'More processes were started on the node than it has GPUs, or the visible devices are restricted.',
		'Make processes per node equal to the GPUs of the node; check CUDA_VISIBLE_DEVICES on that node.', true, 'fix_job'),
	('cuda_device_busy', 'GPU is in use', 'platform', 'resource_management', 'error', 'root', 100,
		'CUDA-capable device\(s\) is/are busy or unavailable|all CUDA-capable devices are busy',
		'Another process holds the GPU in exclusive mode, or an earlier job has not ended there.',
		'Find and end the left-over process on that node.', true, 'restart_job'),
	('cuda_driver_mismatch', 'CUDA does not go with this driver', 'platform', 'incompatibility', 'error', 'root', 100,
		'unsupported display driver ?/ ?cuda driver combination|CUDA_ERROR_(?:SYSTEM_DRIVER_MISMATCH'
		'|COMPAT_NOT_SUPPORTED)|cudaErrorSystemDriverMismatch|cudaErrorCompatNotSupported',
		'The libraries of CUDA in the container and the driver of the node are of releases that do not go together.',
		'Install a driver that the image needs, or use an image for the driver; take the compatibility library out of the '
		'path.', true, 'update'),
	('cuda_fabric_802', 'GPU fabric not ready (CUDA 802)', 'platform', 'accelerator', 'error', 'root', 100,
		'system not yet initialized|CUDA_ERROR_SYSTEM_NOT_READY',
		'On machines with NVSwitch the fabric manager is not running or not done.',
		'Start the fabric manager in the version of the driver and keep the node out until it is up.', true, 'restart_node'),
	('nvlink_fabric', 'NVLink or fabric manager trouble', 'hardware', 'network', 'critical', 'root', 200,
		'(?i)fabric ?manager(?![^\n]*NV_WARN_NOTHING_TO_DO)[^\n]{0,80}(?:error|failed|not running|degraded)|'
		'NVLink[^\n]{0,60}(?:fatal|is '
		'down|inactive|training failed)',
		'Links between the GPUs of a node are not usable, or their manager is not running.',
		'Restart the fabric manager and look at the link state; take the node out when a link stays down.',
		true, 'reset_device'),
	('gpu_thermal', 'Accelerator too hot or slowed down', 'hardware', 'accelerator', 'warning', 'root', 100,
		'(?i)HW (?:thermal |power brake )?slowdown(?!\s*:\s*(?:not active|n/a))|thermal (?:throttl\w*|shutdown|trip)'
		'|(?<!package )(?<!core )(?<!cpu )temperature[^\n]{0,40}(?:above|over|exceed\w*)[^\n]{0,20}(?:threshold|limit|'
		'critical)|(?:throttled|throttling) due to (?:heat|power|temperature)',
		'Cooling or power is not enough, so the device lowers its clocks; the whole job waits for it.',
		'Check fans, coolant, dust and power cap of the node; move the job and have the node cleaned or repaired.',
		true, 'repair'),
	('device_memory_ecc', 'Uncorrectable memory error', 'hardware', 'accelerator', 'critical', 'root', 200,
		'(?i)(?:uncorrect(?:able|ed)|double[- ]bit|multi[- ]bit|unrecoverable)[^\n]{0,60}(?:\bECC\b|memory|HBM|error '
		'in)|(?:HBM|device memory|ECC)[^\n]{0,60}(?:uncorrect(?:able|ed)|multi[- ]bit|double[- ]bit)|\bparity error\b',
		'A memory cell of the device or the host gave back something else than was stored.',
		'Take the node out, read its ECC counters and replace the device when the error returns.', true, 'reset_device'),
	('silent_corruption', 'Silent data corruption', 'hardware', 'accelerator', 'critical', 'root', 100,
		'(?i)silent (?:data )?corruption|\bSDC (?:detected|suspected)|\bbit[- ]?flip',
		'A device calculates wrong results without an error of its own.',
		'Take the named device out and test it with a fixed calculation; go back to a checkpoint from before the first doubt.',
		true, 'replace'),
	('replica_mismatch', 'Replicas differ between ranks', 'hardware', 'accelerator', 'critical', 'root', 100,
		'(?i)(?:param(?:eter)?s?|weights?|gradients?|model)[ _-]{0,3}(?:hash(?:es)?|checksums?|crc\d*|fingerprints?)[^\n]{0,'
		'80}(?:not match|mismatch|differ|diverg|inconsistent|unequal)|(?:mismatch\w*|differ\w*|diverg\w*|not '
		'matching|inconsistent)[^\n]{0,40} (?:across|between|among) (?:the )?(?:DP|data[- ]parallel|replicas?|ranks)\b',
		'Ranks that must hold the same numbers do not: one device calculated wrongly, or one rank loaded or skipped something '
		'else.',
		'Test the devices of the rank that stands apart; go back to the last checkpoint on which all agreed.', true, NULL),
	('cudnn_exec_failed', 'GPU math library failed', 'framework', 'framework', 'error', 'root', 200,
		'CUDNN_STATUS_(?:EXECUTION_FAILED|INTERNAL_ERROR|MAPPING_ERROR|NOT_INITIALIZED)|CUBLAS_STATUS_(?:EXECUTION_FAILED'
		'|INTERNAL_ERROR|NOT_INITIALIZED)',
		'A kernel of cuDNN or cuBLAS failed: versions that do not fit, no workspace left, or a bad GPU.',
		'Align library, CUDA and driver versions and try on another GPU.', true, NULL),
	('peermem_invalid_context', 'GPU memory registration for RDMA went bad', 'hardware', 'accelerator', 'warning',
		'cascade', 100,
		'nvidia-peermem .{0,200}ERROR detected invalid context',
		'A process that had GPU memory registered with the network card died.',
		'Restart the processes on the host, reload nvidia-peermem, and expect NCCL errors there.', true, 'follow'),
	('rank_table_error', 'Rank table or host list not usable', 'user', 'configuration', 'error', 'root', 100,
		'(?i)rank[ _]?table[^\n]{0,120}(?:invalid|not exist|not found|mismatch|inconsistent|duplicate|wrong|malformed|does '
		'not match)|(?:invalid|wrong|bad|inconsistent|duplicate|missing)[^\n]{0,40}(?:rank[ _]?table|host ?file\b|rank id)',
		'The file that says which rank runs where is missing, out of date or contradicts itself.',
		'Generate it from the nodes of this very job and give all of them the same file.', true, 'fix_job');

-- tools of NVIDIA, AMD, TPUs, Gaudi, Neuron
INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause, fix,
	builtin, recovery)
VALUES
	('dcgm_memory', 'Monitoring found a memory error of a GPU', 'hardware', 'accelerator', 'critical', 'root', 100,
		'Detected [1-9]\d* volatile double-bit ECC error|CUDA APIs have indicated that a double-bit ECC error|A memory '
		'mismatch was detected on GPU \d|Found [1-9]\d* faulty memory elements on GPU|GPU had an uncontained error|GPU \d+ '
		'had uncorrectable memory errors and \d+ rows were remapped',
		'DCGM counted memory errors of a GPU that ECC could not repair.',
		'Take the node out, reset the GPU, and run dcgmi diag; have it exchanged where they return.', true, 'reset_device'),
	('dcgm_memory_worn', 'GPU has no spare memory rows', 'hardware', 'accelerator', 'critical', 'root', 100,
		'had uncorrectable memory errors and row remapping failed|exceeded uncorrectable row remap limit|or more retired '
		'pages have been detected in GPU|SRAM Threshold Count exceeded on GPU',
		'A bad memory row could not be replaced any more, or a cache shows too many errors.',
		'Take the node out and have the GPU exchanged.', true, 'replace'),
	('dcgm_reset_pending', 'GPU waits for a reset to replace bad memory', 'hardware', 'accelerator', 'warning', 'cascade',
		100,
		'A pending retired page has been detected in GPU|had memory errors and row remappings are pending|Pending page '
		'retirements together with a DBE|ECC memory for GPU \d+ is in a pending state',
		'Bad memory was found and will be put out of use by the next reset.', 'Let the job end, then reset the GPU.', true,
		'reset_device'),
	('dcgm_nvlink_down', 'NVLink down, as monitoring sees it', 'hardware', 'network', 'critical', 'root', 100,
		'GPU \d+''s NvLink link \d+ is currently down|NvLinks are up out of the expected|NVSwitch \d+''s NvLink \d+ is '
		'down|NvLink port \d+ is currently down', 'A link between a GPU and its neighbours is not there.',
		'Take the node out, reset its GPUs and restart the fabric manager; check the seat of GPU, bridge or cable where it '
		'stays down.', true, 'repair'),
	('dcgm_nvlink_errors', 'NVLink has many errors', 'hardware', 'network', 'warning', 'root', 100,
		'NvLink errors found occuring per second|exceeds minimum threshold on GPU \d+''s NVLink|NvLink errors on GPU \d+''s '
		'NVLink', 'A link repeats many transfers, so it is slow, and may fail.',
		'Test the node (dcgmi diag) and check the seat of GPU, bridge or cable.', true, 'repair'),
	('dcgm_pcie', 'PCIe link of a GPU not as it should be', 'hardware', 'accelerator', 'warning', 'root', 100,
		'PCIe replays per minute for GPU|GPU \d+ is running at PCI link (?:generation|width)|GPU \d+ host-side PCIe replay '
		'violation|GPU \d+ in direction \S+ of [\d.]+ did not exceed minimum required bandwidth',
		'The GPU works with fewer lanes or at a lower speed, or transfers are repeated: riser, slot or board.',
		'Power-cycle the node; check how the GPU sits where it stays so.', true, 'repair'),
	('dcgm_clocks', 'Monitoring saw a GPU slowed down by heat or power', 'hardware', 'accelerator', 'warning', 'root', 100,
		'Detected clocks event due to (?:thermal|power) violation|[Tt]hermal violations totaling [\d.]+ seconds|Temperature '
		'\d+ of (?:GPU|HBM memory on GPU) \d+ exceeded', 'The GPU lowered its clocks; the whole job waits for it.',
		'Check fans, coolant, dust, power cap and power supply of the node.', true, 'repair'),
	('dcgm_recovery_reset', 'Monitoring says a GPU is to be reset', 'hardware', 'accelerator', 'error', 'confirmation', 100,
		'Recovery action: \d+ \((?:GPU_RESET|DRAIN_AND_RESET)\)'
		'|GPU Recovery Action\s*: (?:Drain and )?Reset',
		'An earlier fault left the GPU in a state that only a reset ends.',
		'End what runs on the GPU and reset it; look for the fault before.', true, 'reset_device'),
	('dcgm_recovery_reboot', 'Monitoring says a node is to be rebooted', 'hardware', 'accelerator', 'critical',
		'confirmation', 100, 'Recovery action: \d+ \(NODE_REBOOT\)'
		'|GPU Recovery Action\s*: (?:Node )?Reboot',
		'An earlier fault left driver or system in a state that only a reboot ends.',
		'Take the node out and reboot it; look for the fault before.', true, 'restart_node'),
	('fabric_state', 'GPU not part of its fabric', 'hardware', 'network', 'critical', 'root', 100,
		'GPU \d+: Fabric State is (?!Completed|Not Supported)|Fabric Manager \(Cluster UUID[^\n]{0,120}\): |IMEX '
		'[^\n]{0,40} status is (?!READY|UP|OK\b)\w+ \(',
		'The GPU, or the service that shares memory between nodes, did not join the links of its rack.',
		'Check fabric manager and nvidia-imex on the node (nvidia-smi -q, section Fabric); restart them, then the node.',
		true, 'restart_node'),
	('imex_failed', 'Memory sharing between nodes failed (IMEX)', 'platform', 'configuration', 'error', 'root', 100,
		'nvidia-imex(?:\.service)?[^\n]{0,60}(?:[Ff]ailed|exited|code=exited)|IMEX[^\n]{0,40}version '
		'mismatch|cuMemCreate[^\n]{0,80}CUDA_ERROR_NOT_PERMITTED',
		'The service that lets GPUs of several nodes share memory is down, of another version, or knows another list of '
		'nodes.',
		'Give nvidia-imex of all nodes of the domain the same list and version and restart it there; then start the job.',
		true, 'restart_node'),
	('fabricmanager_topology', 'NVSwitches missing', 'hardware', 'network', 'critical', 'root', 100,
		'detected number of NVSwitches don''t match with any supported system topology|fabric ?manager[^\n]{0,60}(?:failed '
		'to initialize|aborting)', 'The fabric manager found fewer switches than the machine has.',
		'Take the node out and power-cycle it; have the baseboard exchanged where a switch stays away.', true,
		'restart_node'),
	('nvlink_not_found', 'NVLink between two GPUs not found', 'hardware', 'network', 'error', 'root', 100,
		'NVRM: knvlink\w{3,60}: (?:Getting peer\d|Failed to update)',
		'The driver could not read which links of another GPU are there.',
		'Take the node out and reset its GPUs together, or reboot; check the links where it returns.', true, 'restart_node'),
	('fabricmanager_idle', 'Fabric manager has nothing to manage', 'platform', 'configuration', 'info', 'cascade', 100,
		'NV_WARN_NOTHING_TO_DO', 'The machine has no NVSwitches, so the fabric manager is not needed.',
		'Nothing is to be done; switch the service off there.', true, 'none'),
	('fabricmanager_gpu_missing', 'GPU gone from a group of the fabric manager', 'hardware', 'accelerator', 'error',
		'cascade', 100, 'failed to find the GPU handle \d+ in the multicast team',
		'A GPU that takes part in multicast was reset or lost.', 'Look for the Xid of a GPU of this node at the same time.',
		true, 'follow'),
	('nvml_version_mismatch', 'NVIDIA driver and library differ', 'platform', 'incompatibility', 'error', 'root', 100,
		'[Dd]river/library version mismatch|NVRM: API mismatch: the client|NVML_ERROR_LIB_RM_VERSION_MISMATCH',
		'The driver was updated while the old one was loaded, or the container brings another version.',
		'Reboot the node (or load the driver anew), so that kernel module and library are of one version.', true,
		'restart_node'),
	('nvml_lost', 'Tools cannot reach a GPU', 'hardware', 'accelerator', 'critical', 'root', 100,
		'NVML_ERROR_(?:GPU_IS_LOST|RESET_REQUIRED|IRQ_ISSUE)|Failed to initialize NVML: (?:GPU|Unknown Error)|GPU requires '
		'reset'
		'|nvml error: (?:unknown error|gpu is lost)', 'The driver lost a GPU; in containers the device files may have been '
		'taken away from a running container.',
		'Look for an Xid. With none, start the container anew; else reset the GPU or reboot the node.', true, 'restart_node'),
	('mig_failed', 'GPU partition not usable (MIG)', 'platform', 'configuration', 'error', 'root', 100,
		'(?i)(?:unable|failed) to (?:create|destroy|enable|disable|set)[^\n]{0,40}(?:\bMIG\b|GPU instance|compute '
		'instance)|\bMIG[^\n]{0,40}(?:in use by another client|insufficient resources|pending)|no MIG devices found',
		'The GPU is to be parted (or not any more) and something still uses it, or the job was given a part that does not '
		'exist.', 'Drain the node, set the MIG mode while nothing runs, and give the job devices that nvidia-smi -L lists.',
		true, 'fix_job'),
	('gpu_probe_failed', 'Driver did not take a GPU', 'hardware', 'accelerator', 'critical', 'root', 100,
		'nvidia: probe of [0-9a-f:.]{7,12} failed with error|NVRM: This PCI I/O region assigned to your NVIDIA device is '
		'invalid|NVRM: The NVIDIA probe routine failed',
		'The driver could not set up a GPU when it was loaded: firmware, memory windows of the board, or a defect.',
		'Take the node out and power-cycle it; check the settings of the BIOS for large memory windows.', true,
		'restart_node'),
	('gpu_count', 'Fewer GPUs than there should be', 'hardware', 'accelerator', 'critical', 'root', 100,
		'(?i)(?:expected|expecting) \d+ GPUs?,? (?:but )?(?:found|got|saw|have) \d+|found (?:only )?\d+ (?:of|out of) \d+ '
		'GPUs|The number of devices NVML returns is different', 'A GPU of the node is not there.',
		'Look for an Xid 79; take the node out and power-cycle it.', true, 'restart_node'),
	('amd_ras_uncorrectable', 'Hardware error of an AMD GPU not repaired', 'hardware', 'accelerator', 'critical', 'root', 100,
		'\b[1-9]\d* (?:new )?uncorrectable hardware errors detected in|amdgpu[^\n]{0,80}(?:uncorrectable|fatal) '
		'error[^\n]{0,40}(?:detected|interrupt)'
		'|uncorrectable hardware error\(\w+\) detected|RAS event of type \w+ detected', 'Memory or a unit of the GPU held a '
		'value that could not be repaired.',
		'Take the node out, reset the GPU or reboot; have it exchanged where it returns.', true, 'reset_device'),
	('amd_ras_corrected', 'AMD GPU repaired errors', 'hardware', 'accelerator', 'info', 'cascade', 100,
		'\b[1-9]\d* (?:new )?(?:correctable|deferred) hardware errors detected in',
		'The GPU repaired bit errors; no value was wrong.', 'Nothing is to be done; watch the counters where it is frequent.',
		true, 'none'),
	('amd_ras_poison', 'AMD GPU met poisoned data', 'hardware', 'accelerator', 'error', 'root', 100,
		'amdgpu[^\n]{0,80}[Pp]oison(?:ed)? (?:is )?(?:consum|creat|data)',
		'A process read data that ECC could not repair earlier; it is ended.',
		'Start the job again and reset the GPU at the next occasion.', true, 'restart_job'),
	('amd_memory_worn', 'AMD GPU has too many bad pages', 'hardware', 'accelerator', 'critical', 'root', 100,
		'amdgpu[^\n]{0,80}(?:[Bb]ad pages?|RAS records)[^\n]{0,60}(?:threshold|exceed)',
		'So much memory was put out of use that the limit is reached.', 'Take the node out and have the GPU exchanged.', true,
		'replace'),
	('amd_gpu_reset_failed', 'AMD GPU not reset', 'hardware', 'accelerator', 'critical', 'root', 100,
		'amdgpu[^\n]{0,80}(?:GPU reset(?:\(\d+\))? failed|[Mm]ode ?[12] reset failed|GPU Recovery Failed)|MES might be in '
		'unrecoverable state', 'The GPU hung and the driver could not bring it back.',
		'Take the node out and power-cycle it; have the GPU exchanged where it returns.', true, 'restart_node'),
	('amd_gpu_reset', 'AMD GPU was reset', 'hardware', 'accelerator', 'error', 'root', 200,
		'amdgpu[^\n]{0,80}GPU reset begin',
		'The driver reset a GPU, after a hang or a hardware error; what ran on it is gone.',
		'Read the lines before it for the reason, and start the job again; take the node out where the same GPU shows it '
		'once more.', true, 'restart_job'),
	('amd_ring_timeout', 'Queue of an AMD GPU hung', 'hardware', 'accelerator', 'error', 'root', 100,
		'(?:amdgpu|amdgpu_job_timedout)[^\n]{0,100}\bring \S+ timeout',
		'Work on the GPU did not end in its time: a kernel that hangs, the driver, or the GPU.',
		'Start again; where it is always the same GPU take the node out, else look at the kernel and at versions of ROCm.',
		true, 'restart_job'),
	('amd_page_fault', 'Page fault on an AMD GPU', 'user', 'program_bug', 'error', 'root', 100,
		'amdgpu[^\n]{0,60}\[\w{2,10}hub\d*\][^\n]{0,20}page fault',
		'A kernel used an address that is not mapped, nearly always a bug of a kernel or a library.',
		'Run with AMD_SERIALIZE_KERNEL=3 to find the kernel; look at what changed last.', true, 'fix_job'),
	('amd_queue_failed', 'Driver lost hold of a queue of an AMD GPU', 'hardware', 'accelerator', 'error', 'cascade', 100,
		'amdgpu[^\n]{0,80}(?:Failed to evict queue|qcm fence wait loop timeout|MES(?:\(\d\))? failed to resp|failed to '
		'remove hardware queue|Failed to suspend process)'
		'|The cp might be in an unrecoverable state|amdgpu[^\n]{0,80}(?:Failed to (?:evict|quiesce|restore) (?:process|KFD|'
		'queue)|suspend of IP block|ring kiq\S* test failed|failed to add hardware queue)',
		'The scheduler on the GPU does not answer: it follows from a hang or a fault.',
		'Look for the first line of amdgpu before it; reset the GPU where it does not come back.', true, 'reset_device'),
	('amd_init_failed', 'Driver did not take an AMD GPU', 'hardware', 'accelerator', 'critical', 'root', 100,
		'amdgpu[^\n]{0,80}(?:Fatal error during GPU init|\*ERROR\* (?:hw|sw)_init of IP block)',
		'The driver could not set up the GPU.',
		'Take the node out and power-cycle it; check firmware and driver where it stays so.', true, 'restart_node'),
	('amd_xgmi', 'Link between AMD GPUs failed', 'hardware', 'network', 'critical', 'root', 100,
		'(?i)amdgpu[^\n]{0,80}xgmi[^\n]{0,60}(?:fail|error|down)',
		'GPUs of the node do not reach each other over their links.',
		'Take the node out and reset all its GPUs together; check the seat of modules where it returns.', true,
		'reset_device'),
	('amd_smu', 'Power controller of an AMD GPU does not answer', 'hardware', 'accelerator', 'error', 'root', 100,
		'amdgpu[^\n]{0,60}(?:SMU: I''m not done with your previous command|SMU: response:0x|Failed to export SMU '
		'metrics|Failed to send message 0x)', 'The controller that manages power and clocks of the GPU hangs.',
		'Take the node out and power-cycle it; bring driver and firmware up to date.', true, 'restart_node'),
	('amd_throttled', 'AMD GPU slowed down', 'hardware', 'accelerator', 'warning', 'root', 100,
		'amdgpu[^\n]{0,40}GPU is throttled', 'Heat or power make the GPU lower its clocks; the whole job waits for it.',
		'Check fans, coolant and power of the node.', true, 'repair'),
	('hip_memory_fault', 'Illegal memory access on an AMD GPU', 'user', 'program_bug', 'error', 'root', 100,
		'Memory access fault by GPU node-\d', 'A kernel went outside its buffers.',
		'Run with AMD_SERIALIZE_KERNEL=3 and HIP_LAUNCH_BLOCKING=1; test the GPU if always the same one shows it.', true,
		'fix_job'),
	('hip_gpu_hang', 'AMD GPU hangs, as the program sees it', 'hardware', 'accelerator', 'error', 'root', 100,
		'HW Exception by GPU node-\d', 'A kernel never ended, and the driver gave the GPU up.',
		'Start again; where it is always the same GPU take the node out, else look at the kernel.', true, 'restart_job'),
	('hip_launch_failure', 'Kernel on an AMD GPU died without a reason', 'hardware', 'accelerator', 'error', 'root', 100,
		'hipErrorLaunchFailure|HIP error: unspecified launch failure',
		'A kernel ended with no exact code: a bug in a kernel, or failing hardware.',
		'Look for lines of amdgpu at the same second and try another node, to tell bug from hardware.', true, NULL),
	('hip_error', 'Call of ROCm failed', 'framework', 'framework', 'error', 'root', 200,
		'\bHIP error: [a-z]|\bhipError[A-Z]\w{3,40}|hipSuccess \(\d+ vs',
		'A call of the runtime failed; its name or number says why.',
		'Look up the name; run with AMD_LOG_LEVEL=3 where it does not tell enough.', true, NULL),
	('hip_no_kernel', 'Program not built for this GPU', 'user', 'incompatibility', 'error', 'root', 100,
		'hipErrorNoBinaryForGpu|HIP error: (?:invalid device function|no kernel image is available)',
		'The library holds no code for the type of this GPU.',
		'Install a build for this GPU, or build for its architecture (PYTORCH_ROCM_ARCH).', true, 'fix_job'),
	('tpu_in_use', 'TPU is in use', 'platform', 'resource_management', 'error', 'root', 100,
		'The TPU is already in use by (?:process|another)|accessing libtpu multi-process '
		'lockfile|open\(/dev/(?:vfio/|accel)\d+\): Device or resource busy',
		'Another process, often one left over, holds the TPU.',
		'End the process that the message names (or that lsof shows on the device file) and remove the old lock file.', true,
		'restart_job'),
	('tpu_init_failed', 'TPU did not start', 'hardware', 'accelerator', 'critical', 'root', 100,
		'RuntimeError: (?:Unable to initialize backend ''tpu''(?!: ABORTED)|TPU initialization failed)|Failed to initialize '
		'TPU system|Couldn''t open iommu group|Failed to get (?:global )?TPU topology|No accelerator found on this host',
		'The runtime found no chip, or the chips of the slice did not agree on who is there.',
		'Check that all hosts of the slice run the same software; where one host fails alone, have it replaced.', true,
		'restart_node'),
	('tpu_core_halted', 'TPU core halted', 'framework', 'framework', 'error', 'root', 200,
		'Core halted unexpectedly|Accelerator device halted prematurely|Halt is unexpected, all pending programs will fail',
		'A core stopped at a check of the program, at an access out of range, or for a defect: the text behind it says '
		'which.',
		'Read what stands behind "halted unexpectedly"; with "observed errors are: [Hardware]" leave the host out, else '
		'look at the program.', true, NULL),
	('tpu_hardware', 'TPU failed: chip, network or power', 'hardware', 'accelerator', 'critical', 'root', 100,
		'observed errors are: \[(?:Hardware|Network|Power)', 'Chip, links between chips, or power failed.',
		'Start again; where the same host fails once more, leave it out and have it replaced.', true, 'restart_node'),
	('tpu_launch_group', 'Hosts run different programs on the TPU', 'user', 'program_bug', 'error', 'root', 100,
		'shows up in the launch group with a different launch id',
		'The hosts of a slice are not at the same program: branches that differ by host, other flags or other versions.',
		'Compare flags, versions and branches that depend on the host; let all hosts run the same steps in the same order.',
		true, 'fix_job'),
	('tpu_bounds', 'TPU program went out of its memory', 'user', 'program_bug', 'error', 'root', 100,
		'BoundsCheck \d+ \[deref|has a nonzero value upon exit from a Mosaic kernel',
		'A kernel, mostly one of your own (Pallas), uses an index out of range or waits for too few signals.',
		'Check the indices, and that each transfer that was begun is waited for.', true, 'fix_job'),
	('tpu_worker_lost', 'TPU worker gone', 'hardware', 'accelerator', 'error', 'root', 100,
		'Session [0-9a-f]{8,16} is not found\. vs|Driver not open\. vs\. OK',
		'The worker that drives the TPU started anew or was taken away; what it held is lost.',
		'Start again from the last checkpoint; where it returns, have the host replaced.', true, 'restart_job'),
	('tpu_slice_health', 'TPU slice lost a worker', 'hardware', 'accelerator', 'error', 'cascade', 100,
		'Slice health check failed|slice '
		'(?:builder|health)[^\n]{0,60}(?:worker|connection)[^\n]{0,40}(?:failed|lost|unhealthy)',
		'A worker of the slice does not answer: it ended, was preempted or its host failed.',
		'Find the worker that ended first.', true, 'follow'),
	('xla_program_mismatch', 'Compiled program got other inputs', 'user', 'program_bug', 'error', 'root', 100,
		'Executable expected parameter \d+ of size|Mosaic failed to compile TPU kernel|memory space \d+ when allocating \d+ '
		'words', 'The compiler or the runtime does not take shape, type or size of what the program asks for.',
		'Correct the operation that the message names; start without a compilation cache of another version.', true,
		'fix_job'),
	('gaudi_acquire', 'Gaudi not acquired', 'platform', 'resource_management', 'error', 'root', 100,
		'synStatus[^\n]{0,40}Device acquire failed|\[Device not found\] Device acquire failed|SynapseAI[^\n]{0,40}Device '
		'acquire failed',
		'The device is held by another process, not given to the container, or driver and software are of different '
		'releases.',
		'End old processes on the node; check the runtime class of the container and that hl-smi shows the release of the '
		'software.', true, 'restart_job'),
	('gaudi_compile', 'Graph not compiled for Gaudi', 'framework', 'framework', 'error', 'root', 100,
		'Graph compile failed\. synStatus|synNodeCreateWithId failed for node', 'The compiler failed on the graph of a step: '
		'an operator, a shape, or memory.',
		'Find the operator with eager mode; update the software, or make the step smaller.', true, 'fix_job'),
	('gaudi_launch', 'Gaudi failed at a step', 'hardware', 'accelerator', 'error', 'root', 100,
		'syn(?:Launch|StreamSynchronize|EventSynchronize|StreamWaitEvent|MemCopyAsync) failed|synStatus[= ]+\d+ \[Device '
		'(?:reset|lost|not operational)',
		'A step did not run through on the device: it was reset, hangs, or another rank is gone.',
		'Look for the first rank that failed, and for lines of habanalabs in the kernel log of its node.', true,
		'reset_device'),
	('gaudi_driver', 'Driver gave a Gaudi up', 'hardware', 'accelerator', 'critical', 'root', 100,
		'(?:habanalabs|accel accel\d+)[^\n]{0,80}(?:Device heartbeat failed|NOT usable|[Ff]ailed to reset|PCI link is '
		'broken|is permanently disabled)', 'The device does not answer its driver.',
		'Take the node out and power-cycle it; have the card exchanged where it returns.', true, 'restart_node'),
	('gaudi_ecc', 'Memory error of a Gaudi', 'hardware', 'accelerator', 'critical', 'root', 100,
		'(?:habanalabs|accel accel\d+)[^\n]{0,100}(?:\w+_DERR\b|double[- ]bit|uncorrectable)',
		'A memory of the card held a value that could not be repaired.',
		'Take the node out; the card is reset by its driver; have it exchanged where it returns.', true, 'reset_device'),
	('gaudi_network', 'Ports of a Gaudi not usable', 'hardware', 'network', 'error', 'root', 100,
		'ibv initialization failed|hcl_device_control_factory[^\n]{0,80}failed|(?:habanalabs|accel '
		'accel\d+)[^\n]{0,80}(?:port|NIC)[ _]?\d+[^\n]{0,40}link (?:is )?down',
		'The ports between cards, or their driver, are not up.',
		'Check hl-smi -Q and the drivers of the ports; bring the ports up, or reboot the node.', true, 'repair'),
	('gaudi_exception', 'Gaudi software failed', 'framework', 'framework', 'error', 'root', 300,
		'Habana exception raised from|FATAL ERROR :: MODULE:PT_\w+',
		'The bridge between framework and device failed; the line beside it says at what.',
		'Read the first line with MODULE and the status beside it.', true, 'fix_job'),
	('neuron_memory', 'Memory error of a Neuron device', 'hardware', 'accelerator', 'critical', 'root', 100,
		'Uncorrectable (?:HBM )?memory error is detected|NEURON_HW_ERR=\w+',
		'A memory of the device held a value that could not be repaired; results may be wrong.',
		'Replace the instance (stop and start, or terminate); go back to a checkpoint from before.', true, 'replace'),
	('neuron_dma', 'Copy engine of a Neuron device aborted', 'hardware', 'accelerator', 'critical', 'root', 100,
		'DMA [TR]X engine \d+ is in an abort state', 'A copy engine met an error that it does not recover from.',
		'Replace the instance (stop and start, or terminate).', true, 'replace'),
	('neuron_hang', 'Neuron device hangs', 'hardware', 'accelerator', 'error', 'root', 200,
		'\(FATAL-RT-UNDEFINED-STATE\)[^\n]{0,40}(?:execution|inference) timeout|execution timeout \(\d+ ms\) on'
		'|Missing infer_status notification',
		'A step did not end in its time: the device, the program, or another worker.',
		'Look for a hardware error on any worker; with none start again, and replace the instance where it returns.', true,
		'restart_job'),
	('neuron_collective', 'Neuron worker waits in a collective', 'hardware', 'network', 'error', 'cascade', 100,
		'missing collectives status on Neuron Device|suspected hang in collectives operation|RX, connection closed by '
		'remote peer|Timeout waiting for (?:RX|incoming connection) \(waited \d+ sec\)',
		'Another worker ended, hangs, or still compiles.',
		'Find the worker with an error of its own; where one still compiles, wait.', true, 'follow'),
	('neuron_cores', 'Neuron cores not available', 'platform', 'resource_management', 'error', 'root', 100,
		'NeuronCore\(s\) not available|Could not open the nd\d|Could not find VNC id \d',
		'Another process holds the cores, or the job asks for more than the instance has.',
		'End old processes, and start as many workers as there are cores.', true, 'fix_job'),
	('neuron_init_failed', 'Neuron devices could not be initialised', 'platform', 'accelerator', 'error', 'root', 200,
		'\bnrt_init\b[^\n]{0,60}(?:[Ff]ailed|\bNRT_[A-Z_]{3,30})|\btdrv_init\w*[^\n]{0,60}[Ff]ailed',
		'The runtime got hold of no device: another process has them, the driver is not loaded or of another release, or a '
		'device is broken.',
		'Look for the first error of the runtime above it; run neuron-ls, end old processes, load the driver anew, and replace '
		'the instance where that does not help.', true, 'restart_node'),
	('neuron_versions', 'Neuron driver, runtime and program do not fit', 'user', 'incompatibility', 'error', 'root', 100,
		'Unable to determine Neuron Driver version|This runtime requires Neuron Driver version|is not compatible with the '
		'installed aws-neuron\S*|NEFF version mismatch supported|Unsupported hardware operator code|Error opening '
		'libnccom\.so', 'Driver, runtime and compiler are of releases that do not go together, or one is not installed.',
		'Install driver, runtime, collectives and compiler of one release on every node, and load the driver anew.', true,
		'update'),
	('neuron_out_of_memory', 'Out of memory on a Neuron device', 'user', 'configuration', 'error', 'root', 100,
		'neuron:mc_alloc: device mempool|Failed to allocate (?:aligned|DRAM) memory[^\n]{0,60}(?:nd|ND)',
		'Programs and tensors need more memory than the device has.',
		'Use a smaller batch or more sharding; unload other programs.', true, 'fix_job'),
	('neuron_out_of_bounds', 'Index out of range on a Neuron device', 'user', 'program_bug', 'error', 'root', 100,
		'failed to run [^\n]{0,60}, due to out-of-bound access', 'An index in the data is larger than the table it looks up.',
		'Compare token ids with the size of the table.', true, 'fix_job'),
	('efa_missing', 'EFA not usable', 'platform', 'configuration', 'error', 'root', 100,
		'Ofi plugin is not installed or EFA is not enabled|OFI plugin initNet\(\) failed is EFA enabled|requires setting '
		'FI_EFA_FORK_SAFE=1|likely not enough EFA devices found', 'The instance has no EFA interfaces, or the plugin for them '
		'is not installed.',
		'Start instances with EFA, install the EFA installer, and set FI_EFA_FORK_SAFE=1 on old kernels.', true, 'fix_job');

-- what the runtime of Neuron returns: name, and number where it tells that alone
INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause, fix,
	builtin, recovery)
WITH form (form) AS (VALUES
	('\b(?:%s)\b|(?:Inference completed with err: ?|(?:nrt_\w{2,30}|execute the model) status=|nrt_\w{2,30} failed: ?)(?:%s)\b')
), code (key, title, names, numbers, category, subtype, severity, role, recovery, root_cause, fix) AS (VALUES
	('invalid', 'Neuron runtime called wrongly', 'NRT_INVALID(?:_HANDLE)?|NRT_EXEC_BAD_INPUT|NRT_UNINITIALIZED|NRT_CLOSED',
		'1002', 'user', 'program_bug', 'error', 'root', 'fix_job',
		'The program gave the runtime an input or a handle that does not fit the compiled program.',
		'Compare names, shapes and types of the inputs with those that the program was compiled for.'),
	('resources', 'Neuron runtime out of resources', 'NRT_RESOURCE|NRT_FAIL_HOST_MEM_ALLOC|NRT_LOAD_NOT_ENOUGH_NC', '11',
		'user', 'configuration', 'error', 'root', 'fix_job', 'Memory of device or host, or cores, are used up.',
		'Use a smaller batch, more sharding or fewer programs at a time; end old processes.'),
	('unsupported', 'Program not for this Neuron runtime', 'NRT_UNSUPPORTED_NEFF_VERSION', '10', 'user', 'incompatibility',
		'error', 'root', 'update', 'The program was compiled by a release that this runtime does not know.',
		'Install compiler and runtime of one release and compile anew.'),
	('numerical', 'Not a number on a Neuron device', 'NRT_EXEC_COMPLETED_WITH_NUM_ERR|INFER_ERROR_SUBTYPE_NUMERICAL', '1003',
		'user', 'program_bug', 'error', 'root', 'fix_job', 'A step calculated a value that is not a number.',
		'Look at the data, the learning rate and the loss of the steps before.'),
	('bounds', 'Out of bounds on a Neuron device', 'NRT_EXEC_OOB', '1006', 'user', 'program_bug', 'error', 'root', 'fix_job',
		'An index in the data is larger than the table it looks up.', 'Compare token ids with the size of the table.'),
	('busy', 'Neuron core busy', 'NRT_EXEC_NC_BUSY|NRT_QUEUE_FULL', '1005', 'framework', 'framework', 'error', 'root',
		'restart_job', 'A core was given work while it had other work.', 'End old processes and start again.'),
	('hardware', 'Neuron device failed',
		'NRT_HW_ERROR|NRT_EXEC_UNIT_UNRECOVERABLE|NRT_EXEC_HW_ERR_(?:HBM_UE|NC_UE|DMA_ABORT)', '120[123]|101', 'hardware',
		'accelerator', 'critical', 'root', 'replace', 'Memory, a core or a copy engine of the device failed.',
		'Replace the instance (stop and start, or terminate).'),
	('repairable', 'Memory error of a Neuron device that a reset repairs', 'NRT_EXEC_HW_ERR_REPAIRABLE_HBM_UE', '1205',
		'hardware', 'accelerator', 'critical', 'root', 'restart_node',
		'A memory row is bad and will be replaced when the driver starts anew.',
		'Load the driver anew or reboot the instance.'),
	('collective', 'Neuron collective hangs', 'NRT_EXEC_HW_ERR_COLLECTIVES|NRT_NETWORK_PROXY_FAILURE', '120[06]', 'hardware',
		'network', 'error', 'cascade', 'follow', 'A collective did not end: another worker, or the network, failed.',
		'Look for a hardware error on the other workers first.'),
	('queue', 'Queue of notes of a Neuron device overflowed', 'NRT_EXEC_SW_NQ_OVERFLOW', '1204', 'framework', 'framework',
		'error', 'root', 'fix_job', 'The device made more notes than the runtime could read.',
		'Set NEURON_RT_ENABLE_DGE_NOTIFICATIONS=0.'),
	('timeout', 'Neuron step timed out', 'NRT_TIMEOUT', '5', 'hardware', 'accelerator', 'error', 'cascade', 'follow',
		'A step did not end in its time: the device, the program, or another worker.',
		'Look for a line of the runtime with a reason before it, on this or another worker.'),
	('failed', 'Neuron step failed', 'NRT_FAILURE|NRT_EXEC_COMPLETED_WITH_ERR', '1|1004', 'framework', 'framework', 'error',
		'root', 'follow', 'A step ended with an error that the runtime does not name.',
		'Read the lines of the runtime before it.')
)
SELECT 'nrt_' || c.key, c.title, c.category, c.subtype, c.severity, c.role, 150, format(f.form, c.names, c.numbers),
	c.root_cause, c.fix, true, c.recovery
FROM code c CROSS JOIN form f;

-- what the runtime of ROCm says
INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause, fix,
	builtin, recovery)
WITH code (key, title, names, category, subtype, severity, role, recovery, root_cause, fix) AS (VALUES
	('exception', 'Kernel on an AMD GPU trapped', 'EXCEPTION', 'user', 'program_bug', 'error', 'root', 'fix_job',
		'A kernel met an assertion, an illegal access or an illegal instruction, often as it was built for another GPU type.',
		'Run with AMD_SERIALIZE_KERNEL=3 to find the kernel; check ids and indices of the data, and the architecture that '
		'the library was built for.'),
	('aperture', 'Kernel on an AMD GPU used a wrong address', 'MEMORY_APERTURE_VIOLATION|MEMORY_FAULT', 'user', 'program_bug',
		'error', 'root', 'fix_job', 'A kernel went outside its buffers.',
		'Run with AMD_SERIALIZE_KERNEL=3 to find the kernel; test the GPU if always the same one shows it.'),
	('instruction', 'Kernel not for this AMD GPU',
		'ILLEGAL_INSTRUCTION|INVALID_(?:ISA|CODE_OBJECT)\w*|INCOMPATIBLE_ARGUMENTS', 'user', 'incompatibility', 'error',
		'root', 'fix_job', 'The kernel holds instructions that this GPU does not know.',
		'Install a build for this GPU type; take HSA_OVERRIDE_GFX_VERSION out.'),
	('resources', 'AMD GPU out of resources', 'OUT_OF_RESOURCES|OUT_OF_REGISTERS', 'user', 'configuration', 'error', 'root',
		'fix_job', 'Memory, queues or registers are used up.',
		'Use a smaller batch; check that no old process sits on the GPU, and the limits of locked memory.'),
	('failed', 'ROCm runtime failed', 'ERROR|FATAL|RESOURCE_FREE|NOT_INITIALIZED', 'hardware', 'accelerator', 'error', 'root',
		NULL, 'The runtime lost the GPU or its driver.', 'Look for lines of amdgpu in the kernel log of that node.')
)
SELECT 'hsa_' || c.key, c.title, c.category, c.subtype, c.severity, c.role, 100, format('\bHSA_STATUS_ERROR_(?:%s)\b', c.names),
	c.root_cause, c.fix, true, c.recovery
FROM code c;
