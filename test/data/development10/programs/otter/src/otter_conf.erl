%% otter.config: terms, one a line; RANK from the environment.
-module(otter_conf).
-export([load/0, get/1, rank/0, world/0, peers/0, node_of/1, mark/3]).
load() ->
    {ok, Terms} = file:consult("/workspace/otter.config"),
    persistent_term:put(otter, maps:from_list(Terms)).
get(K) -> maps:get(K, persistent_term:get(otter)).
rank() -> list_to_integer(os:getenv("RANK")).
world() -> length(?MODULE:get(ranks)).
peers() -> ?MODULE:get(ranks).
node_of(K) -> lists:nth(K + 1, peers()).
mark(Stage, It, Phase) -> file:write_file("/run/rr/rank-" ++ integer_to_list(rank()), io_lib:format("~s ~b ~s", [Stage, It, Phase])).
