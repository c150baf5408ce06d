%% Owns a slice of the parameters' gradient: sums what all ranks send, answers all when the sum is complete.
-module(otter_shard).
-behaviour(gen_server).
-export([start_link/0, init/1, handle_call/3, handle_cast/2, handle_info/2, format_status/1]).
start_link() -> gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).
init([]) -> {ok, #{step => none, sum => none, from => [], ranks => [], timer => none}}.
handle_call({add, Step, Rank, Loss, Slice}, From, S = #{sum := none}) ->
    T = erlang:send_after(otter_conf:get(shard_warn_ms), self(), {late, Step}),
    done(S#{step := Step, sum := {Loss, Slice}, from := [From], ranks := [Rank], timer := T});
handle_call({add, Step, Rank, Loss, Slice}, From, S = #{step := Step, sum := {L0, Sum}, from := Fs, ranks := Rs}) ->
    done(S#{sum := {L0 + Loss, lists:zipwith(fun(A, B) -> A + B end, Sum, Slice)}, from := [From | Fs], ranks := [Rank | Rs]}).
done(S = #{sum := {L, Sum}, from := Fs, timer := T}) ->
    W = otter_conf:world(),
    if length(Fs) =:= W ->
            erlang:cancel_timer(T),
            [gen_server:reply(F, {L / W, [X / W || X <- Sum]}) || F <- Fs],
            {noreply, S#{sum := none, from := [], ranks := [], timer := none}};
       true -> {noreply, S}
    end.
handle_info({late, Step}, S = #{step := Step, ranks := Rs}) when Rs =/= [] ->
    logger:warning("shard ~b: step ~b waits for ~p", [otter_conf:rank(), Step, [otter_conf:node_of(K) || K <- lists:seq(0, otter_conf:world() - 1), not lists:member(K, Rs)]]),
    {noreply, S};
handle_info(_, S) -> {noreply, S}.
handle_cast(_, S) -> {noreply, S}.
format_status(St = #{state := S}) -> St#{state => maps:with([step, ranks], S)};
format_status(St) -> St.
