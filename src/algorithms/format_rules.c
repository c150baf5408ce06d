/*
 * format_rules.c: the built-in formats: where a path names node and rank, how launchers label lines, and what headers look
 * like.
 *
 * The one source of l4_format's built-in rows and of l4_parse. Rows are tried by priority (lower first), then by name: what is
 * told apart by more comes first, the generic forms last. Every example is a line (or a path) that this very row must claim; a
 * test holds each to it.
 *
 * Named groups. path: node, rank, local_rank, attempt; number, a rank unless there are not so many; member, a rank where the
 * job's nodes are known and the path names none of them; launcher, system and shared say the kind of stream. prefix: rank,
 * local_rank, host, ts; role_rank, a local rank behind the name of a role that is called rank: of a file with such lines the
 * first "[rank3]: " of each line is a local one; node, a host that must be one of the job's nodes in the sample that decides
 * whether a dominant prefix counts. header: ts (a whole time), epoch, or mmdd / month and day with time; level, severity (a
 * syslog number) or level_tens (10 to 60); component, logger, module, proc, file (the first of them that is there is the
 * component); rank where the header itself names it. What the header's match covers is header, the rest is message: where a
 * format's facts stand in text that readers and fault patterns want to see (a JSON object, "NCCL WARN", "srun: error:"), it
 * only looks ahead.
 */
#include "algorithms/prefilter.h"
#include "algorithms/header.h"

/* Times. */
#define CLOCK HEADER_CLOCK
#define FRACTION HEADER_FRACTION
#define ISO HEADER_TIME
#define SLASHED "20\\d\\d/\\d\\d/\\d\\d " CLOCK FRACTION
#define ISO_OR_AMERICAN "(?:" HEADER_ANY_TIME "|" SLASHED ")"
#define ASCEND "\\d{4}-\\d\\d-\\d\\d-" CLOCK "(?:\\.\\d{3}){0,2}"
#define SYSLOG_TIME "[A-Z][a-z]{2} {1,2}\\d{1,2} " CLOCK FRACTION
/* Dates as access logs write them, with the day before the month, and without a year. */
#define SHORT_TIME \
	"(?:\\d\\d/[A-Z][a-z]{2}/\\d{4}[: ]|\\d\\d/\\d\\d |\\d\\d\\.\\d\\d\\.(?:\\d{4}|\\d\\d)? )" CLOCK FRACTION \
	"(?: [+-]\\d{4})?"
#define WEEKDAY_TIME "[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\\d{1,2} " CLOCK "(?:\\.\\d{1,9})? \\d{4}"

#define ZONE "(?:UTC|GMT|Z|[+-](?:0\\d|1[0-4]):?(?:00|15|30|45))"
/* A date whose month is a name, or that has the day of the week before it, with its time on a clock of twelve or 24 hours. */
#define MONTH "[A-Z][a-z]{2}"
#define NAMED_TIME \
	"(?:(?:" MONTH ",? )?(?:\\d{1,2}[ -]" MONTH "[ -]\\d{4}|" MONTH " {1,2}\\d{1,2},? \\d{4})|" \
	MONTH ",? \\d{4}-\\d\\d-\\d\\d),? " CLOCK FRACTION "(?: [AP]M)?(?: ?" ZONE ")?"

/* Levels. */
#define SHORT_LEVEL "(?<level>VRB|TRC|DBG|INF|WRN|ERR|FTL|PNC)"
#define UPPER "TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|ERR|CRITICAL|CRIT|FATAL|SEVERE|EVENT"
#define LOWER "trace|debug|info|notice|warning|warn|error|err|critical|crit|fatal|emerg|alert"
#define CAPITALISED "Trace|Debug|Info|Notice|Warning|Warn|Error|Critical|Fatal"
#define LEVEL "(?<level>" UPPER ")"
#define ANY_LEVEL "(?<level>" UPPER "|" LOWER "|" CAPITALISED ")"

/* Names of loggers, and of those that cannot be mistaken for the first word of a message. */
#define LOGGER "(?<logger>[\\w.$/-]+)"
#define TELLING_LOGGER \
	"(?<logger>(?!(?:(?:global_|train_)?step|iter(?:ation)?|epoch|batch|loss|rank)s?: )(?=[a-z]|\\w+[.$]|\\w+::)[\\w.$/-]+" \
	"(?:::\\w+)*)"
#define FILE_LINE "(?<file>[\\w./<>+-]+):\\d+"
#define PROCESS "(?<proc>[^\\s:\\[\\]]+)(?: [\\d.]+)?(?:\\[\\d+\\])?"
/* "<err> " belongs to the header, "error: " stays in the message. */
#define MARKED_LEVEL "(?:<(?=[a-z]+> ))?(?:(?=(?<level>" LOWER ")(?:> |: )))?(?:(?<=<)[a-z]+> )?"
#define NAME_BEFORE_TIME "(?<logger>[A-Za-z][\\w.-]{0,40})(?:\\[\\d+\\])?"
#define TIME_BEHIND_NAME " [\\[(<]?(?<ts>" ISO "|20\\d\\d/\\d\\d/\\d\\d " CLOCK FRACTION ")"
#define LEVEL_BEHIND_TIME "(?:\\[?" LEVEL "(?=[\\] :|])[\\] :|-]+)?"
/* A level behind what stands in brackets of any kind: "{file.py:17} INFO - ". */
#define LEVEL_AHEAD "(?:(?=(?:[\\[{(<][^\\]})>\\n]{1,60}[\\]})>] *){0,2}\\[?(?<level>" UPPER ")(?:[\\] :|]| -)))?"
/* What ends a time, whatever began it; and what may stand next. */
#define TIME_END "(?:" CLOSE "[ \\t:|,-]+|" CLOSE "$)"
#define LEVEL_FIELD "[\\[(<]?" LEVEL "(?=[\\]>):| -])[\\]>):| -]+"
#define LEVEL_NEXT "(?:" LEVEL_FIELD ")?"
#define LEVEL_LOGGER_NEXT "(?:" LEVEL_FIELD "(?:" TELLING_LOGGER ": )?)?"
/* Which rank writes, as a field further on. */
#define RANK_FIELD "(?:(?=(?:.{0,2000}? )?(?:rank|global_rank)=\"?(?<rank>\\d{1,6})\\b))?"

/* What a program was within, from the outside in, and which rank it is by that. */
#define SPANS "(?:[\\w.-]+(?:\\{[^}\\n]{0,300}\\})?:){0,8}"
#define SPAN_RANK "(?:(?:" RANK_WORD ")\\{\\w{1,20}=|[\\w.-]+\\{(?:[^}\\n]{0,200} )?(?:global_)?rank=)"

/* A field of a header in brackets; and one that is the name of a program with the number that this one of several has. */
#define FIELD "[\\w.:/@-]+"
#define INSTANCE "(?!(?:[pt]id|thread|port|line):)[A-Za-z][\\w-]*:(?<rank>\\d{1,6})"

/* What launchers and programs call one of many processes that are started alike. No option: the prefilter knows none. */
#define RANK_WORD "[Rr]ank|RANK"
#define PROCESS_WORD \
	RANK_WORD "|[Tt]ask|TASK|[Ww]orker|WORKER|[Pp]roc(?:ess)?|[Rr]eplica|[Mm]ember|[Pp]eer|[Tt]rainer|[Ll]earner|[Aa]ctor|" \
	"[Ss]hard|[Cc]hild|[Ii]nstance|[Cc]lient|[Gg]pu|GPU|[Pp]e|PE"

/* The rank that writes, as the first field of what is behind a header: "[rank 3] ", "[rank: 3] ", "rank 3: ", "rank=3 | ". */
#define SPEAKER "(?:(?=[\\[(<{]?(?:" RANK_WORD ")[ :=#-]{0,2}(?<rank>\\d{1,6})(?:[\\])>}|:,]| [|-] )))?"

/* What no format of this list knows as a whole: a name or two, a level, a time and a place in the code, in brackets or not. */
#define OPEN "[\\[(<{]?"
#define CLOSE "[\\])>}]{0,2}"
#define ANY_TIME "(?:(?<ts>" ISO_OR_AMERICAN "|" SHORT_TIME ")|(?<time>" CLOCK FRACTION "))"
#define NAME_FIELD "[A-Za-z][\\w.:/@-]{0,40}"

/* The device of its node that a process has, before its number and a bar. */
#define DEVICE_LABEL "[\\[(<]?(?:gpu|GPU|npu|NPU|[Ll]ocal[ _-]?[Rr]ank)[ _:=#-]?"
/* What launchers put before a line, whatever else does; and the name of a node, be it of one where something runs, set off. */
#define LAUNCHER_LABEL \
	"(?:[ \\t]*\\d{1,6}:(?: |$)|\\[(?:rank|default)\\d{1,6}\\]:|" \
	"\\[(?:[^\\s\\[\\],]{1,100},)?\\d{1,6}\\](?:\\[[A-Za-z][\\w.-]*:\\d+\\])?<std(?:out|err)>:|" \
	"\\[\\d+,mpirank:\\d+,|" DEVICE_LABEL "\\d{1,3}[\\])>]? ?\\|)"
#define SET_OFF_NODE \
	"[\\[(<{]?(?!(?:" UPPER "|" LOWER "|" CAPITALISED ")\\b)(?:[\\w.-]{1,200}@)?(?<node>[A-Za-z0-9][\\w.-]*)" \
	"(?:[\\])>}]:?(?:[ \\t]|$)|:(?: |$)| +\\| ?|\\t)"

/* Folders and hosts in paths. */
#define ANYWHERE "^(?:.*/)?"
#define NOT_A_NODE \
	"(?!(?:logs?|outputs?|results?|runs?|jobs?|attempts?|ranks?|trials?|steps?|epochs?|checkpoints?|ckpt|versions?|plog|" \
	"device|stdout|stderr|tmp|var|etc|home|opt|mnt|system|syslogs?|data|train|training|debug|launcher|slurm|torchrun)" \
	"(?:[-_.]?\\d[\\w.-]*)?/)(?!\\d{4}[-_]?\\d\\d[^/]*/)(?!\\d+/)"
#define NODE_FOLDER NOT_A_NODE "(?<node>[A-Za-z0-9][^/]*)/"
#define NODE_WORD "(?:node|host|gpu|cpu|npu|compute|worker|dgx|hgx|nid|cn|gn|ip|trainer|server|srv|machine|vm)"
/* What a program drew to tell its processes apart, as Ray names the logs of its workers, is no node's name. */
#define NOT_DRAWN "(?![\\w.-]*(?:[0-9a-f]{24}|[0-9a-f]{8}-[0-9a-f]{4}-))"
#define NAMED_NODE NOT_DRAWN "(?<node>(?i:" NODE_WORD ")[A-Za-z0-9.-]*\\d[A-Za-z0-9.]*?)"
/* What stands before "rank" where it is not that of the whole job. */
#define NO_OTHER_RANK "(?<!local[._-])(?<!node[._-])(?<!group[._-])"
#define POD_ROLE "(?:worker|master|chief|replica|actor|server|node)"
#define POD "(?<node>[a-z0-9][a-z0-9.-]*-" POD_ROLE "-\\d+)"
#define LOG_SUFFIX "(?:\\.(?:log|out|err|txt|stdout|stderr))"
#define STREAM_NAME "(?:stdout|stderr|output|out|err|log|train|info|error|worker)" LOG_SUFFIX "?"
#define SYSTEM_NAME \
	"(?<system>syslog|system|messages|dmesg|kern|kernel|kmsg|journal|journalctl|mcelog|nvidia-fabricmanager|fabricmanager|" \
	"nv-hostengine|dcgm|ipmi-sel|slurmd|slurmstepd|pbs_mom|kubelet|containerd|crio|dockerd)"
#define LAUNCHER_NAME \
	"(?<launcher>agent|launcher|launch|torchrun|mpirun|srun|sbatch|deepspeed|msrun|accelerate|scheduler|horovodrun)"

#define PATH_FORMAT(name, priority, pattern, example) \
	{name, L4_FORMAT_PATH, priority, false, pattern, example}
#define PREFIX_FORMAT(name, priority, pattern, example) \
	{name, L4_FORMAT_PREFIX, priority, false, pattern, example}
#define DOMINANT_FORMAT(name, priority, pattern, example) \
	{name, L4_FORMAT_PREFIX, priority, true, pattern, example}
#define HEADER_FORMAT(name, priority, pattern, example) \
	{name, L4_FORMAT_HEADER, priority, false, pattern, example}

const L4Format l4_builtin_formats_array[] = {
	/* Paths: each rule may add what no earlier one knew. */
	PATH_FORMAT("path_torchrun_node", 10,
				"^(?:.*?/)?" NOT_A_NODE "(?<node>[A-Za-z][A-Za-z0-9.-]*\\d[A-Za-z0-9.-]*)/(?:.*/)?attempt_(?<attempt>\\d+)/"
				"(?<local_rank>\\d+)/(?:stdout|stderr)(?:\\.log)?$",
				"node-3/none_x8dk3/attempt_0/3/stdout.log"),
	PATH_FORMAT("path_torchrun", 11,
				ANYWHERE "attempt_(?<attempt>\\d+)/(?<local_rank>\\d+)/(?:stdout|stderr)(?:\\.log)?$",
				"attempt_0/3/stdout.log"),
	PATH_FORMAT("path_node_rank_file", 20,
				ANYWHERE NODE_FOLDER "(?:logs?/|output/)?rank[-_.]?(?<rank>\\d+)(?:[._-][a-z]+)?" LOG_SUFFIX "?$",
				"node-17/rank-131.log"),
	PATH_FORMAT("path_rank_file", 21,
				ANYWHERE "(?:[\\w.-]*[._-])?" NO_OTHER_RANK "rank[-_.]?(?<rank>\\d+)(?:[._-][a-z]+)?" LOG_SUFFIX "?$",
				"train_rank_131.log"),
	/* the name of one of the job's nodes, as a rule for paths sees it, and a number: what srun's %N and %t, or %h.%t make */
	PATH_FORMAT("path_node_task", 22,
				ANYWHERE "(?:[\\w.-]*[._-])?(?<node>node0)[._-](?<rank>\\d{1,5})" LOG_SUFFIX "$",
				"train-node0-17.out"),
	PATH_FORMAT("path_worker_log", 22,
				ANYWHERE "workerlog\\.(?<local_rank>\\d{1,3})$",
				"node-3/log/workerlog.3"),
	PATH_FORMAT("path_device_folder", 22,
				ANYWHERE "(?:[\\w.-]*[._-])?(?:gpu|local[._-]?rank)[._-]?(?<local_rank>\\d{1,2})/(?:current|" STREAM_NAME ")$",
				"node-3/trainer-gpu3/current"),
	PATH_FORMAT("path_local_rank_file", 22,
				ANYWHERE "(?:[\\w.-]*[._-])?local[._-]?rank[-_.]?(?<local_rank>\\d{1,3})(?:[._-][a-z]+)?" LOG_SUFFIX "?$",
				"logs/node_1_local_rank_3_stderr"),
	PATH_FORMAT("path_nemo_rank", 22,
				ANYWHERE "nemo_log_globalrank-(?<rank>\\d+)_localrank-(?<local_rank>\\d+)\\.txt$",
				"nemo_log_globalrank-12_localrank-4.txt"),
	PATH_FORMAT("path_node_rank_folder", 23,
				ANYWHERE NODE_FOLDER "(?:rank[-_.]?)?(?<rank>\\d+)/" STREAM_NAME "$",
				"gpu-a12/5/stderr.log"),
	PATH_FORMAT("path_rank_folder", 24,
				ANYWHERE "(?![\\w.-]*(?:node|local|group)[._-]?rank)(?:[\\w.-]*[._-])?rank[-_.]?(?<rank>\\d+)/"
				"(?:[^/]+/){0,3}[^/]+$",
				"log/rank_3/info.log"),
	PATH_FORMAT("path_node_rank_number", 25,
				ANYWHERE NAMED_NODE "/(?<number>\\d{1,6})" LOG_SUFFIX "$",
				"node-3/17.log"),
	PATH_FORMAT("path_rank_number", 26,
				"^(?:logs?/)?(?<number>\\d{1,6})\\.(?:log|out|err)$",
				"17.out"),
	PATH_FORMAT("path_msrun_worker", 27,
				ANYWHERE "worker_(?<rank>\\d+)\\.log$",
				"msrun_log/worker_3.log"),
	PATH_FORMAT("path_member", 28,
				ANYWHERE "(?:[\\w.-]*[._-])?(?:worker|trainer|task|proc|process|replica|member|peer|learner|actor|gpu|pe)[-_.]?"
				"(?<member>\\d{1,6})(?:(?:[._-][a-z]+)?" LOG_SUFFIX "|/" STREAM_NAME ")$",
				"logs/trainer-3.log"),
	PATH_FORMAT("path_output_rank", 29,
				ANYWHERE "(?:out|output|stdout|stderr|err|task|proc)[._-](?<number>\\d{1,6})" LOG_SUFFIX "?$",
				"node-3/out.17"),
	/* as a batch system names the outputs of the nodes of a job; numbers of more digits are those of jobs */
	PATH_FORMAT("path_program_rank", 29,
				ANYWHERE NODE_FOLDER "[A-Za-z][\\w-]*\\.(?<number>\\d{1,4})\\.(?:out|err)$",
				"node-3/train.17.err"),
	PATH_FORMAT("path_ascend_device", 28,
				ANYWHERE "device-(?<local_rank>\\d+)/device-\\d+_\\d+\\.log$",
				"ascend/log/debug/device-3/device-1234_20250915083812776.log"),
	PATH_FORMAT("path_slurm_node_task", 30,
				ANYWHERE "(?:[\\w.]+[-_.])?\\d{2,}[-_.](?<node>[A-Za-z][A-Za-z0-9-]*?\\d[A-Za-z0-9-]*?)[-_.](?<rank>\\d+)\\."
				"(?:out|err|log)$",
				"job-123-node12-7.out"),
	PATH_FORMAT("path_slurm_node", 31,
				ANYWHERE "(?:[\\w.]+[-_.])?\\d{2,}[-_.](?<node>[A-Za-z]+\\d+|[A-Za-z]+-[A-Za-z]+\\d+)\\.(?:out|err|log)$",
				"slurm-123-node12.out"),
	PATH_FORMAT("path_slurm_batch", 32,
				ANYWHERE "(?<launcher>slurm-\\d+(?:_\\d+)?)\\.(?:out|err|log)$",
				"launcher/slurm-123.out"),
	PATH_FORMAT("path_pod_launcher", 40,
				ANYWHERE "(?<launcher>[a-z0-9][a-z0-9.-]*-launcher(?:-[a-z0-9]+)?)(?:/.*|" LOG_SUFFIX ")$",
				"llama-70b-launcher-x7k2p.log"),
	PATH_FORMAT("path_pod_file", 41,
				ANYWHERE POD "(?:[._-][a-z]+)?" LOG_SUFFIX "$",
				"llama-70b-worker-3.log"),
	PATH_FORMAT("path_pod_folder", 42,
				ANYWHERE "(?:[a-z0-9-]+_)?" POD "(?:_[\\w-]+)?/[^/].*$",
				"llama-70b-worker-3/pytorch/0.log"),
	PATH_FORMAT("path_node_system", 50,
				ANYWHERE NODE_FOLDER "(?:var/log/|log/|system/)?" SYSTEM_NAME "(?:[.-]\\d+)?(?:\\.(?:log|txt))?(?:\\.\\d+)?$",
				"node-03/syslog"),
	PATH_FORMAT("path_system_of_node", 51,
				ANYWHERE SYSTEM_NAME "[-_.]" NAMED_NODE "(?:\\.(?:log|txt))?$",
				"dmesg-node12.txt"),
	PATH_FORMAT("path_node_with_system", 52,
				ANYWHERE NAMED_NODE "[-_.]" SYSTEM_NAME "(?:\\.(?:log|txt))?$",
				"node12_dmesg.txt"),
	PATH_FORMAT("path_system", 53,
				ANYWHERE SYSTEM_NAME "(?:[.-]\\d+)?(?:\\.(?:log|txt))?(?:\\.\\d+)?$",
				"var/log/kern.log"),
	PATH_FORMAT("path_node_launcher", 60,
				ANYWHERE NODE_FOLDER LAUNCHER_NAME "(?:[-_.]\\w+)?" LOG_SUFFIX "$",
				"node-03/agent.log"),
	PATH_FORMAT("path_launcher", 61,
				ANYWHERE LAUNCHER_NAME "(?:[-_.]\\w+)?" LOG_SUFFIX "$",
				"torchrun.log"),
	PATH_FORMAT("path_shared", 70,
				ANYWHERE "(?<shared>_[^/]*|controller|coordinator|collector|monitor|monitoring|shared|common|global)/[^/].*$",
				"_controller/controller.log"),
	PATH_FORMAT("path_node_folder", 80,
				ANYWHERE NAMED_NODE "/[^/]+$",
				"node-03/train.log"),
	PATH_FORMAT("path_node_file", 81,
				ANYWHERE NAMED_NODE LOG_SUFFIX "$",
				"logs/node-03.log"),

	/* Labels before the line. */
	PREFIX_FORMAT("torchrun_tee", 10,
				  "\\[default(?<local_rank>\\d+)\\]:\\s?",
				  "[default7]: iteration    12695/  115311 | consumed samples:      9841584 |"),
	PREFIX_FORMAT("torchrun_role_rank", 11,
				  "\\[rank(?<role_rank>\\d+)\\]:\\s?(?=\\[rank\\d+\\]:|\\[titan\\] )",
				  "[rank0]:[titan] 2025-11-25 19:44:53,858 - root - INFO - Starting job: Llama 3 debug training"),
	PREFIX_FORMAT("pytorch_rank", 12,
				  "\\[rank(?<rank>\\d+)\\]:\\s?",
				  "[rank178]:[W501 15:03:07.678018877 ProcessGroupNCCL.cpp:1218] Warning: process group has NOT been "
				  "destroyed"),
	PREFIX_FORMAT("mpirun_tag", 13,
				  "(?:\\[?(?<ts>" WEEKDAY_TIME ")\\]?)?\\[(?:[^\\s\\[\\],]{1,100},)?(?<rank>\\d+)\\]"
				  "(?:\\[(?<host>[A-Za-z][\\w.-]*):\\d+\\])?<std(?:out|err)>:\\s?",
				  "[1,12]<stdout>:gpu-01:815:864 [0] transport/net_ib.cu:80 NCCL WARN NET/IB : Got async event"),
	/* which output of a process it was, in a file of both */
	PREFIX_FORMAT("output_tag", 13,
				  "\\[std(?:out|err)\\]:? ",
				  "[stderr]: 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	PREFIX_FORMAT("sagemaker_tag", 13,
				  "\\[\\d+,mpirank:(?<rank>\\d+),(?<host>[A-Za-z][\\w.-]*)\\]<std(?:out|err)>:\\s?",
				  "[1,mpirank:12,algo-2]<stdout>:INFO:root:starting the data loader"),
	PREFIX_FORMAT("ray_actor", 14,
				  "(?:\\e\\[[\\d;]*m)*\\([\\w.:-]+ pid=\\d+(?:, ip=(?<host>[\\d.]+))?\\)(?:\\e\\[[\\d;]*m)* ",
				  "(WorkerDict pid=904548, ip=10.0.3.7) [E331 20:50:12.688969421 socket.cpp:1011] [c10d] The client socket has "
				  "timed out"),
	/* the rank is that of the node, of which any number of processes may write; the head says no address */
	PREFIX_FORMAT("skypilot", 14,
				  "(?:\\e\\[[\\d;]*m)*\\((?:worker\\d{1,6}, rank=\\d{1,6}|[\\w.-]{1,100}), pid=\\d{1,10}"
				  "(?:, ip=(?<host>[\\d.]{7,15}))?\\)(?:\\e\\[[\\d;]*m)* ",
				  "(worker1, rank=1, pid=2313, ip=10.0.3.7) INFO:root:starting the data loader"),
	PREFIX_FORMAT("skypilot_head", 14,
				  "(?:\\e\\[[\\d;]*m)*\\((?<host>head), rank=\\d{1,6}, pid=\\d{1,10}\\)(?:\\e\\[[\\d;]*m)* ",
				  "(head, rank=0, pid=2311) INFO:root:starting the data loader"),
	PREFIX_FORMAT("pdsh_deepspeed", 15,
				  "(?<host>(?=[\\w.-]*[\\d.-])[A-Za-z][\\w.-]*|\\d+\\.\\d+\\.\\d+\\.\\d+): (?=\\[20\\d\\d-\\d\\d-\\d\\d )",
				  "actor-multi-node-worker-0: [2023-06-21 03:46:19,251] [INFO] [logging.py:96:log_dist] [Rank 0] step=1890, "
				  "skipped=19"),
	/* a process that says which one it is and where, whatever stands before that */
	PREFIX_FORMAT("numbered_at_host", 16,
				  "(?:\\[?(?<ts>" ISO_OR_AMERICAN ")\\]?[ \\t:|-]+)?[\\[(<]?(?:" PROCESS_WORD ")[ :=#-]{0,6}(?<rank>\\d{1,6})"
				  " ?@ ?(?<host>[A-Za-z][\\w.-]*)(?:[\\])>]:?|:| [|-])[ \\t]+",
				  "2026-11-20 10:00:00.123  PE    3 @ node-05: WARNING: the tokenizer is slow"),
	PREFIX_FORMAT("taktuk", 16,
				  "(?<host>[A-Za-z][\\w.-]*)-\\d{1,7}: [^\\n]{1,500}? \\(\\d{1,10}\\): (?:output|error|status) > ",
				  "node-05-6: bash run.sh (31415): output > 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	PREFIX_FORMAT("kail", 16,
				  "[a-z0-9][a-z0-9-]*/(?<host>[a-z0-9][a-z0-9.-]*)@[a-z0-9][a-z0-9-]*: ",
				  "ml/llm-worker-3@pytorch: 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	/* a runner's stamp, the number of the stream, and O or E */
	PREFIX_FORMAT("gitlab_runner", 16,
				  "(?<ts>\\d{4}-\\d\\d-\\d\\dT" CLOCK "\\.\\d{6}Z) \\d\\d[OE][ +]",
				  "2026-11-20T10:00:00.123456Z 01O loading checkpoint shards"),
	/* the stamps of daemontools, runit and s6 */
	PREFIX_FORMAT("tai64n", 16,
				  "@(?<epoch>4000000[0-9a-f]{17}) ",
				  "@400000006ad871e2284eb5d8 INFO:root:starting the data loader"),
	/* annotate-output: the time of day, and whether it is the output, the errors or its own */
	PREFIX_FORMAT("annotate_output", 16,
				  "(?<time>" CLOCK ") [OEI]: ",
				  "10:00:00 O: INFO:root:starting the data loader"),
	/* Determined: the container, and which rank wrote */
	PREFIX_FORMAT("determined_trial", 16,
				  "\\[(?<ts>" ISO "Z?)\\] [0-9a-f]{8} (?:\\[rank=(?<rank>\\d{1,6})\\] )?\\|\\| ",
				  "[2026-11-20T10:00:00.123456Z] 26ae6ad1 [rank=3] || INFO: [4711] root: starting the data loader"),
	/* Loki's client: the labels of a stream in braces */
	PREFIX_FORMAT("loki_pod", 16,
				  "(?<ts>" ISO "(?:Z|[+-]\\d\\d:\\d\\d)) \\{[^}\\n]{0,1000}?\\bpod=\"(?<host>[^\"\\s]{1,200})\""
				  "[^}\\n]{0,1000}\\} ",
				  "2026-11-20T10:00:00Z {app=\"llm\", namespace=\"ml\", pod=\"llm-worker-3\"} INFO:root:starting"),
	PREFIX_FORMAT("loki_host", 17,
				  "(?<ts>" ISO "(?:Z|[+-]\\d\\d:\\d\\d)) \\{[^}\\n]{0,1000}?\\b(?:host|hostname|instance|node_name)="
				  "\"(?<host>[^\":\\s]{1,200})(?::\\d+)?\"[^}\\n]{0,1000}\\} ",
				  "2026-11-20T10:00:00Z {host=\"node-05\", job=\"llm\"} INFO:root:starting the data loader"),
	/* SageMaker's streams in CloudWatch are named after the job's host and the second it started in */
	PREFIX_FORMAT("sagemaker_stream", 16,
				  "(?<ts>" ISO "(?:Z|[+-]\\d\\d:\\d\\d)) [^\\s/]{1,300}/(?<host>algo-\\d{1,6})-\\d{10} ",
				  "2026-11-20T10:00:00.123456+00:00 llm-20261120100000/algo-3-1795613967 INFO:root:starting the data loader"),
	/* pm2: the number and the name of a process, padded */
	PREFIX_FORMAT("pm2_process", 16,
				  "\\d{1,5}\\|[\\w.-]*?(?:" PROCESS_WORD ")[_-]?(?<rank>\\d{1,6}) *\\| ",
				  "1|rank5    | 2026-11-20T10:00:00: INFO:root:starting the data loader"),
	PREFIX_FORMAT("kubectl_prefix", 16,
				  "\\[pod/(?<host>[a-z0-9][a-z0-9.-]*)/[a-z0-9][a-z0-9.-]*\\] ",
				  "[pod/llm-worker-3/pytorch] 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	/* lines as Grafana's explorer gives them away: nanoseconds or milliseconds since 1970, the same as a date, the line */
	PREFIX_FORMAT("grafana_line", 16,
				  "1\\d{12}(?:\\d{6})?\\t(?<ts>\\d{4}-\\d\\d-\\d\\dT" CLOCK "(?:\\.\\d{1,9})?Z)\\t",
				  "1795168800123\t2026-11-20T10:00:00.123Z\tINFO:root:starting the data loader"),
	PREFIX_FORMAT("container_time", 16,
				  "(?<ts>\\d{4}-\\d\\d-\\d\\dT" CLOCK
				  "(?:\\.\\d{1,9})?(?:Z|[+-]\\d\\d:\\d\\d))(?: std(?:out|err) [FP] |: (?=\\[))",
				  "2025-06-20T19:13:25.465123456Z stdout F loading checkpoint shards"),
	PREFIX_FORMAT("container_time_label", 17,
				  "(?<ts>\\d{4}-\\d\\d-\\d\\dT" CLOCK "\\.\\d{6,9}Z) (?=\\[(?:rank|default)\\d+\\]:| *\\d{1,6}: )",
				  "2025-06-20T19:13:25.465123456Z [rank3]: Traceback (most recent call last):"),
	/* SSHKit (Capistrano): what a command on a host wrote goes by an identifier of the command, drawn when it is started */
	PREFIX_FORMAT("sshkit", 17,
				  " *(?:DEBUG|INFO|WARN|ERROR|FATAL) \\[(?<host>[\\da-f]{8})\\] (?:\\t|(?=\\S))",
				  " DEBUG [f385aa9f] \tI, [2026-11-20T10:00:00.123456 #32]  INFO -- worker3: loading the tokenizer"),
	/* one of several processes of a host: the whole of it is the label, the host is what stands behind the @ */
	PREFIX_FORMAT("process_at_host", 17,
				  "(?<host>[A-Za-z][\\w.-]{0,100}@[A-Za-z][\\w.-]{0,100}) *\\| ?",
				  "llm_worker.3.u7wy0gqbcbbn9v2pyp0cm1v0m@node-05    | 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	PREFIX_FORMAT("rank_word", 18,
				  "(?:\\[|(?=[Rr]))(?:[Rr]ank|RANK)[ :=]{0,2}(?<rank>\\d{1,7})(?:\\]:?|:) "
				  "(?=\\[?(?:20\\d\\d[-/]\\d\\d[-/]\\d\\d|(?:INFO|WARN|ERROR|DEBUG)))",
				  "[Rank 3] 2026-11-20 10:00:00 INFO loading the tokenizer"),
	DOMINANT_FORMAT("srun_label", 30,
					" *(?<rank>\\d{1,7}):(?: |$)",
					" 12: [NeMo I 2025-04-30 23:00:27 nemo_logging:393] Global Checkpoint Load : Rank : 0"),
	/* a tool that tells of its hosts numbers them in the order in which they end */
	DOMINANT_FORMAT("hydra_rank", 30,
					"\\[(?<rank>\\d{1,5})\\](?::\\s?| (?!" CLOCK " \\[(?:SUCCESS|FAILURE)\\])|$)",
					"[12] 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	DOMINANT_FORMAT("host_rank", 30,
					"(?<host>[A-Za-z](?=[\\w.-]*\\d)[\\w.-]*):(?<rank>\\d{1,7})(?::(?: |$)|\\t)",
					"node-05:3: 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	/* PALS, as mpiexec of Cray and PBS systems labels lines */
	DOMINANT_FORMAT("host_blank_rank", 30,
					"(?<host>[A-Za-z](?=[\\w.-]*\\d)[\\w.-]*) (?<rank>\\d{1,7}):(?: |$)",
					"nid001005 3: 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	DOMINANT_FORMAT("numbered_process", 30,
					"[\\[(<]?(?:" PROCESS_WORD ")[ _:=#-]?(?<rank>\\d{1,6})(?: ?/ ?| of )\\d{1,6}[\\])>]?"
					"(?:[ \\t]?[:|>])?[ \\t]",
					"task 3/8\t2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	DOMINANT_FORMAT("rank_label", 30,
					"[\\[(<]?(?:" RANK_WORD ")[ _:=#-]?(?<rank>\\d{1,6})[\\])>]?(?:[ \\t]?[:|>][ \\t]|\\t)",
					"rank 3 | 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	DOMINANT_FORMAT("rank_bracket", 30,
					"[\\[(<{](?:" RANK_WORD ")[ _:=#-]?(?<rank>\\d{1,6})[\\])>}]:?[ \\t]",
					"(rank 3) 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	/* as a launcher numbers its processes; with a dash or without anything between it may be the name of a node */
	DOMINANT_FORMAT("worker_bracket", 30,
					"[\\[(<{](?:[Ww]orker|WORKER|[Tt]rainer|TRAINER|[Tt]ask|TASK|[Pp]roc(?:ess)?)[ _:=#](?<rank>\\d{1,6})"
					"[\\])>}]:?[ \\t]",
					"[worker_3] 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	/* beside the numbered ones a service of another name, padded */
	DOMINANT_FORMAT("compose_service", 31,
					"(?:(?<host>[A-Za-z](?=[\\w.-]*\\d)[\\w.-]*) +|[A-Za-z][\\w.-]* {2,})\\| ",
					"worker-12  | INFO:root:starting the data loader"),
	DOMINANT_FORMAT("pdsh_host", 31,
					"(?<host>[A-Za-z](?=[\\w.-]*\\d)[\\w.-]*):(?: |$)",
					"worker-12: INFO:root:starting the data loader"),
	/* GitHub's client: job and step before the line; a job of a matrix says in parentheses which one it is */
	DOMINANT_FORMAT("github_job", 31,
					"(?:[^\\t\\n(]{1,200}\\((?<node>[\\w.-]{1,200})[^\\t\\n]{0,200}|[^\\t\\n]{1,200})\\t[^\\t\\n]{1,200}\\t"
					"(?<ts>\\d{4}-\\d\\d-\\d\\dT" CLOCK "\\.\\d{7}Z) ",
					"train (node-05)\tRun training\t2026-11-20T10:00:00.1234567Z INFO:root:starting the data loader"),
	/* Jenkins: its stamp before the name of a branch of a pipeline */
	DOMINANT_FORMAT("jenkins_branch", 31,
					"\\[(?<ts>\\d{4}-\\d\\d-\\d\\dT" CLOCK "\\.\\d{3}Z)\\] \\[(?<node>[\\w.-]{1,200})\\] ",
					"[2026-11-20T10:00:00.123Z] [node-05] INFO:root:starting the data loader"),
	/* a stamp before whatever a program writes; behind that of a system's log stand host and process */
	DOMINANT_FORMAT("stamp_label", 32,
					"(?<ts>" SYSLOG_TIME ") (?!(?:[\\w.-]+ )?(?:-- )?[^\\s:\\[\\]]+(?: [\\d.]+)?(?:\\[\\d+\\])?: )",
					"Nov 20 10:00:00 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	/* a stamp that a tool put before lines that a launcher had labelled: ts, a container's runtime */
	DOMINANT_FORMAT("time_before_label", 32,
					OPEN "(?:(?<ts>" ISO_OR_AMERICAN "|" SYSLOG_TIME "|\\d\\d-\\d\\d " CLOCK FRACTION ")|"
					"(?<time>" CLOCK FRACTION "))" CLOSE "[ \\t:|-]+(?=" LAUNCHER_LABEL ")",
					"[2026-11-20 10:00:00] 5: INFO:root:starting the data loader"),
	DOMINANT_FORMAT("time_before_node", 32,
					OPEN "(?<ts>" ISO_OR_AMERICAN "|" SYSLOG_TIME ")" CLOSE "[ \\t:|-]+" SET_OFF_NODE,
					"2026-11-20T10:00:00.123456789Z\tnode-05\tINFO:root:starting the data loader"),
	DOMINANT_FORMAT("node_label", 32,
					"[\\[(<{]?(?<node>[A-Za-z0-9][\\w.-]*)(?:[\\])>}]:?(?:[ \\t]|$)|:(?: |$)| +\\| ?|\\t)",
					"[athena] 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	/* which device of its node a process has */
	DOMINANT_FORMAT("device_label", 32,
					DEVICE_LABEL "(?<local_rank>\\d{1,3})[\\])>]? ?\\| ?",
					"gpu3| INFO:root:starting the data loader"),
	/* a host that stands apart from a time by blanks alone */
	DOMINANT_FORMAT("node_before_time", 32,
					"(?<node>[A-Za-z0-9][\\w.-]*) +(?=[\\[(<]?(?:20\\d\\d[-/]\\d\\d[-/]\\d\\d[ T]|\\d\\d-\\d\\d |"
					SYSLOG_TIME "))",
					"node-05 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	DOMINANT_FORMAT("epoch_label", 32,
					"\\[?(?<epoch>1[5-9]\\d{8}(?:\\.\\d{1,9})?)\\]?:?[ \\t]+"
					"(?=[\\[(<{]?(?:" PROCESS_WORD ")[ _:=#-]?\\d{1,6}\\b)",
					"1763635200.123456 [rank3]: loading the tokenizer"),
	DOMINANT_FORMAT("rank_field_label", 32,
					"(?:" RANK_WORD ")=(?<rank>\\d{1,6})[ \\t]+(?![\\w.-]+=)",
					"rank=3 2026-11-20 10:00:00,123 INFO loading the tokenizer"),
	DOMINANT_FORMAT("clock_label", 32,
					"(?!\\[[\\d:.,]+ )\\[?(?<time>" CLOCK FRACTION ")\\]?(?: -|:)?[ \\t]+"
					"(?!(?:\\[[^\\]]*\\] +)?[\\[|-]? *(?:" UPPER "|" LOWER "|" CAPITALISED ")\\b)",
					"12:34:56.789 [rank3]: loading the tokenizer"),

	/* Headers of training frameworks. */
	/* mlperf: its time stands behind the namespace, near enough for what is remembered of line prefixes. */
	HEADER_FORMAT("mlperf", 10,
				  ":::MLLOG (?=\\{)(?:(?=.{0,60}?\"time_ms\": ?(?<epoch>\\d{12,14})))?",
				  ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1746038226463, \"event_type\": \"POINT_IN_TIME\", \"key\": "
				  "\"tracked_stats\"}"),
	HEADER_FORMAT("c10_glog", 11,
				  "\\[(?<level>[IWEF])(?<mmdd>\\d{3,4}) (?<time>" CLOCK "\\.\\d+) " FILE_LINE "\\] ?",
				  "[E1206 18:44:12.715298746 ProcessGroupNCCL.cpp:607] [Rank 0] Watchdog caught collective operation timeout"),
	HEADER_FORMAT("c10_old", 12,
				  "\\[(?<level>[IWEF]) " FILE_LINE "\\] ?",
				  "[E ProcessGroupNCCL.cpp:737] [Rank 1] Watchdog caught collective operation timeout"),
	HEADER_FORMAT("nccl", 13,
				  "(?:\\[(?<ts>" ISO ")\\] )?[A-Za-z][\\w.-]*:\\d+:\\d+ \\[-?\\d+\\] (?:[\\w/.+-]+:\\d+ )?"
				  "(?=(?<component>NCCL) (?<level>INFO|WARN|ERROR|TRACE|ABORT|VERSION)\\b)",
				  "gpu-12:25573:26510 [4] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer"),
	HEADER_FORMAT("ucx", 14,
				  "\\[(?<epoch>\\d{9,10}\\.\\d+)\\] \\[[\\w.-]+:\\d+:\\d+\\] +" FILE_LINE " +UCX +" ANY_LEVEL " +",
				  "[1745264369.123456] [node9:123:0]          parser.c:2036 UCX  WARN  unused environment variable: UCX_HOME"),
	HEADER_FORMAT("deepspeed", 15,
				  "\\[(?<ts>" ISO ")\\] \\[" LEVEL "\\] \\[" FILE_LINE ":[\\w<>.]+\\] ?" SPEAKER,
				  "[2023-12-29 13:02:49,647] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0"),
	HEADER_FORMAT("nemo", 16,
				  "\\[(?:NeMo|AUX) (?<level>[DIWEC]) (?<ts>" ISO ") (?:rank:? ?(?<rank>\\d+) )?(?<file>[\\w.-]+):\\d+\\] ?",
				  "[NeMo I 2025-04-30 23:00:27 nemo_logging:393] Global Checkpoint Load : Rank : 0 : Start time : "
				  "1746053926.717s"),
	HEADER_FORMAT("torchtitan", 17,
				  "\\[titan\\] (?<ts>" ISO ") - " LOGGER " - " LEVEL " - ",
				  "[titan] 2025-11-25 19:44:53,858 - root - INFO - Starting job: Llama 3 debug training"),
	HEADER_FORMAT("transformers", 18,
				  "\\[(?<level>" UPPER ")\\|" FILE_LINE "\\] (?:(?<ts>" ISO ") )?>> ",
				  "[INFO|trainer.py:2519] 2025-12-30 19:57:56,487 >> ***** Running training *****"),
	HEADER_FORMAT("llamafactory", 19,
				  "\\[(?<level>" UPPER ")\\|(?<ts>" ISO ")\\] (?<logger>[\\w.]+):\\d+ >> ",
				  "[INFO|2025-03-14 11:55:14] llamafactory.cli:143 >> Initializing 8 distributed tasks"),
	HEADER_FORMAT("ascend_plog", 20,
				  "\\[" LEVEL "\\] (?<module>[A-Z_]+)\\(\\d+(?::\\d+)?,[^)]*\\):(?<ts>" ASCEND
				  ")(?: ?\\[[\\w./<>+-]+:\\d+\\])?(?: ?\\[\\d+\\])? ?",
				  "[ERROR] ROCE(2040034,alltoall_test):2025-09-15-08:38:12.776.612 "
				  "[hns_roce_lite.c:630]hns_roce_lite_handle_error_cqe(630) : error cqe status: 0x15"),
	HEADER_FORMAT("torch_npu", 21,
				  "\\[" LEVEL "\\] (?<ts>" ASCEND ") \\(PID:\\d+, Device:-?\\d+, RankID:(?<rank>-?\\d+)\\) ?",
				  "[ERROR] 2025-04-08-18:07:20 (PID:1292363, Device:1, RankID:1) ERR01100 OPS call acl api failed."),
	HEADER_FORMAT("mindformers", 22,
				  "(?<ts>" ISO_OR_AMERICAN ") - \\[?" FILE_LINE "\\]? - " LEVEL " - ",
				  "2025-04-07 15:34:27,308 - [mindformers/core/callback/callback.py:529] - INFO - { Epoch:[  1/  2], step:[    "
				  "1/   19], loss: 10.649"),
	HEADER_FORMAT("absl_uptime", 23,
				  "(?<level>[IWEF])0000 00:00:(?<epoch>\\d{9,10}\\.\\d+) +\\d+ (?<file>[^\\s\\]:]+):\\d+\\] ?",
				  "E0000 00:00:1718963453.123456   12345 cuda_dnn.cc:8310] Unable to register cuDNN factory"),
	HEADER_FORMAT("glog", 24,
				  "(?<level>[IWEF])(?<mmdd>\\d{8}|\\d{4}) (?<time>" CLOCK "\\.\\d+) +\\d+ (?<file>[^\\s\\]:]+):\\d+\\] ?",
				  "I0317 10:00:13.658792 125344476638336 metric_logger.py:181] completed step: 1, seconds: 0.277"),
	/* SkyPilot's own log */
	HEADER_FORMAT("skypilot_log", 24,
				  "(?<level>[DIWEF]) (?<month>\\d\\d)-(?<day>\\d\\d) (?<time>" CLOCK FRACTION ") (?:PID=\\d{1,10} )?"
				  "(?<file>[^\\s\\]:]+):\\d+\\] ?",
				  "I 11-27 13:51:09.963 PID=39 log_lib.py:214] starting the data loader"),
	HEADER_FORMAT("tsl", 25,
				  "(?<ts>" ISO "): (?<level>[IWEF]) (?<file>[^\\s\\]]+):\\d+\\] ?",
				  "2024-10-09 15:47:38.568412: E "
				  "external/xla/xla/tsl/distributed_runtime/coordination/coordination_service.cc:1170] task:0 has been set to "
				  "ERROR"),
	HEADER_FORMAT("vllm", 26,
				  LEVEL " (?<ts>\\d\\d-\\d\\d " CLOCK FRACTION ") \\[?" FILE_LINE "\\] ?",
				  "ERROR 09-28 20:07:31 [core.py:720] torch.AcceleratorError: CUDA error: an illegal memory access was "
				  "encountered"),
	HEADER_FORMAT("ray_python", 27,
				  "(?<ts>" ISO ")\\t" LEVEL " (?<file>[\\w.]+):\\d+ -- ",
				  "2025-01-16 02:41:27,329\tINFO worker.py:1642 -- Started a local Ray instance."),
	HEADER_FORMAT("ray_cpp", 28,
				  "\\[(?<ts>" ISO ") (?<level>[DIWEFC]) \\d+ \\d+\\] (?:\\([\\w ]+\\) )?(?<file>[\\w./]+):\\d+: ",
				  "[2025-01-16 02:41:27,329 E 1234 1234] (raylet) node_manager.cc:3064: 1 Workers were killed due to memory "
				  "pressure"),
	HEADER_FORMAT("torch_launcher", 29,
				  "\\[(?<ts>" ISO ")\\] " LOGGER ": \\[" LEVEL "\\] ",
				  "[2024-02-02 16:00:00,123] torch.distributed.run: [WARNING] Setting OMP_NUM_THREADS environment variable"),
	HEADER_FORMAT("detectron", 30,
				  "\\[(?<ts>\\d\\d/\\d\\d " CLOCK ") " LOGGER "\\]: (?:(?=(?<level>" UPPER ")[ :]))?",
				  "[11/20 10:00:00 d2.checkpoint]: WARNING: the checkpoint lacks keys of the model"),
	HEADER_FORMAT("mmengine", 31,
				  "(?<ts>\\d\\d/\\d\\d " CLOCK ") - " LOGGER " - " LEVEL " - ",
				  "11/20 10:00:00 - mmengine - WARNING - The prefix is not set in metric class"),
	HEADER_FORMAT("rich", 32,
				  "\\[(?<month>\\d\\d)/(?<day>\\d\\d)/(?<year>\\d\\d) (?<time>" CLOCK ")\\] +" LEVEL
				  " +(?:(?<logger>[a-z]\\w+) - \\w+ - (?:" UPPER "): )?",
				  "[11/20/25 10:00:00] INFO     colossalai - colossalai - INFO: initialize.py:53 launch"),
	HEADER_FORMAT("composer", 33,
				  "(?<ts>" ISO "): rank(?<rank>\\d+)\\[\\d+\\]\\[[^\\]]*\\]: " LEVEL ": (?<logger>[\\w.]+): ",
				  "2024-05-10 02:41:06,123: rank7[2231][MainThread]: DEBUG: composer.trainer.trainer: Adding optional "
				  "callback"),
	HEADER_FORMAT("levanter", 34,
				  "(?<ts>" ISO ") - (?<rank>\\d+) - " LOGGER " - [\\w./]+:\\d+ - " LEVEL " :: ",
				  "2024-05-10T02:41:06 - 3 - levanter.trainer - trainer.py:123 - INFO :: Saving checkpoint"),
	/* which rank of its launcher's agents and which of the job's writes, and which of the node each is */
	HEADER_FORMAT("nvrx", 35,
				  "(?<ts>" ISO ") \\[" LEVEL "\\] \\[[\\w.-]+\\] "
				  "\\[workload:(?<rank>\\d{1,6})\\(\\d{1,4}\\) [^\\]\\n]{1,60}\\] " FILE_LINE " ",
				  "2026-11-20 10:00:00,123 [WARNING] [node-05] [workload:3(1) infra:1(0)] loop.py:120 the tokenizer is slow"),
	HEADER_FORMAT("horovod", 35,
				  "\\[(?<ts>" ISO "): (?<level>[IWEF]) (?<file>[^\\s\\]]+):\\d+\\] ?",
				  "[2024-10-09 15:47:38.568412: W /tmp/horovod/common/stall_inspector.cc:107] One or more tensors were "
				  "submitted by subset of ranks"),
	HEADER_FORMAT("neuron", 36,
				  "(?<ts>\\d{4}-[A-Z][a-z]{2}-\\d\\d " CLOCK "\\.\\d{4}) +\\d+:\\d+ +" LEVEL " +(?:(?=(?<module>[A-Z]+):))?",
				  "2023-Nov-07 22:08:32.0912 14053:14101 ERROR  TDRV:tdrv_init_mla_phase1  Could not open the device"),
	HEADER_FORMAT("oneccl", 37,
				  "(?<year>\\d{4}):(?<month>\\d\\d):(?<day>\\d\\d)-(?<time>" CLOCK "):\\( ?\\d+\\) \\|CCL_(?<level>[A-Z]+)\\| ",
				  "2021:04:26-18:12:37:(74234) |CCL_WARN| did not find MPI-launcher specific variables"),
	HEADER_FORMAT("paddle_launch", 38,
				  "LAUNCH " LEVEL " (?<ts>" ISO ") ",
				  "LAUNCH WARNING 2024-10-09 15:47:38,568 Host ip reset to 10.0.3.7"),
	HEADER_FORMAT("level_time_file", 39,
				  "\\[" LEVEL " (?<ts>" ISO ") " FILE_LINE "\\] ?",
				  "[INFO 2024-10-09 15:47:38 loop.py:120] epoch 3 of 10"),

	/* Headers of python, Java, Go and Rust loggers. */
	HEADER_FORMAT("python_dated", 40,
				  "(?<ts>" ISO_OR_AMERICAN ")[ \\t]+" LEVEL ":(?<logger>[\\w.-]+):" SPEAKER,
				  "2026-11-20 23:02:05,082 DEBUG:trainer.schedules:[rank3] forward pass of microbatch 2"),
	HEADER_FORMAT("python_default", 41,
				  LEVEL ":(?<logger>[\\w.-]+):" SPEAKER,
				  "INFO:torch.distributed.launcher.api:Starting elastic_operator with launch configs:"),
	/* .NET's: the message stands below, unless it is on the same line */
	HEADER_FORMAT("dotnet_console", 41,
				  " {0,8}(?:\\[?(?:(?<ts>" ISO_OR_AMERICAN ")|(?<time>" CLOCK FRACTION "))\\]? +)?"
				  "(?<level>trce|dbug|info|warn|fail|crit): "
				  "(?<logger>[A-Z][\\w.`+]*)\\[-?\\d{1,10}\\](?: |$)",
				  "12:34:56.789 warn: Trainer.Loop[12]"),
	/* Ruby's: of a program of which several run the name tells which one it is */
	HEADER_FORMAT("ruby_logger", 41,
				  "[DIWEFA], \\[(?<ts>" ISO ") #\\d+\\] +(?<level>" UPPER "|ANY) -- "
				  "(?:(?<proc>[\\w.:/-]*?(?<rank>\\d{1,6})?))?: ",
				  "W, [2026-11-20T10:00:00.123456 #32]  WARN -- worker3: the tokenizer is slow"),
	HEADER_FORMAT("dash_level_logger", 42,
				  "(?<ts>" ISO_OR_AMERICAN ") - " LEVEL " +- " LOGGER " - " SPEAKER,
				  "05/10/2024 02:41:06 - INFO - llmtuner.model.utils.checkpointing - Gradient checkpointing enabled."),
	HEADER_FORMAT("dash_logger_level", 43,
				  "(?<ts>" ISO_OR_AMERICAN ") - " LOGGER "(?::\\d+)? - " LEVEL " +- " SPEAKER,
				  "2024-05-10 02:41:06,123 - trainer.loop - WARNING - gradient overflow, skipping the step"),
	HEADER_FORMAT("zookeeper", 44,
				  "(?<ts>" ISO ") - " LEVEL " +\\[(?:[^@]*:)?(?<logger>[\\w$.]+)@\\d+\\] - ",
				  "2015-07-29 17:41:44,747 - INFO  [QuorumPeer[myid=1]/0:0:0:0:0:0:0:0:2181:FastLeaderElection@774] - "
				  "Notification time out: 3200"),
	HEADER_FORMAT("hydra", 45,
				  "\\[(?<ts>" ISO ")\\]\\[(?<logger>[\\w.]+)\\]\\[" LEVEL "\\] - ",
				  "[2021-03-04 10:11:12,345][fairseq_cli.train][INFO] - task: LanguageModelingTask"),
	HEADER_FORMAT("loguru", 46,
				  "(?<ts>" ISO ") \\| (?<level>" UPPER "|SUCCESS) +\\| (?:(?:" RANK_WORD ")[ :=#-]?(?<rank>\\d{1,6}) +\\| )?"
				  "(?<logger>[\\w.<>]+)(?::[\\w<>]+)*(?: - | +\\| )",
				  "2024-01-01 12:00:00.123 | INFO     | rank 3 | trainer.loop:train:212 - epoch 3 of 10"),
	HEADER_FORMAT("oslo", 47,
				  "(?<ts>" ISO ") \\d+ " LEVEL " (?<logger>[\\w.]+) (?:\\[(?:req-[^\\]]*|-)\\] )?",
				  "2017-05-16 00:00:00.008 25746 INFO nova.osapi_compute.wsgi.server [req-38101a0b 113d3a99 54fadb41 - - -] "
				  "10.11.10.1 \"GET /v2\" status: 200"),
	HEADER_FORMAT("log4j_thread", 48,
				  "(?<ts>" ISO "|\\d\\d/\\d\\d/\\d\\d " CLOCK ") +" LEVEL " +\\[[^\\]]*\\] " LOGGER "(?::\\d+)?(?: -|:) ",
				  "2015-10-18 18:01:47,978 INFO [main] org.apache.hadoop.mapreduce.v2.app.MRAppMaster: Created MRAppMaster for "
				  "application"),
	HEADER_FORMAT("log4j_thread_first", 49,
				  "(?<ts>" ISO ") +\\[[^\\]]*\\] +" LEVEL " +" LOGGER "(?::\\d+)?(?: -|:) ",
				  "2015-10-18 18:01:47,978 [main] INFO  org.apache.kafka.clients.Metadata - Cluster id changed"),
	HEADER_FORMAT("log4j_short", 50,
				  "(?<ts>\\d\\d/\\d\\d/\\d\\d " CLOCK ") " LEVEL " +" LOGGER ": ",
				  "17/06/09 20:10:40 INFO executor.CoarseGrainedExecutorBackend: Registered signal handlers for [TERM, HUP, "
				  "INT]"),
	HEADER_FORMAT("hdfs", 51,
				  "(?<ts>\\d{6} \\d{6}) \\d+ " LEVEL " " LOGGER ": ",
				  "081109 203615 148 INFO dfs.DataNode$PacketResponder: PacketResponder 1 for block blk_38865049064139660 "
				  "terminating"),
	HEADER_FORMAT("spring", 52,
				  "(?<ts>" ISO ") +" LEVEL " \\d+ --- \\[[^\\]]*\\] (?<logger>\\S+) +: ",
				  "2024-01-01T12:00:00.123Z  INFO 1 --- [           main] o.s.b.w.e.tomcat.TomcatWebServer         : Tomcat "
				  "started on port 8080"),
	HEADER_FORMAT("zap", 53,
				  "(?<ts>" ISO ")\\t" ANY_LEVEL "\\t(?:(?<logger>[\\w./-]+)\\t)?(?:[\\w./-]+:\\d+\\t)?",
				  "2024-01-01T12:00:00.123Z\tINFO\tcontroller-runtime\tstarting metrics server"),
	HEADER_FORMAT("logfmt_time_first", 54,
				  "(?:time|ts)=\"?(?<ts>" ISO ")\"? level=\"?(?<level>\\w+)\"? " RANK_FIELD,
				  "time=\"2024-01-01T12:00:00.123Z\" level=warning msg=\"container not ready\" name=worker-3"),
	HEADER_FORMAT("logfmt_level_first", 55,
				  "level=\"?(?<level>\\w+)\"? (?:ts|time)=\"?(?<ts>" ISO ")\"? " RANK_FIELD,
				  "level=info ts=2024-01-01T12:00:00.123Z caller=main.go:12 msg=\"starting\""),
	HEADER_FORMAT("json", 56,
				  "(?=\\{ ?\"(?:.{0,2000}?\")?(?:time|ts|timestamp|@timestamp|asctime|datetime|__REALTIME_TIMESTAMP)\": ?"
				  "(?:\"(?<ts>" ISO ")\"|\"?(?<epoch>\\d{10,19}(?:\\.\\d{1,9})?)\"?[,}]))"
				  "(?:(?=.{0,2000}?\"(?:level|levelname|severity|lvl|log\\.level|PRIORITY)\": ?"
				  "(?:\"(?<level>\\w+)\"|(?<level_tens>\\d\\d)[,}]|(?<severity>\\d)[,}])))?"
				  "(?:(?=.{0,2000}?\"(?:rank|global_rank)\": ?(?<rank>\\d{1,6})[,}]))?",
				  "{\"level\": \"error\", \"ts\": \"2024-01-01T12:00:00.123Z\", \"msg\": \"probe failed\"}"),

	/* Since the program began: when that was nobody says. */
	HEADER_FORMAT("elapsed", 57,
				  "[\\[(+]{0,2} *\\d{1,9}(?:\\.\\d{1,6}(?: ?m?s)?| ?m?s)[\\])]?[ \\t:|]{1,3}"
				  "\\[?(?<level>[IWEDFC](?=[ :])|(?:" UPPER ")\\b)\\]?[ :|]{1,3}",
				  "   14732 ms I loading the tokenizer"),

	/* Headers of the system. */
	HEADER_FORMAT("opensm", 59,
				  "(?<ts>" SYSLOG_TIME ") \\d{6} \\[[\\dA-F]+\\] 0x[\\da-f]{2} -> ",
				  "Nov 20 10:00:00 123456 [5B3D740] 0x02 -> osm_ucast_mgr_process: minhop tables configured on all switches"),
	HEADER_FORMAT("kmsg", 60,
				  "(?:kern|user|mail|daemon|auth|authpriv|syslog|cron|lpr|news|ftp|local\\d) *:(?<level>" LOWER
				  ") *: (?:(?<ts>" ISO ")|\\[ *\\d+\\.\\d+\\]) ",
				  "kern  :warn  : 2025-01-21T04:41:44,283302+00:00 NVRM: Xid (PCI:0000:38:00): 13, pid=0"),
	HEADER_FORMAT("apache_error", 61,
				  "\\[(?<ts>" WEEKDAY_TIME ")\\] \\[(?:(?<module>\\w+):)?" ANY_LEVEL
				  "\\d?\\] (?:\\[pid \\d+(?::tid \\d+)?\\] )?",
				  "[Sun Dec 04 04:47:44 2005] [error] mod_jk child workerEnv in error state 6"),
	HEADER_FORMAT("dmesg_time", 62,
				  "\\[(?<ts>" WEEKDAY_TIME ")\\] ",
				  "[Sun Jan  5 20:25:34 2025] INFO: task jfsmount:136986 blocked for more than 120 seconds."),
	HEADER_FORMAT("dmesg", 63,
				  "(?:<(?<severity>\\d{1,3})>)?\\[ *\\d{1,8}\\.\\d{6}\\] ?(?:\\[ *[TC]\\d+\\] )?",
				  "[171167.620236] NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT  Fatal"),
	HEADER_FORMAT("cluster_syslog", 64,
				  "(?:-|[A-Z][A-Z0-9_]*) (?<epoch>\\d{9,10}) \\d{4}\\.\\d\\d\\.\\d\\d \\S+ " SYSLOG_TIME " \\S+ (?:" PROCESS
				  ": )?",
				  "- 1131566461 2005.11.09 dn228 Nov 9 12:01:01 dn228/dn228 crond(pam_unix)[2915]: session closed for "
				  "user root"),
	HEADER_FORMAT("cluster_ras", 65,
				  "(?:-|[A-Z][A-Z0-9_]*) (?<epoch>\\d{9,10}) \\d{4}\\.\\d\\d\\.\\d\\d \\S+ "
				  "\\d{4}-\\d\\d-\\d\\d-\\d\\d\\.\\d\\d\\.\\d\\d\\.\\d+ \\S+ \\w+ (?<component>\\w+) "
				  "(?<level>INFO|WARNING|ERROR|FATAL|SEVERE|FAILURE)(?: |$)",
				  "- 1117838570 2005.06.03 R02-M1-N0-C:J12-U11 2005-06-03-15.42.50.675872 R02-M1-N0-C:J12-U11 RAS KERNEL INFO "
				  "instruction cache parity error corrected"),
	HEADER_FORMAT("syslog", 66,
				  "(?:<(?<severity>\\d{1,3})>)?(?<ts>" SYSLOG_TIME ") (?:[^\\s:\\[]+ )?(?: ?-- )?" PROCESS ": " MARKED_LEVEL
				  "(?:\\[ *\\d+\\.\\d{6}\\] )?",
				  "Nov 20 22:26:32.648 node-00 nodeagent[17]: <info> host memory 24684084 kB, 2 cpu visible"),
	/* the journal's output with seconds since 1970 */
	HEADER_FORMAT("journal_stamp", 66,
				  "(?<ts>1[5-9]\\d{8}\\.\\d{6}) (?:[^\\s:\\[]+ )?" PROCESS ": " MARKED_LEVEL,
				  "1763677592.648123 node-00 nodeagent[17]: <info> host memory 24684084 kB, 2 cpu visible"),
	/* the journal's output with seconds since the host began */
	HEADER_FORMAT("host_since_boot", 62,
				  "\\[ *\\d{1,9}\\.\\d{6}\\] [\\w.-]+ (?:(?=kernel: )(?<component>kernel)|(?<proc>[^\\s:\\[\\]]+)\\[\\d+\\]): "
				  MARKED_LEVEL,
				  "[1467823.330374] node-00 nodeagent[17]: <info> host memory 24684084 kB, 2 cpu visible"),
	/*
	 * Structured data tells of the message (its time, its number; RFC 5424, 7), or whose it is where one adds some. What
	 * a program defines itself, with an "@" in its name, and counts in, is as much of what it says as the words behind it.
	 */
	HEADER_FORMAT("syslog_5424", 67,
				  "<(?<severity>\\d{1,3})>1 (?<ts>" ISO ") \\S+ (?<proc>\\S+) \\S+ \\S+ "
				  "(?:-(?: |$)|(?=\\[)(?:\\[(?![^ \\]]*@[^\\]]*=\"\\d[\\d.]*\")[^\\]]*\\])* ?)",
				  "<34>1 2003-10-11T22:14:15.003Z host42 su - ID47 - 'su root' failed on /dev/pts/8"),
	HEADER_FORMAT("syslog_bare", 68,
				  "(?:<(?<severity>\\d{1,3})>)?(?<ts>" SYSLOG_TIME ") [^\\s:]+ ",
				  "Nov 20 22:26:32 node-00 last message repeated 3 times"),
	HEADER_FORMAT("slurm_daemon", 69,
				  "\\[(?<ts>\\d{4}-\\d\\d-\\d\\dT" CLOCK
				  "\\.\\d{3})\\] (?:\\[[\\w.+]+\\] )?(?:(?=(?<level>error|fatal|info|verbose|debug\\d?): ))?",
				  "[2020-12-14T09:43:55.500] [63532.0] error: *** STEP 63532.0 ON cn106 CANCELLED AT 2020-12-14T09:43:55 ***"),
	HEADER_FORMAT("slurm_tool", 70,
				  "(?=(?<component>srun|slurmstepd|slurmd|sbatch|salloc|scancel): (?<level>error|fatal|warning|info|debug): )",
				  "srun: error: node012: tasks 24-27: Terminated"),
	HEADER_FORMAT("condor_event", 71,
				  "\\d{3} \\(\\d{1,9}\\.\\d{3}\\.\\d{3}\\) (?<ts>" ISO ") ",
				  "005 (1052.000.000) 2026-11-20 10:00:00 Job terminated."),
	HEADER_FORMAT("condor_daemon", 71,
				  "(?<month>\\d\\d)/(?<day>\\d\\d)/(?<year>\\d\\d) (?<time>" CLOCK FRACTION ") "
				  "\\((?:pid:\\d+|cid:\\d+|D_\\w+|\\d+\\.\\d+)\\) (?:(?=(?<level>ERROR|WARNING)[ :]))?",
				  "11/20/26 10:00:00 (1052.0) Job 1052.0 is running on 6 hosts"),
	HEADER_FORMAT("access_log", 71,
				  "(?:\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}|[\\da-f]*:[\\da-f:]+) \\S+ \\S+ \\["
				  "(?<ts>\\d\\d/[A-Z][a-z]{2}/\\d{4}:" CLOCK " [+-]\\d{4})\\] ",
				  "10.0.0.7 - - [02/Nov/2024:10:11:12 +0000] \"PUT /checkpoint/17 HTTP/1.1\" 503 211"),

	HEADER_FORMAT("nccl_numeric_host", 72,
				  "\\d[\\w.-]*:\\d+:\\d+ \\[-?\\d+\\] (?:[\\w/.+-]+:\\d+ )?"
				  "(?=(?<component>NCCL) (?<level>INFO|WARN|ERROR|TRACE|ABORT|VERSION)\\b)",
				  "10-0-3-7:25573:26510 [4] NCCL INFO Bootstrap : Using eth0:10.0.3.7<0>"),
	HEADER_FORMAT("oslo_in_file", 73,
				  "[a-z-]+\\.log\\S* (?<ts>" ISO ") \\d+ " LEVEL " (?<logger>[\\w.]+) (?:\\[(?:req-[^\\]]*|-)\\] )?",
				  "nova-compute.log.1.2017-05-16_13:55:31 2017-05-16 00:00:04.500 2931 INFO nova.compute.manager [req-3ea4052c "
				  "- - - - -] [instance: b9000564] VM Started"),
	HEADER_FORMAT("fabricmanager", 74,
				  "\\[(?<ts>[A-Z][a-z]{2} \\d\\d \\d{4} " CLOCK ")\\] \\[" LEVEL "\\] (?:\\[tid \\d+\\] )?",
				  "[Oct 24 2023 02:38:23] [ERROR] [tid 2087] failed to find the GPU handle 5 in the multicast team"),
	HEADER_FORMAT("day_month_name", 75,
				  "(?<ts>\\d\\d-[A-Z][a-z]{2}-\\d{4} " CLOCK FRACTION ") " ANY_LEVEL " +(?:\\[[^\\]]*\\] )?(?:(?=[a-z]\\w*\\.)"
				  LOGGER " )?",
				  "20-Nov-2024 10:00:00.123 SEVERE [main] org.apache.catalina.core.StandardService.initInternal Failed to "
				  "initialize"),
	HEADER_FORMAT("threadtime", 76,
				  "(?<ts>\\d\\d-\\d\\d " CLOCK "\\.\\d{3}) +\\d+ +\\d+ (?<level>[VDIWEF]) (?<component>[^\\s:][^:]{0,60}?) *: ",
				  "03-17 16:13:38.811  1702  2395 W DeviceManager: the device is slow"),
	HEADER_FORMAT("time_comma_level", 77,
				  "(?<ts>" ISO "), +" ANY_LEVEL "[ ,]+(?:(?<component>[A-Z]{2,10}) {2,})?",
				  "2024-09-28 04:30:30, Warning               NET    port 1 flaps"),
	HEADER_FORMAT("time_zone", 78,
				  "\\[?(?<ts>\\d{4}-\\d\\d-\\d\\d[T ]" CLOCK FRACTION
				  " (?:UTC|GMT|[+-](?:0\\d|1[0-4]):?(?:00|15|30|45)))\\]?(?:[ \\t:|>-]+|$)(?:(?:\\[\\d+\\] )?\\[?" ANY_LEVEL
				  "(?=[\\] :|])[\\] :|-]+)?",
				  "2024-09-28 04:30:30.250 +0200 [error] the disk is full"),

	HEADER_FORMAT("time_level_file", 79,
				  "\\[(?<ts>" ISO ")[ |]+" LEVEL "[ |]+" FILE_LINE "\\][ :-]*",
				  "[2024-10-09 15:47:38 WARNING loop.py:120] epoch 3 of 10 is slow"),

	/* Rust's tracing: what the program was within, each with its fields, stays in the message */
	HEADER_FORMAT("tracing_spans", 79,
				  "(?<ts>" ISO ")[ \\t]+" LEVEL "[ \\t]+(?=" SPANS "[\\w.-]+\\{[^}\\n]{0,300}\\}:" SPANS
				  "(?: (?<logger>[\\w:]+):)? )(?:(?=" SPANS SPAN_RANK "\"?(?<rank>\\d{1,6})\\b))?",
				  "2026-11-20T10:00:00.123456Z  WARN rank{id=3}:step{n=12}: trainer::data: the tokenizer is slow"),

	/* Generic headers: a time or a level, in the common orders. */
	HEADER_FORMAT("tab_fields", 79,
				  "(?<ts>" ISO_OR_AMERICAN ")\\t(?:[^\\t\\n]{1,100}\\t){0,3}?(?<level>" UPPER "|" LOWER "|" CAPITALISED ")\\t"
				  "(?:(?<logger>[\\w./:-]{1,100})\\t)?",
				  "2026-11-20 10:00:00.123\tlm:3\tINFO\tcontroller.main\tloading the tokenizer"),
	HEADER_FORMAT("time_level_logger", 80,
				  "(?<ts>" ISO_OR_AMERICAN ")[ \\t]+" LEVEL "[ \\t]+(?:\\[[^\\]]*\\] )?" TELLING_LOGGER
				  "(?:\\[\\d+\\]|\\(\\d+\\)|:\\d+)?: " SPEAKER,
				  "2024-01-01T12:00:00.123456Z  WARN tower_http::trace: response failed"),
	HEADER_FORMAT("time_level_name", 81,
				  "(?<ts>\\d{4}-\\d\\d-\\d\\dT" CLOCK "(?:\\.\\d{1,9})?Z) +" LEVEL " +(?<component>[a-z][\\w.-]*) (?=\\S)",
				  "2026-11-20T22:26:03.342Z INFO objstore PUT /meta/rank_9/step_9 status=200"),
	HEADER_FORMAT("brackets", 82,
				  "\\[(?<ts>" ISO_OR_AMERICAN ")\\][ :]*\\[ *" ANY_LEVEL " *\\](?: ?\\[" FILE_LINE "(?::[\\w<>.]+)?\\])?[ :-]*"
				  SPEAKER,
				  "[2023-12-29 13:02:49,647] [INFO] [trainer/loop.py:96] epoch 3 of 10"),
	HEADER_FORMAT("slashes", 82,
				  "(?<ts>\\d{4}/\\d\\d/\\d\\d " CLOCK FRACTION ") \\[(?<level>[a-z]+)\\] \\d+\\W\\d+: ",
				  "2024/01/02 15:04:05 [error] 123#123: *1 upstream timed out"),
	HEADER_FORMAT("time_brackets", 83,
				  "(?<ts>" ISO_OR_AMERICAN ")[ \\t]+\\[ *" ANY_LEVEL " *\\](?: ?\\[" FILE_LINE "(?::[\\w<>.]+)?\\])?[ :-]*"
				  SPEAKER,
				  "2024-01-01 12:00:00 [warning  ] slow request"),
	HEADER_FORMAT("time_level", 84,
				  "(?<ts>" ISO_OR_AMERICAN ")[ \\t:|-]+(?<level>(?:" UPPER ")(?=[ \\t:|\\]-]|$)|(?:" LOWER "|" CAPITALISED
				  ")(?=[:|]))[\\]:|]*(?:[ \\t|:-]+|$)" SPEAKER,
				  "2024-01-01 12:00:00 ERROR cannot open the data set"),
	HEADER_FORMAT("syslog_iso", 85,
				  "(?<ts>" ISO ") (?:(?=[\\w.-]*[\\d.-])|(?=\\S+ (?:kernel: |\\S+\\[\\d)))[\\w.-]+ " PROCESS ": " MARKED_LEVEL
				  "(?:\\[ *\\d+\\.\\d{6}\\] )?",
				  "2026-11-20T22:26:03+0000 node-03 kernel: NVRM: Xid (PCI:0000:38:00): 79, GPU has fallen off the bus."),
	HEADER_FORMAT("time_process", 85,
				  "(?<ts>" ISO ") (?<proc>[A-Za-z][\\w.-]*)\\[\\d+(?::[\\da-fx]+)?\\] +" LEVEL_NEXT SPEAKER,
				  "2026-11-20 10:00:00.123456+0000 trainer[17:4711] WARN the tokenizer is slow"),
	HEADER_FORMAT("brackets_level_first", 86,
				  "\\[ *" ANY_LEVEL " *\\][ :-]*\\[?(?<ts>" ISO_OR_AMERICAN ")\\]?[ :-]*" SPEAKER,
				  "[INFO] 2024-01-01 12:00:00,123 loading the tokenizer"),
	HEADER_FORMAT("level_time", 87,
				  LEVEL "[ :]+\\[?(?<ts>" ISO_OR_AMERICAN ")\\]?[ :-]*" SPEAKER,
				  "WARNING 2024-01-01 12:00:00,123 the tokenizer is slow"),
	HEADER_FORMAT("brackets_logger", 87,
				  "\\[(?<ts>" ISO_OR_AMERICAN ")\\] ?(?=(?:\\[" INSTANCE "\\] ?|\\[" FIELD "\\] ?)(?:\\[" FIELD "\\] ?){0,2}"
				  "\\[ *" ANY_LEVEL " *\\])",
				  "[2024-01-01 12:00:00.678] [loader:3] [critical] cannot read the shard"),
	HEADER_FORMAT("name_brackets", 88,
				  "\\[(?<component>[A-Za-z][\\w.-]*)\\] ?\\[" ANY_LEVEL "\\][ :]*",
				  "[gpu-health] [WARN] GPU-e11dfcca: row remapping pending"),
	HEADER_FORMAT("name_level", 89,
				  "(?=\\[(?<component>[A-Za-z][\\w.:/-]*)\\] ?" LEVEL "(?: |: ))",
				  "[trainer3] WARNING no gradient from worker 5 for 4.3 s"),
	HEADER_FORMAT("dated_logger_level", 88,
				  "\\[?(?<ts>20\\d\\d(?:-\\d\\d-\\d\\d,|/\\d\\d/\\d\\d )" CLOCK FRACTION ")\\]?[ \\t:|-]{1,4}"
				  "(?:(?<logger>[a-z][\\w.]{1,40}) )?" LEVEL "(?:: +| +[|-] +)",
				  "[2025/11/20 10:00:00] ppocr INFO: train dataloader has 812 iters"),
	HEADER_FORMAT("bracket_time", 89,
				  " ?\\[(?<ts>" ISO_OR_AMERICAN ")\\][ :]*" LEVEL_AHEAD SPEAKER,
				  " [2025-05-27 15:23:07] iteration        1/    24000 | consumed samples:          1024 |"),
	HEADER_FORMAT("bracket_level", 90,
				  "\\[ *(?<level>" UPPER "|" LOWER ") *\\][: ]+",
				  "[INFO] loading the tokenizer"),
	HEADER_FORMAT("clock_thread", 97,
				  "(?<time>" CLOCK FRACTION ") +\\[[^\\]]*\\] +" LEVEL " +" LOGGER " -+ ",
				  "12:34:56.789 [main] WARN  org.apache.zookeeper.ClientCnxn - Session 0x0 closed unexpectedly"),
	/* of a process of a host; and what parallel-ssh says of each host as it ends there */
	HEADER_FORMAT("clock_process_at_host", 97,
				  "\\[?(?<time>" CLOCK FRACTION ")\\]?[ \\t]+\\[(?<component>[A-Za-z][\\w-]*)@[A-Za-z][\\w.-]*\\] ",
				  "12:34:56 [launch@node-05] attempt 1 of 2: ranks 8 to 15"),
	HEADER_FORMAT("parallel_ssh", 97,
				  "\\[\\d{1,5}\\] (?<time>" CLOCK ") (?=\\[(?<level>SUCCESS|FAILURE)\\] )",
				  "[3] 12:34:56 [FAILURE] node-05 Exited with error code 1"),
	HEADER_FORMAT("clock_level", 98,
				  "\\[?(?<time>" CLOCK FRACTION ")\\]?[ \\t:|-]+\\[?(?<level>(?:" UPPER ")(?=[ \\t:|\\]-]|$)|(?:" LOWER "|"
				  CAPITALISED ")(?=[\\]:|]))[\\]:|]*(?:[ \\t|:-]+|$)" SPEAKER,
				  "[12:34:56] ERROR: cannot open the data set"),
	HEADER_FORMAT("level_clock", 99,
				  "\\[?(?<level>[DIWEF]|" UPPER ")\\]?[ \\t]+\\[?(?<time>" CLOCK FRACTION ")\\]?(?: -|:)?[ \\t]+" SPEAKER,
				  "I 12:34:56.789 loading the tokenizer"),
	HEADER_FORMAT("time", 92,
				  "(?<ts>" ISO_OR_AMERICAN ")(?:[ \\t]*[|:>]|[ \\t]+-)?(?:[ \\t]+|$)" SPEAKER,
				  "2024-01-01 12:00:00 loading the tokenizer"),
	HEADER_FORMAT("level_word", 93,
				  "(?<level>TRACE|DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|CRITICAL|FATAL): +(?=\\S)",
				  "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR"),
	HEADER_FORMAT("weekday_time", 94,
				  "(?<ts>" WEEKDAY_TIME ")(?: ?[:,|-])?(?: +|$)",
				  "Thu Nov 20 10:00:00 2025: loading the tokenizer"),
	HEADER_FORMAT("packed_time", 95,
				  "\\[?(?<ts>(?:20\\d{6}[ T_-]|20\\d\\d\\.\\d\\d\\.\\d\\d[ -]|20\\d\\d-\\d\\d-\\d\\d[_-])" CLOCK FRACTION
				  ")\\]?(?:[ \\t:|-]+|$)(?:\\[?" LEVEL "(?=[\\] :|])[\\] :|-]+)?" SPEAKER,
				  "20241120-10:00:00.123 INFO loading the tokenizer"),
	HEADER_FORMAT("letter_time_file", 100,
				  "\\[?(?<level>[DIWEFC]) (?<ts>" ISO ") (?:\\d+ )?" FILE_LINE "\\] ?",
				  "I 2026-11-20 10:00:00,123 loop:120] epoch 3 of 10"),
	HEADER_FORMAT("level_any_time", 101,
				  "[\\[<(]?(?<level>[DIWEFC]|" UPPER ")[\\]>)]?[ \\t:|-]{1,4}[\\[<(]?(?<ts>" SHORT_TIME "|" ISO_OR_AMERICAN
				  ")(?:[\\]>)]*[ \\t:|,-]+|[\\]>)]*$)(?:\\((?<logger>[A-Za-z][\\w.-]*)\\) )?" SPEAKER,
				  "<WARNING> 22/Nov/2026:13:09:20.011 (loop) the tokenizer is slow"),
	HEADER_FORMAT("short_time", 102,
				  "[\\[<(]?(?<ts>" SHORT_TIME ")(?:[\\]>)]*[ \\t:|,-]+|[\\]>)]*$)(?:[\\[<(]?" LEVEL "[\\]>):| -]+)?" SPEAKER,
				  "[11/20 10:00:00] WARNING: the tokenizer is slow"),
	HEADER_FORMAT("epoch_time", 96,
				  "\\[?(?<epoch>1\\d{9}\\.\\d{3,9}|1\\d{12}(?=\\]? +\\[?(?:" UPPER ")[\\] :]))\\]?[ :]+(?!\\d)(?:\\[?" LEVEL
				  "(?=[\\] :|])[\\] :|-]+)?",
				  "[1745264369.123456] WARN the tokenizer is slow"),
	HEADER_FORMAT("labelled_time", 104,
				  "(?:[A-Z]{2,8}|\\[[\\w.:/-]{1,40}\\]) (?<ts>" ISO ")(?: - | \\((?<file>[\\w.]+):\\d+\\) " LEVEL ": )",
				  "[node-01:0/2] 2025-11-20 10:00:00,101 (trainer:762) INFO: 1epoch:train:1-50batch: loss=80.2"),
	HEADER_FORMAT("name_time", 105,
				  NAME_BEFORE_TIME ":?" TIME_BEHIND_NAME "(?:[\\])>]*[ \\t]*[|:>-]+|[\\])>]+)[ \\t]+" LEVEL_BEHIND_TIME,
				  "crew 2026/11/20 10:00:00 | WARNING member 3 left with 1"),
	/* Two formats, not one with a condition: the prefilter studies no conditions, and then no line prefix is remembered. */
	HEADER_FORMAT("name_colon_time", 106,
				  NAME_BEFORE_TIME ":" TIME_BEHIND_NAME "[ \\t]+" LEVEL_BEHIND_TIME,
				  "crew: 2026/11/20 10:00:00 WARNING member 3 left with 1"),
	HEADER_FORMAT("name_level_any_time", 107,
				  OPEN "(?<component>" NAME_FIELD ")" CLOSE "[ \\t:|]{1,3}(?:" OPEN NAME_FIELD CLOSE "[ \\t:|]{1,3})?"
				  OPEN "(?<level>[DIWEFC]|" UPPER ")" CLOSE "[ \\t:|]{1,3}" OPEN ANY_TIME "(?:[ \\t,]+\\d{1,8})?"
				  "(?:[ \\t]+[\\w./<>+-]+:\\d+)?" CLOSE "[:|>-]?(?:[ \\t]+|$)" SPEAKER,
				  "[trainer W 2026-11-20 10:00:00 loop:120] the tokenizer is slow"),
	HEADER_FORMAT("named_time", 108,
				  OPEN "(?<ts>" NAMED_TIME ")" TIME_END LEVEL_NEXT SPEAKER,
				  "Nov 20, 2026 10:00:00.123 WARNING: the tokenizer is slow"),
	HEADER_FORMAT("date_brackets", 109,
				  "\\[(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)\\] ?\\[(?<time>" CLOCK FRACTION ")\\] ?"
				  LEVEL_AHEAD SPEAKER,
				  "[2026-11-20][10:00:00][trainer::loop][WARN] the tokenizer is slow"),
	HEADER_FORMAT("iso_packed", 110,
				  OPEN "(?<ts>20\\d{6}[T_-]\\d{6}" FRACTION "(?:Z|[+-]\\d{4})?)" TIME_END LEVEL_LOGGER_NEXT SPEAKER,
				  "20261120T100000.123Z WARN trainer.loop: the tokenizer is slow"),
	HEADER_FORMAT("time_colon_level", 111,
				  "\\[(?<ts>" ISO "): " LEVEL "/(?<proc>[\\w.:-]+)\\] ",
				  "[2026-11-20 10:00:00,123: WARNING/MainProcess] the tokenizer is slow"),
	HEADER_FORMAT("month_day", 112,
				  OPEN "(?<ts>\\d\\d-\\d\\d " CLOCK FRACTION ")" TIME_END LEVEL_LOGGER_NEXT SPEAKER,
				  "11-20 10:00:00.123 WARNING trainer.loop: the tokenizer is slow"),
	HEADER_FORMAT("clock_short_level", 98,
				  OPEN "(?<time>" CLOCK FRACTION ")" CLOSE "[ \\t]+" OPEN SHORT_LEVEL CLOSE "[ \\t:|-]+" SPEAKER,
				  "[10:00:00 WRN] the tokenizer is slow"),
	HEADER_FORMAT("logfmt_time", 58,
				  "(?:time|ts|timestamp)=[\"']?(?<ts>" ISO ")[\"']? "
				  "(?:(?=(?:.{0,2000}? )?(?:level|lvl|severity)=[\"']?" ANY_LEVEL "\\b))?" RANK_FIELD,
				  "time=2026-11-20T10:00:00.123Z msg=\"the tokenizer is slow\" level=WARN"),
	/* A host and a process behind any time; in between what the process logs as, and how grave it is. */
	HEADER_FORMAT("host_process", 86,
				  "(?:<(?<severity>\\d{1,3})>)?(?<ts>" NAMED_TIME ") [\\w.-]+ " PROCESS ": " MARKED_LEVEL,
				  "Fri 2026-11-20 10:00:00 UTC node-03 nodeagent[17]: <info> 2 cpu visible"),
	HEADER_FORMAT("host_facility_process", 86,
				  "(?<ts>" ISO "|" SYSLOG_TIME ") [\\w.-]+ "
				  "(?:kern|user|mail|daemon|auth|authpriv|syslog|cron|lpr|news|ftp|local\\d)\\.(?<level>" LOWER ") "
				  PROCESS ": ",
				  "2026-11-20T10:00:00.123Z node-03 daemon.info nodeagent[17]: 2 cpu visible"),
};

const int	l4_builtin_formats_count = lengthof(l4_builtin_formats_array);
