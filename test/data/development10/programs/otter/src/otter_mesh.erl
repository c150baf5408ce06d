%% Joins the nodes of the job: everyone connects to everyone and compares what it runs.
-module(otter_mesh).
-behaviour(gen_server).
-export([start_link/0, await/0, leave/0]).
-export([init/1, handle_continue/2, handle_call/3, handle_cast/2, handle_info/2]).
start_link() -> gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).
await() -> gen_server:call(?MODULE, await, infinity).
leave() -> gen_server:call(?MODULE, leave).
init([]) ->
    otter_conf:mark("init", 0, "mesh"),
    ok = net_kernel:monitor_nodes(true, [nodedown_reason]),
    {ok, #{left => false, ready => false, waiting => []}, {continue, join}}.
hello() ->
    {ok, Vsn} = application:get_key(otter, vsn),
    #{vsn => Vsn, params => otter_lm:size(), rank => otter_conf:rank()}.
handle_continue(join, S) ->
    Others = [N || N <- otter_conf:peers(), N =/= node()],
    Me = self(),
    spawn_link(fun() -> join(Others, erlang:monotonic_time(millisecond) + otter_conf:get(join_ms), 1), Me ! joined end),
    {noreply, S}.
join([], _, _) -> ok;
join(Left, End, N) ->
    case [P || P <- Left, not greet(P)] of
        [] -> ok;
        Still ->
            N rem 8 =:= 3 andalso logger:warning("mesh: not connected yet: ~p (attempt ~b)", [Still, N]),
            erlang:monotonic_time(millisecond) > End andalso exit({mesh_incomplete, Still}),
            timer:sleep(600),
            join(Still, End, N + 1)
    end.
handle_info(joined, S = #{waiting := W}) ->
    logger:notice("mesh complete: ~b nodes connected", [length(nodes()) + 1]),
    [gen_server:reply(F, ok) || F <- W],
    {noreply, S#{ready := true}};
handle_info({nodedown, Node, Info}, S = #{left := false}) ->
    lists:member(Node, otter_conf:peers()) andalso logger:warning("mesh: lost ~p, ~p", [Node, Info]),
    {noreply, S};
handle_info(_, S) -> {noreply, S}.
greet(P) ->
    case net_kernel:connect_node(P) of
        true ->
            Mine = hello(),
            case catch gen_server:call({?MODULE, P}, {hello, Mine}, 3000) of
                {hello, His} ->
                    [exit({peer_mismatch, P, K, maps:get(K, His), maps:get(K, Mine)}) || K <- [vsn, params], maps:get(K, His) =/= maps:get(K, Mine)],
                    true;
                _ -> false
            end;
        _ -> false
    end.
handle_call({hello, _}, _, S) -> {reply, {hello, hello()}, S};
handle_call(await, _, S = #{ready := true}) -> {reply, ok, S};
handle_call(await, F, S = #{waiting := W}) -> {noreply, S#{waiting := [F | W]}};
handle_call(leave, _, S) -> {reply, ok, S#{left := true}}.
handle_cast(_, S) -> {noreply, S}.
