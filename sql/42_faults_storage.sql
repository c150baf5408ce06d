/*
 * Built-in faults of file systems, disks, object stores, data sets and checkpoints; what the columns mean: 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, builtin)
VALUES
	('raid_failure', 'Disk or RAID failed', 'hardware', 'node', 'critical', 'root', 100,
		'md/raid\S*: Disk failure on|nvme\S*: I/O [^\n]{0,80}timeout, reset controller|Disabling device after reset '
		'failure|Buffer I/O error on dev|I/O error, dev \S+, sector|critical medium error',
		'A local disk is broken.',
		'Take the node out and replace the disk.', true),
	('fs_readonly', 'File system became read-only', 'hardware', 'node', 'critical', 'root', 100,
		'Remounting filesystem read-only|Read-only file system|\[Errno 30\]|(?i:mounted read[- ]only)',
		'The kernel made the file system read-only after disk errors, or it was mounted so.',
		'Check disk and kernel log of this node and repair or exchange the disk; correct the mount if it was on purpose.',
		true),
	('fs_corrupt', 'File system damaged', 'hardware', 'storage', 'critical', 'root', 100,
		'EXT4-fs error|XFS [^\n]{0,80}(?:metadata I/O error|Corruption)|Structure needs cleaning|BTRFS[^\n]{0,40}: error',
		'The structures of a file system on disk are broken.',
		'Unmount and check it; restore from a copy.', true),
	('nfs_not_responding', 'NFS server does not answer', 'hardware', 'storage', 'error', 'root', 100,
		'nfs: server \S+ not responding',
		'The file server is overloaded or cannot be reached.',
		'Check the server and the way to it; hold checkpoints back until then.', true),
	('lustre_error', 'Lustre client error', 'hardware', 'storage', 'error', 'root', 100,
		'LustreError: ',
		'A storage target, or the way to it, failed.',
		'Check the state of the targets and the network of the file system; go on after its recovery.', true),
	('parallel_fs_error', 'Parallel file system client lost its servers', 'hardware', 'storage', 'error', 'root', 100,
		'(?i)\b(?:mmfs|GPFS)[^\n]{0,140}(?:expelled|lost membership|unmount|panic)|\bceph\b[^\n]{0,80}(?:hung|session '
		'lost|blocklisted|evicted)|\b(?:beegfs|juicefs|weka\w*)\b[^\n]{0,80}(?:error|timeout|timed out|unreachable)',
		'The client was thrown out or cannot reach the servers of the file system.',
		'Check network and state of the client on this node, mount again.', true),
	('mount_lost', 'File system not mounted', 'platform', 'storage_mount', 'error', 'root', 100,
		'(?i)\bis not a mount ?point|Transport endpoint is not connected|mount ?point[^\n]{0,60}(?:lost|gone|missing|not '
		'mounted|disappeared)|\b(?:is|was) (?:not|un)[ ]?mounted\b|\bunmounted unexpectedly',
		'A shared or local directory is not mounted on this node any more, so paths below it are missing or empty.',
		'Mount it again, find out who removed it, and keep the node out until it is there.', true),
	('mount_failed', 'Mount failed', 'platform', 'storage_mount', 'error', 'root', 200,
		'\bmount(?:\.\w{1,12})?: [^\n]{0,160}(?:failed|error|denied|timed out|not found)|mount error\(\d+\)',
		'A file system could not be mounted on the node.',
		'Check server, export and rights, then the job can start again there.', true),
	('enospc', 'No space left', 'user', 'misoperation', 'error', 'root', 100,
		'No space left on device|ENOSPC|Disk quota exceeded|\[Errno 28\]|\[Errno 122\]',
		'Disk, quota, inodes or one storage target is full.',
		'Remove old checkpoints and logs, raise the quota, or spread files over more targets.', true),
	('disk_nearly_full', 'File system nearly full', 'platform', 'resource_management', 'warning', 'root', 100,
		'(?i)(?:disk|filesystem|file system|volume|partition)[^\n]{0,80}(?:usage|used|full)[^\n]{0,40}(?:above|over|exceed\w*'
		'|critical|threshold)|(?:low|running out of) disk space',
		'Writes, checkpoints first, will soon fail on this node.',
		'Free space or move checkpoints elsewhere.', true),
	('estale', 'Stale file handle', 'hardware', 'storage', 'error', 'root', 100,
		'Stale (?:NFS )?file handle|\[Errno 116\]|ESTALE',
		'A file or export changed on the server while this node had it open.',
		'Mount again, and do not delete files that other ranks still read.', true),
	('eio', 'Input/output error', 'hardware', 'storage', 'error', 'root', 200,
		'\[Errno 5\]|: Input/output error|\bEIO\b',
		'Storage could not read or write.',
		'Check mount and storage; move the job to another node.', true),
	('ebusy_nfs', 'File busy on a network file system', 'hardware', 'storage', 'warning', 'root', 100,
		'Device or resource busy: [^\n]{0,200}\.nfs|\[Errno 16\] Device or resource busy',
		'A file was removed while a process had it open.',
		'Remove it later; keep temporary directories on local disk.', true),
	('s3_slowdown', 'Object store throttles', 'hardware', 'storage', 'warning', 'root', 100,
		'\(SlowDown\)|Please reduce your request rate|ServiceUnavailable\) when calling|(?i:HTTP Error '
		'503)|\b(?:503|429)\b[^\n]{0,20}(?:Slow ?Down|Too Many Requests|Service Unavailable)',
		'The store gets more requests than it takes. Harmless while retries succeed.',
		'Use fewer writers, more prefixes and longer pauses between retries.', true),
	('object_store_5xx', 'Object store failed', 'hardware', 'storage', 'error', 'root', 100,
		'(?i:HTTP (?:Error|status(?: code)?|response)[ :=]{0,3}50[0-24-9])|\b50[024] (?:Internal Server Error|Bad '
		'Gateway|Gateway Time-?out)|\((?:InternalError|500|502|504)\)|\bInternalError\b[^\n]{0,80}(?:bucket|object|attempt'
		'|retry|internal error)',
		'The store answers with an error of its own.',
		'Check the state of the store; keep checkpoints on local disk meanwhile.', true),
	('transfer_retries_exhausted', 'Transfer failed after all retries', 'hardware', 'storage', 'error', 'cascade', 200,
		'(?i)\b(?:uploads?|downloads?|writ\w{1,3}|reads?|put|get|request|transfer|save|copy|push|pull)\b[^\n]{0,160}\bfailed '
		'after \d+ (?:retries|retry|attempts?|tries)|reached max retries|Max retries exceeded|\bgiving up after \d+',
		'Storage or a remote service stayed away longer than the retries lasted.',
		'Repair the service; save to local disk first and copy later, so that training does not end with it.', true),
	('s3_access_denied', 'Object store refuses access', 'user', 'misoperation', 'error', 'root', 100,
		'\((?:AccessDenied|InvalidAccessKeyId|ExpiredToken|SignatureDoesNotMatch|403)\)|\bAccess ?Denied\b|HTTP Error 40[13]',
		'A right is missing or the credentials ran out.',
		'Grant the right; renew tokens before long jobs.', true),
	('ckpt_corrupt', 'Checkpoint file damaged', 'hardware', 'storage', 'error', 'root', 100,
		'PytorchStreamReader failed|unexpected EOF, expected \d+ more bytes|invalid header or archive is corrupted|failed '
		'finding central directory|(?i:checkpoint[^\n]{0,80}(?:corrupt|truncated|incomplete|checksum '
		'mismatch))|SafetensorError|HeaderTooLarge',
		'The file was cut short by a crash or a full disk, or is still being written.',
		'Go back to the checkpoint before; write under another name and rename at the end.', true),
	('ckpt_write_failed', 'Checkpoint could not be written', 'hardware', 'storage', 'error', 'root', 200,
		'PytorchStreamWriter failed writing|unexpected pos \d+ vs \d+|File \S+ cannot be opened|(?i:(?:failed|unable|could '
		'not|cannot) to? ?(?:save|write|store|commit) [^\n]{0,60}(?:checkpoint|snapshot|state))|Parent directory \S+ does not '
		'exist',
		'The place for checkpoints is full, read-only, gone or may not be written.',
		'Check space, mount and rights there on the node of this rank.', true),
	('ckpt_load_failed', 'Checkpoint could not be loaded', 'user', 'misoperation', 'error', 'root', 200,
		'[Ff]ailed to load (?:the )?checkpoint|CheckpointException|could not find the metadata file|Unable to load '
		'(?:rng|optimizer|model) state|Attempting to load checkpoint but [^\n]{0,80} not found|(?i:no (?:valid )?checkpoint '
		'(?:was )?found)|(?i:cannot load checkpoint)',
		'The path is wrong, the parallel layout differs from that of the save, or storage failed.',
		'Check the path and the marker of the last checkpoint on all nodes; compare the parallel sizes.', true),
	('shard_missing', 'Shard or index file missing', 'user', 'misoperation', 'error', 'root', 200,
		'(?i)\b(?:missing|cannot find|could not find|not found)\b[^\n]{0,60}\b(?:shards?|index file|dataset|data '
		'file|checkpoint)\b|\b(?:shards?|index file|dataset|data file|checkpoint)\b[^\n]{0,120}\b(?:is missing|not found|does '
		'not exist|do not exist|not exist)\b|(?:FileNotFoundError|No such file)[^\n]{0,200}(?:shard|\.idx\b|\.bin\b|\.tar\b'
		'|\.parquet\b|\.arrow\b|\.safetensors\b|\.pt\b|\.npz\b|ckpt|checkpoint)',
		'A file of the data set or of the checkpoint is not on this node: not copied, deleted, or its file system is not '
		'mounted.',
		'Compare the directory with that of a healthy node and copy what is missing.', true);
