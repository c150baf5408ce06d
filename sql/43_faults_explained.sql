/*
 * A explains B: where A is found, B is its consequence. * stands for every fault of a lower priority number than B.
 */
INSERT INTO @extschema@.l4_fault_explains (fault_key, explains, builtin)
SELECT e.fault_key, unnest(e.explains), true
FROM (VALUES
	-- a host without memory: the kernel's own line tells more than those who were told
	('host_oom',
		'{slurm_oom,k8s_oomkilled,process_sigkill,dataloader_worker_died,ray_actor_died,conn_reset,nccl_peer_closed,'
		'gloo_timeout,collective_timeout,heartbeat_lost}'::text[]),
	('slurm_oom', '{process_sigkill,slurm_cancelled}'),
	('k8s_oomkilled', '{process_sigkill,k8s_container_restarting}'),
	('shm_bus_error', '{bus_error,dataloader_worker_died}'),
	-- what takes a process away
	('process_sigkill',
		'{conn_reset,conn_refused,nccl_peer_closed,c10d_tcpstore_recv,gloo_timeout,collective_timeout,ascend_ei0002,'
		'hang_reported,nccl_watchdog_timeout,nccl_system_error}'),
	('process_unstoppable', '{process_sigkill,slurm_unkillable}'),
	('heap_corruption', '{process_aborted,segfault}'),
	('ray_oom', '{ray_actor_died,process_sigkill}'),
	('ray_node_died', '{ray_actor_died,ray_object_lost}'),
	('k8s_storage_limit', '{k8s_evicted}'),
	('k8s_node_pressure', '{k8s_evicted}'),
	('cloud_maintenance', '{node_shutdown,node_lost,slurm_preempted,process_sigkill}'),
	('node_shutdown', '{node_lost,service_failed,slurm_cancelled,conn_reset,heartbeat_lost}'),
	('slurm_preempted', '{process_sigkill,slurm_cancelled,conn_reset,k8s_evicted}'),
	('slurm_time_limit', '{process_sigkill,slurm_cancelled,conn_reset}'),
	('k8s_evicted', '{process_sigkill,conn_reset}'),
	('segfault', '{conn_reset,nccl_peer_closed,gloo_timeout,collective_timeout,c10d_tcpstore_recv,dataloader_worker_died}'),
	('bus_error', '{conn_reset,nccl_peer_closed,gloo_timeout,collective_timeout,dataloader_worker_died}'),
	-- a node gone, and what told so
	('node_power', '{node_lost,heartbeat_lost,xla_heartbeat}'),
	('kernel_panic', '{node_lost,heartbeat_lost,xla_heartbeat}'),
	('cpu_mce', '{kernel_panic,node_lost,heartbeat_lost}'),
	('host_memory_ue', '{cpu_mce,apei_error,kernel_panic,kernel_oops,bus_error,node_lost}'),
	('apei_error', '{kernel_panic,node_lost,heartbeat_lost}'),
	('bmc_processor_error', '{node_power,node_lost,heartbeat_lost}'),
	('kernel_oops', '{kernel_panic,soft_lockup,hung_task,node_lost}'),
	('hard_lockup', '{soft_lockup,rcu_stall,node_lost,heartbeat_lost,hang_reported}'),
	('soft_lockup', '{rcu_stall,hung_task}'),
	('coolant_leak', '{node_overheat,node_power,node_lost}'),
	('fan_failed', '{node_overheat,cpu_throttled}'),
	('node_overheat', '{cpu_throttled,node_power,node_lost}'),
	('cpu_throttled', '{gpu_thermal,straggler_reported}'),
	('k8s_kubelet_unhealthy', '{node_lost}'),
	('pcie_aer_fatal', '{pcie_dpc,nvme_failed,nic_link_down,node_lost}'),
	('pcie_dpc', '{nvme_failed,nic_link_down}'),
	('node_lost', '{heartbeat_lost,xla_heartbeat,slurm_cancelled}'),
	('heartbeat_lost',
		'{conn_reset,conn_refused,conn_timed_out,no_route,nccl_peer_closed,c10d_tcpstore_recv,gloo_timeout,collective_timeout,'
		'ascend_ei0002,ascend_ei0006,hang_reported,nccl_watchdog_timeout,nccl_system_error,process_unstoppable}'),
	-- a link gone
	('nic_link_down',
		'{heartbeat_lost,node_lost,no_route,conn_reset,conn_refused,conn_timed_out,nccl_socket_connect,nccl_ib_completion,'
		'nccl_peer_closed,nccl_system_error,nccl_watchdog_timeout,c10d_tcpstore_recv,c10d_socket_timeout,gloo_timeout,'
		'collective_timeout,ascend_ei0002,ascend_ei0006,ascend_error_cqe,ascend_hccl_heartbeat,hang_reported,mount_lost,'
		'nfs_not_responding,bond_degraded,lustre_connection_lost,lnet_error}'),
	('nic_firmware_error', '{nic_driver_error,nic_link_down,nccl_ib_async_event,nccl_ib_completion}'),
	('mlx5_cable_unplugged', '{nic_link_down,nccl_ib_completion,nccl_ib_async_event}'),
	('mlx5_overheat', '{nic_link_down,link_flapping}'),
	('nic_driver_error', '{nic_link_down,nccl_ib_async_event,nccl_ib_completion}'),
	('link_flapping', '{nccl_ib_completion,conn_timed_out,gloo_timeout,collective_timeout,ascend_error_cqe}'),
	('nccl_ib_async_event', '{nccl_ib_completion,nccl_system_error,nccl_watchdog_timeout}'),
	('nccl_ib_completion', '{nccl_ib_flush,nccl_peer_closed,nccl_watchdog_timeout,collective_timeout}'),
	('nccl_ib_protection', '{nccl_ib_flush,nccl_peer_closed,nccl_system_error,nccl_watchdog_timeout,collective_timeout}'),
	('nccl_ofi_transfer', '{nccl_peer_closed,nccl_system_error,nccl_internal_error,nccl_watchdog_timeout,collective_timeout}'),
	('ucx_transport', '{ucx_error,mpi_error,mpi_peer_lost,conn_reset,collective_timeout}'),
	('ucx_device_failed', '{ucx_error,mpi_error}'),
	('ascend_ej0002', '{ascend_ei0006,ascend_error_cqe,ascend_ei0002}'),
	('ascend_error_cqe', '{ascend_ei0002,ascend_stream_timeout}'),
	('dns_failure', '{c10d_rendezvous,c10d_socket_timeout,conn_refused,http_unreachable,hub_download_failed,rendezvous_store}'),
	('addr_in_use', '{c10d_rendezvous,c10d_socket_timeout,c10d_store_barrier}'),
	('addr_not_local', '{c10d_rendezvous,c10d_socket_timeout,ascend_ei0006,conn_refused}'),
	('rank_table_error', '{ascend_ei0004,ascend_ei0006}'),
	-- an accelerator gone or wrong
	('xid_79',
		'{xid_154,xid_43,xid_119_120,cuda_no_device,cuda_launch_failure,nccl_cuda_error,nccl_system_error,'
		'nccl_watchdog_timeout,nccl_peer_closed,nccl_ib_completion,nccl_heartbeat_monitor,nccl_segfault,conn_reset,'
		'collective_timeout,gpu_thermal}'),
	('xid_48', '{xid_63,xid_64,xid_94,xid_95,xid_154,cuda_ecc,device_memory_ecc,nccl_cuda_error,nccl_watchdog_timeout,xid_43}'),
	('xid_95', '{xid_154,cuda_ecc,device_memory_ecc,nccl_cuda_error,nccl_watchdog_timeout,xid_43}'),
	('xid_94', '{xid_154,cuda_ecc,device_memory_ecc,nccl_cuda_error}'),
	('xid_74', '{xid_154,nvlink_fabric,nccl_cuda_error,nccl_watchdog_timeout,nccl_system_error}'),
	('xid_119_120', '{heartbeat_lost,xid_154,nccl_heartbeat_monitor,nccl_watchdog_timeout,hung_task}'),
	('xid_31', '{cuda_illegal_access,nccl_cuda_error,xid_43}'),
	('xid_13', '{cuda_illegal_access,cuda_illegal_instruction,nccl_cuda_error,xid_43}'),
	('sxid_nvswitch', '{nvlink_fabric,xid_74,nccl_cuda_error,nccl_watchdog_timeout,cuda_fabric_802}'),
	('cuda_ecc', '{device_memory_ecc,nccl_cuda_error,nccl_watchdog_timeout}'),
	('cuda_illegal_access', '{nccl_cuda_error,nccl_watchdog_exception,nccl_watchdog_timeout}'),
	('cuda_device_assert', '{nccl_cuda_error,nccl_watchdog_exception,nccl_watchdog_timeout}'),
	('cuda_oom', '{nccl_cuda_error,nccl_watchdog_timeout,collective_timeout,conn_reset,gloo_timeout}'),
	('device_memory_ecc', '{replica_mismatch,loss_nan,silent_corruption}'),
	('silent_corruption', '{replica_mismatch,loss_nan,loss_diverged}'),
	('replica_mismatch', '{loss_nan,loss_diverged}'),
	('nccl_collective_mismatch', '{nccl_watchdog_timeout,collective_timeout,nccl_watchdog_exception}'),
	('nccl_watchdog_timeout', '{nccl_watchdog_exception,nccl_abort_async,process_aborted,nccl_communicator_aborted}'),
	-- the warning of NCCL says more than the code it ends with
	('nccl_duplicate_gpu', '{nccl_invalid_usage}'),
	('nccl_truncated', '{nccl_invalid_usage,nccl_internal_error}'),
	('nccl_shm_failed', '{nccl_system_error,nccl_internal_error}'),
	('nccl_no_socket', '{nccl_system_error,nccl_internal_error,nccl_invalid_usage}'),
	('nccl_net_plugin', '{nccl_system_error,nccl_internal_error,libfabric_error}'),
	('rdma_memory_registration', '{nccl_system_error,libfabric_error,ucx_error}'),
	('nccl_topology', '{nccl_internal_error,nccl_system_error}'),
	('nccl_mnnvl_imex', '{nccl_cuda_error,nccl_system_error,nccl_internal_error}'),
	('nccl_nvls', '{nccl_cuda_error}'),
	('nccl_out_of_memory', '{nccl_cuda_error,horovod_error}'),
	('nccl_settings', '{nccl_invalid_usage,nccl_internal_error}'),
	('nccl_p2p_failed', '{nccl_cuda_error}'),
	('cuda_invalid_device', '{nccl_cuda_error,mpi_process_died}'),
	('nccl_peer_closed', '{nccl_unique_id,nccl_communicator_aborted}'),
	('cuda_launch_config', '{nccl_cuda_error,rccl_error}'),
	('libfabric_error', '{mpi_init_failed,mpi_error,oneccl_error}'),
	('mpi_unreachable', '{mpi_init_failed,mpi_error}'),
	('pmi_missing', '{mpi_init_failed,mpi_error}'),
	('mpi_daemon_lost', '{mpi_peer_lost}'),
	('memlock_limit', '{rdma_memory_registration}'),
	('limit_cannot_be_raised', '{rdma_memory_registration}'),
	('mpi_shared_memory', '{mpi_init_failed,mpi_error}'),
	('mpi_misuse', '{mpi_error}'),
	('mpi_init_failed', '{mpi_error}'),
	('loss_nan', '{loss_diverged}'),
	-- storage
	('disk_nearly_full', '{enospc,ckpt_write_failed}'),
	('enospc', '{ckpt_write_failed,ckpt_corrupt,transfer_retries_exhausted,bus_error}'),
	('quota_exceeded', '{ckpt_write_failed,ckpt_corrupt,transfer_retries_exhausted}'),
	('nvme_failed', '{disk_io_error,raid_failure,fs_readonly,fs_corrupt,readonly_path,eio,ckpt_write_failed}'),
	('disk_io_error', '{raid_failure,fs_readonly,fs_corrupt,readonly_path,eio,ckpt_write_failed}'),
	('raid_failure', '{fs_readonly,fs_corrupt,readonly_path,eio,ckpt_write_failed}'),
	('fs_corrupt', '{fs_readonly,readonly_path,eio,ckpt_write_failed,ckpt_corrupt}'),
	('fs_readonly', '{readonly_path,ckpt_write_failed,eio}'),
	('readonly_path', '{ckpt_write_failed}'),
	('eio', '{ckpt_write_failed,data_corrupt,ckpt_corrupt}'),
	('mount_lost', '{path_missing,file_not_found,shard_missing,ckpt_write_failed,ckpt_load_failed}'),
	('mount_failed', '{eio,mount_lost,path_missing,file_not_found,shard_missing,k8s_mount_failed}'),
	('nfs_not_responding', '{hung_task,estale,eio,data_stall,hang_reported,ckpt_write_failed}'),
	('lnet_error', '{lustre_connection_lost,lustre_evicted,lustre_error}'),
	('lustre_evicted', '{lustre_error,lustre_connection_lost,hung_task,eio,ckpt_write_failed,estale}'),
	('lustre_connection_lost', '{lustre_error,hung_task,eio,data_stall,ckpt_write_failed}'),
	('lustre_target_down', '{lustre_error,lustre_connection_lost,eio,ckpt_write_failed}'),
	('lustre_bug', '{lustre_error,hung_task}'),
	('lustre_error', '{hung_task,eio,data_stall,ckpt_write_failed,estale}'),
	('gpfs_expelled', '{parallel_fs_error,hung_task,eio,ckpt_write_failed,estale,mount_lost}'),
	('ceph_error', '{parallel_fs_error,hung_task,eio,ckpt_write_failed,estale,mount_lost}'),
	('parallel_fs_error', '{hung_task,eio,data_stall,ckpt_write_failed,estale,mount_lost}'),
	('object_store_5xx', '{transfer_retries_exhausted,ckpt_write_failed}'),
	('s3_slowdown', '{transfer_retries_exhausted,ckpt_write_failed}'),
	('s3_access_denied', '{transfer_retries_exhausted,ckpt_write_failed,ckpt_load_failed}'),
	('cloud_credentials', '{s3_access_denied,transfer_retries_exhausted,ckpt_write_failed,ckpt_load_failed}'),
	('s3_not_found', '{ckpt_load_failed,file_not_found}'),
	('s3_endpoint', '{transfer_retries_exhausted,ckpt_write_failed,ckpt_load_failed}'),
	('limit_cannot_be_raised', '{permission_denied}'),
	('clock_skew', '{s3_access_denied,slurm_auth_failed}'),
	('shard_missing', '{file_not_found,path_missing}'),
	('file_not_found', '{path_missing}'),
	('ckpt_corrupt', '{ckpt_load_failed}'),
	('size_mismatch', '{ckpt_load_failed,tensor_shape}'),
	-- what keeps a job from its start
	('slurm_bad_request', '{slurm_launch_failed}'),
	('slurm_no_resources', '{slurm_launch_failed}'),
	('slurm_auth_failed', '{slurm_launch_failed}'),
	('slurm_ctld_unreachable', '{slurm_launch_failed}'),
	('slurm_node_lacks', '{slurm_node_drained}'),
	('slurm_prolog_failed', '{slurm_launch_failed,slurm_node_drained,slurm_requeued}'),
	('mpi_daemon_lost', '{mpi_launch_failed}'),
	('ssh_failed', '{mpi_launch_failed,conn_refused,conn_timed_out,no_route}'),
	('cgroup_failed', '{container_start_failed,enospc}'),
	('nvidia_container_failed', '{container_start_failed}'),
	('container_image_failed', '{container_start_failed}'),
	('container_start_failed', '{path_missing,permission_denied,slurm_plugin_failed}'),
	('entrypoint_failed', '{container_start_failed,path_missing}'),
	('k8s_network_failed', '{container_start_failed}'),
	('k8s_config_missing', '{container_start_failed,k8s_mount_failed}'),
	('k8s_gpu_unhealthy', '{k8s_device_plugin,k8s_admission_failed,k8s_unschedulable}'),
	('k8s_quota', '{k8s_unschedulable}'),
	-- limits of the host
	('alloc_failed', '{dataloader_worker_died}'),
	('fd_limit', '{dataloader_worker_died,addr_in_use}'),
	('undefined_symbol', '{import_error}'),
	('version_conflict', '{import_error}'),
	('numpy_abi', '{import_error}'),
	('cudnn_unusable', '{import_error}'),
	('extension_environment', '{extension_build_failed,compile_failed,triton_failed,import_error}'),
	('triton_failed', '{compile_failed}'),
	('hub_rate_limited', '{hub_download_failed,s3_slowdown}'),
	('certificate_error', '{http_unreachable,hub_download_failed}'),
	('http_unreachable', '{hub_download_failed}'),
	('rendezvous_store', '{http_unreachable}'),
	('load_weights_only', '{ckpt_load_failed,ckpt_corrupt,data_corrupt}'),
	('checkpoint_layout', '{ckpt_load_failed,size_mismatch}'),
	('gpu_thermal', '{straggler_reported}'),
	-- an error code says more than a general wording
	('ascend_ei0004', '{rank_table_error}'),
	('ascend_ej0004', '{rank_table_error}'),
	('ascend_ei0005', '{replica_mismatch}')) e (fault_key, explains)
UNION ALL
SELECT f.fault_key, 'xid_other', true FROM @extschema@.l4_fault f WHERE f.fault_key ~ '^xid_\d'
UNION ALL
SELECT '*', p.fault_key, true
FROM unnest(
	'{python_exception,child_failed,slurm_task_exit,train_job_failed,process_aborted,process_terminated,nccl_abort_async,'
	'ray_task_error,cloud_request_failed,k8s_container_restarting,slurm_error,slurm_requeued,'
	'assertion_failed,mpi_abort,mpi_process_died,spawned_process_failed,thread_exception,py_keyboard_interrupt,py_timeout,'
	'py_eof,elastic_signal,horovod_error}'::text[]) p (fault_key);

-- what a GPU says of how it is to be recovered, and what is cleaned up behind an error, follows from the error; a number whose
-- line is decoded says more than the number alone
INSERT INTO @extschema@.l4_fault_explains (fault_key, explains, builtin)
SELECT a.fault_key, b.fault_key, true
FROM @extschema@.l4_fault a JOIN @extschema@.l4_fault b
	ON b.fault_key ~ CASE WHEN a.fault_key ~ '^xid_14\d_|^xid_150_' THEN '^xid_(?:149_nvlink5|154(?:_.*)?|45|43)$'
		WHEN a.fault_key ~ '^xid_154_' THEN '^xid_154$'
		WHEN a.fault_key ~ '^sxid_' THEN '^sxid_(?:nvswitch|nonfatal)$'
		WHEN a.role = 'root' AND a.severity = 'critical' THEN '^xid_(?:154(?:_.*)?|45|43)$' ELSE '^xid_4[35]$' END
WHERE a.fault_key ~ '^s?xid_' AND a.fault_key <> b.fault_key AND a.fault_key <> 'xid_other'
	AND (a.role = 'root' OR a.fault_key ~ '^(?:xid_1[45]|sxid)')
ON CONFLICT DO NOTHING;

-- a code says more than a general wording of the same, and a device that is gone takes with it what runs on it
INSERT INTO @extschema@.l4_fault_explains (fault_key, explains, builtin)
SELECT f.fault_key, e.explains, true
FROM @extschema@.l4_fault f JOIN (VALUES
	('^xid_\d',
		'{cuda_contained,cuda_ecc,device_memory_ecc,nvlink_fabric,cuda_launch_failure,nccl_cuda_error,'
		'nccl_watchdog_timeout}'::text[]),
	('^sxid_', '{nvlink_fabric}'),
	('^ascend_(?:\d|event_)',
		'{ascend_aicore_failed,ascend_aicpu_failed,ascend_inner_error,ascend_operator_code,ascend_stream_timeout,ascend_ei0002,'
		'device_memory_ecc,gpu_thermal,nic_link_down}'),
	('^ascend_e[ij]', '{rank_table_error,nic_link_down,replica_mismatch,ascend_inner_error,ascend_hccl_result}'),
	('^(?:dcgm_memory|amd_ras_uncorrectable|neuron_memory)', '{device_memory_ecc,cuda_ecc,hip_gpu_hang,nrt_failed}'),
	('^amd_(?:ras|ring|page|xgmi|smu)', '{amd_gpu_reset,amd_queue_failed,hip_gpu_hang,hip_memory_fault,hsa_failed,hip_error}'),
	('^hip_(?!error)', '{hip_error}'),
	('^tpu_(?:hardware|launch_group|bounds)', '{tpu_core_halted,tpu_slice_health}'),
	('^gaudi_(?!exception)', '{gaudi_exception,compile_failed}'),
	('^(?:neuron_(?:memory|dma|out_of)|nrt_(?!timeout|failed))',
		'{neuron_hang,neuron_collective,nrt_timeout,nrt_failed,nrt_collective}')) k (pattern, explains)
	ON f.fault_key ~ k.pattern
CROSS JOIN LATERAL unnest(k.explains) e (explains)
WHERE f.role = 'root' AND f.severity IN ('critical', 'error') AND f.fault_key <> e.explains
ON CONFLICT DO NOTHING;
