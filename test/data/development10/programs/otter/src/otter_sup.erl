-module(otter_sup).
-behaviour(supervisor).
-export([start_link/0, init/1]).
start_link() -> supervisor:start_link({local, ?MODULE}, ?MODULE, []).
init([]) ->
    C = fun(M) -> #{id => M, start => {M, start_link, []}, restart => permanent, shutdown => 2000} end,
    {ok, {#{strategy => one_for_all, intensity => 0, period => 10}, [C(M) || M <- [otter_mesh, otter_shard, otter_reader, otter_train]]}}.
