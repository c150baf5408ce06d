#!/bin/bash
# check_grafana.sh FILE..: runs the SQL of every panel and variable of Grafana dashboards in the database that the PG*
# variables name, which is to have the jobs of test/fleet_load.sql. A query that fails or gives no row is told of.
#
# What Grafana puts into a query is put in here: the time range is November 2026, each variable the first row of its query, but
# job and node, which are ones that have all there is to show.
set -euo pipefail
perl - "$@" <<'PERL'
use strict;
use warnings;
use IPC::Open3;
use JSON::PP;

my ($panels, $failures) = (0, 0);
my %chosen = (job => 'run-07', node => 'gpu-07');
my %uids;
sub complain { print "@_\n"; $failures++; }

sub with_macros
{
	my ($sql) = @_;
	$sql =~ s/\$__timeFilter\(([^()]*)\)/$1 BETWEEN '2026-11-01T00:00:00Z' AND '2026-12-01T00:00:00Z'/g;
	$sql =~ s/\$__timeFrom\(\)/'2026-11-01T00:00:00Z'/g;
	$sql =~ s/\$__timeTo\(\)/'2026-12-01T00:00:00Z'/g;
	$sql =~ s/\$\{(\w+):sqlstring\}/"'" . ($chosen{$1} \/\/ die "variable $1 is not known\n") . "'"/ge;
	return $sql;
}

# Runs a query; returns its rows as lines, the names of the columns first.
sub rows
{
	my ($where, $sql) = @_;
	$sql = with_macros($sql);
	complain("$where: left over: $1") if $sql =~ /(\$\w+|\$\{\w+\})/;
	my $pid = open3(my $in, my $out, undef, qw(psql --no-psqlrc --quiet --csv --set=ON_ERROR_STOP=1 --command), $sql);
	close $in;
	my @lines = <$out>;
	waitpid $pid, 0;
	complain("$where: @lines") if $?;
	return $? ? () : @lines;
}

for my $file (@ARGV)
{
	open my $in, '<', $file or die "$file: $!\n";
	my $dashboard = decode_json(do { local $/; <$in> });
	my %ids;
	my @taken;
	complain("$file: no uid, or one of another dashboard") if !$dashboard->{uid} || $uids{$dashboard->{uid}}++;
	for my $variable (grep { $_->{type} eq 'query' } @{$dashboard->{templating}{list}})
	{
		my @rows = rows("$file: variable $variable->{name}", $variable->{query});
		complain("$file: variable $variable->{name} has nothing to choose") if @rows < 2;
	}
	for my $panel (@{$dashboard->{panels}})
	{
		my $where = "$file: panel \"$panel->{title}\"";
		my ($x, $y, $w, $h) = @{$panel->{gridPos}}{qw(x y w h)};
		complain("$where: its id is taken") if $ids{$panel->{id}}++;
		complain("$where: wider than the page") if $x + $w > 24;
		complain("$where: lies upon \"$_->[4]\"")
			for grep { $x < $_->[0] + $_->[2] && $_->[0] < $x + $w && $y < $_->[1] + $_->[3] && $_->[1] < $y + $h } @taken;
		push @taken, [$x, $y, $w, $h, $panel->{title}];
		for my $target (@{$panel->{targets}})
		{
			my @rows = rows($where, $target->{rawSql});
			complain("$where: no row") if @rows == 1;
			complain("$where: no column \"time\"") if @rows && $target->{format} eq 'time_series' && $rows[0] !~ /^time,/;
			$panels++;
		}
	}
}
print "$panels panels, $failures complaints\n";
exit($failures ? 1 : 0);
PERL
