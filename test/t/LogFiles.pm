# Log files that a test writes for the import to read.
package LogFiles;
use strict;
use warnings;
use Exporter 'import';
use File::Basename qw(dirname);
use File::Path qw(make_path);

our @EXPORT_OK = qw(write_file);

# Writes the bytes to the path, in place of what it held; makes the folders above it.
sub write_file
{
	my ($path, $content) = @_;
	make_path(dirname($path));
	open my $file, '>:raw', $path or die "$path: $!";
	print $file $content;
	close $file;
}

1;
