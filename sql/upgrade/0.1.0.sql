/*
 * From 0.1.0: what is other in the tables. Built-in rules could be changed and deleted there, which a restore forgot; here a
 * row of the site's own takes the place of a built-in one. So a built-in row that is not as it came becomes one of the site's,
 * and one that is gone is switched off by one.
 */
ALTER TABLE @extschema@.l4_format DROP CONSTRAINT l4_format_pkey, ADD PRIMARY KEY (name, builtin);
ALTER TABLE @extschema@.l4_stage_rule DROP CONSTRAINT l4_stage_rule_pkey, ADD PRIMARY KEY (name, builtin);
ALTER TABLE @extschema@.l4_iteration_rule DROP CONSTRAINT l4_iteration_rule_pkey, ADD PRIMARY KEY (name, builtin);
ALTER TABLE @extschema@.l4_pool_setting DROP CONSTRAINT l4_pool_setting_pkey, ADD enabled boolean NOT NULL DEFAULT true,
	ADD PRIMARY KEY (key, builtin);
ALTER TABLE @extschema@.l4_mask RENAME enabled TO was_enabled;
ALTER TABLE @extschema@.l4_mask DROP CONSTRAINT l4_mask_pkey, ADD builtin boolean NOT NULL DEFAULT false,
	ADD enabled boolean NOT NULL DEFAULT true, ADD PRIMARY KEY (name, builtin);
UPDATE @extschema@.l4_mask SET enabled = was_enabled;
ALTER TABLE @extschema@.l4_mask DROP was_enabled;
ALTER TABLE @extschema@.l4_job ADD tenant name, ADD restart_of text,
	ADD CONSTRAINT l4_job_restart_of CHECK (restart_of <> '' AND restart_of <> job_id);
ALTER TABLE @extschema@.l4_stream ADD told_node text, ADD bundle_id bigint;
ALTER TABLE @extschema@.l4_shape ADD tenant name;
ALTER TABLE @extschema@.l4_event ADD tenant name;
ALTER TABLE @extschema@.l4_pool ADD tenant name;
ALTER TABLE @extschema@.l4_pool_job ADD step_seconds double precision, ADD node_count int;
ALTER TABLE @extschema@.l4_inbox ADD tenant name;
ALTER TABLE @extschema@.l4_fault_history ADD tenant name;
ALTER TABLE @extschema@.l4_finding ADD severity text, ADD category text, ADD facts jsonb, ADD component text,
	ADD confidence double precision, ADD attempt int;
ALTER TABLE @extschema@.l4_diagnosis ADD limits jsonb NOT NULL DEFAULT '{}', ADD wordings text[] NOT NULL DEFAULT '{}';

-- The names of the built-in rows of 0.1.0, each with the beginning of the MD5 of the row as it came.
DO $upgrade$
DECLARE
	formats text[] := '{
		ascend_plog 9b0540cc83ab,bracket_time 5ca602c982e9,json 0e8af9fba6cc,
		path_node_rank_number 6208e160fd8a,path_rank_file f500a9bf059f,path_rank_number 57071caa104f,
		torchrun_role_rank 4be5d40b9010,
		deepspeed cd4b040bf169,python_dated 1f6bc862151c,python_default c6e8f76d7b9d,
		bracket_time 6b29ae667879,brackets 4ea787c8d4b9,brackets_level_first 490ab1b5859d,clock_level cf67cc91c02b,
		dash_level_logger fe766355099a,dash_logger_level 922148c6faa7,
		level_clock f9eb6dbe9fb1,level_time ad638fe82435,loguru 97b490ca52ab,packed_time d53c5a8d4a0c,
		time 5497d7ef5cb5,time_brackets f1a34525eeb8,time_level 6cc020052fa0,time_level_logger a76c29ad4f3b,
		absl_uptime f3afa7964536,access_log 99a970b2db69,apache_error 2e093baab229,ascend_plog b85063aec763,
		bracket_level 067bc82ba901,bracket_time 392988d8842b,brackets 4c039712a8dc,brackets_level_first aa2fd81e6e68,
		c10_glog f9961b8dd605,c10_old ade9dda93acf,clock_label e91ab127ca3d,clock_level 735ea544dded,
		clock_thread 977e5b3dbf28,cluster_ras 7d9ac6618480,cluster_syslog 9e66f92b23e9,composer 6317a97076eb,
		container_time 0453ef478bb8,container_time_label 4235be140f90,dash_level_logger 375984c89b87,
		dash_logger_level 65b43944d2cd,day_month_name 2da25c228030,deepspeed 578ce96cbc9b,detectron 042066e379cd,
		dmesg 7a17c4067595,dmesg_time 3c52e6c6689e,epoch_time 63e4e71d9dfe,fabricmanager 2058b8e36c16,glog 0c52a5b516e2,
		hdfs 4813b2ecc224,horovod d10ea061b7fd,hydra 56f76a3f5852,json 333c0e70166e,kmsg 4da3ff31f03a,levanter cced17b49e92,
		level_clock e10c2f11ce40,level_time 1f85f0f7f4eb,level_time_file f8814715d9fc,level_word b5b48c20e78b,
		llamafactory 8a3346ca62b4,log4j_short 23378197b8fd,log4j_thread f0278bcad4ca,log4j_thread_first 64f0adc9495f,
		json 4b758d2258f2,logfmt_level_first 4645526d41cf,logfmt_level_first 78b322ec372c,
		logfmt_time_first f4bde02c8048,logfmt_time_first 599ba9a41a14,
		loguru 22f78927d5c9,mindformers 6790af32ae86,
		mlperf 7e0e1739cfbd,path_node_system c4801f695f0e,path_node_with_system 5d72b277d506,path_system 43ff61e48ed5,
		path_system_of_node a49453b4a40a,
		mlperf 9f318ebed4d5,mmengine 0b8ca3dd545b,mpirun_tag ace69a628450,mpirun_tag e46b693ec84a,
		name_brackets 74e8bdd3572a,nccl 9a675081f98f,
		nccl_numeric_host 91cde57f86df,nemo 8198ab7f20b7,neuron c25038306ed8,oneccl 686cc3cefaac,opensm ec981979298b,
		oslo d32ed9d0e60c,oslo_in_file c81aa63ab679,packed_time e62c11be589a,paddle_launch fcfc2164e4e0,
		path_ascend_device 7d96a36e88d4,path_launcher 7f6645036611,path_msrun_worker ef764d6299fe,path_nemo_rank c18410c05367,
		path_node_file c4235836953c,path_node_folder f3193db798b0,path_node_launcher 63cd2bcb2b98,
		path_node_rank_file b54218aea9d2,path_node_rank_folder b22857497e0f,path_node_rank_number 97510d5b9eda,
		path_node_system 5d61ad09868e,path_node_with_system 1799154a60c5,path_pod_file 5693acc7d9ad,
		path_pod_folder 5c73e3f9eeda,path_pod_launcher b8c585b6c59a,path_rank_file ba12727b17ff,path_rank_folder 05f298b1824b,
		path_rank_number ea74bc5d633a,path_shared 8f68a1f08348,path_slurm_batch d60972789495,path_slurm_node 74952346c857,
		path_slurm_node_task 46f36682aaff,path_system 0999eaf5666a,path_system_of_node 54a0a2c4802e,
		path_torchrun bb0f6adbae77,path_torchrun_node 1462016026e8,pdsh_deepspeed 8f7bf44d6769,pdsh_host cb9eba3c7758,
		python_dated 64f946dc0a7c,python_default dabc4bebc1f6,pytorch_rank 7a0039e4a8c4,rank_word 7535c5acedc1,
		ray_actor ebe32ead4684,ray_cpp 911d57acdc6f,ray_python 4ba1e4c549b7,rich 05c76ca4f315,slashes c6983c8073c4,
		slurm_daemon f8df0c55dcbb,slurm_tool 44b46b5904e5,spring 43cec60c24f8,srun_label 29e182b7abb8,syslog 00842ee642c4,
		syslog_5424 843be3b349c7,syslog_5424 60ba71bdf6d3,syslog_bare 32e3695766f3,syslog_iso bef1a9d5f02a,
		threadtime f212323f0101,time c138da64c5f5,time_brackets 2e8dc65d674e,time_comma_level d6294bda1bf8,
		time_level d4063ff85eaa,time_level_file 710f4a092ad5,time_level_logger 7ce0de09092d,time_level_name caead521b70f,
		time_zone 7a0634f2382d,torch_launcher 4b0231887d4b,torch_npu 8252040e81c7,torchrun_role_rank 25060f77d248,
		torchrun_tee 4fde4614e6ae,torchtitan e8de00fff484,transformers 34010c991f22,tsl 996a920cae57,ucx 49853591ad4f,
		vllm 077805198c40,weekday_time 36e982fcfd3c,zap bec159f22ad1,zookeeper 19a2554ef4be,bracket_time f1935aae28d0,
		brackets c7c27c4c15a3,brackets_level_first 2635d6110b77,clock_level a69b02a8e1b9,dash_level_logger 3184964cc5a1,
		dash_logger_level d90167ba3558,deepspeed 83f70705be7c,level_clock 0e6665184009,level_time 28e23ad459fe,
		packed_time d8ed0b2fda9e,python_dated 337c83e0c1ec,python_default b6ada81ea24f,time d00f012534fe,
		time_brackets 29b4404989f5,time_level 019e46729268,time_level_logger 982b006465e6,clock_label a4ef0758aaa3,
		path_node_system 357a72da5463,path_node_with_system 95caa882466b,path_system c84a378d8f4e,
		path_system_of_node 73990b57a5ba,time_level_logger 22600e34e5d6,bracket_time 6f4cc4c3009d,brackets 82e0f18f17fa,
		brackets_level_first 5780a0b8955f,dash_level_logger 0706a07f9983,dash_logger_level 7dd2966c0baa,
		level_time 0ff4a46726e0,mindformers 7d3dcddaa975,mpirun_tag 9e3746213a02,path_node_file 9c5e6a86cc71,
		path_node_folder 9fb1f6bd3e2c,path_node_rank_number fdc535100e27,path_node_with_system d4ae0e84026d,
		path_system_of_node a44de21cbc86,python_dated 6ae5c39bfa6e,slashes 7cbe2fc78cc7,syslog_iso 580e66f24b9f,
		time a4a3404b5744,time_brackets ae6eddcc59a8,time_level bee7943eec09,time_level_logger c16631c2eaf4,
		path_rank_folder 70c11c464b44
	}';
	stages text[] := '{
		deepspeed_checkpoint_load e53b8d3f5a50,deepspeed_checkpoint_save 4ea4b36abedb,deepspeed_communicator e4c710e46202,
		deepspeed_end 63782b98e630,deepspeed_iteration a0b6cf46aeca,deepspeed_launch 9da8f5a59884,
		deepspeed_model_build 762a2e634c20,general_checkpoint_load 4b0790af67e7,general_checkpoint_load_failed 4ef2f319edc7,
		general_checkpoint_save dfff429a1fb8,general_checkpoint_save_failed 0ec23da3c14f,general_communicator bb9b5f9e2f2b,
		general_data_load 1264482325a5,general_environment 649e71a0988b,general_evaluation 2795e46d8476,
		general_iteration bf7303559484,general_model_build d0bed4d0ae04,general_next_batch b6eda5511164,
		general_process_end 828ed9f44069,general_rendezvous 38bf99d2cabd,general_training_end 3d27e78d837d,
		general_training_start e7c9f4806159,gloo_communicator 97da5b16c10a,hccl_communicator 69668be36279,
		hccl_end 9d2eb6231359,jax_rendezvous c3f7bf993c6b,kubeflow_end f07a9f2830ab,kubernetes_start 570e64c9971e,
		lightning_communicator 2c218549a558,lightning_devices b4aca8556c36,lightning_fit b7c39f4adbbe,
		maxtext_checkpoint_save 679ee9857e1d,maxtext_iteration 40b63452254a,maxtext_start a6d97c5f2e7e,
		megatron_checkpoint_load 7e8f17db5e76,megatron_checkpoint_save fdb7f22464cf,megatron_communicator 484aa26eef0a,
		megatron_data af9fc66edbe4,megatron_end 356a30bc8fff,megatron_evaluation 33daa1e02757,megatron_iteration 54e3532c8a4b,
		megatron_model_build 68276a22f2ad,megatron_setup fafa9db02428,megatron_training dfca9727a360,
		megatron_world_size 33a340a52de1,mindspore_iteration aa3631eaa64d,mindspore_model_build 0eef59a91cc4,
		mindspore_start 1b4469360e73,mlperf_end e847d1a4f1ed,mlperf_evaluation c45fc0d47a52,mlperf_start 251f796e93ad,
		mlperf_training 82cdcc5c4e10,nccl_communicator 64349cbba456,nccl_end 7c562f998b75,nemo_checkpoint_load 500eed9c3e6f,
		nemo_data 7da7969eb245,nemo_model_build d25fe1cab17d,nemo_training 1cb130637ca8,pytorch_end 70205591c239,
		slurm_end 521bd5db77f6,slurm_start 09cdd566fb25,torchrun_end b813dc6b27ab,torchrun_rendezvous c0afc76def8e,
		torchrun_start 20f54b9382cc,torchtitan_checkpoint_load 67e8a78c0d77,torchtitan_checkpoint_save 1e9748c63f65,
		torchtitan_end 2eed6f2799be,torchtitan_evaluation af84aa2d8945,torchtitan_model_build 9284c684d941,
		torchtitan_start f2153cea3a15,torchtitan_training 93a5dd43439b,transformers_checkpoint_save f8f442d52edc,
		transformers_data 61e8705caca1,transformers_end 6ecc3a408bf8,transformers_evaluation 620f4df2163f,
		transformers_loss ba5a2150546a,transformers_model_build c79199483b58,transformers_training d1fb5174cac1
	}';
	iterations text[] := '{
		deepspeed_pipeline 6e9b2d6fb4e1,deepspeed_progress f8e5e30d9170,deepspeed_timer ed508a52d69d,
		general_iteration 0ee9dd342039,general_loss 6844bf4e3953,lightning_bar 3414daa600ee,maxtext_progress 6a08f9dc72bb,
		megatron_checkpoint_save 106f62aa8621,megatron_progress 6b6b8568232a,megatron_progress_stamped 6c290ab2fc64,
		megatron_validation fd2d2a48ca37,mindformers_progress fc8ae2229d17,mindspore_loss 481406a1fd61,
		mlperf_samples 656942c765ca,mlperf_step 71a80c8be39c,t5x_progress 2d70a660d7b3,torchtitan_progress cc3d39257082,
		tqdm_bar f1ee58c027fb,tqdm_training_bar f7edd41ea039
	}';
	settings text[] := '{
		framework 623678188226,model 76d0bbea1a0b
	}';
BEGIN
	INSERT INTO @extschema@.l4_format (name, kind, priority, pattern, dominant, example, enabled)
	SELECT r.name, r.kind, r.priority, r.pattern, r.dominant, r.example, r.enabled
	FROM @extschema@.l4_format r WHERE r.builtin AND r.name || ' ' || left(md5(r::text), 12) <> ALL (formats)
		-- these rows come from the library: where that is newer already, they are, too, and there are more
		AND r.name IN (SELECT split_part(f, ' ', 1) FROM unnest(formats) f);
	INSERT INTO @extschema@.l4_format (name, kind, pattern, enabled)
	SELECT o.name, CASE WHEN o.name LIKE 'path%' THEN 'path' ELSE 'header' END, '(?!)', false
	FROM (SELECT DISTINCT split_part(f, ' ', 1) FROM unnest(formats) f) o (name)
	WHERE NOT EXISTS (SELECT FROM @extschema@.l4_format r WHERE r.name = o.name);
	INSERT INTO @extschema@.l4_stage_rule (name, stage, priority, pattern, example, enabled)
	SELECT r.name, r.stage, r.priority, r.pattern, r.example, r.enabled
	FROM @extschema@.l4_stage_rule r WHERE r.builtin AND r.name || ' ' || left(md5(r::text), 12) <> ALL (stages);
	INSERT INTO @extschema@.l4_stage_rule (name, stage, pattern, enabled)
	SELECT o.name, 'teardown', '(?!)', false FROM (SELECT split_part(s, ' ', 1) FROM unnest(stages) s) o (name)
	WHERE NOT EXISTS (SELECT FROM @extschema@.l4_stage_rule r WHERE r.name = o.name);
	INSERT INTO @extschema@.l4_iteration_rule (name, priority, pattern, position, example, enabled)
	SELECT r.name, r.priority, r.pattern, r.position, r.example, r.enabled
	FROM @extschema@.l4_iteration_rule r WHERE r.builtin AND r.name || ' ' || left(md5(r::text), 12) <> ALL (iterations);
	INSERT INTO @extschema@.l4_iteration_rule (name, pattern, enabled)
	SELECT o.name, '(?!)', false FROM (SELECT split_part(i, ' ', 1) FROM unnest(iterations) i) o (name)
	WHERE NOT EXISTS (SELECT FROM @extschema@.l4_iteration_rule r WHERE r.name = o.name);
	INSERT INTO @extschema@.l4_pool_setting (key, weight)
	SELECT r.key, r.weight FROM @extschema@.l4_pool_setting r
	WHERE r.builtin AND r.key || ' ' || left(md5(ROW(r.key, r.weight, r.builtin)::text), 12) <> ALL (settings);
	INSERT INTO @extschema@.l4_pool_setting (key, weight, enabled)
	SELECT o.key, 1, false FROM (SELECT split_part(s, ' ', 1) FROM unnest(settings) s) o (key)
	WHERE NOT EXISTS (SELECT FROM @extschema@.l4_pool_setting r WHERE r.key = o.key);
END
$upgrade$;
-- 4_grants.sql makes the check tell what it takes
ALTER TABLE @extschema@.l4_stage_rule ADD position text NOT NULL DEFAULT 'inside' CHECK (position IN ('inside', 'end'));
ALTER TABLE @extschema@.l4_fault ADD recovery text CHECK (recovery IN ('none', 'follow', 'wait', 'restart_job', 'fix_job',
	'reset_device', 'restart_node', 'repair', 'replace', 'update', 'ask_vendor'));

-- Counts, a row for each stream and shape, become packed ones, a row a source; l4_stream_event becomes a view of them.
CREATE TABLE @extschema@.l4_source_counts (
	job_id text NOT NULL,
	source_id bigint NOT NULL,
	row_count int NOT NULL,
	counts bytea NOT NULL,
	PRIMARY KEY (job_id, source_id)
);
ALTER TABLE @extschema@.l4_source_counts ALTER COLUMN counts SET STORAGE EXTERNAL;
ALTER TABLE @extschema@.l4_segment ALTER COLUMN stream_ids SET STORAGE EXTERNAL, ALTER COLUMN shape_ids SET STORAGE EXTERNAL;
CREATE FUNCTION @extschema@.l4_pack_counts(stream_ids bigint[], shape_ids bigint[], occurrences bigint[], first_lines bigint[],
	last_lines bigint[], first_times timestamptz[], last_times timestamptz[], first_iterations bigint[],
	last_iterations bigint[], levels text[], components text[], stages text[]) RETURNS bytea
	LANGUAGE c IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'l4_pack_counts';
INSERT INTO @extschema@.l4_source_counts
SELECT e.job_id, s.source_id, count(*), @extschema@.l4_pack_counts(array_agg(e.stream_id), array_agg(e.shape_id),
	array_agg(e.occurrences), array_agg(e.first_line), array_agg(e.last_line), array_agg(e.first_ts), array_agg(e.last_ts),
	array_agg(e.first_iteration), array_agg(e.last_iteration), array_agg(e.level), array_agg(e.component), array_agg(e.stage))
FROM @extschema@.l4_stream_event e
JOIN @extschema@.l4_stream s ON s.job_id = e.job_id AND s.stream_id = e.stream_id
GROUP BY e.job_id, s.source_id;
-- who could read and write the old table can do so with the new one and the view; its policies cannot be carried over
DO $upgrade$
DECLARE
	granted record;
BEGIN
	PERFORM set_config('l4.upgrade', (current_setting('l4.upgrade')::jsonb || (
		SELECT jsonb_build_object('kind', 'TABLE', 'name', c.oid::regclass::text, 'owner', c.relowner::regrole::text,
			'grants', c.relacl::text) FROM pg_class c WHERE c.oid = '@extschema@.l4_stream_event'::regclass))::text, true);
	FOR granted IN
		SELECT c.relowner::regrole AS owner, c.relrowsecurity AS hidden, a.privilege_type,
			CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee, a.is_grantable
		FROM pg_class c LEFT JOIN LATERAL aclexplode(c.relacl) a ON a.grantee <> c.relowner
		WHERE c.oid = '@extschema@.l4_stream_event'::regclass
	LOOP
		EXECUTE format('ALTER TABLE @extschema@.l4_source_counts OWNER TO %s', granted.owner);
		IF granted.privilege_type IS NOT NULL THEN
			EXECUTE format('GRANT %s ON @extschema@.l4_source_counts TO %s%s', granted.privilege_type, granted.grantee,
				CASE WHEN granted.is_grantable THEN ' WITH GRANT OPTION' END);
		END IF;
		IF granted.hidden THEN
			ALTER TABLE @extschema@.l4_source_counts ENABLE ROW LEVEL SECURITY;
			RAISE WARNING 'the counts of logs are in l4_source_counts now, whose rows only its owner sees'
				USING HINT = 'Make the policies of l4_stream_event anew on l4_source_counts.';
		END IF;
	END LOOP;
END
$upgrade$;
ALTER EXTENSION l4 DROP TABLE @extschema@.l4_stream_event;
DROP TABLE @extschema@.l4_stream_event;
