/*
 * Built-in faults of launchers, schedulers and containers; what the columns mean: 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, recovery, builtin)
VALUES
	('slurm_oom', 'Scheduler reports tasks killed for memory', 'user', 'configuration', 'error', 'root', 100,
		'Detected \d+ oom[_-]kill event|Some of the step tasks have been OOM Killed|task \d+: Out Of Memory|(?i:\bexceeded '
		'(?:\w+ )?memory limit\b)|\bOUT_OF_ME(?:MORY|\+)|PBS: job killed: [^\n]{0,20}mem\b|PBS: job '
		'killed:[^\n]{0,40}mem[^\n]{0,20} exceeded|\bTERM_(?:MEMLIMIT|SWAP)\b|job killed: mem',
		'The job used more memory on a node than it may.',
		'Raise the memory limit, or use less, as for any lack of host memory.', 'fix_job', true),
	('child_failed', 'A worker process failed', 'framework', 'framework', 'warning', 'cascade', 400,
		'ChildFailedError|failed \(exitcode: -?\d+\) local_rank|(?i:\bworker\b[^\n]{0,60}\bexited with (?:code|status) '
		'[1-9])|exits with return code = -?[1-9]|Root Cause \(first observed failure\)'
		'|(?:local_)?[wW]orker_?[gG]roup[^\n]{0,60}(?:FAILED|UNHEALTHY)|Worker group '
		'(?:failed|UNHEALTHY)|\[launcher\][^\n]{0,60}exited with (?:code|status) [1-9]|process_exit_code=[1-9]',
		'The launcher saw a rank end. -9 is a kill, mostly for memory; -11 a crash; -6 an abort, mostly of the watchdog.',
		'Take rank, host and exit code from it and read the log of that rank.', 'follow', true),
	('xla_heartbeat', 'JAX task lost', 'hardware', 'node', 'error', 'cascade', 100,
		'heartbeat timeout\. This indicates that the remote task has failed',
		'The task that is named stopped: crash, preemption or a very long pause.',
		'Read the log of that task.', 'follow', true),
	('xla_barrier_timeout', 'JAX barrier timed out', 'platform', 'scheduling', 'error', 'cascade', 100,
		'DEADLINE_EXCEEDED: (?:Barrier timed out|Deadline Exceeded)|cluster registration failed',
		'Some tasks never came; the message lists them.',
		'Look at those tasks and check that all were started.', 'follow', true),
	('ray_actor_died', 'Ray worker died', 'framework', 'framework', 'error', 'cascade', 100,
		'ActorDiedError|RayActorError|WorkerCrashedError|The actor (?:died|is dead)|ActorUnavailableError|A worker died or '
		'was killed while executing|Worker unexpectedly exits with a connection error|The worker died unexpectedly|\bWorker '
		'exit type: (?:SYSTEM_ERROR|NODE_OUT_OF_MEMORY)|LocalRayletDiedError|\bRayWorkerError',
		'A worker or its node ended: memory, preemption or a crash.',
		'Read the log of that worker and the memory figures of its node.', 'follow', true),
	('ray_node_died', 'Ray lost a node', 'hardware', 'node', 'error', 'root', 200,
		'raylet[^\n]{0,60}(?:died|crash|marked dead|exited|is dead|terminated)|NodeDiedError|because its node has '
		'died|[Oo]wner''s node has crashed|\bRaylet failed\b|has been marked dead because|missed too many heartbeats|failing '
		'the health check|health check failed due to missing|This node has been marked as dead|Some workers of the worker '
		'process[^\n]{0,60}have not registered within the timeout|The node with node id: [^\n]{0,200}marked dead',
		'The raylet of the node stopped: memory, a crash, or the machine is gone.',
		'Read raylet.out and the kernel log of that node for a memory kill first; then treat the node as lost.', NULL, true),
	('ray_oom', 'Ray killed tasks for lack of memory', 'user', 'configuration', 'error', 'root', 100,
		'ray\.exceptions\.OutOfMemoryError|Task was killed due to the node running low on memory|killed due to memory '
		'pressure|failed due to oom\b|killed by the (?:Ray )?OOM monitor|memory usage on the node was above|Memory on the '
		'node \(IP[^\n]{0,120}exceeding|memory_monitor[^\n]{0,80}(?:above|kill)',
		'Memory of a node passed Ray''s threshold (95 %), so it ended the newest workers.',
		'Use fewer or leaner actors per node, ask for memory with the tasks, or raise RAY_memory_usage_threshold if there is '
		'room.', 'fix_job', true),
	('ray_object_store_full', 'Ray object store or its disk is full', 'user', 'configuration', 'error', 'root', 100,
		'ObjectStoreFullError|object store (?:memory )?is full|OutOfDiskError|Local disk is full|full, available space: '
		'[^\n]{0,80}Object creation will fail|plasma[^\n]{0,80}(?:out of memory|is full)|spill\w*[^\n]{0,60}(?:failed|No '
		'space|error)',
		'More objects are kept than shared memory and spill directory hold.',
		'Drop references, make batches smaller, raise object_store_memory, and put the spill directory on a large disk.',
		'fix_job', true),
	('ray_object_lost', 'Ray lost an object', 'framework', 'framework', 'error', 'cascade', 200,
		'ObjectLostError|OwnerDiedError|ObjectReconstructionFailed\w*|ReferenceCountingAssertionError'
		'|ObjectFetchTimedOutError|ObjectFreedError',
		'The worker or node that held it ended.',
		'Look for the worker or node that died before.', 'follow', true),
	('ray_gcs_unreachable', 'Ray head cannot be reached', 'platform', 'scheduling', 'error', 'root', 100,
		'(?:[Ff]ailed|[Uu]nable) to (?:connect|register[^\n]{0,20}|get[^\n]{0,40}) (?:to|with|from) (?:the )?GCS|GCS '
		'(?:server|connection|client)[^\n]{0,60}(?:died|dead|exited|lost|unavailable|disconnect|fail|timed out)|GCS may have '
		'been killed|gcs_rpc_client[^\n]{0,80}(?:fail|lost|time)|Could not find any running Ray instance|can not find the '
		'matched Raylet address|Could not (?:connect to|read|find) (?:the )?[^\n]{0,40}(?:ray '
		'(?:cluster|head)|node_ip_address)|ray\.init[^\n]{0,60}(?:failed|timed out)|RaySystemError|Ray cluster at '
		'''[^''\n]{1,60}'' (?:not|could)|does not match persisted value',
		'The head node ended, is overloaded, or its address and port are wrong for this node.',
		'Check that the head runs (ray status there) and that the same address is given to all; look at gcs_server.out.',
		NULL, true),
	('ray_runtime_env', 'Ray could not prepare the environment of a task', 'user', 'misoperation', 'error', 'root', 100,
		'RuntimeEnvSetupError|runtime_env[^\n]{0,80}(?:fail|error|timed? ?out|invalid)|Failed to (?:set ?up|create|install) '
		'(?:the )?runtime env',
		'Packages or files that the job asks for could not be installed or copied on a node.',
		'Read the error behind it (pip, git, working_dir); better to put them into the image.', 'fix_job', true),
	('ray_no_resources', 'Ray finds no place for a task', 'platform', 'scheduling', 'warning', 'root', 100,
		'The following resource request cannot be scheduled|No available node types can fulfill resource request|cannot be '
		'scheduled right now|PlacementGroupSchedul\w*(?:Timeout|Error)|(?:Task|Actor)UnschedulableError'
		'|ActorPlacementGroupRemoved|(?i:\bplacement[ _]group\b[^\n]{0,80}\b(?:timed out|infeasible|cannot be '
		'(?:scheduled|created|placed)|removed))|Total available GPUs \d+ is less than total desired GPUs|insufficient '
		'resources to satisfy',
		'The cluster has fewer free GPUs, processors or nodes than the job asks for, or a node has not joined.',
		'ray status: compare with what was asked; wait for the missing node or ask for less.', 'wait', true),
	('ray_version_mismatch', 'Ray or Python differs between nodes', 'user', 'incompatibility', 'error', 'root', 100,
		'Version mismatch: The cluster was started with|[Rr]ay version mismatch|The client was using Python',
		'The nodes run different versions of Ray or Python.',
		'Use one image everywhere.', 'fix_job', true),
	('ray_task_error', 'Ray task raised an error', 'user', 'program_bug', 'warning', 'cascade', 300,
		'RayTaskError',
		'The program of the task raised an exception; Ray passes it on.',
		'Read the error below it.', 'follow', true),
	('ft_hang', 'Fault-tolerance launcher saw no progress', 'framework', 'framework', 'error', 'cascade', 100,
		'(?:rank monitor|RankMonitor)[^\n]{0,120}(?:timeout|timed out|not received)|Did not get subsequent heartbeat',
		'The rank made no progress for longer than the learnt limit.',
		'Take stacks of that rank; look for waits on storage or on a collective.', 'follow', true),
	('slurm_time_limit', 'Time limit reached', 'platform', 'scheduling', 'info', 'root', 100,
		'CANCELLED AT \S+ DUE TO TIME LIMIT|DUE TO TIME LIMIT|Time limit (?:exhausted|reached) for|job killed due (?:to '
		')?hitting max wall clock|PBS: job killed: walltime|exceeding walltime|exceeded '
		'(?:resource|limit)[^\n]{0,20}walltime|walltime[^\n]{0,40} exceeded|\bTERM_(?:RUNLIMIT|CPULIMIT|DEADLINE|WINDOW)\b'
		'|Job was active longer than specified deadline|active on the node longer than the specified deadline|reason: '
		'DeadlineExceeded|exception type=timeout|(?:slurm\w*|sacct|State=|JobState=)[^\n]{0,40}\bTIMEOUT\b|(?i:\b(?:job|wall '
		'?clock|wall ?time|run ?time|run) (?:time )?limit (?:was |has been )?(?:reached|exceeded|hit)\b)|resource time '
		'exceeded',
		'The time given to the job is over.',
		'Ask for more time, or save a checkpoint on the signal that comes before.', NULL, true),
	('slurm_cancelled', 'Job step cancelled', 'user', 'misoperation', 'info', 'cascade', 300,
		'slurmstepd: error: \*\*\* (?:JOB|STEP) \S+ ON \S+ CANCELLED AT \S+ \*\*\*|CANCELLED AT \S+ DUE TO (?:TASK '
		'FAILURE|SIGNAL)|CANCELLED AT \S+ DUE to SIGNAL|FAILED \(non-zero exit code or other failure mode\)|Job step aborted: '
		'[Ww]aiting up to|srun: forcing job termination|srun: (?:error: )?Force Terminated|\bCANCELLED by \d+|has been '
		'revoked|\bTERM_(?:OWNER|ADMIN|FORCE_OWNER|FORCE_ADMIN)\b|exception type=cancel\b|\bscancel(?:led|ed)\b',
		'A person or srun cancelled it; with many nodes mostly after a first task had failed.',
		'Look for that first task; if there is none, somebody cancelled the job.', 'follow', true),
	('slurm_preempted', 'Job preempted', 'platform', 'scheduling', 'info', 'root', 100,
		'DUE TO PREEMPTION|\bPREEMPTED\b|[Pp]reempted by|(?i:\b(?:spot|preemption) (?:interruption|notice|warning))|Preempted '
		'in order to admit|Preempted to accommodate|reason: Preempt(?:ed|ing)\b|\bTERM_PREEMPT\b|\bPreempted by \S+ on '
		'node|exception type=preempt|(?i:\bjob (?:was |has been |is being )?preempted\b)|\bInClusterQueue reason|\bpreempting '
		'\S{1,60} (?:for|on)',
		'Work of higher priority took the nodes.',
		'Queue it again from the last checkpoint; use a queue that is protected.', 'restart_job', true),
	('slurm_requeued', 'Job put back into the queue', 'platform', 'scheduling', 'info', 'cascade', 200,
		'DUE TO JOB REQUEUE|[Rr]equeue(?:d|ing)? (?:JobId|job)\b|requeue_job|requeued (?:due '
		'to|because|held)|JobHoldMaxRequeue|\bREQUEUED?\b|Job requeued, execution node|\bTERM_REQUEUE_\w+|launch failure '
		'limit exceeded',
		'The scheduler starts the job again: a node failed, its start failed, or somebody asked for it.',
		'Look for the failure before it; a job that is held after many tries needs "scontrol release".', 'follow', true),
	('slurm_task_exit', 'Slurm reports tasks that ended', 'framework', 'framework', 'info', 'cascade', 300,
		'srun: error: \S+: tasks? \S+: (?:Terminated|Killed|Exited with|Aborted|Segmentation|Out Of Memory|Bus '
		'error|Illegal|Floating|Unable)',
		'Names the node and the tasks that ended.',
		'Start with the first of these lines that is not Terminated or Killed.', 'follow', true),
	('slurm_unkillable', 'Slurm could not end the job', 'platform', 'resource_management', 'warning', 'cascade', 100,
		'STEPD TERMINATED ON \S+|NOT ENDING WITH SIGNALS|Kill task failed|UnkillableStepTimeout|UnkillableStepProgram|still '
		'(?:here|running|alive)[^\n]{0,40}after SIGKILL|Unable to destroy container',
		'A process hangs in the kernel, in storage or in a driver; Slurm takes the node out.',
		'Find the hanging process, repair the reason, give the node back.', 'restart_node', true),
	('slurm_node_drained', 'Scheduler took a node out', 'hardware', 'node', 'error', 'root', 100,
		'\breason set to: |state set to (?:DRAIN\w*|DOWN\w*|FAIL\w*)|Setting node \S+ state to '
		'(?:INVAL|DRAIN|DOWN|FAIL)|[Dd]rain(?:ing|ed)? (?:the )?nodes? \S+|\bState=\S{0,40}(?:DRAIN|DOWN)|draining the '
		'node|Duplicate jobid|batch job complete failure|\bhealth_check failed|\b[Nn]ode '
		'[^\n]{0,40}\b[Hh]ealth ?[Cc]heck (?:\w+ )?failed|\b[Hh]ealth ?[Cc]heck (?:\w+ )?failed (?:on|for|at) (?:the '
		')?(?:node|host)\b|\bNHC: '
		'|Setting \S{1,60} state to (?:DOWN|DRAIN)|\bcordon(?:ed|ing) node\b',
		'A health check, a failed prolog or an operator took the node out; the reason stands behind "Reason".',
		'Read the reason (sinfo -R, scontrol show node); repair that, then give the node back.', 'follow', true),
	('slurm_node_lacks', 'Node has less than the scheduler expects', 'hardware', 'node', 'error', 'root', 100,
		'count (?:reported lower than configured|too low)|Low (?:RealMemory|socket\*core|CPUs|TmpDisk|Cores|Sockets)|fewer '
		'(?:GPUs|devices|CPUs) than (?:configured|expected)|gres/\w{1,20}: [^\n]{0,80}(?:not found|only \d+|doesn''t '
		'exist|failed to)|Waiting for gpu/nvidia plugin|(?:can''t|cannot) stat (?:gres|/dev/nvidia)',
		'A GPU, memory module or processor is missing since the last start of the node, or the configuration is wrong.',
		'Compare nvidia-smi -L and free with the configuration; reboot the node and see whether the part returns, else repair '
		'it.', 'repair', true),
	('slurm_auth_failed', 'Scheduler''s daemons do not trust each other''s messages',
		'platform', 'resource_management', 'error', 'root', 100,
		'Job credential (?:expired|revoked|replayed)|Credential (?:replayed|revoked)|Invalid job credential|[Ii]nvalid '
		'authentication credential|Authentication credential expired|Protocol authentication '
		'error|(?i:\bmunge\b[^\n]{0,60}\b(?:failed|expired|rewound|replayed|invalid|cannot|unable|socket)\b)|(?:Expired'
		'|Rewound|Replayed) credential|Unable to (?:contact|connect to|access)[^\n]{0,40}munge|Cannot unpack credential|error '
		'(?:decoding|unpacking) (?:job )?cred|Security violation, ',
		'The clock of a node is off, munge is not running there or has another key, or the prolog took longer than a '
		'credential lives.',
		'Check time and munge on the node that is named (munge -n then unmunge on the other side); restart munge and slurmd.',
		NULL, true),
	('slurm_ctld_unreachable', 'Scheduler''s controller does not answer', 'platform', 'scheduling', 'error', 'root', 100,
		'Unable to contact slurm controller|Socket timed out on send/recv operation|Unable to '
		'(?:establish|connect)[^\n]{0,40}(?:slurmctld|slurmdbd|configuration source)|Unable to connect to database|Rate limit '
		'exceeded, please retry|Connection timed out (?:establishing|reading|writing)|Communication (?:connection|shutdown) '
		'failure|Message (?:send|receive) failure|(?:backup )?controller in standby mode|slurm_load_\w+ error|ControlMachine '
		'\S+ not responding|(?i:\bcannot connect to server\b[^\n]{0,40}\b(?:pbs|errno=\d+))|batch system (?:daemon )?(?:not '
		'responding|concurrent query limit)|LSF is down|LIM is down|flux[^\n]{0,40}: (?:ERROR: )?[^\n]{0,20}Unable to connect '
		'to Flux',
		'The controller is overloaded, restarts, or the network to it is broken. Running jobs mostly go on.',
		'Look at load and log of the controller (sdiag); have many short queries of jobs slowed down; submit again.',
		'wait', true),
	('slurm_prolog_failed', 'Prolog or epilog of the job failed', 'platform', 'resource_management', 'error', 'root', 100,
		'(?i:\b(?:task|job|srun|slurmctld|node)? ?-?(?:prolog(?:ue)?|epilog(?:ue)?)(?:slurmctld)?\b[^\n]{0,60}\b(?:error'
		'|failed|failure|hung|timed? ?out|exit(?:ed)? (?:status|code|with)[ :=]{0,3}[1-9]|status=[1-9]))|aborting '
		'prolog|(?i:could not run [^\n]{0,20}(?:prolog|epilog))|(?:prolog|epilog) can ?not be executed|Waiting for \S{1,20} '
		'REQUEST_LAUNCH_PROLOG notification failed',
		'The script that prepares or checks the node ended with an error: mostly its health check found something wrong there.',
		'Read the prolog''s own log on that node; the node stays out until its check passes.', NULL, true),
	('slurm_bad_request', 'Scheduler refuses what the job asks for', 'user', 'configuration', 'error', 'root', 100,
		'Invalid (?:account or account/partition combination|partition name specified|qos specification|generic resource '
		'\(gres\)|GRES specification|feature specification|license specification|Trackable RESource|node name specified|job '
		'id specified|wckey|job array specification|dependency|user id|MPI (?:plugin name|type))|No partition '
		'specified|User''s group not permitted to use this partition|Requested (?:time limit is invalid|node configuration is '
		'not available|nodes not in this partition)|More processors requested than permitted|Node count specification '
		'invalid|Memory required by task is not available|Job violates accounting/QOS policy|Access denied to requested '
		'reservation|Requested reservation is invalid|Insufficient GRES available|requested GRES but job doesn''t have '
		'GRES|Unable to satisfy cpu bind|CPU binding outside of job step allocation|Memory specification can not be '
		'satisfied|Task (?:distribution|count) specification invalid|CPU count specification invalid|Batch script (?:is '
		'empty|contains)|This does not look like a batch script|(?:sbatch|srun|salloc): (?:error: '
		'(?:[Ii]nvalid|Unrecognized|Unknown)|unrecognized option|invalid option|fatal: )|\bqsub: '
		'[^\n]{0,60}(?:illegal|invalid|Unknown|exceed|denied)|bsub[^\n]{0,60}(?:Bad|illegal|No such queue)|Step limit '
		'reached|\b(?:QOS|Assoc)(?:Max|Grp)\w{3,40}(?:Limit|PerUser|PerJob|Node|Minutes|GRES|Billing)\b',
		'Partition, account, limit, GPUs or nodes of the request are not allowed or do not exist here.',
		'Correct the option that is named; sinfo, sacctmgr show assoc and scontrol show partition tell what is allowed.',
		'fix_job', true),
	('slurm_no_resources', 'Scheduler has no free nodes for the job', 'platform', 'scheduling', 'warning', 'root', 200,
		'Required (?:node|partition) not available|Requested nodes are busy|Requested partition configuration not '
		'available|ReqNodeNotAvail|Partition in DOWN state|PartitionDown|step creation (?:temporarily disabled|still '
		'disabled)|Licenses currently unavailable|Immediate execution impossible|Job can not start (?:immediately|due '
		'to)|Required nodes lack available|No nodes (?:are )?available for this job|job requeued in held state',
		'Nodes are down, drained, reserved or busy; a second step of the same job needs --overlap or its own share.',
		'squeue and sinfo tell which; wait, ask for others, or give the steps disjoint resources.', 'wait', true),
	('slurm_pmi_failed', 'Start of MPI ranks under the scheduler failed (PMI)',
		'platform', 'resource_management', 'error', 'root', 100,
		'mpi/pmi(?:x|2)(?![^\n]{0,40}_errhandler: )\S{0,40}[^\n]{0,120}(?:[Ee]rror|ERROR|failed|abort|timed? ?out'
		'|[Cc]annot|can''t|Unable|mismatch)'
		'|\b(?:pmixp|_pmixp|p2p|dti)_\w{1,40}[^\n]{0,80}(?:failed|error|[Cc]annot|timeout)|PMIX ERROR: '
		'|PMIX?_ERR\w+|PMIx?2?_(?:Init|Fence|Barrier|Abort|KVS_\w+)\w*[^\n]{0,60}(?:fail|error|returned -?[1-9]|timed '
		'out)|PMIx server[^\n]{0,60}(?:unreachable|failed|lost)|MPI plugin''s pre-launch setup failed',
		'The ranks could not exchange their addresses: a node or its directory for PMIx is full or gone, or the versions of '
		'PMIx differ.',
		'Look for the first rank or node that is named; check /tmp and versions of PMIx on the nodes.', NULL, true),
	('pmi_missing', 'MPI does not fit the launcher', 'user', 'incompatibility', 'error', 'root', 100,
		'was not built with (?:SLURM(?:''s)?|Slurm''s) (?:PMI|support)|OMPI was not built|Couldn''t (?:load|find) (?:the '
		')?specified plugin (?:name )?for mpi/|Invalid MPI (?:plugin name|type)|(?:requires|without) PMIx? '
		'support|Unreachable in file (?:ext|pmix)\w*|not able to (?:find|connect)[^\n]{0,40}PMI|PMI-?[12x]? '
		'(?:support|library) (?:is )?(?:missing|not (?:found|available))|Using PMI requires|cannot find a working PMI',
		'The MPI library in the image was built without the interface that the launcher uses, so each process believes to be '
		'alone or fails.',
		'srun --mpi=list shows what there is; choose --mpi=pmix or pmi2 as the library was built, or start with its own '
		'mpirun.', 'fix_job', true),
	('slurm_exec_failed', 'Program, directory or output of the job could not be opened',
		'user', 'misoperation', 'error', 'root', 100,
		'error: execve\(\):|couldn''t chdir to|Could not open std(?:out|err|in) file|IO setup failed|Unable to (?:find|exec) '
		'command|srun: fatal: Can not execute|_fork_all_tasks failed|Slurmd could not execve|\*\*\* REASON: (?!RaisedSignal)',
		'The path of the program, working directory or log file does not exist on the node, or may not be used there.',
		'Check the path on the node that is named: shared file system mounted, container started, spelling.', 'fix_job', true),
	('slurm_plugin_failed', 'Plugin of the scheduler failed', 'platform', 'resource_management', 'error', 'root', 100,
		'spank: [^\n]{0,40}(?:required plugin|[\w./-]{1,80}: )[^\n]{0,80}(?:failed|returned|error|undefined)|[Pp]lugin '
		'initialization failed|[Pp]lug-?in stack[^\n]{0,40}(?:failed|[Ff]ailure)|Failure in local plugin stack|Failed to '
		'initialize plugin stack|Spank plugin failure|SPANK plugin "[^"\n]{1,40}" option|invoke spank plugin '
		'stack|plugin_load_from_file|Couldn''t (?:find|load) (?:the )?specified plugin name for (?!mpi/)',
		'A plugin of the scheduler (container, node check) does not load or ended with an error on a node.',
		'Read the log of slurmd there; compare the plugin and its version with a healthy node.', NULL, true),
	('slurm_launch_failed', 'Slurm could not start the job', 'platform', 'scheduling', 'error', 'root', 100,
		'\bslurmstepd failed|Domain socket directory|Slurmd could not (?:set up environment|create a batch|connect IO|set '
		'UID)|srun: error: (?:Unable to|Task launch|Application launch|Aborting)|Batch job submission failed|Job launch '
		'failure|JobLaunchFailure|srun: error: \S{1,80}: Connection|_launch_tasks? [^\n]{0,40}fail|Communication failure with '
		'node|Prolog launch failure',
		'A node did not accept the tasks, or the request itself is not allowed.',
		'Check the named node and the log of its slurmd; correct account or partition.', NULL, true),
	('slurm_error', 'Scheduler reported an error', 'platform', 'scheduling', 'warning', 'cascade', 300,
		'\b(?:slurmstepd|slurmd|slurmctld|srun|sbatch|salloc)(?:-[\w.-]{1,60})?: (?:error|fatal): (?!\*\*\*|\S{1,80}: tasks? '
		'\d)',
		'A daemon or command of Slurm could not do something; lines beside it mostly say more.',
		'Read the lines around it, and the log of slurmd on the node that is named.', 'follow', true),
	('flux_exception', 'Flux ended the job', 'platform', 'scheduling', 'error', 'root', 200,
		'job\.exception[^\n]{0,20} type=|Fatal exception type=\w+|exception type=(?:exec|node-failure|alloc|depend\w*'
		'|validate|prolog|epilog|start)\b|flux-(?:shell|job|broker|run|submit)\S{0,12}: (?:FATAL|ERROR|fatal|task\(s\) '
		'(?:[Ee]xited|[Tt]erminated)|job shell[^\n]{0,40}(?:[Kk]illed|[Ee]xited))|rexec_bg\(\)|lost contact '
		'with[^\n]{0,40}(?:rank|shell|broker)|\bshell-barrier\b[^\n]{0,60}(?:fail|timeout|terminated)',
		'A shell or broker ended, a prolog failed, or the request could not be met; the type in the line says which.',
		'flux job eventlog tells the first exception and its node; look there.', 'follow', true),
	('mpi_daemon_lost', 'MPI lost a node', 'hardware', 'node', 'error', 'root', 100,
		'(?:ORTE|PRTE|Open MPI|prterun|mpirun|mpiexec)[^\n]{0,20} (?:has lost|lost communication)|(?:ORTE|PRTE) daemon has '
		'unexpectedly failed|lost communication with a remote daemon',
		'The daemon that MPI keeps on a host stopped answering: the host or its network is gone.',
		'Check that the named host is up; treat it as lost, and start again without it.', 'repair', true),
	('mpi_launch_failed', 'MPI could not start ranks on a host', 'platform', 'scheduling', 'error', 'root', 100,
		'(?:ORTE|PRTE|Open MPI|prterun|mpirun|mpiexec)[^\n]{0,20} (?:was unable to (?:reliably )?(?:start|launch)|does not '
		'know)|was unable to reliably start one or more daemons|\b(?:orted|prted|hydra_pmi_proxy'
		'|hydra_bstrap_proxy)\b[^\n]{0,60}(?:not found|No such file|failed|lost|died|aborted|cannot|command not '
		'found)|bstrap[^\n]{0,40}(?:error|failed)|An (?:ORTE|PRTE) daemon[^\n]{0,40}failed|unable to launch[^\n]{0,40}proxy',
		'The daemon that starts ranks on a host did not start: name, ssh, installation, or the node itself.',
		'Start something by hand on the named host by the same way; check that it answers and has the same MPI.', NULL, true),
	('mpi_slots', 'More ranks than places for them', 'user', 'configuration', 'error', 'root', 100,
		'not enough slots available|All nodes which are allocated for this job are already filled|(?i:\bmore processes '
		'(?:than|to)\b[^\n]{0,60}\b(?:slots|cpus|cores|ranks))|Your job failed to map|no allocated resources for the '
		'application|found no available cpus|require binding\s{1,3}processes to more cpus|--oversubscribe|no hosts in (?:the '
		')?(?:list|map)|didn''t find any hosts in',
		'The host list or the allocation has fewer slots or cores than ranks were asked for.',
		'Correct slots in the host file, -np or the allocation; binding options must fit the cores given.', 'fix_job', true),
	('ssh_failed', 'ssh to a host failed', 'platform', 'network_settings', 'error', 'root', 100,
		'ssh: connect to host|ssh: [Cc]ould not resolve|Host key verification failed|Permission denied '
		'\(publickey|kex_exchange_identification|ssh_exchange_identification|REMOTE HOST IDENTIFICATION HAS '
		'CHANGED|Connection (?:closed|reset) by \S{1,60} port 22\b|ssh exited with exit code (?:255|[1-9])|not '
		'reachable via ssh|No '
		'(?:ED25519|RSA|ECDSA) host key is known|Too many authentication failures|Authentication refused: bad '
		'ownership|Permissions \d+ for ''[^''\n]{1,80}'' are too open|plm_(?:rsh|ssh)_agent|Load key "[^"\n]{1,80}": |Bad '
		'owner or permissions on',
		'The host is down or runs no ssh server on that port, or key, known_hosts or user are not right there.',
		'Run the same ssh by hand from the first node: a timeout is the host or the network, a refusal the key.', NULL, true),
	('nvidia_container_failed', 'Container gets no GPU on this node', 'platform', 'resource_management', 'error', 'root', 100,
		'nvidia-container-cli\S{0,6}: [^\n]{0,120}(?:error|fail|mismatch|not found|cannot|could '
		'not)|nvidia-container-runtime[^\n]{0,80}(?:error|failed|could not)|could not select device driver|unknown or invalid '
		'runtime name|unresolvable CDI devices|failed to inject CDI|(?:libnvidia-container|nvidia-ctk)[^\n]{0,80}(?:error'
		'|fail)|Could not find any nv (?:files|libraries)|nvidia-persistenced[^\n]{0,40}(?:[Ff]ailed|no such file)|Failed to '
		'initialize NVML: Unknown Error',
		'Driver, device files or the container toolkit on the host are missing or broken, or the image asks for a newer '
		'driver.',
		'Run nvidia-smi on the host: if it fails, mend the driver; else reinstall or reconfigure the container toolkit. '
		'"unsatisfied condition: cuda>=" means another image or a newer driver.', NULL, true),
	('container_start_failed', 'Container did not start', 'platform', 'resource_management', 'error', 'root', 100,
		'error: pyxis: |pyxis: (?:couldn''t (?:start|execute|join|chdir|get|mkdir)|container (?:start|exited|was '
		'not)|failed|child \d+ (?:failed|terminated)|a previous task|could not add mount|error: |--container-\w+: '
		'(?:source|invalid|cannot))|OCI runtime (?:create|exec|start) failed|failed to create (?:shim|containerd) '
		'task|\[ERROR\] [^\n]{0,60}enroot|enroot[^\n]{0,60}\[ERROR\]|(?:runc|crun|youki|containerd-shim\S{0,12})(?: \w+)? '
		'(?:create|run|exec) failed|error during container init|failed to start (?:the )?container|[Ee]rror response from '
		'daemon: (?!.{0,60}(?:pull|manifest|denied))|Cannot connect to the Docker daemon|FATAL:\s{1,4}[^\n]{0,30}container '
		'(?:creation|cleanup|process)|container_linux\.go:\d+|FATAL:\s{1,4}[^\n]{0,40}(?:mount|bind|overlay|namespace'
		'|fakeroot|squashfuse)|rpc error: code = \w{1,20} desc = [^\n]{0,60}(?:container|sandbox|runtime|shim)|transport is '
		'closing[^\n]{0,40}containerd|containerd\.sock[^\n]{0,60}(?:refused|no such file)|failed to reserve container '
		'name|CreateContainerError\b|RunContainerError|StartError\b|no space left on device: unknown|\bnsenter: '
		'[^\n]{0,60}(?:fail|cannot|No such)',
		'Image, mounts, name spaces or hooks of the container failed on this node.',
		'Start the same image by hand there; compare with a healthy node.', NULL, true),
	('container_image_failed', 'Image of the container could not be fetched or read',
		'user', 'misoperation', 'error', 'root', 100,
		'pyxis: (?:failed to (?:import|create container filesystem)|importer \S+ (?:failed|terminated))|(?:\[ERROR\]'
		'|enroot)[^\n]{0,40}(?:Could not process JSON|URL \S{1,200} returned error code|No such file or directory: '
		'\S{1,200}\.sqsh|Invalid image (?:format|reference)|Checksum validation failed|Could not (?:retrieve digest|parse '
		'(?:digest|auth)\w*))|FATAL:\s{1,4}(?:[Cc]ould not open image|[Uu]nable to (?:build|pull|handle|open|check)|[Ww]hile '
		'(?:pulling|making|performing|checking|extracting|loading)|[Ff]ailed to open image|Image file already exists|image '
		'(?:type|format))|FATAL ERROR: ?(?:Failed to|Can''t find a valid SQUASHFS)|unsquashfs[^\n]{0,60}(?:failed|error)|no '
		'SIF|not a (?:valid )?SIF',
		'Name, rights or the registry''s limit of pulls; or the image file is cut short or missing on the shared file system.',
		'Fetch the image by hand once, and keep it as a file that all nodes read; log in to the registry.', 'fix_job', true),
	('entrypoint_failed', 'Command of the container does not exist or may not run',
		'user', 'misoperation', 'error', 'root', 100,
		'exec: "[^"\n]{1,200}": (?:executable file not found|stat [^\n]{1,120}|permission denied|is a directory)|executable '
		'file not found in \$PATH|ContainerCannotRun|\bexec \S{1,120}: (?:no such file or directory|permission '
		'denied)|starting container process caused|: command not found\b|standard_init_linux\.go',
		'The command is misspelt, not in this image, or not marked as executable.',
		'Start a shell in the image and look for it; correct command or image.', 'fix_job', true),
	('k8s_unschedulable', 'Pod finds no node', 'platform', 'resource_management', 'error', 'root', 100,
		'\d/\d+ nodes are available:|FailedScheduling|pod didn''t trigger scale-up|NotTriggerScaleUp|FailedScaleUp'
		'|(?i:\btasks? in gang unschedulable)|Not enough valid (?:pods|tasks|subGroups)|(?i:\bpod ?group\b[^\n]{0,60}\b(?:not '
		'ready|unschedulable))|untolerated taint|Insufficient (?:nvidia|amd|google|rdma|huawei|habana|aws)\S{0,4}[./]\S',
		'Not enough free accelerators, or taints and affinity exclude the nodes.',
		'Free or add nodes; check device plugin and taints.', 'wait', true),
	('k8s_quota', 'Quota of the project does not allow it', 'user', 'configuration', 'error', 'root', 100,
		'exceeded quota: |insufficient (?:unused )?quota|couldn''t assign flavors|forbidden: (?:exceeded|maximum|failed '
		'quota)|Quota ''[^''\n]{1,80}'' exceeded|(?:VCPU|vCPU|Gpu|GPU|instance) (?:quota|limit) (?:exceeded|of '
		'\d+)|VcpuLimitExceeded|GPUS_ALL_REGIONS|QuotaExceeded[^\n]{0,40}(?:cores|cpu|gpu|vm)|must specify (?:limits|requests)',
		'The name space or project has used up the accelerators, processors or pods it may have.',
		'kubectl describe quota; end old jobs, ask for less, or have it raised.', 'fix_job', true),
	('cloud_capacity', 'Cloud has no such machine free', 'platform', 'scheduling', 'error', 'root', 100,
		'ZONE_RESOURCE_POOL_EXHAUSTED|InsufficientInstanceCapacity|InsufficientReservedInstanceCapacity|SkuNotAvailable'
		'|\bAllocationFailed\b|OverconstrainedAllocation|OverconstrainedZonal|STOCKOUT|ReservationCapacityExceeded'
		'|VM_MIN_COUNT_NOT_REACHED|(?i:\bout of (?:host )?capacity\b)|does not have enough resources available to fulfill',
		'The zone has no free machine of that kind.',
		'Try another zone or time, or a reservation.', 'wait', true),
	('k8s_admission_failed', 'Node refused the pod', 'platform', 'resource_management', 'error', 'root', 100,
		'UnexpectedAdmissionError|TopologyAffinityError|Resources cannot be allocated with Topology '
		'locality|OutOf(?:cpu|memory|pods|ephemeral-storage|nvidia|amd)|Node didn''t have enough '
		'(?:resource|capacity)|Allocate failed due to|Pod was rejected: |Predicate \w{1,40} '
		'failed|\bNodeAffinity\b[^\n]{0,40}failed|Pod cannot be admitted|failed calling webhook|admission webhook '
		'"[^"\n]{1,100}" denied',
		'Between scheduling and start the node had fewer free devices or cores than the scheduler believed: device plugin '
		'restarted, a pod before still ends, NUMA rules, or a policy says no.',
		'Delete the pod so that it is placed again; if it is always that node, restart its device plugin and kubelet.',
		'restart_job', true),
	('k8s_gpu_unhealthy', 'Device plugin finds an accelerator unhealthy', 'hardware', 'accelerator', 'critical', 'root', 200,
		'XidCriticalError|device will go unhealthy|(?i:\b(?:mark(?:ed|ing)?|becom\w+|went|is now|reported|found) (?:the '
		')?(?:device |gpu |as )*\S{0,60} ?(?:as )?unhealthy\b)|no healthy devices present|cannot allocate unhealthy '
		'devices|(?i:\bdevice[- ]plugin\b[^\n]{0,80}\b(?:unhealthy|no devices found|failed to initialize nvml))|\bUnhealthy '
		'devices?\b',
		'The plugin saw a fatal error of the device and offers it no more.',
		'Read the Xid or driver message in the kernel log of the node, cordon it, and reset or replace the device.',
		'reset_device', true),
	('k8s_device_plugin', 'Device plugin does not work', 'platform', 'resource_management', 'error', 'root', 200,
		'(?i:\bdevice[- ]?plugin\b[^\n]{0,80}\b(?:failed|error|exited|cannot|could not|not registered|timed '
		'out|crash\w*|connection refused)\b)|Incompatible (?:strategy|platform) detected|could not load NVML library|endpoint '
		'not found in cache for a registered resource|no GPU(?:s)? (?:resource )?(?:registered|advertised)'
		'|gpu-operator-validator[^\n]{0,60}(?:fail|error|waiting)|nvidia-driver-daemonset[^\n]{0,60}(?:fail|error|crash)',
		'The pod that offers the accelerators to Kubernetes does not run or finds no driver on the node.',
		'Look at its log and at nvidia-smi on the node; restart it after the driver works.', NULL, true),
	('k8s_oomkilled', 'Container killed for memory', 'user', 'configuration', 'error', 'root', 100,
		'\bOOMKilled\b|OOMKilling|System OOM encountered|reason: SystemOOM',
		'The memory limit of the container is reached.',
		'Raise the limit, or use less host memory.', 'fix_job', true),
	('k8s_evicted', 'Pod evicted', 'platform', 'resource_management', 'error', 'root', 100,
		'\bEvicted\b(?! from)|The node (?:was|is) low on resource|DisruptionTarget|PreemptionByScheduler|The node had '
		'condition: |eviction manager[^\n]{0,60}(?:evict|must|attempting)|TaintManagerEviction|Marking for deletion '
		'Pod|EvictionThresholdMet|(?i:\bevict(?:ing|ed) (?:\d+ )?pods?\b)|workers are '
		'evicted|DeletionByTaintManager|EvictionByEvictionAPI',
		'The node or scheduler removed the pod for disk, memory, priority, or a taint.',
		'The event says for which reason. Keep logs and caches off the root disk; set requests and priority; a tainted node '
		'needs its operators.', 'restart_job', true),
	('k8s_storage_limit', 'Pod wrote more than it may to local disk', 'user', 'configuration', 'error', 'root', 100,
		'ephemeral local storage usage exceeds|Usage of EmptyDir volume|exceeded its local ephemeral storage limit|exceeds '
		'the total limit of containers|exceed\w* (?:its )?ephemeral[- ]storage',
		'Checkpoints, caches or logs went to the container''s own disk or to an emptyDir with a limit.',
		'Write them to a volume, or raise the limit of ephemeral storage.', 'fix_job', true),
	('k8s_node_pressure', 'Node short of disk, memory or processes', 'platform', 'resource_management', 'warning', 'root', 100,
		'NodeHas(?:DiskPressure|InsufficientMemory|InsufficientPID|MemoryPressure)|ImageGCFailed|FreeDiskSpaceFailed'
		'|ContainerGCFailed|node\.kubernetes\.io/(?:disk|memory|pid)-pressure|(?:Disk|Memory|PID)Pressure=True|(?:Disk|Memory'
		'|PID)Pressure\s{1,12}True\b|failed to garbage collect required amount of images',
		'Images, logs or pods have filled the node; pods will be evicted.',
		'Free disk or memory on it, cordon it meanwhile.', NULL, true),
	('k8s_kubelet_unhealthy', 'Kubelet or container runtime of a node is ill', 'hardware', 'node', 'error', 'root', 200,
		'PLEG is not healthy|container runtime is down|KubeletNotReady|runtime network not ready|skipping pod '
		'synchronization|[Ee]rror updating node status|[Ff]ailed to update (?:node )?lease|node not '
		'found[^\n]{0,20}kubelet|Failed to (?:start|initialize) ContainerManager|failed to run Kubelet|use of closed network '
		'connection[^\n]{0,60}kubelet',
		'The node is overloaded, its disk or container runtime hangs, or it does not reach the control plane.',
		'Look at containerd and disk on the node; restart the runtime, then the kubelet; cordon the node if it stays.',
		NULL, true),
	('k8s_mount_failed', 'Volume not mounted', 'platform', 'resource_management', 'error', 'root', 100,
		'FailedMount|MountVolume\.\w+ failed|Unable to attach or mount volumes|FailedAttachVolume|Multi-Attach '
		'error|AttachVolume\.Attach failed|FailedMapVolume|Node(?:Stage|Publish)Volume[^\n]{0,80}(?:fail|error)'
		'|NodeExpandVolume failed|ProvisioningFailed|ExternalProvisioning[^\n]{0,40}fail|not found in the list of registered '
		'CSI drivers|unbound immediate PersistentVolumeClaims|volume[^\n]{0,60}(?:already exclusively attached|is already '
		'used by pod)',
		'Storage cannot be reached from that node, or the claim is wrong.',
		'Check storage driver and claim there; place the pod elsewhere.', NULL, true),
	('k8s_config_missing', 'Pod refers to something that does not exist', 'user', 'configuration', 'error', 'root', 100,
		'CreateContainerConfigError|(?:configmaps?|secrets?|serviceaccounts?|persistentvolumeclaims?|priorityclass'
		'|storageclass\S{0,16}|runtimeclass\S{0,16})[ :]{1,2}"[^"\n]{1,120}" not found|couldn''t find key \S{1,80} in|(?:no '
		'kind|no matches for kind) "[^"\n]{1,60}"|error validating data|unknown field "[^"\n]{1,80}"|strict decoding error|is '
		'invalid: (?:spec|metadata)\.|InvalidEnvironmentVariableNames',
		'A ConfigMap, Secret, claim or field of the job''s definition is missing or misspelt.',
		'Create it in the same name space, or correct the definition.', 'fix_job', true),
	('k8s_image_pull', 'Image could not be pulled', 'user', 'misoperation', 'error', 'root', 100,
		'ImagePullBackOff|ErrImagePull|Failed to pull image|InvalidImageName|ErrImageNeverPull|ImageInspectError'
		'|RegistryUnavailable|manifest (?:unknown|for \S{1,160} not found)|pull access '
		'denied|\btoomanyrequests\b|unauthorized: authentication required|no basic auth credentials|failed to (?:pull and '
		'unpack|resolve reference)|no matching manifest for|requested access to the resource is denied|repository does not '
		'exist or may require|Back-off pulling image|short-name resolution',
		'Name of the image or credentials of the registry are wrong, or the registry is not reachable.',
		'Correct image or secret.', 'fix_job', true),
	('k8s_network_failed', 'Pod gets no network', 'platform', 'network_settings', 'error', 'root', 100,
		'FailedCreatePodSandBox|[Ff]ailed to (?:create|start) (?:pod )?sandbox|failed to (?:set ?up|delegate|find|tear '
		'?down)[^\n]{0,60}(?:network|CNI|cni|plugin)|NetworkPlugin cni|network plugin is not ready|cni (?:config|plugin) '
		'(?:is )?(?:uninitialized|not initialized)|plugin type="[^"\n]{1,60}"[^\n]{0,40}(?:failed|error)|failed to '
		'(?:assign|allocate) (?:an )?IP|no (?:available|more) IP|failed to allocate for '
		'range|NetworkNotReady|SR-IOV[^\n]{0,60}(?:fail|error)|failed to (?:rename|move) [^\n]{0,40}(?:netns|VF|interface)',
		'The network plugin of the node is not running, has no addresses left, or its RDMA device is used up.',
		'Look at the plugin''s pod on that node; free leaked addresses, restart it, or place the pod elsewhere.', NULL, true),
	('k8s_probe_failed', 'Pod does not answer its probe', 'user', 'configuration', 'warning', 'root', 200,
		'(?:Liveness|Readiness|Startup) probe (?:failed|errored)|failed (?:liveness|startup|readiness) probe|probe failed: '
		'(?:HTTP|dial|Get|command)',
		'The program was busy or not ready for longer than the probe allows; a liveness probe then kills it.',
		'Give training pods no liveness probe, or much longer limits; read the log of the pod before the restart.',
		'fix_job', true),
	('k8s_container_restarting', 'Container keeps failing', 'platform', 'scheduling', 'warning', 'cascade', 100,
		'CrashLoopBackOff|[Bb]ack-?off restarting failed|\bBackOff\b[^\n]{0,40}restart|restarted too (?:many times|frequently)',
		'The container ends again and again.',
		'Read the log of its previous run (kubectl logs --previous).', 'follow', true),
	('k8s_api_unreachable', 'Kubernetes control plane does not answer', 'platform', 'scheduling', 'error', 'root', 100,
		'etcdserver: |leader election lost|failed to renew lease|Unable to connect to the server|did you specify the right '
		'host or port|the server (?:was unable to return|is currently unable to handle|has received too many requests)|error '
		'dialing backend|unable to upgrade connection|http2: client connection lost|TLS handshake timeout|[Ff]ailed to '
		'(?:list|watch) \*v1\.|client rate limiter Wait returned an error|apiserver not ready',
		'The API server or its store is overloaded, restarts, or cannot be reached from here.',
		'Look at API server and etcd; running pods go on, so restart only what failed.', 'wait', true),
	('train_job_failed', 'Operator marks the job failed', 'platform', 'scheduling', 'info', 'cascade', 300,
		'(?:TFJob|PyTorchJob|MPIJob|TrainJob|JobSet|RayJob|XGBoostJob|PaddleJob|MXJob|RayCluster|LeaderWorkerSet|AppWrapper'
		'|vcjob) \S{1,120} (?:has failed|is failing|failed|is restarting|is in Failed|aborted)|BackoffLimitExceeded|reached '
		'the specified backoff limit|\bFailedJobs?\b|PodFailurePolicy|(?:PyTorchJob|MPIJob|TFJob|TrainJob|JobSet'
		'|RayJob)Failed\b|jobset failed due to|Replica\w* [^\n]{0,40}is in FAILED|\bJobAborted\b',
		'A replica failed, or its node was taken away, and the job may not restart it.',
		'Look at that replica; set restart policy and back-off limit.', 'follow', true);
