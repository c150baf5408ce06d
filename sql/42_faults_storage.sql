/*
 * Built-in faults of file systems, disks, object stores, data sets and checkpoints; what the columns mean:
 * 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, recovery, builtin)
VALUES
	('raid_failure', 'Disk array failed or lost a member', 'hardware', 'node', 'critical', 'root', 100,
		'md/raid\S*: Disk failure on|md/raid[^\n]{0,60}(?:not enough operational|cannot (?:start|continue)|Operation '
		'continuing on)|\bmdadm\b[^\n]{0,60}(?:Fail|Degraded)\w* ?event|(?:DegradedArray|FailSpare) event|\bFail event '
		'(?:detected )?on (?:md device )?/dev/md|\bmegaraid_sas\b[^\n]{0,80}(?:[Ff]ailed|FATAL|crit '
		'error|OCR)|(?i:\b(?:virtual|logical) drive\b[^\n]{0,40}\b(?:degraded|offline|failed))'
		'|\bzpool\b[^\n]{0,60}(?:DEGRADED|FAULTED|SUSPENDED)|(?i:\bpool ''[^''\n]{1,60}'' (?:has encountered|is suspended))',
		'A disk of the array is broken; with a striped array all data on it is gone.',
		'Take the node out and replace the disk, then rebuild the array.', 'replace', true),
	('nvme_failed', 'NVMe disk stopped answering', 'hardware', 'node', 'critical', 'root', 100,
		'nvme nvme\d+: (?:I/O [^\n]{0,80}timeout|controller is down; will reset|Device not ready; aborting|Removing after '
		'probe failure|Disabling device after reset failure|[^\n]{0,40}timeout, (?:aborting|reset controller|disable '
		'controller|completion polled)|failed nvme_\w+|Abort status: 0x|Device shutdown incomplete|Identify '
		'[^\n]{0,40}failed|Unable to change power state)|no available path - failing '
		'I/O|(?i:\bnvme\d?\w*\b[^\n]{0,40}\b(?:critical[_ ]warning\W{0,3}(?:0x)?0?[1-9]|device (?:lost|disappeared|not '
		'found)|media (?:and data integrity )?errors?\W{1,3}[1-9]))',
		'The disk or its PCIe link failed; everything on it hangs or returns errors.',
		'Take the node out; power-cycle once, update the disk''s firmware, replace the disk when it returns.', 'replace', true),
	('disk_io_error', 'Disk cannot read or write', 'hardware', 'node', 'critical', 'root', 100,
		'I/O error, dev \S+, sector|I/O Error \(sct 0x|\bI/O Cmd\(0x[0-9a-f]+\) @ LBA [^\n]{0,60}[Ee]rror|Buffer I/O error on '
		'dev|critical (?:medium|target|nexus|space allocation) error|blk_update_request: |print_req_error: |rejecting I/O to '
		'offline device|attempt to access beyond end of device|lost (?:async |sync )?page write|I/O error while writing '
		'superblock|Sense Key : (?:Hardware|Medium|Not Ready|Aborted)|\bUnrecovered read error|\bata\d+(?:\.\d+)?: '
		'(?:exception Emask|failed command|hard resetting link|SError|link is slow to respond|disabled|COMRESET '
		'failed)|FAILED Result: hostbyte=|Device offlined|\[sd\w{1,4}\][^\n]{0,40}(?:UNKNOWN|Medium access '
		'timeout|Synchronize Cache\(10\) failed)|\b[1-9]\d* (?:Currently unreadable|Offline uncorrectable)|SMART '
		'(?:Failure|overall-health[^\n]{0,60}FAILED|Prefailure)|(?i:\bpredictive failure\b[^\n]{0,40}\b(?:disk|drive))'
		'|(?i:\b(?:disk|drive)\b[^\n]{0,40}\bpredictive failure)|device-mapper: [^\n]{0,60}(?:[Ff]ailing path|I/O '
		'error|read-only)',
		'A local disk or its cable is broken.',
		'Take the node out, save what is needed from it, and replace the disk.', 'replace', true),
	('fs_readonly', 'File system became read-only', 'hardware', 'node', 'critical', 'root', 100,
		'Remounting filesystem read-only|Remounting (?:fs|file system) read-only|Aborting journal on device|(?i:\bfile '
		'?system\b[^\n]{0,60}\b(?:forced|became|went|turned|is now|switched to) (?:mounted )?read[- ]only)',
		'The kernel made the file system read-only after errors of its disk.',
		'Check disk and kernel log of this node, and repair or exchange the disk.', NULL, true),
	('readonly_path', 'Path may not be written (read-only)', 'platform', 'storage_mount', 'error', 'root', 200,
		'Read-only file system|\[Errno 30\]|\bEROFS\b|(?i:mounted read[- ]only)',
		'The directory is mounted read-only: a container image, a volume or bind mount without write access, a home or data '
		'export. More seldom the kernel took write access away after a disk error.',
		'Write to another place or mount the volume writable; if it worked before on this node, look for "Remounting '
		'filesystem read-only" in its kernel log.', NULL, true),
	('fs_corrupt', 'File system damaged', 'hardware', 'storage', 'critical', 'root', 100,
		'EXT4-fs error|EXT4-fs \([^)\n]{1,40}\): (?:[^\n]{0,40}(?:\berror(?:s? (?:in|count|while|\())|corrupt|unreadable)'
		'|previous I/O error to superblock|failed to)|JBD2: [^\n]{0,60}error|XFS [^\n]{0,80}(?:metadata I/O '
		'error|Corruption|Metadata corruption|Metadata CRC error|Internal error|log I/O error|Shutting down '
		'filesystem|Filesystem has been shut down|Unmount and run xfs_repair|[^\n]{0,20}unmount the filesystem and '
		'rectify|xfs_do_force_shutdown)|Structure needs cleaning|\[Errno 117\]|BTRFS[^\n]{0,40}: (?:error|critical)|SQUASHFS '
		'error|\[Errno 74\]|Bad message$|ZFS[^\n]{0,60}(?:checksum|uncorrectable)',
		'The structures of a file system on disk are broken, or it shut itself down to save them.',
		'Unmount and check it (fsck, xfs_repair), read the disk''s errors first; restore from a copy.', NULL, true),
	('nfs_not_responding', 'NFS server does not answer', 'hardware', 'storage', 'error', 'root', 100,
		'nfs: server \S+ (?:not responding|timed out|is not responding)|RPC: [^\n]{0,60}server \S+ (?:not '
		'responding|requires)|lockd: server \S+ not responding|(?i:\bNFS\b[^\n]{0,60}\b(?:server|mount'
		'|export)\b[^\n]{0,40}\b(?:unreachable|not responding|timed out|hung))',
		'The file server is overloaded or cannot be reached.',
		'Check the server and the way to it; hold checkpoints back until then.', 'wait', true),
	('nfs_locks', 'File locks of a network file system fail', 'hardware', 'storage', 'error', 'root', 100,
		'No locks available|\[Errno 37\]|Lock reclaim failed|lockd: cannot monitor|NFS: [^\n]{0,60}state '
		'manager[^\n]{0,60}failed|(?i:unable to (?:lock|open) file[^\n]{0,60}(?:lock|unavailable))|HDF5[^\n]{0,80}unable to '
		'lock file',
		'The lock service of the file server is not running or not reachable, or the mount has no locks.',
		'Mount with local locks or repair rpc.statd and lockd; keep caches and HDF5 files on local disk '
		'(HDF5_USE_FILE_LOCKING=FALSE for reading).', NULL, true),
	('lustre_evicted', 'Lustre threw this client out', 'hardware', 'storage', 'error', 'root', 100,
		'This client was evicted by|Evicted from \S{1,60} \(at|lock \S{1,20} ?callback time(?:r expired|d? ?out)|A client on '
		'nid \S{1,60} was evicted|I think it''s dead, and I am evicting|haven''t heard from client|Cannot send after '
		'transport endpoint shutdown|\[Errno 108\]|\bESHUTDOWN\b',
		'The server did not hear from the node in time and dropped its locks: a network fault, an overloaded node, or a '
		'restarted server. Open files fail.',
		'Check the network of the node (LNet) and the load of the server; when it reconnects, restart from the last '
		'checkpoint. Take the node out if only this one is evicted.', NULL, true),
	('lustre_connection_lost', 'Lustre lost the connection to a server', 'hardware', 'storage', 'error', 'root', 100,
		'Connection to \S{1,80} \(at \S{1,60}\) was lost|ptlrpc_expire_one_request|Request sent has (?:timed '
		'out|failed)|operation \w{1,40} (?:to node \S{1,60} )?failed(?:: rc =| with) '
		'-(?:4|5|11|19|107|108|110|112|113)\b|Lustre: [^\n]{0,80}(?:slow reply|Commit to |request \S+ timed out)|already in '
		'progress[^\n]{0,40}recovery',
		'A server of the file system restarts, fails over, is overloaded, or the network to it is broken. Input and output '
		'wait meanwhile.',
		'See whether "Connection restored" follows. If not, have the storage team look at that target and at LNet; if one '
		'node alone shows it, look at its network.', 'wait', true),
	('lustre_target_down', 'Lustre target inactive or full', 'hardware', 'storage', 'error', 'root', 100,
		'\b(?:OST|MDT)(?:[0-9a-f]{4})?\w{0,8}\b[^\n]{0,60}\b(?:inactive|INACTIVE|deactivated|is full|out of space|not '
		'available for connect|unavailable|read-only|degraded)\b|\binactive device\b|is not available for connect from',
		'One storage or metadata target is switched off, in recovery, or full, so files on it cannot be read or written.',
		'lfs df shows which; have the storage team bring it back or free space; spread new files over other targets.',
		NULL, true),
	('lustre_bug', 'Lustre client stopped at a check of its own', 'hardware', 'storage', 'critical', 'root', 100,
		'\bLBUG\b|LustreError: [^\n]{0,160}ASSERTION\(',
		'A fault in the client''s code; what touches the file system hangs from now on.',
		'Reboot the node, keep the trace for the storage team, and update the client.', 'restart_node', true),
	('lnet_error', 'Network of Lustre has trouble', 'hardware', 'network', 'error', 'root', 100,
		'LNetError: |LNet: [^\n]{0,160}(?:[Tt]imed out|[Nn]o route|[Nn]o usable routes|unreachable|not '
		'healthy|Connection[^\n]{0,20}failed)|\bo2iblnd\b[^\n]{0,80}(?:error|fail)',
		'Messages between this node and a server or router of the file system are lost.',
		'Check link and counters of the adapter, lnetctl net and peer show; compare with other nodes to tell node from router.',
		NULL, true),
	('lustre_error', 'Lustre client error', 'hardware', 'storage', 'error', 'root', 200,
		'LustreError: ',
		'A storage target, or the way to it, failed.',
		'Check the state of the targets and the network of the file system; go on after its recovery.', NULL, true),
	('gpfs_expelled', 'Spectrum Scale threw this node out', 'hardware', 'storage', 'error', 'root', 100,
		'\b(?:mmfs\w{0,12}|GPFS)\b[^\n]{0,60}\b(?:[Ee]xpel\w*|lost (?:membership|disk lease|its lease)|[Qq]uorum '
		'(?:loss|lost|not)|unmount\w*|panic|shutdown due|MMFS_\w+|daemon (?:is )?(?:down|terminat))|\bmmfs\w{0,12}: '
		'\[[EX]\]|\bexpelled from (?:the )?cluster|\blease renewal is overdue|\b6027-\d{3,4} \[[EX]\]|\bdisk '
		'lease\b[^\n]{0,40}(?:overdue|expired|lost)',
		'The cluster manager did not hear from the node in time, or the node cannot reach the others; its file systems are '
		'gone.',
		'mmgetstate and mmdiag --network on the node; repair the network, start the daemon again, and then the job.',
		NULL, true),
	('ceph_error', 'Ceph storage has trouble', 'hardware', 'storage', 'error', 'root', 100,
		'\b(?:lib)?ceph\w{0,8}\b[^\n]{0,60}\b(?:hung|session (?:lost|expired|blocklisted)|block ?listed|black '
		'?listed|evicted|caps stale|(?:socket|connect|io) (?:closed|error)|osd\d+ down|rejected session|timed out|reconnect '
		'(?:start|denied))|\bHEALTH_(?:ERR|WARN)\b|\b(?:OSD_FULL|POOL_FULL|MDS_SLOW_REQUEST|SLOW_OPS|PG_DAMAGED'
		'|MDS_ALL_DOWN)\b|\brados\b[^\n]{0,60}\b(?:error|timed out)|rbd: [^\n]{0,60}(?:failed|result -)',
		'The client lost monitors, metadata server or disks of the cluster, or was shut out by it.',
		'ceph -s and ceph health detail tell which part; a blocklisted client must mount again.', NULL, true),
	('parallel_fs_error', 'Parallel file system client lost its servers', 'hardware', 'storage', 'error', 'root', 200,
		'(?i)\b(?:beegfs\w{0,12}|juicefs|weka\w*|alluxio|hf3fs\w{0,8}|gcsfuse|s3fs|goofys|ossfs|cpfs|daos|dfuse|blobfuse2?'
		'|mount-s3|cubefs|panfs|orangefs|afs|cifs)\b[^\n]{0,100}\b(?:errors?|timeout|timed out|unreachable|not '
		'reachable|failed|not connected|unable|hung|hang|lost)\b',
		'The client of the file system was thrown out, failed, or cannot reach its servers.',
		'Check network and state of the client on this node, mount again.', NULL, true),
	('mount_lost', 'File system not mounted', 'platform', 'storage_mount', 'error', 'root', 100,
		'(?i)\bis not a mount ?point|Transport endpoint is not connected|\[Errno 107\]|mount '
		'?point[^\n]{0,60}(?:lost|gone|missing|not mounted|disappeared)|\b(?:is|was) (?:not|un)[ ]?mounted\b|\bunmounted '
		'unexpectedly|no such device or address[^\n]{0,40}mount|software caused connection abort[^\n]{0,40}(?:fuse|mount)',
		'A shared or local directory is not mounted on this node any more, so paths below it are missing or empty.',
		'Mount it again, find out who removed it, and keep the node out until it is there.', NULL, true),
	('mount_failed', 'Mount failed', 'platform', 'storage_mount', 'error', 'root', 200,
		'\bmount(?:\.\w{1,12})?: [^\n]{0,160}(?:failed|error|denied|timed out|not found|wrong fs type|unknown '
		'filesystem|can''t read superblock|does not exist|busy)|mount error\(\d+\)|\bumount: [^\n]{0,80}(?:busy|not '
		'mounted)|\bautomount\b[^\n]{0,80}(?:failed|error|timed out)|(?i:\b(?:failed|unable|could not|cannot) to? ?mount \S)',
		'A file system could not be mounted on the node.',
		'Check server, export and rights, then the job can start again there.', NULL, true),
	('quota_exceeded', 'Disk quota exceeded', 'user', 'misoperation', 'error', 'root', 100,
		'Disk quota exceeded|\[Errno 122\]|\bEDQUOT\b|(?i:\b(?:over|exceed\w*|reached) (?:the |your |its |hard |soft |block '
		'|inode |file |project |group |user |disk |storage ){1,4}quota\b)|(?i:\b(?:disk|block|inode|file|storage|project|user'
		'|group) (?:hard |soft )?(?:quota|limit) (?:is )?(?:exceeded|reached)\b)|\bQuotaExceeded\b|out of disk quota',
		'The user or project has used up what it may store (space or number of files).',
		'Delete old checkpoints and caches, or have the quota raised (quota, lfs quota, mmlsquota show it); then restart.',
		'fix_job', true),
	('enospc', 'No space left', 'user', 'misoperation', 'error', 'root', 100,
		'No space left on device|\bENOSPC\b|\[Errno 28\]|(?i:\b(?:disk|file ?system|volume|device|partition) (?:is |was '
		')?(?:completely )?full\b)|(?i:\b(?:not enough|insufficient|no) (?:free )?(?:disk )?space (?:left|available|on|to '
		'(?:write|save|store|download)))|(?i:\b(?:not enough|insufficient) (?:free )?disk space)|(?i:\b(?:no (?:free |more '
		')?inodes|out of inodes|inodes? (?:are |is )?exhausted)\b)|XMinioStorageFull|reached its minimum free drive threshold',
		'Disk, inodes or one storage target is full, or the memory behind a temporary directory.',
		'df -h and df -i on the path that is named; remove old checkpoints and logs, or write elsewhere.', 'fix_job', true),
	('disk_nearly_full', 'File system nearly full', 'platform', 'resource_management', 'warning', 'root', 100,
		'(?i)(?:disk|filesystem|file system|volume|partition)[^\n]{0,80}(?:usage|used|full)[^\n]{0,40}(?:above|over|exceed\w*'
		'|critical|threshold)|(?:low|running out of|running low on) (?:on )?disk space|over \d{2}% full',
		'Writes, checkpoints first, will soon fail on this node.',
		'Free space or move checkpoints elsewhere.', NULL, true),
	('estale', 'Stale file handle', 'hardware', 'storage', 'error', 'root', 100,
		'Stale (?:NFS )?file handle|\[Errno 116\]|\bESTALE\b',
		'A file or export changed on the server while this node had it open.',
		'Mount again, and do not delete files that other ranks still read.', NULL, true),
	('eio', 'Input/output error', 'hardware', 'storage', 'error', 'root', 200,
		'\[Errno 5\]|: Input/output error(?!, VFS)|\bEIO\b|\bdisk I/O error\b|\bRemote I/O error|\[Errno 121\]',
		'Storage could not read or write.',
		'Check mount and storage; move the job to another node.', NULL, true),
	('ebusy_nfs', 'File busy on a network file system', 'hardware', 'storage', 'warning', 'root', 100,
		'Device or resource busy: [^\n]{0,200}\.nfs|\[Errno 16\] Device or resource busy',
		'A file was removed while a process had it open.',
		'Remove it later; keep temporary directories on local disk.', NULL, true),
	('s3_slowdown', 'Object store throttles', 'platform', 'storage', 'warning', 'root', 100,
		'\(SlowDown\)|Please reduce your request rate|ServiceUnavailable\) when calling|(?i:HTTP Error '
		'503)|\b(?:503|429)\b[^\n]{0,20}(?:Slow ?Down|Too Many Requests|Service Unavailable)|\bSlowDown\b'
		'|RequestLimitExceeded|Throttl(?:ing|ed)(?:Exception|Error)?\b[^\n]{0,60}(?:call|request|operation|S3|bucket|store)'
		'|TooManyRequests(?:Exception)?\b|\b(?:user)?[rR]ateLimitExceeded\b|\bServerBusy\b|OperationTimedOut\b|exceeded the '
		'rate limit for object|Rate exceeded|(?i:\b(?:bandwidth|request|egress)\b[^\n]{0,20}\bquota\b[^\n]{0,20}\bexceeded)'
		'|XMinioServer\w*Busy|Resource requested is unreadable, please reduce',
		'The store gets more requests than it takes. Harmless while retries succeed.',
		'Use fewer writers, more prefixes and longer pauses between retries.', 'wait', true),
	('object_store_5xx', 'Object store failed', 'hardware', 'storage', 'error', 'root', 100,
		'(?i:HTTP (?:Error|status(?: code)?|response)[ :=]{0,3}50[0-24-9])|\b50[0245] (?:Internal Server Error|Server '
		'Error|Bad Gateway|Gateway Time-?out)|\((?:InternalError|500|502|504)\)|\bInternalError\b[^\n]{0,80}(?:bucket|object'
		'|attempt|retry|internal error)|\b50[0234] (?:GET|POST|PUT|HEAD|PATCH|DELETE) https?://|We encountered an internal '
		'error\. Please try again|\bbackendError\b|XMinioServerNotInitialized|XMinioStorage\w*(?:Quorum|Offline)'
		'|SlowDownWrite'
		'|\bwhen (?:resuming|initiating) (?:an )?upload (?:to )?\w{2,5}://'
		'|Server not initialized|\bInternal(?:ServerError)?: 5\d\d\b',
		'The store answers with an error of its own.',
		'Check the state of the store; keep checkpoints on local disk meanwhile.', 'wait', true),
	('transfer_retries_exhausted', 'Transfer failed after all retries', 'hardware', 'storage', 'error', 'cascade', 200,
		'(?i)\b(?:uploads?|downloads?|writ\w{1,3}|reads?|put|get|request|transfer|save|copy|push|pull)\b[^\n]{0,160}\bfailed '
		'after \d+ (?:retries|retry|attempts?|tries)|reached max retries|Max retries exceeded|\bgiving up after \d+',
		'Storage or a remote service stayed away longer than the retries lasted.',
		'Repair the service; save to local disk first and copy later, so that training does not end with it.', 'wait', true),
	('s3_access_denied', 'Object store refuses access', 'user', 'misoperation', 'error', 'root', 100,
		'\((?:AccessDenied|InvalidAccessKeyId|ExpiredToken\w*|SignatureDoesNotMatch|AllAccessDisabled|InvalidToken|403)\)'
		'|\bAccess ?Denied\b|HTTP Error 40[13]|AuthorizationPermissionMismatch|AuthorizationFailure|AuthenticationFailed\b'
		'|InvalidAuthenticationInfo|does not have [\w.]{4,60} access|\b403 (?:Forbidden|POST|GET|PUT|HEAD|Client '
		'Error)|ClientAuthenticationError|is not authorized to perform|PublicAccessNotPermitted|TokenRefreshRequired'
		'|KeyBasedAuthenticationNotPermitted|(?i:\b(?:access|session|security) token (?:has |is )?(?:expired|invalid))',
		'A right is missing, a key is wrong, or the credentials ran out.',
		'Grant the right on bucket and prefix; renew tokens before long jobs.', 'fix_job', true),
	('cloud_credentials', 'No credentials for the cloud store', 'user', 'misoperation', 'error', 'root', 100,
		'Unable to locate credentials|NoCredentialsError|PartialCredentialsError|CredentialRetrievalError|NoAuthHandlerFound'
		'|Could not automatically determine credentials|Could not load the default credentials|DefaultCredentialsError|Your '
		'default credentials were not found|\bRefreshError\b|\binvalid_grant\b|Anonymous '
		'(?:caller|credentials)|CredentialUnavailableError|DefaultAzureCredential failed|Unable to fetch (?:\w+ '
		')?(?:credentials|token) from|The config profile \([^)\n]{1,60}\) could not be found|NoCredentialProviders|failed to '
		'(?:refresh cached|retrieve) credentials',
		'The process finds no key, role or profile for the store, or the role of the machine gives none.',
		'Set the keys or the service account for all ranks, not only for the shell that starts them; check the role with one '
		'call by hand from a node.', 'fix_job', true),
	('s3_not_found', 'Object or bucket does not exist', 'user', 'misoperation', 'error', 'root', 100,
		'\bNoSuch(?:Key|Bucket|Version|Upload)\b|The specified (?:key|bucket|blob|container|object|upload) does not '
		'exist|\bBlobNotFound\b|\bContainerNotFound\b|\(404\) when calling|HeadObject operation: Not Found|No such object: '
		'|No URLs matched|matched no objects|\b404 (?:GET|HEAD|PUT|POST) https?://|\bNotFound: '
		'404\b|ResourceNotFoundError|(?i:\bbucket \S{1,80} (?:does not exist|not found))|ERROR_?404: Not Found',
		'Name or prefix is wrong, or the object was deleted or is still being written by another rank.',
		'List the prefix with the credentials of the job; correct the path, and wait for the marker of a complete checkpoint.',
		'fix_job', true),
	('s3_endpoint', 'Object store cannot be reached', 'platform', 'network_settings', 'error', 'root', 100,
		'EndpointConnectionError|\bFSTimeoutError\b|Could not connect to the endpoint URL|Connect timeout on endpoint '
		'URL|Read timeout on endpoint URL|ConnectTimeoutError|Connection was closed before we received a valid response from '
		'endpoint|ResponseStreamingError|IncompleteRead(?:Error)?\b|(?:HTTPS?ConnectionPool|RemoteDisconnected|ProtocolError'
		'|ServerTimeoutError|ReadTimeoutError)[^\n]{0,160}(?:s3|amazonaws|storage|blob|minio|oss|bucket)|ServiceRequestError'
		'|ServiceResponseError|curlCode: \d+|(?i:\bcurl(?: error)?[ :(]{1,3}(?:6|7|28|35|52|55|56)\))|aws-c-\w+: '
		'AWS_\w+|AWS_ERROR_\w+',
		'The address of the store is wrong, or proxy, firewall, name service or the store itself do not let the node in.',
		'Call the endpoint by hand from one node; compare endpoint URL and proxy settings with a job that works. If one node '
		'alone fails, look at its network.', NULL, true),
	('cloud_request_failed', 'Request to a cloud service failed', 'user', 'configuration', 'error', 'root', 300,
		'\bbotocore\.(?:exceptions|errorfactory)\.\w|An error occurred \(\w{1,60}\) when calling '
		'the|google\.(?:api_core|cloud|auth)\.exceptions\.\w|azure\.core\.exceptions\.\w|\bs3transfer\.exceptions'
		'|S3UploadFailedError',
		'The service refused or could not answer; the code in the line says why.',
		'Read the code and the request in the line; try the same call by hand with the credentials of the job.',
		'fix_job', true),
	('s3_wrong_region', 'Bucket asked for in the wrong place or way', 'user', 'configuration', 'error', 'root', 100,
		'PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraint|the region ''[^''\n]{1,40}'' is wrong|must '
		'be addressed using the specified endpoint|InvalidBucketName|Invalid bucket name|\bNoRegionError\b|You must specify a '
		'region|InvalidRegion\w*|Invalid endpoint: |MovedPermanently|\b301 Moved Permanently',
		'Region, endpoint or name of the bucket in the settings is not the one of the bucket.',
		'Set region and endpoint of the bucket for all ranks.', 'fix_job', true),
	('s3_conflict', 'Object store refuses because the object changed', 'framework', 'framework', 'error', 'root', 100,
		'PreconditionFailed|\b412 (?:Precondition|POST|PUT|GET)|conditionNotMet|ConditionNotMet|ConditionalRequestConflict'
		'|\bOperationAborted\b|BlobAlreadyExists|LeaseIdMissing|LeaseAlreadyPresent|OwnedByYou|BucketAlreadyExists'
		'|EntityTooLarge|EntityTooSmall|\bInvalidPart(?:Order)?\b|\bInvalidRange\b|Requested Range Not '
		'Satisfiable|conflicting conditional operation',
		'Two writers used the same name, a part of an upload is too small or missing, or a reader asks beyond the end of an '
		'object that is shorter than its index says.',
		'Give each rank and attempt its own name, write the index last; remove leftovers of the attempt before.', NULL, true),
	('s3_checksum', 'Bytes changed on the way to or from the store', 'hardware', 'network', 'error', 'root', 100,
		'\bBadDigest\b|XAmzContentSHA256Mismatch|XAmzContentChecksumMismatch|InvalidDigest|FlexibleChecksumError'
		'|google\.resumable_media\.common\.DataCorruption|Checksum mismatch while downloading|did not match expected '
		'checksum|Content-MD5 you specified did not match|Md5Mismatch|BAD (?:READ|WRITE) CHECKSUM',
		'Memory, network adapter or a proxy changed data, or the object was replaced while it was read.',
		'Try again; when one node shows it repeatedly take that node out and test its memory and adapter.', NULL, true),
	('ckpt_corrupt', 'Checkpoint file damaged', 'hardware', 'storage', 'error', 'root', 100,
		'PytorchStreamReader failed|unexpected EOF, expected \d+ more bytes|invalid header or archive is corrupted|failed '
		'finding central directory|(?i:checkpoint[^\n]{0,80}(?:corrupt|truncated|incomplete|checksum '
		'mismatch))|SafetensorError|HeaderTooLarge|MetadataIncompleteBuffer|InvalidHeaderDeserialization|InvalidHeaderLength'
		'|HeaderTooSmall|incomplete metadata, file not fully covered|Error while deserializing header|pickle data was '
		'truncated|Ran out of input|\bDATA_LOSS\b|\bOCDBT\b[^\n]{0,80}(?:corrupt|error|invalid|failed)'
		'|zarr[^\n]{0,60}(?:corrupt|checksum)|unexpected end of data[^\n]{0,40}(?:tar|archive|checkpoint)',
		'The file was cut short by a crash or a full disk, or is still being written.',
		'Go back to the checkpoint before; write under another name and rename at the end.', NULL, true),
	('ckpt_write_failed', 'Checkpoint could not be written', 'hardware', 'storage', 'error', 'root', 200,
		'PytorchStreamWriter failed writing|unexpected pos \d+ vs \d+|File \S+ cannot be opened|(?i:(?:failed|unable|could '
		'not|cannot) to? ?(?:save|write|store|commit|upload|persist|finali[sz]e) [^\n]{0,60}(?:checkpoint|snapshot|state'
		'|weights|model))|Parent directory \S+ does not exist|(?i:\btimed out waiting for (?:the |all )?(?:checkpoint|async '
		'(?:save|checkpoint)|commit|upload))|basic_ios::clear: iostream error|inline_container\.cc:\d+[^\n]{0,80}(?:fail'
		'|error|unexpected)|(?i:\b(?:checkpoint\w*|snapshot) (?:async )?(?:save|saving|write|writing|upload|commit'
		'|finali[sz]ation|flush|persist\w*)(?: of [^\n]{1,40})? (?:has )?(?:failed|timed out|was '
		'aborted|error(?:ed)?\b))|(?i:\bsav(?:e|ing) (?:of )?(?:the )?(?:checkpoint|model|snapshot)[^\n]{0,60} '
		'(?:failed|timed out))|(?i:\berror (?:while |when |in |during )?(?:saving|writing|uploading|persisting) (?:the |a '
		'|model |optimizer )?(?:checkpoint|snapshot|weights|state))|(?i:\basync (?:checkpoint|save)\w*[^\n]{0,60}\b(?:failed'
		'|timed out|died|exception))',
		'The place for checkpoints is full, read-only, gone, too slow, or may not be written.',
		'Check space, mount and rights there on the node of this rank.', NULL, true),
	('ckpt_load_failed', 'Checkpoint could not be loaded', 'user', 'misoperation', 'error', 'root', 200,
		'[Ff]ailed to load (?:the )?checkpoint|CheckpointException|\blen\(self\.ckpt_list\) > 0'
		'|exit-on-missing-checkpoint\W{1,3}set|Unable to load '
		'(?:rng|optimizer|model) state|Attempting to load checkpoint but [^\n]{0,80} not found|(?i:no (?:valid )?checkpoint '
		'(?:was )?found)(?![^\n]{0,60}(?:random|scratch|initiali|start|begin|fresh))|(?i:cannot load checkpoint)|Weights only '
		'load failed|\b(?:NOT_FOUND|FAILED_PRECONDITION|INVALID_ARGUMENT|INTERNAL): Error '
		'(?:opening|reading|writing|parsing)|(?i:\b(?:failed|unable|could not|cannot|error) (?:to |while |when |in '
		')?(?:load|restor|read|open|resum)\w* [^\n]{0,40}\b(?:checkpoint|snapshot|optimizer state|pretrained '
		'weights)\b)|(?i:\bcheckpoint\b[^\n]{0,60}\b(?:restor\w+|load\w*) (?:has )?failed)|(?i:\bresum\w+ from (?:the '
		')?checkpoint[^\n]{0,60}failed)|No step(?:_\d+)? path found|Item "[^"\n]{1,60}" was not found in the '
		'checkpoint|(?:Must provide|Provided) `?(?:item|restore_args|sharding)`?[^\n]{0,60}restor'
		'|CheckpointManager[^\n]{0,80}(?:not found|does not exist|failed)|Checkpoint structure file does not exist|does not '
		'appear to have a file named|Error no file named',
		'The path is wrong, the parallel layout differs from that of the save, or storage failed.',
		'Check the path and the marker of the last checkpoint on all nodes; compare the parallel sizes.', 'fix_job', true),
	('path_misused', 'Path is not what the program expects', 'user', 'misoperation', 'error', 'root', 200,
		'FileExistsError|IsADirectoryError|NotADirectoryError|\[Errno (?:17|20|21|26|36|39|40)\]|Directory not '
		'empty|\b(?:Not|Is) a directory\b|File name too long|Too many levels of symbolic links|Text file busy|Directory '
		'nonexistent|(?i:\bdirectory\b[^\n]{0,80}\b(?:already exists and is|is) not empty\b)',
		'A file stands where a directory should be or the other way round, something of that name is there already, or two '
		'ranks create or remove it at once.',
		'Let one rank create and rename, give each attempt its own directory, and remove what an attempt before left.',
		'fix_job', true),
	('file_too_large', 'File larger than it may be', 'user', 'configuration', 'error', 'root', 200,
		'\[Errno 27\]|\bFile too large\b|File size limit exceeded|\bSIGXFSZ\b',
		'A limit of the shell (ulimit -f) or of the file system on the size of one file.',
		'Save in shards, or raise the limit.', 'fix_job', true),
	('lock_held', 'A lock file is held by somebody else', 'user', 'misoperation', 'error', 'root', 200,
		'filelock\.\w{0,12}\.?Timeout|BlockingIOError|The file lock ''[^''\n]{1,200}'' could not be acquired|database is '
		'locked|Resource deadlock avoided|\[Errno 35\]|(?i:\b(?:failed|unable|could not|cannot|timed out) '
		'(?:to )?(?:acquir\w+|get|obtain) (?:the |a )?(?:file ?)?(?:lock|lease)\b)|(?i:\btimeout (?:on|while) acquir\w+ '
		'(?:the )?lock)',
		'Another process or rank holds it, or one that died left it on a shared file system.',
		'Remove the stale lock when no process uses it; give each node its own cache directory.', 'fix_job', true),
	('device_missing', 'Device or the storage behind a path is gone', 'hardware', 'node', 'error', 'root', 200,
		'\[Errno (?:6|19)\]|\bNo such device\b|\bENODEV\b|\bENXIO\b',
		'A disk, adapter or mount that was there at the start is not there any more, or was never made visible to the '
		'container.',
		'Look for it on the host (lsblk, lspci, mount); if the kernel log tells how it went, take the node out, else correct '
		'the container''s devices.', NULL, true),
	('remote_fs_error', 'Network file system answers wrongly', 'hardware', 'storage', 'error', 'root', 200,
		'\[Errno (?:61|70|71|103)\]|Communication error on send|\bProtocol error\b|\bNo data '
		'available\b|\bEREMOTEIO\b|\bEPROTO\b',
		'The client of a network or user-space file system lost its server in the middle of an operation.',
		'Look at the client''s log on the node and the state of the servers; mount again.', NULL, true),
	('fs_unsupported', 'File system cannot do what is asked', 'platform', 'storage_mount', 'error', 'root', 200,
		'\[Errno 95\]|\bOperation not supported\b|\bEOPNOTSUPP\b|\bENOTSUP\b|\bcuFile\w{0,20}\b[^\n]{0,60}(?:[Ee]rror|[Ff]ail'
		'|not supported)|GPUDirect Storage[^\n]{0,60}(?:not supported|fail|error)',
		'Direct input and output, locks, extended attributes, hard links or GPUDirect Storage are not available on this file '
		'system.',
		'Switch that option off, or write to a file system that has it.', NULL, true),
	('tracker_failed', 'Experiment tracker did not answer', 'platform', 'network_settings', 'warning', 'root', 200,
		'wandb: ERROR|wandb\.(?:errors|sdk)[\w.]{0,40}(?:Error|Timeout)|wandb[^\n]{0,60}(?:timed out|CommError|Network '
		'error|UsageError)|mlflow\.exceptions|comet_ml[\w.]{0,40}[^\n]{0,40}(?:ERROR|Exception)|clearml[^\n]{0,60}(?:ERROR'
		'|Exception|failed)|neptune\.[\w.]{0,40}(?:Exception|Error)',
		'The service that records figures is not reachable from the node, or the key is missing.',
		'Set it to offline, or wrap it so that training goes on without it; check proxy and key.', NULL, true),
	('shard_missing', 'Shard or index file missing', 'user', 'misoperation', 'error', 'root', 200,
		'(?i)\b(?:missing|cannot find|could not find(?! arguments)|not found)\b[^\n]{0,60}\b(?:shards?|index '
		'file|dataset|data file|checkpoint)\b|\b(?:shards?|index file|dataset|data file|checkpoint)\b[^\n]{0,120}\b(?:is '
		'missing|not found|does not exist|do not exist|not exist)\b|(?:FileNotFoundError|No such '
		'file)[^\n]{0,200}(?:shard|\.idx\b|\.bin\b|\.tar\b|\.parquet\b|\.arrow\b|\.safetensors\b|\.pt\b|\.npz\b|ckpt'
		'|checkpoint)',
		'A file of the data set or of the checkpoint is not on this node: not copied, deleted, or its file system is not '
		'mounted.',
		'Compare the directory with that of a healthy node and copy what is missing.', 'fix_job', true);
