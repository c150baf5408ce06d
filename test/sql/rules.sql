-- Every built-in pattern compiles and matches its own example; the queries below list what does not.

-- faults: one example for each key
CREATE TEMP TABLE fault_example (fault_key text, example text);
INSERT INTO fault_example VALUES
	('xid_13', 'NVRM: Xid (PCI:0000:1a:00): 13, pid=40712, name=python, Graphics SM Warp Exception on (GPC 2, TPC 0, SM 1)'),
	('xid_31', 'NVRM: Xid (PCI:0000:1a:00): 31, pid=991, name=train, Ch 00000012, MMU Fault: ENGINE CE4 faulted @ '
		'0x7f00_1000000'),
	('xid_43', 'NVRM: Xid (PCI:0000:9d:00): 43, pid=77120, name=python3, Ch 0000000a'),
	('xid_48', 'NVRM: Xid (PCI:0000:9d:00): 48, pid=5210, name=python3, DBE (double bit error) ECC Error'),
	('xid_62', 'NVRM: Xid (PCI:0000:4f:00): 62, 2b1f 2a00 1c44 0000'),
	('xid_63', 'NVRM: Xid (PCI:0000:4f:00): 63, pid=1204, Row Remapper: New row marked for remapping, reset gpu to activate.'),
	('xid_64', 'NVRM: Xid (PCI:0000:4f:00): 64, Row Remapper: Failed to remap row'),
	('xid_69', 'NVRM: Xid (PCI:0000:07:00): 69, pid=8112, name=python3, Class Error: ChId 0009, Class 0000c7c0'),
	('xid_74', 'NVRM: Xid (PCI:0000:07:00): 74, pid=0, NVLink: fatal error detected on link 5(0x10000, 0x0)'),
	('xid_79', E'NVRM: The NVIDIA GPU 0000:c1:00.0 (PCI ID: 10de:2330)\nNVRM: installed in this system has\nNVRM: fallen off '
		'the bus and is not responding to commands.'),
	('xid_94', 'NVRM: Xid (PCI:0000:c1:00): 94, pid=4410, name=python3, Contained: SM (0x1). RST: No, D-RST: No'),
	('xid_95', 'NVRM: Xid (PCI:0000:c1:00): 95, pid=4410, name=python3, Uncontained: LTC TAG (0x2). RST: Yes, D-RST: No'),
	('xid_119_120', 'NVRM: Xid (PCI:0000:e3:00): 119, pid=61233, name=python3, Timeout after 45s of waiting for RPC response '
		'from GPU7 GSP!'),
	('xid_149_nvlink5', 'NVRM: Xid (PCI:0009:01:00): 145, RLW_CTRL Nonfatal XC0 i0 Link 11 (0x00000006)'),
	('xid_154', 'NVRM: Xid (PCI:0000:e3:00): 154, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)'),
	('xid_other', 'NVRM: Xid (PCI:0000:21:00): 201, pid=9001, name=python3, Ch 00000008'),
	('sxid_nvswitch', 'nvidia-nvswitch3: SXid (PCI:0000:87:00.0): 20034, Fatal, Link 32 LTSSM Fault Up'),
	('cuda_ecc', 'torch.cuda.DeferredCudaCallError: CUDA error: uncorrectable ECC error encountered'),
	('cuda_illegal_access', 'RuntimeError: CUDA error: an illegal memory access was encountered'),
	('cuda_illegal_instruction', 'RuntimeError: CUDA error: an illegal instruction was encountered'),
	('cuda_device_assert', 'RuntimeError: CUDA error: device-side assert triggered'),
	('cuda_launch_failure', 'RuntimeError: CUDA error: unspecified launch failure'),
	('cuda_oom', 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 5 has a total '
		'capacity of 79.11 GiB'),
	('cuda_no_device', 'RuntimeError: No CUDA GPUs are available'),
	('cuda_invalid_device', 'RuntimeError: CUDA error: invalid device ordinal'),
	('cuda_device_busy', 'RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable'),
	('cuda_fabric_802', 'RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized'),
	('nvlink_fabric', 'nv-fabricmanager[2211]: fabric manager error: detected NVLink training failed on GPU index 3'),
	('gpu_thermal', 'gpu-monitor: GPU 3 temperature 94 C above the slowdown threshold, HW Thermal Slowdown active'),
	('device_memory_ecc', 'npu-monitor: HBM multi-bit ECC error detected on chip 4, address isolated'),
	('silent_corruption', 'sdc-check: silent data corruption detected on device 2, result differs from reference'),
	('replica_mismatch', 'RuntimeError: weight checksum of rank 11 does not match: values differ across '
		'data-parallel replicas'),
	('cudnn_exec_failed', 'RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling cublasGemmEx'),
	('peermem_invalid_context', 'nvidia-peermem nv_mem_release:96 ERROR detected invalid context, skipping further processing'),
	('nccl_segfault', 'python3[8812]: segfault at 10 ip 00007f3a14bd4a20 sp 00007f39f7ffd9c0 error 4 in '
		'libnccl.so.2[7f3a14a00000+e000000]'),
	('ascend_ei0001', 'EI0001: Environment variable [HCCL_EXEC_TIMEOUT] is invalid. Reason: value out of range.'),
	('ascend_ei0002', 'EI0002: The wait execution of the Notify register times out. Reason: no Notify record from '
		'remote rank [12]'),
	('ascend_ei0003', 'EI0003: In [HcclBroadcast], value [99] for parameter [root] is invalid.'),
	('ascend_ei0004', 'EI0004: The ranktable or rank is invalid, Reason:[rank_id is repeated].'),
	('rank_table_error', 'RuntimeError: rank table mismatch: device_ip of rank 6 is not an address of this server'),
	('ascend_ei0005', 'EI0005: The arguments for collective communication are inconsistent between ranks: parameter[dataType], '
		'local[4], remote[3]'),
	('ascend_ei0006', 'EI0006: Getting socket times out. Reason: Remote Rank did not send the data in time.'),
	('ascend_ei0007', 'EI0007: Failed to allocate resource [Notify].'),
	('ascend_ei0008', 'EI0008: The CANN versions are inconsistent: local_version [8.0.1], remote_version [8.1.0]'),
	('ascend_ei0012', 'EI0012: SDMA memory copy task exception occurred. Remote rank: [17].'),
	('ascend_error_cqe', '[hns_roce_lite.c:512]hns_roce_lite_handle_error_cqe(512) : error cqe status: 0x12'),
	('ascend_hccl_heartbeat',
		'[heartbeat.cc:877][TaskExecStage][HeartbeatAbnormal]local rank [ip: 10.1.0.4, dev: 3]: crimer rank [ip: '
		'10.1.0.9, dev: 0]'),
	('ascend_ej0001', 'EJ0001: Failed to initialize the HCCP process. Reason: Maybe the last training process is running.'),
	('ascend_ej0002', 'EJ0002: Environment network port is down, deviceid[3]'),
	('ascend_ej0003', 'EJ0003: Failed to bind the IP port. Reason: The IP address and port have been bound already.'),
	('ascend_ej0004', 'EJ0004: the IP address(192.168.3.7) in the ranktable is inconsistent with the IP(192.168.3.9) of the '
		'network adapter'),
	('ascend_tls_mismatch', 'ssl handshake failed, maybe the TLS switch is inconsistent between the two devices'),
	('ascend_aicore_failed',
		'PrintErrorInfo: Aicore kernel execute failed, device_id=6, stream_id=11, fault kernel_name=MatMul_23'),
	('ascend_aicpu_failed', 'Aicpu kernel execute failed, device_id=1, stream_id=4, task_id=90'),
	('ascend_stream_timeout', 'rtStreamSynchronize execute failed, reason=[task timeout], stream sync timeout'),
	('ascend_driver_mismatch', 'Stream mode cannot be set in current driver version, please upgrade the driver'),
	('nccl_ib_completion', 'NCCL WARN NET/IB : Got completion from peer 10.7.0.21<47110> with status=12 opcode=0 len=0 vendor '
		'err 129 (Send)'),
	('nccl_ib_async_event', 'NCCL WARN NET/IB : mlx5_4:1 Got async event : port error'),
	('nccl_ib_modify_qp', 'NCCL WARN Call to ibv_modify_qp failed with 19 No such device'),
	('nccl_socket_connect', 'NCCL WARN socketStartConnect: Connect to 172.18.0.1<50431> failed : Connection timed out'),
	('nccl_peer_closed', 'NCCL WARN socketProgress: Connection closed by remote peer trainer-8<36012>'),
	('nccl_watchdog_timeout',
		'[Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=912, OpType=ALLGATHER, Timeout(ms)=1800000) '
		'ran for 1800021 milliseconds'),
	('nccl_watchdog_exception', '[Rank 3] Process group watchdog thread terminated with exception: CUDA error'),
	('nccl_heartbeat_monitor',
		'[PG 1 Rank 9] Heartbeat monitor timed out! Process will be terminated after dumping debug info.'),
	('nccl_abort_async', 'To avoid data inconsistency, we are taking the entire process down.'),
	('nccl_system_error', 'ncclSystemError: System call (e.g. socket, malloc) or external library call failed '
		'or device error.'),
	('nccl_cuda_error', 'NCCL WARN Cuda failure ''out of memory'''),
	('nccl_version_mismatch', 'RuntimeError: Mismatched NCCL version detected : rank 4 version 22104 rank 0 version 22005'),
	('nccl_collective_mismatch',
		'RuntimeError: Detected mismatch between collectives on ranks. Rank 2 is running collective: ALLREDUCE, but Rank 0 is '
		'running ALLGATHER'),
	('nccl_no_socket', 'NCCL WARN Bootstrap : no socket interface found'),
	('nccl_teardown_noise', 'NCCL WARN [Proxy Service 6] Failed to execute operation Close from rank 6, retcode 3'),
	('c10d_rendezvous', 'torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError'),
	('c10d_socket_timeout', '[c10d] The client socket has timed out after 300s while trying to connect to (trainer-0, 29500).'),
	('c10d_connect_retry', '[c10d] The client socket has failed to connect to [trainer-0]:29500 (errno: 111 - '
		'Connection refused).'),
	('c10d_store_barrier', 'RuntimeError: Timed out initializing process group in store based barrier on rank: 3 '
		'(world_size=16, worker_count=15)'),
	('c10d_tcpstore_recv', '[c10d] recvVector failed on SocketImpl: TCPStore recvVector failed, Connection reset by peer'),
	('addr_in_use', 'RuntimeError: The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).'),
	('addr_not_local', 'OSError: [Errno 99] Cannot assign requested address'),
	('dns_failure', 'socket.gaierror: [Errno -3] Temporary failure in name resolution'),
	('no_route', 'RuntimeError: connect [10.3.0.8]:29501: No route to host'),
	('mlx5_overheat', 'mlx5_core 0000:2a:00.0: Port module event[error]: module 1, Cable error, High Temperature'),
	('mlx5_pcie_power', 'mlx5_core 0000:2a:00.0: Detected insufficient power on the PCIe slot (25W).'),
	('nic_link_down', 'mlx5_core 0000:2a:00.0 ens3f0np0: NIC Link is Down'),
	('mlx5_cable_unplugged', 'mlx5_core 0000:2a:00.0: Port module event: module 0, Cable unplugged'),
	('link_flapping', 'fabric-monitor: port 17 of leaf-4 is flapping, 6 transitions within 10 minutes'),
	('nic_driver_error', 'NETDEV WATCHDOG: ens3f0 (mlx5_core): transmit queue 12 timed out'),
	('arp_table_full', 'neighbour: arp_cache: neighbor table overflow!'),
	('conn_reset', 'RuntimeError: [/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer '
		'[10.0.3.4]:51776'),
	('conn_refused', 'ConnectionRefusedError: [Errno 111] Connection refused'),
	('conn_timed_out', 'TimeoutError: [Errno 110] Connection timed out'),
	('gloo_timeout', 'RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 600000ms for recv '
		'operation to complete'),
	('collective_timeout', 'RuntimeError: Rank 5 failed to pass monitoredBarrier in 1800000 ms'),
	('hang_reported', 'watchdog: rank 14 has made no progress for 600 s, last step 8123'),
	('straggler_reported', 'straggler detector: rank 22 is slower than 1.8x the median of its group'),
	('heartbeat_lost', 'monitor: heartbeat from trainer-17 lost, last seen 45 s ago'),
	('kernel_panic', 'Kernel panic - not syncing: Attempted to kill init!'),
	('soft_lockup', 'watchdog: BUG: soft lockup - CPU#41 stuck for 22s! [kworker/41:1:9910]'),
	('hard_lockup', 'NMI watchdog: Watchdog detected hard LOCKUP on cpu 17'),
	('hung_task', 'INFO: task python3:40721 blocked for more than 120 seconds.'),
	('host_oom', 'Out of memory: Killed process 73110 (python3) total-vm:310022104kB, anon-rss:241002210kB'),
	('slurm_oom', 'slurmstepd: error: Detected 2 oom_kill events in StepId=90112.0. Some of the step tasks have '
		'been OOM Killed.'),
	('alloc_failed', 'RuntimeError: [enforce fail at alloc_cpu.cpp:117] DefaultCPUAllocator: can''t allocate memory: you tried '
		'to allocate 68719476736 bytes'),
	('thread_limit', 'RuntimeError: can''t start new thread'),
	('fd_limit', 'OSError: [Errno 24] Too many open files'),
	('process_sigkill', 'worker 3 (pid 40811) was killed by signal 9'),
	('process_aborted', 'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -6) local_rank: 2 (pid: 8114) '
		'of binary: python3'),
	('segfault', 'Fatal Python error: Segmentation fault'),
	('bus_error', 'Fatal Python error: Bus error'),
	('process_terminated', 'WARNING:torch.distributed.elastic.multiprocessing.api:Sending process 9120 closing signal SIGTERM'),
	('process_unstoppable', 'launcher: worker 4 did not stop within 30 s after SIGTERM, sending SIGKILL'),
	('raid_failure', 'md/raid0md0: Disk failure on nvme0n1p1 detected, failing array.'),
	('disk_io_error', 'blk_update_request: I/O error, dev nvme1n1, sector 881920 op 0x0:(READ)'),
	('fs_readonly', 'EXT4-fs (sda2): Remounting filesystem read-only'),
	('readonly_path', 'OSError: [Errno 30] Read-only file system: ''/scratch/run7/ckpt.tmp'''),
	('fs_corrupt', 'EXT4-fs error (device sda2): ext4_find_entry:1455: inode #2: comm python3: reading directory lblock 0'),
	('pcie_aer', 'pcieport 0000:40:01.1: AER: Uncorrected (Non-Fatal) error received: 0000:41:00.0'),
	('cpu_mce', 'mce: [Hardware Error]: CPU 18: Machine Check: 0 Bank 7: fe00000000010091'),
	('page_alloc_failure', 'python3: page allocation failure: order:9, mode:0x40dc0(GFP_KERNEL|__GFP_COMP)'),
	('conntrack_full', 'nf_conntrack: table full, dropping packet'),
	('node_power', 'BMC event: PSU 2 failure detected, AC lost'),
	('clock_skew', 'chronyd[910]: System clock wrong by 4.211013 seconds'),
	('node_lost', 'slurmctld: error: Nodes cn0412 not responding, setting DOWN'),
	('nfs_not_responding', 'nfs: server filer2 not responding, still trying'),
	('lustre_error', 'LustreError: 30122:0:(client.c:3134:ptlrpc_replay_interpret()) @@@ request replay timed out'),
	('gpfs_expelled', 'mmfs: [E] This node was expelled from the cluster by gpfs-mgr1'),
	('mount_lost', 'node-check: /data is not a mount point'),
	('mount_failed', 'mount.nfs: Connection timed out, mount failed'),
	('enospc', 'OSError: [Errno 28] No space left on device: ''/local/snapshots/rank12.tmp'''),
	('disk_nearly_full', 'diskwatch: filesystem /scratch usage 97% above threshold 95%'),
	('estale', 'OSError: [Errno 116] Stale file handle: ''/shared/data/part-0031'''),
	('eio', 'OSError: [Errno 5] Input/output error'),
	('ebusy_nfs', 'OSError: [Errno 16] Device or resource busy: ''.nfs00000000021a'''),
	('s3_slowdown', 'botocore.exceptions.ClientError: An error occurred (SlowDown) when calling the GetObject operation: '
		'Please reduce your request rate.'),
	('object_store_5xx', 'urllib.error.HTTPError: HTTP Error 500: Internal Server Error'),
	('transfer_retries_exhausted', 'ConnectionError: upload of ckpt/step_4000/rank_3 failed after 5 attempts'),
	('s3_access_denied', 'An error occurred (ExpiredToken) when calling the PutObject operation: The provided '
		'token has expired.'),
	('ckpt_corrupt', 'RuntimeError: PytorchStreamReader failed reading file data/17: file read failed'),
	('ckpt_write_failed', 'RuntimeError: [enforce fail at inline_container.cc:424] . PytorchStreamWriter failed writing file '
		'data/9: file write failed'),
	('ckpt_load_failed', 'RuntimeError: Failed to load checkpoint from /models/base at iteration 2000'),
	('shard_missing', 'FileNotFoundError: [Errno 2] No such file or directory: ''/data/tokens/part_00017.idx'''),
	('file_not_found', 'FileNotFoundError: [Errno 2] No such file or directory: ''/etc/trainer/site.yaml'''),
	('path_missing', 'cp: cannot stat ''tokenizer.model'': No such file or directory'),
	('permission_denied', 'PermissionError: [Errno 13] Permission denied: ''/opt/cache/kernels'''),
	('shm_bus_error', 'RuntimeError: DataLoader worker (pid 812) is killed by signal: Bus error. It is possible that '
		'dataloader''s workers are out of shared memory.'),
	('dataloader_worker_died', 'RuntimeError: DataLoader worker (pid(s) 9120, 9122) exited unexpectedly'),
	('data_stall', 'loader: input queue is empty, training stalled'),
	('data_corrupt', 'DataError: checksum mismatch in shard train-0098.tar'),
	('loss_nan', 'step 412: loss is nan, stopping'),
	('loss_diverged', 'monitor: loss spike at step 9120, 2.1 -> 8.8'),
	('loss_scale_min', 'Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.'),
	('grad_overflow_skip', 'gradient overflow detected, skipping optimizer step, reducing loss scale to 32768.0'),
	('size_mismatch', 'RuntimeError: Error(s) in loading state_dict for GPTModel: size mismatch for lm_head.weight'),
	('tensor_shape', 'RuntimeError: The size of tensor a (4096) must match the size of tensor b (2048) at '
		'non-singleton dimension 1'),
	('index_out_of_range', 'IndexError: index out of range in self'),
	('dtype_mismatch', 'RuntimeError: Expected all tensors to be on the same device, but found at least two devices, '
		'cuda:0 and cpu!'),
	('autograd_misuse', 'RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.'),
	('pickle_failed', 'TypeError: cannot pickle ''_thread.RLock'' object'),
	('number_overflow', 'OverflowError: Python int too large to convert to C long'),
	('parallel_size_invalid', 'AssertionError: num_attention_heads (28) must be divisible by tensor_model_parallel_size (8)'),
	('config_error', 'pretrain.py: error: unrecognized arguments: --micro-batch-sise 2'),
	('environment_variable',
		'ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable MASTER_ADDR '
		'expected, but not set'),
	('import_error', 'ModuleNotFoundError: No module named ''flash_attn'''),
	('undefined_symbol', 'ImportError: /opt/venv/lib/fused_ops.so: undefined symbol: _ZN2at4_ops5zeros4callE'),
	('api_mismatch', 'TypeError: forward() got an unexpected keyword argument ''packed_seq_params'''),
	('extension_build_failed', 'RuntimeError: Error building extension ''cpu_adam'''),
	('compile_failed', 'torch._dynamo.exc.BackendCompilerFailed: backend=''inductor'' raised'),
	('driver_too_old', 'RuntimeError: CUDA error: CUDA driver version is insufficient for CUDA runtime version'),
	('no_kernel_image', 'RuntimeError: CUDA error: no kernel image is available for execution on the device'),
	('hub_download_failed', 'OSError: We couldn''t connect to ''https://huggingface.co'' to load this file'),
	('certificate_error', 'requests.exceptions.SSLError: certificate verify failed: certificate has expired'),
	('assertion_failed', 'AssertionError: consumed samples exceed the data set'),
	('python_exception', E'Traceback (most recent call last):\n  File "pretrain.py", line 88, in <module>\n    '
		'main()\nValueError: bad stage'),
	('child_failed', 'torch.distributed.elastic.multiprocessing.errors.ChildFailedError:'),
	('xla_heartbeat', 'UNAVAILABLE: Task /job:jax_worker/replica:0/task:6 heartbeat timeout. This indicates that the remote '
		'task has failed, got preempted, or crashed unexpectedly.'),
	('xla_barrier_timeout', 'DEADLINE_EXCEEDED: Barrier timed out. Id: PjRT_Client_Connect::0. Timed out task names: '
		'/job:jax_worker/task:9'),
	('ray_actor_died', 'ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.'),
	('ft_hang', '[RankMonitorServer:7] Did not get subsequent heartbeat. Waited 240.11 seconds.'),
	('slurm_time_limit', 'slurmstepd: error: *** JOB 55102 ON cn0017 CANCELLED AT 2024-03-09T06:00:11 DUE TO TIME LIMIT ***'),
	('slurm_cancelled', 'slurmstepd: error: *** STEP 55102.0 ON cn0017 CANCELLED AT 2024-03-09T04:12:50 ***'),
	('slurm_preempted', 'slurmstepd: error: *** JOB 55102 ON cn0017 CANCELLED AT 2024-03-09T04:12:50 DUE TO PREEMPTION ***'),
	('slurm_task_exit', 'srun: error: cn0017: task 8: Exited with exit code 1'),
	('slurm_unkillable', 'slurmd: error: Kill task failed on cn0017'),
	('slurm_launch_failed', 'srun: error: Task launch for StepId=8841.0 failed on node cn0102: Communication '
		'connection failure'),
	('mpi_launch_failed', 'ORTE was unable to reliably start one or more daemons.'),
	('container_start_failed', 'slurmstepd: error: pyxis: container start failed with error code: 1'),
	('k8s_unschedulable', 'Warning  FailedScheduling  0/48 nodes are available: 48 Insufficient nvidia.com/gpu.'),
	('k8s_oomkilled', 'Last State: Terminated  Reason: OOMKilled  Exit Code: 137'),
	('k8s_evicted', 'Warning  Evicted  The node was low on resource: memory.'),
	('k8s_mount_failed', 'Warning  FailedMount  Unable to attach or mount volumes: unmounted volumes=[train-data]'),
	('k8s_image_pull', 'Back-off pulling image, reason: ImagePullBackOff'),
	('k8s_container_restarting', 'Warning  BackOff  pod trainer-worker-3 is in CrashLoopBackOff'),
	('train_job_failed', 'PyTorchJob llm-run-8 is failing because 1 Worker replica(s) failed.');

-- and those that the fault library is tested by
\getenv abs_srcdir PG_ABS_SRCDIR
\set examples :abs_srcdir '/data/faults/examples.tsv'
COPY fault_example FROM :'examples' WITH (FORMAT csv, DELIMITER E'\t', QUOTE E'\b', HEADER);
SELECT f.fault_key AS fault_without_example FROM l4_fault f
WHERE f.builtin AND NOT EXISTS (SELECT FROM fault_example e WHERE e.fault_key = f.fault_key) ORDER BY 1;
SELECT e.fault_key AS example_without_fault FROM fault_example e
WHERE NOT EXISTS (SELECT FROM l4_fault f WHERE f.builtin AND f.fault_key = e.fault_key) ORDER BY 1;
SELECT e.fault_key AS not_matched, e.example FROM fault_example e JOIN l4_fault f USING (fault_key)
WHERE NOT l4_pattern_matches(f.pattern, e.example) ORDER BY 1;
-- no fault matches everything, or the lines of a healthy job
SELECT f.fault_key, h.line FROM l4_fault f,
	(VALUES (''), ('iteration 820/ 5000 | consumed samples: 209920 | lm loss: 2.81E+00 | grad norm: 0.912 |'),
		('step=10, skipped=0, lr=[0.0003], mom=[(0.9, 0.999)]'),
		('successfully saved checkpoint at iteration 2500 to /ckpt'),
		('[Gloo] Rank 3 is connected to 15 peer ranks. Expected number of connected peer ranks is : 15'),
		('heartbeat seq=12 ok'), ('exited with code 0'), ('training finished, exiting'),
		('kernel: mce: CPU0: Thermal monitoring enabled (TM1)'),
		('kernel: EDAC MC0: Giving out device to module skx_edac controller Skylake Socket#0 IMC#0'),
		('kernel: pcieport 0000:40:01.1: AER: enabled with IRQ 42'),
		('kernel: pcieport 0000:40:01.1: DPC: enabled with IRQ 42'), ('kernel: DMAR: IOMMU enabled'),
		('kernel: NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.'),
		('kernel: mlx5_core 0000:9a:00.0 ens108np0: Link up'),
		('kernel: EXT4-fs (sda2): re-mounted. Opts: errors=remount-ro'),
		('kernel: nvme nvme0: Shutdown timeout set to 10 seconds'), ('kernel: md/raid1:md0: active with 2 out of 2 mirrors'),
		('kernel: Lustre: scratch-OST0003-osc: Connection restored to 10.0.4.7@o2ib (at 10.0.4.7@o2ib)'),
		('kernel: nfs: server filer-2 OK'), ('kernel: libceph: mon0 (1)10.0.0.1:6789 session established'),
		('systemd[1]: Started Slurm node daemon.'), ('chronyd[910]: System clock was stepped by 0.000012 seconds'),
		('slurmd: debug: [job 4711] attempting to run prolog [/etc/slurm/prolog.sh]'),
		('slurmctld: _job_complete: JobId=4711 WEXITSTATUS 0'), ('pyxis: creating container filesystem: pyxis_4711'),
		('Normal  Pulled  11m  kubelet  Successfully pulled image "registry.example/train:1" in 41s'),
		('Tolerations: node.kubernetes.io/not-ready:NoExecute op=Exists for 300s'),
		('Node gpu-017 status is now: NodeHasNoDiskPressure'), ('No checkpoint found, training from random initialization'),
		('error reading temperature sensor: [Errno 2] No such file or directory: ''/sys/class/hwmon/hwmon0'''),
		('max locked memory           (kbytes, -l) unlimited'), ('fan_in initialization, fan_out 4096'),
		('{''loss'': 2.71, ''grad_norm'': 0.8, ''learning_rate'': 0.0001, ''epoch'': 0.2}')) AS h (line)
WHERE f.builtin AND l4_pattern_matches(f.pattern, h.line) ORDER BY 1, 2;
-- every fault says why and what to do
SELECT fault_key FROM l4_fault WHERE builtin AND (root_cause IS NULL OR fix IS NULL OR title = '') ORDER BY 1;
SELECT category, count(*) FROM l4_fault WHERE builtin GROUP BY category ORDER BY category;

-- stage rules see masked text: here digits are replaced by 1, which is what the patterns rely on
SELECT name AS stage_rule_not_matched FROM l4_stage_rule
WHERE builtin AND NOT l4_pattern_matches(pattern, regexp_replace(regexp_replace(example, '(^|\s)/\S+', '\11', 'g'),
	'[0-9]+(/[0-9]+)?', '1', 'g'))
ORDER BY 1;
SELECT name AS stage_rule_without_example FROM l4_stage_rule WHERE builtin AND example IS NULL ORDER BY 1;
SELECT stage, count(*) > 1 AS several FROM l4_stage_rule WHERE builtin GROUP BY stage ORDER BY stage;
-- errors and ordinary lines of an iteration tell no stage but iterating
SELECT line, (SELECT r.stage FROM l4_stage_rule r WHERE l4_pattern_matches(r.pattern, line) ORDER BY r.priority,
	r.name LIMIT 1) AS stage
FROM (VALUES ('RuntimeError: Connection closed by peer [1]:1'), ('Traceback (most recent call last):'),
	('prefetch worker: 1 batches produced, queue depth 1, current shard 1'), ('dataloader worker 1: prefetched 1 batches'),
	('[1] iteration 1 microbatch 1 batch-generator: 1 ms'), ('step[1] execute forward and backward in 1 ms'),
	('failed to write 1 to remote storage: HTTP Error 1'), ('  eval_interval ................................... 1'),
	('  eval_iters ...................................... 1'), ('eval_iter 1'), ('dataset size 1')) AS t (line)
ORDER BY line COLLATE "C";

-- iteration rules match their example as it is and with the numbers masked
SELECT name AS iteration_rule_not_matched FROM l4_iteration_rule
WHERE builtin AND NOT (l4_pattern_matches(pattern, example) AND
	l4_pattern_matches(pattern, regexp_replace(regexp_replace(example, '=[0-9]+(/\w+=[0-9]+)+', '=11', 'g'),
		'[0-9]+([.][0-9]+)?(/[0-9]+)?', '1', 'g')))
ORDER BY 1;
SELECT name AS without_group FROM l4_iteration_rule WHERE builtin AND position('(?<iter>' IN pattern) = 0 ORDER BY 1;
-- which rule, if any, reads an iteration
SELECT line, (SELECT r.name FROM l4_iteration_rule r WHERE l4_pattern_matches(r.pattern, line) ORDER BY r.priority,
	r.name LIMIT 1) AS rule
FROM (VALUES ('step[41] get next batch'), ('global_step=12'), ('{"step": 7, "lr": 0.1}'), ('iter 5: 12 ms'), ('Iteration #9'),
	('step: 120 | loss: 3.4412'), ('timestep 5'), ('step_microstep: 2.76 ms'), ('start training, total steps[90]'),
	('max_steps: 100'),
	('save every step 500'), ('step cost 5 ms'), ('step time: 200 ms'), ('elapsed time per iteration (ms): 431.5'),
	('saved checkpoint /ckpt/job-7/step_100'), ('Saving model checkpoint to ./out/checkpoint-500'),
	('saving checkpoint to 12 files'),
	('loaded checkpoint from /out/step_100'), ('saved checkpoint to /out/last.ckpt'),
	('loading checkpoint at iteration 1000'), ('/out/step_5/model.bin'),
	('slurmstepd-gpu-11: error: *** STEP 4711.0 ON gpu-11 CANCELLED AT 2026-11-20T22:00:15 ***'),
	('gradient overflow at step 3, skipping, loss scale 8')) AS t (line)
ORDER BY line COLLATE "C";
