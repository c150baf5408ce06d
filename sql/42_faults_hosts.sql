/*
 * Built-in faults of operating systems and hosts; what the columns mean: 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, builtin)
VALUES
	('kernel_panic', 'Kernel panic', 'hardware', 'node', 'critical', 'root', 100,
		'Kernel [Pp]anic|kernel panic',
		'The operating system of the host stopped.',
		'Power-cycle, save the crash dump and keep the node out until the reason is known.', true),
	('soft_lockup', 'CPU stuck in the kernel', 'hardware', 'node', 'error', 'root', 100,
		'soft lockup - CPU#\d+ stuck',
		'A processor runs in circles in the kernel: a driver bug or failing hardware.',
		'Take the node out, reboot, update kernel and drivers.', true),
	('hard_lockup', 'CPU no longer reacts', 'hardware', 'node', 'critical', 'root', 100,
		'hard LOCKUP|detected stalls on|self-detected stall on CPU',
		'A processor takes no interrupts any more.',
		'Reboot and keep the node out until hardware tests pass.', true),
	('hung_task', 'Process blocked in the kernel', 'hardware', 'node', 'error', 'root', 100,
		'task [^:\n]{1,40}:\d+[^\n]{0,20} blocked for more than \d+ seconds',
		'A process waits for storage or a driver and does not get on.',
		'The name tells which: a file system client means storage, a GPU or RDMA thread means the driver. Take the node out '
		'if it lasts.', true),
	('host_oom', 'Killed for lack of host memory', 'user', 'configuration', 'error', 'root', 100,
		'invoked oom-killer|Out of memory: Kill(?:ed)? process|[Mm]emory cgroup out of memory|oom-kill:constraint=|oom_kill '
		'event|\bOOM[ -][Kk]ill(?:er|ed)\b',
		'The memory of the host or of the container ran out: too many loader workers, a checkpoint gathered on one rank, a '
		'leak.',
		'Ask for more memory, use fewer workers or less prefetch, and save checkpoints in shards.', true),
	('alloc_failed', 'Host memory could not be allocated', 'user', 'configuration', 'error', 'root', 200,
		'std::bad_alloc|Cannot allocate memory|can''t allocate memory|\bMemoryError\b|\bENOMEM\b|Unable to allocate [\d.]+ '
		'[KMGT]iB',
		'The host has not enough memory, or not enough that may be locked.',
		'Check free memory and limits of the node; use fewer workers or smaller buffers.', true),
	('thread_limit', 'No more threads or processes allowed', 'user', 'configuration', 'error', 'root', 100,
		'can''t start new thread|(?<!Accept failed )Resource temporarily unavailable|pthread_create failed|fork: retry',
		'The limit of processes or threads is reached.',
		'Raise ulimit -u or the process limit of the container; start fewer workers or threads.', true),
	('fd_limit', 'Too many open files', 'user', 'configuration', 'error', 'root', 100,
		'Too many open files|EMFILE|VFS: file-max limit \d+ reached',
		'The process or the host may not open more files or sockets.',
		'Raise ulimit -n and fs.file-max, or share tensors through the file system.', true),
	('process_sigkill', 'Process killed (signal 9)', 'platform', 'resource_management', 'error', 'root', 200,
		'exit ?code\s{0,3}[:=]?\s{0,3}-9\b|(?:exited|exits|failed|finished|died) with (?:exit |return '
		')?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-9|137)\b|(?i:\b(?:killed|terminated|died|exited)[^\n]{0,30}\bsignal:? '
		'(?:9\b|SIGKILL))|\bSignal 9 \(SIGKILL\)|\(SIGKILL\)',
		'Somebody outside killed it without warning: the out-of-memory killer, the scheduler, or a person. The process itself '
		'could log nothing.',
		'Look in the system log of that node at this time for a memory kill, and in the scheduler for preemption.', true),
	('process_aborted', 'Process aborted (signal 6)', 'framework', 'framework', 'warning', 'cascade', 300,
		'exit ?code\s{0,3}[:=]?\s{0,3}-6\b|(?:exited|exits|failed|died) with (?:exit |return '
		')?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-6|134)\b|(?i:\b(?:killed|terminated|died|exited)[^\n]{0,30}\bsignal:? '
		'(?:6\b|SIGABRT))|\bSignal 6 \(SIGABRT\)|Fatal Python error: Aborted|terminate called (?:after throwing|without an '
		'active)',
		'The program ended itself, often the collective watchdog after a timeout, else a failed check in native code.',
		'Read what was written just before; if it was the watchdog, look for the rank that was late.', true),
	('segfault', 'Segmentation fault', 'framework', 'framework', 'error', 'root', 200,
		'Segmentation fault|SIGSEGV|exit ?code\s{0,3}[:=]?\s{0,3}-11\b|(?:exited|exits|failed|died) with (?:exit |return '
		')?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-11|139)\b|(?i:\b(?:killed|terminated|died)[^\n]{0,30}\bsignal:? 11\b)',
		'Native code crashed.',
		'Get a core file or a faulthandler trace; check versions of compiled extensions, and memory of the host.', true),
	('bus_error', 'Bus error', 'hardware', 'node', 'error', 'root', 200,
		'\bSIGBUS\b|Fatal Python error: Bus error|exit ?code\s{0,3}[:=]?\s{0,3}-7\b|(?:exited|exits|failed|died) with (?:exit '
		'|return )?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-7|135)\b',
		'A mapped page could not be delivered: shared memory is full, a mapped file shrank or its storage failed.',
		'Check the size of /dev/shm and the file system that holds mapped data.', true),
	('process_terminated', 'Process told to end (SIGTERM)', 'platform', 'scheduling', 'info', 'cascade', 300,
		'closing signal SIGTERM|SignalException: Process \d+ got signal: 15|(?i:\breceived (?:signal '
		')?(?:SIGTERM|15)\b)|(?i:\bSIGTERM (?:received|caught)\b)|exit ?code\s{0,3}[:=]?\s{0,3}-15\b',
		'The launcher or scheduler ends the rest after a first failure, or the job was cancelled.',
		'No cause in itself: look at what happened before.', true),
	('process_unstoppable', 'Process does not end when told', 'hardware', 'accelerator', 'warning', 'root', 200,
		'(?i)\b(?:did|does|would) not (?:stop|exit|terminate|end)\b[^\n]{0,60}|unable to (?:kill|stop|terminate) (?:the '
		')?(?:process|worker|rank)|(?:escalating|sending) (?:to )?SIGKILL',
		'A process stopped or stuck in a driver or in storage ignores the request to end, which points at its node.',
		'Look at the state of the process and at the kernel log of this node; reset the device.', true),
	('pcie_aer', 'PCIe bus error', 'hardware', 'node', 'warning', 'root', 100,
		'PCIe Bus Error: severity=|AER: (?:Corrected|Uncorrected|Multiple)',
		'The link between a device and its slot is weak.',
		'Reseat card or riser; take the node out when errors are uncorrected or keep coming.', true),
	('cpu_mce', 'Machine check or host memory error', 'hardware', 'node', 'critical', 'root', 100,
		'Fatal machine check|EDAC MC\d*:[^\n]{0,40} UE |Machine check events logged|mce: \[Hardware Error\]',
		'Memory or processor of the host had an error that could not be repaired.',
		'Take the node out and replace the module or processor after the vendor test.', true),
	('page_alloc_failure', 'Kernel found no free pages', 'hardware', 'node', 'warning', 'root', 100,
		'page allocation failure',
		'Host memory is used up or in pieces, often pinned for RDMA.',
		'Restart the processes that leak, raise min_free_kbytes, or reboot.', true),
	('conntrack_full', 'Connection tracking table full', 'platform', 'network_settings', 'warning', 'root', 100,
		'nf_conntrack: table full',
		'Too many connections are tracked, so packets are dropped.',
		'Raise nf_conntrack_max or do not track traffic inside the cluster.', true),
	('node_power', 'Power loss or sudden restart of a node', 'hardware', 'node', 'critical', 'root', 100,
		'(?i)power supply[^\n]{0,40}(?:fail|lost|fault)|\bPSU ?\d*\b[^\n]{0,40}(?:fail|lost|fault)|(?:unexpected'
		'|ungraceful)(?:ly)? (?:reboot\w*|restart\w*|shutdown|power)|AC (?:power )?lost',
		'The node lost its power or started again by itself.',
		'Check power supplies and event log of the management controller before it gets work again.', true),
	('clock_skew', 'Clocks of the nodes differ', 'platform', 'network_settings', 'warning', 'root', 100,
		'(?i)\bclock skew\b|system clock (?:wrong|unsynchroni[sz]ed)|time (?:jump|offset)[^\n]{0,40}(?:detected|too large)',
		'The clock of a node is wrong, which disturbs leases, certificates and the order of logs.',
		'Repair time synchronisation on that node.', true),
	('node_lost', 'Node lost', 'hardware', 'node', 'critical', 'root', 200,
		'Nodes? \S+ (?:not responding|unresponsive)|NODE_FAIL|DUE TO NODE FAILURE|NodeNotReady|Kubelet stopped posting node '
		'status|(?i:\bnode \S+ (?:is |went |marked |has gone )?(?:down|dead|unreachable|offline|lost)\b)',
		'The node stopped answering: power, kernel or network.',
		'Check its management controller and console, replace it, and go on from the last checkpoint.', true);
