%% Snapshots: each rank's own on the node's disk, rank 0 the model on the shared one, a copy in the object store.
-module(otter_snap).
-export([save/2, restore/0]).
save(Step, W) ->
    T0 = erlang:monotonic_time(millisecond),
    Dir = filename:join(otter_conf:get(local_dir), "s" ++ integer_to_list(Step)),
    ok = filelib:ensure_path(Dir),
    F = filename:join(Dir, "rank" ++ integer_to_list(otter_conf:rank()) ++ ".etf"),
    Bin = term_to_binary({snapshot, Step, W, rand:bytes(otter_conf:get(pad_kb) * 1024)}),
    ok = write(F, Bin),
    logger:info("snapshot ~s, ~b bytes, ~b ms", [F, byte_size(Bin), erlang:monotonic_time(millisecond) - T0]),
    Old = filename:join(otter_conf:get(local_dir), "s" ++ integer_to_list(Step - otter_conf:get(save_every))),
    case file:del_dir_r(Old) of
        ok -> ok;
        {error, E} -> logger:warning("snapshot: old folder ~s not removed: ~p", [Old, E])
    end,
    G = filename:join(otter_conf:get(shared_dir), io_lib:format("part-~b-of-~b.~b.etf", [otter_conf:rank(), otter_conf:world(), Step])),
    ok = write(G, term_to_binary({snapshot, Step, W})),
    otter_conf:rank() =:= 0 andalso begin put_copy(Step, term_to_binary(W), 1) end,
    ok.
write(F, Bin) ->
    Tmp = [F, ".part"],
    case file:write_file(Tmp, Bin, [sync]) of
        ok -> file:rename(Tmp, F);
        {error, R} -> {error, {R, lists:flatten(Tmp)}}
    end.
put_copy(Step, Bin, N) ->
    Url = otter_conf:get(store) ++ "/models/otter-" ++ integer_to_list(Step) ++ ".etf",
    case httpc:request(put, {Url, [], "application/octet-stream", Bin}, [{timeout, 4000}], []) of
        {ok, {{_, 200, _}, _, _}} -> logger:info("snapshot of step ~b copied to ~s", [Step, Url]);
        {ok, {{_, C, R}, _, _}} when N < 4 -> logger:warning("copy to ~s: ~b ~s, attempt ~b", [Url, C, R, N]), timer:sleep(200 * N), put_copy(Step, Bin, N + 1);
        X -> logger:error("copy to ~s given up: ~p", [Url, X])
    end.
%% the newest step that all ranks have written
restore() ->
    W = otter_conf:world(),
    Fs = filelib:wildcard(filename:join(otter_conf:get(shared_dir), "part-*.etf")),
    Steps = [list_to_integer(lists:nth(2, string:split(filename:basename(F), ".", all))) || F <- Fs],
    case [S || S <- lists:usort(Steps), length([S || X <- Steps, X =:= S]) >= W] of
        [] -> none;
        L ->
            S = lists:last(L),
            F = filename:join(otter_conf:get(shared_dir), io_lib:format("part-~b-of-~b.~b.etf", [otter_conf:rank(), W, S])),
            {ok, B} = file:read_file(F),
            {snapshot, S, M} = binary_to_term(B),
            logger:notice("resumed from ~s, step ~b", [F, S]),
            {S, M}
    end.
