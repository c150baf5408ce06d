/*
 * Built-in iteration rules. A rule must match the masked message (see the stage rules) to be a candidate, then the message
 * itself, from which the group iter is read. So where masking swallows a part (20/50 becomes 11, a path becomes 1), that part
 * is optional in the pattern. Progress that trainers print when an iteration is over has the position end: what follows belongs
 * to the next one. The dictionary line of the Hugging Face trainer holds no step; its step comes from the progress bar.
 */

INSERT INTO @extschema@.l4_iteration_rule (name, priority, pattern, position, example, builtin) VALUES
	('megatron_progress', 100,
		'\biteration\s+(?<iter>\d{1,18})(?:/\s{0,12}\d{1,18})? \| ',
		'end',
		'iteration     820/    5000 | consumed samples:       209920 | elapsed time per iteration (ms): 812.0 |', true),
	('megatron_progress_stamped', 105,
		'^\s{0,4}\[[^\]\n]{0,40}\]\s{0,4}iteration\s+(?<iter>\d{1,18})(?:/\s{0,12}\d{1,18})?\b',
		'end',
		'[2025-03-01 10:00:00] iteration      820/    5000 | consumed samples: 1', true),
	('megatron_validation', 100,
		'validation loss at iteration (?<iter>\d{1,18})\b',
		'inside',
		'validation loss at iteration 500 on test set | lm loss value: 2.1E+00', true),
	('megatron_checkpoint_save', 100,
		'(?:saving checkpoint|successfully saved checkpoint)(?: at| from)? iteration\s+(?<iter>\d{1,18})\b',
		'inside',
		'  successfully saved checkpoint at iteration    2500 to /ckpt', true),
	('torchtitan_validation', 100,
		'\bvalidate step:\s+(?<iter>\d{1,18})\s+loss:\s',
		'inside',
		'validate step: 25  loss:  5.3615  ppl:   213.04', true),
	('saving_at', 110,
		'(?i)\bsav(?:ed|es|ing)\b.{0,40}\b(?:checkpoint|ckpt|snapshot)s?\b.{0,20}\b(?:at|of|for|after) '
			'(?:global[ _-]|training[ _-])?(?:step|iteration|iter)\s+(?<iter>\d{1,18})\b',
		'inside',
		'Saving a checkpoint at step 30.', true),
	('deepspeed_progress', 100,
		'\bstep=(?<iter>\d{1,18}), skipped=\d+, lr=',
		'end',
		'step=14000, skipped=25, lr=[0.001], mom=[0.9]', true),
	('deepspeed_timer', 100,
		'\bepoch=\d+(?:/micro_step=\d+/global_step=(?<iter>\d{1,18}))?, RunningAvgSamplesPerSec=',
		'end',
		'epoch=0/micro_step=80/global_step=10, RunningAvgSamplesPerSec=110.8, CurrSamplesPerSec=111.3', true),
	('deepspeed_pipeline', 100,
		'\bsteps: (?<iter>\d{1,18}) loss: ',
		'end',
		'steps: 120 loss: 3.9120 iter time (s): 1.202 samples/sec: 53.2', true),
	('torchtitan_progress', 100,
		'(?<!validate )\bstep:\s+(?<iter>\d{1,18})\s+loss:\s',
		'end',
		'step: 530  loss:  5.9866  grad_norm:  0.5402', true),
	('tqdm_bar', 100,
		'^\s{0,8}\d{1,3}%\|[^|\n]{0,200}\|\s{0,8}(?<iter>\d{1,18})(?:/\d{1,18})? \[',
		'end',
		'  1%|1         | 20/1752 [00:57<1:22:40,  2.86s/it]', true),
	('tqdm_training_bar', 100,
		'^\s{0,8}(?:[Tt]rain(?:ing)?|[Ss]teps?|[Ii]terations?)\b[^|\n]{0,60}%\|[^|\n]{0,200}\|\s{0,8}(?<iter>\d{1,'
		'18})(?:/\d{1,18})? \[',
		'end',
		'Training:  12%|#2        | 120/1000 [01:00<07:20,  2.0it/s]', true),
	('lightning_bar', 100,
		'\bEpoch \d+:\s{1,8}\d{1,3}%\|[^|\n]{0,200}\|\s{0,8}(?<iter>\d{1,18})(?:/\d{1,18})? \[',
		'end',
		'Epoch 0:   6%|6         | 32040/500150 [6:28:43<94:39:17,  1.37it/s, loss=2.6]', true),
	('mindformers_progress', 100,
		'\{ ?Epoch:\[[^\]\n]{0,30}\], step:\[\s{0,8}(?<iter>\d{1,18})(?:/\s{0,8}\d{1,18})?\s{0,8}\]',
		'end',
		'{ Epoch:[  1/  2], step:[    7/   19], loss: 10.649, per_step_time: 10ms', true),
	('mindspore_loss', 100,
		'\bepoch:? \d+,? step:? (?<iter>\d{1,18}), loss(?: is|:)',
		'end',
		'epoch: 1 step: 40, loss is 6.91', true),
	('maxtext_progress', 100,
		'\bcompleted step: (?<iter>\d{1,18}), seconds:',
		'end',
		'completed step: 12, seconds: 0.287, TFLOP/s/device: 370.9', true),
	('t5x_progress', 100,
		'\bTraining: step (?<iter>\d{1,18})\b',
		'inside',
		'Training: step 198', true),
	('mlperf_step', 100,
		'"key": "(?:train_loss"|tracked_stats", "value": \{[^{}\n]{0,2000}train_loss").{0,2000}?"metadata": '
		'\{[^{}\n]{0,2000}?"step": (?<iter>[1-9]\d{0,17})(?:\.0)?[,}]',
		'end',
		'{"event_type": "POINT_IN_TIME", "key": "tracked_stats", "value": {"reduced_train_loss": 2.1}, "metadata": {"file": '
		'"cb.py", "lineno": 9, "step": 255.0, "samples_count": 8192.0}}', true),
	('mlperf_samples', 110,
		'"key": "train_loss".{0,2000}?"metadata": \{(?![^{}\n]{0,2000}"step":)[^{}\n]{0,2000}?"samples_count": '
		'(?<iter>[1-9]\d{0,17})(?:\.0)?[,}]',
		'end',
		'{"event_type": "POINT_IN_TIME", "key": "train_loss", "value": 1.9, "metadata": {"file": "cb.py", "lineno": 9, '
		'"samples_count": 640, "lr": 0.0005}}', true),
	('metric_logger', 120,
		'^\s{0,4}(?:\w{1,20}:?\s{1,4})?Epoch(?:\(train\w{0,3}\))?:?\s{0,4}\[\s{0,4}\d{1,9}(?:/\s{0,4}\d{1,9})?\]\s{0,8}'
		'\[\s{0,8}(?<iter>\d{1,18})(?:\s{0,4}/\s{0,8}\d{1,18})?\]',
		'end',
		'Epoch: [3]  [ 120/900]  eta: 0:01:02  lr: 0.000100  loss: 3.2150', true),
	-- a bar of whatever name, where it shows a loss of training
	('loss_bar', 122,
		'(?i)^(?!.{0,200}\b(?:eval\w{0,6}|valid\w{0,6}|val|test\w{0,3}|predict\w{0,4}|sanity|map|load\w{0,4}|download\w{0,4}'
		'|sampling|inference)\b)(?=.{0,400}?loss).{0,200}?\d{1,3}%\|[^|\n]{0,200}\|\s{0,8}(?<iter>\d{1,18})(?:/\d{1,18})? \[',
		'end',
		'1|41|Loss: 1.0896:   3%|2         | 41/1618 [00:51<24:11,  1.08it/s]', true),
	-- the bar of Keras has no bars; that of an evaluation names no loss
	('keras_bar', 125,
		'^\s{0,8}(?<iter>\d{1,18})(?:/\s{0,4}\d{1,18})?\s{1,2}(?:\[[=>.]{8,60}\]|[\x80-\xff]{8,200})\s'
		'.{0,60}ETA.{0,40}\bloss',
		'end',
		'  330/1563 [=====>........................] - ETA: 1:12 - loss: 2.7046 - accuracy: 0.1330', true),
	-- a range of batches that ends here
	('train_batches', 124,
		'(?i)\btrain\w{0,3}\b.{0,20}?(?<![\d.])\d{1,18}-(?<iter>\d{1,18})\s?batch(?:es)?\b',
		'end',
		'1epoch:train:51-100batch: iter_time=0.012, loss=80.2', true),
	-- so many of so many are done, with the unit behind; those of an evaluation are counted anew. 1: both, masked as one, which
	-- other numbers of steps look like, too: so it comes last
	('steps_of', 950,
		'(?i)^(?!.{0,300}?\b(?:eval\w{0,8}|val|valid\w{0,8}|test\w{0,4}|sampl\w{0,4}|generat\w{0,4}'
		'|load\w{0,4}|resum\w{1,4}|restor\w{1,4}|warm-?up|total)\b)'
		'.{0,200}?(?<![\w./:-])(?:(?<iter>\d{1,18})\s{0,2}/\s{0,2}\d{1,18}|1) (?:train\w{0,3} |optim\w{0,6} )?'
		'(?:steps?|iterations?|iters?|updates?)\b',
		'end',
		'rank 3: 120/5000 steps, 61440 tokens', true),
	('current_steps', 126,
		'^\{"current_steps": (?<iter>\d{1,18}), "total_steps": \d{1,18}, (?!"(?:eval|predict)_)',
		'end',
		'{"current_steps": 10, "total_steps": 84, "loss": 1.0952, "lr": 5e-05, "epoch": 0.35}', true),
	('train_brackets', 123,
		'(?i)^\s{0,4}(?:train(?:ing)?|iter(?:ation)?s?|steps?)(?:\(train\w{0,3}\))?:?\s{0,4}[\[(]\s{0,8}(?<iter>\d{1,18})'
		'(?:\s{0,4}/\s{0,8}\d{1,18})?\s{0,2}[\])](?=.{0,400}?(?:loss|\beta\b))',
		'end',
		'Iter(train) [ 310/1600]  lr: 2.0000e-05  eta: 2:12:01  time: 4.6121  loss: 1.2', true),
	('general_loss', 800,
		'(?i)^(?!.{0,300}?(?:"event_type":|\b(?:load(?! average)|loads|loaded|loading|restor\w{1,4}|resum\w{1,4}|pre-?trained'
		'|total|scheduler|evaluating|evaluation|validating|validation)\b))(?!.{0,200}?\b(?:eval|evaluat\w{0,4}|valid\w{0,'
		'6})\b)(?=.{0,400}?(?:\b|(?<!eval)(?<!val)(?<!valid)(?<!test)(?<!dev)_)loss(?:es)?\b(?!_| scal))'
		'(?!.{0,400}?\b(?:skipp\w{1,4}|overflow|reducing)\b).{0,'
		'300}?(?<![\w./-])(?<!every )(?<!max )(?<!total )(?<!per )(?<!until )(?<!final )(?<!warmup )(?<!time '
		')(?:(?:global|train|training|optimi[sz]er|optim|opt|current|cur|real)[_ ])?(?:step(?:_i|_idx|_num)?|iteration|iter'
		'|num_updates?)(?!\w)["'']?\s{0,8}[:=#]?\s{0,8}["'']?(?:[\[(]|\{\w{1,20}=)?\s{0,12}(?<iter>\d{1,18})'
		'(?!\d)(?!\.\d*[1-9])'
		'(?!\s{0,2}(?:(?:ms|us|s|sec|secs|seconds|minutes|min|hours?|x)\b|%))',
		'end',
		'step: 120 | loss: 3.4412 | lr: 0.0001', true),
	('checkpoint_path', 150,
		'(?i)\b(?:sav(?:ed|ing)|wrote|written|writing)\s(?:\w{1,20}\s){0,3}?checkpoint\b[^\n]{0,60}?(?<![^\s''"=(])(?:\d\b|'
		'[^\s\n]{0,300}?(?:step|iter|iteration|checkpoint|ckpt)[_=-]?(?<iter>\d{1,18})(?![\d.]))',
		'inside',
		'saved checkpoint to /out/run/step_100', true),
	('general_iteration', 900,
		'(?i)^(?!.{0,300}?(?:"event_type":|\bslurmstepd\b|\bsrun:|'
		'\b(?:load(?! average)|loads|loaded|loading|restor\w{1,4}|resum\w{1,4}|pre-?trained|total'
		'|scheduler|evaluating|evaluation|validating|validation|failed|failure|fatal|traceback'
		'|time[sd]?[ -]?outs?|intervals|aborted|refused)\b)).{0,300}?(?<![\w./-])'
		'(?<!every )(?<!max )(?<!total '
		')(?<!per )(?<!until )(?<!final )(?<!warmup )(?<!time )(?:(?:global|train|training|optimizer|opt|current)[_ '
		'])?(?:step|iteration|iter)(?!\w)["'']?\s{0,8}[:=#]?\s{0,8}(?:[\[(]|\{\w{1,20}=)?\s{0,12}(?<iter>\d{1,18})'
		'(?!\d)(?!\.\d)(?!\s{0,2}'
		'(?:(?:ms|us|s|sec|secs|seconds|minutes|min|hours?|x)\b|%))',
		'inside',
		'step[41] get next batch', true);
