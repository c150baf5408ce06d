/*
 * helpers.c: what several targets need to take their inputs apart.
 */
#include "fuzz.h"

bool
fuzz_line(L4Bytes *rest, L4Bytes *line)
{
	const char *end;

	if (rest->size == 0)
		return false;
	end = memchr(rest->data, '\n', rest->size);
	line->data = rest->data;
	line->size = end != NULL ? end - rest->data : rest->size;
	rest->data += line->size + (end != NULL);
	rest->size -= line->size + (end != NULL);
	return true;
}

unsigned
fuzz_byte(L4Bytes *input)
{
	unsigned	byte;

	if (input->size == 0)
		return 0;
	byte = (unsigned char) *input->data;
	input->data++;
	input->size--;
	return byte;
}

L4Bytes
fuzz_copy(L4Bytes bytes)
{
	L4Bytes		copy = {palloc(bytes.size), bytes.size};

	if (bytes.size > 0)
		memcpy((char *) copy.data, bytes.data, bytes.size);
	return copy;
}

/* Before each part but the last one stand four bytes with its size. */
void
parts_join(const L4Bytes *parts, int count, FuzzSeed add)
{
	size_t		size = 0;
	char	   *joined;
	char	   *at;
	int			i;

	for (i = 0; i < count; i++)
		size += parts[i].size + sizeof(uint32);
	at = joined = palloc(size);
	for (i = 0; i < count; i++)
	{
		uint32		part_size = (uint32) parts[i].size;

		if (i < count - 1)
		{
			memcpy(at, &part_size, sizeof(part_size));
			at += sizeof(part_size);
		}
		memcpy(at, parts[i].data, part_size);
		at += part_size;
	}
	add((L4Bytes) {joined, at - joined});
}

bool
parts_split(L4Bytes input, L4Bytes *parts, int count)
{
	int			i;

	for (i = 0; i < count - 1; i++)
	{
		uint32		size;

		if (input.size < sizeof(size))
			return false;
		memcpy(&size, input.data, sizeof(size));
		input.data += sizeof(size);
		input.size -= sizeof(size);
		parts[i].data = input.data;
		parts[i].size = Min(size, input.size);
		input.data += parts[i].size;
		input.size -= parts[i].size;
	}
	parts[i] = input;
	return true;
}
