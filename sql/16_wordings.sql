/*
 * Wordings: what a message says by general English words, as rows, one an idea. They ring on harmless records too: they order
 * and weigh what other means have found.
 *
 *   fatal, exception, trouble   how grave it sounds (l4_text_gravity: 6, 5, 4)
 *   ending       the job, a step or its processes were told to end: follows from a failure or a decision, no evidence against
 *                who logs it
 *   ended        how a process ended that was told to
 *   peer         another process or machine went away or kept it waiting, or a process ended: follows from a failure elsewhere,
 *                as a rule
 *   together     an operation that ranks do together (a collective, a rendezvous): its failure may be any other rank's
 *   complaint    somebody or something did not do what it should: only who is named in such words is accused
 *   closing      what is printed as all ends: that a process or a job ended, how it is tidied up, where to read more,
 *                rulers; no beginning where somebody says more
 *   advice       advice to programmers: works now and may not some day; or debugging output
 *   tolerated    the program goes on in spite of the trouble
 *   setting      the word before a value by which a program is set up (a version, a size, a number of devices)
 *   varying      the word before what is measured or counted: no setting
 *   identity     the word before what each process has its own of: no setting either, and no measure
 *   host         what stands before the name of the host that a process runs on
 *   other_host   another process's host is meant: what a process connects to, waits for, is led by
 *   attempt      what stands before the number of a restart of the job
 *   retry        something smaller than the job is tried again
 *   disagreement what ranks must have alike (sizes, versions, the operation itself) they do not: who finds that is one of two
 *   itself       a process crashed, and says so by itself: it speaks for no other one
 *   measured     a value that is a measured time
 *   host_name    what the name of a host looks like
 *   device       what looks like one and is none: a device, a part of a program
 *   headed       statements of libraries whose header begins with the host that they run on
 *   own_header   that header, with the host in parentheses
 *   outcome      the word before a number that says how something ended: 0 is well
 *   finished     a rank has done all that it was to do
 *   done         something that is done, of which then no more comes
 *   recovered    what was amiss is well again
 *   lossy        the name of a number that counts what gets lost between two machines: either end, or what lies between, may be
 *                to blame, whoever counts it
 *   connections  a record that counts what becomes of a machine's connections: whatever ends on another machine makes its
 *                numbers grow
 *   slowest      the name of a value that says which rank was the last or slowest of all
 *   short_handed only some of all are there, as who waits for them says
 *   unreached    no connection to another one came about
 *   gave_up      waiting for others is over
 *   hung_up      a connection was ended at the other side
 *   referral     who is at fault another one's log tells
 *   own_process  a rank with the number of its process: who knows that speaks of its own node, where it names none, and the
 *                rank may count the node's processes, or the nodes
 *   own_child    a process talks with those that it started itself: what it misses then is no other rank
 *   calls_slowest  what stands before the names of those that a detector of stragglers calls the slowest
 *   launching    a call of a launcher: it stands elsewhere than the ranks that it started
 *   called_off   somebody or a scheduler ended the whole job, which was well
 *   gathered     one record stands for those of several processes alike, and bears the name of one of them, or for what
 *                another process told before
 *   announcing   what is wrong the next record says
 *   led_by       a field that tells by whom a process is led, or its arguments: these are set, and accuse nobody
 *   reference    with whom a rank is compared, by habit the first one, or who only reports of another one: the other one is
 *                meant
 *   ends_children  a process ends those that it started: one of them failed, or it is itself told to end
 *   digest       a value that is a digest or a drawn identifier: no number, though it may be read as one
 *   timed        a statement that says how long something took
 *   killed       a process was killed by a signal that none is told to end by, as who started it says
 *   stuck_sending, stuck_receiving  waiting to send was in vain, as nobody takes anything; or to receive, as nothing comes
 *   ring_back    of an operation around a ring, in which each rank sends to the one before it, whatever stands in the traceback
 *   traceback, traceback_line  the heading of a traceback without what stands below it, or a line of a program below it:
 *                neither says what failed, which the exception does that they end with
 *   out_of       what stands between a number and the total that it is out of
 *   stage        an error names its own stage (its traceback or its object); tried by priority, then name
 *   component    the code that failed, by the line of its exception or the nearest frame that says; tried likewise
 *   grave_word   a plain word: while importing, a shape with a word that begins or ends so has room of its own among too many
 *                shapes
 *
 * Patterns are PostgreSQL's regular expressions, case does not matter but in the classes exception and advice. All of a class
 * are joined to one pattern and compiled once (49_rules_passed.sql): so none has options of its own or refers back.
 */

INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'fatal', 'fatal', '\m(fatal|panic|aborted)\M', 'Fatal Python error: none_dealloc'),
	(true, 'fatal', 'crash', '\m(segmentation fault|core dumped|sigsegv|sigabrt|signal (11|6))\M',
		'Process received signal 11 (SIGSEGV)'),
	(true, 'fatal', 'terminates', '\mterminate called (after|without)\M',
		'terminate called after throwing an instance of ''std::runtime_error'''),
	(true, 'fatal', 'killed', '\m(killed|killing process|sigkill|signal 9)\M',
		'Out of resources: Killed process 4711 (python)'),
	(true, 'fatal', 'out_of_memory', '\m(out of memory|oom)\M', 'CUDA out of memory. Tried to allocate 2.00 GiB'),
	(true, 'fatal', 'hardware_error', '\m(uncorrectable|hardware error)\M', 'Uncorrectable ECC error encountered'),
	(true, 'fatal', 'storage_gone', '\m(no space left|read-only file|not a mount point|mount(ed|ing) .{0,40}read-only)\M',
		'OSError: [Errno 28] No space left on device'),
	(true, 'fatal', 'node_gone', '\m(heartbeat lost|node (is )?(lost|down|dead)|link down)\M',
		'node is down: no answer since 120 s'),

	(true, 'exception', 'traceback', '(^|\n)Traceback \(most recent call last\)', 'Traceback (most recent call last):'),
	-- behind what a launcher writes before a line, too
	(true, 'exception', 'exception_class', '(^|\n|[]:|)>] )[A-Za-z_.]*(Error|Exception|Interrupt)\M',
		'torch.cuda.OutOfMemoryError: CUDA'),
	(true, 'exception', 'rust_panic', '\mthread ''[^''\n]{1,80}''( \(\d+\))? panicked at\M',
		'thread ''main'' panicked at src/main.rs:7:14:'),

	(true, 'trouble', 'error', '\m(errors?|err|exceptions?|failed|failure)\M', 'an error occurred while reading batch 7'),
	-- not the command, with how long something may take and what ("timeout -s KILL 3600 python train.py")
	(true, 'trouble', 'timed_out', '\m(timed ?out|time out|times out|timeout(?! (-\S+ ([a-z]+ )?)*\d+(\.\d+)?[smhd]? '
			'(?!(s|ms|sec|secs|seconds?|min|minutes?|hours?|exceeded|expired|reached|elapsed)\M)\S'
			-- how long something may take
			'|:? (<\*>|\d[\w.]*)\)))\M',
		'gave up after timeout.'),
	(true, 'trouble', 'not_reached', '\m(unreachable|refused|reset by peer|closed by (peer|remote)|broken pipe|lost)\M',
		'Connection refused'),
	(true, 'trouble', 'not_able', '\m(cannot|could not|unable to)\M', 'Unable to open /data/train.bin'),
	(true, 'trouble', 'gives_up', '\m(abort(ed|ing)?|assert(ion)?)\M', 'Assertion `index < size` does not hold'),
	(true, 'trouble', 'damaged', '\m(corrupt(ed|ion)?|mismatch|inconsistent)\M', 'checksum mismatch in shard 12'),
	(true, 'trouble', 'no_number', '\m(nan|inf)\M', 'lm loss: nan'),
	(true, 'trouble', 'exit_code', '\m(exitcode: -?[1-9]\d*|exited with code [1-9]\d*|return code = -?[1-9]\d*)\M',
		'worker exited with code 137'),
	(true, 'trouble', 'gone_away',
		'\m(died|crash(ed|es))\M(?! (from|by|on|with|of) (a )?signal)|\m(disconnected|unresponsive|unhealthy)\M'
			'|\m(is|are|was|were|as|being|be|state) ?:? (dead|down|offline)\M'
			'|\m(not|no longer) (yet )?(respond(ing)?|answer(ing)?|reachable|heard)\M|\mno route to\M',
		'node-07 is dead'),
	(true, 'trouble', 'given_up',
		'\mgave up\M|\mgiving up\M|\m(deadline|retries|limit|time to wait|wait time)\M.{0,30}\mexceeded\M'
			'|\mdeadline ?exceeded\M',
		'10.0.0.7:5001 retries exceeded'),
	(true, 'trouble', 'xid', '\mxid\M', 'NVRM: Xid (PCI:0000:3b:00): 79'),
	(true, 'trouble', 'make_failed', '\mmake(\[\d+\])?: \*\*\* .*\merror \d', 'make: *** [Makefile:11: train/node-05] Error 1'),
	-- not how the others are told to end
	(true, 'trouble', 'died_from_signal',
		'\m(died|killed|terminated|exited|ended|crashed)\M (from|by|on|with) (a )?signal\M(?!:? \(?(15|sigterm|terminated)\M)',
		'rank 3 died from signal 11'),
	(true, 'trouble', 'ended_by_a_signal',
		'\m(exit(ed|s)?|ended|died)\M.{0,20}\msig(hup|int|quit|ill|abrt|bus|fpe|kill|segv|pipe|term)\M',
		'python train.py exited with code SIGTERM'),

	(true, 'called_off', 'by_a_user', '\m(gracefully stopping|keyboardinterrupt|sigint)\M|\mctrl[ +-]c\M'
			'|\m(cancell?ed|stopped|interrupted|ended|killed|deleted|terminated) by (the )?(user|operator|owner|admin\w*)\M',
		'Gracefully stopping... (press Ctrl+C again to force)'),
	(true, 'called_off', 'by_request',
		'\m(delete|cancel|kill) job request\M|\mrequest received, (delete|cancel|kill)\M'
			'|\m(deleted|cancell?ed) at (the )?request of\M'
			'|\mrequested by (the |an? )?(user|operator|owner|administrator)\M',
		'delete job request received'),
	(true, 'called_off', 'by_someone',
		'\m(due to|because of|on|by|after|at) (an? |the )?(user|admin\w*|operator|owner).{0,3} (request|action|command|order)\M'
			'|\mexternally (set|terminated|stopped|cancell?ed|killed)\M'
			'|\m(killed|stopped|cancell?ed|deleted|terminated) (from|via|in|through) (the )?(dashboard|console|web ?ui)\M',
		'killed from dashboard'),
	(true, 'called_off', 'by_a_scheduler', '\mdue to (the )?(time limit|preempt(ion)?)\M',
		'JOB 77 CANCELLED AT 10:00 DUE TO TIME LIMIT'),
	-- as PBS, Grid Engine, LSF and Kubernetes have it
	(true, 'called_off', 'by_a_time_limit',
		'\m(walltime|(hard )?wall[ -]?clock( time)?|run ?time limit|run ?limit)\M.{0,40}\m(exceed(s|ed|ing)?|reached)\M'
			'|\m(exceed(s|ed|ing)?|reach(ed|ing))\M.{0,40}\m(walltime|wall[ -]?clock|run ?time limit)\M'
			'|\mterm_runlimit\M|\mjob was active longer than\M',
		'=>> PBS: job killed: walltime 3629 exceeded limit 3600'),
	-- the status of timeout(1) where the time was up
	(true, 'called_off', 'by_timeout', '\mexit(ed)?\M[^\n]{0,30}\m(code|status)\M[ :=]{0,2}124\M',
		'container exited with exit code 124'),

	-- by what subprocesses report of signal 15, and as a shell has it
	(true, 'ended', 'by_sigterm', '\mexit(ed)?\M[^\n]{0,30}\m(code|status)\M[ :=]{0,2}(-15|143)\M',
		'rank 3 (pid 36) exited with exit code -15'),
	(true, 'ended', 'shown_as_terminated', ':\s*terminated[^[:alnum:]]*$', 'srun: error: node-3: task 2: Terminated'),

	(true, 'ending', 'cancelled', '\m(cancell?ed|preempted|preemption|time limit)\M',
		'JOB 77 CANCELLED AT 2024-03-01T10:00:00 DUE TO TIME LIMIT'),
	(true, 'ending', 'signalled', '\m(sigterm|\w*signal:? ?15|15 death signal|closing signal)\M'
			-- 128 and the number of the signal
			'|\m(exit|return)\w*( with)?[ _]?(code|status)\W{1,3}143\M|\mexit_?code\W{1,3}-15\M',
		'Sending process 4711 closing signal SIGTERM'),
	-- launchers pass on what one of them found
	(true, 'ending', 'passed_on',
		'\mfailed\M[^\n]{0,40}\m(on|at|of) (node|host)\M[^\n]{0,60}'
			'\m(stopping|terminating|shutting down|killing)\M',
		'worker group failed on node node-05, stopping local workers'),
	-- what a controller does to all that is left of a job (Volcano's actions), and what an agent says that it was told
	(true, 'ending', 'job_action', '\m(abort|terminate|cancel|kill|stop) ?(job|task)s?\M'
			'|\m(phase|state|status) \w+ -> (aborting|terminating|stopping|killing)\M'
			'|\m(receiv|g[eo]t)\w* signal:? (terminated|interrupt)\M',
		'execute action AbortJob for ml/llm-7, phase running -> aborting'),
	(true, 'ending', 'being_ended',
		'\m(job|step|context|framework|instance|cluster|group|rendezvous|application|session|run|training|executor)s?\M.{0,40}'
			'\m(is|are|was|were|be|been|being|has|have|permanently) (shut(ting)? ?down|terminat(ed|ing)|stopp(ed|ing)'
			'|aborted|cancell?ed|disbanded|deleted|removed|closed)\M|\mdue to preempt(ion)?\M|\m(because of|by) preempt(ion)?\M'
			'|\mdisbanded\M|\mjob step aborted\M',
		'Context was terminated'),
	(true, 'ending', 'terminated', ': terminated\.?\s*$|\(terminated\)|\mterminat(ed|ing) step',
		'slurmstepd: task 3: Terminated'),
	-- said of the node on which the step of a scheduler has its head, whichever failed, and by each that is through with it
	(true, 'ending', 'step_over', '\*\*\* (job|step) \S+ on \S+ (cancelled|failed)\M|\mdone with (the )?(job|step|task)\M',
		'*** STEP 77.0 ON node-05 FAILED (non-zero exit code or other failure mode) ***'),

	(true, 'peer', 'connection_gone',
		'\m(connection|link|socket|session|peer|channel)s?\M.{0,60}'
			'\m(closed|reset|refused|lost|aborted|gone|exited|disconnect(s|ed)?)\M'
		'|\mlost (connection|communication|contact)\M|\mbroken pipe\M|\mreset by peer\M|\mfailed to recv',
		'Connection to 10.0.0.7 was closed'),
	(true, 'peer', 'left_alone',
		'\mhung up\M|\m(closed|left|dropped|broke|broken|ended) (the |its |our )?'
			'(ring|link|channel|stream|pipe|line|session|group|chain)\M'
			'|\m(no|any) (answer|reply|response|data|message|heartbeat)s?\M.{0,40}\m(within|for|in|after)\M.{0,12}\d'
			'|\m(sent|heard|received|got|receives|hears) nothing\M.{0,40}\d',
		'left neighbour closed the ring'),
	(true, 'peer', 'lost_somebody',
		'\mlost (the |its |our |a |my )?(\w+ ){0,2}'
			'(server|master|leader|coordinator|peer|worker|rank|replica|node|host|neighbou?r|client|agent|scheduler|hub)\M',
		'lost the parameter server'),
	(true, 'peer', 'end_of_stream',
		'\m(requests?|connections?|sockets?|channels?|remote|peers?|rpc|other end)\M.{0,120}\m(eof|end of file)\M'
			'|\m(eof|end of file)\M.{0,80}\m(other end|peer|remote|connection|socket|channel|transport)\M',
		'error when reading incoming request from worker2: EOF: end of file'),
	(true, 'peer', 'came_nothing', '\mno (\S+ ){1,6}from\M', 'no gradients of step 12 from worker 3'),
	(true, 'peer', 'kept_waiting', '\mtim(e|es|ed|ing) ?out\M|\m(timeout|\w*timeout(error|exception))\M|\mwatchdog\M',
		'Watchdog caught collective operation timeout'),
	(true, 'peer', 'not_done_in_time',
		'\m(not|never) ([[:alpha:]]+ ){1,4}(after|within|in) [\d.<*>]+ ?(ms|s|secs?|seconds?|m|min|minutes?)\M',
		'sum of gradients not complete after 15.0 s'),
	(true, 'peer', 'process_ended', '\mexit(s|ed|ing)? ?(with )?(return )?(code|status)|\mexitcode\M|\mterminate called\M',
		'exits with return code = 1'),
	(true, 'peer', 'keeps_silent',
		'\m(not|no longer|never|has ?n.t|have ?n.t|is ?n.t|did ?n.t|does ?n.t|none of the \S+)\M( [[:alpha:]]+){0,2} '
			'(respond(ed|ing|s)?|repl(y|ied)|answer(ed|ing)?|hear|heard|report(ed|ing)?|check(ed)? in|arriv(e|ed)|joined'
			'|connected|participat(e|ed|ing)|re-?(register|join|connect)(ed)?|register(ed)?|reachable|send|sent|got|get'
			'|received|detected in)\M',
		'node-07 not responding'),
	(true, 'peer', 'taken_for_dead',
		'\m(unresponsive|unreachable|no route to|host is down|zombie)\M'
			'|\m(node|host|peer|rank|worker|proc|process|agent|daemon|member|replica|server|task)s?\M.{0,30}'
			'\m(dead|down|offline|stale)\M'
			'|\m(suspected|presumed|declared|declaring|reported|marked|marking|state to)\M.{0,30}'
			'\m(dead|down|offline|lost|stale)\M',
		'proc 5 now suspected dead'),
	(true, 'peer', 'no_sign_of_life',
		'\m(heartbeat|keep-?alive|ping)s?\M.{0,40}\m(miss(ed|ing)?|lost|expir\w*|timeouts?|stopped|lapsed)\M'
			'|\m(miss(ed|ing)?|no|without|lost|expir(ed|ing))\M( \S+){0,2} (heartbeat|keep-?alive|ping|sign of life)s?\M',
		'no heartbeat from agent 3'),
	(true, 'peer', 'out_of_reach',
		'\m(cannot|can not|can.t|could ?n.t|could not|unable to|fail(s|ed|ing|ure)? to|gave up|giving up)\M'
			'( [[:alpha:]]+){0,3} (contact(ing)?|communicat(e|ing)|talk|send(ing)?|push|deliver|recv|receive|ping|call)\M',
		'Failed to receive header from 10.2.3.4'),
	(true, 'peer', 'broken_off',
		'\m(connection|communication|socket|session|channel|peer|stream)s?\M.{0,60}'
			'\m(broken|broke|dropped|expired|disconnected|terminated|no longer valid|dead)\M'
			'|\m(disconnected|vanished|hung up|goodbye)\M'
			'|\mcan no longer (talk|reach|contact|communicate|connect|hear)\M',
		'connection to host node-07 was broken'),
	(true, 'peer', 'one_of_them_ended',
		-- not what some tell whoever failed: "this most likely indicates that another task died"
		'\m(daemon|proc|process|processes|subprocess\w*|rank|task|worker|node|peer|agent|child|member|replica|client|server'
			'|executor|shadow|starter|shepherd|pod|container|remote|sister)\M(?<!\manother \w{1,10}).{0,40}'
			'\m(exited (with|on|due|abnormally|unexpectedly)|crashed|aborted by|has (gone|left)|have left|went (away|down)|died'
			'|through signal|on signal)\M',
		'daemon 2 went down'),
	(true, 'peer', 'some_missing',
		'\mmissing\M.{0,12}\m(ranks?|workers?|nodes?|replicas?|clusters?|members?|peers?|hosts?|participants?|tasks?'
			'|process(es)?)\M'
			'|\m(rank|worker|node|replica|member|peer|host|participant|task)s?\M.{0,30}\m(is|are|still|as) missing\M'
			'|\m(no|not enough|not in|without a|new)\M( \w+)? (quorum|majority)\M|\m(remainder|rest) of (the )?ranks\M',
		'Missing ranks: 2: [grad_0]'),
	(true, 'peer', 'waited_too_long',
		'\mwait(s|ed|ing)?\M.{0,60}\m(exceeded|expired|elapsed|too long|in vain)\M|\mtime to wait\M'
			'|\mexceed(s|ed)?\M.{0,40}\m(time-?out|to wait|deadline)\M|\mdeadline ?exceeded\M'
			'|\m(did|does|has) ?n(.t|ot) (complete|finish|end)\w* (with)?in\M|\mgave up waiting\M|\mstill waiting for\M'
			'|\mstalled (for|since)\M|\m(retries|attempts) (exceeded|exhausted)\M',
		'wait time 30 secs exceeded'),
	(true, 'peer', 'others', '\mother (ranks?|workers?|process(es)?|nodes?|agents?)\M', 'one of the other ranks failed'),
	(true, 'peer', 'taken_down', '\m(taking|tearing|bringing|shutting) .{0,20}(process|processes|job|workers?) down\M',
		'taking the entire process down'),

	(true, 'together', 'collective',
		'\m(collective|all_?reduce|all_?gather|all_?to_?all|reduce_?scatter|barrier)\w*', 'collective operation failed'),
	(true, 'together', 'communicator',
		'\m([nrh]ccl|gloo|ucx|ucc)\w*|\m(process ?group|communicator)\w*|\mc10d\M',
		'ncclInternalError: internal check failed'),
	(true, 'together', 'rendezvous', '\mrendezvous\w*|\m\w*(tcp|kv|key.value) ?store\w*|\mcoordinat(or|ion service)\M',
		'RendezvousConnectionError: the store is gone'),
	(true, 'together', 'among_ranks',
		'\m(between|across|among|all|every|each) (the )?(\w+ )?(ranks?|replicas|workers|nodes|hosts|processes)\M',
		'RuntimeError: versions differ between ranks'),

	(true, 'complaint', 'is_broken', '\m(fail(s|ed|ure|ures|ing)?|errors?|fatal|broken|bad|invalid|unhealthy|faulty)\M',
		'link to node-3 failed'),
	(true, 'complaint', 'is_gone',
		'\m(lost|gone|died|dead|down|dropped|missing|crash(ed)?|killed|abort(s|ed)?|vanished|disconnect(s|ed)?|evicted)\M',
		'lost rank 4'),
	(true, 'complaint', 'is_taken_out',
		'\m(nodes?|hosts?|state)\M[^\n]{0,60}\m(drain|cordon|quarantine|fence)(s|d|ed|ing)?\M'
			'|\m(drain|cordon|quarantine|fence)(s|d|ed|ing)?\M[^\n]{0,30}\m(nodes?|hosts?)\M',
		'update_node: node node-05 state set to DRAINING'),
	(true, 'complaint', 'has_ended', '\m(exit(s|ed)?|terminated|ended|left|closed|reset|refused|rejected|denied)\M',
		'Connection closed by peer'),
	(true, 'complaint', 'no_answer',
		'\m(unreachable|unresponsive|no (answer|response|reply|heartbeats?|route)|not respond(ing)?)\M',
		'no response from node-3'),
	(true, 'complaint', 'nothing_from', '\mno (\S+ ){1,6}from\M', 'no gradients of step 12 from worker 3'),
	(true, 'complaint', 'is_not',
		'\m(did ?n.t|did not|does ?n.t|does not|has ?n.t|has not|have not|is ?n.t|is not|was ?n.t|was not|not yet|never|cannot'
			'|can.?t|could not|unable|without)\M', 'rank 3 did not reach the barrier'),
	(true, 'complaint', 'is_shut_out',
		'\m(ban(s|ned|ning)|black-?list(s|ed|ing)?|deny-?list(ed)?|reap(s|ed|ing)?|stale|zombie|expell?(ed|ing)?|kicked'
			'|exceed(s|ed)?|gave up|giving up|no longer|suspect(ed|s)?|unheard|oom)\M',
		'Sender 3 is already banned'),
	(true, 'complaint', 'is_late',
		'\mtim(e|es|ed|ing) ?out|\mwait(s|ed|ing)? .{0,40}\m(for|on|from)\M'
			'|\m(timeouts?|stuck|hangs?|hung|stall(s|ed)?|straggl\w+|slow(er)?|late|lags?|lagging|behind|overdue|expired)\M',
		'waiting for rank 3'),
	(true, 'complaint', 'is_other', '\m(differ(s|ed|ent)?|mismatch\w*|inconsistent|diverged?|corrupt(ed|ion)?|nan|overflow)\M',
		'parameters differ on rank 6'),

	(true, 'closing', 'process_over',
		'\m(tasks?|worker group|workers?|process(es)?|child(ren)?|ranks?|steps?|jobs?|node)\M.{0,60}'
			'(\m(exit(ed|ing)?|finished|ended|is through|terminat(ed|ing)|aborted|killed|exitcode)\M|\mfailed[.!]?\s*$)',
		'srun: error: node-3: task 22: Aborted'),
	(true, 'closing', 'exit_status',
		'\mexit ?(code|status)\M|\mreturn code\M|\m(local_)?rank:? \d+ failed\M|failed \(exitcode',
		'failed (exitcode: 1) of binary: python'),
	(true, 'closing', 'hint',
		'\m(decorate your entrypoint|to enable traceback|for (more|further) (info\w*|details|help)|you may or may not'
			'|please (see|refer|check|report|consult)|this may have caused|see (also )?https?:)',
		'FAILED with no error file. Decorate your entrypoint fn with @record'),
	(true, 'closing', 'ruler', '^[^[:alnum:]]*$', '========'),

	(true, 'advice', 'python_warning', '\m(User|Deprecat[A-Za-z]*|PendingDeprecation|Future|Import|Syntax|Resource)Warning\M',
		'FutureWarning: the default'),
	(true, 'advice', 'deprecated', '\m[Dd][Ee][Pp][Rr][Ee][Cc][Aa][Tt][Ee][Dd]\M', 'torch.distributed.launch is deprecated'),
	(true, 'advice', 'debugging', '\m(DEBUG|TRACE)\M', '[DEBUG] step took 3 ms'),

	(true, 'tolerated', 'retries', '\m(retry|retrying|retries left|attempt [[(]?(\d+|<\*>)|attempt\[)',
		'Connection failed, retrying in 5 s'),
	(true, 'tolerated', 'goes_around',
		'\m(fall(ing)? back|(is|are|was|were|be) (disabled|ignored|skipped)|ignoring|skipping|not available)',
		'cannot load fused kernel, falling back to the slow one'),
	(true, 'tolerated', 'announces', '\mwill be', 'failed samples will be counted'),
	(true, 'tolerated', 'slows_down', '\m(slowdown|slower than)', 'error rate causes a slowdown');

-- The word before a parameter (l4_parameter_name), whole.
INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'setting', 'software',
		'^(\w*[_-])?(versions?|driver|firmware|runtime|release|revision|library|kernel|toolkit|cuda|cudnn|nccl|rccl|hccl|cann'
			'|rocm|torch|python|mpi|ucx|glibc|commit)$', 'driver'),
	(true, 'setting', 'model',
		'^(\w*[_-])?(layers|heads|experts|blocks|vocab|hidden|dims?|dimensions?|depth|size|length|context|dtype|precision)$',
		'num_layers'),
	(true, 'setting', 'plan',
		'^(\w*[_-])?(batch(es)?|world|degree|parallel|accumulation|workers|replicas|shards|stages|buckets?|seed|lr)$',
		'tensor-parallel'),
	(true, 'setting', 'host',
		'^(\w*[_-])?(gpus|devices|accelerators|npus|cores|cpus|sockets|lanes|mtu|speed|nics|hcas)$', 'visible_devices'),
	(true, 'setting', 'endpoint',
		'^(\w*[_-])?(endpoint|master\w*|coordinator|rdzv\w*|rendezvous|server|backend|interface|ifname)$', 'MASTER_ADDR'),

	(true, 'identity', 'identity',
		'^((\w*[_-])?(pids?|tid|ppid|id|ids|uuid|guid|serial|rank|port|fd|fileno|slot|index|hash|addr|address|host|hostname'
			'|node)|process|thread|gpu|device|npu|cpu|core|socket|task|worker|local_rank|on)$', 'pid'),
	(true, 'varying', 'measure',
		'^(\w*[_-])?(times?|took|takes|elapsed|duration|latency|seconds|secs?|ms|after|in|at|date|used|free|usage|available'
			'|memory|mem|bytes|rss|temperature|temp|power|load|loss|norm|rate|throughput|uptime|age|skew|offset)$', 'elapsed'),
	(true, 'varying', 'count',
		'^(\w*[_-])?(counts?|counter|attempts?|retry|retries|tries|steps?|epoch|iterations?|iter|errors?|errs?|drops?|dropped'
			'|packets|segs|established|restarts?|code|exitcode|status|seq|sequence|line|number|no|todo|pending)$', 'attempt');

-- Nobody sets such a number, and by the convention of processes any other than 0 is a failure.
INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'outcome', 'how_ended',
		'^(w?(exit|return)?[-_]?(code|status)|w?termsig|exited|returned|retval|retcode|rc|ret)$', 'status'),
	(true, 'outcome', 'return_value', '\m(return|exit) value$', 'return value'),
	(true, 'outcome', 'ended_with',
		'\m(left|quit|died|gone|over|ends?|ended|exits?|exited|returns|returned|finished|terminated|stopped) with$',
		'left with');

-- Of a statement with one value a rank: the text before it (host), and all of it (other_host). Before a number: attempt.
INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'host', 'host_word',
		'\m(host|node|machine)([ _]?name)?\M["'']?( (is|was))?\s*[:=]?\s*[''"([]?$', 'rank 3 of 8 on host '),
	(true, 'host', 'runs_on', '\mon\s+[''"([]?$', 'worker 3 started on '),
	(true, 'host', 'host_alone', '^$', ''),
	(true, 'host', 'user_at', '\m(as|ssh)\s+[\w.-]+@$', 'running run.sh as trainer@'),
	-- Where a rank is: what stands between its number and the host.
	(true, 'rank_then_host', 'rank_on_host',
		'^[])]?,?\s*(\(|@|\m(running |started |runs )?(on|at)\M( (host|node))?|->|=>|\m(host|node)(name)?\M\s*[=:])'
			'\s*[''"([]?$',
		' on '),
	(true, 'host_then_rank', 'host_with_rank', '^[''")]?\s*[,:/(]?\s*\m(global[ _]?)?rank[ _]?[:=#]?\s*[([]?$', ', rank '),

	(true, 'other_host', 'the_other_side',
		'\m(peers?|remote|neighbou?rs?|next|prev(ious)?|left|right|target|dest(ination)?|src|source|from|to|with|via)\M',
		'connected to host node-3'),
	(true, 'other_host', 'the_leader',
		'\m(master|leader|root(?!@)|coordinator|server|rendezvous|store|endpoint|address)\w*\M|_addr\M',
		'master node is node-0'),
	(true, 'attempt', 'restart_count',
		'\mrestarts?([ _-]?(count|counter|number|no|nr|attempt|id))?\M\W{0,3}$', 'restart_count='),
	(true, 'attempt', 'start_attempt', '\m(start|launch|run|train|resum|relaunch)\w*\M.{0,40}\mattempt\W{0,3}$',
		'starting training, attempt '),
	(true, 'attempt', 'attempt_alone',
		'^\W*((job|run|training|launch|worker group)[ _-])?(attempt|incarnation|(re)?launch)\W{0,3}$', '=== attempt '),

	(true, 'retry', 'retries_something', '\mretr(y|ying|ies)\M', 'retry attempt 3'),

	(true, 'host_name', 'host_by_form', '^[A-Za-z][A-Za-z0-9-]*(\.[A-Za-z0-9-]+)*$', 'gpu-0012.cluster.local'),
	(true, 'device', 'device_by_number',
		'^((cuda|device|dev|core|rank|local|proc|process|thread|stage|shard|socket|numa)[-_]?|[gcnx]pu|eth|ib|mlx|bond)'
			'\d{0,2}$',
		'gpu0'),
	(true, 'headed', 'nccl_statement', '^NCCL ', 'NCCL INFO Bootstrap : Using eth0'),
	(true, 'own_header', 'nccl_header', '([A-Za-z][A-Za-z0-9.-]*):\d+:\d+ \[-?\d+\] [^\n]*?\mNCCL ',
		'gpu-7:4711:4712 [0] NCCL INFO cudaDriverVersion 12040'),

	(true, 'digest', 'hexadecimal', '^(?=\d*[a-f])[0-9a-f]{8,}$', '70024e8e'),
	(true, 'led_by', 'leader_field',
		'"?\m(coordinator|coordination_service|master|leader|rdzv|rendezvous)(_?(addr|address|endpoint|host))?"?\s?[:=]\s?'
			'"?[\w.-]+(:\d+)?"?', '"coordinator":"10.0.3.7:8476"'),
	(true, 'led_by', 'arguments',
		'\m(overrides|arg(ument)?s|argv|command line|cmdline)\M\s?[:=]\s?\[[^\n\]]*\]',
		'Error executing job with overrides: [''cluster.tracker=node-03'', ''run.mode=train'']'),
	-- the script of a job runs on its first node, whichever one fails
	(true, 'led_by', 'batch_step', '\m\d+(_\d+|\+\d+)?\.(batch|extern|interactive)\M[^\n]*|\mBatchHost=\S+',
		'398125.batch batch           node-05 FAILED      1:0 00:00:05'),
	(true, 'ends_children', 'signals_process',
		'\m(terminating|sending|killing|stopping|signall?ing)\M.{0,20}\m(process(es)?|worker(s)?|child(ren)?)\M.{0,40}\msig',
		'Terminating process 4 via signal SIGTERM'),
	(true, 'reference', 'compared_first',
		'\mrank[ _]?0 (has|had|runs?|uses?|is|got|holds?|reads?)\M'
			'(?=[^\n;]{0,200}\mrank[ _]?\d{1,6} (has|had|runs?|uses?|is|got|holds?|reads?)\M)',
		'rank 0 has 2 layers, rank 3 has 4'),
	(true, 'reference', 'compared_second',
		'(?<=\mrank[ _]?\d{1,6} (has|had|runs?|uses?|is|got|holds?|reads?)\M[^\n;]{0,200})'
			'\mrank[ _]?0 (has|had|runs?|uses?|is|got|holds?|reads?)\M',
		'rank 2 runs 0.5.0, rank 0 runs 0.5.1'),
	(true, 'reference', 'who_reports',
		'(/job:[[:alnum:]_-]+/)?\m(rank|process|task|worker|member)[ :_#]?\d{1,6} (reported|reports|detected|found)\M'
			'(?=.{0,250}\m(rank|process|task|worker|member)[ :_#]?\d{1,6}\M)',
		'process 0 reported: parameters of process 5 have another fingerprint'),
	(true, 'reference', 'not_as',
		'\m(match(es)?|equals?|agrees?|than|as|like|unlike)\M( with)?( (that|those) (of|on))?( on)? rank[ _]?0\M',
		'vocabulary of rank 3 does not match that of rank 0'),
	(true, 'measured', 'time_with_fraction', '^\d+\.\d+[munμ]?s$', '0.25s'),

	(true, 'itself', 'caught_signal', '\m(segmentation fault|core dumped|(caught|received) signal|sig(segv|abrt|bus|ill)'
			'|bus error|illegal instruction|stack smashing|double free|out of memory)\M',
		'Fatal Python error: Segmentation fault'),

	(true, 'disagreement', 'mismatch',
		'\m(mis-?match\w*|inconsisten\w*|incompatib\w*|differ(s|ed|ent|ing)?|unequal|disagree\w*)\M',
		'Detected mismatch between collectives on ranks'),
	(true, 'disagreement', 'does_not_match', '(\mnot|n.t) (to )?(match\w*|equal|agree\w*|the same)\M',
		'sizes appear not to match those of the same param in process 0'),
	(true, 'disagreement', 'truncated',
		'\m(message|buffer|data|packet)s? (was |is |been )?truncated\M|\mtruncated (message|data)',
		'Fatal error in MPI_Allreduce: Message truncated'),
	(true, 'disagreement', 'one_for_the_other',
		'(\d|<\*>)\s*(\mvs\M\.?|!=|<>)\s*-?(\d|<\*>)|\mexpected\M.{1,60}\m(got|but|received|found)\M'
			'|\m(received|got)\M.{1,40}\minstead of\M|\mbut buffer size is\M',
		'op.preamble.length <= op.nbytes. 24576 vs 18432'),

	(true, 'other_host', 'reaches_out', '\m(connect\w*|listen\w*|wait\w*|bind\w*|bound|lost|fail\w*|error)\M',
		'waiting on node-3');

-- What is said once, as all work is done; not of an epoch, a warm-up or a part of the start.
INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'finished', 'training_over',
		'\m(train(ing|er)?|pre-?training|fine-?tuning)\M( (loop|run|job))? (is |was |has |has been )?'
			'(done|finished|completed?|over)\M|\m(finished|completed) (pre-?|fine-?)?(training|tuning)\M\W*$',
		'training finished, exiting'),
	(true, 'finished', 'all_steps_done',
		'\mall (epochs|iterations|steps) (are )?(done|finished|completed?)\M'
			'|\m(finished|done|completed) after (\d+|<\*>) (iterations|steps|epochs|updates)\M',
		'finished after 70 iterations'),
	(true, 'finished', 'rank_through', '\m(rank|worker|process)\M.{0,20}\mis (done|through|finished)\M', 'rank 3 is done'),
	(true, 'finished', 'ended_normally', '\mexit(s|ed|ing)? (normally|successfully|cleanly)\M',
		'worker rank[3] pid[71] exited normally'),
	(true, 'finished', 'mlperf_stop', '"key": "run_stop"',
		'{"namespace": "", "event_type": "INTERVAL_END", "key": "run_stop", "value": null}'),
	(true, 'finished', 'megatron_stop', '\[exiting program (at|after)\M',
		'[exiting program after 120 minutes] datetime: 2024-03-01 12:00:00'),
	(true, 'finished', 'lightning_stop', '\mTrainer\.fit\M.{0,3}stopped\M',
		'`Trainer.fit` stopped: `max_steps=100` reached.'),
	(true, 'finished', 'transformers_summary', '\mtrain_runtime\M',
		'{''train_runtime'': 3605.1, ''train_samples_per_second'': 88.7, ''epoch'': 3.0}');

-- What a collector or controller says of a node that it complained of before; not that something is started anew.
INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'done', 'participle',
		'\m(loaded|opened|mapped|read|restored|built|created|made|initiali[sz]ed|instantiated|compiled|established|connected'
			'|joined|formed|closed|started|allocated|reserved|registered|configured|parsed|prepared|indexed|tokeni[sz]ed'
			'|wrapped)\M',
		'Loaded shard 3 with 560 sentences'),
	(true, 'done', 'finished', '\m(done|complete(d|ly)?|finished|ready|succeeded|successful(ly)?|in memory)\M|\mtook \d',
		'model is ready'),

	(true, 'recovered', 'back',
		'\m(is|are|came|now|comes) (back|alive|reachable|healthy)\M|\mback (up|online|again|to normal)\M',
		'node-4 is back'),
	(true, 'recovered', 'again', '\m(ok|up|answers|answering|reports|reporting|responds|responding|reachable|healthy) again\M',
		'node-4 answers again'),
	(true, 'recovered', 'recovered', '\m(recovered|re-?joined|re-?connected|restored|cleared)\M', 'alert cleared: node-4');

-- Who sends counts what no answer came to, who receives what never came. Damaged frames are counted where the cable ends, what
-- is dropped for want of room by the machine that has none: these are no such names.
INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'lossy', 'sent_again', 'retrans|rexmit|\mre-?sen[dt]', 'retrans_segs'),
	(true, 'lossy', 'not_answered',
		'ack_?time_?out|\mrto|rnr_?nak|(packets?|pkts?|pings?|probes?)_?(lost|loss)|lost_?(packets?|pkts?)',
		'local_ack_timeout_err'),
	(true, 'lossy', 'out_of_order', 'out_?of_?(seq|order)|packet_?seq', 'out_of_sequence');

INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'connections', 'connections_counted',
		'\m(tcp|sockets?|conn(ection)?s?)\M.{0,200}(retrans|rexmit|\mre-?sen[dt]|\mresets?\M|\mrst\M)'
			'|(retrans|rexmit|\mre-?sen[dt]|sent again).{0,100}\m(resets?|rst)\M',
		'tcp: 10 established, 5 segments retransmitted, 2 failed opens, 0 resets');

INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'traceback', 'python_heading', '^Traceback \(most recent call last\):(\n {2,}[^\n]*)*$',
		'Traceback (most recent call last):'),
	(true, 'traceback_line', 'python_set_in', '^ {2,}(?!what\(\)|[[:alpha:]_]+ *:)[^[:space:]]',
		'  File "/src/train.py", line 12, in main');

INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'short_handed', 'not_all_there',
		'\m\d+ ?(/|of|out of) ?(the )?\d+ (\w+ ){0,2}(clients?|members?|ranks?|workers?|nodes?|stages?|process(es)?'
			'|replicas?|peers?|hosts?|agents?|participants?|pods?|containers?|trainers?)\M,? (\w+ ){0,2}(joined|arrived'
			'|connected|registered|ready|here'
			'|there|present)\M',
		'Timed out after 41 seconds waiting for clients. 4/5 clients joined.'),
	(true, 'short_handed', 'only_so_many',
		'\m(only|just|started|launched|have|has|got|gathered|joined|registered|arrived|ready|present|connected|completed'
			'|valid)\M:? (\w+ ){0,2}\d+ ?(/|of|out of|<) ?(the )?\d+\M|\mwaiting for \d+ \(of \d+\)',
		'timeout waiting for task launch, started 3 of 4 tasks'),
	(true, 'unreached', 'no_connection',
		'\m(trying|unable|failed|fails|failure|cannot|could not|couldn''t|can''t|time_?out|timed out) (to|while|on|in) '
			'(\w+ ){0,2}(re)?connect(ing)?\M|\mcannot (re)?connect\M|\mconnect(ion)?\M.{0,40}\m(refused|timed out|failed)\M'
			'|\m(no route to|host is down|unreachable|not reachable)\M|\mconnect(ion)?(error|refusederror|timeout\w*)\M'
			'|\m(cannot|can not|can.t|could ?n.t|could not|unable to|fail(s|ed|ing|ure)? to|gave up|giving up)\M'
			'( [[:alpha:]]+){0,3} ((re)?connect(ing)?|reach|contact(ing)?|communicat(e|ing)|open (a )?(channel|connection))\M',
		'The client socket has timed out after 20000ms while trying to connect to (node-00, 29500).'),
	(true, 'gave_up', 'waited_long_enough',
		'\mwait(s|ed|ing)?\M.{0,60}\m(exceeded|expired|elapsed|too long|in vain)\M|\mtime to wait\M|\mdeadline ?exceeded\M'
			'|\m(did|does|has) ?n(.t|ot) (complete|finish|end)\w* (with)?in\M|\m(gave|giving) up\M|\mstalled for\M'
			'|\m(retries|attempts) (exceeded|exhausted)\M'
			'|\m(not|never) \w+[^\n]{0,60}\m(after|within|in) [\d.<*>]+ ?(ms|s|secs?|seconds?|m|min|minutes?)\M',
		'wait time 30 secs exceeded'),
	(true, 'gave_up', 'waited_in_vain', '\mtim(e|es|ed|ing) ?out\M|\m\w*time_?out(error|exception|exceeded)?\M',
		'torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError'),
	(true, 'hung_up', 'other_side_closed',
		'\m(connection|link|socket|session|channel|stream|peer|remote)s?\M.{0,60}\m(closed|reset|aborted|hung up)\M'
			'|\m(closed|reset|dropped) (the |its )?(connection|link|socket|session|channel|stream)\M|\mbroken pipe\M'
			'|\m(reset|closed) by (remote )?peer\M|\mend of file\M|\meof(error)?\M'
			'|\m(connection|communication|socket|session|channel)s?\M.{0,60}\m(broken|broke|lost|disconnected'
			'|no longer valid)\M|\mlost (connection|communication|contact)\M|\mdisconnected (from|unexpectedly)\M'
			'|\m(unexpectedly|peer|remote|client|agent) disconnected\M|\mcan no longer talk\M|\m(went|gone|goes) away\M',
		'Connection closed by peer'),
	(true, 'own_process', 'rank_and_process', '\mrank[ :=#]{0,2}\d+\W{1,3}pid[ :=#]{0,2}\d+\M',
		'Task of job 1 (rank 2, pid 49) exited with return code 137'),
	(true, 'own_child', 'python_multiprocessing', '/multiprocessing/(connection|pool|queues|resource_sharer)\.py", line \d',
		'  File "/usr/lib/python3.13/multiprocessing/connection.py", line 395, in _recv'),
	(true, 'launching', 'launchers_frames', '/bin/(torchrun|accelerate|deepspeed|horovodrun|msrun|ft_launcher) '
			'|/torch/distributed/((run|launch|launcher/\w+)\.py |elastic/)|/deepspeed/launcher/|/accelerate/commands/'
			'|/horovod/runner/',
		'/usr/bin/torchrun <module>'),
	(true, 'referral', 'others_log',
		'\m(check|see|consult|inspect|look (at|into)) (the )?(logs? (of|on|from) )?(rank|node|host|worker|process)\M.{0,24}'
			'\mlogs?\M|\m(check|see|consult|inspect|look (at|into)) (the )?logs? (of|on|from) (rank|node|host|worker)\M',
		'Please check rank 0 logs for faulty rank.'),
	(true, 'gathered', 'across_cluster', '\[repeated \S+ across cluster\]',
		'Error in training function: [repeated 3x across cluster]'),
	(true, 'gathered', 'agent_passes_on', '\mno error file defined for parent, to copy child error file\M',
		'no error file defined for parent, to copy child error file (/tmp/error.json)'),
	(true, 'announcing', 'error_in', '\m(error|exception|failure)s?\M [^\n]{1,60}:\s*$',
		'Error in training function:'),
	(true, 'announcing', 'error_with_arguments',
		'\m(error|exception|failure)s?\M [^\n:]{0,60}\m(overrides|arg(ument)?s|argv|command line)\M\s?[:=]\s?(\[[^\n]*\])?\s*$',
		'Error executing job with overrides: [''run.mode=train'', ''run.seed=7'']');

-- Ranks that are stuck in one operation. Gloo reduces around a ring, in which rank r sends to rank r - 1 (its sources:
-- allreduce.cc); not so what gathers, scatters or only meets.
INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'timed', 'how_long', '\m(took|takes|elapsed|duration|seconds|(\w+_)?[mun]?s(ec)?=)\M|\mslow (step|iteration|batch)\M'
			'|\m\w+_[mun]?s(ec)?[=:]',
		'iteration 10 took 1.02s (data 0.01s)'),
	(true, 'killed', 'by_signal',
		'\msig(kill|segv|bus|ill|fpe)\M|\m(exit|return) ?code\W{1,3}-(4|7|8|9|11)\M'
			'|\m(killed by|died (by|of)|by) signal:? (4|7|8|9|11)\M',
		'traceback : Signal 9 (SIGKILL) received by PID 5'),
	(true, 'killed', 'ended_by_it',
		'\m(died|killed|terminated|exited|ended|crashed|aborted)\M.{0,30}\msignal\M\W{0,4}'
			'(kill(ed)?|segv|bus|ill|fpe|-?(4|7|8|9|11))\M',
		'task 3 died through signal KILL'),
	(true, 'killed', 'told_by_shell', '\mline (\d+|<\*>): +(\d+|<\*>) Killed\M',
		'run.sh: line 11:    53 Killed                  python3 train.py'),
	(true, 'stuck_sending', 'send_timed_out',
		'\mtim(e|es|ed|ing) ?out\M[^\n]{0,60}\m(send|sends|sending|write|writes|writing)\M'
			'|\m(send|sends|sending|write|writes|writing)\M[^\n]{0,40}\mtim(e|es|ed|ing) ?out\M',
		'Timed out waiting 20000ms for send operation to complete'),
	(true, 'stuck_receiving', 'receive_timed_out',
		'\mtim(e|es|ed|ing) ?out\M[^\n]{0,60}\m(recv|receive|receives|receiving|read|reads|reading)\M'
			'|\m(recv|receive|receives|receiving|read|reads|reading)\M[^\n]{0,40}\mtim(e|es|ed|ing) ?out\M',
		'Timed out waiting 20000ms for recv operation to complete'),
	(true, 'ring_back', 'gloo_reduces',
		'^(?!.*(barrier|gather|scatter|broadcast|all_?to_?all)).*\mgloo/transport/',
		'RuntimeError: [gloo/transport/tcp/unbound_buffer.cc:81] Timed out waiting 20000ms for recv operation to complete');

-- All that stands between the two numbers.
INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example) VALUES
	(true, 'slowest', 'slowest',
		'^(the_)?(slowest|last|latest|slow)(_?(rank|worker|node|host|peer|member|replica|task|arrival|id))*$', 'slowest'),
	(true, 'slowest', 'straggler', '^(stragglers?|laggards?|lagging)(_?(rank|worker|node|host|id))?$', 'straggler'),
	(true, 'calls_slowest', 'affected_ranks', '\mstraggler detection warning\M[^\n]{0,160}?\maffected\M',
		'STRAGGLER DETECTION WARNING: Some GPUs have worse relative performance. Affected ranks: {3}'),
	(true, 'calls_slowest', 'worst_ranks', '\mworst (performing )?\S{1,16} ranks:',
		'Worst performing 3/8 ranks:'),
	(true, 'calls_slowest', 'lowest_throughput', '\mranks with lowest\s+[^\n:]{1,40}:',
		'^^^^ Bottom 2 Ranks with lowest  Etpt(TF): 296.02/0, 296.17/2,'),
	(true, 'calls_slowest', 'longest_round_trip', '\mMxRtt/Rnk:', 'MnRtt/Rnk: 101.1ms/5 | MxRtt/Rnk: 130.5ms/3 | MnPwr/Rnk:'),
	(true, 'calls_slowest', 'straggler_found',
		'\m(stragglers?|slow(est)? ranks?) (is|are|was|were|found|detected)\M( (on|at|in))?',
		'straggler detected: rank 5'),

	(true, 'out_of', 'of', '^ of $', ' of '),
	(true, 'out_of', 'slash', '^ ?/ ?$', '/');

-- Of a traceback without the text of its source lines, which also name what did not fail (l4_without_source_text).
INSERT INTO @extschema@.l4_wording (builtin, class, stage, priority, name, pattern, example) VALUES
	(true, 'stage', 'checkpoint_save', 100, 'saves_checkpoint',
		'\m(sav(e|es|ing)|writ(e|es|ing)|stor(e|es|ing)|upload(s|ing)?|persist(s|ing)?|commit(s|ting)?)[ _(]'
			'(\w+[ _.]){0,2}(checkpoints?|snapshots?|ckpt|state_dict)',
		'File "train.py", line 7, in save_checkpoint'),
	(true, 'stage', 'checkpoint_load', 200, 'loads_checkpoint',
		'(load|restor|read)\w*[ _(]+(from[ _])?(\w+[ _]){0,3}(checkpoints?|snapshots?|ckpt|state_dict|pretrained|weights)'
			'|checkpoint\w*[ _.](load|restor)|/torch/serialization\.py", line \d+, in load\M'
			'|\mPytorchStreamReader\M|\mHeaderTooLarge\M',
		'Error(s) in loading state_dict for GPTModel'),
	(true, 'stage', 'evaluation', 250, 'evaluates',
		'", line \d+, in (\w+_)?(evaluat(e|ion)(_\w+)?|eval_(step|epoch|loop|iter)'
			'|validat(e|ion)_(step|epoch|loop|one_epoch))\M',
		'  File "/app/train.py", line 88, in evaluate_model'),
	(true, 'stage', 'data_load', 300, 'reads_data',
		'\m\w*data_?(set|loader)s?\w*\M|\mdata(set)?/(train|valid|test)|/torch/utils/data/'
			'|/(\w+_)?data(_?(module|pipe|pipeline|sampler|iterator|utils))?s?\.py", line'
			'|/((\w+[-_])?(data(sets?)?|corp(us|ora)|tokens)|train(ing)?(_data)?)/(?![^ ]*(ckpt|checkpoint|snapshot))[^ ]*'
			'\.(bin|idx|parquet|jsonl?|tar|arrow|npy|tfrecord|mds)\M',
		'RuntimeError: DataLoader worker (pid 4711) is killed'),
	-- a folder for data that is no mount, whatever its files are called
	-- a source file may lie there as well, as where a container is unpacked
	(true, 'stage', 'data_load', 310, 'reads_from_data',
		'/[[:alnum:]_.-]+/([[:alnum:]]+[-_])?(data(sets?)?|corp(us|ora)|shards)(/(?!\w*(ckpt|checkpoint|snapshot|model|weight'
			'|output|log|result|cache))[[:alnum:]_.-]+){0,2}(?<!\.py)(?![[:alnum:]_./-])',
		'ValueError: table /mnt/local/data/t1.tab is cut'),
	(true, 'stage', 'rendezvous', 350, 'meets',
		'\mrendezvous|_create_c10d_store\M|\mDistStoreError\M|coordination[ _]service|wait_for_all_tasks_to_register',
		'torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError'),
	(true, 'stage', 'communicator_init', 400, 'makes_communicator',
		'\m(init_process_group|new_group|\w*comm_?init\w*|communicator'
			'|\w*all_?reduce|\w*all_?gather|\w*reduce_?scatter|barrier)\M',
		'ncclCommInitRank failed');

INSERT INTO @extschema@.l4_wording (builtin, class, component, priority, name, pattern, example) VALUES
	(true, 'component', 'checkpoint', 100, 'component_checkpoint',
		'(save|load|write|read|restor|stor)\w*_(\w+_)?(checkpoints?|snapshots?|ckpt|state_dict)|\mcheckpoint(s|ing|er)?\M'
			'|/(\w+[-_.])?(ckpts?|ck|checkpoints?|snap(shot)?s?)([-_./]|\M)|/torch/serialization\.py|\m(safetensors|orbax)\M'
		-- a folder of one step
		'|/(\w+_)?(step|iter|iteration|epoch)[-_]?\d+(/|\M)',
		'OSError: [Errno 28] No space left on device: ''/mnt/ckpt/step_100/rank_3.pt'''),
	(true, 'component', 'data_loader', 200, 'component_data_loader',
		'\m\w*data_?(set|loader)s?\w*\M|/torch/utils/data/|\m(tokenizer|tokenization)\M'
			'|/(\w+_)?data(_?(module|pipe|pipeline|sampler|iterator|utils))?s?\.py", line'
			'|/((\w+[-_])?(data(sets?)?|corp(us|ora)|tokens)|train(ing)?(_data)?)/[^ ]*'
			'\.(bin|idx|parquet|jsonl?|tar|arrow|npy|tfrecord|mds)\M',
		'RuntimeError: DataLoader worker (pid 4711) is killed by signal: Killed.'),
	(true, 'component', 'rendezvous', 300, 'component_rendezvous',
		'\mrendezvous|_create_c10d_store\M|\mDistStoreError\M|\mTCPStore\M|coordination[ _]service'
			'|wait_for_all_tasks_to_register',
		'torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError'),
	(true, 'component', 'communicator', 400, 'component_communicator',
		'\m(nccl|rccl|hccl|gloo|oneccl|ucx|mpi|mpi4py|processgroup|communicator|collectives?|all_?reduce|all_?gather'
			'|reduce_?scatter|all_?to_?all|barrier|broadcast)(\M|_|[A-Z0-9])|\mnccl\w+|\mhccl\w+|\mMPI_\w+'
			'|\mProcessGroup\w*|distributed_c10d|init_process_group',
		'RuntimeError: [gloo/transport/tcp/pair.cc:598] Connection closed by peer [10.20.0.11]:6557'),
	(true, 'component', 'compiler', 500, 'component_compiler',
		'\m(compil(e|ed|er|ing|ation)|inductor|dynamo|triton|ptxas|nvcc|xla|cpp_extension|jit)\M',
		'torch._dynamo.exc.BackendCompilerFailed: backend=inductor'),
	(true, 'component', 'optimizer', 600, 'component_optimizer',
		'\m(optim|optimizers?|optimiser|grad(ient)?_?(scaler|norm|clip\w*)|lr_scheduler|loss_?scal(e|er|ing))\M',
		'  File "/opt/torch/optim/adamw.py", line 243, in step'),
	(true, 'component', 'evaluation', 700, 'component_evaluation',
		'", line \d+, in (\w+_)?(evaluat(e|ion)(_\w+)?|eval_(step|epoch|loop|iter)'
			'|validat(e|ion)_(step|epoch|loop|one_epoch))\M|/(\w+_)?(eval|evaluat(e|ion|or)|validation)\.py", line',
		'  File "/app/train.py", line 88, in evaluate_model'),
	(true, 'component', 'accelerator', 800, 'component_accelerator',
		'\m(cuda|cublas|cudnn|cufft|hip|rocm|npu|acl|aicore|xid|nvml|ecc|hbm)\M|\m(cublas|cudnn|cuda|hip|acl)[A-Z_]\w*'
			'|OutOfMemoryError: (CUDA|HIP|NPU)',
		'RuntimeError: CUDA error: an illegal memory access was encountered'),
	(true, 'component', 'storage', 900, 'component_storage',
		'\m(s3|s3fs|boto3?|botocore|gcsfs|gs://|fsspec|object store|nfs|lustre|gpfs|mount point|no space left|read-only file'
			'|disk quota|input/output error|stale file handle)\M',
		'OSError: [Errno 116] Stale file handle');

INSERT INTO @extschema@.l4_wording (builtin, class, name, pattern, example)
	SELECT true, 'grave_word', 'word_' || w.word, w.word, w.example
	FROM (VALUES ('error', 'RuntimeError: bad size'), ('exception', 'Exception in thread 7'),
		('traceback', 'Traceback (most recent call last):'),
		('fatal', 'fatal: not a file'), ('panic', 'kernel panic'), ('fail', 'Failed to open'), ('abort', 'aborting'),
			('timeout', 'ReadTimeout'),
		('timed', 'timed out'), ('killed', 'Killed'), ('lost', 'heartbeat lost'), ('cannot', 'cannot open'),
			('unable', 'unable to open')) w (word, example);
