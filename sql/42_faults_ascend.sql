/*
 * Built-in faults of Ascend devices and of CANN, their software; what the columns mean: 42_faults_accelerators.sql. Codes are
 * data here: of the collective library (EI, EJ), of the modules of CANN, what calls of the runtime return (107000 and on), and
 * events of the driver. Each of these catalogues has one pattern, which its codes are put into.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause, fix,
	builtin, recovery)
VALUES
	('ascend_ei0001', 'HCCL variable not valid (EI0001)', 'user', 'configuration', 'error', 'root', 100,
		'\bEI0001\b|Environment variable \[[^\]]*\] is invalid',
		'A variable of the collective library has a value that it does not take.',
		'Set the variable that the message names correctly on all nodes.', true, 'fix_job'),
	('ascend_ei0002', 'Wait for a notify timed out (EI0002)', 'hardware', 'network', 'error', 'cascade', 200,
		'\bEI0002\b|wait execution of the Notify register times out|notify wait from \S+ timeout',
		'A peer never signalled: it died, hangs, is far behind, or packets were lost. Each rank accuses its neighbour.',
		'Find the rank that has no such line or an earlier error, and check its device link; a longer timeout comes last.',
		true, 'follow'),
	('ascend_ei0003', 'Collective called with a bad argument (EI0003)', 'user', 'program_bug', 'error', 'root', 100,
		'\bEI0003\b',
		'A collective was given an empty pointer, an unknown value or a wrong path.',
		'Correct the argument named in the message.', true, 'fix_job'),
	('ascend_ei0004', 'Rank table not valid (EI0004)', 'user', 'configuration', 'error', 'root', 100,
		'\bEI0004\b|The ranktable or rank is invalid',
		'The rank table is of the wrong version, place or content: servers, rank ids or device addresses.',
		'Write it anew from the real device addresses and give the same file to all nodes.', true, 'fix_job'),
	('ascend_ei0005', 'Ranks call a collective with other arguments (EI0005)', 'user', 'program_bug', 'error', 'root', 100,
		'\bEI0005\b|arguments for collective communication are inconsistent between ranks',
		'The ranks do not agree on count, type or order of a collective.',
		'Compare what the two ranks run: branches that depend on the rank, data of unequal size.', true, 'fix_job'),
	('ascend_ei0006', 'Connection to a rank timed out (EI0006)', 'hardware', 'network', 'error', 'cascade', 100,
		'\bEI0006\b|Getting socket times out|(?i:(?:create|establish|set ?up)\w* (?:transport|socket) (?:link|connection)s? '
		'(?:timeout|timed out|failed))|(?i:get socket time ?out)',
		'A rank did not come to the connection set-up in time, or the device network does not connect.',
		'Find the rank without this error; check its link, address and TLS switch. Raise the connect timeout only then.', true,
		'follow'),
	('ascend_ei0007', 'HCCL ran out of resources (EI0007/EI0011)', 'user', 'configuration', 'error', 'root', 100,
		'\bEI00(?:07|11)\b',
		'Device memory or notify resources are used up.',
		'Free device memory, make the buffers smaller or use fewer communicators.', true, 'fix_job'),
	('ascend_ei0008', 'CANN versions differ between nodes (EI0008)', 'user', 'incompatibility', 'error', 'root', 100,
		'\bEI0008\b|The (?:HCCL|CANN) versions are inconsistent',
		'Not all nodes run the same CANN release.',
		'Install one release everywhere.', true, 'update'),
	('ascend_ei0012', 'Memory copy between devices failed (EI0012)', 'hardware', 'accelerator', 'error', 'root', 100,
		'\bEI0012\b|Execution_Error_SDMA|fftsplus sdma error|there is a sdma error',
		'A buffer was freed too early or is too small, or the link between the two devices failed.',
		'Keep buffers until the stream is synchronised, and check the link of the named ranks.', true, 'repair'),
	('ascend_error_cqe', 'RoCE transmission gave up (EI0013)', 'hardware', 'network', 'critical', 'root', 100,
		'\bEI0013\b|error cqe status|cqe error status\[',
		'Retransmission over RoCE ran out: a port flapped, the network is congested, or the peer had died.',
		'Take the remote address from the line and check port, optics and counters on both ends.', true, 'repair'),
	('ascend_hccl_heartbeat', 'HCCL heartbeat abnormal', 'hardware', 'network', 'error', 'cascade', 100,
		'\[HeartbeatAbnormal\]|heartbeat\.cc:\d',
		'The library noticed that a peer is gone or failing, and names it.',
		'Begin with the peer in the line.', true, 'follow'),
	('ascend_hccl_result', 'Collective library of Ascend failed', 'framework', 'framework', 'error', 'cascade', 200,
		'(?:HCCL|OPS|DIST) function error: [Hh]ccl[^\n]{0,200}error code is \d|\bERR02200 DIST call hccl api failed',
		'A call of the collective library failed; a code beside it (EI, EJ) says why.',
		'Read the code beside it, or the plog of that process; look for the rank that failed first.', true, 'follow'),
	('ascend_ej0001', 'HCCP did not start (EJ0001)', 'user', 'misoperation', 'error', 'root', 100,
		'\bEJ0001\b|Failed to initialize the HCCP process',
		'An earlier job still holds the device, or more processes than devices were started.',
		'End the old processes and compare processes per node with the devices.', true, 'fix_job'),
	('ascend_ej0002', 'Network port of a device is down (EJ0002)', 'hardware', 'network', 'critical', 'root', 100,
		'\bEJ0002\b|rdev init failed\. ret\(-67\)|hdc message process failed ret\(-67\)',
		'The network port of the device has no link.',
		'Check link, optics and cable with hccn_tool and restore the address of the port.', true, 'repair'),
	('ascend_ej0003', 'HCCP could not bind its port (EJ0003)', 'user', 'configuration', 'error', 'root', 100,
		'\bEJ0003\b|rs_socket_listen_bind_listen\(\d+\) : bind fail',
		'The port is taken or the address does not belong to the card.',
		'Free the ports, choose the right interface and check the address of the card.', true, 'fix_job'),
	('ascend_ej0004', 'Rank table address is not that of the card (EJ0004)', 'user', 'configuration', 'error', 'root', 100,
		'\bEJ0004\b|in the ranktable is inconsistent with the IP',
		'The rank table is out of date.',
		'Put the present device addresses into it and keep rank ids unique.', true, 'fix_job'),
	('ascend_tls_mismatch', 'TLS setting differs between devices', 'user', 'configuration', 'error', 'root', 100,
		'TLS switch is inconsistent|tlsv1 alert unknown ca',
		'Some devices talk with TLS and others without, or their certificates differ.',
		'Give all devices the same TLS state and certificates.', true, 'fix_job'),
	('ascend_aicore_failed', 'Operator failed on the accelerator core', 'hardware', 'accelerator', 'error', 'root', 100,
		'(?i)(?:ai ?core|vector ?core|cube ?core)[^\n]{0,60}(?:execut\w{0,4} (?:failed|error|is '
		'abnormal)|exception|error|timeout|timed out|abnormal)',
		'An operator crashed on the device: bad input of the operator, or a failing chip.',
		'Repeat the operator on another device; take the device out if only it fails, else report the operator with its input.',
		true, NULL),
	('ascend_aicpu_failed', 'Operator failed on the control CPU of the device', 'framework', 'framework', 'error', 'root', 100,
		'Aicpu kernel execute failed|exception occurred during AICPU execution',
		'An operator that runs on the CPU of the device failed.',
		'Check its input and the CANN version and reproduce it alone.', true, NULL),
	('ascend_stream_timeout', 'Stream or device synchronise timed out', 'hardware', 'accelerator', 'error', 'cascade', 200,
		'\bEE1002\b|stream sync timeout|(?:error code is|runtime result =|ret=) ?5070(?:4[678])|reason=\[task timeout\]'
		'|hccl fftsplus task timeout occurred|The execution of the internal task times out|all tasks in the specified stream '
		'are not completed',
		'A task on the device did not finish in time, mostly a collective that waits for another rank.',
		'Look for the first rank with another error; treat this as a consequence when other ranks wait for a notify.', true,
		'follow'),
	('ascend_driver_mismatch', 'CANN needs a newer driver', 'user', 'incompatibility', 'error', 'root', 100,
		'(?i)stream mode cannot be set in current driver version|driver version[^\n]{0,80}(?:not '
		'(?:supported|compatible|match)|too (?:low|old)|does not (?:match|meet|support))',
		'The toolkit uses something that the installed driver does not have.',
		'Install driver and toolkit of one release on every node.', true, 'update');

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause, fix,
	builtin, recovery)
WITH code (code, title, category, subtype, severity, role, recovery, root_cause, fix) AS (VALUES
	('EI0009', 'Transport between devices not set up', 'hardware', 'network', 'critical', 'root', 'repair',
		'A network port of the device has no link, no address, or does not reach the switch.',
		'Look at the optical module, the address and the switch neighbour of each device with hccn_tool, and mend the one '
		'that differs.'),
	('EI0010', 'Copy from device to device not possible', 'hardware', 'accelerator', 'error', 'root', 'repair',
		'Two devices of a node do not reach each other: a device is not well, or the way between them is off.',
		'Check the health of the devices with npu-smi; reset the node where one is missing.'),
	('EI0014', 'Rank table does not fit the devices', 'user', 'configuration', 'error', 'root', 'fix_job',
		'A value of the rank table is missing or is not that of the device; in containers the topology folder of the driver '
		'may not be mounted.',
		'Write the rank table anew from the present devices, one entry a device; mount the whole driver folder into the '
		'container.'),
	('EI0015', 'Ranks did not come together', 'hardware', 'network', 'error', 'cascade', 'follow',
		'Not all ranks reached the root rank in time: one did not start, or its host network does not reach it.',
		'Find the ranks that the message lists as not connected and read why they did not start; then check the network '
		'interface that HCCL_SOCKET_IFNAME names.'),
	('EI0016', 'HCCL setting not valid', 'user', 'configuration', 'error', 'root', 'fix_job',
		'A setting has a value that the collective library does not take.',
		'Give the setting that the message names a value that it takes.'),
	('EI0017', 'Rank table incomplete', 'user', 'configuration', 'error', 'root', 'fix_job',
		'A field that the rank table must have is missing.',
		'Add the field that the message names, or write the rank table anew.'),
	('EI0018', 'Transfer over the device bus gave up', 'hardware', 'network', 'critical', 'root', 'repair',
		'Retransmission between two devices ran out: a port flapped, the peer had ended, or memory or bus of a device is '
		'bad.', 'Look first whether the peer had ended; then check port and health of both devices that the message names.'),
	('EI0019', 'Port of the host taken', 'user', 'configuration', 'error', 'root', 'fix_job',
		'Another process listens on the port that the collective library wants, or the job was started twice.',
		'End the old processes, or move the port range with HCCL_IF_BASE_PORT and reserve it.'),
	('EI0020', 'Port of the device taken', 'user', 'configuration', 'error', 'root', 'fix_job',
		'Several processes use one device and want the same port.',
		'Give them a range with HCCL_NPU_SOCKET_PORT_RANGE, or one device each.')
)
SELECT 'ascend_' || lower(c.code), format('%s (%s)', c.title, c.code), c.category, c.subtype, c.severity, c.role, 100,
	format('\b%s\b', c.code), c.root_cause, c.fix, true, c.recovery
FROM code c;

-- codes of the modules, at the head of a message
INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause, fix,
	builtin, recovery)
WITH form (form) AS (VALUES ('(?:^|[\s(\[])(?:%s)[)\]]?: ')
), module (key, title, codes, category, subtype, severity, role, priority, recovery, root_cause, fix) AS (VALUES
	('inner_error', 'CANN failed inside', 'E[1-9A-Z](?:9999|8888)', 'framework', 'framework', 'error', 'cascade', 300,
		'follow', 'A module of CANN failed without a code of its own.',
		'Read the lines with another code beside it, and the plog of that process; this code alone tells nothing.'),
	('graph_code', 'Graph not accepted by CANN', 'E1\d{4}', 'user', 'program_bug', 'error', 'root', 100, 'fix_job',
		'The graph engine got a model, a shape or an option that it does not take.',
		'Correct what the message names; run the step in eager mode to find the operator.'),
	('aicpu_code', 'Operator on the control CPU not usable', 'E3\d{4}', 'framework', 'framework', 'error', 'root', 100,
		'update', 'An operator for the CPU of the device is missing, too old or got a bad input.',
		'Install operators and CANN of one release; check the input that the message names.'),
	('compile_code', 'Operator not compiled for the device', 'E(?!99999)[4-9AB]\d{4}', 'framework', 'framework', 'error',
		'root', 100, 'fix_job',
		'The compiler of operators found shape, type or format not supported, or ran out of memory or processes.',
		'Check the shape and type that the message names and the release notes of CANN; free memory of the host where the '
		'compiler was killed.'),
	('runtime_code', 'Ascend runtime called wrongly', 'EE1(?!002)\d{3}', 'user', 'program_bug', 'error', 'root', 100,
		'fix_job', 'A call of the runtime got a bad argument, a destroyed stream or a device that is not its own.',
		'Look up the call that the message names; a stream or tensor may have been freed too early.'),
	('operator_code', 'Operator library of CANN failed', 'E[ZN](?!9999|8888)\d{4}', 'framework', 'framework', 'error', 'root',
		200, 'fix_job', 'An operator refused its arguments or failed to start; the number and the call say which.',
		'Check shapes, types and alignment of the inputs that the message names; try the same operator alone.'),
	('driver_code', 'Ascend driver or device reported a fault', 'EL\d{4}', 'hardware', 'accelerator', 'error', 'root', 100,
		'restart_node', 'The driver could not open, reset or talk to the device.',
		'Check npu-smi and the log of the driver on that node; reset the device or reboot the node.'),
	('api_code', 'Call of AscendCL failed', 'EH(?!9999)\d{4}', 'user', 'program_bug', 'error', 'root', 100, 'fix_job',
		'A call of the interface got a bad argument, or something was used before it was set up.',
		'Correct the argument that the message names.'),
	('profiling_code', 'Profiler of CANN failed', 'EK\d{4}', 'framework', 'framework', 'warning', 'root', 200, 'none',
		'Profiling could not be set up or written; training goes on without it.',
		'Free the disk or correct the folder of the profiler.')
)
SELECT 'ascend_' || m.key, m.title, m.category, m.subtype, m.severity, m.role, m.priority, format(f.form, m.codes),
	m.root_cause, m.fix, true, m.recovery
FROM module m CROSS JOIN form f;

-- what calls of the runtime return; word: how the runtime, or the framework above it, writes the same without the number
INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause, fix,
	builtin, recovery)
WITH form (form) AS (VALUES
	('(?i)(?:\berr(?:or)?[ _]?(?:code|no)?(?: is)?|\bret(?:urn)?[ _]?(?:code|val(?:ue)?)?|failed|acl ?error|runtime '
		'result)[ :=]{1,3}[\[(]?(?:%1$s)\b')
), sort (sort, category, subtype, severity, role, recovery, root_cause, fix) AS (VALUES
	('argument', 'user', 'program_bug', 'error', 'root', 'fix_job',
		'The program, or the framework, called the runtime with something that it does not take.',
		'Look up the call above in the traceback; a stream, event or tensor may be freed, of another device, or not set up.'),
	('capture', 'user', 'program_bug', 'error', 'root', 'fix_job',
		'While a graph was captured the program did something that cannot be captured.',
		'Take synchronisation, copies to the host and other streams out of the captured part, or run without graphs.'),
	('memory', 'user', 'configuration', 'error', 'root', 'fix_job', 'Memory of the device is used up.',
		'Use a smaller micro-batch, recomputation or more sharding; check that no old process sits on the device.'),
	('resource', 'user', 'configuration', 'error', 'root', 'fix_job',
		'The device has no more streams, events, notifies or the like.',
		'Use fewer communicators, streams and graphs at a time; check that no old process sits on the device.'),
	('missing', 'hardware', 'accelerator', 'critical', 'root', 'restart_node',
		'The runtime found no device, or may not use it.',
		'Check npu-smi on that node, the devices and folders mounted into the container, and the users group.'),
	('unsupported', 'user', 'incompatibility', 'error', 'root', 'update',
		'The program asks for something that this device or this release does not have.',
		'Install driver, firmware and CANN of one release, or do without.'),
	('overflow', 'user', 'program_bug', 'error', 'root', 'fix_job', 'A calculation left the range of its type.',
		'Look at loss scale, learning rate and the data of that step; switch overflow detection off only where it is meant '
		'to be.'),
	('kernel', 'framework', 'framework', 'error', 'root', NULL,
		'An operator failed on the device: mostly bad input, a bug of the operator or memory freed too early, seldom the '
		'chip.',
		'Run the same step with blocking launches to find the operator, and on another device: only where one device fails '
		'alone, take it out.'),
	('control', 'framework', 'framework', 'error', 'root', NULL,
		'An operator that runs on the control CPU of the device failed or took too long.',
		'Look at its input and at data preparation; install CANN and driver of one release.'),
	('waiting', 'hardware', 'accelerator', 'error', 'cascade', 'follow',
		'A task on the device did not end in time, mostly a collective that waits for another rank.',
		'Look for the first rank with another error.'),
	('stopped', 'framework', 'framework', 'error', 'cascade', 'follow',
		'The device was told to stop its tasks, as another rank had failed.', 'Look for the rank that failed first.'),
	('device', 'hardware', 'accelerator', 'critical', 'root', 'reset_device',
		'The device, or the processor on it that runs the tasks, does not work any more.',
		'Take the node out and reset the device, or reboot; have it exchanged where it returns.'),
	('ecc', 'hardware', 'accelerator', 'critical', 'root', 'reset_device',
		'Memory of the device held a value that ECC could not repair.',
		'Take the device out, reset it so that the bad row is replaced, and have it exchanged where it returns.'),
	('peer_memory', 'hardware', 'accelerator', 'error', 'cascade', 'follow',
		'An access to memory of another device failed: that device has the fault, or its process had ended.',
		'Look at the other devices and ranks at the same time for a memory fault or an end.'),
	('link', 'hardware', 'network', 'critical', 'root', 'repair', 'The link between two devices failed.',
		'Check the link of both devices (npu-smi, hccn_tool); take the node out where it stays down.'),
	('internal', 'framework', 'framework', 'error', 'cascade', 'follow',
		'The runtime failed inside, without a reason of its own.',
		'Read the plog of that process for the first error; update CANN where there is none.')
), code (sort, title, codes, word) AS (VALUES
	('argument', 'Argument of the Ascend runtime not valid',
		'{107000,107001,107002,107003,107004,107005,107006,107007,107008,107009,107010,107011,107012,107013,1'
		'07014,107015,107016,107017,107018,107021}', NULL),
	('waiting', 'Wait on the device timed out', '{107019,107020}', NULL),
	('stopped', 'Tasks of the device were stopped', '{107022,107023,107035}', 'NPU[^\n]{0,40}error: FORCE STOP'),
	('capture', 'Ascend graph capture failed',
		'{107024,107025,107026,107027,107028,107029,107030,107031,107032,107033,107034,107036,507903}', NULL),
	('unsupported', 'Not supported by the Ascend device', '{207000,507008,507009}', NULL),
	('memory', 'Out of memory on the Ascend device', '{207001,207018}', NULL),
	('resource', 'Out of resources of the Ascend device', '{207005,207007,207008,207009,207010,207011,207012,507032}', NULL),
	('overflow', 'Overflow on the Ascend device', '{207003,207016,207017}', NULL),
	('missing', 'No Ascend device', '{207004,207006}', NULL),
	('internal', 'Ascend runtime failed inside', '{507000,507011,507023}', NULL),
	('device', 'Task scheduler of the Ascend device failed', '{507001,507012}', NULL),
	('device', 'Ascend device lost its heartbeat', '{507010}', 'retCode=0x[0-9a-f]+,? ?\[[^\]\n]{0,40}lost heartbeat\]'),
	('device', 'Ascend device not set up', '{507033}', NULL),
	('device', 'DMA of the Ascend device failed', '{507013}', NULL),
	('waiting', 'AI core timed out', '{507014,507034}', '\[(?:aicore|vector core) timeout\]'),
	('kernel', 'AI core exception', '{507015,507035,507049}', '\[(?:aicore|vector core|fftsplus task) exception\]'),
	('kernel', 'AI core trapped', '{507016,507036,507050}', '\[(?:aicore|vector core) trap exception\]'),
	('kernel', 'AI core went out of its memory', '{507042,507043,507044,507045}',
		'\[ai[cv](?:ore)? trap (?:read|write) overflow\]'),
	('control', 'AI CPU timed out', '{507017}', '\[aicpu timeout\]'),
	('control', 'AI CPU exception', '{507018,507020,507900}', '\[aicpu exception\]'),
	('internal', 'Kernel of the Ascend runtime not found', '{507024,507027,507028}', NULL),
	('ecc', 'Memory error of the Ascend device', '{507053}', '\bUCE ERROR\b'),
	('ecc', 'Multi-bit memory error of the Ascend device', '{507054}', '\bHBM MULTI BIT ECC\b'),
	('peer_memory', 'Memory of another Ascend device suspected', '{507055}', '\bSUSPECT MEM ERROR\b'),
	('peer_memory', 'Another Ascend device suspected', '{507057}', '\bSUSPECT REMOTE ERROR\b'),
	('link', 'Link between Ascend devices failed', '{507056}', '\bHCCS LINK ERROR\b'),
	('link', 'Collective on Ascend devices failed after retries', '{507904}', '\bHCCL OP RETRY FAILED\b'),
	('device', 'Ascend driver failed', '{507899}', '\[driver error:[^\]\n]{1,40}\]|tsd client wait response fail'),
	('stopped', 'Channel to the Ascend device closed', '{507901,507051,507052}', NULL)
)
SELECT 'ascend_' || u.code, format('%s (%s)', c.title, u.code), s.category, s.subtype, s.severity, s.role, 100,
	format(f.form, u.code) || coalesce('|(?-i:' || CASE u.number WHEN 1 THEN c.word END || ')', ''), s.root_cause, s.fix, true,
	s.recovery
FROM code c CROSS JOIN form f CROSS JOIN LATERAL unnest(c.codes::int[]) WITH ORDINALITY u (code, number)
JOIN sort s ON s.sort = c.sort;

-- events of the driver, as plog, the kernel, npu-smi and the device plugin write them
INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause, fix,
	builtin, recovery)
WITH form (form) AS (VALUES
	('(?i)\b(?:event|fault|alarm|error)[ _]?(?:id|code)?s?\W{1,4}(?:0x)?(?:%s)\b')
), event (key, title, codes, severity, subtype, role, recovery, root_cause, fix) AS (VALUES
	('memory', 'Multi-bit memory error of an Ascend device', '80e01801', 'critical', 'accelerator', 'root', 'reset_device',
		'Memory of the device held a value that ECC could not repair.',
		'Take the device out and reset it, then test its memory; have it exchanged where it returns.'),
	('memory_worn', 'Ascend device has no spare memory rows', '80e1840[12]', 'critical', 'accelerator', 'root', 'replace',
		'So many rows of the memory were replaced that none is left.', 'Have the device exchanged.'),
	('core', 'Bus error of a core of an Ascend device', '80c[9b]8009', 'error', 'accelerator', 'root', NULL,
		'A core met an error at an access: a bug of an operator, or the chip.',
		'Start again; where the same device shows it with other jobs, test and exchange it.'),
	('core_timeout', 'Core of an Ascend device hung', '80c[9b]800a', 'error', 'accelerator', 'root', 'reset_device',
		'An operator never ended, so the device resets the core.',
		'Start again; where the same device shows it with other jobs, test and exchange it.'),
	('link', 'Network port of an Ascend device down', '81078603', 'critical', 'network', 'root', 'repair',
		'The port of the device lost its link.', 'Check optics, cable and switch port of the device (hccn_tool).'),
	('retransmission', 'Transfer of an Ascend device gave up', '[84]c1f8608|8c1f860b', 'error', 'network', 'root', 'repair',
		'Retransmission over the network ran out.', 'Check the port of both ends; look whether the peer had ended before.'),
	('lost', 'Ascend device gone', '56000005', 'critical', 'accelerator', 'root', 'restart_node',
		'The host does not reach the device any more.',
		'Take the node out and power-cycle it; check seating and power of the module.'),
	('power', 'Ascend device lost its power', '2c000007|2c00002b|5d00001[df]', 'critical', 'accelerator', 'root', 'repair',
		'A supply voltage of the module failed.',
		'Take the node out and power-cycle it; have the module exchanged where it returns.'),
	('thermal', 'Ascend device too hot', '56000009|5d000005|12000023|120000c[379]|0400000[57]|1800000[3d]', 'critical',
		'accelerator', 'root', 'repair', 'Cooling failed: fan, pump, coolant or the air round the node.',
		'Take the node out and have its cooling mended.')
)
SELECT 'ascend_event_' || e.key, e.title, 'hardware', e.subtype, e.severity, e.role, 100, format(f.form, e.codes), e.root_cause,
	e.fix, true, e.recovery
FROM event e CROSS JOIN form f;
