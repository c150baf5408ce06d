%% The steps: read, gradient, sum over all ranks, update; snapshots and tests in between.
-module(otter_train).
-behaviour(gen_server).
-export([start_link/0, init/1, handle_continue/2, handle_call/3, handle_cast/2, handle_info/2, format_status/1]).
start_link() -> gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).
init([]) -> {ok, #{step => 0}, {continue, prepare}}.
handle_continue(prepare, _) ->
    otter_conf:mark("load", 0, "-"),
    {S, W} = case otter_snap:restore() of none -> {0, otter_lm:init()}; R -> R end,
    Opt = optimizer(otter_conf:get(optimizer)),
    ok = otter_mesh:await(),
    logger:notice("training from step ~b to ~b, ~b parameters, batch ~b", [S + 1, otter_conf:get(steps), otter_lm:size(), otter_conf:get(batch)]),
    self() ! step,
    {noreply, #{step => S, w => W, opt => Opt, hist => []}}.
optimizer({sgd, Rate}) -> fun(_) -> Rate end;
optimizer({sgd_decay, Rate, D}) -> fun(S) -> Rate / (1 + D * S) end.
handle_info(step, St = #{step := S0, w := W, opt := Opt}) ->
    S = S0 + 1,
    Rank = otter_conf:rank(), World = otter_conf:world(),
    otter_conf:mark("iter", S, "read"),
    T0 = erlang:monotonic_time(millisecond),
    Lines = otter_reader:next(S),
    T1 = erlang:monotonic_time(millisecond),
    {L, G} = otter_lm:grad(W, Lines),
    timer:sleep(otter_conf:get(pad_ms)),
    otter_conf:mark("iter", S, "sum"),
    T2 = erlang:monotonic_time(millisecond),
    {Loss, Mean} = all_reduce(S, Rank, World, L, G),
    T3 = erlang:monotonic_time(millisecond),
    otter_conf:mark("iter", S, "update"),
    Loss < 1.0e3 orelse erlang:error({loss_diverged, {step, S}, Loss}),
    W1 = otter_lm:update(W, Mean, Opt(S)),
    Every = case Rank of 0 -> 2; _ -> 10 end,
    S rem Every =:= 0 andalso logger:notice("step ~b/~b nll ~.4f bits ~.3f | read ~b ms, grad ~b ms, sum ~b ms", [S, otter_conf:get(steps), Loss, Loss / math:log(2), T1 - T0, T2 - T1, T3 - T2]),
    T3 - T0 > otter_conf:get(slow_ms) andalso logger:warning("step ~b slow: ~b ms (read ~b, grad ~b, sum ~b)", [S, T3 - T0, T1 - T0, T2 - T1, T3 - T2]),
    S rem otter_conf:get(test_every) =:= 0 andalso test(S, W1),
    S rem otter_conf:get(save_every) =:= 0 andalso begin otter_conf:mark("iter", S, "save"), ok = otter_snap:save(S, W1) end,
    St1 = keep(St#{step := S, w := W1}),
    case S >= otter_conf:get(steps) of
        true ->
            logger:notice("training complete after step ~b, nll ~.4f", [S, Loss]),
            otter_mesh:leave(),
            timer:sleep(1000),
            file:write_file([otter_conf:get(shared_dir), "/done.", integer_to_list(Rank)], <<>>),
            init:stop();
        false -> self() ! step
    end,
    {noreply, St1};
handle_info(_, St) -> {noreply, St}.
keep(St) -> St.
test(S, W) ->
    T0 = erlang:monotonic_time(millisecond),
    L = otter_lm:loss(W, otter_reader:held()),
    logger:notice("test after step ~b: nll ~.4f, ~b ms", [S, L, erlang:monotonic_time(millisecond) - T0]).
%% slice k is summed on rank k
all_reduce(S, Rank, World, L, G) ->
    Ids = lists:foldl(fun({K, Sl}, A) ->
            gen_server:send_request({otter_shard, otter_conf:node_of(K)}, {add, S, Rank, L, Sl}, K, A)
        end, gen_server:reqids_new(), lists:zip(lists:seq(0, World - 1), otter_lm:slices(G, World))),
    End = {abs, erlang:monotonic_time(millisecond) + otter_conf:get(sum_ms)},
    Got = lists:keysort(1, collect(S, Ids, World, End)),
    {element(1, element(2, hd(Got))), lists:append([Sl || {_, {_, Sl}} <- Got])}.
collect(_, _, 0, _) -> [];
collect(S, Ids, N, End) ->
    case gen_server:receive_response(Ids, End, true) of
        {{reply, R}, K, Rest} -> [{K, R} | collect(S, Rest, N - 1, End)];
        {{error, {Reason, _}}, K, _} -> exit({all_reduce_failed, {step, S}, {peer, otter_conf:node_of(K)}, Reason});
        timeout -> exit({all_reduce_timeout, {step, S}, {peers, [otter_conf:node_of(K) || {_, K} <- gen_server:reqids_to_list(Ids)]}})
    end.
handle_call(_, _, S) -> {reply, ok, S}.
handle_cast(_, S) -> {noreply, S}.
format_status(St = #{state := S}) -> St#{state => maps:with([step], S)};
format_status(St) -> St.
