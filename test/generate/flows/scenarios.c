/*
 * scenarios.c: named scenarios: options, which those of the command line may change. Where a shape is given several times, the
 * jobs have them in turn.
 */
#include "flows.h"

#include <string.h>

#define EIGHT \
	" --jobs 8 --idle 3 --shape dp4,pp2,tp8,micro8,step1.6 --shape dp8,pp4,tp4,micro16,step2.4" \
	" --shape dp4,pp8,tp4,micro16,step2,split2 --shape dp16,tp4,buckets6,step1.2,micro2" \
	" --shape dp8,pp2,tp4,micro8,step1.8,zero1" \
	" --shape dp4,pp4,tp4,micro12,step2.8,overlap --shape dp8,pp2,tp2,micro8,step1.4 --shape dp4,pp4,tp8,micro8,step3"

#define SHARDED \
	" --jobs 2 --shape dp32,fsdp,buckets24,micro1,step2,data0.2 --shape dp16,tp4,fsdp,buckets16,micro2,step3,data0.15,pieces1"

static const struct
{
	const char *name;
	const char *options;
	const char *says;
} scenarios[] = {
	{"small", "--window 30 --nics 4 --pod 4 --shape dp4,pp2,tp2,micro8,step1", "one job on 16 accelerators of 4 servers"},
	{"clean8", "--window 60" EIGHT, "eight jobs of different shapes"},
	{"healthy", "--window 60 --jobs 6 --idle 2 --scatter --shape any --noise 50", "six jobs of any shape; the seed decides"},
	{"lossy", "--window 60 --loss 0.01 --jitter 0.02 --active-timeout 0.05 --clock-offset 0.0005 --duplicates 0.01" EIGHT,
		"records lost, cut, given twice, and clocks that are off"},
	{"noise", "--window 60 --noise 20000" EIGHT, "twenty thousand small flows a second beside eight jobs"},
	{"disordered", "--window 60 --out-of-order 2 --duplicates 0.02" EIGHT, "records in the order of their export"},
	{"merged", "--window 60 --idle-timeout 0.001" EIGHT, "messages that follow one another are one record"},
	{"bad", "--window 60 --bad 0.001 --noise 500" EIGHT, "records that cannot be right"},
	{"fsdp", "--window 60" SHARDED, "parameters sharded, gathered layer by layer"},
	{"hybrid", "--window 60 --jobs 2 --shape dp32,fsdp,shard16,buckets24,micro1,step2,data0.2"
		" --shape dp32,fsdp,shard8,buckets16,micro2,step3,data0.15", "parameters sharded among some, who have replicas"},
	{"experts", "--window 30 --jobs 2 --shape dp16,pp2,tp2,ep8,micro6,step1.5 --shape dp32,pp1,ep16,micro4,step1",
		"mixtures of experts"},
	{"contexts", "--window 30 --jobs 2 --shape dp4,pp2,tp4,cp4,micro6,step2 --shape dp4,pp2,tp8,cp2,micro4,step1.5",
		"long contexts in parts"},
	{"interleaved", "--window 60 --jobs 2 --shape dp4,pp4,tp4,virtual2,micro8,step2 --shape dp2,pp4,tp8,virtual3,micro12,step3",
		"virtual stages"},
	{"tree", "--window 60 --jobs 2 --shape dp16,pp2,tp4,tree,step1.5 --shape dp32,tp4,tree,buckets6,step2",
		"gradients along two binary trees"},
	{"hierarchical", "--window 60 --pod 4 --jobs 2 --shape dp16,pp2,tp4,hierarchical,step1.5"
		" --shape dp8,pp4,tp8,hierarchical,step2", "rings within pods, then across them"},
	{"zero_bubble", "--window 60 --jobs 2 --shape dp4,pp4,tp4,zerobubble,micro8,step2 --shape dp4,pp8,tp4,zerobubble,micro16",
		"the backward of the weights apart"},
	{"norm", "--window 60 --jobs 3 --shape dp4,pp4,tp4,norm --shape dp4,pp2,tp8,norm --shape dp8,pp4,tp2,norm",
		"a few bytes among the stages after each step"},
	{"pauses", "--window 120 --jobs 3 --shape dp4,pp4,tp4,eval10,checkpoint15,step1.5 --shape dp8,pp2,tp4,checkpoint20"
		" --shape dp4,pp2,tp8,eval12", "evaluations and checkpoints"},
	{"comings", "--window 120 --comes-and-goes" EIGHT, "jobs that begin and end in the window"},
	{"shared_servers", "--window 60 --shared-servers --jobs 6 --shape dp4,pp2,tp2,step1.2 --shape dp8,pp2,tp4,step1.7"
		" --shape dp8,pp2,tp4,step1.5", "two jobs on the same servers"},
	{"multi_tenant64", "--window 30 --scatter --jobs 64 --shape dp4,pp2,tp8,step3 --shape dp8,pp2,tp4,step2.5"
		" --shape dp4,pp4,tp4,step3.5"
		" --shape dp2,pp4,tp8,step4 --shape dp16,tp4,step2 --shape dp8,pp4,tp2,step3 --shape dp4,pp4,tp4,zerobubble,step4"
		" --shape dp16,pp2,tp2,step2.2", "64 jobs on 4,096 accelerators"},
	{"slow_accelerator", "--window 90 --fault slow_accelerator::0.2" EIGHT, "one accelerator computes 20 percent longer"},
	{"slow_sharded", "--window 80 --fault slow_accelerator::0.2" SHARDED, "the same where parameters are sharded"},
	{"slow_link", "--window 90 --fault slow_link::0.3" EIGHT, "30 percent less between two accelerators"},
	{"slow_nic", "--window 90 --fault slow_link:3>leaf-4:0.3" EIGHT, "30 percent less from a NIC to its switch"},
	{"slow_switch", "--window 90 --fault slow_switch::0.3" EIGHT, "30 percent less through a leaf switch"},
	{"slow_spine", "--window 90 --pod 4 --spines 4 --fault slow_switch:spine-2:0.3" EIGHT, "the same of a spine switch"},
	{"stalled", "--window 90 --fault stalled" EIGHT, "an accelerator sends no more: its job stands still"},
	{"dead", "--window 90 --fault dead_accelerator" EIGHT, "an accelerator dies: its job stops"},
	{"timeouts", "--window 90 --fault flapping:9:0.02:30:60 --fault dead_accelerator:9::60" EIGHT,
		"time-outs of a NIC, then its death"},
	{"big", "--window 600 --jobs 8 --shape dp8,pp4,tp4,micro12,buckets4,channels2,pieces4,step3.1"
		" --shape dp16,pp2,tp4,micro12,buckets4,channels2,pieces4,step2.7"
		" --shape dp4,pp4,tp8,micro12,buckets6,channels2,pieces4,step3.3"
		" --shape dp16,pp4,tp2,micro16,buckets5,channels2,pieces4,step4", "1,024 accelerators, ten minutes, ten million flows"},
	{"huge", "--window 600 --jobs 16 --shape dp8,pp4,tp8,micro16,buckets12,channels4,pieces4,step4"
		" --shape dp16,pp4,tp4,micro16,buckets8,channels4,pieces4,step4.4"
		" --shape dp32,pp2,tp4,micro16,buckets10,channels4,pieces4,step3.8", "4,096 accelerators, ten minutes, 10^8 flows"},
};

const char *
scenario_options(const char *name)
{
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (strcmp(scenarios[i].name, name) == 0)
			return scenarios[i].options;
	return NULL;
}

void
scenarios_list(void)
{
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		printf("%-18s %s\n", scenarios[i].name, scenarios[i].says);
}
