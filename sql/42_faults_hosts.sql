/*
 * Built-in faults of operating systems and hosts; what the columns mean: 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, recovery, builtin)
VALUES
	('kernel_panic', 'Kernel panic', 'hardware', 'node', 'critical', 'root', 100,
		'Kernel [Pp]anic|kernel panic|\bKernel offset: 0x[0-9a-f]+ from 0x|Rebooting in \d+ seconds\.\.',
		'The operating system of the host stopped: failing memory or processor, a driver bug, or a check that ends the node '
		'on purpose.',
		'Read the lines just before on the console or in the crash dump; power-cycle and keep the node out until the reason '
		'is known.', 'restart_node', true),
	('kernel_oops', 'Kernel crashed in a driver or in memory it should not touch', 'hardware', 'node', 'critical', 'root', 100,
		'BUG: unable to handle (?:kernel )?(?:NULL pointer dereference|paging request|page fault)|BUG: kernel NULL pointer '
		'dereference|Unable to handle kernel (?:NULL pointer|paging request|access to user)|\bOops: '
		'[^\n]{0,60}\[#\d+\]|Internal error: Oops|kernel BUG at [^\n]{1,80}!|general protection fault(?:, [^\n]{0,80})?: '
		'[0-9a-f]{4} \[#\d+\]|invalid opcode: 0000 \[#\d+\]|divide error: 0000 \[#\d+\]|BUG: Bad page '
		'(?:state|map|cache)|\blist_(?:add|del) corruption|kernel stack (?:overflow|is corrupted)|BUG: scheduling while '
		'atomic|BUG: KASAN: |double fault: 0000 \[#',
		'Code of the kernel, mostly a driver, used a bad address; failing host memory does the same.',
		'Note the module in the trace (nvidia, mlx5, lustre ...), take the node out and reboot it; update that driver, test '
		'memory when traces differ from time to time.', 'restart_node', true),
	('soft_lockup', 'CPU stuck in the kernel', 'hardware', 'node', 'error', 'root', 100,
		'soft lockup - CPU#\d+ stuck|BUG: workqueue lockup - pool',
		'A processor runs in circles in the kernel: a driver bug or failing hardware.',
		'Read in the trace which driver holds the processor, take the node out, reboot, and update kernel and drivers.',
		'restart_node', true),
	('hard_lockup', 'CPU no longer reacts', 'hardware', 'node', 'critical', 'root', 100,
		'hard LOCKUP|\bCPU \d+: hard lockup|\bHARD LOCKUP\b',
		'A processor takes no interrupts any more: hardware, firmware, or a driver that keeps them off.',
		'Reboot and keep the node out until hardware tests pass.', 'restart_node', true),
	('rcu_stall', 'Processor or task held up in the kernel (RCU stall)', 'hardware', 'node', 'error', 'root', 100,
		'\brcu[^\n]{0,40}(?:self-)?detected (?:expedited )?stalls? on|detected stalls on CPUs/tasks|self-detected stall on '
		'CPU|rcu_\w+ kthread starved for \d+ jiffies|rcu_\w+ kthread timer wakeup didn''t happen',
		'One processor did not pass a checkpoint of the kernel for long: a driver that keeps it busy, an overloaded or paused '
		'virtual machine, seldom hardware.',
		'Read which task and driver the trace names. If the node goes on, watch it; when it repeats, reboot the node and '
		'update that driver.', 'restart_node', true),
	('hung_task', 'Process blocked in the kernel', 'hardware', 'node', 'error', 'root', 100,
		'task [^:\n]{1,40}:\d+[^\n]{0,20} blocked for more than \d+ seconds',
		'A process waits for storage or a driver and does not get on.',
		'The name tells which: a file system client means storage, a GPU or RDMA thread means the driver. Take the node out '
		'if it lasts; it cannot be killed.', 'restart_node', true),
	('nmi_unknown', 'Hardware raised an interrupt that nobody knows', 'hardware', 'node', 'error', 'root', 100,
		'Uhhuh\. NMI received|NMI received for unknown reason|Dazed and confused, but trying to continue|NMI: (?:PCI system '
		'error|IOCK error|SERR error|IO check)',
		'A device or the board reported an error by a non-maskable interrupt without saying more.',
		'Read the event log of the management controller for the same minute; take the node out when it comes again.',
		'repair', true),
	('cpu_mce', 'Machine check: an error that could not be corrected', 'hardware', 'node', 'critical', 'root', 100,
		'Fatal (?:local )?machine check|Machine check: (?:Processor context corrupt|Action required)|Uncorrected hardware '
		'memory error|CPUs not responding to MCE broadcast|MCE: Killing \S+|CPU \d+: Machine [Cc]heck(?: '
		'(?:Exception|Event))?: [0-9a-f]{1,16} Bank \d+: [abef][0-9a-f]{15}|\[Hardware Error\]: (?:Uncorrected|Deferred '
		'error|Fatal)|_STATUS\[[^\]\n]{0,60}\|(?:UC|UE)\||\[Hardware Error\]: RIP !INEXACT!|\bmcelog: '
		'[^\n]{0,60}(?:[Uu]ncorrected|UCNA|fatal)',
		'Memory, processor or an interconnect of the host had an error that could not be repaired.',
		'Take the node out, read bank and address with the vendor''s decoder, and replace the module or processor after the '
		'vendor test.', 'replace', true),
	('mce_corrected', 'Machine check that was corrected or only logged', 'hardware', 'node', 'info', 'confirmation', 200,
		'Machine check events logged|\[Hardware Error\]: +(?:PROCESSOR \d|TSC [0-9a-f]|\w{3,24}: )|\[Hardware Error\]: '
		'(?:Corrected error|Machine check: Corrected)|_STATUS\[[^\]\n]{0,60}\|CE\||CPU \d+: Machine [Cc]heck(?: Event)?: '
		'[0-9a-f]{1,16} Bank \d+: [89cd][0-9a-f]{15}|CMCI storm (?:detected|subsided)',
		'The processor repaired an error by itself, or only counted one. No job fails by it.',
		'Nothing now. Count them per node and week: a module whose count climbs quickly is exchanged at the next maintenance.',
		'none', true),
	('host_memory_ue', 'Host memory lost data', 'hardware', 'node', 'critical', 'root', 100,
		'EDAC [^\n]{0,60}\bUE\b|\bEDAC [^\n]{0,60}(?:Uncorrected|uncorrectable|FATAL)|Memory failure: 0x[0-9a-f]+: '
		'(?:recovery action|Killing|Sending SIGBUS|unhandlable)|hardware memory corruption|(?i:\b(?:memory|DIMM\w*'
		'|DRAM)\b[^\n]{0,60}\buncorrect(?:able|ed) ECC\b)',
		'A memory module of the host delivered a value that ECC could not repair; the page is lost, and the process that used '
		'it is killed.',
		'Take the node out and replace the module that the line or the management controller names.', 'replace', true),
	('host_memory_ce', 'Host memory corrected an error', 'hardware', 'node', 'info', 'confirmation', 200,
		'EDAC [^\n]{0,60}\bCE\b|EDAC [^\n]{0,40}MEMORY ERROR|\bCE memory (?:read|scrubbing|write) '
		'error|(?i:\b(?:memory|DIMM\w*|DRAM)\b[^\n]{0,60}(?<!un)\bcorrect(?:able|ed) (?:memory |ECC )?error)|Correctable '
		'ECC(?: logging limit reached)?',
		'ECC repaired single bits. No job fails by it.',
		'Nothing now. When one module counts hundreds a day, plan its exchange.', 'none', true),
	('apei_error', 'Firmware reported an error that was not corrected', 'hardware', 'node', 'critical', 'root', 100,
		'\[Hardware Error\]: +(?:event severity: |Error \d+, type: )(?:fatal|recoverable)|\bBERT: (?:Error records from '
		'previous boot|\[Hardware Error\])|GHES: Fatal hardware error',
		'The platform saw an error of memory, processor or a PCIe device that it could not repair, perhaps the reason of the '
		'last restart.',
		'Read section type and device in the lines below, take the node out, and test or replace that part.', 'replace', true),
	('apei_corrected', 'Firmware reported a corrected error', 'hardware', 'node', 'info', 'confirmation', 200,
		'\[Hardware Error\]: +(?:event severity: |Error \d+, type: )(?:corrected|info)|Hardware error from APEI Generic '
		'Hardware Error Source',
		'The platform repaired an error by itself; the line with the severity says so.',
		'Nothing now; count them per node and device.', 'none', true),
	('pcie_aer', 'PCIe error that was not corrected', 'hardware', 'node', 'error', 'root', 100,
		'PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Non-Fatal\)|AER: (?:Multiple )?Uncorrect(?:ed|able) (?:\(Non-Fatal\) '
		')?error|AER: (?:Multiple )?Uncorrect\w+[^\n]{0,20}Non-Fatal|AER: (?:can''t recover|device recovery '
		'failed|subordinate device reset failed)',
		'A packet between a device and its slot was lost; whoever waited for it may hang or fail.',
		'Find the device by the address in the line. Take the node out when jobs fail by it: reseat card or riser, update '
		'firmware, replace.', 'repair', true),
	('pcie_aer_fatal', 'PCIe link failed', 'hardware', 'node', 'critical', 'root', 100,
		'PCIe Bus Error: severity=Uncorrect(?:ed|able) \(Fatal\)|AER: (?:Multiple )?Uncorrect(?:ed|able) '
		'\(Fatal\)|severity=Fatal, type=|PCI bus error[^\n]{0,40}fatal',
		'The link to a device broke; the device (GPU, network adapter, disk) is gone until it is reset.',
		'Take the node out, power-cycle it, and replace card, riser or cable when it returns.', 'repair', true),
	('pcie_aer_corrected', 'PCIe errors that were corrected', 'hardware', 'node', 'info', 'confirmation', 200,
		'PCIe Bus Error: severity=Correct(?:ed|able)|AER: (?:Multiple )?Correct(?:ed|able) error',
		'Single packets were sent again; the link works, with a little less speed.',
		'Nothing now. Thousands an hour on one slot point at card, riser or cable: reseat at the next maintenance.',
		'none', true),
	('pcie_dpc', 'PCIe port shut off its device', 'hardware', 'node', 'critical', 'root', 100,
		'\bDPC: (?:containment event|unmasked uncorrectable error|error detected|ERR_(?:FATAL|NONFATAL)|RP '
		'PIO)|Slot\([^)\n]{1,20}\): (?:Link Down|Card not present)|not ready \d+ms after [\w ]{2,20}; giving up|config space '
		'inaccessible|device is (?:disconnected|inaccessible)[^\n]{0,20}PCI|(?i:\bsurprise (?:link )?down\b)',
		'The port cut the link after an error, so the device behind it (GPU, network adapter, disk) fell off the bus.',
		'Take the node out and power-cycle it; replace card, riser or cable when it happens again.', 'repair', true),
	('pcie_link_degraded', 'PCIe link slower or narrower than it should be', 'hardware', 'node', 'warning', 'root', 100,
		'(?i:\bPCI-?e\b[^\n]{0,30}\b(?:link|width|speed|generation|gen)\b[^\n]{0,60}\b(?:degraded|downgraded|reduced|below '
		'expected|lower than (?:expected|maximum)))|LnkSta:[^\n]{0,60}\(downgraded\)',
		'The link trained with fewer lanes or a lower speed: dirt, a loose card, or a wrong setting.',
		'Compare with a healthy node (lspci -vv, LnkSta against LnkCap); reseat the card, then replace it.', 'repair', true),
	('iommu_fault', 'Device accessed memory that it may not (IOMMU fault)', 'hardware', 'node', 'error', 'root', 100,
		'\bdmar_fault\b|DMAR: (?:DRHD: handling fault status|\[(?:DMA|INTR)[^\n\]]{0,20}\] )|DMAR:[^\n]{0,30}\bfault '
		'(?:addr|reason|status)|AMD-Vi: (?:Event logged|Completion-Wait loop timed '
		'out)|\bIO_PAGE_FAULT\b|arm-smmu[^\n]{0,60}(?:event 0x[0-9a-f]+ received|[Uu]nhandled context fault|CMD_SYNC timeout)',
		'A device or its driver used an address that is not mapped for it, or the IOMMU stands in the way of direct transfers '
		'between devices.',
		'Find the device in the line. On hosts with GPUs and RDMA set the IOMMU to passthrough (iommu=pt) and switch ACS off; '
		'update the driver; replace the device when only one node shows it.', 'update', true),
	('cpu_throttled', 'Processor of the host throttled by heat', 'hardware', 'node', 'warning', 'root', 100,
		'(?:Core|Package) temperature(?:/speed)? (?:is )?above threshold|cpu clock (?:is '
		')?throttled|(?i:\bPROCHOT\b)|(?i:\bCPU ?#?\d*\b[^\n]{0,40}\bthermal(?:ly)? thr?ott?l)',
		'The host processor is too hot and runs slower: fan, dust, inlet air. The GPUs are not meant.',
		'Check fans, inlet temperature and heat sink of the node; take it out when its ranks are the slow ones.',
		'repair', true),
	('node_overheat', 'Node too hot, shut down or about to', 'hardware', 'node', 'critical', 'root', 100,
		'critical temperature reached|thermal_zone\d+: [^\n]{0,60}shutting down|(?i:\bTemp(?:erature)?\b[^\n]{0,60}\bUpper '
		'(?:Critical|Non-recoverable)\b)|CPU Thermal Trip|Processor[^\n]{0,40}\bThermal Trip\b|(?i:over-?temperature '
		'(?:shutdown|alarm|event|protection))',
		'Cooling failed: fan, coolant, room.',
		'Take the node out, check fans, coolant and inlet air in the management controller; neighbours in the rack too.',
		'repair', true),
	('fan_failed', 'Fan failed', 'hardware', 'node', 'error', 'root', 100,
		'(?i:\bfans?(?:[ _#-]{0,2}\w{1,8})?\b[^\n]{0,50}\b(?:failed|failure|fault|not spinning|stalled|redundancy lost|lower '
		'(?:critical|non-recoverable))\b)',
		'A fan stands still or turns too slowly; the node will throttle and then shut down.',
		'Replace the fan; keep the node out if temperatures rise.', 'repair', true),
	('coolant_leak', 'Leak or lost flow in liquid cooling', 'hardware', 'node', 'critical', 'root', 100,
		'(?i:\b(?:coolant|liquid cooling|water|leak (?:sensor|rope|detector))\b[^\n]{0,50}\b(?:leak\w*|asserted|low '
		'(?:flow|pressure)|flow (?:is )?(?:low|lost|stopped))\b)|(?i:\bleak(?:age)? detected (?:in|at|on|by) (?:the '
		')?(?:tray|rack|chassis|node|compute|switch|sensor))',
		'A sensor reports coolant where none may be, or none where it must flow.',
		'Stop work on the rack, call the data centre, and shut the tray down as its procedure says.', 'repair', true),
	('bmc_processor_error', 'Management controller logged an error of processor or bus',
		'hardware', 'node', 'critical', 'root', 100,
		'\bC?IERR\b|\bCATERR\b|\bMCERR\b|Bus (?:Uncorrectable|Fatal) error|Critical Interrupt[^\n]{0,60}(?:SERR|PERR|NMI|Bus '
		')|Machine Check Exception \| Asserted|\bCPU Machine Check\b',
		'Processor, board or a device raised an error that ends the node.',
		'Take the node out, save the event log of the management controller, and open a case with the vendor.',
		'replace', true),
	('host_oom', 'Killed for lack of host memory', 'user', 'configuration', 'error', 'root', 100,
		'invoked oom-killer|Out of memory: Kill(?:ed)? process|[Mm]emory cgroup out of memory|oom-kill:constraint=|oom_kill '
		'event|(?<!or system )\bOOM[ -][Kk]ill(?:er|ed)\b|oom_reaper: reaped process|killed as a result of limit of|Killed '
		'process \d+ \([^)\n]{1,40}\)|systemd-oomd\S{0,12}: Killed|killed by the OOM killer|result '
		'''oom-kill''|earlyoom[^\n]{0,80}sending SIG|Out of memory and no killable processes|(?i:\b(?:host|node|system|cpu) '
		'(?:ran |is |was )?out of memory\b)',
		'The memory of the host or of the container ran out: too many loader workers, a checkpoint gathered on one rank, a '
		'leak.',
		'Ask for more memory, use fewer workers or less prefetch, and save checkpoints in shards.', 'fix_job', true),
	('alloc_failed', 'Host memory could not be allocated', 'user', 'configuration', 'error', 'root', 200,
		'std::bad_alloc|Cannot allocate memory|can''t allocate memory|\bMemoryError\b|ArrayMemoryError|\bENOMEM\b|Unable to '
		'allocate [\d.]+ [KMGT]iB|\[Errno 12\]|DefaultCPUAllocator: not enough memory|virtual memory '
		'exhausted|\b(?:c|m|re)alloc(?:\(\))? failed\b',
		'The host has not enough memory, or not enough that may be locked.',
		'Check free memory and limits of the node; use fewer workers or smaller buffers.', 'fix_job', true),
	('memlock_limit', 'Too little memory may be locked for RDMA', 'platform', 'resource_management', 'error', 'root', 100,
		'allocate some locked memory|(?i:\b(?:raise|increase|check|low|insufficient|exceed\w*)\b[^\n]{0,40}\b(?:memlock'
		'|locked[- ]memory)\b)|(?i:\b(?:memlock|locked[- ]memory)\b[^\n]{0,40}\b(?:too (?:low|small)|limit '
		'(?:reached|exceeded)|not unlimited))',
		'RDMA must pin memory, and the limit of the process (ulimit -l) does not let it.',
		'Set memlock to unlimited for the launcher''s daemon and in containers (--ulimit memlock=-1), then start again.',
		NULL, true),
	('thread_limit', 'No more threads or processes allowed', 'user', 'configuration', 'error', 'root', 100,
		'can''t start new thread|(?<!Accept failed )Resource temporarily unavailable|pthread_create failed|fork: retry|fork '
		'rejected by pids controller|Thread creation failed|unable to create (?:new )?(?:native )?thread|\[Errno 11\]',
		'The limit of processes or threads is reached.',
		'Raise ulimit -u or the process limit of the container; start fewer workers or threads.', 'fix_job', true),
	('fd_limit', 'Too many open files', 'user', 'configuration', 'error', 'root', 100,
		'Too many open files|EMFILE|VFS: file-max limit \d+ reached|received \d+ items of ancdata|\[Errno 24\]|User limit of '
		'inotify (?:instances|watches)|inotify watch limit reached',
		'The process or the host may not open more files or sockets.',
		'Raise ulimit -n and fs.file-max, or share tensors through the file system.', 'fix_job', true),
	('limit_cannot_be_raised', 'A limit could not be raised', 'user', 'configuration', 'warning', 'root', 200,
		'cannot modify limit: Operation not permitted|ulimit: [^\n]{0,60}(?:cannot|Invalid argument|exceeds)',
		'The script asks for more than the hard limit of its session allows.',
		'Lower the value in the script, or have operators raise the hard limit of the scheduler''s daemon.', 'fix_job', true),
	('process_sigkill', 'Process killed (signal 9)', 'platform', 'resource_management', 'error', 'root', 200,
		'exit ?code\s{0,3}[:=]?\s{0,3}-9\b|(?:exited|exits|failed|finished|died|terminated|ended) with (?:exit |return '
		')?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-9|137)\b|(?i:\b(?:killed|terminated|died|exited)[^\n]{0,30}\bsignal:? '
		'(?:9\b|SIGKILL))|\bSignal 9 \(SIGKILL\)|\(SIGKILL\)|(?i:\bexit ?code(?: is)?\s{0,3}[:=]?\s{0,8}137\b)|\bExited '
		'\(137\)|(?i:\bsignal: killed\b)|\bline \d+:\s{1,6}\d+ Killed\b|\AKilled\s{0,2}\z|code=killed, status=9/KILL',
		'Somebody outside killed it without warning: the out-of-memory killer, the scheduler, or a person. The process itself '
		'could log nothing.',
		'Look in the system log of that node at this time for a memory kill, and in the scheduler for preemption.',
		'follow', true),
	('process_aborted', 'Process aborted (signal 6)', 'framework', 'framework', 'warning', 'cascade', 300,
		'exit ?code\s{0,3}[:=]?\s{0,3}-6\b|(?:exited|exits|failed|died|terminated|ended) with (?:exit |return '
		')?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-6|134)\b|(?i:\b(?:killed|terminated|died|exited)[^\n]{0,30}\bsignal:? '
		'(?:6\b|SIGABRT))|\bSignal 6 \(SIGABRT\)|Fatal Python error: Aborted|terminate called (?:after throwing|without an '
		'active)|\bAborted\s{1,4}\(core dumped\)|\bsignal: aborted\b|Caught signal 6|Signal: Aborted \(6\)',
		'The program ended itself, often the collective watchdog after a timeout, else a failed check in native code.',
		'Read what was written just before; if it was the watchdog, look for the rank that was late.', 'follow', true),
	('heap_corruption', 'Native code damaged its memory', 'framework', 'framework', 'error', 'root', 100,
		'double free or corruption|corrupted size vs\. prev_size|corrupted double-linked list|\b(?:free|malloc|realloc)\(\): '
		'(?:invalid|corrupted|unaligned|mismatching|memory corruption|unsorted)|munmap_chunk\(\): '
		'invalid|malloc_consolidate\(\): |\*\*\* stack smashing detected|ERROR: AddressSanitizer|corruption of unsorted chunks',
		'A compiled extension wrote outside its memory, or two libraries of different builds meet (allocators, C++ runtimes).',
		'See which extension is new; rebuild it for this image, run once without tcmalloc or jemalloc, take a core file. Test '
		'host memory only if one node alone shows it.', NULL, true),
	('segfault', 'Segmentation fault', 'framework', 'framework', 'error', 'root', 200,
		'Segmentation fault|SIGSEGV|exit ?code\s{0,3}[:=]?\s{0,3}-11\b|(?:exited|exits|failed|died|terminated|ended) with '
		'(?:exit |return )?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-11|139)\b|(?i:\b(?:killed|terminated'
		'|died)[^\n]{0,30}\bsignal:? 11\b)|\bsegfault at [0-9a-f]+ ip|\btraps: \S{1,40} general protection|\bgeneral '
		'protection fault ip:|Caught signal 11|\bexit ?[cC]ode\s{0,3}[:=]?\s{0,8}139\b',
		'Native code crashed.',
		'Get a core file or a faulthandler trace; check versions of compiled extensions, and memory of the host.', NULL, true),
	('illegal_instruction', 'Program made for another processor', 'user', 'incompatibility', 'error', 'root', 100,
		'Illegal instruction|\bSIGILL\b|\btrap invalid opcode ip|exit ?code\s{0,3}[:=]?\s{0,3}-4\b|(?:exited|exits|failed'
		'|died) with (?:exit |return )?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-4|132)\b|cannot execute binary file: Exec format '
		'error|\bexec format error\b|wrong ELF class',
		'A library or the program was compiled for another kind or generation of processor than this node has.',
		'Compare processor and image (x86-64 or ARM, AVX-512); install or build for the oldest processor in the job.',
		'fix_job', true),
	('native_crash', 'Native code or the interpreter gave up', 'framework', 'framework', 'error', 'root', 200,
		'Fatal Python error: (?!Segmentation|Aborted|Bus error|Illegal)|pure virtual method called|Trace/breakpoint '
		'trap|\bSIGTRAP\b|\*\*\* Process received signal \*\*\*|\*\*\* stack overflow|Stack overflow detected|Python runtime '
		'state: (?:finalizing|unknown)',
		'A compiled library called something that was already taken down, or the interpreter found its own state broken.',
		'The native stack below the line names the library; look whether another thread still ran while the program ended, '
		'and try another version of it.', NULL, true),
	('float_exception', 'Division by zero in native code', 'framework', 'framework', 'error', 'root', 200,
		'Floating point exception|\bSIGFPE\b|\btrap divide error ip|exit ?code\s{0,3}[:=]?\s{0,3}-8\b',
		'Native code divided by zero: mostly an empty batch, shard or group that it did not expect.',
		'Take the stack (faulthandler, core file) and look for a size of zero in configuration or data.', NULL, true),
	('bus_error', 'Bus error', 'user', 'configuration', 'error', 'root', 200,
		'\bSIGBUS\b|\bBus error\b|exit ?code\s{0,3}[:=]?\s{0,3}-7\b|(?:exited|exits|failed|died|terminated) with (?:exit '
		'|return )?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-7|135)\b',
		'A mapped page could not be delivered: mostly shared memory (/dev/shm) is full, else a mapped file shrank, its '
		'storage failed, or host memory is broken.',
		'Give the container more shared memory (--shm-size, --ipc=host) or use fewer loader workers; if only one node shows '
		'it, read its kernel log for memory or disk errors.', 'fix_job', true),
	('process_terminated', 'Process told to end (SIGTERM)', 'platform', 'scheduling', 'info', 'cascade', 300,
		'closing signal SIGTERM|SignalException: Process \d+ got signal: 15|(?i:\breceived (?:signal '
		')?(?:\w{1,10}\.)?(?:SIGTERM|15)\b)|(?i:\bSIGTERM (?:received|caught)\b)|exit '
		'?code\s{0,3}[:=]?\s{0,3}-15\b|(?i:\bexit ?code\s{0,3}[:=]?\s{0,8}143\b)|(?:exited|failed|died|terminated) with '
		'(?:exit |return )?(?:code|status)\s{0,3}[:=]?\s{0,3}(?:-15|143)\b|\bsignal: terminated\b|code=killed, '
		'status=15/TERM|(?i:\b(?:killed|terminated|died) (?:by|with|on) signal:? ?(?:15\b|SIGTERM))|(?i:\bsignal 15 '
		'received)|\bCaught signal 15\b|User defined signal [12]\b|(?i:\breceived (?:signal )?SIGUSR[12]\b)',
		'The launcher or scheduler ends the rest after a first failure, or the job was cancelled.',
		'No cause in itself: look at what happened before.', 'follow', true),
	('process_unstoppable', 'Process does not end when told', 'hardware', 'accelerator', 'warning', 'root', 200,
		'(?i)\b(?:did|does|would) not (?:stop|exit|terminate|end)\b[^\n]{0,60}|unable to (?:kill|stop|terminate) (?:the '
		')?(?:process|worker|rank)|(?:escalating|sending) (?:to )?SIGKILL',
		'A process stopped or stuck in a driver or in storage ignores the request to end, which points at its node.',
		'Look at the state of the process and at the kernel log of this node; reset the device.', 'restart_node', true),
	('service_failed', 'A service of the node failed', 'platform', 'resource_management', 'warning', 'root', 200,
		'\.service: (?:Main process exited, code=(?:killed|dumped)|Failed with result '
		'''(?:signal|core-dump|watchdog|timeout|resources)''|Watchdog timeout|Start request repeated too quickly|State '
		'''[\w-]{1,30}'' timed out|Failed to (?:run|execute|start))|\b(?:slurmd|kubelet|containerd|docker|munge'
		'|nvidia-\w[\w-]{1,30}|dcgm\w{0,12}|lnet|mmfs\w{0,8}|openibd|chronyd)\.service: (?:Main process exited|Failed with '
		'result)',
		'A daemon that jobs rely on ended or did not start.',
		'systemctl status and journalctl -u of that service on the node; start it again, and keep the node out until it stays '
		'up.', NULL, true),
	('node_shutdown', 'Node was restarted or shut down on purpose', 'platform', 'resource_management', 'error', 'root', 100,
		'\breboot: (?:Restarting system|Power down|machine restart)|systemd-shutdown\[\d+\]: |The system (?:is going '
		'down|will (?:reboot|power ?off|be powered off)|is (?:powering|shutting) down)|Broadcast message from '
		'[^\n]{0,80}(?:reboot|shutdown|going down)|Reached target (?:Reboot|Power-?Off|System Reboot|System Power '
		'Off)\b|systemd-logind\S{0,12}: (?:System is (?:rebooting|powering down)|Power key pressed)|imminent node '
		'shutdown|Pod was terminated in response to|(?i:\bnode (?:is )?(?:shutting down|being '
		'(?:rebooted|terminated|replaced))\b)',
		'Somebody, an update or an automatic repair restarted the node under the job.',
		'Ask who or what did (auth log, maintenance calendar, repair robot); start again from the last checkpoint, and let '
		'repairs drain first.', 'restart_job', true),
	('cloud_maintenance', 'Cloud provider took or will take the machine', 'platform', 'scheduling', 'error', 'root', 100,
		'TERMINATE_ON_HOST_MAINTENANCE|MIGRATE_ON_HOST_MAINTENANCE|(?i:\bhost maintenance '
		'(?:event|is|will|scheduled))|compute\.instances\.(?:preempted|hostError|automaticRestart|terminateOnHostMaintenance)'
		'|(?i:\b(?:spot|preemptible|low-priority)\b[^\n]{0,40}\b(?:interruption|interrupted|preempted|reclaim\w*|terminat\w+'
		'|evict\w+)\b)|EC2 (?:Instance Rebalance|Spot Instance)|\binstance-(?:stop|retirement|reboot)\b|\bBidEvictedEvent\b'
		'|(?i:EventType\W{1,4}(?:Preempt|Terminate|Redeploy|Freeze|Reboot)\b)|(?i:\bscheduled '
		'maintenance\b[^\n]{0,60}\b(?:node|host|instance|vm)\b)',
		'The provider reclaims a spot machine, moves a host, or repairs it.',
		'Start again from the last checkpoint on other machines; save on the notice (30 s to 2 min before), or use reserved '
		'capacity.', 'restart_job', true),
	('page_alloc_failure', 'Kernel found no free pages', 'hardware', 'node', 'warning', 'root', 100,
		'page allocation failure',
		'Host memory is used up or in pieces, often pinned for RDMA.',
		'Restart the processes that leak, raise min_free_kbytes, or reboot.', 'restart_node', true),
	('conntrack_full', 'Connection tracking table full', 'platform', 'network_settings', 'warning', 'root', 100,
		'nf_conntrack: table full',
		'Too many connections are tracked, so packets are dropped.',
		'Raise nf_conntrack_max or do not track traffic inside the cluster.', NULL, true),
	('tcp_limits', 'Kernel drops connections or their data', 'platform', 'network_settings', 'warning', 'root', 100,
		'\[Errno 105\]|No buffer space available|\bENOBUFS\b|TCP: (?:out of memory|too many orphaned sockets|time wait bucket '
		'table overflow)|[Pp]ossible SYN flooding on port|(?:listen|accept) queue (?:overflow\w*|full)|TCP: request_sock_TCP: '
		'[^\n]{0,60}Dropping request',
		'So many ranks connect at once that queues or memory of the network stack are full.',
		'Raise net.core.somaxconn, tcp_max_syn_backlog and tcp_mem on the node that is named, mostly the one of rank 0.',
		NULL, true),
	('netns_stuck', 'Network device of a container does not go away', 'platform', 'resource_management', 'warning', 'root', 200,
		'unregister_netdevice: waiting for \S+ to become free',
		'A known kernel fault: a reference to the device of a container that ended is left, and new containers on the node '
		'wait.',
		'Drain and reboot the node.', 'restart_node', true),
	('nic_link_down', 'Network link down', 'hardware', 'network', 'critical', 'root', 100,
		'NIC (?:[Pp]ort )?[Ll]ink (?:is )?[Dd]own|: Link DOWN|Port: \d+ Link (?:DOWN|INIT)|LINK DOWN|\b[Ll]ink is '
		'[Dd]own\b|link becomes down|link status (?:definitely )?down for\b|\b[Ll]ink [Dd]own on port\b|\bport \d+ state '
		'changed from ACTIVE to DOWN\b|\b(?:[Ll]ost carrier|carrier lost)\b|\b\w[\w.-]{1,20}: Link down\b'
		'|\b(?:ib|mlx|eth|en|bnxt|ice|i40e|ixgbe|hfi|qede|ena|irdma|rdma)\w{0,20}\b[^\n]{0,80}\blink (?:state )?(?:changed '
		'(?:from \w+ )?to |went |goes |turned )?down\b|\bphysical link (?:is )?down\b|\bport (?:\d+ )?(?:state '
		')?(?:changed )?(?:from \w+ )?to (?:DOWN|Down|Polling|PORT_DOWN)\b|\b(?:physical|logical) '
		'state[^\n]{0,20}\b(?:Polling|LinkErrorRecovery|Disabled)\b|IB_EVENT_PORT_ERR|\bPORT_ERR\b',
		'A port lost its link.',
		'Check cable, transceiver, switch port and adapter (ibstat, ethtool, mlxlink), and whether somebody unplugged it; '
		'reseat or replace what is bad, and keep the node out until the counters stay quiet.', 'repair', true),
	('nic_firmware_error', 'Network adapter or its firmware failed', 'hardware', 'network', 'error', 'root', 100,
		'mlx5_core[^\n]{0,80}(?:health recovery|synd 0x[1-9a-f]|assert_var|firmware '
		'(?:version|reset)[^\n]{0,20}fail|command[^\n]{0,40}timeout|PCI slot is unavailable|failed to recover|Failed to '
		'load|probe_one[^\n]{0,40}failed|sw reset|No done completion|\(0x[0-9a-f]{1,5}\) timeout|CQ error on '
		'CQN|wait_func[^\n]{0,60}timeout|Will cause a leak of a command)|bnxt_en[^\n]{0,80}(?:QPLIB: cmdq|Failed to create '
		'HW|Firmware (?:not responding|fatal|reset)|Error \(timeout: \d+\)|hwrm [^\n]{0,40}(?:error|fail|timeout)|Async '
		'event[^\n]{0,30}fatal)|\bice [^\n]{0,60}(?:Malicious Driver|tx_timeout|[Rr]eset failed|Rebuild failed|EMP '
		'reset|CORER)|\bi40e [^\n]{0,60}(?:tx_timeout|TX driver issue|PF reset issued|rebuild failed|adminq|VSI seid '
		'\d+[^\n]{0,20}(?:hang|timeout))|\birdma[^\n]{0,60}(?:CQP|AEQ|error)|Detected Tx Unit Hang|\bEFA\b[^\n]{0,40}(?:admin '
		'queue|Device is not ready|Failed to)|\bena [^\n]{0,60}(?:Keep alive watchdog timeout|Trigger reset|reset due to)',
		'The adapter stopped serving its queues: firmware, overheating, or the card itself.',
		'Reset or reload the driver of the adapter, update its firmware; take the node out and replace the card when it '
		'repeats.', 'update', true),
	('bond_degraded', 'Bonded network link lost a member', 'hardware', 'network', 'warning', 'root', 100,
		'now running without any active interface|No 802\.3ad response from the link partner|\bbond\d+: '
		'[^\n]{0,40}(?:disabling (?:slave|it)|link status (?:definitely )?down|removing an active aggregator|link became '
		'down)|\bteam\d+: [^\n]{0,40}(?:Port disable|link down)',
		'One or all links of the bond are down, or the switch does not speak LACP on them.',
		'Check cable and switch port of the member that is named; without any active interface the node is off the network.',
		'repair', true),
	('dns_server_failed', 'Name server does not answer', 'platform', 'network_settings', 'error', 'root', 100,
		'\bSERVFAIL\b|\bNXDOMAIN\b|connection timed out; no servers could be reached|lookup \S{1,120} on \S{1,60}: (?:no such '
		'host|server misbehaving|read udp|dial udp|i/o timeout)|: no such host\b|systemd-resolved[^\n]{0,60}(?:degraded '
		'feature set|Failed to)|\bResolutionError\b|NameResolutionError|Failed to resolve ''|EAI_AGAIN|unable to resolve '
		'host|ENOTFOUND\b|Unknown host\b',
		'The name does not exist, or the name server is down or overloaded.',
		'Resolve the name by hand on that node; check resolv.conf, the cluster''s DNS and the service behind the name. For '
		'rendezvous use an address.', NULL, true),
	('node_power', 'Power loss or sudden restart of a node', 'hardware', 'node', 'critical', 'root', 100,
		'(?i)power supply[^\n]{0,60}(?:fail|lost|fault|deasserted presence)|\bPSU '
		'?\d*\b[^\n]{0,40}(?:fail|lost|fault)|(?:unexpected|ungraceful)(?:ly)? (?:reboot\w*|restart\w*|shutdown|power)'
		'|(?:reboot\w*|restart\w*|shut ?down|powered off) unexpectedly|AC (?:power )?lost|power unit[^\n]{0,60}(?:power '
		'off|ac lost|failure|redundancy lost)|watchdog ?2?\b[^\n]{0,30}\| (?:hard reset|power (?:cycle|down)|timer '
		'expired)|\bvoltage\b[^\n]{0,60}\blower (?:critical|non-recoverable)',
		'The node lost its power or started again by itself.',
		'Check power supplies and event log of the management controller before it gets work again.', 'repair', true),
	('clock_skew', 'Clocks of the nodes differ', 'platform', 'network_settings', 'warning', 'root', 100,
		'(?i)\bclock skew\b|system clock (?:wrong|unsynchroni[sz]ed)|time (?:jump|offset)[^\n]{0,40}(?:detected|too '
		'large)|requesttimetooskewed|request time and the (?:current|server) time is too large|system clock was stepped by '
		'-?[1-9]|no selectable sources|\btime reset [+-]\d|time_error: 0x|clock is (?:not '
		'synchroni[sz]ed|unsynchroni[sz]ed)|(?:not yet|no longer) valid[^\n]{0,40}current time',
		'The clock of a node is wrong, which disturbs leases, certificates and the order of logs.',
		'Repair time synchronisation on that node (chronyc sources, chronyc makestep), then start again.', NULL, true),
	('clocksource_unstable', 'Clock of the processor became unreliable', 'hardware', 'node', 'warning', 'root', 200,
		'[Mm]arking clocksource ''?\w{1,12}''? (?:on CPU\d+ )?as unstable|clocksource: [^\n]{0,60}(?:skew is too large|wd-\w+ '
		'excessive|read-back delay)|TSC warp between CPUs|TSC synchronization[^\n]{0,40}(?:failed|Measured)',
		'Counters of the processors drift apart or the machine was paused; reading time becomes slow, and so do ranks on this '
		'node.',
		'Compare step times of the node; reboot it, update the BIOS, and take it out if it lags.', 'restart_node', true),
	('kernel_module_failed', 'Kernel module could not be loaded', 'platform', 'resource_management', 'error', 'root', 100,
		'modprobe: (?:FATAL|ERROR): |Key was rejected by service|disagrees about version of symbol|Unknown symbol \S{1,60} '
		'\(err|insmod: ERROR|could not insert ''?\w{1,40}''?|DKMS[^\n]{0,40}(?:[Ff]ailed|[Ee]rror)',
		'The module does not fit the running kernel, is not signed, or its hardware is missing; often after an update without '
		'reboot.',
		'Reboot into the kernel that the modules were built for, or rebuild them (dkms status); keep the node out until then.',
		'update', true),
	('cgroup_failed', 'Control group of the job could not be set up', 'platform', 'resource_management', 'error', 'root', 200,
		'(?i:\b(?:unable|failed|cannot|could not|couldn''t) to? ?(?:create|add|attach|write|update|set '
		'up|mount|open|instantiate|apply|configure)[^\n]{0,60}\bcgroups?\b)|/sys/fs/cgroup/[^\n]{1,160}: (?:no such file or '
		'directory|device or resource busy|invalid argument|no space left on device|permission denied|cannot allocate '
		'memory)|cgroup mountpoint does not exist|cgroup controller is not available',
		'The node''s control groups are full, of another version than the runtime expects, or left over from jobs before.',
		'Restart the runtime or slurmd on that node, reboot it when groups pile up; compare the cgroup version with a healthy '
		'node.', 'restart_node', true),
	('node_lost', 'Node lost', 'hardware', 'node', 'critical', 'root', 200,
		'Nodes? \S+ (?:not responding|unresponsive)|(?<!DAG_STATUS_)NODE_FAIL|DUE TO NODE FAILURE|NodeNotReady|Kubelet stopped '
		'posting node status|(?i:\bnode \S+ (?:is |went |marked |has gone )?(?:down|dead|unreachable|offline|lost)\b)'
		'|\bNode failure on \S|node\.kubernetes\.io/(?:unreachable|not-ready)(?!:NoExecute op)[^\n]{0,60}'
		'\b(?:taint\w*|evict\w*|delet\w*)'
		'|NodeStatusUnknown|\bNodeLost\b|execution node \S+ down|Job killed due node failure|(?i:\b(?:host|node|machine) '
		'\S{1,60} (?:has )?(?:crashed|stopped responding|is not responding|failed health check))|\bNode is not '
		'ready\b|UNREACHABLE! =>|\[Errno 112\]|\bHost is down\b',
		'The node stopped answering: power, kernel or network.',
		'Check its management controller and console, replace it, and go on from the last checkpoint.', 'repair', true);
