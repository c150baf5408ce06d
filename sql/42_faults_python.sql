/*
 * Built-in faults of Python itself and of packages: errors by the class that the last line of a traceback names, below the
 * certain ones (priority 300), and what does not fit together in an image; what the columns mean: 42_faults_accelerators.sql.
 */

INSERT INTO @extschema@.l4_fault (fault_key, title, category, subtype, severity, role, priority, pattern, root_cause,
	fix, builtin)
VALUES
	('extension_environment', 'Compiler or CUDA toolkit missing for a build', 'user', 'incompatibility', 'error', 'root', 100,
		'CUDA_HOME (?:environment variable is not set|does not exist|is not set)|MissingCUDAException|CUDAMismatchException'
		'|detected CUDA version \([\d.]+\) mismatches|Installed CUDA version [\d.]+ does not match|unsupported GNU '
		'version|(?:Failed|Unable) to find (?:a )?(?:C|C\+\+) compiler|No working C\+\+ compiler|InvalidCxxCompiler|cannot '
		'find -l\w{2,20}|libcuda\.so cannot found|Python\.h: No such file|Ninja is required to load|Unable to JIT load the '
		'\S{1,40} op|nvcc: (?:command )?not found|error: (?:subprocess-exited-with-error|metadata-generation-failed)',
		'Something compiles at run time, and this image has no compiler, headers or CUDA toolkit that fit.',
		'Install compiler, Python headers and the toolkit of the framework''s CUDA version in the image, or a package that is '
		'built already.', true),
	('version_conflict', 'Package versions exclude each other', 'user', 'incompatibility', 'error', 'root', 100,
		'DistributionNotFound|VersionConflict|PackageNotFoundError|is required for a normal functioning of this '
		'module|ResolutionImpossible|conflicting dependencies|Descriptors cannot (?:not )?be created directly|Error: '
		'[^\n]{0,120}\b[Vv]ersion [^\n]{0,60}(?:is too old|is too new|is not compatible with|incompatible with)|Error: '
		'[^\n]{0,100}\brequires? [^\n]{0,60}(?:>=|==|<=|>|<) ?\d|Error: This version of ',
		'The image holds versions of packages that were not made for each other.',
		'Pin the versions that the project names, and build the image anew instead of installing at start.', true),
	('numpy_abi', 'Built for another NumPy', 'user', 'incompatibility', 'warning', 'root', 100,
		'compiled using NumPy 1\.x cannot be run in|numpy\.core\.multiarray failed to import|_ARRAY_API not '
		'found|numpy\.(?:dtype|ufunc|ndarray) size changed|module ''numpy'' has no attribute|`np\.\w{2,20}` was (?:removed|a '
		'deprecated alias)|Numpy is not available',
		'A package was compiled for NumPy 1 and NumPy 2 is installed, or uses names that it removed.',
		'Pin numpy below 2, or update the package.', true),
	('cpu_instruction', 'Program built for another processor', 'user', 'incompatibility', 'error', 'root', 100,
		'exec format error|Exec format error|cannot execute binary file|CPU does not support|wrong ELF class|built '
		'(?:with|for)[^\n]{0,40}(?:AVX|avx)[^\n]{0,40}not supported',
		'The binary uses instructions that this CPU has not, or is of another architecture.',
		'Compare the CPU of this node with one where it runs; install a build for it, or exclude the node type.', true),
	('omp_error', 'OpenMP refuses to start', 'user', 'incompatibility', 'error', 'root', 100,
		'OMP: Error #\d|libgomp: (?:Thread creation failed|Affinity|could not)|libiomp5\S{0,12} already initialized|Error #15: '
		'Initializing',
		'Two OpenMP libraries are loaded, or threads cannot be made or bound.',
		'Keep one of them in the image; check OMP_NUM_THREADS and the limit of processes.', true),
	('spawned_process_failed', 'A process started by the program failed', 'framework', 'framework', 'warning', 'cascade', 300,
		'-- Process \d+ terminated with (?:the following error|signal|exit code)|ProcessRaisedException|ProcessExitedException'
		'|BrokenProcessPool|RemoteTraceback|A process in the process pool was terminated abruptly|process \d+ terminated with '
		'signal SIG\w{2,6}|TrainingFailedError',
		'The parent hands on what a child died of.',
		'Read the text of the child below or above it; signals say kill (9, memory), crash (11) or abort (6).', true),
	('subprocess_failed', 'A command the program ran failed', 'user', 'misoperation', 'warning', 'root', 300,
		'CalledProcessError|returned non-zero exit status|subprocess\.TimeoutExpired',
		'A program that the job calls ended with an error; its own output says why.',
		'Run the command of the message on this node and read what it prints.', true),
	('tracker_key_missing', 'Key of the experiment tracker is missing', 'user', 'configuration', 'warning', 'root', 100,
		'\bapi_key not configured|\bNo API key configured|wandb\.\w{0,10}UsageError',
		'The tracking service has no key on this node.',
		'Set the key, or run the tracker offline; training does not need it.', true),
	('py_attribute_error', 'AttributeError in the program', 'user', 'program_bug', 'warning', 'root', 300,
		'(?m)^(?! {4}|\t)[^\n]{0,200}?\bAttributeError: (?!(?:partially initialized )?module ''|type object '')',
		'An object has not what the code asks it for: None where something was expected, or a library of another version.',
		'Look at the last frame of the traceback; if it is in a library, pin the version that the script was '
		'written for.', true),
	('py_key_error', 'KeyError in the program', 'user', 'program_bug', 'warning', 'root', 300,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:KeyError): |[\w.]{0,80}\b(?:KeyError)\s*$)',
		'A setting, column or state entry of that name is not there: a name changed, or data and code are of different '
		'versions.',
		'Look for the name in the message: in configuration, data columns, checkpoint or environment.', true),
	('py_type_error', 'TypeError in the program', 'user', 'program_bug', 'warning', 'root', 300,
		'(?m)^(?! {4}|\t)[^\n]{0,200}?\bTypeError: (?!cannot pickle|Descriptors|[^\n]{0,120}(?:unexpected keyword|positional '
		'argument|keyword-only|JSON serializable|multiple values|[Tt]ensor))',
		'A function got something else than it expects, often None from an option that is not set.',
		'Look at the last frame of the traceback and where its argument comes from.', true),
	('py_value_error', 'ValueError in the program', 'user', 'configuration', 'warning', 'root', 300,
		'(?m)^(?! {4}|\t)[^\n]{0,200}?\bValueError: (?![^\n]{0,160}(?:divisible|environment variable|unscale|values to '
		'unpack|[Tt]okenizer|[Tt]ensor))',
		'A setting or a piece of data is out of what the code accepts; the message says which.',
		'Correct the value that is named; if one rank alone has it, look at its data.', true),
	('py_name_error', 'NameError in the program', 'user', 'program_bug', 'error', 'root', 300,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:NameError|UnboundLocalError): |[\w.]{0,80}\b(?:NameError'
		'|UnboundLocalError)\s*$)',
		'The code uses a name that nothing set on this way: a typing error, a missing import, or a branch that did not run.',
		'Correct the line of the traceback.', true),
	('py_syntax_error', 'Syntax error in the program', 'user', 'program_bug', 'error', 'root', 200,
		'(?m)^(?! {8}|\t)[^\n]{0,160}?\b(?:SyntaxError|IndentationError|TabError): |unsupported pickle protocol|f-string: '
		'[^\n]{0,40}syntax|syntax error near unexpected token',
		'A file or a script was edited wrongly, or needs another version of Python or the shell.',
		'Correct the line that is named; compare the Python version of the image.', true),
	('py_not_implemented', 'NotImplementedError in the program', 'framework', 'framework', 'warning', 'root', 300,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:NotImplementedError): |[\w.]{0,80}\b(?:NotImplementedError)\s*$)',
		'The library does not do this combination.',
		'Read the message for what is not supported, and choose another option or version.', true),
	('py_arithmetic', 'Division by zero', 'user', 'program_bug', 'warning', 'root', 300,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:ZeroDivisionError|FloatingPointError): |[\w.]{0,80}\b(?:ZeroDivisionError'
		'|FloatingPointError)\s*$)',
		'Something that should have been counted or measured is 0: an empty data set, no steps, no time passed.',
		'See what is divided by at the last frame of the traceback: sizes of the data set, batches, ranks.', true),
	('py_recursion', 'Calls nested too deep', 'user', 'program_bug', 'error', 'root', 200,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:RecursionError): |[\w.]{0,80}\b(?:RecursionError)\s*$)|maximum recursion depth '
		'exceeded|Fatal Python error: [^\n]{0,40}(?:stack overflow|recover from)',
		'A function calls itself without end, or an object that refers to itself is copied or saved.',
		'Look at the frames that repeat in the traceback.', true),
	('py_unicode', 'Text in another encoding', 'user', 'configuration', 'error', 'root', 200,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:UnicodeDecodeError|UnicodeEncodeError|UnicodeError): '
		'|[\w.]{0,80}\b(?:UnicodeDecodeError|UnicodeEncodeError|UnicodeError)\s*$)|codec can''t (?:decode|encode)',
		'A file is not in the encoding it is read with, a damaged or binary file is read as text, or the locale of the node is '
		'plain ASCII.',
		'Take the file from the traceback and look at it; set PYTHONUTF8=1 or LANG on all nodes.', true),
	('py_keyboard_interrupt', 'Interrupted from outside', 'user', 'misoperation', 'info', 'cascade', 300,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:KeyboardInterrupt): |[\w.]{0,80}\b(?:KeyboardInterrupt)\s*$)'
		'|\bSIGINT\b[^\n]{0,40}(?:received|caught|got)|(?:received|caught|got) (?:signal )?\bSIGINT\b',
		'Somebody, or the launcher on their behalf, stopped the program (Ctrl-C, scancel with INT).',
		'If nobody did, look which rank failed first: launchers stop the others in this way.', true),
	('py_os_error', 'OSError in the program', 'platform', 'resource_management', 'warning', 'root', 300,
		'(?m)^(?! {4}|\t)[^\n]{0,200}?\b(?:OSError|IOError|ChildProcessError|IsADirectoryError|FileExistsError): (?!\[Errno '
		'(?:2|5|12|13|16|24|28|30|32|98|99|10\d|11[0-6]|122)\])',
		'The operating system refused something; number and text say what.',
		'Look up the number in the message, and whether one node alone has it: then look at that node.', true),
	('py_timeout', 'TimeoutError in the program', 'framework', 'framework', 'warning', 'cascade', 300,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:TimeoutError|concurrent\.futures\._base\.TimeoutError|queue\.Empty'
		'|asyncio\.exceptions\.CancelledError): |[\w.]{0,80}\b(?:TimeoutError|concurrent\.futures\._base\.TimeoutError'
		'|queue\.Empty|asyncio\.exceptions\.CancelledError)\s*$)',
		'The program waited for a peer, a worker or a file and gave up.',
		'See in the traceback what it waited for, and look there.', true),
	('py_eof', 'EOFError in the program', 'user', 'misoperation', 'warning', 'cascade', 300,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:EOFError|IncompleteReadError): |[\w.]{0,80}\b(?:EOFError'
		'|IncompleteReadError)\s*$)',
		'The process or file at the other end ended before all was read: as a rule a worker that died, or a file '
		'that is empty.',
		'See in the traceback what was read: of a process look for its end, of a file look at its size.', true),
	('py_argument_files', 'No input for the program', 'user', 'misoperation', 'error', 'root', 200,
		'can''t open file ''[^'']{1,200}''|can''t find ''__main__'' module|No module named __main__|is not a valid '
		'(?:path|directory|file)\b',
		'The program or a folder it is given is not there.',
		'Check path, working directory and mounts on the node.', true),
	('thread_exception', 'A thread of the program failed', 'framework', 'framework', 'warning', 'cascade', 400,
		'Exception in thread |terminate called (?:after throwing|without an active exception)|what\(\): {2}',
		'An error in a side thread or while the program ended; the main error stands before it.',
		'Read the exception that it shows; look for an earlier one of the same rank.', true),
	('py_stop_iteration', 'Data ended before the loop did', 'user', 'program_bug', 'warning', 'root', 300,
		'(?m)^(?! {4}|\t)(?:[^\n]{0,200}?\b(?:StopIteration|StopAsyncIteration): |[\w.]{0,80}\b(?:StopIteration'
		'|StopAsyncIteration)\s*$)|generator raised StopIteration',
		'An iterator was asked for more than it has: a data set that is shorter than the steps asked for, or uneven between '
		'ranks.',
		'Compare the number of samples with steps, batch and ranks; let the loader repeat, or drop the uneven rest.', true);
