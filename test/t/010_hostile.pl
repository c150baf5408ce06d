# Hostile archives: cut, damaged, nested, odd. Whatever they hold, the import ends well, keeps each byte that can be decoded,
# and says in l4_stream and by a warning what could not be. Prints how many archives and members were tried.
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use LogFiles qw(write_file);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('hostile');
$node->init;
$node->append_conf('postgresql.conf', "timezone = 'UTC'\nfsync = off\nstatement_timeout = '60s'\n");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION l4');

my $folder = PostgreSQL::Test::Utils::tempdir;
my ($archives, $members, $remarks) = (0, 0, 0);

sub read_file
{
	my ($path) = @_;
	open my $file, '<:raw', $path or die "$path: $!";
	local $/;
	return scalar <$file>;
}

# Lines that hardly compress, so that half of the compressed bytes is about half of the log.
sub lines
{
	my ($count, $salt) = @_;
	return join('', map { '[2026-11-20 22:31:38,097] [INFO] [train.py:52:main] step=' . $_ . ' ' . md5_hex("$salt $_")
		. md5_hex("$_ $salt") . "\n" } 1 .. $count);
}

# ---------- compressed bytes and archives ----------

my %program = (gz => 'gzip', zst => 'zstd', xz => 'xz', bz2 => 'bzip2', lz4 => 'lz4 -B4');
my @kinds = grep { system('command -v ' . (split / /, $program{$_})[0] . ' >/dev/null 2>&1') == 0 } sort keys %program;
note('compressions: ' . join(' ', @kinds));

sub packed
{
	my ($kind, $content) = @_;
	write_file("$folder/tmp/in", $content);
	system("$program{$kind} -c < $folder/tmp/in > $folder/tmp/out 2>/dev/null") == 0 or die "$program{$kind}: $?";
	return read_file("$folder/tmp/out");
}

# A tar header of the old kind with ustar's magic.
sub tar_header
{
	my ($name, $size, $type, $link) = @_;
	my $header = pack('a100 a8 a8 a8 a12 a12 a8 a1 a100 a6 a2 a32 a32 a8 a8 a155 a12', $name, '0000644', '0000000', '0000000',
		sprintf('%011o', $size), sprintf('%011o', 1795000000),
		' ' x 8, $type // '0', $link // '', "ustar\0", '00', '', '', '', '', '', '');
	substr($header, 148, 8) = sprintf("%06o\0 ", unpack('%32C*', $header));
	return $header;
}

sub padded { my ($content) = @_; return $content . "\0" x (-length($content) % 512) }
sub tar_member { my ($name, $content) = @_; return tar_header($name, length $content) . padded($content) }
my $end = "\0" x 1024;

# GNU's way to name what 100 bytes do not hold
sub long_member { my ($name, $content) = @_; return tar_header('././@LongLink', length($name) + 1, 'L') . padded("$name\0")
	. tar_member(substr($name, 0, 99), $content) }

# ---------- a case: files, what must come back, what must be said ----------

# expect: source => its bytes, or [bytes, how many of them must come back at least, how many must be right (all)]; said: source
# => what its error says. All sources are named.
my $number = 0;
sub try
{
	my ($what, $files, $expect, $said, $arguments) = @_;
	my $job = 'hostile-' . ++$number;
	write_file("$folder/$job/$_", $files->{$_}) for keys %$files;
	$node->safe_psql('postgres', "SELECT l4_register_job('$job', '{}', 'failed')");
	my ($code, $out, $err) = $node->psql('postgres', "CALL l4_import('$job', '$folder/$job'" . ($arguments // '') . ")");
	$archives += keys %$files;
	is($code, 0, "$what: the import ends well") or diag($err);
	my %got;
	for my $row (split /\n/, $node->safe_psql('postgres', qq{
		SELECT s.source, coalesce(s.error, ''),
			coalesce((SELECT string_agg(encode(l.raw_bytes, 'hex'), '' ORDER BY l.line_no,
				l.part) FROM l4_log l WHERE l.job_id = '$job' AND l.source = s.source), '')
		FROM l4_stream s WHERE s.job_id = '$job' AND s.label IS NULL}))
	{
		my ($source, $error, $hex) = split /\|/, $row;
		$got{$source} = [pack('H*', $hex // ''), $error];
	}
	is(join(' ', sort keys %got), join(' ', sort keys %$expect), "$what: its files");
	for my $source (sort keys %$expect)
	{
		my ($bytes, $error) = @{$got{$source} // ['missing', '']};
		my $wanted = $expect->{$source};
		$members++;
		if (ref $wanted)
		{
			my $right = $wanted->[2] // length $bytes;
			ok(length $bytes >= $wanted->[1] && substr($bytes, 0, $right) eq substr($wanted->[0], 0, $right),
				"$what: $source keeps " . length($bytes) . " bytes, at least $wanted->[1]");
		}
		else
		{
			ok($bytes eq $wanted, "$what: every byte of $source") or diag(length($bytes) . ' of ' . length($wanted) . ' bytes');
		}
		my $says = $said->{$source};
		if (defined $says)
		{
			$remarks++;
			like($error, $says, "$what: $source says so");
			like($err, qr/WARNING:.*\Q$source\E/, "$what: and a warning names it");
		}
		else { is($error, '', "$what: nothing is said of $source") }
	}
}

my ($one, $two) = (lines(3000, 'one'), lines(2000, 'two'));

# ---------- compressed streams ----------

for my $kind (@kinds)
{
	my ($first, $second) = map { packed($kind, $_) } $one, $two;
	my $name = "rank-0.log.$kind";
	my $cut = substr($first, 0, length($first) / 2);
	my $damaged = $second;
	substr($damaged, length($damaged) * 3 / 4, 8) = "\0\xff" x 4;
	# a block of bzip2 is all or nothing, and xz, lz4 and zstd have blocks too
	my $least = {gz => length($one) / 3, xz => length($one) / 3, zst => 131072, lz4 => 65536, bz2 => 0}->{$kind};
	try("two $kind streams", {$name => $first . $second}, {$name => $one . $two}, {});
	try("$kind and zeros", {$name => $first . "\0" x 70000}, {$name => $one}, {});
	try("$kind, zeros and a stream", {$name => $first . "\0" x 512 . $second}, {$name => $one . $two}, {});
	try("$kind and plain lines", {$name => $first . $two}, {$name => $one . $two},
		{$name => qr/^\d+ bytes behind the \w+ stream are not compressed/});
	try("$kind, zeros and plain lines", {$name => $first . "\0" x 300000 . "last words\n"},
		{$name => $one . "\0" x 300000 . "last words\n"}, {$name => qr/^300011 bytes behind/});
	try("$kind and one byte", {$name => $first . "\n"}, {$name => "$one\n"}, {$name => qr/^1 bytes behind/});
	try("a $kind stream cut", {$name => $cut}, {$name => [$one, $least]}, {$name => qr/truncated \w+ input/});
	try("the second $kind stream cut", {$name => $first . substr($second, 0, length($second) / 2)},
		{$name => [$one . $two, length $one]}, {$name => qr/truncated \w+ input/});
	try("the second $kind stream without its last byte", {$name => $first . substr($second, 0, -1)},
		{$name => [$one . $two, length $one]}, {$name => qr/truncated \w+ input/});
	try("the second $kind stream damaged", {$name => $first . $damaged}, {$name => [$one . $two, length $one, length $one]},
		{$name => qr/corrupt \w+ data before byte \d+/});
	try("only the magic of $kind", {$name => substr($first, 0, 10)}, {$name => ''}, {$name => qr/truncated \w+ input|corrupt/});
	try("$kind of nothing", {$name => packed($kind, '')}, {$name => ''}, {});
	try("$kind of binary bytes", {$name => packed($kind, join('', map { chr } 0 .. 255) x 40)},
		{$name => join('', map { chr } 0 .. 255) x 40}, {});
	try("a $kind member", {'a.tar' => tar_member("node-0/$name", $first) . tar_member('plain.log', $two) . $end},
		{"a.tar/node-0/$name" => $one, 'a.tar/plain.log' => $two}, {});
	try("a cut $kind member", {'a.tar' => tar_member("node-0/$name", $cut) . tar_member('plain.log', $two) . $end},
		{"a.tar/node-0/$name" => [$one, $least], 'a.tar/plain.log' => $two},
		{"a.tar/node-0/$name" => qr/truncated \w+ input/});
	try("a $kind member and plain lines", {'a.tar' => tar_member($name, $first . $two) . $end}, {"a.tar/$name" => $one . $two},
		{"a.tar/$name" => qr/behind the/});
	try("a $kind archive of $kind members",
		{"a.tar.$kind" => packed($kind, tar_member($name, $first) . tar_member('plain.log', $two) . $end)},
		{"a.tar.$kind/$name" => $one, "a.tar.$kind/plain.log" => $two}, {});
	my $whole = packed($kind, tar_member('one.log', $one) . tar_member('two.log', $two) . $end);
	try("a cut $kind archive", {"a.tar.$kind" => substr($whole, 0, length($whole) * 0.9)},
		{"a.tar.$kind" => '', "a.tar.$kind/one.log" => $one, "a.tar.$kind/two.log" => [$two, 1]},
		{"a.tar.$kind" => qr/truncated/, "a.tar.$kind/two.log" => qr/truncated/}) if $kind ne 'bz2';
}
try('streams of several compressions', {'all.log' => join('', map { packed($_, $one) } @kinds)},
	{'all.log' => $one x @kinds}, {});

# ---------- tar ----------

my ($a, $b, $c) = (tar_member('node-0/rank-0.log', $one), tar_member('node-1/rank-1.log', $two),
	tar_member('node-2/rank-2.log', $one));
my %good = ('a.tar/node-0/rank-0.log' => $one, 'a.tar/node-1/rank-1.log' => $two, 'a.tar/node-2/rank-2.log' => $one);
sub damage { my ($bytes, $at) = @_; substr($bytes, $at, 1) = chr(ord(substr($bytes, $at, 1)) ^ 4); return $bytes }
my $at = sub { 'a.tar/(damaged header at byte ' . $_[0] . ')' };
my $none = sub { 'a.tar/(no header at byte ' . $_[0] . ')' };
my $story = qr/^the tar header at byte \d+ is damaged; it names "\w+-\d/;

try('a good archive', {'a.tar' => $a . $b . $c . $end}, \%good, {});
for my $place (3, 107, 126, 150, 160)
{
	try("a damaged header in the middle, byte $place", {'a.tar' => $a . damage($b, $place) . $c . $end},
		{'a.tar/node-0/rank-0.log' => $one, $at->(length $a) => $two, 'a.tar/node-2/rank-2.log' => $one},
		{$at->(length $a) => $story});
}
try('a damaged first header', {'a.tar' => damage($a, 126) . $b . $end}, {$at->(0) => $one, 'a.tar/node-1/rank-1.log' => $two},
	{$at->(0) => $story});
try('a damaged last header', {'a.tar' => $a . damage($b, 126) . $end},
	{'a.tar/node-0/rank-0.log' => $one, $at->(length $a) => $two}, {$at->(length $a) => $story});
try('two damaged headers in a row', {'a.tar' => $a . damage($b, 126) . damage($b, 126) . $c . $end},
	{'a.tar/node-0/rank-0.log' => $one, $at->(length $a) => padded($two) . substr(damage($b, 126), 0, 512) . $two,
		'a.tar/node-2/rank-2.log' => $one}, {$at->(length $a) => $story});
try('a damaged header over a compressed member', {'a.tar' => damage(tar_member('x.log.gz', packed('gz', $one)), 126) . $b
	. $end}, {$at->(0) => $one, 'a.tar/node-1/rank-1.log' => $two},
	{$at->(0) => qr/it names "x.log.gz"/});
try('a damaged header in a compressed archive', {'a.tar' => packed('gz', $a . damage($b, 126) . $c . $end)},
	{'a.tar/node-0/rank-0.log' => $one, $at->(length $a) => $two, 'a.tar/node-2/rank-2.log' => $one},
	{$at->(length $a) => $story});
my $large = tar_member('large.log', $one x 20);
try('a damaged header over many buffers', {'a.tar' => damage($large, 126) . $b . $end},
	{$at->(0) => $one x 20, 'a.tar/node-1/rank-1.log' => $two}, {$at->(0) => qr/it names "large.log"/});
try('two archives, one behind the other', {'a.tar' => $a . $end . $b . $end . $c . $end}, \%good, {});
try('no end mark', {'a.tar' => $a . $b}, {'a.tar' => '', 'a.tar/node-0/rank-0.log' => $one, 'a.tar/node-1/rank-1.log' => $two},
	{'a.tar' => qr/no end mark/});
try('cut in a member', {'a.tar' => substr($a . $b, 0, length($a) + 1024)},
	{'a.tar' => '', 'a.tar/node-0/rank-0.log' => $one, 'a.tar/node-1/rank-1.log' => [$two, 512]},
	{'a.tar' => qr/[Tt]runcated/, 'a.tar/node-1/rank-1.log' => qr/[Tt]runcated/});
try('cut in a header', {'a.tar' => substr($a . $b, 0, length($a) + 100)}, {'a.tar' => '', 'a.tar/node-0/rank-0.log' => $one},
	{'a.tar' => qr/[Tt]runcated/});
try('lines behind the end mark', {'a.tar' => $a . $end . $two},
	{'a.tar' => '', 'a.tar/node-0/rank-0.log' => $one, $none->(length($a) + 1024) => $two},
	{'a.tar' => qr/[Tt]runcated/, $none->(length($a) + 1024) => qr/no tar header/});
try('a name twice', {'a.tar' => tar_member('x.log', $one) . tar_member('x.log', $two) . tar_member('./x.log', $one) . $end},
	{'a.tar/x.log' => $one, 'a.tar/x.log (2)' => $two, 'a.tar/x.log (3)' => $one}, {});
try('ways out of the folder', {'a.tar' => tar_member('../../etc/passwd', $one) . tar_member('/etc/shadow', $two) . $end},
	{'a.tar/\x2E\x2E/\x2E\x2E/etc/passwd' => $one, 'a.tar/etc/shadow' => $two}, {});
ok(!-e "$folder/etc", 'nothing is written anywhere');
try('links, folders and devices', {'a.tar' => tar_header('d', 0, '5') . tar_header('s', 0, '2', '/etc/passwd')
	. tar_header('h', 0, '1', 'node-1/rank-1.log') . tar_header('n', 0, '3') .
		tar_header('f', 0, '6') . $b . $end}, {'a.tar/node-1/rank-1.log' => $two}, {});
try('files of no bytes', {'a.tar' => tar_member('empty', '') . $b . $end, 'empty.log' => '', 'empty.tar' => "\0" x 10240},
	{'a.tar/empty' => '', 'a.tar/node-1/rank-1.log' => $two,
	'empty.log' => '', 'empty.tar' => ''}, {});
try('a size beyond the file', {'a.tar' => tar_header('x.log', 8589934591) . $one},
	{'a.tar' => '', 'a.tar/x.log' => [$one, length $one]}, {'a.tar' => qr/[Tt]runcated/, 'a.tar/x.log' => qr/[Tt]runcated/});
try('names that are no text', {'a.tar' => tar_member("caf\xe9.log", $one) . $b . $end},
	{'a.tar/caf\xE9.log' => $one, 'a.tar/node-1/rank-1.log' => $two}, {});
try('an archive in an archive', {'a.tar' => tar_member('b.tar', $b . $end) . tar_member('c.log', $two) . $end},
	{'a.tar/b.tar' => $b . $end, 'a.tar/c.log' => $two},
	{'a.tar/b.tar' => qr/an archive inside an archive is not unpacked/});
try('a compressed archive in an archive', {'a.tar' => tar_member('b.tgz', packed('gz', $b . $end)) . $end},
	{'a.tar/b.tgz' => $b . $end}, {'a.tar/b.tgz' => qr/an archive inside an archive/});
try('binary bytes with a head of tar', {'a.tar' => $a . join('', map { chr(($_ * 7919 >> 3) & 255) } 1 .. 4096) . $c . $end},
	{'a.tar/node-0/rank-0.log' => $one, $none->(length $a) => join('', map { chr(($_ * 7919 >> 3) & 255) } 1 .. 4096)
		=~ s/\0+$//r, 'a.tar/node-2/rank-2.log' => $one}, {$none->(length $a) => qr/no tar header/});

# Paths that no file system has: shortened; a layout that matches in too many ways: left out. The import goes on either way.
{
	my $path = 'node-0/' . 'rank-0' x 150000 . '.log';
	my $job = 'hostile-path';
	write_file("$folder/$job/a.tar", long_member($path, $one) . $b . $end);
	$node->safe_psql('postgres', "SELECT l4_register_job('$job', '{}', 'failed')");
	my ($code, $out, $err) = $node->psql('postgres', "CALL l4_import('$job', '$folder/$job')");
	is($code, 0, 'a path of 900 kB: the import ends well') or diag(substr($err, 0, 1000));
	$archives++;
	$members += 2;
	is($node->safe_psql('postgres', "SELECT count(*), sum(line_count), max(length(source)) < 5000 FROM l4_stream
		WHERE job_id = '$job'"), '2|5000|t', 'both members are there');
}
{
	my $layout = '*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*-{rank}.log';
	my $name = 'a' x 95;
	my $job = 'hostile-layout';
	write_file("$folder/$job/$name.log", $one);
	write_file("$folder/$job/node-1/rank-1.log", $two);
	$node->safe_psql('postgres', "SELECT l4_register_job('$job', '{}', 'failed')");
	my ($code, $out, $err) = $node->psql('postgres', "CALL l4_import('$job', '$folder/$job', '$layout')");
	is($code, 0, 'a layout of many *: the import ends well') or diag(substr($err, 0, 1000));
	like($err, qr/WARNING:.*\Q$name\E.*\n.*the layout takes too many steps/, 'a warning says which file it is');
	is($node->safe_psql('postgres', "SELECT source, kind, node, rank, state, error IS NOT NULL, line_count FROM l4_stream
		WHERE job_id = '$job' ORDER BY line_count"),
		"node-1/rank-1.log|rank|node-1|1|imported|f|2000\n$name.log|other|||imported|t|3000",
			'all lines are there, and a row says so');
	($code, $out, $err) = $node->psql('postgres', "CALL l4_import('$job', '$folder/$job', '$layout')");
	like($err, qr/from 0 files; 2 unchanged, 0 unreadable/, 'what was read with a remark is not read again');
}

# Sparse members, by tar itself.
SKIP:
{
	skip 'tar makes no sparse files',
		3 if system("cd $folder && mkdir sparse && printf 'begin\\n' > sparse/x.log && truncate -s 1000000 sparse/x.log && "
		. "printf 'middle\\n' >> sparse/x.log && truncate -s 3000000 sparse/x.log && tar -cSf sparse.tar sparse") != 0;
	try('a sparse member', {'a.tar' => read_file("$folder/sparse.tar")},
		{'a.tar/sparse/x.log' => read_file("$folder/sparse/x.log")}, {});
}

# ---------- zip ----------

SKIP:
{
	skip 'no zip', 3 if system('command -v zip >/dev/null 2>&1') != 0;
	write_file("$folder/zip/node-0/rank-0.log", $one);
	write_file("$folder/zip/node-1/rank-1.log.gz", packed('gz', $two));
	system_or_bail('sh', '-c', "cd '$folder/zip' && zip -qr ../a.zip .");
	my $zip = read_file("$folder/a.zip");
	my %inside = ('a.zip/node-0/rank-0.log' => $one, 'a.zip/node-1/rank-1.log.gz' => $two);
	try('a zip archive with a compressed member', {'a.zip' => $zip}, \%inside, {});
	my $hurt = $zip;
	my $inside = index($hurt, 'rank-0.log') + 2000;
	substr($hurt, $inside, 4) = "\xff\0\xff\0";
	try('a zip archive with a damaged member', {'a.zip' => $hurt}, {%inside, 'a.zip/node-0/rank-0.log' => [$one, 1000, 1000]},
		{'a.zip/node-0/rank-0.log' => qr/zip archive/});
}

note("$archives archives, $members members, $remarks of them with a word on what is wrong");
$node->stop;
done_testing();
