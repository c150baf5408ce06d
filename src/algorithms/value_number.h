/*
 * value_number.h: the number that the value of a parameter is.
 */
#ifndef L4_VALUE_NUMBER_H
#define L4_VALUE_NUMBER_H

#include "ground/l4.h"

/*
 * The number that a value is: sign, up to 15 digits, fraction, exponent, then a unit of up to three letters or %. Exact as the
 * server's own input. False where it is none. Cost: some ten nanoseconds.
 */
extern bool value_number(L4Bytes value, double *number);

#endif							/* L4_VALUE_NUMBER_H */
