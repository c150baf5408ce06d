%% The application of one rank.
-module(otter_app).
-behaviour(application).
-export([start/2, stop/1]).
start(_, _) ->
    otter_conf:load(),
    {ok, Vsn} = application:get_key(otter, vsn),
    logger:notice("otter ~s, rank ~b of ~b as ~p, OTP ~s, ERTS ~s, seed ~b", [Vsn, otter_conf:rank(), otter_conf:world(), node(),
        erlang:system_info(otp_release), erlang:system_info(version), otter_conf:get(seed)]),
    catch otter_blas:dot(<<>>, <<>>),
    otter_push:start(),
    otter_sup:start_link().
stop(_) -> ok.
