/* The style sheet of the HTML report. */

CREATE FUNCTION @extschema@.l4_report_style() RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN $css$
:root { color-scheme: light dark; --cell: #3a2410;
 --page: #f6f7f9; --card: #ffffff; --ink: #1c2430; --soft: #566170; --line: #d9dee5; --row: #eef1f5; --accent: #b82d1b;
 --link: #1f5fae;
 --replace: #b82d1b; --fix: #8f5600; --restart: #1f7a45; --none: #566170;
 --h1: #f9d9a8; --h2: #f3b066; --h3: #e5803c; --h4: #cb4a26; --h5: #93201c;
 --s-environment_init: #9aa5b4; --s-rendezvous: #7c8799; --s-communicator_init: #b48ad0; --s-data_load: #5fb3c9;
 --s-model_build: #d9a441;
 --s-checkpoint_load: #8fb35a; --s-iterating: #8bb4e6; --s-evaluation: #3f6fd1; --s-checkpoint_save: #2f7d5b;
 --s-teardown: #4a5362; }
@media (prefers-color-scheme: dark) { :root { --cell: #f4e9dc;
 --page: #12161c; --card: #1a2029; --ink: #e4e8ee; --soft: #a3aebc; --line: #323b48; --row: #232b36; --accent: #ff7a66;
 --link: #7fb2ff;
 --replace: #ff7a66; --fix: #f0b04a; --restart: #5fcf8d; --none: #a3aebc;
 --h1: #5d4a33; --h2: #7a5228; --h3: #96561d; --h4: #b5401f; --h5: #c92c22;
 --s-environment_init: #667183; --s-rendezvous: #8591a3; --s-communicator_init: #9a70b8; --s-data_load: #3f92a8;
 --s-model_build: #b98629;
 --s-checkpoint_load: #7a9c48; --s-iterating: #3c6496; --s-evaluation: #7fa6ff; --s-checkpoint_save: #55c295;
 --s-teardown: #aab4c2; } }
@media print { :root { color-scheme: light; --cell: #3a2410; --page: #ffffff; --card: #ffffff; --ink: #000000; --soft: #444444;
 --line: #bbbbbb; --row: #eeeeee; --accent: #a01808; --link: #000000;
 --replace: #a01808; --fix: #7a4a00; --restart: #0f5a30; --none: #444444;
 --h1: #f9d9a8; --h2: #f3b066; --h3: #e5803c; --h4: #cb4a26; --h5: #93201c;
 --s-environment_init: #9aa5b4; --s-rendezvous: #7c8799; --s-communicator_init: #b48ad0; --s-data_load: #5fb3c9;
 --s-model_build: #d9a441;
 --s-checkpoint_load: #8fb35a; --s-iterating: #8bb4e6; --s-evaluation: #3f6fd1; --s-checkpoint_save: #2f7d5b;
 --s-teardown: #4a5362; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink);
 font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1120px; margin: 0 auto; padding: 24px 20px 40px; }
header, section, .advice { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 22px;
 margin: 0 0 16px; overflow-wrap: anywhere; }
h1 { font-size: 25px; line-height: 1.25; margin: 4px 0 6px; } h2 { font-size: 17px; margin: 0 0 10px; }
h3 { font-size: 15px; margin: 0 0 4px; }
p { margin: 0 0 8px; } a { color: var(--link); } .soft, .job { color: var(--soft); } .job { margin: 0; }
.small { font-size: 13px; }
.advice { border-left: 6px solid var(--none); } .advice:is(.test, .cordon, .reset) { border-left-color: var(--replace); }
.advice:is(.user, .storage, .network, .look, .watch) { border-left-color: var(--fix); }
.advice:is(.restart, .wait) { border-left-color: var(--restart); } .advice h2 { font-size: 19px; margin: 0 0 4px; }
.advice:is(.test, .cordon, .reset) h2 { color: var(--replace); }
.advice:is(.user, .storage, .network, .look, .watch) h2 { color: var(--fix); }
.advice:is(.restart, .wait) h2 { color: var(--restart); } .advice p:last-child { margin: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 16px; margin: 0; } dt { color: var(--soft); }
dd { margin: 0; }
ol, ul { margin: 0; padding-left: 24px; } li { margin: 0 0 6px; } ol > li + li { margin-top: 14px; }
ol.plain > li + li { margin-top: 0; }
li.against { color: var(--soft); } .sure { font-weight: 400; color: var(--soft); }
details { margin: 10px 0 0; } summary { cursor: pointer; color: var(--link); } details[open] > summary { margin: 0 0 8px; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: 14px; }
th, td { text-align: left; vertical-align: top; padding: 6px 10px 6px 0; border-bottom: 1px solid var(--line); }
td.v { min-width: 92px; }
th { color: var(--soft); font-weight: 600; } td.n, th.n { text-align: right; white-space: nowrap; padding-right: 14px; }
tbody th { color: inherit; font-weight: 400; }
code, pre, .log { font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 12.5px; }
code.key { overflow-wrap: normal; word-break: keep-all; }
.place { margin: 0 0 14px; } .place h3 { font-size: 14px; margin: 0 0 4px; overflow-wrap: anywhere; }
.place h3 span { color: var(--soft); font-weight: 400; }
.place h3 a { font-weight: 400; }
:is(li, tr, a):target { background: var(--row); outline: 2px solid var(--link); outline-offset: 2px; }
.log { display: grid; grid-template-columns: max-content 1fr; border: 1px solid var(--line); border-radius: 6px;
 padding: 6px 0; line-height: 1.45; }
.log b, .log pre { margin: 0; padding: 0 10px; font-weight: 400; }
.log b { text-align: right; color: var(--soft); user-select: none; }
.log pre { white-space: pre-wrap; overflow-wrap: anywhere; color: var(--soft); }
.log .hit { background: var(--row); color: var(--ink); }
.log b.hit { border-left: 3px solid var(--accent); font-weight: 700; color: var(--accent); }
svg { display: block; width: 100%; height: auto; font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
svg text { fill: var(--ink); } svg .t { fill: var(--soft); font-size: 11px; }
svg .sus { font-weight: 700; fill: var(--accent); } svg .row { fill: var(--row); } svg .grid { stroke: var(--line); }
svg .end { stroke: var(--ink); stroke-width: 2; } svg .tail { stroke: var(--ink); stroke-dasharray: 2 2; }
svg .on { stroke: var(--accent); stroke-width: 1.5; stroke-dasharray: 5 3; } svg .ont { fill: var(--accent); font-size: 11px; }
svg text.s { font-size: 10px; fill: var(--ink); stroke: var(--card); stroke-width: 1.5px; paint-order: stroke; }
svg .steps, svg .usual { fill: none; stroke: var(--s-evaluation); stroke-width: 1.8; }
svg .usual { stroke: var(--s-checkpoint_save); stroke-dasharray: 5 3; }
svg .c1, svg .c2, svg .c3, svg .c4, svg .c5 { font-size: 10.5px; text-anchor: middle; fill: var(--cell); }
svg .c4, svg .c5 { fill: #ffffff; }
svg .h1 { fill: var(--h1); } svg .h2 { fill: var(--h2); } svg .h3 { fill: var(--h3); } svg .h4 { fill: var(--h4); }
svg .h5 { fill: var(--h5); }
svg .environment_init { fill: var(--s-environment_init); } svg .rendezvous { fill: var(--s-rendezvous); }
svg .communicator_init { fill: var(--s-communicator_init); }
svg .data_load { fill: var(--s-data_load); } svg .model_build { fill: var(--s-model_build); }
svg .checkpoint_load { fill: var(--s-checkpoint_load); } svg .iterating { fill: var(--s-iterating); }
svg .evaluation { fill: var(--s-evaluation); } svg .checkpoint_save { fill: var(--s-checkpoint_save); }
svg .teardown { fill: var(--s-teardown); }
svg .bar { fill: var(--s-iterating); } svg .bar.odd { fill: var(--h4); }
svg .bar.cut { fill: none; stroke: var(--soft); stroke-dasharray: 3 2; }
svg .limit { stroke: var(--accent); stroke-dasharray: 6 3; }
svg .save { stroke: var(--s-checkpoint_save); opacity: 0.45; }
.quote { margin: 4px 0 0; padding: 4px 8px; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--row);
 border-radius: 4px; color: var(--ink); font-size: 12px; }
footer { color: var(--soft); font-size: 13px; text-align: center; }
@media screen and (max-width: 640px) { main { padding: 10px 8px 24px; } header, section, .advice { padding: 12px 12px; }
 h1 { font-size: 20px; } dl { grid-template-columns: 1fr; gap: 0; } dd { margin: 0 0 6px; } ol, ul { padding-left: 20px; }
 svg { min-width: 860px; }
 table, tbody, tr, td, tbody th { display: block; } thead { position: absolute; left: -9999px; }
 tr { padding: 8px 0; border-bottom: 1px solid var(--line); }
 td, tbody th, td.n { border: 0; padding: 1px 0; text-align: left; white-space: normal; }
 td[data-label]::before { content: attr(data-label) ": "; color: var(--soft); }
 .log b { padding: 0 6px 0 0; } .log pre { padding-left: 6px; } }
@page { margin: 12mm; }
@media print { body { print-color-adjust: exact; -webkit-print-color-adjust: exact; font-size: 11px; line-height: 1.35; }
 main { max-width: none; padding: 0; }
 header, section, .advice { border-radius: 0; padding: 6px 10px; margin: 0 0 8px; }
 section { border: 0; border-top: 1px solid var(--line); }
 h1 { font-size: 18px; } h2, .advice h2 { font-size: 13px; margin: 0 0 4px; } table { font-size: 10.5px; }
 h3, .place h3 { font-size: 11px; } .small, footer { font-size: 10px; } code, pre, .log, .quote { font-size: 9px; }
 details::details-content { content-visibility: visible; height: auto; } summary { list-style: none; color: var(--soft); }
 th, td { padding: 3px 8px 3px 0; } svg, tr, .place, .advice, header { break-inside: avoid; }
 h2, h3, section > p { break-after: avoid; } .wide { overflow: visible; } }
$css$;
COMMENT ON FUNCTION @extschema@.l4_report_style() IS
'Step: The style sheet of the HTML report: light, dark (prefers-color-scheme), narrow screens (tables stacked) and print '
'(what is folded opened).';
