"""Reads a database through ODBC as a BI tool does, and prints what it saw, one fact a line, its parts separated by tabs.

odbc_read.py CONNECTION
    table   NAME KIND                       from SQLTables
    column  TABLE NAME TYPE                 from SQLColumns; TYPE is the number of an ODBC type
    rows    VIEW COUNT                      SELECT * of each view
    values  VIEW COLUMN COUNT DISTINCT KIND values that are not NULL, different ones, and the types Python was given

Without CONNECTION it only checks that the driver manager and its Python module are there.
"""
import sys

import pyodbc


def facts(connection):
    cursor = connection.cursor()
    tables = [(row.table_schem, row.table_name, row.table_type) for row in cursor.tables(table='l4\\_%')]
    for schema, name, kind in tables:
        yield 'table', name, kind
        for column in cursor.columns(table=name, schema=schema).fetchall():
            yield 'column', name, column.column_name, column.data_type
    for schema, name, kind in tables:
        if kind == 'VIEW':
            yield from view_facts(cursor, schema, name)


def view_facts(cursor, schema, name):
    cursor.execute(f'SELECT * FROM "{schema}"."{name}"')
    names = [column[0] for column in cursor.description]
    rows = cursor.fetchall()
    yield 'rows', name, len(rows)
    for place, column in enumerate(names):
        values = [row[place] for row in rows if row[place] is not None]
        kinds = sorted({type(value).__name__ for value in values})
        yield 'values', name, column, len(values), len(set(values)), ','.join(kinds) or '-'


def main():
    if len(sys.argv) == 1:
        return
    connection = pyodbc.connect(sys.argv[1], autocommit=True, readonly=True)
    for fact in facts(connection):
        print(*fact, sep='\t')


main()
