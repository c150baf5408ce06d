/*
 * Built-in faults of GPU libraries, frameworks for training, and what they load; what the columns mean:
 * 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, builtin)
VALUES
	('cuda_invalid_argument', 'GPU call got an invalid argument', 'framework', 'framework', 'error', 'root', 200,
		'CUDA (?:runtime )?(?:error|driver error|failure \d{0,5} ?):? ?''?invalid argument|cudaErrorInvalidValue'
		'|CUDA_ERROR_INVALID_VALUE|hipErrorInvalidValue|cudaErrorInvalidDevicePointer|cudaErrorInvalidMemcpyDirection',
		'A library passed the driver something it does not take: a wrong size or pointer, or library and driver that do not '
		'fit.',
		'Take the call from the traceback (CUDA_LAUNCH_BLOCKING=1); try the library in the version that the driver was tested '
		'with.', true),
	('cuda_launch_config', 'GPU kernel started with impossible sizes', 'framework', 'framework', 'error', 'root', 200,
		'CUDA error: invalid configuration argument|cudaErrorInvalidConfiguration|too many resources requested for '
		'launch|cudaErrorLaunchOutOfResources|CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES|hipErrorInvalidConfiguration'
		'|cudaErrorInvalidDeviceFunction|hipErrorInvalidDeviceFunction|invalid device function',
		'The kernel needs more threads, registers or shared memory than this GPU has, was built for another one, or its input '
		'is empty or huge.',
		'Look at the shapes at the call of the traceback (an empty batch is usual); else build the kernel for this GPU type or '
		'switch it off.', true),
	('cuda_invalid_handle', 'GPU object used in the wrong process or device', 'user', 'program_bug', 'error', 'root', 200,
		'CUDA (?:error|driver error|failure \d{0,5} ?):? ?''?(?:invalid resource handle|invalid device context|context is '
		'destroyed|initialization error|driver shutting down)|cudaError(?:InvalidResourceHandle|InitializationError'
		'|CudartUnloading|ContextIsDestroyed)|CUDA_ERROR_(?:INVALID_CONTEXT|INVALID_HANDLE|NOT_INITIALIZED|DEINITIALIZED'
		'|CONTEXT_IS_DESTROYED)|Cannot re-initialize CUDA in forked subprocess',
		'A stream, event or tensor of one device or process is used in another one: CUDA was touched before a fork, or the '
		'current device was not set.',
		'Start workers with the spawn method, set the device of the rank first, and move nothing on the GPU '
		'before the fork.', true),
	('cuda_unknown_error', 'GPU driver in an unknown state', 'hardware', 'accelerator', 'error', 'root', 200,
		'CUDA (?:driver )?(?:error|unknown error|error \d{3}):? ?(?:unknown error|- this may be due to an incorrectly '
		'set)|cudaErrorUnknown|CUDA_ERROR_UNKNOWN|CUDA unknown error|cudaErrorSystemDriverMismatch|hipErrorUnknown|CUDA driver '
		'initialization failed',
		'The driver gave no reason: module not loaded wholly, a GPU that is gone, or a container without all its devices.',
		'Look at nvidia-smi and the kernel log of the node; reload the driver or reboot. When only the container fails, check '
		'its devices and cgroup.', true),
	('cuda_graph_capture', 'Operation not allowed in a captured graph', 'user', 'program_bug', 'error', 'root', 100,
		'operation (?:not permitted when stream is capturing|failed due to a previous error during capture|would make the '
		'legacy stream depend)|cudaErrorStreamCapture\w{3,30}|CUDA_ERROR_STREAM_CAPTURE\w{3,30}|(?i:cuda '
		'?graph[^\n]{0,80}(?:capture (?:failed|error)|cannot be captured|failed to capture))',
		'Something that waits for the GPU, or takes memory of the host, runs while a CUDA graph is recorded.',
		'Switch CUDA graphs off to go on; take the call of the traceback out of the captured part.', true),
	('cuda_ptx_unsupported', 'GPU code does not fit driver or GPU', 'user', 'incompatibility', 'error', 'root', 100,
		'PTX was compiled with an unsupported toolchain|CUDA_ERROR_(?:UNSUPPORTED_PTX_VERSION|INVALID_PTX|INVALID_IMAGE'
		'|INVALID_SOURCE|NO_BINARY_FOR_GPU|JIT_COMPILER_NOT_FOUND)|device kernel image is invalid|named symbol not '
		'found|cudaError(?:UnsupportedPtxVersion|InvalidPtx|InvalidKernelImage|SymbolNotFound|InsufficientDriver'
		'|NoKernelImageForDevice)|PTX JIT compil\w{0,6} (?:failed|error)|ptxas [^\n]{0,40}unsupported',
		'The code was built with a newer CUDA than the driver knows, or for another GPU generation.',
		'Update the driver, or build (or install) for the CUDA version and the GPU of this node.', true),
	('cudnn_unusable', 'cuDNN has no way to do this', 'user', 'incompatibility', 'error', 'root', 200,
		'CUDNN_STATUS_(?:NOT_SUPPORTED\w{0,40}|BAD_PARAM\w{0,40}|ARCH_MISMATCH|VERSION_MISMATCH|SUBLIBRARY\w{0,40}'
		'|LICENSE_ERROR|RUNTIME_\w{3,40})|cuDNN version incompatibility|Could not load library libcudnn|[Uu]nable to load any '
		'of \{?libcudnn|Loaded runtime CuDNN library: |(?:Unable to find a valid cuDNN algorithm|unable to find an engine to '
		'execute this|No valid (?:execution plans|engine configs)|FIND was unable to find)|Invalid handle\. Cannot load symbol '
		'cudnn|DNN library (?:initialization failed|is not found)|Could not create cudnn handle|Failed to get convolution '
		'algorithm',
		'The cuDNN that was loaded is another one than the framework was built with, or no memory is left for its workspace, '
		'or the shapes are not supported.',
		'See which libcudnn is loaded (LD_LIBRARY_PATH before the pip one is usual); look at free GPU memory; try with cuDNN '
		'switched off.', true),
	('cublas_invalid', 'Matrix library was called wrongly', 'user', 'program_bug', 'error', 'root', 200,
		'CUBLAS_STATUS_(?:INVALID_VALUE|NOT_SUPPORTED|ARCH_MISMATCH|MAPPING_ERROR|LICENSE_ERROR)|HIPBLAS_STATUS_\w{3,30}'
		'|rocblas_status_\w{3,30}|Unable to find suitable (?:cublasLt|hipblasLt)?',
		'Shapes or types do not go together (a number beyond the vocabulary gives this late), or the library is another one '
		'than the framework was built with.',
		'Run with CUDA_LAUNCH_BLOCKING=1 and print shapes and types at the call; remove other CUDA libraries from '
		'LD_LIBRARY_PATH.', true),
	('gpu_library_failed', 'GPU library failed', 'framework', 'framework', 'error', 'root', 200,
		'CU(?:SPARSE|SOLVER|RAND|FFT|TENSOR|DSS)_(?:STATUS_)?(?:NOT_INITIALIZED|ALLOC_FAILED|INVALID\w{0,20}|ARCH_MISMATCH'
		'|EXECUTION_FAILED|INTERNAL_ERROR|INSUFFICIENT\w{0,20}|EXEC_FAILED|NOT_SUPPORTED)|(?:cusolver|cusparse|cufft|curand) '
		'error|(?:hipSOLVER|hipsparse|MIOpen|miopen)[^\n]{0,40}(?:[Ee]rror|[Ff]ailed|miopenStatus\w{3,30})|nvrtc: '
		'error|NVRTC_ERROR\w{0,30}|NVJITLINK_ERROR\w{0,30}',
		'A call of the library did not work: no memory left for its workspace, numbers that are not finite, or versions that '
		'do not fit.',
		'Look at free GPU memory and for NaN in its input; align the CUDA libraries with the framework.', true),
	('linalg_failed', 'Linear algebra did not come out', 'user', 'configuration', 'error', 'root', 100,
		'linalg\.\w{2,20}: [^\n]{0,160}(?:singular|ill-conditioned|not positive|did not converge|failed to converge|could not '
		'be completed|not invertible)|LinAlgError|(?:[Ss]ingular matrix|matrix is singular)',
		'The matrix is singular or holds numbers that are not finite: training diverged, or the input is degenerate.',
		'Look for NaN before it, and on which rank first; add a small value to the diagonal, or use higher '
		'precision there.', true),
	('torch_internal_assert', 'Framework failed a check of its own', 'framework', 'framework', 'error', 'root', 200,
		'INTERNAL ASSERT FAILED|[Pp]lease report a bug to PyTorch|\btorch\.\w{0,30}\.?InternalTorchDynamoError|'' '
		'panicked at ',
		'The framework found a state that it holds to be impossible: a bug of it, or one that memory of another fault brought '
		'about.',
		'Look for a GPU error before it; else search the text in the issues of the framework and try the next version.', true),
	('torch_without_gpu', 'Framework was built without GPU support', 'user', 'incompatibility', 'error', 'root', 100,
		'Torch not compiled with (?:CUDA|ROCm|XPU|NCCL) enabled|not compiled with (?:CUDA|GPU) support|Error: '
		'[^\n]{0,80}(?:torch\.cuda\.is_available\(\)|CUDA is not available|GPU is not available)|jaxlib[^\n]{0,60}is not (?:a '
		')?(?:CUDA|GPU)|Error: [^\n]{0,80}requires a (?:CUDA|GPU)[ -]',
		'A CPU build of the framework is installed, or it does not see a GPU here.',
		'Install the build for the CUDA of this node; check in Python that the rank sees its GPU.', true),
	('op_not_implemented', 'Operation does not exist for this device or type', 'user', 'program_bug', 'error', 'root', 100,
		'Could not run ''[\w:.]{3,80}'' with arguments from|The operator ''[\w:.]{3,80}'' is not currently|"\w{2,60}" not '
		'implemented for ''\w{2,20}''|not implemented for [''"]?(?:Half|BFloat16|Float8\w{0,12}|Long|Int|Bool|Double'
		'|ComplexFloat|Float)\b|does not have a sharding strategy|no (?:fake|meta) (?:impl|kernel)[^\n]{0,40} for|There was no '
		'kernel registered|No OpKernel was registered|Operator \S{3,60} (?:is not supported|not found|does not exist)',
		'The framework has no kernel for this operation on this device, in this number type, or for sharded tensors.',
		'Cast to a type that has one, update the framework, or let the operation run elsewhere.', true),
	('attention_unsupported', 'Attention kernel does not take this', 'user', 'incompatibility', 'error', 'root', 100,
		'No available kernel\. Aborting execution|No operator found for `memory_efficient_attention|(?:No|no) (?:dot product '
		')?attention (?:support|backend)[^\n]{0,60}|FlashAttention[^\n]{0,80}(?:only support|cannot be used|not '
		'support|requires|does not)|Error: [^\n]{0,60}flash[_ -]?att\w{0,6}[^\n]{0,60}(?:only support|not support|not '
		'installed|requires|head dim)|does not support (?:Flash Attention|an attention implementation'
		'|torch\.nn\.functional\.scaled_dot)|Device compute capability [\d.]+ or higher required|Error: '
		'[^\n]{0,60}(?:FP8|fp8|NVFP4|MXFP8)[^\n]{0,60}(?:not supported|requires compute capability|unsupported)',
		'The attention (or FP8) kernel was built for other GPUs, types, head sizes or masks.',
		'Use 16-bit types and a supported head size, or choose another attention implementation.', true),
	('meta_tensor', 'Parameter without content', 'user', 'program_bug', 'error', 'root', 100,
		'Cannot copy out of meta tensor|(?i:tensors? (?:is|are|on)(?: the)? meta device)|on (?:the )?device ?meta\b|while '
		'still on meta device|is on the meta device',
		'The model was made on the meta device and part of it was never filled, or is moved with .to().',
		'Fill it from the checkpoint (or to_empty with initialisation) before it is moved; look which keys were missing at '
		'loading.', true),
	('optimizer_misuse', 'Optimizer used wrongly', 'user', 'program_bug', 'error', 'root', 100,
		'optimizer got an empty parameter list|some parameters appear in more than one parameter group|parameter group that '
		'doesn''t match the size|different number of parameter groups|No inf checks were recorded for this '
		'optimizer|unscale_\(\) has already been called|Attempting to unscale FP16 gradients|can''t optimize a non-leaf '
		'Tensor|optimizer can only optimize Tensors|param_groups[^\n]{0,40}initial_lr',
		'The optimizer was made over other parameters than it now gets: nothing to train, 16-bit weights with a loss scaler, '
		'or a checkpoint of another grouping.',
		'Print the trainable parameters and their types where the optimizer is made; compare with the checkpoint.', true),
	('load_weights_only', 'Checkpoint holds objects that may not be loaded', 'user', 'incompatibility', 'error', 'root', 100,
		'Weights only load failed|WeightsUnpickler error|Unsupported (?:global|operand|class)[^\n]{0,40}was not an allowed '
		'global|not an allowed global by default',
		'Newer versions of torch.load take tensors alone unless told otherwise, and the file holds other objects.',
		'If the file is your own, load it with weights_only=False or allow the named class; better save plain tensors.', true),
	('load_device', 'Checkpoint names a device that is not here', 'user', 'configuration', 'error', 'root', 100,
		'Attempting to deserialize object on (?:a )?(?:CUDA|cuda|xpu|npu|HIP)|but torch\.cuda\.(?:is_available'
		'|device_count)\(\) (?:is|returns)|don''t know how to restore data location',
		'The file was saved on another device or GPU number than this process has.',
		'Load it with map_location=''cpu'' (or the device of the rank).', true),
	('collate_failed', 'Samples of a batch do not fit together', 'user', 'program_bug', 'error', 'root', 100,
		'stack expects each tensor to be equal size|each element in list of batch should be of equal size|batch must contain '
		'tensors, numpy arrays|Trying to resize storage that is not resizable|should probably activate truncation and/or '
		'padding|expected sequence of length \d+ at dim',
		'Samples have different lengths or types, and nothing pads or cuts them.',
		'Look at the sample that is named; pad in the collate function, or drop what is too long or empty.', true),
	('dataloader_timeout', 'Data loader gave up waiting', 'hardware', 'storage', 'error', 'root', 100,
		'DataLoader timed out after \d+|(?i:data ?loader[^\n]{0,60}(?:timed out|timeout expired|deadlock))',
		'A worker delivered nothing for so long: slow storage, a sample that never ends, or a lock copied by fork.',
		'If one node alone has it look at its storage; else take stacks of the workers (py-spy) and try no '
		'workers or spawn.', true),
	('dataloader_handles', 'Data loader ran out of file handles', 'user', 'configuration', 'error', 'root', 100,
		'received \d+ items of ancdata|unable to (?:open|mmap|resize|write to) (?:file|shared memory object)? ?</torch_|unable '
		'to (?:open|mmap) [^\n]{0,40}shared memory object',
		'Each tensor that a worker hands over holds a file handle or a piece of /dev/shm, and the limit is reached.',
		'Raise ulimit -n and --shm-size, or set the sharing strategy to file_system.', true),
	('start_method', 'Processes started in the wrong way', 'user', 'program_bug', 'error', 'root', 100,
		'start a new process before the\s{1,20}current process has finished its bootstrapping|context has already been '
		'set|daemonic processes are not allowed to have children|[Cc]an''t (?:start|pickle)[^\n]{0,40}(?:local '
		'object|<lambda>|AuthenticationString)|fork[^\n]{0,40}after (?:CUDA|threads)',
		'The program starts processes while it is still being imported, starts them twice, or hands them what cannot be sent.',
		'Put the start under if __name__ == ''__main__'', choose the start method once, and give only plain objects '
		'to workers.', true),
	('fsdp_misuse', 'FSDP used wrongly', 'user', 'program_bug', 'error', 'root', 100,
		'FSDP\w{0,12}[^\n]{0,80}(?:expects|requires|must|does not support|not supported|cannot|only supports)|Must flatten '
		'tensors with (?:uniform|the same)|[Ff]lat_?[Pp]aram\w{0,10}[^\n]{0,80}(?:uniform|expects|must|mismatch)'
		'|fully_shard[^\n]{0,80}(?:expects|requires|must|does not support|not supported|already)'
		'|FSDP[^\n]{0,40}state_dict_type|''weight'' must be 2-D|are out of bounds for storage of size',
		'Parameters of one unit differ in type or in being trained, the wrapping comes at the wrong time, or a feature does '
		'not go with it.',
		'Make types uniform within a wrapped unit, wrap before the optimizer is made, and read the condition in '
		'the message.', true),
	('dtensor_mixed', 'Plain and distributed tensors mixed', 'user', 'program_bug', 'error', 'root', 100,
		'got mixed torch\.Tensor and DTensor|DTensor[^\n]{0,80}(?:mesh|placements?)[^\n]{0,60}(?:must|mismatch|not|differ)'
		'|(?:device_mesh|DeviceMesh)[^\n]{0,80}(?:must|mismatch|not|invalid|exceed)|sharded (?:tensor'
		'|state)[^\n]{0,60}(?:mismatch|not supported)',
		'An operation got a distributed and a plain tensor, or tensors of two device meshes.',
		'Distribute (or gather) both before the operation; see that all were made on one mesh.', true),
	('checkpoint_layout', 'Checkpoint is of another layout', 'user', 'configuration', 'error', 'root', 100,
		'Missing key in checkpoint state_dict|\bstate_dict_metadata\['
		'|Failed to validate (?:global|local) plan|checkpoint being loaded used a '
		'(?:DP|data[ _]parallel) world size|Missing ZeRO optimizer checkpoint|can''t find ZeRO'
		'|ZeRO[^\n]{0,60}checkpoint[^\n]{0,80}world size|(?i:(?:checkpoint|saved)[^\n]{0,80}(?:tensor|pipeline|expert|data'
		'|model)[ _-](?:model[ _-])?parallel[ _-]?(?:size|degree)?[^\n]{0,60}(?:differ|mismatch|does not match|but|!=|not '
		'equal))|(?i:universal checkpoint[^\n]{0,60}(?:not|fail|mismatch))|tree structures do not match|value in the '
		'checkpoint, \S{1,40}, is not equal|dist_checkpointing[\w.]{0,30}\.CheckpointingException',
		'It was saved with other parallel sizes, another optimizer or another model than it is loaded into.',
		'Load with the sizes of the save, or convert it (universal or distributed checkpoint); leave the optimizer out if only '
		'weights are needed.', true),
	('deepspeed_config', 'DeepSpeed settings do not go together', 'user', 'configuration', 'error', 'root', 100,
		'DeepSpeedConfigError|Check batch related parameters|train_batch_size is not equal to micro_batch|DeepSpeed '
		'(?:Zero|ZeRO|config)[^\n]{0,80}(?:not compatible|incompatible|must|requires|not supported)|is not compatible with '
		'(?:ZeRO|DeepSpeed|zero)|When using DeepSpeed[^\n]{0,160}(?:must|requires|please)|(?:Accelerate'
		'|deepspeed)[^\n]{0,60}config[^\n]{0,60}(?:mismatch|do not match|don''t match)|Please correct the following DeepSpeed '
		'config|no_?sync context manager|is enabled but the following parameters have dtype',
		'Batch sizes do not multiply out, or an option does not go with the ZeRO stage, optimizer or offload that is set.',
		'Make train batch = micro batch x accumulation x ranks, or set the values to "auto"; switch off the option that is '
		'named.', true),
	('deepspeed_zero_state', 'ZeRO lost track of a parameter', 'framework', 'framework', 'error', 'root', 100,
		'still have inflight params|tracing error at step|''status'': ''(?:INFLIGHT|NOT_AVAILABLE)''|expected param '
		'[^\n]{0,80}(?:inflight|available)|param \d+ is already available or inflight|ds_status[^\n]{0,40}(?:INFLIGHT'
		'|NOT_AVAILABLE)|deepspeed[^\n]{0,80}inflight|in the parameter fetch queue',
		'Modules ran in another order than ZeRO-3 recorded, as with branches by rank or step, experts, or a forward that was '
		'cut off.',
		'Mark blocks that are not always used as leaf modules, set the prefetch bucket to 0, or use ZeRO-2; see that no error '
		'came before it.', true),
	('triton_failed', 'Triton kernel could not be made', 'framework', 'framework', 'error', 'root', 200,
		'out of resource: (?:shared memory|registers|threads)|PassManager::run failed|Internal Triton PTX codegen error|ptxas '
		'(?:fatal|error)|triton\.(?:compiler|runtime)\.\w{0,20}\.?\w{0,30}(?:Error|OutOfResources)|Triton '
		'(?:compilation|kernel)[^\n]{0,60}(?:failed|error)|(?:ttir|ttgir|tritongpu|LLVM ERROR)[^\n]{0,80}(?:error|[Cc]annot '
		'select|fail)|(?:autotun\w{1,4}|max_autotune)[^\n]{0,60}(?:failed|no valid)|No valid triton configs|error: '
		'''\w{2,12}\.\w{2,30}'' op ',
		'The kernel asks for more shared memory or registers than this GPU has, or the compiler has a bug.',
		'Use smaller blocks or fewer stages, update Triton with the framework, or switch that kernel off.', true),
	('hub_access_denied', 'Model or data set may not be fetched', 'user', 'configuration', 'error', 'root', 100,
		'GatedRepoError|Cannot access gated repo|Access to (?:model|dataset) \S{1,80} is restricted|(?:401|403) Client '
		'Error|Invalid (?:username or password|user token|credentials)|Repository Not Found for url|Your request to '
		'access|huggingface[^\n]{0,80}(?:[Uu]nauthorized|[Ff]orbidden)|LocalTokenNotFoundError|You need to be logged in|Token '
		'is required|trying to access a gated repo|Make sure to have access to it at',
		'The token is missing or wrong on this node, or its owner has not been granted access.',
		'Set the token (HF_TOKEN) in the job, accept the terms with that account, or take a local copy.', true),
	('hub_name_wrong', 'Model or data set of that name is not there', 'user', 'misoperation', 'error', 'root', 100,
		'is not a local folder and is not a valid model identifier|is not a valid model identifier|HFValidationError|Repo id '
		'must|does not appear to have (?:a )?files? named|no file named \S{1,80} found in directory|RevisionNotFoundError'
		'|\b(?:Remote)?EntryNotFoundError: |DatasetNotFoundError|doesn''t exist on the Hub|DataFilesNotFoundError|Couldn''t '
		'find (?:a dataset script|any data file)|BuilderConfig ''?\S{1,60}''? not found|Unknown split|(?:Incorrect '
		'path_or_model_id|Invalid model_id)|Can''t (?:find|load) (?:''\S{1,60}''|a (?:config|tokenizer)\w*)|Unable to load '
		'weights from (?:pytorch|tf|flax) checkpoint',
		'The name is misspelt, or a local path does not exist on this node and is taken for a name.',
		'Check the path on this node, or name and revision; see that the files are whole.', true),
	('hub_rate_limited', 'Hub answers too many requests', 'platform', 'network_settings', 'error', 'root', 100,
		'429 Client Error|Too Many Requests|HTTP(?:Error)? ?(?:status )?429|rate limit(?:ed| exceeded)',
		'All ranks ask the hub at once.',
		'Let one rank fetch into a shared cache and the others work offline.', true),
	('dataset_load_failed', 'Data set could not be read', 'user', 'misoperation', 'error', 'root', 100,
		'DatasetGenerationError|DatasetGenerationCastError|datasets\.(?:exceptions|builder|utils\.\w{2,30})\.\w{3,40}(?:Error'
		'|Exception)|NonMatching(?:Splits?Sizes?|Checksum)Error|ExpectedMoreSplits|pyarrow\.lib\.Arrow\w{3,30}'
		'|\bArrowInvalid\b|Couldn''t cast array of type|All the data files must have the same columns|Column \S{1,40} not in '
		'the dataset|Schema at index \d+ was different|Mismatched fields|Failed to read file ''[^'']{1,120}'' with error|Index '
		'file doesn''t match expected format|Zero-sized file: |bad header, cannot read',
		'Files of the set have other columns or types than expected, are of the wrong format, or a cache of another version is '
		'used.',
		'Take the file from the message and look at it; clear the cache of the set, or name the columns.', true),
	('model_unknown', 'Model type not known to this library', 'user', 'incompatibility', 'error', 'root', 100,
		'does not recognize this architecture|Unrecognized (?:configuration class|model in|processing class|image '
		'processor|feature extractor)|model type `?\S{1,40}`? but Transformers does not|The checkpoint you are trying to load '
		'has model type|[Mm]odel (?:class|architecture|type)s? \S{1,60} (?:is|are) not supported|Unsupported '
		'(?:model|architecture|config)[ :]|trust_remote_code=True',
		'The library is older than the model, or the model brings code of its own that may not run.',
		'Update the library to the version named on the model''s page; allow its code only if you trust it.', true),
	('tokenizer_failed', 'Tokenizer unusable', 'user', 'configuration', 'error', 'root', 100,
		'does not have a padding token|did not match any variant of untagged enum|chat_template is not set|no chat '
		'template|pyo3_runtime\.PanicException|(?:tokenizer|Tokenizer)[^\n]{0,60}(?:not found|does not exist|must '
		'(?:have|be)|failed to load|cannot be loaded|could not be loaded|has no)|sentencepiece_processor\.cc[^\n]{0,80}'
		'|Internal: [^\n]{0,40}(?:ParseFromArray|could not parse ModelProto)|vocab(?:_size|ulary(?: '
		'size)?)[^\n]{0,60}(?:mismatch|does not match|smaller than|exceeds)|no padding token is defined',
		'Its files are missing or of another library version, or it lacks a token or template that the job needs.',
		'Check the tokenizer files on this node and the library version; set the padding token or template.', true),
	('trainer_settings', 'Training library refuses these settings', 'user', 'configuration', 'error', 'root', 100,
		'MisconfigurationException|You (?:can''t|cannot) (?:train|move|use|fine-tune|perform)[^\n]{0,200}(?:quantized'
		'|device_map|8-bit|4-bit|offload|accelerat|strategy)|Target modules? [^\n]{0,120}not found in the base model|Error: '
		'[^\n]{0,80}(?:TrainingArguments|Trainer|Accelerator|SFTConfig|LoraConfig)[^\n]{0,80}(?:must|requires|cannot|not '
		'supported|incompatible)|Error: [^\n]{0,40}`?--?\w[\w-]{2,40}`? (?:requires|is not (?:compatible|supported) '
		'with|cannot be used (?:with|together))|Error: [^\n]{0,80}(?:fp16|bf16|mixed precision)[^\n]{0,60}(?:requires|not '
		'supported|can only be used|is not available)|Error: [^\n]{0,120}(?:mutually exclusive|[Oo]nly one of)|is not '
		'supported for `?[48]-bit|conditioned on metric',
		'Two options exclude each other, or one does not go with this model, precision or hardware.',
		'Change the option that the message names.', true),
	('jax_oom', 'Out of memory (XLA)', 'user', 'configuration', 'error', 'root', 100,
		'RESOURCE_EXHAUSTED: (?:Out of memory|Error (?:allocating device buffer|loading program)|OOM when allocating'
		'|Ran out of memory|Failed to allocate|XLA:TPU compile permanent|Attempting to '
		'(?:allocate|reserve)|TPU|Allocation)|(?i:ran out of memory in memory space)|XLA[^\n]{0,80}out of '
		'memory|errors_impl\.ResourceExhaustedError|OOM when allocating tensor',
		'Program, activations and what XLA keeps for itself need more memory than the device has.',
		'Use a smaller batch, recomputation or more sharding; check the preallocated share and that no other process uses the '
		'device.', true),
	('jax_tracing', 'Code that JAX cannot trace', 'user', 'program_bug', 'error', 'root', 100,
		'(?:Concretization\w{0,8}|TracerBoolConversion|TracerArrayConversion|TracerIntegerConversion|UnexpectedTracer'
		'|NonConcreteBooleanIndex|KeyReuse)Error|Abstract tracer value encountered|flax\.errors\.\w{5,50}'
		'|ScopeParam\w{3,20}Error|Non-hashable static arguments|TypeError: [^\n]{0,80}(?:scan|while_loop|cond) '
		'(?:body|carry|branches)|is not a valid JAX type|[Ii]ncompatible (?:devices|shapes) for (?:jitted '
		'computation|broadcasting|dot|reshape)|(?:pjit|jax\.jit|shard_map)[^\n]{0,160}(?:divisible|incompatible|inconsistent'
		'|mismatch)',
		'Python code in a compiled function depends on values, shapes or shardings that are not known or do not fit.',
		'Correct the line that the traceback ends at; use the structured control flow of JAX, static arguments or other '
		'shardings.', true),
	('xla_error', 'XLA runtime failed', 'framework', 'framework', 'error', 'root', 200,
		'XlaRuntimeError: (?:INTERNAL|UNIMPLEMENTED|UNKNOWN|FAILED_PRECONDITION|INVALID_ARGUMENT|DATA_LOSS)|(?:JaxRuntimeError'
		'|XlaRuntimeError): (?:INTERNAL|UNIMPLEMENTED|UNKNOWN|FAILED_PRECONDITION|INVALID_ARGUMENT)|RuntimeError: Unable to '
		'initialize backend|errors_impl\.(?:Internal|Unknown|Unimplemented)Error|libtpu[^\n]{0,60}(?:fail|error|version '
		'mismatch)|PJRT[^\n]{0,60}(?:fail|error)|ptxas exited with non-zero|Exception in device=(?:TPU|XLA)'
		'|external/xla/[^\n]{0,100}Check failed',
		'The compiler or runtime under JAX or TensorFlow failed: a library or driver that does not fit, a device that is '
		'taken, or a bug.',
		'Read the rest of the line; align jaxlib, plugin and driver, look for another process on the device, try the next '
		'version.', true),
	('xla_unavailable', 'A JAX or TPU worker went away', 'framework', 'framework', 'error', 'cascade', 200,
		'XlaRuntimeError: (?:UNAVAILABLE|ABORTED|CANCELLED|DEADLINE_EXCEEDED|NOT_FOUND)|JaxRuntimeError: '
		'(?:UNAVAILABLE|ABORTED|CANCELLED|DEADLINE_EXCEEDED)|coordination service[^\n]{0,80}(?:error|disconnect|unhealthy'
		'|failed|shut ?down)|The tasks have crashed|Coordination service agent|has been set to ERROR in coordination service',
		'Another task ended, was preempted or cannot be reached; the coordinator tells all.',
		'Find the task that is named and read its last lines.', true),
	('tensorflow_invalid', 'TensorFlow was given what it cannot use', 'user', 'program_bug', 'error', 'root', 100,
		'errors_impl\.(?:InvalidArgument|FailedPrecondition|NotFound|OutOfRange|AlreadyExists|PermissionDenied'
		'|Unauthenticated)Error|tensorflow\.python\.framework\.errors_impl\.(?!DataLoss|Resource|Internal|Unknown|Unimpl'
		'|Unavail|Abort|Cancel|Deadline)\w{5,40}|Graph execution error:',
		'Shapes, types, files or the order of calls do not fit the graph.',
		'Read the node and the text behind the error and correct that input.', true),
	('rerun_mismatch', 'Same calculation gave another result', 'hardware', 'accelerator', 'critical', 'root', 100,
		'First rerun: unexpected result is (?:not )?reproducible|Possible (?:transient|persistent) error!|Unexpected result '
		'[\w.+-]{1,30} \(message=|result is not reproducible[^\n]{0,60}(?:GPU|rank|device)',
		'The device gave two answers for one calculation, or the same bad one twice, which points to bad data or '
		'code instead.',
		'When it is not reproducible take the node out and test the GPU; when it is, look at the batch and the loss.', true),
	('torch_tensor_misuse', 'Tensor operation used wrongly', 'user', 'program_bug', 'warning', 'root', 300,
		'(?m)^(?! {4}|\t)[^\n]{0,200}?\b(?:RuntimeError|TypeError): (?!NCCL|CUDA|HIP|Timed|Connection'
		'|\[)[^\n]{0,160}\b[Tt]ensors?\b',
		'An operation got a tensor that it does not take: type, layout, size, device, or no gradient where one is needed.',
		'Print type, shape and device of the tensors at the line of the traceback.', true),
	('cuda_not_supported', 'GPU does not allow this operation here', 'platform', 'resource_management', 'error', 'root', 200,
		'CUDA (?:error|driver error|failure \d{0,5} ?):? ?''?operation not supported|cudaErrorNotSupported'
		'|CUDA_ERROR_NOT_SUPPORTED|cudaErrorNotPermitted|CUDA_ERROR_NOT_PERMITTED|cudaErrorMps\w{3,30}|CUDA_ERROR_MPS\w{3,30}'
		'|cudaErrorInvalidAddressSpace|cudaErrorCallRequiresNewerDriver|the launch timed out and was terminated',
		'The mode of the GPU (MIG, virtual GPU, MPS, compute mode), the container or the driver does not let the '
		'program do it.',
		'Compare mode and driver of this GPU with those of a node where it works; restart the MPS daemon where '
		'one is used.', true);
