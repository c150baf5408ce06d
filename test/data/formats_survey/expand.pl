#!/usr/bin/perl
# expand.pl FOLDER [1|2]: the excerpts beside this program as jobs below FOLDER, of all or of one half of the formats.
#
# Writes FOLDER/jobs/JOB/node-N/rank_N.log and prints rows for COPY: kind (line, place), half, format, job, line, stages,
# iterations. A row "line" says of a line of rank 0 of the job FORMAT.whole what is right there; a row "place" of a job that
# stopped there: FORMAT.N.plain, in which all ranks just end, and FORMAT.N.fails, in which rank 1 fails besides. README.md tells
# how excerpts are written.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use POSIX qw(strftime);

my ($folder, $wanted) = @ARGV;
my %stages = (E => 'environment_init', R => 'rendezvous', C => 'communicator_init', D => 'data_load', M => 'model_build',
	L => 'checkpoint_load', I => 'iterating', V => 'evaluation', S => 'checkpoint_save', T => 'teardown');
my $failure = qq{Traceback (most recent call last):\n  File "/app/train.py", line 210, in <module>\n    main()\n}
	. qq{  File "/app/train.py", line 161, in main\n    loss.backward()\n}
	. qq{RuntimeError: CUDA error: an illegal memory access was encountered\n};
my $seed;
my $clock;

# Numbers by chance, the same in each run.
sub chance
{
	$seed = ($seed * 1103515245 + 12345) % 2147483648;
	return $seed / 2147483648;
}

# An expression over the counters n and e and a number by chance r: digits and signs alone.
sub value
{
	my ($text, $n, $e) = @_;
	$text =~ s/\bn\b/$n/g;
	$text =~ s/\be\b/$e/g;
	$text =~ s/\br\b/sprintf '%.6f', chance()/ge;
	my $plain = qr{\A[-+*/%.0-9() ]+\z};
	die "expand.pl: no expression: $text\n" unless $text =~ $plain;
	return eval $text;
}

sub place_holder
{
	my ($text, $n, $e) = @_;
	return strftime('%Y-%m-%d %H:%M:%S', gmtime $clock) if $text eq 'T';
	return strftime($1, gmtime $clock) if $text =~ /^t:(.*)$/;
	return sprintf $1, value($2, $n, $e) if $text =~ /^(%[-+]?[\d.]*[dfeE]):(.*)$/;
	my $value = value($text, $n, $e);
	return $text =~ /r/ ? $value : int $value;
}

sub expanded
{
	my ($text, $n, $e) = @_;
	$text =~ s/\{\{/\x01/g;
	# the last two first: a place may end just before
	1 while $text =~ s/\}\}(?!\})/\x02/;
	$text =~ s/\{([^{}]+)\}/place_holder($1, $n, $e)/ge;
	$text =~ tr/\x01\x02/{}/;
	return $text;
}

# The lines of an excerpt: text, stages, iterations, whether a job stops here.
sub lines_of
{
	my ($file) = @_;
	open my $in, '<', $file or die "expand.pl: $file: $!\n";
	chomp(my @source = <$in>);
	my ($ranks) = shift(@source) =~ /; (main|all)$/ or die "expand.pl: $file: first line\n";
	my @lines;
	($seed, $clock) = (42, 1763632800);
	while (defined(my $line = shift @source))
	{
		my @passes = ([0, 0, 1]);
		my @body = ($line);
		if (my ($name, $from, $to, $by) = $line =~ /^\@for (\w) (\d+) (\d+) (\d+)$/)
		{
			@body = ();
			push @body, $line while ($line = shift @source) ne '@end';
			@passes = ();
			for (my $n = $from; $n <= $to; $n += $by)
			{
				push @passes, [$n, $n, $n + $by > $to];
			}
		}
		for my $pass (@passes)
		{
			for my $row (@body)
			{
				my ($codes, $numbers, $stop, $text) = $row =~ /^([A-Z.]+)(?:=([^|^]+))?(\^?)\|(.*)$/
					or die "expand.pl: $file: $row\n";
				$clock += 3;
				my $last = $pass->[2];
				my @numbers = map { int value(s/[{}]//gr, @$pass) } split /,/, $numbers // '';
				push @lines, {text => expanded($text, @$pass), codes => $codes eq '.' ? '' : $codes, numbers => \@numbers,
					told => $last && $codes ne '.', stop => $stop && $last};
			}
		}
	}
	return ($ranks, @lines);
}

sub write_log
{
	my ($job, $rank, @text) = @_;
	return unless @text;
	make_path("$folder/jobs/$job/node-$rank");
	open my $out, '>', "$folder/jobs/$job/node-$rank/rank_$rank.log" or die "expand.pl: $job: $!\n";
	print $out @text;
	close $out;
}

sub array { return '{' . join(',', @_) . '}' }

for my $file (sort glob dirname(__FILE__) . '/*.txt')
{
	my $name = basename($file, '.txt');
	my $half = hex(substr(md5_hex($name), -1)) % 2 + 1;
	next if $wanted && $wanted != $half;
	my ($ranks, @lines) = lines_of($file);
	my ($first) = (grep({ $lines[$_]{codes} =~ /I/ } 0 .. $#lines), scalar @lines);
	my @other = map { $lines[$_]{codes} =~ /[ERC]/ && $_ < $first ? 1 : 0 } 0 .. $#lines;
	my $text = sub {
		my ($rank, $to) = @_;
		return map { "$lines[$_]{text}\n" } grep { $ranks eq 'all' || $rank == 0 || $other[$_] } 0 .. $to;
	};
	my @numbers;
	my $stops = 0;
	write_log("$name.whole", $_, $text->($_, $#lines)) for 0, 1;
	for my $i (0 .. $#lines)
	{
		my $line = $lines[$i];
		@numbers = @{$line->{numbers}} if @{$line->{numbers}};
		my @right = map { $stages{$_} } split //, $line->{codes};
		print join("\t", 'line', $half, $name, "$name.whole", $i + 1, array(@right), array(@{$line->{numbers}})), "\n"
			if $line->{told};
		next unless $line->{stop};
		$stops++;
		# what says that it is done leads back
		push @right, 'iterating' if $line->{codes} =~ /[VS]/ && $line->{text} =~ /\b(?:saved|finished|done|results?)\b/i;
		for my $way ('plain', 'fails')
		{
			my $job = "$name.$stops.$way";
			write_log($job, 0, $text->(0, $i));
			write_log($job, 1, $text->(1, $i), $way eq 'fails' ? $failure : ());
			print join("\t", 'place', $half, $name, $job, $i + 1, array(@right), array(@numbers)), "\n";
		}
	}
}
