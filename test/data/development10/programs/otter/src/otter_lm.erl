%% Bigram softmax over characters: loss and gradient of a batch of lines.
-module(otter_lm).
-export([size/0, init/0, grad/2, loss/2, update/3, slices/2]).
size() -> V = otter_conf:get(alphabet), V * V.
init() -> rand:seed(exsss, otter_conf:get(seed)), V = otter_conf:get(alphabet), [[0.05 * rand:normal() || _ <- lists:seq(1, V)] || _ <- lists:seq(1, V)].
softmax(Row) -> M = lists:max(Row), E = [math:exp(X - M) || X <- Row], Z = lists:sum(E), [X / Z || X <- E].
pairs(Lines) -> lists:append([lists:zip(lists:droplast(L), tl(L)) || L <- Lines]).
counts(Lines) -> lists:foldl(fun(P, M) -> maps:update_with(P, fun(N) -> N + 1 end, 1, M) end, #{}, pairs(Lines)).
loss(W, Lines) -> element(1, run(W, Lines)).
grad(W, Lines) -> {L, G} = run(W, Lines), {L, lists:append(G)}.
run(W, Lines) ->
    C = counts(Lines), N = lists:sum(maps:values(C)), V = length(W),
    {G, L} = lists:mapfoldl(fun({A, Row}, Acc) ->
        Cs = [maps:get({A, B}, C, 0) || B <- lists:seq(0, V - 1)],
        case lists:sum(Cs) of
            0 -> {[0.0 || _ <- Row], Acc};
            T -> P = softmax(Row), {lists:zipwith(fun(Pb, Cb) -> (T * Pb - Cb) / N end, P, Cs),
                    Acc - lists:sum([Cb * math:log(max(Pb, 1.0e-30)) || {Pb, Cb} <- lists:zip(P, Cs), Cb > 0])}
        end end, 0.0, lists:zip(lists:seq(0, V - 1), W)),
    {L / N, G}.
update(W, Flat, Rate) -> {New, []} = lists:mapfoldl(fun(Row, F) -> {G, R} = lists:split(length(Row), F), {lists:zipwith(fun(X, D) -> X - Rate * D end, Row, G), R} end, Flat, W), New.
slices(Flat, 1) -> [Flat];
slices(Flat, K) -> {A, B} = lists:split(length(Flat) div K, Flat), [A | slices(B, K - 1)].
