%% Reads batches ahead: files of records <<Length:32, Crc:32, Bytes>>.
-module(otter_reader).
-behaviour(gen_server).
-export([start_link/0, next/1, held/0, init/1, handle_continue/2, handle_call/3, handle_cast/2, handle_info/2, format_status/1]).
start_link() -> gen_server:start_link({local, ?MODULE}, ?MODULE, [], []).
next(Step) -> gen_server:call(?MODULE, {next, Step}, 20000).
file(K) -> filename:join(otter_conf:get(data_dir), lists:flatten(io_lib:format("corpus-~3..0b.rec", [K]))).
held() -> {ok, B} = file:read_file(file(0)), lists:sublist(records(B, 0, 40), 32).
init([]) -> {ok, #{queue => queue:new(), at => 0}, {continue, open}}.
handle_continue(open, S) ->
    F = file(otter_conf:rank() rem otter_conf:get(files)),
    {ok, B} = file:read_file(F),
    logger:info("reader: ~s, ~b bytes", [F, byte_size(B)]),
    {noreply, S#{file => F, all => B, pos => 0, record => 0}}.
records(_, _, 0) -> [];
records(B, P, N) ->
    <<_:P/binary, L:32, C:32, D:L/binary, _/binary>> = B,
    C = erlang:crc32(D),
    [binary_to_list(D) | records(B, P + 8 + L, N - 1)].
take(S = #{all := B, pos := P}) when P >= byte_size(B) -> take(S#{pos := 0, record := 0});
take(S = #{all := B, pos := P, record := R, file := F}) ->
    <<_:P/binary, L:32, C:32, D:L/binary, _/binary>> = B,
    case erlang:crc32(D) of
        C -> {binary_to_list(D), S#{pos := P + 8 + L, record := R + 1}};
        X -> erlang:error({bad_checksum, F, {record, R}, {stored, C}, {computed, X}})
    end.
handle_call({next, Step}, _, S) ->
    Skip = max(0, Step - 1 - maps:get(at, S)),
    N = otter_conf:get(batch),
    S1 = lists:foldl(fun(_, A) -> element(2, take(A)) end, S, lists:seq(1, Skip * N)),
    {Ls, S2} = lists:mapfoldl(fun(_, A) -> take(A) end, S1, lists:seq(1, N)),
    {reply, Ls, S2#{at := Step}}.
handle_cast(_, S) -> {noreply, S}.
handle_info(_, S) -> {noreply, S}.
format_status(St = #{state := S}) -> St#{state => maps:with([file, pos, record, at], S)};
format_status(St) -> St.
