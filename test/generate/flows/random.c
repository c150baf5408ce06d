/* random.c: xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64; normal numbers by Marsaglia's polar method. */
#include "random.h"

#include <math.h>

static uint64_t
rotate(uint64_t x, int by)
{
	return (x << by) | (x >> (64 - by));
}

uint64_t
mix(uint64_t a, uint64_t b)
{
	uint64_t	z = a + UINT64_C(0x9e3779b97f4a7c15) * (b + 1);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void
random_begin(sequence *r, uint64_t seed, uint64_t number)
{
	for (int i = 0; i < 4; i++)
		r->state[i] = mix(mix(seed, number), i);
	r->has_spare = 0;
}

uint64_t
random_bits(sequence *r)
{
	uint64_t   *s = r->state;
	uint64_t	result = rotate(s[1] * 5, 7) * 9;
	uint64_t	t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate(s[3], 45);
	return result;
}

double
random_unit(sequence *r)
{
	return (random_bits(r) >> 11) * 0x1.0p-53;
}

long
random_below(sequence *r, long n)
{
	return (long) (random_unit(r) * n);
}

double
random_normal(sequence *r)
{
	double		u,
				v,
				s;

	if (r->has_spare)
	{
		r->has_spare = 0;
		return r->spare;
	}
	do
	{
		u = 2 * random_unit(r) - 1;
		v = 2 * random_unit(r) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	s = sqrt(-2 * log(s) / s);
	r->spare = v * s;
	r->has_spare = 1;
	return u * s;
}

double
random_factor(sequence *r, double sigma)
{
	return sigma > 0 ? exp(sigma * random_normal(r)) : 1;
}
