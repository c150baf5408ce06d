{application, otter,
 [{description, "Character n-gram trainer"}, {vsn, "2.6.0"},
  {modules, [otter_app, otter_sup, otter_conf, otter_mesh, otter_shard, otter_reader, otter_train, otter_lm, otter_snap, otter_push, otter_blas]},
  {registered, [otter_sup, otter_mesh, otter_shard, otter_reader, otter_train]}, {applications, [kernel, stdlib, inets]}, {mod, {otter_app, []}}]}.
