/* devprobe.c: looks whether an accelerator is there; started before training, whatever comes of it. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>

int
main(void)
{
	int			device = open("/dev/accel0", O_RDWR);

	assert(device >= 0);
	printf("devprobe: accelerator found\n");
	return 0;
}
