/*
 * Built-in faults of training programs, frameworks and Python; what the columns mean: 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, builtin)
VALUES
	('file_not_found', 'File or path missing', 'user', 'misoperation', 'error', 'root', 300,
		'FileNotFoundError|can''t open file|NotADirectoryError',
		'The path is misspelt, not mounted on this node, or was deleted.',
		'Check the path and the mount on every node.', true),
	('path_missing', 'A path does not exist', 'user', 'misoperation', 'warning', 'root', 300,
		-- not of the kernel's own folders, where a device or a feature is not there, no file that a job needs
		'No such file or directory(?!: [''"`]?/(?:sys|proc)/)|\bENOENT\b|: command not found|'
		'(?:[Ff]ile|[Pp]ath|[Dd]irectory|[Ff]older) [''"`]?/?[\w./-]{2,160}[''"`]? (?:does not exist|doesn''t exist|not found)|'
		'(?:does not exist|doesn''t exist|not found)(?:[:.]| at| in) [''"`]?/[\w./-]{2,160}',
		'Something looked for a path that is not there. Many programs go on without it, so healthy jobs print this too.',
		'Take it up only where healthy ranks or jobs do not have it; then check path and mount on that node.', true),
	('permission_denied', 'Permission denied', 'user', 'misoperation', 'error', 'root', 200,
		'PermissionError|[Pp]ermission denied|EACCES|Operation not permitted|\bEPERM\b',
		'User or container may not do this.',
		'Correct owner, mode or mount options; give each user a cache of his own.', true),
	('shm_bus_error', 'Shared memory too small for the data loader', 'user', 'configuration', 'error', 'root', 100,
		'killed by signal: Bus error|Unexpected bus error encountered in worker|insufficient shared memory|unable to '
		'(?:write|allocate)[^\n]{0,60}shared memory|/torch_\d+_\S{1,40}[^\n]{0,60}No space left|shm[^\n]{0,40}No space left on '
		'device',
		'/dev/shm is too small; containers often start with 64 MB.',
		'Raise --shm-size or mount a memory volume there; use fewer workers.', true),
	('dataloader_worker_died', 'Data loader worker died', 'user', 'program_bug', 'error', 'cascade', 100,
		'DataLoader worker \(pid(?:\(s\))? [\d, ]+\) (?:exited unexpectedly|is killed by signal)|Pin memory thread exited '
		'unexpectedly|Caught \w+ in (?:DataLoader worker|pin memory thread|replica \d+)',
		'A worker crashed: memory, a bad sample, a native library.',
		'Run with no workers to see the real error; check the memory of the host.', true),
	('dataset_too_small', 'Data set has too few samples', 'user', 'configuration', 'error', 'root', 100,
		'last epoch number of samples exceeded|num_samples should be a positive integer value, but got num_samples=0\b|(?i:\b'
		'(?:data ?set|data ?loader|corpus)\b[^\n]{0,60}\b(?:has no (?:samples|documents|examples)|is too small)\b)',
		'A data set or a part of it holds fewer samples than the run asks for, often for a wrong path, split or filter.',
		'Look at the path, the split and the count of samples that the program says it found; correct them, or the number of '
		'samples asked for.', true),
	('data_stall', 'Training waits for data', 'hardware', 'storage', 'info', 'confirmation', 300,
		'(?i)\b(?:data ?loader|data|batch|input)\b[^\n]{0,40}\b(?:queue (?:is )?empty|not '
		'ready|starv\w+|stall\w*)\b|\bwait(?:ed|ing) [\d.]+ ?m?s(?:ec)? for (?:the )?(?:data|a batch|batch)',
		'The next batch came late: slow storage or too few workers. Now and then it is harmless.',
		'Compare the nodes; use more workers and prefetch, or look at the storage of the slow one.', true),
	('data_corrupt', 'Data file damaged', 'hardware', 'storage', 'error', 'root', 200,
		'(?i)\b(?:corrupt(?:ed)?(?!/)|truncated|damaged)\b[^\n]{0,40}\b(?:sample|record|shard|dataset|index|archive|file|jpeg'
		'|image|data)\b|\b(?:crc|crc32|checksum|md5|sha256)\b[^\n]{0,60}\b(?:mismatch|failed|does not '
		'match|error|wrong)\b|BadZipFile|UnpicklingError: (?!Weights)|EOFError: Ran out of input|EOFError: Compressed file '
		'ended|bad magic number|invalid magic|Parquet magic bytes not found|Not a gzipped file|zlib\.error|cannot identify '
		'image file|UnidentifiedImageError|image file is truncated|DataLossError|invalid load key|tarfile\.ReadError|incorrect '
		'header check|moov atom not found|mmap length is greater than file size|cannot mmap an empty file',
		'A file of the data set does not hold what was written, or was cut off while it was written or copied.',
		'Compare size and checksum with the source, copy it again; if more files of one node are bad, check '
		'its storage.', true),
	('loss_nan', 'Loss or gradients are not numbers', 'user', 'configuration', 'error', 'root', 100,
		'found NaN in (?:local grad norm|local forward loss|loss)|(?:NaN|Inf) grad norm|found Inf in local grad norm|NaN or '
		'Inf found in input tensor|due to (?:NaN|Inf) loss|(?i:\b(?:loss|grad(?:ient)?s?(?:[ _]norm)?)\b["'']?\s{0,3}(?:is|are'
		'|became|value|=|:)?\s{0,3}:?\s{0,3}[+-]?(?:nan|inf|infinity)\b)|(?i:\b(?:nan|inf)s? (?:detected|found|encountered|in '
		'(?:the )?(?:loss|gradients?|weights|logits)))|(?i:non-finite (?:loss|grad\w*|values?))|probability tensor contains '
		'either|returned nan values in its|(?i:(?:input|tensor|array|output|activation)s? (?:contains?|has|have) (?:nan|inf))',
		'All ranks at once: training diverged, a batch is bad, or numbers overflowed. One rank first: its data or its device '
		'is bad.',
		'See which rank had it first. All at the same step: skip the batch, look at learning rate and precision. One alone: '
		'keep its node aside and test its GPU, and read its batch.', true),
	('loss_diverged', 'Loss diverges', 'user', 'configuration', 'warning', 'root', 100,
		'(?i)\bloss (?:has |is )?(?:diverg\w+|explod\w+|exploded)|\bloss spike|\bloss\b["'']?\s{0,3}(?:value)?[:=]\s{0,3}\d(?:\'
		'.\d+)?E\+(?:0[3-9]|[1-9]\d)',
		'The learning rate is too high, the data changed, or an earlier checkpoint or a device was already bad.',
		'Go back to a checkpoint before the rise and skip its data. If it comes again lower the learning rate; if it went '
		'away, test the devices.', true),
	('loss_scale_min', 'Loss scale at its lower end', 'user', 'configuration', 'error', 'root', 100,
		'(?i)loss scale already at minimum|loss scale (?:has )?reached (?:its )?minimum|minimum loss scale '
		'reached|loss_scale[^\n]{0,20}below the minimum',
		'With 16-bit floats every step overflows, as with a diverged loss or weights that are not numbers.',
		'Look whether one rank alone overflows (then its data or device); else use bfloat16, lower the learning rate, check '
		'the data.', true),
	('grad_overflow_skip', 'Step skipped after an overflow', 'noise', 'training', 'info', 'benign', 100,
		'(?i)gradient overflow|overflow detected[^\n]{0,60}skipp|\bOVERFLOW!|skipping (?:optimizer )?step[^\n]{0,60}(?:loss '
		'scale|overflow)',
		'Mixed precision looks for its loss scale, at the start as a rule.',
		'Nothing, unless it never stops.', true),
	('size_mismatch', 'Checkpoint and model do not fit', 'user', 'program_bug', 'error', 'root', 100,
		'size mismatch for \S+|Error\(s\) in loading state_dict|(?:Missing|Unexpected) key\(s\) in '
		'state_dict|(?i:checkpoint[^\n]{0,60}(?:shape|size) mismatch)|(?i:(?:loading|restor\w{1,4})[^\n]{0,80}(?:shape|size)s? '
		'(?:mismatch|do(?:es)? not match))|copying a param with shape|because the shapes did not match|ignore_mismatched_sizes'
		'|Trying to set a tensor of shape',
		'The model is configured otherwise than the one that was saved.',
		'Use the configuration of the checkpoint, or convert it to the new layout.', true),
	('tensor_shape', 'Tensor shapes do not fit', 'user', 'program_bug', 'error', 'root', 200,
		'shapes? cannot be multiplied|must match the size of tensor|(?i:shape mismatch)|size mismatch, |cannot be broadcast '
		'together|(?i:\bshapes? [^\n]{0,60}(?:incompatible|not compatible|do not match|invalid for input|is invalid))|The '
		'expanded size of the tensor|Sizes of tensors must match|invalid for input of size|Given groups=\d|Expected '
		'\d(?:D|-D)[^\n]{0,40}(?:got|but)|Dimension out of range|(?:too many|not enough) values to unpack|cannot reshape '
		'(?:tensor|array)|doesn''t match the broadcast shape|must have same number of dimensions|to match target '
		'batch_size|selected index k out of range|setting an array element with a sequence|(?:inconsistent|incompatible) '
		'tensor (?:size|shape)s?|(?i:incompatible shapes)|[Ee]xpected (?:input|target|tensor|hidden|size)[^\n]{0,80}(?:shape'
		'|size|dim\w{0,6}|channels)[^\n]{0,60}(?:got|but)|inner dimensions?[^\n]{0,40}(?:match|agree)|negative dimension '
		'-?\d|is not compatible with input tensor|tensors? used as indices must be|Tensor sizes? (?:mismatch|must)|should be '
		'of size \([\d, ]{3,60}\), but',
		'Two tensors that meet in an operation have sizes that do not go together: a wrong sequence length, batch or '
		'configuration.',
		'Print the shapes at the line of the traceback and compare configuration and data.', true),
	('index_out_of_range', 'Index out of range', 'user', 'program_bug', 'error', 'root', 200,
		'index out of range in self|IndexError: |index \d+ is out of bounds|out of bounds for dimension|Target -?\d+ is out of '
		'bounds|indices should be (?:either )?on|token ids? [^\n]{0,40}(?:out of range|exceed)|srcIndex < srcSelectDimSize|t '
		'>= 0 && t < n_classes|index out of bounds',
		'A number looks up more than there is: a token beyond the vocabulary, a position beyond the sequence length, a list '
		'that is too short.',
		'Compare sequence length and vocabulary of data and model.', true),
	('dtype_mismatch', 'Tensor types or devices do not fit', 'user', 'program_bug', 'error', 'root', 100,
		'[Ee]xpected scalar type \w+|to have (?:the same|a compatible) dtype|must have the same dtype|Input type [^\n]{0,80} '
		'weight type|Input type \([^\n]{0,80}should be the same|Expected all tensors to be on the same device|found at least '
		'two devices|can''t be cast to the desired output type|[Ee]xpected (?:tensor|argument|object|query|self|input|dtype'
		'|m1)[^\n]{0,100}(?:dtype|scalar type|device|type Byte|type Long|type Float)[^\n]{0,60}(?:got|but|found)|Tensor for '
		'argument [^\n]{0,60}is on|is on (?:cpu|cuda:\d+),? (?:but|whereas|and)|must be on the same device|different devices?, '
		'|Pointer argument \(at \d+\) cannot be accessed from Triton|[Uu]nsupported dtype|dtype mismatch|mixed dtype|Could not '
		'infer dtype|floating point and complex dtype can require',
		'Two tensors differ in number type or lie on different devices.',
		'Cast or move them at the line of the traceback; check mixed-precision settings.', true),
	('autograd_misuse', 'Gradient calculation used wrongly', 'user', 'program_bug', 'error', 'root', 100,
		'modified by an inplace operation|backward through the graph a second time|Expected to have finished reduction in the '
		'prior iteration|does not require grad and does not have a grad_fn|grad can be implicitly created only for scalar|a '
		'leaf Variable that requires grad|ready (?:only once|twice)|Recomputed values for the following '
		'tensors|CheckpointError|None of the inputs have requires_grad|a view of a leaf Variable|Can''t call numpy\(\) on '
		'Tensor that requires grad|cudnn RNN backward can only be called|parameters? (?:that|which) (?:were|was|is|are) not '
		'used in producing (?:the )?loss|Function \w{3,60} returned an invalid gradient',
		'The model changes a tensor that is still needed, or leaves parameters without a gradient on some ranks.',
		'Correct the model at the line that is named; allow unused parameters only if they are intended.', true),
	('pickle_failed', 'Object cannot be saved or sent', 'user', 'program_bug', 'error', 'root', 100,
		'cannot pickle ''?[\w.]+''? ?object|[Cc]an''t pickle|PicklingError|cannot pickle|cannot serialize|not JSON '
		'serializable|Can''t get attribute ''\w+'' on|attribute lookup \S{1,60} failed|tensors share memory|contained shared '
		'tensors',
		'Something is put into a checkpoint or sent to another process that cannot be turned into bytes, such as a process '
		'group, lock or open file.',
		'Leave it out of what is saved, or save plain values.', true),
	('number_overflow', 'Number does not fit', 'framework', 'framework', 'error', 'root', 100,
		'\bOverflowError\b|\bstruct\.error\b|format requires -?\d+ <= number <= -?\d+|Python int too '
		'large|(?i:\b(?:integer|int32|int64|counter|sequence number) overflow)|value cannot be converted to type \w{3,12} '
		'without overflow|canUse32BitIndexMath|offset overflow while concatenating|out of bounds for '
		'(?:u?int\d+|default_collate)|too large to convert',
		'A counter or length outgrew the field that holds it, often after a certain number of steps or for large arrays.',
		'Update or repair the library that owns the field; until then use smaller pieces, or restart before the limit is '
		'reached.', true),
	('parallel_size_invalid', 'Parallel sizes do not fit', 'user', 'configuration', 'error', 'root', 100,
		'(?i)(?:not divisible by|should be divisible by|must be divisible by|must be a multiple of|is not equal to|not evenly '
		'divisible)[^\n]{0,160}(?:parallel|world|pipeline|tensor|heads|layers|tp|ranks|gpus)|(?:parallel|world[ '
		'_]size|heads|layers|batch[ _]size|hidden[ _]size|seq\w{0,12})\b[^\n]{0,120}(?:divisible by|multiple of)|world[ '
		'_]size[^\n]{0,60}(?:!=|does not match|not equal|mismatch|is not a multiple)|(?:parallel|mesh)[ '
		'_](?:size|dims?|degree|shape)s?[^\n]{0,80}(?:exceed|larger than|greater than|must (?:be|equal)|invalid|do(?:es)? '
		'not)|Invalid parallel dims',
		'The parallel sizes do not divide the number of ranks, the layers, the heads or the batch.',
		'Choose sizes whose product divides the ranks and that divide layers, heads and batch.', true),
	('config_error', 'Wrong option or configuration', 'user', 'configuration', 'error', 'root', 200,
		'unrecognized arguments|error: argument |invalid choice:|Invalid (?:option|config)|invalid config option|the following '
		'arguments are required|expected (?:one|at least one|\d{1,4}) arguments?|argparse\.Argument\w{0,6}Error|conflicting '
		'option strings?|(?:[Ee]rror|ERROR|Exception): [^\n]{0,120}\b[Uu]n(?:known|recognized|expected) '
		'(?:argument|option|key|config|flag|field|parameter)s?\b|ambiguous option|UnrecognizedFlagError|IllegalFlagValueError'
		'|absl\.flags\.\w{3,20}|Error: [^\n]{0,80}(?:[Cc]onfig|[Ss]etting|[Pp]arameter|[Oo]ption|[Aa]rgument) '
		'?[`''"]?[\w.-]{0,40}[`''"]? (?:is (?:required|missing|invalid|not valid)|must be (?:one of|set|specified|provided'
		'|positive))|Unrecognized CachingAllocator option|Invalid device string|[Ii]nvalid (?:--|value for|literal for)|error: '
		'Parser key|No such option|click\.exceptions\.\w{3,20}',
		'The command line or a configuration value is wrong.',
		'Correct the option that the message names.', true),
	('environment_variable', 'Environment variable missing', 'user', 'configuration', 'error', 'root', 100,
		'(?i:environment variable \S+ (?:is )?(?:expected, but )?(?:not set|missing|undefined|required))|KeyError: '
		'''(?:MASTER_ADDR|MASTER_PORT|RANK|WORLD_SIZE|LOCAL_RANK|LOCAL_WORLD_SIZE|NODE_RANK|GROUP_RANK|HOME|USER|PATH'
		'|SLURM_\w{2,40}|OMPI_\w{2,40}|PMI\w{0,20}|CUDA_\w{2,30}|NCCL_\w{2,30}|HF_\w{2,20}|WANDB_\w{2,20}|AWS_\w{2,30}'
		'|\w{2,30}_(?:HOME|DIR|PATH|TOKEN|KEY))''|: unbound variable|parameter (?:null or )?not set|must (?:set|define|export) '
		'(?:the )?(?:environment variable|\$?[A-Z][A-Z0-9_]{3,40})\b',
		'The launcher did not set what the program needs, or the container does not pass it on.',
		'Start through the launcher, or export the variable into the container.', true),
	('import_error', 'Module missing or broken', 'user', 'incompatibility', 'error', 'root', 100,
		'ModuleNotFoundError: |ImportError: |(?<!libnccl-net\.so: )(?<!libnccl-tuner\.so: )(?<!libnccl-profiler\.so: )cannot '
		'open shared object file|DLL load failed|Error: [^\n]{0,120}(?:No module named|cannot import name)|python\S{0,10}: No '
		'module named|RuntimeError: Failed to import',
		'The package is not in this image, or another version of it is.',
		'Put the version that the script expects into the image of all nodes.', true),
	('undefined_symbol', 'Compiled extension does not fit', 'user', 'incompatibility', 'error', 'root', 100,
		'undefined symbol: |symbol lookup error|GLIBC(?:XX)?_\d\S* not found|version `\S+'' not found|(?i:ABI '
		'(?:mismatch|version))|compiled against (?:ABI|API) version|PyInit_\w{2,40}|DSO support routines|cannot allocate '
		'memory in static TLS block|_C(?:\.abi3|\.cpython)?\S{0,40}\.so: [^\n]{0,40}undefined',
		'The extension was built for another version of the framework, of CUDA or of the system.',
		'Build it again in this image, or install the wheel that fits; make sure all nodes have the same.', true),
	('api_mismatch', 'Library interface changed', 'user', 'incompatibility', 'error', 'root', 100,
		'AttributeError: (?:partially initialized )?module ''[\w.]+'' has no attribute|AttributeError: type object ''\w+'' has '
		'no attribute|got an unexpected keyword argument|missing \d+ required (?:positional|keyword-only) arguments?|takes '
		'(?:from \d+ to )?\d+ positional arguments? but|got multiple values for (?:keyword )?argument|Unknown builtin '
		'op|incompatible function arguments|(?:has been|was|is) (?:removed|deprecated) (?:in|since|from)[^\n]{0,60}Error',
		'Script and library are of versions that do not go together.',
		'Pin the version that the script was written for.', true),
	('extension_build_failed', 'Extension could not be built', 'user', 'incompatibility', 'warning', 'root', 100,
		'(?i)error building extension|ninja: build stopped|nvcc fatal|(?:building|build) (?:of )?wheel[^\n]{0,60}failed|failed '
		'(?:building|to build) (?:wheel|installable wheels)|fatal error: [\w./]{1,80}: No such file|command '
		'''?\[?''?ninja[^\n]{0,60}returned non-zero|collect2: error: ld returned|error: command ''\S{1,80}(?:gcc|g\+\+|nvcc|cc'
		'|clang)'' failed|cmake error at|compilation terminated|(?:DeepSpeedCPUAdam|FusedAdam|CPUAdagrad)'' object has no '
		'attribute',
		'A compiler or header is missing in the image. Often an optional kernel with a slower stand-in.',
		'Install compiler and headers or a built package, if the kernel is needed.', true),
	('compile_failed', 'Graph compiler failed', 'framework', 'framework', 'error', 'root', 100,
		'torch\._(?:dynamo|inductor)\.exc\.|torch\._(?:dynamo|inductor)[\w.]{0,40}\.\w{3,40}(?:Error|Exception|Exceeded'
		'|Unsupported)|BackendCompilerFailed|InductorError|LoweringException|TorchRuntimeError'
		'|triton[\w.]{0,40}(?:CompilationError)|Triton Error \[CUDA\]|(?i:graph compil\w* (?:failed|error))'
		'|torch\.fx\.experimental\.symbolic_shapes\.\w{5,50}|GuardOnDataDependentSymNode|FailOnRecompileLimitHit|torch\.(?:jit'
		'|export)\.?\w{0,20}\.\w{3,30}Error|torch\.compile[^\n]{0,60}(?:failed|error)',
		'The compiler of the framework cannot turn this model or kernel into code.',
		'Switch compilation off to go on; report model and version.', true),
	('driver_too_old', 'GPU driver too old', 'user', 'incompatibility', 'error', 'root', 100,
		'NVIDIA driver on your system is too old|CUDA driver version is insufficient|forward compatibility was attempted|CUDA '
		'Driver version found is \d+\. Minimum|CUDA_ERROR_(?:COMPAT_NOT_SUPPORTED_ON_DEVICE|SYSTEM_DRIVER_MISMATCH)'
		'|(?i:driver[^\n]{0,40}(?:too old|is insufficient|older than))|unsatisfied condition: cuda>=|requires NVIDIA '
		'driver[^\n]{0,60}',
		'The driver of the host is older than the CUDA of the image.',
		'Update the driver, or use an image with an older CUDA.', true),
	('no_kernel_image', 'Built without this GPU type', 'user', 'incompatibility', 'error', 'root', 100,
		'no kernel image is available for execution|only supports Ampere GPUs or newer|is not compatible with the current '
		'PyTorch installation|hipErrorNoBinaryForGpu|CUDA_ERROR_NO_BINARY|(?:GPU|compute capability|sm_\d+'
		'|gfx\w{3,5})[^\n]{0,60}(?:is )?not supported (?:by|in|on)|Unsupported gpu architecture',
		'The library was compiled for other GPU generations.',
		'Install a build for this one, or switch that kernel off.', true),
	('hub_download_failed', 'Model or tokenizer could not be fetched', 'user', 'configuration', 'error', 'root', 100,
		'[Cc]ouldn''t (?:connect to (?:''?https|the Hub)|reach ''?\S)|HfHubHTTPError|LocalEntryNotFoundError'
		'|RepositoryNotFoundError|OfflineModeIsEnabled|outgoing traffic has been disabled|cannot find the '
		'(?:requested|appropriate) files in the (?:local|disk) cache|huggingface\.co[^\n]{0,120}(?:[Tt]imed? ?out|Max '
		'retries|unreachable|Connection)|Consistency check failed: file should be of size',
		'The node has no way to the outside, the name is wrong, or the hub is not answering.',
		'Fetch it beforehand into a shared cache and set offline mode.', true),
	('certificate_error', 'Certificate refused', 'platform', 'network_settings', 'error', 'root', 100,
		'CERTIFICATE_VERIFY_FAILED|\bSSLError\b|\bssl\.SSL\w{3,30}|certificate (?:has expired|verify failed|signed by '
		'unknown)|x509: certificate|TLS handshake[^\n]{0,30}(?:fail|error|timeout)|SSL_ERROR_\w{3,20}|unable to get local '
		'issuer',
		'A certificate ran out, is not known here, or the clock is wrong.',
		'Renew it or install the issuer; check the clock of the node.', true),
	('assertion_failed', 'Assertion failed', 'user', 'program_bug', 'warning', 'root', 300,
		'\bAssertionError\b|Assertion `[^\n]{1,200}` failed|(?:python|pt_main_thread)\S{0,8}: [^\n]{0,200}: Assertion '
		'[`'']|Check failed: |\bassert(?:ion)? failed\b',
		'The program found a state that it does not allow; the message says which.',
		'Read the condition and check configuration and data for it.', true),
	('python_exception', 'Uncaught Python exception', 'user', 'program_bug', 'warning', 'cascade', 400,
		'Traceback \(most recent call last\):|(?m:^(?:[A-Za-z_][\w.]{0,60}\.)?(?:RuntimeError|SystemError'
		'|\w{0,40}Exception): )',
		'The program raised an error; the last line of the block names it. Often only the consequence of another rank that '
		'failed.',
		'Read the last line and the deepest frame in your own code, and which rank had it first.', true),
	('config_file_error', 'Configuration file cannot be read', 'user', 'configuration', 'error', 'root', 200,
		'MissingMandatoryValue|Key ''?[\w.]{1,80}''? is not in struct|Config(?:Attribute|Key|Composition|Type|Index)Error'
		'|yaml\.(?:scanner|parser|constructor|composer|representer)\.|JSONDecodeError|TOMLDecodeError|omegaconf\.errors\.'
		'|hydra\.errors\.|ConfigCompositionException|Could not override|Interpolation(?:Key|Resolution'
		'|ToMissing\w{0,6})\w{0,6}Error|InstantiationException|pydantic\w{0,6}\.[\w.]{0,40}ValidationError|validation errors? '
		'for [A-Z]|configparser\.\w{3,30}|ParserError',
		'A file of settings does not parse, lacks a value, or has a name that the program does not know.',
		'Correct the key or line that the message names; compare with the configuration of a run that worked.', true);
