/*
 * home.c: on the node of a cluster that holds a job, queries about that job alone read and write its shards themselves.
 *
 * Citus plans a query on one job twice, once for the cluster and once, as a text that is parsed anew, for the shards; an import
 * and a diagnosis are some hundred small queries, of which this is most of the cost. Here a query is looked at before Citus
 * does: where each table of jobs in it is asked for the rows of this job alone, the tables are replaced by the shards, and the
 * server plans it at once. What is not understood is left to Citus, which is always right.
 *
 * Rows: a query concerns this job alone where each of its tables of jobs has "job_id = the job" among the conditions that all
 * of its rows must fulfil, or is joined by job_id to one that has. Shapes, events and pools, of which each node has a copy, are
 * read here; whatever changes or locks them goes by Citus, and in such a transaction all that reads them.
 *
 * Places: a shard stays where it is as long as a transaction holds a lock on it that Citus' own changes of rows take too
 * (l4_lock_on_cluster has Citus change nothing, for that lock). Who only reads has the shards locked against being dropped: of
 * one that moves away meanwhile he sees what it held then.
 */
#include "doors/home.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "parser/parsetree.h"
#include "parser/parse_relation.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "doors/store_session.h"
#include "doors/store_statement.h"

typedef enum TableKind
{
	OF_JOBS,
	SHARED,						/* a copy on each node */
	OF_OTHERS					/* any other one that Citus distributes */
} TableKind;

typedef struct HomeTable
{
	Oid			relation;
	Oid			shard;			/* invalid of others */
	TableKind	kind;
	AttrNumber	job_id;			/* of jobs: the column */
} HomeTable;

typedef struct Home
{
	char	   *job_id;			/* NULL: none is at home */
	bool		may_write;
	bool		shared_changed; /* in this transaction: copies may have been written by other sessions of it */
	int			table_count;
	HomeTable  *tables;
} Home;

static Home home;
static planner_hook_type previous_planner = NULL;
/* So many plans are being made, one for the other. */
static int	planning = 0;

/* A query that is looked at, within others. */
typedef struct Level
{
	Query	   *query;
	ParamListInfo parameters;
	Bitmapset  *of_job;			/* the tables in its range of which rows of the job alone are asked for */
	struct Level *outer;
} Level;

static bool concerns_job(Query *query, ParamListInfo parameters, Level *outer);

static const HomeTable *
home_table(Oid relation)
{
	int			i;

	for (i = 0; i < home.table_count; i++)
		if (home.tables[i].relation == relation)
			return &home.tables[i];
	return NULL;
}

/* The table that an entry of a range stands for, where it is one of those. */
static const HomeTable *
entry_table(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_RELATION ? home_table(entry->relid) : NULL;
}

/* ---------- does a query concern the job alone? ---------- */

static bool
is_job_name(Oid type, Datum value, bool is_null)
{
	char	   *name;
	bool		same;

	if (type != TEXTOID || is_null)
		return false;
	name = TextDatumGetCString(value);
	same = strcmp(name, home.job_id) == 0;
	pfree(name);
	return same;
}

/* Is an expression the name of the job: a constant, or an argument whose value is known? */
static bool
is_job(Node *node, ParamListInfo parameters)
{
	const ParamExternData *known;
	ParamExternData fetched;
	const Param *parameter = (Param *) node;

	if (node != NULL && IsA(node, Const))
		return is_job_name(((Const *) node)->consttype, ((Const *) node)->constvalue, ((Const *) node)->constisnull);
	if (node == NULL || !IsA(node, Param) || parameter->paramkind != PARAM_EXTERN || parameters == NULL ||
		parameter->paramid <= 0 || parameter->paramid > parameters->numParams)
		return false;
	known = parameters->paramFetch != NULL ? parameters->paramFetch(parameters, parameter->paramid, true, &fetched)
		: &parameters->params[parameter->paramid - 1];
	return (known->pflags & PARAM_FLAG_CONST) != 0 && is_job_name(known->ptype, known->value, known->isnull);
}

/* The entry whose job_id a variable of this or an outer query is, through the names that a join gives it; level becomes its. */
static int
job_id_of(Node *node, Level **level)
{
	const Var  *var = (Var *) node;
	const RangeTblEntry *entry;
	const HomeTable *table;
	Index		up;

	if (node == NULL || !IsA(node, Var))
		return 0;
	for (up = var->varlevelsup; up > 0 && *level != NULL; up--)
		*level = (*level)->outer;
	if (*level == NULL)
		return 0;
	entry = rt_fetch(var->varno, (*level)->query->rtable);
	if (entry->rtekind == RTE_JOIN && var->varattno > 0)
		return job_id_of(list_nth(entry->joinaliasvars, var->varattno - 1), level);
	table = entry_table(entry);
	return table != NULL && table->kind == OF_JOBS && var->varattno == table->job_id ? var->varno : 0;
}

/* Marks the entry that one side of an equation is, where the other side is the job, or of an entry that is marked. */
static void
mark_side(Level *level, Node *side, Node *other, const Bitmapset *may)
{
	Level	   *of_side = level;
	Level	   *of_other = level;
	int			entry = job_id_of(side, &of_side);
	int			marked = job_id_of(other, &of_other);

	if (entry == 0 || of_side != level || (may != NULL && !bms_is_member(entry, may)))
		return;
	if (is_job(other, level->parameters) || (marked > 0 && bms_is_member(marked, of_other->of_job)))
		level->of_job = bms_add_member(level->of_job, entry);
}

/* What conditions that all rows fulfil say; may: of these entries (NULL: of any). */
static void
mark_by_conditions(Level *level, Node *conditions, const Bitmapset *may)
{
	ListCell   *cell;

	if (conditions == NULL)
		return;
	if (IsA(conditions, List))
	{
		foreach(cell, (List *) conditions)
			mark_by_conditions(level, lfirst(cell), may);
	}
	else if (is_andclause(conditions))
		mark_by_conditions(level, (Node *) ((BoolExpr *) conditions)->args, may);
	else if (IsA(conditions, OpExpr) && get_opcode(((OpExpr *) conditions)->opno) == F_TEXTEQ)
	{
		List	   *sides = ((OpExpr *) conditions)->args;

		mark_side(level, linitial(sides), lsecond(sides), may);
		mark_side(level, lsecond(sides), linitial(sides), may);
	}
}

/* The entries below a part of FROM. */
static Bitmapset *
entries_below(Node *part)
{
	Bitmapset  *entries = NULL;
	ListCell   *cell;

	if (IsA(part, RangeTblRef))
		return bms_make_singleton(((RangeTblRef *) part)->rtindex);
	if (IsA(part, JoinExpr))
		return bms_join(entries_below(((JoinExpr *) part)->larg), entries_below(((JoinExpr *) part)->rarg));
	foreach(cell, castNode(FromExpr, part)->fromlist)
		entries = bms_join(entries, entries_below(lfirst(cell)));
	return entries;
}

/* What a part of FROM says. Of an outer join the condition leaves out rows of the side alone that may be missing. */
static void
mark_by_from(Level *level, Node *part)
{
	JoinExpr   *join = (JoinExpr *) part;
	ListCell   *cell;

	if (IsA(part, FromExpr))
	{
		foreach(cell, ((FromExpr *) part)->fromlist)
			mark_by_from(level, lfirst(cell));
		mark_by_conditions(level, ((FromExpr *) part)->quals, NULL);
	}
	else if (IsA(part, JoinExpr))
	{
		mark_by_from(level, join->larg);
		mark_by_from(level, join->rarg);
		if (join->jointype == JOIN_INNER)
			mark_by_conditions(level, join->quals, NULL);
		else if (join->jointype == JOIN_LEFT)
			mark_by_conditions(level, join->quals, entries_below(join->rarg));
		else if (join->jointype == JOIN_RIGHT)
			mark_by_conditions(level, join->quals, entries_below(join->larg));
	}
}

/* Is what goes into a column the name of the job, in each row? Also by way of the query that the rows come from. */
static bool
gives_job(Level *level, Node *value)
{
	const RangeTblEntry *entry;
	const Var  *var = (Var *) value;

	if (value == NULL || !IsA(value, Var))
		return is_job(value, level->parameters);
	entry = rt_fetch(var->varno, level->query->rtable);
	return var->varlevelsup == 0 && var->varattno > 0 && entry->rtekind == RTE_SUBQUERY &&
		entry->subquery->setOperations == NULL &&
		is_job((Node *) get_tle_by_resno(entry->subquery->targetList, var->varattno)->expr, level->parameters);
}

/* May the rows that a statement adds or changes be written here? */
static bool
may_change(Level *level)
{
	Query	   *query = level->query;
	const RangeTblEntry *entry = rt_fetch(query->resultRelation, query->rtable);
	const HomeTable *table = entry_table(entry);
	const TargetEntry *job_id;

	if (table == NULL || table->kind != OF_JOBS || !home.may_write)
		return false;
	if (query->commandType == CMD_UPDATE || query->commandType == CMD_DELETE)
		return true;			/* its rows are those that its conditions choose */
	job_id = query->commandType == CMD_INSERT ? get_tle_by_resno(query->targetList, table->job_id) : NULL;
	if (job_id == NULL || !gives_job(level, (Node *) job_id->expr))
		return false;
	level->of_job = bms_add_member(level->of_job, query->resultRelation);
	if (query->onConflict != NULL && query->onConflict->exclRelIndex > 0)
		level->of_job = bms_add_member(level->of_job, query->onConflict->exclRelIndex);
	return query->onConflict == NULL || !OidIsValid(query->onConflict->constraint);
}

/* Are all tables of the level those of the job, and none of others? */
static bool
only_job(Level *level)
{
	int			number = 0;
	ListCell   *cell;

	foreach(cell, level->query->rtable)
	{
		const HomeTable *table = entry_table(lfirst(cell));

		number++;
		if (table != NULL && (table->kind == OF_OTHERS || (table->kind == SHARED && home.shared_changed) ||
							  (table->kind == OF_JOBS && !bms_is_member(number, level->of_job))))
			return false;
	}
	foreach(cell, level->query->rowMarks)
	{
		const HomeTable *table = entry_table(rt_fetch(((RowMarkClause *) lfirst(cell))->rti, level->query->rtable));

		if (table != NULL && table->kind != OF_JOBS)
			return false;
	}
	return true;
}

static bool
concerns_others(Node *node, void *context)
{
	Level	   *level = context;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return !concerns_job((Query *) node, level->parameters, level);
	return expression_tree_walker(node, concerns_others, context);
}

/* A statement, and all queries in it. */
static bool
concerns_job(Query *query, ParamListInfo parameters, Level *outer)
{
	Level		level = {query, parameters, NULL, outer};
	int			before;

	check_stack_depth();
	if (query->commandType == CMD_UTILITY || query->commandType == CMD_MERGE)
		return false;
	do
	{
		before = bms_num_members(level.of_job);
		mark_by_from(&level, (Node *) query->jointree);
	} while (bms_num_members(level.of_job) > before);
	if (query->resultRelation > 0 && !may_change(&level))
		return false;
	return only_job(&level) && !query_tree_walker(query, concerns_others, &level, 0);
}

/* ---------- planning ---------- */

/* Puts the shards in the place of the tables. */
static bool
take_shards(Node *node, void *context)
{
	Query	   *query = (Query *) node;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, take_shards, context);
	foreach(cell, query->rtable)
	{
		RangeTblEntry *entry = lfirst(cell);
		const HomeTable *table = entry_table(entry);

		if (table == NULL)
			continue;
		LockRelationOid(table->shard, entry->rellockmode);
		l4_set_entry_relation(query, entry, table->shard);
	}
	return query_tree_walker(query, take_shards, context, 0);
}

/* What a statement, with all queries in it, has to do with the tables. */
typedef struct Look
{
	bool		any;
	bool		shared_changed;
} Look;

static bool
look_at(Node *node, void *context)
{
	Query	   *query = (Query *) node;
	Look	   *look = context;
	int			number = 0;
	ListCell   *cell;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, look_at, context);
	foreach(cell, query->rtable)
	{
		const HomeTable *table = entry_table(lfirst(cell));

		number++;
		look->any |= table != NULL;
		look->shared_changed |= table != NULL && table->kind == SHARED && number == query->resultRelation;
	}
	return query_tree_walker(query, look_at, context, 0);
}

/* By Citus, and what is not of it by the server. What Citus has planned in its turn is to be as it expects. */
static PlannedStmt *
plan_next(Query *query, const char *text, int options, ParamListInfo parameters)
{
	PlannedStmt *plan;

	planning++;
	PG_TRY();
	{
		plan = (previous_planner != NULL ? previous_planner : standard_planner) (query, text, options, parameters);
	}
	PG_FINALLY();
	{
		planning--;
	}
	PG_END_TRY();
	return plan;
}

static PlannedStmt *
plan_at_home(Query *query, const char *text, int options, ParamListInfo parameters)
{
	Look		look = {false, false};

	if (home.job_id != NULL && planning == 0)
		(void) look_at((Node *) query, &look);
	home.shared_changed |= look.shared_changed;
	if (look.any && concerns_job(query, parameters, NULL))
	{
		query = copyObject(query);
		(void) take_shards((Node *) query, NULL);
	}
	return plan_next(query, text, options, parameters);
}

/* ---------- which tables there are ---------- */

/* Has the shard, which is locked, the columns of the table with the same numbers? Citus leaves out those that were dropped. */
static bool
same_columns(Oid relation, Oid shard)
{
	Relation	one = table_open(relation, AccessShareLock);
	Relation	other = table_open(shard, NoLock);
	TupleDesc	columns = RelationGetDescr(one);
	TupleDesc	others = RelationGetDescr(other);
	bool		same = columns->natts == others->natts;
	int			i;

	for (i = 0; same && i < columns->natts; i++)
		same = !TupleDescAttr(columns, i)->attisdropped &&
			strcmp(NameStr(TupleDescAttr(columns, i)->attname), NameStr(TupleDescAttr(others, i)->attname)) == 0;
	table_close(other, NoLock);
	table_close(one, AccessShareLock);
	return same;
}

/* Reads the tables of the cluster that are here for the job; false where one that should be is not. */
static bool
read_tables(const char *schema, const char *job_id)
{
	MemoryContext caller = CurrentMemoryContext;
	Arguments	arguments = {0};
	uint64		count;
	uint64		i;
	bool		usable = true;

	add_text(&arguments, job_id);
	count = store_query(schema, "SELECT h.relation, h.shard, h.kind FROM %s.l4_home_tables($1) AS h", &arguments);
	home.tables = MemoryContextAlloc(TopTransactionContext, mul_size(Max(count, 1), sizeof(HomeTable)));
	home.table_count = 0;
	for (i = 0; i < count && usable; i++)
	{
		HomeTable  *table = &home.tables[home.table_count++];
		bool		is_null;

		table->relation = DatumGetObjectId(result_datum(i, 1, &is_null));
		table->shard = DatumGetObjectId(result_datum(i, 2, &is_null));
		table->kind = (TableKind) DatumGetInt32(result_datum(i, 3, &is_null));
		table->job_id = get_attnum(table->relation, "job_id");
		if (table->kind == OF_OTHERS)
			continue;
		/* not dropped before the transaction ends, whatever moves */
		if (OidIsValid(table->shard))
			LockRelationOid(table->shard, AccessShareLock);
		usable = OidIsValid(table->shard) && get_rel_name(table->shard) != NULL &&
			same_columns(table->relation, table->shard) &&
			(table->kind == SHARED || table->job_id != InvalidAttrNumber);
	}
	result_done();
	MemoryContextSwitchTo(caller);
	return usable && count > 0;
}

bool
home_begin(const char *schema, const char *job_id, bool may_write)
{
	bool		usable;

	home.job_id = NULL;
	store_connect(false);
	usable = read_tables(schema, job_id);
	store_disconnect();
	if (!usable)
		return false;
	if (planner_hook != plan_at_home)
	{
		previous_planner = planner_hook;
		planner_hook = plan_at_home;
	}
	home.may_write = may_write;
	home.job_id = MemoryContextStrdup(TopTransactionContext, job_id);
	store_plan_each_call(true);
	return true;
}

void
home_forget(void)
{
	memset(&home, 0, sizeof(home));
	store_plan_each_call(false);
}
