/*
 * segment_support.c: l4_segment_support: the planner support function that keeps a filter on records from opening segments that
 * cannot hold any.
 *
 * A filter on a record's time, line, stream, shape or event says something of the segment the record comes from, which states
 * the range of its times and lines and lists its streams and shapes. The planner cannot know that: to it the records are the
 * output of a function. It asks that function's support function for an estimate when the filters of all tables are known and
 * no plan is made yet. Here the answer is "none of my own", but the filters are looked through, and what follows from them is
 * added to the filters of the segments' table:
 *
 *   ts >= x          last_ts >= x          (and what else a range says, also of line_no)
 *   shape_id = x     x = ANY (shape_ids)   (also of stream_id)
 *   event_id = x     shape_ids && l4_event_shapes(x), where records are joined with l4_shape
 *
 * These follow from the query, so they change no result, only which segments are opened; EXPLAIN shows them. The same bounds of
 * time are passed on to l4_segment_records, and the wish for texts is dropped where no column of text is used, so that fewer
 * records are expanded.
 *
 * What opening a segment costs is charged to the scan of segments.
 *
 * Nothing is done where records and segments do not stand on the same side of an outer join.
 */
#include "ground/l4.h"

#include "access/stratnum.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "optimizer/restrictinfo.h"
#include "parser/parse_coerce.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"

#include "bindings/record_row.h"

PG_FUNCTION_INFO_V1(l4_segment_support);

/* Arguments of l4_segment_records, from 0. */
#define ARGUMENT_WITH_TEXT 4
#define ARGUMENT_EARLIEST 5
#define ARGUMENT_LATEST 6
/* Columns from here on are texts, which with_text => false leaves out. */
#define FIRST_TEXT_COLUMN (RECORD_ROW_COLUMNS + 1)

/* What is looked at: a scan of a function over the rows of l4_segment. */
typedef struct SegmentScan
{
	PlannerInfo *root;
	FuncExpr   *function;
	RelOptInfo *records;
	RelOptInfo *segments;
	Oid			segment_table;
	bool		added;
} SegmentScan;

/* ---- the two relations ---- */

static RelOptInfo *
records_of(PlannerInfo *root, const FuncExpr *function)
{
	int			i;

	for (i = 1; i < root->simple_rel_array_size; i++)
	{
		RangeTblEntry *entry = root->simple_rte_array[i];

		if (root->simple_rel_array[i] != NULL && entry->rtekind == RTE_FUNCTION && list_length(entry->functions) == 1 &&
			((RangeTblFunction *) linitial(entry->functions))->funcexpr == (Node *) function)
			return root->simple_rel_array[i];
	}
	return NULL;
}

/* The base relation that the function's first argument is a column of, where it is a table with the columns of l4_segment. */
static RelOptInfo *
segments_of(PlannerInfo *root, const FuncExpr *function, Oid *table)
{
	Var		   *first = linitial(function->args);
	RangeTblEntry *entry;

	if (!IsA(first, Var) || first->varlevelsup != 0 || first->varno >= root->simple_rel_array_size)
		return NULL;
	entry = root->simple_rte_array[first->varno];
	if (entry == NULL || entry->rtekind != RTE_RELATION || root->simple_rel_array[first->varno] == NULL ||
		root->simple_rel_array[first->varno]->reloptkind != RELOPT_BASEREL)
		return NULL;
	*table = entry->relid;
	if (get_attnum(entry->relid, "first_ts") == InvalidAttrNumber || get_attnum(entry->relid, "shape_ids") == InvalidAttrNumber)
		return NULL;
	return root->simple_rel_array[first->varno];
}

/* Do both stand on the same side of every outer, semi and anti join, as far as that side can be filled with NULL? */
static bool
stand_together(const SegmentScan *scan)
{
	ListCell   *cell;

	foreach(cell, scan->root->join_info_list)
	{
		SpecialJoinInfo *join = lfirst(cell);

		if (bms_is_member(scan->records->relid, join->syn_righthand) !=
			bms_is_member(scan->segments->relid, join->syn_righthand))
			return false;
		if (join->jointype == JOIN_FULL &&
			bms_is_member(scan->records->relid, join->syn_lefthand) != bms_is_member(scan->segments->relid, join->syn_lefthand))
			return false;
	}
	return true;
}

/* ---- what follows ---- */

static Var *
segment_var(const SegmentScan *scan, const char *name)
{
	AttrNumber	number = get_attnum(scan->segment_table, name);
	Oid			type;
	int32		modifier;
	Oid			collation;

	if (number == InvalidAttrNumber)
		return NULL;
	get_atttypetypmodcoll(scan->segment_table, number, &type, &modifier, &collation);
	return makeVar(scan->segments->relid, number, type, modifier, collation, 0);
}

static void
add_clause(SegmentScan *scan, Expr *clause, const RestrictInfo *from)
{
	scan->segments->baserestrictinfo = lappend(scan->segments->baserestrictinfo,
											   l4_make_restrictinfo(scan->root, clause, from->security_level));
	scan->segments->baserestrict_min_security = Min(scan->segments->baserestrict_min_security, from->security_level);
	scan->added = true;
}

/* column <operator of the strategy> value */
static void
add_comparison(SegmentScan *scan, const char *column, int strategy, Oid family, Node *value, const RestrictInfo *from)
{
	Var		   *var = segment_var(scan, column);
	Oid			operator = var == NULL ? InvalidOid : get_opfamily_member(family, var->vartype, exprType(value), strategy);

	if (OidIsValid(operator))
		add_clause(scan,
				   make_opclause(operator, BOOLOID, false, (Expr *) var, copyObject((Expr *) value), InvalidOid, InvalidOid),
				   from);
}

/* value = ANY (column) */
static void
add_membership(SegmentScan *scan, const char *column, Oid family, Node *value, const RestrictInfo *from)
{
	Var		   *var = segment_var(scan, column);
	ScalarArrayOpExpr *clause;
	Oid			operator = var == NULL ? InvalidOid
		: get_opfamily_member(family, exprType(value), INT8OID, BTEqualStrategyNumber);

	if (!OidIsValid(operator))
		return;
	clause = makeNode(ScalarArrayOpExpr);
	clause->opno = operator;
	clause->opfuncid = get_opcode(operator);
	clause->useOr = true;
	clause->args = list_make2(copyObject(value), var);
	clause->location = -1;
	add_clause(scan, (Expr *) clause, from);
}

/* Passes a bound of time on to the function, where the caller of the function has left it open. */
static void
pass_bound(SegmentScan *scan, int argument, Node *value)
{
	ListCell   *cell;
	Const	   *open;

	if (list_length(scan->function->args) <= argument || exprType(value) != TIMESTAMPTZOID)
		return;
	cell = list_nth_cell(scan->function->args, argument);
	open = lfirst(cell);
	if (IsA(open, Const) && !open->constisnull && open->consttype == TIMESTAMPTZOID &&
		TIMESTAMP_NOT_FINITE(DatumGetTimestampTz(open->constvalue)))
		lfirst(cell) = copyObject(value);
}

/* A comparison of a column that lies in a range which the segment states. */
static void
derive_range(SegmentScan *scan, const char *first, const char *last, int strategy, Oid family, Node *value,
			 const RestrictInfo *from)
{
	if (strategy == BTLessStrategyNumber || strategy == BTLessEqualStrategyNumber)
		add_comparison(scan, first, strategy, family, value, from);
	else if (strategy == BTGreaterStrategyNumber || strategy == BTGreaterEqualStrategyNumber)
		add_comparison(scan, last, strategy, family, value, from);
	else
	{
		add_comparison(scan, first, BTLessEqualStrategyNumber, family, value, from);
		add_comparison(scan, last, BTGreaterEqualStrategyNumber, family, value, from);
	}
}

static void
derive_time(SegmentScan *scan, int strategy, Oid family, Node *value, const RestrictInfo *from)
{
	derive_range(scan, "first_ts", "last_ts", strategy, family, value, from);
	if (strategy >= BTEqualStrategyNumber)
		pass_bound(scan, ARGUMENT_EARLIEST, value);
	if (strategy <= BTEqualStrategyNumber)
		pass_bound(scan, ARGUMENT_LATEST, value);
}

/* ---- the filters ---- */

/*
 * Is the clause "column of rel <btree operator> value", either way round, the value being the same for all rows? Sets the rest,
 * the strategy as if the column stood left.
 */
static bool
split_comparison(const RestrictInfo *restriction, Index relid, AttrNumber *column, int *strategy, Oid *family,
				 Node **value)
{
	OpExpr	   *clause = (OpExpr *) restriction->clause;
	Node	   *left;
	Node	   *right;
	Oid			operator;
	TypeCacheEntry *type;

	if (!IsA(clause, OpExpr) || list_length(clause->args) != 2)
		return false;
	left = strip_implicit_coercions(linitial(clause->args));
	right = strip_implicit_coercions(lsecond(clause->args));
	operator = clause->opno;
	if (!(IsA(left, Var) && ((Var *) left)->varno == relid))
	{
		Node	   *other = left;

		left = right;
		right = other;
		operator = get_commutator(operator);
	}
	if (!OidIsValid(operator) || !IsA(left, Var) || ((Var *) left)->varno != relid || ((Var *) left)->varlevelsup != 0)
		return false;
	if (contain_var_clause(right) || contain_volatile_functions(right) || contain_subplans(right))
		return false;
	type = lookup_type_cache(exprType(left), TYPECACHE_BTREE_OPFAMILY);
	*column = ((Var *) left)->varattno;
	*family = type->btree_opf;
	*strategy = OidIsValid(*family) ? get_op_opfamily_strategy(operator, *family) : 0;
	*value = right;
	return *strategy != 0;
}

static void
derive_from(SegmentScan *scan, const RestrictInfo *restriction)
{
	AttrNumber	column;
	int			strategy;
	Oid			family;
	Node	   *value;

	if (!split_comparison(restriction, scan->records->relid, &column, &strategy, &family, &value))
		return;
	if (column == RECORD_ROW_TS)
		derive_time(scan, strategy, family, value, restriction);
	else if (column == RECORD_ROW_LINE_NO)
		derive_range(scan, "first_line", "last_line", strategy, family, value, restriction);
	else if (column == RECORD_ROW_STREAM_ID && strategy == BTEqualStrategyNumber)
		add_membership(scan, "stream_ids", family, value, restriction);
	else if (column == RECORD_ROW_SHAPE_ID && strategy == BTEqualStrategyNumber)
		add_membership(scan, "shape_ids", family, value, restriction);
}

/* ---- events ---- */

/* The relation joined with the records by shape_id that is a table with the columns of l4_shape. */
static RelOptInfo *
shapes_of(const SegmentScan *scan)
{
	ListCell   *class_cell;
	ListCell   *cell;

	foreach(class_cell, scan->root->eq_classes)
	{
		EquivalenceClass *class = lfirst(class_cell);
		RelOptInfo *shapes = NULL;
		bool		ours = false;

		foreach(cell, class->ec_members)
		{
			Var		   *var = (Var *) ((EquivalenceMember *) lfirst(cell))->em_expr;
			RangeTblEntry *entry;

			if (!IsA(var, Var) || var->varlevelsup != 0)
				continue;
			entry = scan->root->simple_rte_array[var->varno];
			if (var->varno == scan->records->relid)
				ours = ours || var->varattno == RECORD_ROW_SHAPE_ID;
			else if (entry->rtekind == RTE_RELATION && get_attnum(entry->relid, "shape_id") == var->varattno &&
					 get_attnum(entry->relid, "event_id") != InvalidAttrNumber &&
					 get_attnum(entry->relid, "shape") != InvalidAttrNumber)
				shapes = scan->root->simple_rel_array[var->varno];
		}
		if (ours && shapes != NULL)
			return shapes;
	}
	return NULL;
}

/* shape_ids && l4_event_shapes(event) */
static void
add_event(SegmentScan *scan, Node *event, const RestrictInfo *from)
{
	Oid			schema = get_func_namespace(scan->function->funcid);
	Oid			argument = INT8OID;
	Oid			function = LookupFuncName(list_make2(makeString(get_namespace_name(schema)), makeString("l4_event_shapes")), 1,
										  &argument, true);
	Var		   *var = segment_var(scan, "shape_ids");
	Node	   *wide = coerce_to_target_type(NULL, copyObject(event), exprType(event), INT8OID, -1, COERCION_IMPLICIT,
											 COERCE_IMPLICIT_CAST, -1);
	FuncExpr   *call;

	if (!OidIsValid(function) || var == NULL || wide == NULL)
		return;
	call = makeFuncExpr(function, INT8ARRAYOID, list_make1(wide), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	add_clause(scan, make_opclause(OID_ARRAY_OVERLAP_OP, BOOLOID, false, (Expr *) var, (Expr *) call, InvalidOid, InvalidOid),
			   from);
}

static void
derive_events(SegmentScan *scan)
{
	RelOptInfo *shapes = shapes_of(scan);
	ListCell   *cell;

	if (shapes == NULL)
		return;
	foreach(cell, shapes->baserestrictinfo)
	{
		const RestrictInfo *restriction = lfirst(cell);
		Oid			table = scan->root->simple_rte_array[shapes->relid]->relid;
		AttrNumber	column;
		int			strategy;
		Oid			family;
		Node	   *value;

		if (split_comparison(restriction, shapes->relid, &column, &strategy, &family, &value) &&
			column == get_attnum(table, "event_id") && strategy == BTEqualStrategyNumber)
			add_event(scan, value, restriction);
	}
}

/* ---- texts ---- */

/* Is any column of text used, in the output, in a join, or in a filter? */
static bool
needs_text(const SegmentScan *scan)
{
	const RelOptInfo *records = scan->records;
	Bitmapset  *filtered = NULL;
	ListCell   *cell;
	int			column;

	foreach(cell, records->baserestrictinfo)
		pull_varattnos((Node *) ((RestrictInfo *) lfirst(cell))->clause, records->relid, &filtered);
	/* expressions below an outer join are made here: their columns count nowhere else */
	pull_varattnos((Node *) records->reltarget->exprs, records->relid, &filtered);
	for (column = 0; column <= records->max_attr; column++)
		if (column == 0 || column >= FIRST_TEXT_COLUMN)
			if (!bms_is_empty(records->attr_needed[column - records->min_attr]) ||
				bms_is_member(column - FirstLowInvalidHeapAttributeNumber, filtered))
				return true;
	return false;
}

static void
drop_text(SegmentScan *scan)
{
	ListCell   *cell = list_nth_cell(scan->function->args, ARGUMENT_WITH_TEXT);
	Const	   *wish = lfirst(cell);

	if (IsA(wish, Const) && wish->consttype == BOOLOID && !wish->constisnull && !needs_text(scan))
		lfirst(cell) = makeBoolConst(false, false);
}

/*
 * Charges the opening of a segment to the scan of its row. The planner takes a function that is called for each row of a table
 * to cost something for the first row alone, and so would open thousands of segments where it could leave them out first, and
 * in one process.
 */
static void
charge_segments(SegmentScan *scan)
{
	QualCost	cost = {0, 0};

	add_function_cost(scan->root, scan->function->funcid, (Node *) scan->function, &cost);
	scan->segments->reltarget->cost.per_tuple += cost.startup + cost.per_tuple;
}

/*
 * l4_segment_support(internal): see the head of this file. Does nothing for other requests, and where the function is not
 * called on columns of l4_segment.
 */
Datum
l4_segment_support(PG_FUNCTION_ARGS)
{
	SupportRequestRows *request = (SupportRequestRows *) PG_GETARG_POINTER(0);
	SegmentScan scan = {0};
	ListCell   *cell;

	if (!IsA(request, SupportRequestRows) || request->root == NULL || !IsA(request->node, FuncExpr))
		PG_RETURN_POINTER(NULL);
	scan.root = request->root;
	scan.function = (FuncExpr *) request->node;
	scan.records = records_of(scan.root, scan.function);
	if (scan.records == NULL)
		PG_RETURN_POINTER(NULL);
	if (list_length(scan.function->args) > ARGUMENT_LATEST)
		drop_text(&scan);
	scan.segments = segments_of(scan.root, scan.function, &scan.segment_table);
	if (scan.segments == NULL || !stand_together(&scan))
		PG_RETURN_POINTER(NULL);
	foreach(cell, scan.records->baserestrictinfo)
		derive_from(&scan, lfirst(cell));
	derive_events(&scan);
	if (scan.added)
		set_baserel_size_estimates(scan.root, scan.segments);
	charge_segments(&scan);
	PG_RETURN_POINTER(NULL);
}
