/*
 * exchanges.h: who is slow among those who exchange with each other, all with all (the tokens of experts).
 */
#ifndef L4_EXCHANGES_H
#define L4_EXCHANGES_H

#include "algorithms/step_phases.h"

/* An exchange, as one of its members sees it. */
typedef struct L4Exchange
{
	double		began;			/* when it sent for the first time */
	double		since;			/* when all that it sent and got in the exchange before was through; NAN before the first */
	double		got;			/* bytes that it got in the exchange before */
	int32		step;			/* from 1; 0: what is between since and began is not computing alone */
	int32		turn;			/* which one of those that begin in its step, from 0 */
} L4Exchange;

/*
 * The exchanges of one accelerator, whose sorted messages these are, of so many peers: one begins where it sends again to whom
 * it has sent in the one before, behind a silence that is not short beside the others of more than `pause`. Messages of the
 * first `others` of the peers (0 or 1) are no exchange: where such comes amid, it may have been waited for. ends, closes: of
 * its steps, as for step_work.
 * exchanges has room for count of them; returns how many there are. Time: O(n log n).
 */
extern int64 exchanges_of(const L4StepMessage *messages, int64 count, int32 peers, int32 others, double pause,
						  const double *ends, const double *closes, int64 steps, L4Exchange *exchanges);

/* One of those who exchange with each other. */
typedef struct L4ExchangeMember
{
	const L4Exchange *exchanges;
	int64		count;
	int32		server;			/* from 0, less than there are members */
} L4ExchangeMember;

/*
 * For each member and each of `steps` steps (behind: member * steps + step, from 0) the logarithm of what it computes until it
 * sends over what is usual in the same exchange, or over that and what it usually needs itself in the same turn of its other
 * steps, whichever is more: that by which it is late in three quarters of the exchanges of the step; NAN where fewer than three
 * tell. Time: O(n log n), n: of all exchanges of all members.
 */
extern void exchanges_behind(const L4ExchangeMember *members, int32 count, int64 steps, double *behind);

#endif							/* L4_EXCHANGES_H */
