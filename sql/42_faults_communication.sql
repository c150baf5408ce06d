/*
 * Built-in faults of communication libraries, networks and hangs; what the columns mean: 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, builtin)
VALUES
	('nccl_segfault', 'Crash inside NCCL', 'framework', 'framework', 'error', 'root', 100,
		'segfault at [0-9a-f]+ .{0,200} in libnccl\.so',
		'NCCL crashed, often after a peer or the fabric manager had failed.',
		'Look for GPU or switch events before it and update NCCL.', true),
	('nccl_ib_completion', 'InfiniBand or RoCE transfer failed', 'hardware', 'network', 'critical', 'root', 100,
		'NET/IBP?(?:/GIN)?\s{0,3}:\s{0,3}Got completion (?:from peer \S+ )?with (?:error|status)(?!(?:=| '
		')(?:\w{1,30}\()?(?:4|5|10|11)\b)|NET/IB: Got CQE with error|\bIB_?V?_WC_(?!WR_FLUSH|LOC_PROT|REM_ACCESS'
		'|REM_OP)[A-Z_]{0,40}ERR\b|NET/IB: Fatal error\. Detected \d+ failed devices',
		'A transfer over RDMA failed. Status 12 and 13 mean that retries ran out: a dead peer, a flapping link, wrong routing '
		'or congestion.',
		'Take card and peer from the line; if the peer lives, test the pair with ib_write_bw, and check port counters, cable '
		'and GID index.', true),
	('nccl_ib_async_event', 'InfiniBand card reported an event', 'hardware', 'network', 'critical', 'root', 100,
		'NET/IB\s{0,3}:[^\n]{0,100}(?:Got async event(?! ?: (?:P_Key|pkey|GID table))|async fatal event|Got non-fatal async '
		'event)|Got async event : (?:port error|local catastrophic)|IBV_EVENT_(?:PORT_ERR|DEVICE_FATAL|QP_FATAL|CQ_ERR'
		'|QP_ACCESS_ERR|QP_REQ_ERR|PATH_MIG_ERR)',
		'The network card said that a port or the device failed.',
		'Take the node out; check cable, switch port and firmware of the card.', true),
	('nccl_ib_modify_qp', 'Two network cards cannot reach each other', 'hardware', 'network', 'error', 'root', 100,
		'ibv_modify_qp failed|ibv_modify_qp\([^\n]{0,80}failed|Failed to modify (?:UD |RC |DC |TM control )?QP[^\n]{0,30} to '
		'(?:RT[RS]|INIT)|Could not (?:change|modify) QP',
		'GID index, VLAN or routing does not let the two cards talk, or the port of one of them is down.',
		'Check port state, GIDs and ping between the cards; set NCCL_IB_GID_INDEX, or NCCL_CROSS_NIC=0 on a '
		'rail-only network.', true),
	('nccl_socket_connect', 'NCCL could not open a connection', 'hardware', 'network', 'error', 'root', 100,
		'socketStartConnect: Connect to|NET/Socket ?: [^\n]{0,120}(?:failed|progress error)'
		'|ocketPollConnect[^\n]{0,120}(?:returned|failed)|exceeded error retry count|connect to \S{1,60} (?:returned|failed '
		'?:)[^\n]{0,80}(?:attempts|refused|timed out|No route|unreachable)|ocketTryAccept: [^\n]{0,60}(?:failed|exceeded)|NCCL '
		'WARN Connect to \S{1,60} failed',
		'NCCL uses an interface that does not lead to the peer, a firewall is between them, or the peer is gone.',
		'Look whether the peer in the line lives; name the cluster interface in NCCL_SOCKET_IFNAME and open the ports.', true),
	('nccl_stray_connection', 'Unexpected connection reached NCCL', 'platform', 'network_settings', 'error', 'root', 100,
		'ocket\w{0,20}Accept\w{0,10}: wrong (?:type|magic)\b',
		'Two communicators or two jobs share an address and port, something else (a scanner, a health check) knocks at the '
		'ports of the job, or ranks run different NCCL versions.',
		'See that every rank uses the interface of the cluster network (NCCL_SOCKET_IFNAME), that no old process of the job '
		'lives, and that NCCL is the same on all nodes.', true),
	('nccl_peer_closed', 'Peer closed its NCCL connection', 'hardware', 'network', 'warning', 'cascade', 200,
		'ocketProgress(?:Opt)?: (?:Connection closed by remote peer|Call to \w{2,8} \w{2,8} [^\n]{0,80}failed)|ncclRemoteError'
		'|remote process exited or there was a network error|NCCL WARN [^\n]{0,200}(?:Connection reset by peer|Broken '
		'pipe)|Proxy Call to rank \d+ failed|Socket recv failed while polling for opId|Error encountered progressing '
		'operation=',
		'Another rank went away. This is a consequence.',
		'Read the last lines of the peer named here.', true),
	('nccl_watchdog_timeout', 'Collective timed out (watchdog)', 'hardware', 'network', 'error', 'cascade', 200,
		'Watchdog caught collective operation timeout|WorkNCCL\([^\n]{0,300}(?:timed out|timeout)|collective operation '
		'timeout: Work\w{2,12}\(|Timeout at NCCL work|ran for \d+ milliseconds before timing out',
		'A rank did not come to the collective (crashed, hung, other code path, slow data), or the network failed.',
		'Compare the last enqueued and completed work of all ranks: the rank with nothing pending is the late one. If all are '
		'pending suspect the network.', true),
	('nccl_watchdog_exception', 'NCCL watchdog ended', 'framework', 'framework', 'warning', 'cascade', 300,
		'watchdog thread terminated with exception|Exception \(either an error or timeout\) detected by watchdog|failure '
		'detected by watchdog',
		'Follows a GPU or collective failure of this rank.',
		'Read the numbers of enqueued and completed work in it, and the error before it.', true),
	('nccl_heartbeat_monitor', 'NCCL watchdog itself was stuck', 'framework', 'framework', 'error', 'cascade', 100,
		'Heartbeat monitor timed out!',
		'The watching thread got stuck in a GPU call, in the interpreter lock or in the driver.',
		'Take stacks of the rank with py-spy and look at the kernel log of its host.', true),
	('nccl_abort_async', 'Process ended itself after a failed collective', 'framework', 'framework', 'info', 'cascade', 300,
		'Some NCCL operations have failed or timed out|taking the entire process down|To avoid data inconsistency',
		'Follows a failed collective.',
		'No cause: read earlier lines and other ranks.', true),
	('nccl_system_error', 'NCCL system call failed', 'hardware', 'network', 'error', 'cascade', 200,
		'unhandled system error|ncclSystemError|(?:NCCL WARN |Last error:\s{1,3})Call to \w{3,40} failed',
		'A socket, shared memory or verbs call under NCCL failed.',
		'Run with NCCL_DEBUG=INFO and read the first warning; check interface and size of /dev/shm.', true),
	('nccl_cuda_error', 'NCCL met a GPU error', 'hardware', 'accelerator', 'error', 'cascade', 200,
		'unhandled cuda error|ncclUnhandledCudaError|(?:NCCL|RCCL) WARN Cuda failure|NCCL operation \w{3,40}\(?\)? failed: '
		'unhandled cuda',
		'A GPU call inside NCCL failed because of an earlier GPU fault, lack of memory or a driver that does not fit.',
		'Look for a GPU event or an out-of-memory error of this rank before it.', true),
	('nccl_version_mismatch', 'Ranks run different NCCL versions', 'user', 'incompatibility', 'error', 'root', 100,
		'Mismatched NCCL version detected|NCCL version mismatch with remote peer|[Dd]ifferent NCCL versions?',
		'The nodes do not use the same image or environment.',
		'Use one image everywhere and compare the NCCL version on all nodes.', true),
	('nccl_collective_mismatch', 'Ranks called different collectives', 'user', 'program_bug', 'error', 'root', 100,
		'Detected mismatch between collectives on ranks|Ran out of sync[^\n]{0,80}collective|symmetric registration check '
		'failed|Mismatch between collective operation types|Collectives differ in the following aspects|Mismatched (?:data '
		'types|allreduce|allgather|broadcast|reduce\w{0,8}|alltoall)',
		'Control flow or shapes are not the same on all ranks.',
		'See which two calls the message shows; remove branches by rank and data of unequal length.', true),
	('nccl_no_socket', 'NCCL found no interface', 'user', 'configuration', 'error', 'root', 100,
		'Bootstrap ?: no socket interface found|no device found (?:matching|after excluding)|NET/Socket ?: (?:no interface '
		'found|No usable listening interface)|NET/IB ?: No IP interface found|Failed to find (?:a )?reverse|No (?:usable '
		')?(?:network |socket )?interface found',
		'The interface filter matches nothing, or the container has no such network.',
		'Correct NCCL_SOCKET_IFNAME and NCCL_IB_HCA, or the network of the pod.', true),
	('nccl_teardown_noise', 'NCCL messages of a normal end', 'noise', 'teardown', 'info', 'benign', 100,
		'\[Service thread\] (?:Accept failed|Could not receive type)|\[Proxy Service[^\]]{0,40}\] Failed to execute operation '
		'(?:Close|Connect)',
		'Ranks close their connections in any order at the end; successful jobs print thousands of these.',
		'Nothing to do.', true),
	('c10d_rendezvous', 'Rendezvous failed', 'user', 'configuration', 'error', 'root', 100,
		'Rendezvous(?:Connection|Timeout|Closed|State|Graceful\w{0,4}|Infra)\w{0,4}Error|(?i:rendezvous[^\n]{0,60}(?:timed '
		'out|timeout|failed))|connection to the C10d store has failed|more than one node have assigned same rank',
		'The meeting point cannot be reached or is gone, or fewer nodes came than were asked for.',
		'Check the endpoint from every node, that the first node is up, and that all nodes start within the timeout.', true),
	('c10d_socket_timeout', 'Master store not reachable', 'user', 'configuration', 'error', 'root', 100,
		'\[c10d\] The client socket has timed out|The client socket has timed out after|connect\(\) timed out\. Original '
		'timeout|c10d[^\n]{0,60}(?:failed to bind|cannot be (?:bound|initialized)|has failed to bind|has failed to listen)',
		'Address or port of the master is wrong, its name does not resolve, or rank 0 is not running.',
		'Resolve the name of the master from this node, check the port and that rank 0 started.', true),
	('c10d_connect_retry', 'Attempt to reach the master store failed', 'user', 'configuration', 'info', 'confirmation', 300,
		'\[c10d\] The client socket has failed to connect',
		'One attempt did not get through, often over an address family that is not in use. Harmless when the job goes on.',
		'Only if a timeout follows: resolve the name of the master and check its port.', true),
	('c10d_store_barrier', 'Process group did not fill up', 'platform', 'scheduling', 'error', 'cascade', 100,
		'Timed out initializing process group in store based barrier|Timed out after \d+ seconds waiting for clients',
		'Fewer ranks came than the world size.',
		'Compare the number that came with the world size and find the nodes that never started.', true),
	('c10d_tcpstore_recv', 'Connection to the store lost', 'hardware', 'node', 'warning', 'cascade', 200,
		'TCPStore[^\n]{0,120}(?:recvValue|recvVector|[Bb]roken pipe|Connection reset|failed to recv|sendBytes)|Broken '
		'pipe[^\n]{0,120}TCPStore|DistNetworkError|recvValue(?:WithTimeout)? failed|failed to recv, got 0 bytes',
		'The process that holds the store, as a rule rank 0, ended first.',
		'Look at rank 0; this is a consequence.', true),
	('addr_in_use', 'Port already in use', 'user', 'misoperation', 'error', 'root', 100,
		'Address already in use|EADDRINUSE',
		'An old process holds the port, or two jobs share a node.',
		'End the old process or choose another port.', true),
	('addr_not_local', 'Address is not on this machine', 'user', 'configuration', 'error', 'root', 100,
		'Cannot assign requested address|EADDRNOTAVAIL',
		'The process was told to use an address that no interface of this node has: a wrong rank table, host list or variable.',
		'Compare the addresses in the configuration with those of the node.', true),
	('dns_failure', 'Host name not resolved', 'platform', 'network_settings', 'error', 'root', 100,
		'Name or service not known|Temporary failure in name resolution|getaddrinfo failed|No address associated with '
		'hostname|Could not resolve host',
		'The name service or the service of the job is not ready, or the name is wrong.',
		'Check the name service and the name; wait for the master before connecting.', true),
	('no_route', 'No way to the host', 'hardware', 'network', 'error', 'root', 100,
		'No route to host|Network is unreachable|ENETUNREACH|EHOSTUNREACH',
		'An interface is down or a route is missing.',
		'Check links and routes of that node.', true),
	('mlx5_overheat', 'Network module too hot', 'hardware', 'network', 'critical', 'root', 100,
		'Port module event[^\n]{0,120}High Temperature',
		'An optical module is beyond its temperature.',
		'Check the air flow; reseat or exchange the module.', true),
	('mlx5_pcie_power', 'Slot gives the network card too little power', 'hardware', 'network', 'warning', 'root', 100,
		'Detected insufficient power on the PCIe slot',
		'The slot allows less power than the card needs.',
		'Check the slot power in the firmware settings and the extra cable.', true),
	('mlx5_cable_unplugged', 'Network cable missing', 'hardware', 'network', 'critical', 'root', 100,
		'Port module event[^\n]{0,120}(?:Cable unplugged|Cable error)',
		'Cable or module is not there or broken.',
		'Reseat or replace it.', true),
	('link_flapping', 'Network link flaps', 'hardware', 'network', 'error', 'root', 100,
		'(?i)\b(?:link|port)\b[^\n]{0,40}\bflap(?:s|ped|ping)?\b|link[_ ]error[_ '
		']recovery[^\n]{0,40}(?:increas|exceed)|symbol[_ ]errors?[^\n]{0,40}(?:increas|exceed|above)',
		'A link goes down and up again, or repairs errors all the time: dirty or weak optics, a bad cable or port.',
		'Clean or exchange the optics and the cable; take the node out until the counters stay flat.', true),
	('nic_driver_error', 'Network card or its firmware failed', 'hardware', 'network', 'critical', 'root', 100,
		'NETDEV WATCHDOG: [^\n]{0,120}timed out|TX timeout detected|device''s health compromised|mlx5_core '
		'[^\n]{0,80}(?:(?:fatal|internal) error|(?:load_one|init_one|hca_cap|function_setup)\w* failed)'
		'|\b(?:mlx[45]_core|bnxt_en|ice|i40e|ixgbe|irdma|ionic|qede|ena|hfi1)\b[^\n]{0,20}: probe of \S{1,40} failed'
		'|probe with driver (?:mlx[45]_core|bnxt_en|ice|i40e|ixgbe|irdma|ionic|qede|ena|hfi1) failed',
		'The card stopped sending, its firmware reported a fatal state, or the driver could not take it into use.',
		'Reset the card or reboot the node, update the firmware, replace the card when it happens again.', true),
	('arp_table_full', 'Neighbour table full', 'platform', 'network_settings', 'error', 'root', 100,
		'neighbou?r(?:: \S+: neighbor)? table overflow',
		'The node knows too many peers for the size of its address table; connections fail at random.',
		'Raise the gc_thresh settings of the kernel on all nodes.', true),
	('conn_reset', 'Peer ended the connection', 'hardware', 'network', 'info', 'cascade', 300,
		'(?i)connection (?:was )?(?:reset|closed) by (?:the )?(?:peer|remote|foreign)|closed by (?:the )?remote\b|\bbroken '
		'pipe\b|\bECONNRESET\b|\bEPIPE\b|connection to \S+ (?:was |is |has been )?lost|lost connection to \S+',
		'The process at the other end is gone. This rank is a witness, not the cause.',
		'Go to the peer that is named and read its last lines; if it wrote none, look at its node.', true),
	('conn_refused', 'Connection refused', 'platform', 'network_settings', 'warning', 'cascade', 300,
		'Connection refused|ECONNREFUSED|ConnectionRefusedError',
		'Nothing listens at the other end: not started yet, wrong port, or already ended. Harmless when a retry succeeds.',
		'Check that the peer runs and listens there.', true),
	('conn_timed_out', 'Connection timed out', 'hardware', 'network', 'error', 'cascade', 300,
		'Connection timed out|ETIMEDOUT|\[Errno 110\]',
		'Packets to the peer get no answer: link, route, firewall, or a dead host.',
		'Ping the peer from this node and check links on both sides.', true),
	('gloo_timeout', 'Wait for a peer timed out (Gloo)', 'hardware', 'network', 'warning', 'cascade', 200,
		'Timed out waiting \d+ ?ms for (?:send|recv) operation|Gloo connectFullMesh failed|Connect timeout \[|(?:Read|Write) '
		'timeout \[|gloo[^\n]{0,120}(?:timed out|[Tt]imeout)',
		'A peer stopped answering: it hangs, is stopped, or its network is gone. Every neighbour of it reports the same.',
		'Find the rank that no line accuses back or that stopped first.', true),
	('collective_timeout', 'Collective timed out', 'hardware', 'network', 'error', 'cascade', 200,
		'(?i)\b(?:all[_-]?reduce|all[_-]?gather|reduce[_-]?scatter|all[_-]?to[_-]?all|broadcast|barrier'
		'|collective)\w*\b[^\n]{0,120}\b(?:timed out|timeout|time out)\b|failed to pass monitoredBarrier|did not (?:call '
		'into|reach|join) (?:the )?(?:\w+ )?(?:monitored)?barrier',
		'At least one rank did not take part: it crashed, hangs, or is far behind. The ranks that complain are the healthy '
		'ones.',
		'Find the rank with the oldest progress, or with no message at all, and look at its node.', true),
	('hang_reported', 'A rank makes no progress', 'hardware', 'accelerator', 'error', 'cascade', 200,
		'(?i)\b(?:not|no) (?:made |making )?progress(?:ed|ing)?\b|watchdog[^\n]{0,80}(?:waiting for|expired|timed '
		'out|timeout)|\b(?:rank|worker|process|node|training|job) \S{0,20} ?(?:is |seems? |appears? )?(?:to be '
		')?(?:hung|stuck|hanging)\b|\bhang detected\b',
		'Something waits for ever: a stuck device, a stopped process, or a collective that one rank never joined.',
		'Compare the last step of all ranks; take stacks of the one that is behind.', true),
	('straggler_reported', 'A slow rank or step', 'hardware', 'node', 'info', 'confirmation', 300,
		'(?i)\bstraggler|\bslow (?:rank|worker|node|gpu|npu|host|step|iteration)\b|\bslower than [\d.]+ '
		'?(?:x\b|times|%|percent)',
		'A rank or a step took much longer than usual: heat, power cap, a busy host, storage or network.',
		'Compare step times of the ranks; test the one that is always slow.', true),
	('heartbeat_lost', 'Heartbeat lost', 'hardware', 'node', 'critical', 'root', 200,
		'(?i)\bheartbeats? (?:of|from|for|to|with)?[^\n]{0,60}?\b(?:lost|missed|missing|timed out|timeout|expired|not '
		'received|stopped|overdue)\b|\b(?:lost|missed|missing|no) heartbeats?\b',
		'A node or process stopped reporting: power, kernel, network, or it was killed.',
		'Check console and management controller of the node, then its network; replace it and start from the last checkpoint.',
		true),
	('nccl_duplicate_gpu', 'Two ranks use one GPU', 'user', 'configuration', 'error', 'root', 100,
		'Duplicate GPU detected ?: rank|Multiple Ranks are using the same GPU',
		'Several ranks of a communicator chose the same GPU: the device is not set from the local rank, or more processes than '
		'GPUs were started on the node.',
		'Set the device from LOCAL_RANK before the process group is made; compare processes per node and CUDA_VISIBLE_DEVICES '
		'with the GPUs of the node.', true),
	('nccl_invalid_usage', 'NCCL was called wrongly', 'user', 'program_bug', 'error', 'root', 200,
		'ncclInvalidUsage|NCCL (?:error|Error|failure|call)[^\n]{0,160}invalid usage|(?:Trying to (?:send|recv) to self '
		'without a matching|ncclGroupEnd: not in a group call|improper usage of ncclCommInitRank|Attempt to use communicator '
		'before the previous operation|invalid device count \(\d+\) requested)|[Ww]indow register segment|NCCL operation '
		'\w{3,40}\(?\)? failed: invalid usage',
		'The calls that ranks made do not go together: another number of ranks, one GPU twice, or a call at the wrong time. '
		'The warning of NCCL before it says which.',
		'Read the NCCL warning above (NCCL_DEBUG=WARN shows it); check the device of each rank and the world size.', true),
	('nccl_invalid_argument', 'NCCL got an invalid argument', 'user', 'program_bug', 'error', 'root', 200,
		'ncclInvalidArgument|NCCL (?:error|Error|failure)[^\n]{0,160}invalid argument|(?:NCCL WARN |Last '
		'error:\s{1,3})[^\n]{0,80}(?:argument is NULL|invalid root \d|invalid type \d|invalid reduction operation|is not a '
		'valid pointer|mismatchs with NCCL device|Invalid (?:config \w+ attribute|rank requested|device count))',
		'A buffer, root, type or configuration given to NCCL is not valid: memory of another device or of the host, or an '
		'environment value out of range.',
		'Read the NCCL warning above it; check the device of the tensors, and the NCCL_ variables and options '
		'that are set.', true),
	('nccl_internal_error', 'NCCL failed a check of its own', 'framework', 'framework', 'error', 'root', 200,
		'ncclInternalError|NCCL (?:WARN|error|Error|failure)[^\n]{0,160}internal error',
		'Something that NCCL takes for granted does not hold: a topology file or a container that hides devices, mixed '
		'versions, or a bug of it.',
		'Read the first NCCL warning above it; unset NCCL_TOPO_FILE and tuning variables, use one version everywhere, else '
		'update NCCL and report it.', true),
	('nccl_truncated', 'Ranks exchanged messages of different sizes', 'user', 'program_bug', 'error', 'root', 100,
		'[Mm]essage truncated ?: rec(?:eived|eiving) \d+(?:,\d+)? bytes instead of \d',
		'Two ranks did not agree on what they exchange: other code path, shape, NCCL setting or version. A stranger that '
		'connects to the port of NCCL looks like it, too.',
		'Compare what each rank called last (TORCH_DISTRIBUTED_DEBUG=DETAIL), and NCCL_ variables and versions of all nodes; '
		'keep port scanners away.', true),
	('nccl_shm_failed', 'NCCL got no shared memory', 'user', 'configuration', 'error', 'root', 100,
		'Error while (?:creating|attaching to) shared memory segment|(?:failed to (?:extend|create|open)|Could not '
		'map)[^\n]{0,40}/dev/shm/nccl|failed to extend /dev/shm/|(?:NCCL|RCCL) WARN [^\n]{0,80}(?:posix_fallocate|shm_open'
		'|shared memory)[^\n]{0,120}(?:No space left|failed)|SHM legacy: [^\n]{0,80}failed',
		'/dev/shm of the container is too small or holds files of dead jobs, or ranks of a node do not share it.',
		'Raise --shm-size or mount a memory volume at /dev/shm, remove old nccl-* files there, or run the ranks in one '
		'container (or with --ipc=host).', true),
	('nccl_net_plugin', 'Network plugin of NCCL does not start', 'platform', 'network_settings', 'warning', 'root', 100,
		'Failed to initialize any NET plugin|NCCL WARN [^\n]{0,40}network \S{1,40} not found|aws-ofi-nccl initialization '
		'failed|NCCL WARN NET/OFI [^\n]{0,120}(?:Couldn''t (?:open|create|bind|enable|allocate)|Could not '
		'create|initialization failed|No eligible providers)|NCCL WARN NET/Plugin[^\n]{0,100}(?:[Ff]ailed|incompatible)'
		'|NET/OFI Unexpected number of remote rails|NET/OFI [^\n]{0,80}(?:mismatch|not supported)|NET/OFI [Cc]reating '
		'[^\n]{0,80} failed',
		'The plugin that was asked for is not in the image, does not fit NCCL, or finds no usable device: driver, library or '
		'security group of the fabric.',
		'Check on one node that fi_info or ibv_devinfo lists the devices inside the container, and that plugin, libfabric and '
		'NCCL go together; compare with a node that works.', true),
	('nccl_ofi_transfer', 'Transfer over libfabric failed', 'hardware', 'network', 'critical', 'root', 100,
		'NET/OFI [^\n]{0,160}(?:completed with error|Completed with error|error: [Uu]nresponsive|[Uu]nresponsive '
		'receiver|Unreachable remote)|NET/OFI Request \S{1,40} completed with|fi_cq_read(?:err|from)?[^\n]{0,40}(?:failed'
		'|error)|libfabric:\d+:[^\n]{0,60}:cq:[^\n]{0,80}<(?:warn|critical)> err(?:or)?: ',
		'The peer does not answer over the fabric: it died, its card or link failed, or the security group does not let the '
		'traffic through.',
		'Read the last lines of the peer and the state of its network device; if the peer lives, test the pair and check the '
		'rules of the network.', true),
	('libfabric_error', 'libfabric found no way to the fabric', 'platform', 'network_settings', 'error', 'root', 200,
		'(?i:\bfi_(?:getinfo|fabric|domain|endpoint|enable|mr_reg\w*|av_open|cq_open|eq_open|ep_bind)\b[^\n]{0,60}(?:fail'
		'|error|No data available|Cannot allocate))|(?:OFI|ofi)[^\n]{0,40}(?:addrinfo\(\) failed|fi_getinfo\(\) '
		'fail\w*|endpoint open failed|domain open failed|poll failed)|prov(?:ider)? \w+[^\n]{0,40}not '
		'found[^\n]{0,20}libfabric',
		'No provider of libfabric works here: the one asked for is missing in the image, or the device is not visible.',
		'Run fi_info on the node and inside the container; correct FI_PROVIDER, device mounts and the limit of '
		'locked memory.', true),
	('ucx_transport', 'Transfer over RDMA failed (UCX)', 'hardware', 'network', 'critical', 'root', 100,
		'Transport retry count exceeded|transport retry counter exceeded|RNR retry (?:count|counter) '
		'exceeded|(?:UCX|ucp_worker|ud_iface|ucp_ep)[^\n]{0,80}Endpoint timeout|The InfiniBand retry count between two MPI '
		'processes|RETRY EXCEEDED ERROR',
		'The peer did not answer within all retries: a dead peer, a bad link or route, or congestion.',
		'Take card and peer from the line; look whether the peer died first, else check port counters, cable and switch port '
		'of both ends.', true),
	('ucx_device_failed', 'UCX cannot use a network device', 'platform', 'network_settings', 'error', 'root', 100,
		'UCX\s{1,3}ERROR[^\n]{0,80}(?:failed to (?:create (?:\w{2,8} ){0,2}(?:QP|qp|CQ|cq|SRQ|srq)\b|open (?:IB|ib|device)|'
		'query (?:device|port|gid))|\bibv_(?:query|open|modify|alloc|create_ah)\w{0,20}\()|Failed to create UCP worker',
		'The device refuses a queue pair or an address: its port is down, GID index or route do not go with the network, the '
		'limit of locked memory is low, or driver and UCX do not go together.',
		'Read the device in the line; look at its port and GIDs (ibv_devinfo -v), and at ulimit -l; name other devices in '
		'UCX_NET_DEVICES to get on.', true),
	('ucx_no_transport', 'UCX found no transport', 'user', 'configuration', 'error', 'root', 100,
		'(?i:no (?:usable |auxiliary |active messages |remote memory access |remote registered memory access |atomic '
		'operations |am emulation |p2p )transports?(?:/memory)?(?: to|/)?)|UCX[^\n]{0,120}(?:is not available|are not '
		'available, please use one or more of|network device ''\S{1,60}'' is not available)',
		'The list of transports or devices in UCX_TLS or UCX_NET_DEVICES fits no device of this node, or the container does '
		'not see them.',
		'Compare UCX_TLS and UCX_NET_DEVICES with ucx_info -d inside the container; leave them out to let UCX choose.', true),
	('rdma_memory_registration', 'Memory could not be registered for RDMA', 'platform', 'resource_management', 'error',
		'root', 100,
		'ibv_reg_(?:dmabuf_)?mr\w*[^\n]{0,60}(?:fail|error|Cannot allocate|Bad address|Operation not)|(?i:failed to register '
		'(?:address|memory|buffer)|memory registration fail|Couldn''t register memory|could not register '
		'memory)|ibv_create_(?:qp|cq|srq|ah)\w*[^\n]{0,40}(?:failed|returned)|mlx5dv_\w{1,40}[^\n]{0,40}failed|Couldn''t '
		'enable GPUDirect RDMA',
		'The limit of locked memory is too low, GPU memory cannot be registered (nvidia-peermem or DMA-BUF not there), or the '
		'card ran out of queues.',
		'Set the locked memory limit to unlimited for the launcher and the container, load nvidia-peermem, and count the '
		'processes that use the card.', true),
	('nccl_ib_flush', 'RDMA transfer dropped after another error', 'hardware', 'network', 'warning', 'cascade', 100,
		'NET/IBP?(?:/GIN)?\s{0,3}:\s{0,3}Got completion (?:from peer \S+ )?with (?:error |status=)(?:\w{1,30}\()?5\b'
		'|WR_FLUSH_ERR|Work Request Flushed Error|[Ww]ork request flushed',
		'The card threw out what was waiting because the connection had failed before. This is a consequence.',
		'Look for the first completion with another status, on this rank or its peer.', true),
	('nccl_ib_protection', 'RDMA met memory it may not use', 'platform', 'resource_management', 'error', 'root', 100,
		'NET/IBP?(?:/GIN)?\s{0,3}:\s{0,3}Got completion (?:from peer \S+ )?with (?:error |status=)(?:\w{1,30}\()?(?:4|10|11)\b'
		'|WC_LOC_PROT_ERR|WC_REM_ACCESS_ERR|WC_REM_OP_ERR|[Ll]ocal protection (?:error|fault)|[Rr]emote (?:access|operation) '
		'error',
		'The card was refused access to memory: nvidia-peermem or DMA-BUF, IOMMU or ACS between card and GPU, or a buffer that '
		'was freed too early. A dying peer gives the remote kind.',
		'Check nvidia-peermem, that IOMMU and ACS are off for peer traffic, and driver versions; with NCCL_NET_GDR_LEVEL=LOC '
		'the job shows whether GPU-direct is it.', true),
	('nccl_ib_incompatible', 'Network cards of two kinds were mixed', 'platform', 'network_settings', 'error', 'root', 100,
		'NET/IB ?: (?:Attempted to (?:connect|merge) incompatible devices|Remote \S{1,40} device is incompatible|\S{1,40}:\d+ '
		'GID table changed)|Got async event ?: (?:P_Key|pkey|GID table) change|Detected mixed local (?:Net|CollNet) device '
		'counts',
		'Ethernet and InfiniBand cards (or other GID tables) stand together in the list that NCCL uses.',
		'Name only the cards of the training network in NCCL_IB_HCA on all nodes.', true),
	('nccl_bootstrap', 'Ranks met the wrong group at start', 'user', 'configuration', 'error', 'root', 100,
		'Bootstrap Root : (?:mismatch in info|rank \d+ of \d+ ranks has already checked in)|Invalid NCCL_COMM_ID|Net : (?:No '
		'valid \S{1,40}(?:<port>|:port) pair|string is null|error encountered when getting address info)',
		'Processes with different world sizes or of an old job use the same meeting point, or NCCL_COMM_ID is malformed.',
		'End left-over processes, choose another port, and see that all nodes were started with the same size; unset '
		'NCCL_COMM_ID.', true),
	('nccl_mnnvl_imex', 'Memory of another node cannot be mapped (IMEX)', 'platform', 'resource_management', 'error',
		'root', 100,
		'MNNVL [^\n]{0,60}not working on this system|Check the IMEX|cuMem(?:Import|Export|Create|Map'
		'|SetAccess)\w*[^\n]{0,100}(?:fail|error)|MemManager: cuMem\w+ failed|CUDA_ERROR_(?:NOT_PERMITTED'
		'|NOT_SUPPORTED)[^\n]{0,60}(?:fabric|import)',
		'GPUs across nodes share memory only with an IMEX domain and channel that fit; inside a node, containers must see each '
		'other''s processes.',
		'Check the IMEX service and its node list on all nodes and that the channel device is in the container; '
		'NCCL_MNNVL_ENABLE=0 or NCCL_CUMEM_ENABLE=0 shows whether it is that.', true),
	('nccl_nvls', 'NVLink multicast could not be set up', 'hardware', 'accelerator', 'error', 'root', 100,
		'Failed to bind N(?:VLink SHARP|VLS)|NVLS[^\n]{0,60}(?:bind|multicast)[^\n]{0,60}(?:fail|error|unable)'
		'|cuMulticast\w{2,30}[^\n]{0,60}(?:fail|error)|transport/nvls\.cc:\d+[^\n]{0,20} NCCL WARN',
		'The NVSwitch fabric of the node is in a bad state, as a rule its fabric manager or a GPU that was reset without it; a '
		'second job on the same GPUs can take the resources, too.',
		'Restart the fabric manager or reboot the node; meanwhile NCCL_NVLS_ENABLE=0 gets the job going.', true),
	('nccl_p2p_failed', 'GPUs of a node do not reach each other', 'platform', 'resource_management', 'error', 'root', 100,
		'P2P is disabled between NVLINK connected GPUs|failed to peer with device|peer access is not supported|peer mapping '
		'resources exhausted|(?i:peer access (?:is )?(?:already enabled|not enabled|has not been enabled))'
		'|CUDA_ERROR_PEER_ACCESS\w*|cudaErrorPeerAccess\w*|(?:cuda|hip)Ipc(?:Open|Get)\w{3,30}[^\n]{0,60}(?:fail|error)'
		'|mapping of buffer object failed',
		'Driver or container do not let one GPU map the memory of another: separate IPC or PID namespaces, virtualisation, or '
		'a driver state after a reset.',
		'Start the container with --ipc=host, compare nvidia-smi topo -p2p on a healthy node, reset or reboot the node; '
		'NCCL_P2P_DISABLE=1 gets the job going.', true),
	('nccl_topology', 'NCCL does not understand the machine', 'platform', 'resource_management', 'error', 'root', 100,
		'(?:NCCL WARN |Last error:\s{1,3})[^\n]{0,40}(?:XML (?:Parse|Topology|Graph|Mismatch|Import|Export)|Attribute \S{1,40} '
		'of node \S{1,40} not found|No path computed|Could not (?:find|open) [^\n]{0,80}(?:real path|net|NET|XML|GPU|gpu|CPU'
		'|DEV|rank)|No transport found for rank|Add (?:NVLink|PCI Link|C2c) error|Error : (?:could not find|ring \d|too '
		'many))|NCCL WARN TOPO/NET',
		'The topology file does not fit the machine, or the container or virtual machine hides parts of /sys.',
		'Unset NCCL_TOPO_FILE and NCCL_GRAPH_FILE or correct them; let the container see /sys; compare with a node of the same '
		'kind.', true),
	('nccl_library_old', 'NCCL library does not fit the program', 'user', 'incompatibility', 'error', 'root', 100,
		'NCCL library is (?:too old|not backwards compatible)|compiled with too old version of NCCL|NCCL version \S{1,20} '
		'(?:or (?:later|newer|higher)|is required)|requires NCCL (?:version )?[<>=\d]',
		'The program was built for another NCCL than the one found at run time.',
		'Look which libnccl is loaded (LD_LIBRARY_PATH, pip package) and use the one that the framework brings.', true),
	('nccl_communicator_aborted', 'NCCL communicator was given up', 'framework', 'framework', 'warning', 'cascade', 200,
		'NCCL communicator was aborted|Comm \S{1,20} is in abort state|communicator was revoked|communicator encountered a '
		'fatal error|NCCL communicator [^\n]{0,60}encountered error',
		'This rank ended its communicator because another one failed or did not answer.',
		'A consequence: look for the first error of the other ranks.', true),
	('nccl_unique_id', 'Rank 0 gave out no NCCL id', 'framework', 'framework', 'error', 'cascade', 200,
		'ret(?:rie|rei)ving ncclUniqueId from|store->(?:get|set|wait)\(''[^'']{0,60}''\) got error'
		'|ncclUniqueId[^\n]{0,120}(?:[Tt]imeout|timed out|failed|error)|wait timeout after \d+ ?ms, keys:',
		'The first rank of the group died, hangs, or never came to make this communicator.',
		'Read the log of the first rank of that group; if it lives, look which collective it waits in.', true),
	('rccl_error', 'RCCL or a GPU call under it failed', 'framework', 'framework', 'error', 'cascade', 200,
		'\bRCCL (?:WARN|ERROR|error|failure)\b|HIP failure ?[:'']|\bHIP failure\b|rccl[\w./]{0,60}:\d+[^\n]{0,60}(?:failed'
		'|error)',
		'A collective of an AMD GPU job failed: a GPU error, shared memory, the network, or mixed versions of ROCm.',
		'Read the first RCCL warning (NCCL_DEBUG=INFO) and the kernel log of the node for amdgpu.', true),
	('c10d_store_timeout', 'A key of the store never came', 'user', 'configuration', 'error', 'cascade', 200,
		'DistStoreError|(?<!got error: )Socket Timeout|StoreTimeoutError|Timeout waiting for key|Wait timeout for '
		'key\(s\)|Timed out waiting for (?:key|the store)|(?:store|TCPStore)[^\n]{0,60}(?:[Tt]imed out|[Tt]imeout)',
		'A rank waited for another one that never came, is late, or cannot reach the store.',
		'Find the ranks that did not start or stopped first; check that all use the same master address, port and '
		'world size.', true),
	('c10d_not_initialized', 'Process group used before it was made', 'user', 'program_bug', 'error', 'root', 100,
		'(?i:process group (?:has not been|is not|was not) initialized|initialize the default process group twice|process '
		'group [^\n]{0,60}does not exist)|(?:[Mm]odel|[Dd]ata|[Tt]ensor|[Pp]ipeline|[Ee]xpert|[Cc]ontext|[Ss]equence)(?:[ '
		'_-](?:model|data))?[ _-]parallel group is (?:not|already) initialized|Default process group has not '
		'been|init_process_group[^\n]{0,40}(?:before|must be called|first)',
		'The script calls a collective or asks for a group before init_process_group, or was started without the launcher.',
		'Start through torchrun or srun with the variables it needs, and initialise before the first use.', true),
	('c10d_backend_missing', 'Communication backend not usable here', 'user', 'incompatibility', 'error', 'root', 100,
		'Distributed package doesn''t have \w+ built in|Unknown c10d backend|ProcessGroup\w{2,10} is only supported with '
		'GPUs|No backend type associated with device type|Tensors must be CUDA and dense|Invalid backend: |backend ''?\w+''? '
		'is not (?:available|supported)|[Bb]ackend \w{2,10} does not support|No rendezvous handler for|Invalid init_method',
		'The backend (nccl, gloo, mpi) is not built into this framework, finds no GPU, or was given tensors of '
		'another device.',
		'Take gloo for CPU and nccl for GPU tensors, install a build that has it, and see that the rank sees its GPU.', true),
	('ddp_model_differs', 'Model is not the same on all ranks', 'user', 'program_bug', 'error', 'root', 100,
		'DDP expects same model across all ranks|appears not to match (?:sizes|strides|size) of the same param|Rank \d+ has '
		'\d+ params, while rank|[Pp]arameters? (?:count|number|shapes?)[^\n]{0,60}(?:differ|mismatch)[^\n]{0,40}ranks?'
		'|(?:[Mm]ismatched|[Ii]nconsistent) (?:tensor )?(?:sizes?|shapes?|counts?)[^\n]{0,60}(?:across|between|among|on) '
		'(?:all )?(?:the )?(?:ranks|processes)',
		'Ranks built different models or batches: configuration, code version or data differ between nodes, or a branch '
		'depends on the rank.',
		'Compare configuration and code version of the ranks named; remove branches by rank.', true),
	('gloo_no_interface', 'Gloo found no usable interface', 'user', 'configuration', 'error', 'root', 100,
		'Unable to (?:find (?:address|interface) for|resolve hostname to a \(local\) address)|makeDeviceFor(?:Hostname'
		'|Interface)|gloo/[\w./]{1,60}\.cc:\d+\][^\n]{0,60}(?:ifa != nullptr|rv != -1|rp != nullptr)|Couldn''t '
		'(?:resolve|find) (?:hostname|interface)',
		'GLOO_SOCKET_IFNAME names an interface that this node has not, or its host name leads to no local address.',
		'Set GLOO_SOCKET_IFNAME to the cluster interface of each node; correct /etc/hosts.', true),
	('gloo_mismatch', 'Ranks exchanged different sizes (Gloo)', 'user', 'program_bug', 'error', 'root', 100,
		'op\.preamble\.length ?<= ?op\.nbytes|enforce fail at \S{0,60}gloo/[^\n]{0,80}(?:nbytes|length|size|nelem)'
		'|gloo/[\w./]{1,60}:\d+\][^\n]{0,40}(?:nbytes|opcode|Invalid tag)',
		'Two ranks called collectives of other size, type or order.',
		'Compare what the ranks called last (TORCH_DISTRIBUTED_DEBUG=DETAIL) and remove branches by rank.', true),
	('gloo_peer_closed', 'Peer is gone (Gloo)', 'hardware', 'network', 'warning', 'cascade', 200,
		'gloo/[\w./]{1,80}\.(?:cc|h):\d+\][^\n]{0,80}(?:closed|reset|[Bb]roken pipe|unexpectedly|No route|[Cc]onnection '
		'refused)|Socket unexpectedly closed|Application timeout caused pair closure|gloo::(?:Io|Enforce'
		'|Timeout)\w{0,12}Exception',
		'The process at the other end ended, or its network is gone.',
		'A consequence: find the rank that stopped first.', true),
	('mpi_abort', 'A rank ended the MPI job itself', 'user', 'program_bug', 'error', 'cascade', 300,
		'MPI_ABORT was (?:invoked|called)|application called MPI_Abort|MPI_Abort\(|Rank \d+ [^\n]{0,40}calling '
		'MPI_Abort|MPI_ERRORS_ARE_FATAL',
		'The program called abort after an error of its own, or MPI did so after one.',
		'Read the lines of that rank before it: they say why.', true),
	('mpi_process_died', 'A process of the MPI job died', 'framework', 'framework', 'warning', 'cascade', 300,
		'BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES|[Pp]rimary job\s{1,3}terminated normally|(?:mpirun|prterun'
		'|mpiexec|prun)[^\n]{0,60}(?:noticed that process rank|detected that one or more processes|has exited due to process '
		'rank)|exiting improperly|YOUR APPLICATION TERMINATED WITH THE EXIT STRING|HYD(?:_|T_|U_)\w{3,60}[^\n]{0,80}(?:failed'
		'|error)|one of the processes terminated badly',
		'The launcher saw a process end. Signal 9 is a kill (mostly memory), 11 a crash, 6 an abort.',
		'Take rank, host and signal from it and read the log of that rank.', true),
	('mpi_peer_lost', 'MPI lost a peer', 'hardware', 'network', 'warning', 'cascade', 200,
		'communication peer process has unexpectedly disconnected|MPIX?_ERR_PROC_(?:FAILED|ABORTED)|MPIX?_ERR_REVOKED'
		'|Communication error with rank \d|mca_btl_tcp_\w{3,40}[^\n]{0,120}(?:failed|reset|[Bb]roken pipe|timed '
		'out)|MPID_?n?e?m?_?tcp_?\w{0,30}[^\n]{0,80}(?:socket closed|failed)|\[tcp\][^\n]{0,20}socket '
		'closed|(?:ORTE|PRTE|PMIx|orted|prted)[^\n]{0,40}lost (?:communication|connection)',
		'The other process ended or its network is gone.',
		'Look at the rank or host that is named: what it did last.', true),
	('mpi_unreachable', 'MPI processes do not reach each other', 'platform', 'network_settings', 'error', 'root', 100,
		'unable to reach each other for\s{1,3}MPI communications|MPI process is unreachable|failed to TCP connect to a peer '
		'MPI process|failed to handshake with a connecting peer MPI|detected an inbound MPI TCP connection request|BTLs '
		'attempted:|gethostbyname failed, \S',
		'The transports or interfaces that MPI may use do not connect the nodes: a bridge of containers, a wrong interface, or '
		'a firewall.',
		'Name the cluster network in btl_tcp_if_include (or UCX_NET_DEVICES, FI_PROVIDER) and leave out bridges; open the '
		'ports.', true),
	('mpi_init_failed', 'MPI could not start', 'platform', 'resource_management', 'error', 'root', 200,
		'(?:PML|pml)[^\n]{0,20} add procs failed|MPI_INIT(?:_THREAD)? (?:failed|has failed)|looks like MPI_INIT failed|looks '
		'like (?:orte|opal|ompi|prte)_\w{3,30} failed|Fatal error in (?:internal_|P?MPI_)Init|MPI(?:R_Init_thread'
		'|DI?_\w{0,20}[Ii]nit)[^\n]{0,20}: *(?:channel initialization failed)?|ORTE_ERROR_LOG|PRTE ERROR|\bPMIX? '
		'ERROR\b|PMIX_ERROR|PMI2?_(?:Init|KVS\w*|Barrier)[^\n]{0,40}(?:failed|returned -1)|Local abort before MPI_INIT|\bOPAL '
		'ERROR: ',
		'The library did not get up: launcher and MPI do not go together (PMI), no usable network, or a limit of the node.',
		'Read the lines below it for the first failing step; start through the launcher the library was built for (srun '
		'--mpi=list shows the kinds).', true),
	('mpi_misuse', 'MPI was called wrongly', 'user', 'program_bug', 'error', 'root', 100,
		'MPI_ERR_(?:ARG|COMM|COUNT|TYPE|TAG|RANK|BUFFER|ROOT|GROUP|OP|REQUEST|TOPOLOGY|DIMS|WIN|DISP|TRUNCATE)\b|MPI_\w{3,20} '
		'was (?:invoked|called) (?:before|after|more than)|Attempting to use an MPI routine (?:before|after)'
		'|MPI_\w{3,30}\([^\n]{0,160}\) failed|Invalid (?:rank|communicator|datatype|tag|count|root|buffer pointer|group)(?: '
		'has| in|,)[^\n]{0,60}(?:error stack|value)|[Mm]essage truncated; \d+ bytes received|Null (?:Comm|communicator|buffer) '
		'pointer',
		'Ranks disagree on count, type, tag or root, or MPI was used before its start or after its end.',
		'See which call and rank the message shows, and compare with what the peers called.', true),
	('mpi_shared_memory', 'MPI got no shared memory', 'user', 'configuration', 'error', 'root', 100,
		'(?:not|isn''t) enough space for \S{1,80} \(the shared[ -]memory|shared memory backing file|A system call failed '
		'during shared memory initialization|shmem: \w+: an error occurred|(?:shm_open|mmap|posix_fallocate'
		'|ftruncate)[^\n]{0,40}(?:failed|error)[^\n]{0,60}(?:shm|mpich|vader|ompi)|/dev/shm/(?:mpich|vader|ompi'
		'|psm)[^\n]{0,60}(?:fail|No space|error)',
		'/dev/shm or the session directory of the node is full or too small.',
		'Clean old files out of /dev/shm and /tmp on that node; raise --shm-size of the container.', true),
	('mpi_error', 'Error inside MPI', 'framework', 'framework', 'error', 'root', 200,
		'Fatal error in (?:internal_|P?MPI_)\w{3,30}: |MPI_ERR_(?:INTERN|OTHER|UNKNOWN|NO_MEM|IO)\b|\*\*\* An error occurred '
		'in MPI_\w|Assertion failed in file [^\n]{0,80}(?:mpi|mpid|ch4|ch3)',
		'A call of MPI failed; the error stack below says in which layer, mostly that of the network.',
		'Read the last line of the stack and the peers it names; look whether another rank ended first.', true),
	('fabric_endpoint', 'Network endpoint could not be opened', 'hardware', 'network', 'error', 'root', 100,
		'PSM[23]? (?:was unable to open|can''t open)|psm[23]_ep_(?:open|connect)[^\n]{0,60}(?:fail|error)|Unable to initialize '
		'verbs NIC|hfi_userinit[^\n]{0,60}fail|cxip?_[^\n]{0,60}(?:failed|error)|NET/IB ?: Unable to (?:open|query) '
		'(?:device|port)',
		'The card of this node is not there, its port is down, or its contexts are used up.',
		'Check state and driver of the card on that node; end left-over processes that hold it.', true),
	('oneccl_error', 'oneCCL failed', 'framework', 'framework', 'error', 'root', 200,
		'\|CCL_ERROR\||oneCCL: [^\n]{0,200}(?:EXCEPTION|error|failed)|ccl::\w{0,20}(?:exception|error)',
		'The collective library of Intel did not start or lost its transport; the first CCL_ERROR line says where.',
		'Read the first CCL_ERROR; check FI_PROVIDER and FI_PROVIDER_PATH, the launcher variables and '
		'CCL_ATL_TRANSPORT.', true),
	('ucx_error', 'UCX reported an error', 'framework', 'framework', 'warning', 'cascade', 300,
		'\bUCX\s{1,3}(?:ERROR|FATAL|Fatal|fatal)\b|\bUCC\s{1,3}(?:ERROR|FATAL)\b|hcoll[^\n]{0,40}(?:ERROR|failed)'
		'|sharp_\w{3,30}[^\n]{0,40}(?:failed|error)|ucp_\w{3,40}[^\n]{0,30}(?:returned error|failed)',
		'The communication library under MPI or NCCL could not do what it was asked.',
		'Read the first of these lines; peers that end and devices that are missing are the usual reasons.', true),
	('http_unreachable', 'A web service could not be reached', 'platform', 'network_settings', 'error', 'root', 200,
		'Max retries exceeded with url|NewConnectionError|\bMaxRetryError\b|requests\.exceptions\.(?:ConnectionError'
		'|ConnectTimeout|ReadTimeout|ProxyError|Timeout|ChunkedEncodingError|HTTPError)|urllib3\.exceptions\.\w{3,40}Error'
		'|urlopen error (?!\[Errno 111\])|urllib\.error\.HTTPError: HTTP Error 4\d\d|aiohttp\.client_exceptions\.\w{3,40}'
		'|httpx\.(?:Connect|Read|Pool|Proxy|Remote)\w{3,20}|Cannot connect to (?:host|proxy)|Failed to establish a new '
		'connection',
		'A service outside of the job (hub, tracker, storage, licence) does not answer from this node: no way out, a proxy, or '
		'the service is down.',
		'Call the address in the message from this node with curl; set the proxy, or work offline from a local copy.', true),
	('grpc_unavailable', 'A service of the job does not answer', 'framework', 'framework', 'error', 'cascade', 200,
		'StatusCode\.(?:UNAVAILABLE|DEADLINE_EXCEEDED|CANCELLED)|failed to connect to all addresses'
		'|grpc\.\w{0,20}\.?_(?:Inactive|MultiThreaded)\w{0,12}RpcError|Socket closed[^\n]{0,60}grpc'
		'|errors_impl\.(?:Unavailable|Aborted|Cancelled|DeadlineExceeded)Error',
		'The process that offers the service ended, is overloaded, or is not reachable.',
		'Look at the head or the coordinator of the job: did it end first, and why.', true),
	('rendezvous_store', 'Rendezvous store not reachable', 'platform', 'network_settings', 'error', 'root', 200,
		'\betcd\.(?:Etcd)?\w{0,30}(?:Exception|Failed|Error)|EtcdException|EtcdConnectionFailed|No connection could be made to '
		'the etcd|redis\.exceptions\.\w{0,20}(?:Error|Timeout)',
		'The service through which the workers find each other (etcd, redis) does not answer.',
		'Check that service from the node; use the c10d rendezvous where none is needed.', true),
	('collective_desync', 'Ranks are at different collectives', 'user', 'program_bug', 'error', 'root', 200,
		'(?i:collectives? (?:desync|mismatch|are out of (?:order|sync)))|found (?:a )?desync|To our best knowledge, the cause '
		'of timeout|ranks? [\[\]\d, ]{1,80} (?:has|have|is|are) (?:not )?(?:joined|entered|scheduled) '
		'(?:but|to|collective)|ran out of sync|out-of-order collectives?|submitted to be reduced, gathered or broadcasted by '
		'subset of ranks|Stalled ranks:',
		'One rank went another way through the code, or is stuck before a collective that the others entered.',
		'Compare what each rank called last, with the flight recorder or TORCH_NCCL_DESYNC_DEBUG=1; look first at the rank '
		'that is behind.', true),
	('nccl_out_of_memory', 'No GPU memory left for NCCL', 'user', 'configuration', 'error', 'root', 100,
		'Cuda failure (?:\d{1,5} )?''out of memory''|NCCL[^\n]{0,120}(?:CUDA )?out of memory|Failed to CUDA '
		'(?:calloc|malloc)[^\n]{0,60}bytes',
		'The training fills the GPU before NCCL has made its buffers; every communicator takes some hundred megabytes.',
		'Leave memory free: a smaller batch, fewer process groups, or NCCL_BUFFSIZE and NCCL_MAX_NCHANNELS lower; see that no '
		'other process sits on the GPU.', true),
	('nccl_settings', 'NCCL settings leave it no way', 'user', 'configuration', 'error', 'root', 100,
		'No algorithm/protocol available|FP8 reduction support begins|Unrecognized element token "|Could not force merge '
		'NICs|NCCL_NVLS_ENABLE has been set to|Either none or all communicators in a ncclGroup'
		'|NCCL_CROSS_NIC[^\n]{0,60}(?:invalid|differ)|Both NCCL_CTA_POLICY',
		'Variables such as NCCL_ALGO, NCCL_PROTO or NCCL_NVLS_ENABLE exclude what the job asks for on this hardware.',
		'Unset the tuning variables that begin with NCCL_ and set them anew one by one.', true),
	('elastic_signal', 'Launcher was told to stop', 'platform', 'scheduling', 'warning', 'cascade', 300,
		'SignalException: Process \d+ got signal|\bgot signal: (?:1|2|15)\b|[Rr]eceived (?:Signals\.SIG\w{2,4} )?(?:\d{1,2} '
		')?death signal|SIGTERMException',
		'Somebody or something sent the launcher a signal: 15 comes from the scheduler or a preemption, 1 from a terminal that '
		'was closed, 2 from the keyboard.',
		'See what the scheduler says of that minute; start with nohup or in a batch job where a terminal was closed.', true),
	('horovod_error', 'Horovod lost a collective', 'framework', 'framework', 'error', 'cascade', 200,
		'HorovodInternalError|horovod[^\n]{0,60}(?:shut ?down|has been shut down|failed)|Horovod has (?:been shut down|not '
		'been initialized)',
		'A rank ended or a collective failed under Horovod.',
		'Read the first error of the rank that ended first.', true);
