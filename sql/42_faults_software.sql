/*
 * Built-in faults of training programs, frameworks and Python; what the columns mean: 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, builtin)
VALUES
	('file_not_found', 'File or path missing', 'user', 'misoperation', 'error', 'root', 300,
		'FileNotFoundError|can''t open file',
		'The path is misspelt, not mounted on this node, or was deleted.',
		'Check the path and the mount on every node.', true),
	('path_missing', 'A path does not exist', 'user', 'misoperation', 'warning', 'root', 300,
		'No such file or directory|\bENOENT\b',
		'Something looked for a path that is not there. Many programs go on without it, so healthy jobs print this too.',
		'Take it up only where healthy ranks or jobs do not have it; then check path and mount on that node.', true),
	('permission_denied', 'Permission denied', 'user', 'misoperation', 'error', 'root', 200,
		'PermissionError|Permission denied|EACCES|Operation not permitted',
		'User or container may not do this.',
		'Correct owner, mode or mount options; give each user a cache of his own.', true),
	('shm_bus_error', 'Shared memory too small for the data loader', 'user', 'configuration', 'error', 'root', 100,
		'killed by signal: Bus error|Unexpected bus error encountered in worker|insufficient shared memory',
		'/dev/shm is too small; containers often start with 64 MB.',
		'Raise --shm-size or mount a memory volume there; use fewer workers.', true),
	('dataloader_worker_died', 'Data loader worker died', 'user', 'program_bug', 'error', 'cascade', 100,
		'DataLoader worker \(pid(?:\(s\))? [\d, ]+\) (?:exited unexpectedly|is killed by signal)|Pin memory thread exited '
		'unexpectedly|Caught \w+ in DataLoader worker process',
		'A worker crashed: memory, a bad sample, a native library.',
		'Run with no workers to see the real error; check the memory of the host.', true),
	('data_stall', 'Training waits for data', 'hardware', 'storage', 'info', 'confirmation', 300,
		'(?i)\b(?:data ?loader|data|batch|input)\b[^\n]{0,40}\b(?:queue (?:is )?empty|not '
		'ready|starv\w+|stall\w*)\b|\bwait(?:ed|ing) [\d.]+ ?m?s(?:ec)? for (?:the )?(?:data|a batch|batch)',
		'The next batch came late: slow storage or too few workers. Now and then it is harmless.',
		'Compare the nodes; use more workers and prefetch, or look at the storage of the slow one.', true),
	('data_corrupt', 'Data file damaged', 'hardware', 'storage', 'error', 'root', 200,
		'(?i)\b(?:corrupt(?:ed)?(?!/)|truncated|damaged)\b[^\n]{0,40}\b(?:sample|record|shard|dataset|index|archive|file|jpeg'
		'|image|data)\b|\b(?:crc|crc32|checksum|md5|sha256)\b[^\n]{0,60}\b(?:mismatch|failed|does not '
		'match|error|wrong)\b|BadZipFile|UnpicklingError|\bEOFError\b|bad magic number|invalid magic',
		'A file of the data set does not hold what was written.',
		'Compare its checksum with the source, copy it again and check the storage.', true),
	('loss_nan', 'Loss or gradients are not numbers', 'user', 'configuration', 'error', 'root', 100,
		'found NaN in (?:local grad norm|local forward loss|loss)|(?:NaN|Inf) grad norm|found Inf in local grad norm|NaN or '
		'Inf found in input tensor|due to (?:NaN|Inf) loss|(?i:\b(?:loss|grad(?:ient)?s?(?:[ '
		'_]norm)?)\b["'']?\s{0,3}(?:is|are|became|value|=|:)?\s{0,3}:?\s{0,3}[+-]?(?:nan|inf|infinity)\b)|(?i:\b(?:nan|inf)s? '
		'(?:detected|found|encountered|in (?:the )?(?:loss|gradients?|weights|logits)))|(?i:non-finite (?:loss|grad\w*))',
		'Training diverged, a batch is bad, numbers overflowed, or one device calculates wrongly.',
		'Skip the batch, lower the learning rate, check the data. If one rank has it first, test its device.', true),
	('loss_diverged', 'Loss diverges', 'user', 'configuration', 'warning', 'root', 100,
		'(?i)\bloss (?:has |is )?(?:diverg\w+|explod\w+|exploded)|\bloss spike|\bloss\b["\'']?\s{0,3}(?:value)?[:=]\s{0,'
		'3}\d(?:\.\d+)?E\+(?:0[3-9]|[1-9]\d)',
		'The learning rate is too high, the data changed, or an earlier checkpoint was already bad.',
		'Go back to a checkpoint before the rise, lower the learning rate or lengthen the warm-up.', true),
	('loss_scale_min', 'Loss scale at its lower end', 'user', 'configuration', 'error', 'root', 100,
		'(?i)loss scale already at minimum|loss scale (?:has )?reached (?:its )?minimum',
		'With 16-bit floats every step overflows.',
		'Use bfloat16, lower the learning rate, check the data.', true),
	('grad_overflow_skip', 'Step skipped after an overflow', 'noise', 'training', 'info', 'benign', 100,
		'(?i)gradient overflow|overflow detected[^\n]{0,60}skipp|\bOVERFLOW!|skipping (?:optimizer )?step[^\n]{0,60}(?:loss '
		'scale|overflow)',
		'Mixed precision looks for its loss scale, at the start as a rule.',
		'Nothing, unless it never stops.', true),
	('size_mismatch', 'Checkpoint and model do not fit', 'user', 'program_bug', 'error', 'root', 100,
		'size mismatch for \S+|Error\(s\) in loading state_dict|(?:Missing|Unexpected) key\(s\) in '
		'state_dict|(?i:checkpoint[^\n]{0,60}(?:shape|size) mismatch)',
		'The model is configured otherwise than the one that was saved.',
		'Use the configuration of the checkpoint, or convert it to the new layout.', true),
	('tensor_shape', 'Tensor shapes do not fit', 'user', 'program_bug', 'error', 'root', 200,
		'shapes? cannot be multiplied|must match the size of tensor|(?i:shape mismatch)|size mismatch, |cannot be broadcast '
		'together|(?i:\bshapes? [^\n]{0,60}(?:incompatible|not compatible|do not match|invalid for input))|The expanded size '
		'of the tensor',
		'Two tensors that meet in an operation have sizes that do not go together: a wrong sequence length, batch or '
		'configuration.',
		'Print the shapes at the line of the traceback and compare configuration and data.', true),
	('index_out_of_range', 'Index out of range', 'user', 'program_bug', 'error', 'root', 200,
		'index out of range in self|IndexError:|index \d+ is out of bounds|out of bounds for dimension',
		'A number looks up more than there is: a token beyond the vocabulary, a position beyond the sequence length, a list '
		'that is too short.',
		'Compare sequence length and vocabulary of data and model.', true),
	('dtype_mismatch', 'Tensor types or devices do not fit', 'user', 'program_bug', 'error', 'root', 100,
		'[Ee]xpected scalar type \w+|to have the same dtype|Input type [^\n]{0,80} weight type|Expected all tensors to be on '
		'the same device',
		'Two tensors differ in number type or lie on different devices.',
		'Cast or move them at the line of the traceback; check mixed-precision settings.', true),
	('autograd_misuse', 'Gradient calculation used wrongly', 'user', 'program_bug', 'error', 'root', 100,
		'modified by an inplace operation|backward through the graph a second time|Expected to have finished reduction in the '
		'prior iteration|does not require grad and does not have a grad_fn',
		'The model changes a tensor that is still needed, or leaves parameters without a gradient on some ranks.',
		'Correct the model at the line that is named; allow unused parameters only if they are intended.', true),
	('pickle_failed', 'Object cannot be saved or sent', 'user', 'program_bug', 'error', 'root', 100,
		'cannot pickle ''?[\w.]+''? ?object|[Cc]an''t pickle|PicklingError|cannot pickle',
		'Something is put into a checkpoint or sent to another process that cannot be turned into bytes, such as a process '
		'group, lock or open file.',
		'Leave it out of what is saved, or save plain values.', true),
	('number_overflow', 'Number does not fit', 'framework', 'framework', 'error', 'root', 100,
		'\bOverflowError\b|\bstruct\.error\b|format requires -?\d+ <= number <= -?\d+|Python int too '
		'large|(?i:\b(?:integer|int32|int64|counter|sequence number) overflow)',
		'A counter or length outgrew the field that holds it, often after a certain number of steps.',
		'Update or repair the library that owns the field; until then restart before the limit is reached.', true),
	('parallel_size_invalid', 'Parallel sizes do not fit', 'user', 'configuration', 'error', 'root', 100,
		'(?i)(?:not divisible by|should be divisible by|must be divisible by|must be a multiple of|is not equal '
		'to)[^\n]{0,160}(?:parallel|world|pipeline|tensor|heads|layers)|(?:parallel|world[ _]size|heads|layers|batch[ '
		'_]size)\b[^\n]{0,120}(?:divisible by|multiple of)|world[ _]size[^\n]{0,60}(?:!=|does not match|not equal|mismatch)',
		'The parallel sizes do not divide the number of ranks, the layers, the heads or the batch.',
		'Choose sizes whose product divides the ranks and that divide layers, heads and batch.', true),
	('config_error', 'Wrong option or configuration', 'user', 'configuration', 'error', 'root', 200,
		'unrecognized arguments|error: argument |invalid choice:|Invalid (?:option|config)|invalid config '
		'option|MissingMandatoryValue|Key ''?[\w.]+''? is not in struct|ConfigAttributeError|yaml\.(?:scanner|parser)\.'
		'|JSONDecodeError|TOMLDecodeError|the following arguments are required',
		'The command line or a configuration file is wrong.',
		'Correct the option that the message names.', true),
	('environment_variable', 'Environment variable missing', 'user', 'configuration', 'error', 'root', 100,
		'(?i:environment variable \S+ (?:is )?(?:expected, but )?(?:not set|missing|undefined))|KeyError: '
		'''(?:MASTER_ADDR|MASTER_PORT|RANK|WORLD_SIZE|LOCAL_RANK)''',
		'The launcher did not set what the program needs, or the container does not pass it on.',
		'Start through the launcher, or export the variable into the container.', true),
	('import_error', 'Module missing or broken', 'user', 'incompatibility', 'error', 'root', 100,
		'ModuleNotFoundError: No module named|ImportError: |cannot open shared object file',
		'The package is not in this image, or another version of it is.',
		'Put the version that the script expects into the image of all nodes.', true),
	('undefined_symbol', 'Compiled extension does not fit', 'user', 'incompatibility', 'error', 'root', 100,
		'undefined symbol: |GLIBC(?:XX)?_\d\S* not found|version `\S+'' not found|(?i:ABI (?:mismatch|version))|numpy\.dtype '
		'size changed|compiled against (?:ABI|API) version',
		'The extension was built for another version of the framework, of CUDA or of the system.',
		'Build it again in this image, or install the wheel that fits; make sure all nodes have the same.', true),
	('api_mismatch', 'Library interface changed', 'user', 'incompatibility', 'error', 'root', 100,
		'AttributeError: (?:partially initialized )?module ''[\w.]+'' has no attribute|got an unexpected keyword '
		'argument|missing \d+ required positional argument|takes \d+ positional arguments? but',
		'Script and library are of versions that do not go together.',
		'Pin the version that the script was written for.', true),
	('extension_build_failed', 'Extension could not be built', 'user', 'incompatibility', 'warning', 'root', 100,
		'(?i)error building extension|ninja: build stopped|nvcc fatal|(?:building|build) (?:of )?wheel[^\n]{0,60}failed|fatal '
		'error: [\w./]{1,80}: No such file',
		'A compiler or header is missing in the image. Often an optional kernel with a slower stand-in.',
		'Install compiler and headers or a built package, if the kernel is needed.', true),
	('compile_failed', 'Kernel or graph compiler failed', 'framework', 'framework', 'error', 'root', 100,
		'torch\._(?:dynamo|inductor)\.exc\.|triton[\w.]{0,40}(?:CompilationError|OutOfResources)|Triton Error '
		'\[CUDA\]|(?i:graph compil\w* (?:failed|error))',
		'The compiler of the framework cannot turn this model or kernel into code.',
		'Switch compilation off to go on; report model and version.', true),
	('driver_too_old', 'GPU driver too old', 'user', 'incompatibility', 'error', 'root', 100,
		'NVIDIA driver on your system is too old|CUDA driver version is insufficient|forward compatibility was attempted',
		'The driver of the host is older than the CUDA of the image.',
		'Update the driver, or use an image with an older CUDA.', true),
	('no_kernel_image', 'Built without this GPU type', 'user', 'incompatibility', 'error', 'root', 100,
		'no kernel image is available for execution|only supports Ampere GPUs or newer|is not compatible with the current '
		'PyTorch installation',
		'The library was compiled for other GPU generations.',
		'Install a build for this one, or switch that kernel off.', true),
	('hub_download_failed', 'Model or tokenizer could not be fetched', 'user', 'configuration', 'error', 'root', 100,
		'[Cc]ouldn''t connect to (?:''?https|the Hub)|HfHubHTTPError|LocalEntryNotFoundError|RepositoryNotFoundError'
		'|GatedRepoError|Can''t load (?:tokenizer|the model|config\w*) for',
		'The node has no way to the outside, the name is wrong, or a token is missing.',
		'Fetch it beforehand into a shared cache and set offline mode.', true),
	('certificate_error', 'Certificate refused', 'platform', 'network_settings', 'error', 'root', 100,
		'CERTIFICATE_VERIFY_FAILED|\bSSLError\b|certificate (?:has expired|verify failed)',
		'A certificate ran out, is not known here, or the clock is wrong.',
		'Renew it or install the issuer; check the clock of the node.', true),
	('assertion_failed', 'Assertion failed', 'user', 'program_bug', 'warning', 'root', 300,
		'\bAssertionError\b|Assertion `[^\n]{1,200}` failed|Check failed: ',
		'The program found a state that it does not allow; the message says which.',
		'Read the condition and check configuration and data for it.', true),
	('python_exception', 'Uncaught Python exception', 'user', 'program_bug', 'warning', 'cascade', 400,
		'Traceback \(most recent call last\):',
		'The program raised an error; the last line of the block names it. Often only the consequence of another rank that '
		'failed.',
		'Read the last line and the deepest frame in your own code, and which rank had it first.', true);
