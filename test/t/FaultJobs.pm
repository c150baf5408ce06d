# The small jobs of test/data/faults in a database: two that succeeded, two whose coolant pump stalls, one out of memory.
package FaultJobs;
use strict;
use warnings;
use Cwd qw(abs_path);
use Exporter 'import';
use File::Basename qw(dirname);

our @EXPORT_OK = qw(load_fault_jobs);

# Creates a database with the extension and imports the jobs.
sub load_fault_jobs
{
	my ($node, $database) = @_;
	my $data = abs_path(dirname(__FILE__) . '/../data/faults');
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE EXTENSION l4');
	for my $job (qw(ok-1 ok-2 pump-1 pump-2 oom))
	{
		my $status = $job =~ /^ok/ ? 'succeeded' : 'failed';
		$node->safe_psql($database, qq{
			SELECT l4_register_job('$job', '{"model": "m-8", "framework": "f 1.0"}', '$status', '{node-a,node-b,node-c,node-d}',
				1);
			CALL l4_import('$job', '$data/$job');});
	}
}

1;
