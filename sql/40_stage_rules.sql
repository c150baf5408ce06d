/*
 * Built-in stage rules. They are tried in the order of priority, then name; the first that matches a record names its stage. A
 * rule sees the message without prefixes and header, each variable part replaced by the single character 1 (also both halves of
 * 20/50: 11). 90 to 110: the wording of one framework. 200: errors that tell the stage. From 500: wording that any trainer may
 * use, the more specific first. Those at the end of the file say that a stage is over. Every quantifier over more than one kind
 * of character has an upper bound, so a match stays linear.
 */

INSERT INTO @extschema@.l4_stage_rule (name, stage, priority, pattern, example, builtin) VALUES
	('slurm_start', 'environment_init', 100,
		'^\+{1,3} ?srun |Clearing cache on |vm\.drop_caches',
		'Clearing cache on node-7', true),
	('megatron_world_size', 'environment_init', 100,
		'using world size: \d+, (?:data-parallel|context-parallel)',
		'using world size: 64, data-parallel size: 8, tensor-model-parallel size: 8', true),
	('megatron_setup', 'environment_init', 100,
		'> (?:setting tensorboard|setting random seeds to|compiling (?:dataset index builder|and loading fused kernels))',
		'> setting random seeds to 4321 ...', true),
	('megatron_communicator', 'communicator_init', 100,
		'> initializ(?:ing torch distributed|ed (?:tensor|pipeline|expert|context) model parallel|ing '
		'(?:tensor|pipeline|expert|context) model parallel)',
		'> initialized tensor model parallel with size 4', true),
	('megatron_model_build', 'model_build', 100,
		'building \S{1,20} model \.\.\.|> number of parameters on \(tensor|\[after model, optimizer, and learning rate '
		'scheduler are built\]',
		'building GPT model ...', true),
	('megatron_data', 'data_load', 100,
		'> building train, validation, and test datasets|> finished creating \w{1,40} datasets'
		'|\[after dataloaders are built\]',
		'> finished creating GPT datasets ...', true),
	('megatron_checkpoint_load', 'checkpoint_load', 100,
		'^\s{0,8}loading (?:release )?(?:distributed )?checkpoint from|successfully loaded checkpoint from'
		'|could not find the '
		'metadata file',
		' loading checkpoint from /ckpt/base at iteration 4000', true),
	('megatron_training', 'iterating', 100,
		'^\s{0,8}training \.\.\.\s{0,8}$|\[before the start of training step\]',
		'[before the start of training step] datetime: 2024-03-01 10:00:00', true),
	('megatron_evaluation', 'evaluation', 100,
		'Evaluating (?:on \d+ samples|iter \d)',
		'Evaluating iter 3/10', true),
	('megatron_checkpoint_save', 'checkpoint_save', 100,
		'saving checkpoint\s+at iteration',
		'saving checkpoint at iteration     500 to /ckpt', true),
	('megatron_end', 'teardown', 100,
		'\[after training is done\]|\[exiting program (?:at iteration|after)',
		'[after training is done] datetime: 2024-03-01 12:00:00', true),
	('megatron_iteration', 'iterating', 110,
		'\biteration\s+\d+(?:/\s{0,12}\d+)? \| consumed samples|forward-compute|backward-compute|all-grads-sync',
		' iteration      820/    5000 | consumed samples:       209920 |', true),
	('deepspeed_launch', 'environment_init', 100,
		'nnodes=\d+, num_local_procs=\d+|Setting ds_accelerator to|WORLD INFO DICT',
		'nnodes=4, num_local_procs=8, node_rank=2', true),
	('deepspeed_communicator', 'communicator_init', 100,
		'Initializing TorchBackend in DeepSpeed|\bcdb=',
		'Initializing TorchBackend in DeepSpeed with backend nccl', true),
	('deepspeed_model_build', 'model_build', 100,
		'DeepSpeed (?:Flops Profiler Enabled|Basic Optimizer|Final Optimizer|using client|using configured'
		'|LR Scheduler|info: '
		'version)|Creating .{0,60}ZeRO stage \d|finished initializing model',
		'DeepSpeed Final Optimizer = AdamW', true),
	('deepspeed_checkpoint_load', 'checkpoint_load', 100,
		'\[Torch\] (?:Begin Load|Loading|Loaded|End Load) checkpoint|loading \d+ zero partition checkpoints',
		'[Torch] Loading checkpoint from /ckpt/global_step40/mp_rank_00_model_states.pt...', true),
	('deepspeed_checkpoint_save', 'checkpoint_save', 100,
		'Saving model checkpoint|\[Torch\] (?:Checkpoint \S+ is about to be saved|Saving|Saved)',
		'[Torch] Checkpoint global_step40 is about to be saved!', true),
	('deepspeed_iteration', 'iterating', 100,
		'RunningAvgSamplesPerSec=|\bstep=\d+, skipped=|\b(?:fwd|bwd)_microstep\b',
		'step=40, skipped=0, lr=[0.0001], mom=[(0.9, 0.95)]', true),
	('deepspeed_end', 'teardown', 100,
		'Process \d+ exits successfully|exits with return code|Killing subprocess',
		'Process 8123 exits successfully.', true),
	('lightning_communicator', 'communicator_init', 100,
		'Initializing distributed: GLOBAL_RANK: \d+, MEMBER: \d|distributed_backend=|All distributed processes registered',
		'Initializing distributed: GLOBAL_RANK: 12, MEMBER: 13/64', true),
	('lightning_devices', 'model_build', 100,
		'LOCAL_RANK: \d+ - CUDA_VISIBLE_DEVICES',
		'LOCAL_RANK: 3 - CUDA_VISIBLE_DEVICES: [0,1,2,3]', true),
	('lightning_fit', 'model_build', 100,
		'SLURM auto-requeueing enabled',
		'SLURM auto-requeueing enabled. Setting signal handlers.', true),
	('nemo_data', 'data_load', 100,
		'Instantiating MegatronPretrainingSampler|Building GPTDataset splits|Build and save the \w{1,40} '
		'(?:train|valid|test)? ?indices|Load the _IndexReader|> building indices for blendable datasets',
		'Building GPTDataset splits with sizes=[100, 10, 0]', true),
	('nemo_model_build', 'model_build', 100,
		'Setting up (?:DistributedDataParallel|optimizer) with config|Modules in train mode|Trainable params|!!! \[UB\]',
		'Setting up optimizer with config OptimizerConfig(optimizer=adam', true),
	('nemo_checkpoint_load', 'checkpoint_load', 100,
		'Restor(?:ing|ed) (?:states|all states|model weights)|Doing selective restore|Finished restoring from|Global '
		'Checkpoint Load|Loading distributed checkpoint (?:with|directly)',
		'Restoring model weights from RestoreConfig(path=/base', true),
	('nemo_training', 'iterating', 100,
		'Starting training warmup|Finished training warmup|Epoch \d+:\s+\d+%\|',
		'Epoch 2:  14%|#4        | 140/1000 [00:30<03:04,  4.67it/s]', true),
	('mlperf_start', 'environment_init', 100,
		'"key": "(?:cache_clear|init_start)"|:::SYSJSON',
		'{"namespace": "", "event_type": "INTERVAL_START", "key": "init_start", "value": null}', true),
	('mlperf_training', 'iterating', 100,
		'"key": "(?:run_start|block_start|epoch_start|train_loss)"',
		'{"namespace": "", "event_type": "INTERVAL_START", "key": "block_start", "value": null}', true),
	('mlperf_evaluation', 'evaluation', 100,
		'"key": "eval_(?:start|accuracy)"',
		'{"namespace": "", "event_type": "POINT_IN_TIME", "key": "eval_accuracy", "value": 0.91}', true),
	('mlperf_end', 'teardown', 100,
		'"key": "run_stop"',
		'{"namespace": "", "event_type": "INTERVAL_END", "key": "run_stop", "value": null}', true),
	('pytorch_end', 'teardown', 100,
		'process group has NOT been destroyed|destroy_process_group\(\) was not called|Process group destroyed',
		'Warning: WARNING: process group has NOT been destroyed before we destruct ProcessGroupNCCL.', true),
	('nccl_communicator', 'communicator_init', 100,
		'^(?:.{0,80}NCCL INFO )?(?:Bootstrap\b|ncclCommInitRank|comm \S+ rank \d.{0,120} Init (?:START|COMPLETE)|Connected '
		'all|NET[/1]|NCCL version \d)',
		'comm 0x7f10 rank 3 nranks 16 cudaDev 3 busId 4e000 commId 0x11 - Init COMPLETE', true),
	('nccl_end', 'teardown', 100,
		'\bcomm \S+ rank .{0,120}(?:Destroy|Abort) COMPLETE',
		'comm 0x7f10 rank 3 nranks 16 cudaDev 3 busId 4e000 - Destroy COMPLETE', true),
	('gloo_communicator', 'communicator_init', 100,
		'\[Gloo\] Rank \d+ is connected to \d+ peer ranks',
		'[Gloo] Rank 3 is connected to 15 peer ranks. Expected number of connected peer ranks is : 15', true),
	('torchrun_rendezvous', 'rendezvous', 100,
		'Rendezvous''ing worker group|Starting elastic_operator with launch configs|starting workers for entrypoint|Starting '
		'worker group|Rendezvous complete for workers',
		'[default] Starting worker group', true),
	('torchrun_start', 'environment_init', 100,
		'Setting OMP_NUM_THREADS environment variable',
		'Setting OMP_NUM_THREADS environment variable for each process to be 1 in default', true),
	('torchrun_end', 'teardown', 100,
		'Sending process \d+ closing signal SIGTERM|failed \(exitcode:|worker group (?:successfully )?finished',
		'Sending process 912 closing signal SIGTERM', true),
	('torchtitan_start', 'environment_init', 100,
		'^Starting job: ',
		'Starting job: llama3 pretraining', true),
	('torchtitan_model_build', 'model_build', 100,
		'^(?:Building (?!.{0,20}device mesh)\w+ \S+|Applied (?:FSDP|HSDP|CPU Offloading)|Peak FLOPS used for computing MFU)',
		'Applied FSDP to the model', true),
	('torchtitan_checkpoint_load', 'checkpoint_load', 100,
		'Loading the checkpoint from|Finished loading the checkpoint',
		'Loading the checkpoint from outputs/checkpoint/step-100.', true),
	('torchtitan_training', 'iterating', 100,
		'Training starts at step|\bstep:\s+\d+\s+loss:',
		'step: 80  loss:  6.1023  grad_norm:  1.2', true),
	('torchtitan_checkpoint_save', 'checkpoint_save', 100,
		'(?:Saving|Staging) the checkpoint|Saving a full checkpoint at last step',
		'Saving the checkpoint (or staging if async is enabled).', true),
	('torchtitan_end', 'teardown', 100,
		'^(?:Training completed|Process group destroyed)',
		'Training completed', true),
	('transformers_data', 'data_load', 100,
		'Running tokenizer on dataset|Generating train split|Loading cached processed dataset',
		'Running tokenizer on dataset:  10%|#         | 1000/10000 [00:02<00:20, 440.1 examples/s]', true),
	('transformers_model_build', 'model_build', 100,
		'Loading checkpoint shards:|loading weights file|trainable params:|^Some weights of \S{1,80} were not '
		'(?:initialized|used)',
		'Loading checkpoint shards:  50%|#####     | 2/4 [00:10<00:10,  5.0s/it]', true),
	('transformers_training', 'iterating', 100,
		'\*{5} Running training \*{5}|Total optimization steps =|^\s{0,4}Number of trainable parameters =',
		'***** Running training *****', true),
	('transformers_loss', 'iterating', 110,
		'^\{''loss'': ',
		'{''loss'': 2.71, ''grad_norm'': 0.8, ''learning_rate'': 0.0001, ''epoch'': 0.2}', true),
	('transformers_evaluation', 'evaluation', 100,
		'\*{5} Running [Ee]valuation \*{5}',
		'***** Running Evaluation *****', true),
	('transformers_checkpoint_save', 'checkpoint_save', 100,
		'Saving model checkpoint to|tokens file saved in|^Configuration saved in',
		'Saving model checkpoint to out/checkpoint-500', true),
	('transformers_end', 'teardown', 95,
		'Training completed\. Do not forget|''train_runtime'':',
		'{''train_runtime'': 812.2, ''train_samples_per_second'': 44.1}', true),
	('mindspore_start', 'environment_init', 100,
		'\brun_mindformer\.py\b|^msrun\b|\bmsrun --|--run_mode=(?:train|finetune|eval|predict)\b',
		'python run_mindformer.py --run_mode=train', true),
	('mindspore_model_build', 'model_build', 100,
		'Model Compil(?:ing|e)|Start build network|Build model',
		'Start build network', true),
	('mindspore_iteration', 'iterating', 100,
		'\{ ?Epoch:\[|\bepoch:? \d+,? step:? \d+, loss(?: is|:)',
		'{ Epoch:[  1/  2], step:[   40/  100], loss: 7.102, per_step_time: 812ms', true),
	('hccl_communicator', 'communicator_init', 100,
		'Entry-Hccl(?:CommInit|GetRootInfo)|HcclCommInit|hccp init',
		'Entry-HcclCommInitRootInfo: ranks[16]', true),
	('hccl_end', 'teardown', 100,
		'Entry-HcclCommDestroy',
		'Entry-HcclCommDestroy', true),
	('composer_console', 'iterating', 100,
		'^\s{0,4}(?:\[epoch=\d{1,9}(?:/\d{1,9})?\])?\[batch=\d{1,18}(?:/\d{1,18})?\]:',
		'[epoch=1/2][batch=120/900]:', true),
	('maxtext_start', 'environment_init', 100,
		'Jax distributed system initialized|initialize JAX distributed system',
		'Jax distributed system initialized!', true),
	('maxtext_iteration', 'iterating', 100,
		'completed step: \d+, seconds:',
		'completed step: 12, seconds: 0.91, TFLOP/s/device: 310.2', true),
	('maxtext_checkpoint_save', 'checkpoint_save', 100,
		'Saving final checkpoint',
		'Saving final checkpoint', true),
	('jax_rendezvous', 'rendezvous', 100,
		'coordination service|Wait_for_all_tasks_to_register',
		'Connecting to the coordination service', true),
	('kubernetes_start', 'environment_init', 100,
		'Successfully assigned \S+ to|Pulling image|Started container|kubectl exec|^(?:\+ )?\d exec \S+ --',
		'Successfully assigned train/worker-0 to gpu-17', true),
	('kubeflow_end', 'teardown', 100,
		'(?:PyTorchJob|TFJob|MPIJob) \S+ (?:is successfully completed|has failed because)',
		'PyTorchJob llm is successfully completed.', true),
	('slurm_end', 'teardown', 100,
		'srun: (?:Job step aborted|Force Terminated|error: \S+: tasks?)|slurmstepd(?:-\S+)?: error: \*\*\*',
		'srun: Job step aborted: Waiting up to 32 seconds for job step to finish.', true),
	('general_checkpoint_load_failed', 'checkpoint_load', 200,
		'(?i)^.{0,80}?\b(?:failed|unable|could not|cannot|failure)\b(?:.{0,12} (?:load|restore|read|find)\w{0,4} (?:\S+ '
		'){0,2}?(?:checkpoint|snapshot)|(?: to)? resume\b)',
		'Failed to load checkpoint from /models/base: not found', true),
	('general_rendezvous_failed', 'rendezvous', 200,
		'(?i)^.{0,80}?\b(?:coordinator|rendezvous|master|leader|tracker)\b.{0,30}? (?:is )?(?:not (?:yet )?(?:reached|reachable'
		'|up|there|ready|available)|unreachable|unavailable)\b',
		'coordinator not reached yet: Connection refused (os error 111)', true),
	-- what a setting is called is not what is done with it
	('general_settings', 'environment_init', 200,
		'(?i)^.{0,60}?\b(?:config|configuration|settings?|options?|arguments?|args?|hparams?|hyper-?parameters?) '
		'[\w.-]{1,60} ?[:=](?: |$)',
		'config load_checkpoint: ', true),
	('general_checkpoint_save_failed', 'checkpoint_save', 200,
		'(?i)^.{0,80}?\b(?:failed|unable|could not|cannot|failure)\b.{0,12} (?:save|saving|write|writing|store'
		'|commit)\w{0,4} '
		'(?:\S+ ){0,2}?(?:checkpoint|snapshot)',
		'failed to save checkpoint shard 3', true),
	('general_training_end', 'teardown', 500,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b)(?!.{0,120}\bepoch\b).{0,80}?\b(?:train(?:ing)?(?: loop| job| run| '
		'process)? (?:is |has |was )?(?:finished|completed?|done|ended|terminated|exited)\b|(?:shutting|shut) '
		'down\b|destroy(?:ing|ed)? (?:the )?(?:process group|communicator)s?\b|all workers (?:have )?(?:finished|exited)\b)',
		'training finished, rank[3]', true),
	('general_process_end', 'teardown', 505,
		'(?i)^.{0,80}?\b(?:worker|process|task|rank)\b.{0,60} (?:exited (?:normally|with|successfully)|(?:was )?killed by '
		'signal|received SIGTERM|finished successfully)\b',
		'worker 5 (pid 811) exited with code 1', true),
	('general_communicator', 'communicator_init', 510,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b).{0,80}?(?:\binit(?:ialize|ialized|ializing|ializes)? (?:the )?(?:\w+ '
		')?(?:process groups?|communicators?|torch distributed|distributed (?:backend|environment|training|process))\b'
		'|\binitializ(?:ed|ing) (?:the )?(?:tensor|pipeline|data|expert|context|sequence)[ -](?:model[ -])?parallel'
		'|\bprocess '
		'groups? (?:is |are |was )?(?:initialized|created|ready)\b|\binit_process_group\b|\bcommunicators?\b.{0,60} '
		'(?:created|initialized|established|ready)\b|\brank ?table\b.{0,60} (?:loaded|parsed|read)\b|\b(?:link|channel'
		'|connection)s? (?:to|with|from) (?:rank|peer|device)\b.{0,80} (?:established|ready|connected)\b|\baccepted (?:a '
		')?(?:link|connection) from (?:rank|peer)\b)',
		'process group initialized, world_size=32', true),
	('general_rendezvous', 'rendezvous', 520,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b).{0,80}?(?:\brendezvous\b(?! '
		'(?:backend|endpoint|config|timeout|id\b))|\bwaiting for (?:all |the |other |more )?(?:\d+ )?(?:other '
		')?(?:nodes|workers|ranks|peers|processes|hosts|agents) to (?:join|register|connect|start|arrive)\b|\ball (?:\w+ '
		')?(?:nodes|workers|ranks|hosts|agents) (?:have )?(?:registered|joined)\b)',
		'waiting for all nodes to join', true),
	('general_evaluation', 'evaluation', 530,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b).{0,60}?(?:\bevaluating\b|\bvalidating\b(?! '
		'(?:config|argument|option|checkpoint|environment|input))|\b(?:running|start(?:ing|ed)?|begin(?:ning)?) (?:the '
		')?(?:evaluation|validation|eval)\b(?! dataset)|\b(?:evaluation|validation|eval) '
		'(?:loop|start(?:s|ed|ing)?|begins?|done|finished|complete[d]?|loss|results?|metrics?|at (?:step|iteration)|step '
		'\d)\b)|^(?:\s{0,4}\[[^\]\n]{0,60}\]){0,4}\s{0,4}(?:evaluation|validation)\b(?! '
		'(?:interval|every|iters?|steps?|datasets?|data|frequency|strategy|batch|samples?|split|set)\b)',
		'running validation on 512 samples', true),
	('general_checkpoint_load', 'checkpoint_load', 540,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b).{0,80}?(?:\b(?:load(?:ing|ed|s)?|restor(?:e|es|ing|ed)|fetch(?:ing|ed)?'
		'|reading) (?:\S{1,40} ){0,4}?(?:checkpoints?|ckpt|snapshot|state[_ ]dict|pre-?trained (?:model|weights)|model '
		'weights|weights)\b|\bresum(?:e|ing|ed) (?:training )?from\b|\b(?:checkpoint|snapshot)\b.{0,40} (?:loaded'
		'|restored)\b)',
		'loading model checkpoint from /models/base', true),
	('general_checkpoint_save', 'checkpoint_save', 550,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b).{0,80}?(?:\b(?:sav(?:e|es|ed|ing)|writ(?:e|es|ing|ten)|wrote|dump(?:ed'
		'|ing)?|stor(?:ed|ing)|commit(?:ted|ting)?|upload(?:ed|ing)?|persist(?:ed|ing)?|stag(?:ed|ing)|flush(?:ed|ing)?) '
		'(?:\S{1,40} ){0,4}?(?:checkpoints?|ckpt|snapshots?|(?:model|optimizer) '
		'(?:states?|shards?|weights))\b|\b(?:checkpoint|snapshot)\b.{0,40} (?:saved|written|committed|completed?|finished'
		'|uploaded)\b|\bsave[-_ ]checkpoint\b)',
		'checkpoint saved in 3.2 s', true),
	('general_data_load', 'data_load', 560,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b)(?!.{0,120}\b(?:checkpoints?|optimizer|weights|prefetch\w*|pushed)\b).{0,'
		'60}?\b(?:read(?:ing)?|load(?:ing|ed)?|build(?:ing)?|built|open(?:ing|ed)?|creat(?:e|ed|ing)|prepar(?:ing|ed)'
		'|tokeniz(?:ing|ed)|setting up|initializ(?:ing|ed)|index(?:ing|ed)) (?:\S{1,40} ){0,3}?(?:datasets?|data '
		'?loaders?|data (?:files?|iterators?|pipelines?|shards?|sources?|modules?)|index(?: '
		'files?)?|shards?|tokenizer|vocabulary)\b',
		'creating training dataset from /data/tokens', true),
	('general_model_build', 'model_build', 570,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b).{0,60}?(?:\b(?:build(?:ing)?|built|creat(?:ed|ing)|construct(?:ed|ing)'
		'|instantiat(?:ed|ing)|initializ(?:ed|ing)|wrapp(?:ed|ing)|setting up|compil(?:ed|ing)|shard(?:ed|ing)) (?:the '
		')?(?:\S{1,40} ){0,2}?(?:model|network|optimizer|(?:lr|learning rate) scheduler|computation graph)\b(?![ '
		'-](?:parallel|config|registry|file))|\bnumber of (?:trainable )?parameters\b(?! =)|\b(?:graph|model) '
		'compil(?:e|ed|ation) (?:is )?(?:done|finished|success\w*|complete[d]?)\b|\bmodel (?:was |has been |is '
		')?(?:built|created|initialized)\b|\b(?:optimizer|model) .{0,20}is created\b)',
		'building model with 32 layers', true),
	('general_training_start', 'iterating', 580,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b).{0,60}?(?:\b(?:start(?:s|ing|ed)?|begin(?:s|ning)?|enter(?:s|ing|ed)?) '
		'(?:the )?(?:main )?(?:model )?train(?:ing)?(?: loop| steps?)?\b(?! (?:process|job|worker|run|agent|script|service'
		'|server|environment|container|pod|task)\w{0,2}\b)|\btraining (?:loop )?(?:starts?|started|begins?)\b)',
		'start training, total steps[5000]', true),
	('general_iteration', 'iterating', 590,
		'(?i)^.{0,120}?\b(?:(?:global|train|training|opt)[_ ])?(?:step|iter|iteration)\b["\'']?\s{0,4}[:=#]?\s{0,4}[\[(]?\s{0,'
		'8}\d.{0,200}?\b(?:loss(?:es)?|forward|backward|fwd|bwd|grads?|gradients?|optimizer|throughput|tokens|learning[_ '
		']rate|next batch)\b',
		'iteration 310 forward 40.2 ms, backward 81.7 ms', true),
	('general_next_batch', 'iterating', 595,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b).{0,80}?\b(?:get|got|fetch|fetched|fetching) (?:the )?next batch\b',
		'rank 3 fetched the next batch in 2 ms', true),
	('general_environment', 'environment_init', 600,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b)(?!.{0,120}\b(?:data ?loader|prefetch\w*|thread)\b).{0,'
		'80}?(?:\b(?:start(?:ing|ed)?|launch(?:ing|ed)?|spawn(?:ing|ed)?) (?:\S{1,40} '
		'){0,2}?(?:process(?:es)?|workers?|job|trainer|launcher)\b|\b(?:process|job|worker|trainer) (?:\d+ '
		')?(?:start(?:s|ed|ing)?|spawned|launched)\b|\b(?:driver|cuda|runtime|firmware) version\b|\bset(?:ting)? (?:the '
		')?(?:random )?seed|\bpars(?:ed|ing) (?:the )?(?:arguments|configuration|config)\b)',
		'launching 8 worker processes on this node', true);

-- What says that an evaluation or a checkpoint is over.
INSERT INTO @extschema@.l4_stage_rule (name, stage, priority, pattern, example, builtin, position) VALUES
	('megatron_evaluation_end', 'evaluation', 90,
		'validation loss at iteration',
		'validation loss at iteration 500 | lm loss value: 2.71', true, 'end'),
	('megatron_checkpoint_saved', 'checkpoint_save', 90,
		'successfully saved checkpoint|scheduled an async checkpoint save',
		'  successfully saved checkpoint from iteration     500 to /ckpt', true, 'end'),
	('deepspeed_checkpoint_saved', 'checkpoint_save', 90,
		'\[Torch\] Checkpoint \S+ is ready now',
		'[Torch] Checkpoint global_step40 is ready now!', true, 'end'),
	('mlperf_evaluation_end', 'evaluation', 90,
		'"key": "eval_stop"',
		'{"namespace": "", "event_type": "INTERVAL_END", "key": "eval_stop", "value": null}', true, 'end'),
	('torchtitan_evaluation', 'evaluation', 90,
		'validate step:',
		'validate step: 100  loss:  5.9', true, 'end'),
	('torchtitan_checkpoint_saved', 'checkpoint_save', 90,
		'Finished (?:saving|staging) the checkpoint',
		'Finished saving the checkpoint (or staging if async is enabled) in 1.20 seconds.', true, 'end'),
	('transformers_evaluation_end', 'evaluation', 90,
		'^\{''eval_\w{1,40}'': ',
		'{''eval_loss'': 2.5, ''eval_runtime'': 3.1}', true, 'end'),
	('maxtext_checkpoint_saved', 'checkpoint_save', 90,
		'[Ss]aved (?:a )?checkpoint|Final checkpoint saved',
		'saved a checkpoint at step 400', true, 'end'),
	('general_evaluation_end', 'evaluation', 525,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b).{0,60}?(?:\b(?:finished|completed|done) (?:\w{1,20} '
		')?(?:evaluati(?:on|ng)|validati(?:on|ng))\b|\b(?:evaluation|validation|eval) '
		'(?:loop |run |phase )?(?:(?:is |was |has )?(?:done|finished|completed?|over|took)|loss|results?|metrics?)\b)',
		'evaluation finished in 3.2 s', true, 'end'),
	('general_checkpoint_saved', 'checkpoint_save', 545,
		'(?i)^(?!.{0,300}\b(?:error|errno|fail|fails|failed|failure|exception|cannot|unable|warning|deprecated|missing|denied'
		'|timed out|not found|refused|traceback)\b)'
		'(?!.{0,120}\b(?:be|being|not|after|until|before|once|if|when|to) '
		'(?:saved|written|dumped|stored|committed|uploaded|persisted|flushed)\b).{0,80}?(?:\b(?:saved|written|wrote|dumped'
		'|stored|committed|uploaded|persisted|flushed) (?:\S{1,40} ){0,4}?(?:checkpoints?|ckpt|snapshots?|(?:model'
		'|optimizer) '
		'(?:states?|shards?|weights))\b|\b(?:checkpoint|snapshot)\b.{0,40} (?:saved|written|committed|completed?|finished'
		'|uploaded)\b|\b(?:finished|completed|done) (?:\w{1,20} )?(?:saving|writing|storing|uploading|committing) .{0,40}?'
		'\b(?:checkpoint|snapshot)s?\b|\bsav(?:ing|e) (?:\S{1,40} ){0,4}?(?:checkpoints?|snapshots?)\b.{0,200} '
		'(?:done|finished|completed?|took|cost)\b)',
		'checkpoint /ckpt/it000050/rank007.npz written in 273 ms', true, 'end');

-- In few words, as small trainers have them; what tells of trouble is none of them.
INSERT INTO @extschema@.l4_stage_rule (name, stage, priority, pattern, example, builtin, position)
SELECT r.name, r.stage, r.priority,
	'(?i)^(?!.{0,300}(?:\b|\w)(?:error|errno|fail|fails|failed|failure|exception'
	'|cannot|unable|warning|deprecated|missing|denied|timed out|not found|refused|traceback)\b)'
	'(?:(?:\{|(?:time|ts|t|level|lvl)=).{0,300}?\b(?:msg|message)"?\s?[:=]\s?")?' || r.pattern, r.example, true, r.position
FROM (VALUES
	('plain_evaluation', 'evaluation', 585,
		'(?:[^\w\n]{0,8}(?:(?:test|eval|evaluate|evaluation|val|valid|validation'
		'|validate)\b[\])]?(?: \w{1,12}){0,2}\s{0,4}[:|\[(=]\s{0,8}(?:\[|\(|\d{1,3}%|\d\s?/|(?:total|loss|acc\w{0,8}|batch'
		'|step|iter\w{0,6}|epoch)\b)|(?:test|val|valid|validation|eval)[ _](?:step|batch|iter(?:ation)?|epoch)\b|\[(?:test|eval'
		'|val|valid|validation)\]|sanity check\w{0,4}\b|(?:testing|scoring) (?:on |the |model ))|.{0,40}?\bheld[ -]?out\b)',
		'Test:  [ 0/10]  eta: 0:00:12  loss: 6.9 (6.9)', 'inside'),
	('plain_checkpoint_load', 'checkpoint_load', 610,
		'.{0,60}?(?:\bresum(?:e|ed|ing)\b.{0,30}\b(?:checkpoint|ckpt|snapshot|step|epoch|iteration|from)\b|\brestor(?:ed'
		'|ing)\b.{0,30}\b(?:step|epoch|iteration|from)\b|\b(?:no|found) (?:\w{1,12} )?(?:checkpoint|snapshot)s?\b'
		'|\bstart\w{0,3} from (?:\w{1,12} )?(?:checkpoint|snapshot)\b|\bload(?:ed|ing)? \S{0,100}?(?:safetensors|ckpt|\.pth?'
		'|\.npz)\b|\b(?:load|restore)_(?:checkpoint|snapshot|state)|\b(?:checkpoint|ckpt'
		'|snapshot)\]?:? (?:\w{1,12} )?(?:load|restor)\w{1,3}\b|\bload(?:ed|ing) (?:\w{1,12} ){0,2}(?:optimizer|model|state'
		'|weights)\b)',
		'resumed at step 500', 'inside'),
	('plain_checkpoint_save', 'checkpoint_save', 620,
		'(?!.{0,80}\b(?:gradient|activation|selective|enabled|disabled|every|interval)\b)(?:.{0,60}?(?:\b(?:sav|dump|writ'
		'|stor|keep)\w{0,4} (?:\w{1,20} ){0,3}?(?:model|weights|params|parameters|state)\b.{0,12} (?:to|in|into|at|under) \S'
		'|\bcheckpointing\b|\b(?:ckpt|checkpoint|snapshot)\b\]?:?[^\w\n]{0,3}(?:[\w=]{1,12}:? ){0,2}?(?:sav(?:e|ing)'
		'|start\w{0,3}|begins?|begun|writing|wrote|dump\w{0,4})\b)|\W{0,8}saving (?:to )?\d(?: \(| in \d|$)'
		'|\W{0,8}(?:ckpt|checkpoint|snapshot) \d -> )',
		'Saving state to /ckpt/step_100', 'inside'),
	('plain_checkpoint_saved', 'checkpoint_save', 619,
		'\W{0,8}saved (?:to )?\d(?: \(| in \d|$)',
		'saved /ckpt/step-100/rank-3.bin (12 ms)', 'end'),
	('plain_rendezvous', 'rendezvous', 630,
		'.{0,60}?(?:\b(?:connect|join|register)\w{0,4} (?:\S{1,30} ){0,3}?(?:to|with'
		'|at) (?:the )?(?:\w{1,16} )?(?:coordinator|master|store|leader|rendezvous|chief)\b|\b(?:tcp|kv|c10d'
		'|key.value)[ -]?store\b.{0,40}\b(?:listen\w{0,3}|ready|created|up|started|server)\b'
		'|\bwaiting for (?:the )?(?:coordinator|master|leader|chief)\b|\b(?:\d ?/ ?\d|\ball \d) (?:\w{1,12} )?(?:nodes'
		'|workers|ranks|peers|processes|hosts|agents|tasks) (?:have |are )?(?:joined|connected|registered|arrived)\b)',
		'Connecting to coordinator at 10.0.0.1:1234', 'inside'),
	('plain_communicator', 'communicator_init', 640,
		'.{0,60}?(?:\b(?:set(?:ting)? up|creat\w{1,3}|mak(?:e|ing)|made|build|built|building'
		'|init\w{0,9}) (?:\S{1,30} ){0,3}?(?:nccl|rccl|hccl|gloo|mpi|ucc|process|tensor|data|pipeline)[ _](?:communicator'
		'|group|comm|world|mesh)s?\b|\b(?:nccl|rccl|hccl|gloo|backend|mesh|ring|new_group|communicators?|connections?'
		'|links?)\b.{0,24}\b(?:initialized|created|built|established|ready|up)\b|\bestablish\w{0,3} .{0,20}\b(?:connections?'
		'|links?|rings?)\b|\bstore.based barrier|\bstore_based_barrier|\bwarm-?up all_?reduce\b)',
		'Setting up NCCL communicator for 8 ranks', 'inside'),
	('plain_data_load', 'data_load', 650,
		'(?!.{0,120}\b(?:checkpoints?|optimizer|weights|prefetch\w*|pushed|per second)\b)(?:.{0,60}?(?:\b(?:load(?:ed|ing)?'
		'|reading|open(?:ed|ing)|m?mapp?(?:ed|ing)?|download(?:ed|ing)?|prepar(?:ed|ing)|building|built|creat(?:ed|ing)'
		'|found|caching|shuffl(?:ed|ing)|setting up) (?:\S{1,40} ){0,3}?(?:data|tokens|samples|examples|documents|corp(?:us'
		'|ora)|vocab\w{0,6}|records|datasets?|splits?|\w{0,12}loaders?|tokenizer|input pipeline)\b|\b(?:data ?set'
		'|data ?loader|corpus|input pipeline)s?\b.{0,30}\b(?:loaded|ready|opened|created|built)\b|\b(?:number of|num'
		'|total) (?:\w{1,12} )?(?:samples|examples|documents|sequences|batches)\b|\b(?:train|training|val|valid|validation'
		'|test)[ _]?(?:loader|set|data ?set|data)(?: size)?\b\s?[:=]? \d)|\W{0,8}(?:\w{1,12}[ _])?(?:data ?set|data ?loader'
		'|sampler)(?:[_ ]\w{1,12})?\s{0,2}[:=]\s{0,2}(?:<|\d|\w{1,40}\()|(?:Map|Filter|Tokeniz\w{1,5}|Grouping|Packing'
		'|Concatenating)\b[^|\n]{0,60}\d(?:%\||\/\d)|using custom data)',
		'loaded 338025 tokens from data/train.bin', 'inside'),
	('plain_model_build', 'model_build', 660,
		'(?:.{0,60}?(?:\b(?:compil(?:ing|ed)|lowering|tracing) \S|\b(?:aot|xla|jit|graph|kernels?)[ -]compil\w{1,5}'
		'|\b(?:wrapp|shard|initializ)(?:ed|ing) (?:\S{1,20} ){0,3}?(?:params|parameters|train ?state|model|weights|blocks'
		'|layers|modules)\b|wrapped \d|\bfused adam|\bmodel\b.{0,30} (?:has|with|of) .{0,20}\bparam|\b(?:total|number of|num'
		'|trainable)\b.{0,14} ?\bparam(?:eter)?s\b|\d\w? param(?:eter)?s\b|\b(?:creat|construct|build|instantiat|mov)(?:ed'
		'|ing) (?:\S{1,20} ){0,2}?(?:model|transformer|network|net|layers|modules)\b|\b(?:ddp|fsdp|zero)[ -](?:wrap|init'
		'|engine)|\binit(?:ial)? (?:params|weights)\b|\busing (?:optimizer|adam\w?|sgd|lion)\b)|\W{0,8}(?:model|network'
		'|optimizer|param(?:eter)?s)\s{0,2}[:=]\s{0,2}\w{1,40}\()',
		'jit compile of train_step took 12.1 s', 'inside'),
	('plain_training_start', 'iterating', 670,
		'[^\w\n]{0,8}(?:epoch\b\W{0,3}\d{1,2}(?:\s?/\s?\d)?\s{0,2}(?:start\w{0,3}|begins?)?[^\w\n]{0,4}$'
		'|train(?:ing)?\b(?: for \d \w{1,12}|\W{0,3}start\w{0,3} at\b|\s?\.{3}$))',
		'Training for 1000 steps', 'inside'),
	('plain_environment', 'environment_init', 680,
		'(?:.{0,60}?(?:\bhello from\b|\bworld[ _]?size\b|\bseeds?\b.{0,12} set\b|\busing device|\bGPU available'
		'|\blocal devices\b|\bdistributed(?:\.| )init|\b(?:rank|process|worker|task|trainer)s? ?\d{0,2}(?:/\d'
		'| of \d)? (?:is |was )?(?:started|starting|up|launched|runs|running) (?:on|at|in)\b|\b(?:rank|process|worker'
		'|task)s? ?\d(?:/\d| of \d)? on \S|\brunning on (?:host|node)\b|\bMPI_Init|\bmixed precision\b)|\W{0,8}(?:host ?name'
		'|pid|config\w{0,8}|arg(?:ument)?s|launch|command)\s?[:=]|(?:torch|cuda|nccl|jax|python|numpy|pytorch'
		'|driver)(?: version)?[ :=v]{1,3}\d|namespace\()',
		'rank 3/8 started on node-01 (pid 812)', 'inside'),
	('plain_evaluation_end', 'evaluation', 583,
		'(?:[^\w\n]{0,8}(?:(?:test|val|valid|validation|eval|evaluation)[ _](?:loss|acc\w{0,8}|metrics?|results?|perplexity'
		'|ppl)\b|(?:test|val|valid|validation|eval|evaluation)\b:? (?:total time|took|done|finished)\b|perplexity\b|acc@\d))',
		'Test: Total time: 0:00:10 (0.1032 s / it)', 'end')
	) r (name, stage, priority, pattern, example, position);

-- What a survey of ninety training programs showed to be missing (test/data/formats_survey): their nouns and verbs, not their
-- names. Set-up that is over once a stream iterates, so that these may be wide; what tells of trouble is none of them.
INSERT INTO @extschema@.l4_stage_rule (name, stage, priority, pattern, example, builtin, position)
SELECT r.name, r.stage, r.priority,
	'(?i)^(?!.{0,300}(?:\b|\w)(?:error|errno|fail|fails|failed|failure|exception'
	'|cannot|unable|warning|deprecated|missing|denied|timed out|not found|refused|traceback)\b)'
	'(?:(?:\{|(?:time|ts|t|level|lvl)=).{0,300}?\b(?:msg|message)"?\s?[:=]\s?")?' || r.pattern, r.example, true, r.position
FROM (VALUES
	-- an evaluation that is of inference, of metrics, or named in brackets or before a bar
	('surveyed_evaluation', 'evaluation', 584,
		'(?:.{0,60}?(?:\b(?:start\w{0,3}|begin\w{0,4}|running|computing|gathering'
		'|performing) (?:\w{1,12}[ -]){0,2}?(?:inference'
		'|zero-?shot|validation|evaluation|eval)\b|\binference done\b|\w\((?:val|valid|validation|eval|test)\)|\b(?:eval'
		'|evaluation|validation|valid|test) epoch\b|\bsaving dict for global step\b|\bcur(?:rent)? metrics?\b)|[^\w\n]{0,'
		'8}(?:dev|cv|eval|valid|validation|evaluation)\b\s{0,3}[:|]\s|[^\w\n]{0,8}(?:evaluation|validation)\b[^\w\n]{0,12}$)',
		'Start inference on 625 batches', 'inside'),
	-- programs save models, weights and states as often as checkpoints
	('surveyed_checkpoint_save', 'checkpoint_save', 622,
		'(?:.{0,60}?(?:\bsav(?:ing|e) (?:\w{1,12} ){0,3}?(?:model|pipeline|weights|state)\b|\bsav(?:ing|ed) (?:to)?:? ?\S{0,'
		'100}(?:checkpoint|ckpt)|\bcopying weights to\b|\bsnapshotting\b|\bbest model (?:has been |was )?(?:updated|saved)\b)'
		'|[^\w\n]{0,10}(?:checkpoint|snapshot)\s{0,2}:\s\S)',
		'saving best model', 'inside'),
	('surveyed_checkpoint_saved', 'checkpoint_save', 621,
		'.{0,60}?\b(?:(?:model|pipeline|weights|state) (?:is |was |has been )?saved|saved pipeline) (?:to|in|at|under)\b',
		'Model saved in "runs/model.bson"', 'end'),
	('surveyed_rendezvous', 'rendezvous', 632,
		'.{0,60}?(?:\bjoin(?:ed|ing)? (?:the )?(?:rendezvous|dht|cluster|swarm)\b'
		'|\bwaiting for (?:\w{1,12} ){0,3}?(?:servers?'
		'|peers?|hosts|nodes|workers)\b|\bgot new rank\b|\blooking for peers\b|\btrying to bind port\b)',
		'waiting for parameter servers', 'inside'),
	-- groups and meshes of processes, and strategies that stand for them
	('surveyed_communicator', 'communicator_init', 509,
		'.{0,60}?(?:\bdevice mesh\b|\b(?:data|tensor|pipeline|context|expert'
		'|model)[ -](?:model[ -])?parallel (?:rank )?groups?\b'
		'|\b(?:data|tensor|pipeline|context|expert|model)[ -](?:model[ -])?parallel group ranks\b'
		'|\binitiali[sz]ed host \S{1,60} as rank\b|\busing \w{0,20}(?:nccl|gloo|mpi|hccl)\w{0,4} communicator\b'
		'|\busing \w{0,20}Strategy\b|\bconnected to (?:tracker|others|rank \d|all peers)\b)',
		'Building 1-D device mesh with [8]', 'inside'),
	('surveyed_checkpoint_load', 'checkpoint_load', 612,
		'.{0,60}?\bload(?:ing|ed)? from \S{1,200}\.(?:pkl|pt|pth|ckpt|npz|safetensors|bin|h5)\b',
		'Loading from model_zoo://ImageNetPretrained/R-50.pkl ...', 'inside'),
	-- data is sets, corpora, vocabularies and what loads them, but not where a key only names it
	('surveyed_data_load', 'data_load', 652,
		'(?!.{0,120}\b(?:checkpoints?|optimizer|weights|prefetch\w*|epoch|step|workers?|size|wait\w{0,3})\b)'
		'(?!\W{0,8}[\w.-]{1,40}\s{0,2}(?:=|:|\.{3}))(?:.{0,50}?\b(?:data ?sets?|data ?loaders?|corp(?:us|ora)|input pipeline'
		'|vocab(?:ulary)?|(?:token )?dictionary|shuffle buffer)\b|.{0,40}?\b\d (?:[\w-]{1,20} ){0,2}?(?:sentences'
		'|images|pairs'
		'|documents|utterances)\b|.{0,40}?\bdata has \d|.{0,40}?\bprepar(?:e|ing) images\b)',
		'591753 image-text pairs found for training', 'inside'),
	('surveyed_data_counts', 'data_load', 653,
		'[^\w\n]{0,8}(?:corpus:? \d|(?:\[(?:train|valid|test)\]|(?:train|valid|test):) (?:scanning|data ?set)\b)',
		'Corpus: 14903 train + 3449 dev + 3658 test sentences', 'inside'),
	-- a model is described, instantiated, wrapped, given adapters, its graph finalized
	('surveyed_model_build', 'model_build', 662,
		'(?:.{0,60}?(?:\b(?:LoRA|PEFT|adapters?)\b.{0,30}\b(?:model|modules?|created|injected|enabled)\b|\bmodel_fn\b'
		'|\bgraph (?:was |is |has been )?(?:finalized|built|compiled|created)\b|\bappl(?:y|ied|ying) (?:the )?(?:FSDP\d?|HSDP'
		'|DDP|TP|ZeRO|tensor|pipeline|activation|selective)\b|\binstantiat(?:ing|ed) (?:the )?model\b|\b(?:optimizer'
		'|scheduler'
		'|network) (?:is |was |has been )?(?:initiali[sz]ed|initiali[sz]ation|created|built)\b|\bmodel (?:structure|summary'
		'|architecture|config|built)\b|\bparam(?:s|eters)? ?count\b|\bLR scheduler\b|\b(?:generating|preparing) (?:\w{1,12} '
		')?(?:model|network|pipeline)\b)|[^\w\n]{0,8}(?:model|network)\s{0,2}(?::|is:))',
		'Model structure: ResNet', 'inside'),
	('surveyed_training_start', 'iterating', 578,
		'(?:.{0,60}?\b(?:start(?:ing|ed|s)?|begin(?:ning|s)?|enter(?:s|ing|ed)?|going into) (?:\w{1,12} ){0,2}?(?:epochs?'
		'|iterating|optimi[sz]ation|benchmark|iterations?)\b|.{0,20}?epochs? (?:\d ?)?(?:started|begins?)\b'
		'|.{0,100}?\b(?:steps|iterations|epochs|updates) (?:from )?\d{1,9} ?(?:to|through|until|-|\.{2,3}) ?\d'
		'|[^\w\n]{0,8}running '
		'(?:training|warm-?up|benchmark)\b|.{0,40}?\btrain(?:ing)?_start\b)',
		'Going into epoch 1', 'inside'),
	-- the headings of a table of progress
	('surveyed_headings', 'iterating', 674,
		'[^\w\n]{0,4}(?:epoch|step|iter\w{0,6}|E)\b(?=[^\d\n]{4,200}$)[^\n]{0,120}(?:\t'
		'|\s\s)[^\n]{0,80}?\b(?:\w{0,10}loss|\w{1,'
		'8}/sec|accuracy|elapsed\w{0,5})\b',
		'epoch       iteration   main/loss   main/accuracy  elapsed_time', 'inside'),
	-- a count of what training repeats, with what it measures
	('surveyed_progress', 'iterating', 690,
		'(?!.{0,200}\b(?:eval\w{0,6}|valid\w{0,6}|val|best|resum\w{1,4}|every|total|max)\b)(?=.{0,200}?(?:\b'
		'|_)(?:epoch|step|iter'
		'|iteration|batch|updates?|up\.|train\w{0,3})(?:\b|_).{0,8}\d).{0,300}?(?:loss|\bcost|perplexity|\bppl'
		'|accuracy|\brewards?'
		'|/sec|/s)\b',
		'TRAIN | steps/sec 2.101| Batch 0/2100 loss 90.1 lr 0.00001', 'inside')
	) r (name, stage, priority, pattern, example, position);
