/*
 * aggregate_state.h: what the states of l4's aggregates share: text form, memory budget, checked reading of bytes that
 * anybody may have written.
 */
#ifndef L4_AGGREGATE_STATE_H
#define L4_AGGREGATE_STATE_H

#include "ground/l4.h"
#include "fmgr.h"
#include "utils/expandeddatum.h"

/* A position in bytes that are not trusted. Every read checks what is left and raises 22P03. */
typedef struct L4StateReader
{
	const char *next;
	const char *end;
	const char *type_name;		/* for messages */
} L4StateReader;

/* A state that is an expanded object and travels flat: what the functions below need to know of it. */
typedef struct L4StateType
{
	const char *name;			/* of the SQL type */
	const ExpandedObjectMethods *methods;
	/*
	 * A state, in a memory context of its own below parent, from bytes that anybody may have written; 22P03 for bytes that are
	 * none.
	 */
	ExpandedObjectHeader *(*parse) (MemoryContext parent, const char *data, Size size);
} L4StateType;

/* The bodies of the type's input and receive functions: a flat state that was parsed once to see that it is one. */
extern Datum state_input(FunctionCallInfo fcinfo, const L4StateType *type);
extern Datum state_receive(FunctionCallInfo fcinfo, const L4StateType *type);

/*
 * The state behind an argument: itself where it is expanded, else parsed below parent. One that may not be changed is copied if
 * it is to be written to.
 */
extern ExpandedObjectHeader *state_fetch(Datum datum, MemoryContext parent, bool writable, const L4StateType *type);

/* A flat state from its Base64. Checks nothing but that. */
extern bytea *state_from_text(const char *text, const char *type_name);

/* The bodies of a state type's output and send functions, and what its receive function got; whoever calls checks the bytes. */
extern Datum state_output(FunctionCallInfo fcinfo);
extern Datum state_send(FunctionCallInfo fcinfo);
extern bytea *state_received(FunctionCallInfo fcinfo);

/* Raises 22P03: the bytes are no valid state. */
pg_noreturn extern void state_corrupt(const L4StateReader *reader, const char *detail);

/* Copies the next size bytes to target. */
extern void state_read(L4StateReader *reader, void *target, Size size);

/* The next size bytes where they are. */
extern const char *state_read_bytes(L4StateReader *reader, Size size);

/* Raises 22P03 unless all bytes were read. */
extern void state_read_end(const L4StateReader *reader);

/* Raises 53400, naming both numbers, if more than maintenance_work_mem is needed. */
extern void state_check_budget(uint64 needed, const char *function_name);

/* Raises 54000 if a flat state would not fit into a value; else returns the size. */
extern Size state_check_flat(uint64 size, const char *type_name);

/* The aggregate's memory context; an error outside of an aggregate. */
extern MemoryContext state_context(FunctionCallInfo fcinfo, const char *function_name);

/*
 * A context below parent for the states of all groups. An expanded object should have one of its own, but with as many contexts
 * as groups, hash aggregation, which for each new group adds up what all contexts take, needs time in proportion to the square
 * of their number. Only for states that nobody deletes: transition and combine functions that return the very object they got,
 * and that refuse to be called by anything but an aggregate.
 */
extern MemoryContext state_shared_context(MemoryContext parent);

#endif							/* L4_AGGREGATE_STATE_H */
