#!/usr/bin/env python3
"""Writes the logs of one synthetic training job as many launchers, schedulers and collectors leave them, with the truth.

layouts.py OUT SEED [HALF] [LAYOUT...]   write OUT/jobs/<layout>-bad/..., <layout>-good/..., OUT/jobs.tsv, OUT/truth.tsv
layouts.py --check OUT                   check what was written
layouts.py --list                        name, half and origin of each layout
"""
import csv
import html
import json
import os
import re
import sys

import half1                            # noqa: F401 (fills the table)
import half2                            # noqa: F401
import part3                            # noqa: F401
import part5                            # noqa: F401
from job import FAULTS, Job
from table import TABLE

JOB_COLUMNS = ('job', 'layout', 'half', 'status', 'nodes', 'ranks_per_node', 'faulty_node')
TRUTH_COLUMNS = ('job', 'file', 'line_no', 'node', 'rank', 'time', 'level', 'message', 'offset')


def escape(cell):
    text = str(cell).replace('\\', '\\\\')
    return text.replace('\t', '\\t').replace('\r', '\\r').replace('\n', '\\n')


def unescape(cell):
    marks = {'t': '\t', 'r': '\r', 'n': '\n', '\\': '\\'}
    out, i = [], 0
    while i < len(cell):
        if cell[i] == '\\':
            i += 1
            out.append(marks[cell[i]])
        else:
            out.append(cell[i])
        i += 1
    return ''.join(out)


def tsv(file, cells):
    file.write('\t'.join(escape(cell) for cell in cells) + '\n')


# -------------------------------------------------------------------------------------------------------------- writing

def write_all(out, seed, names):
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, 'jobs.tsv'), 'w', encoding='utf-8') as jobs, \
            open(os.path.join(out, 'truth.tsv'), 'w', encoding='utf-8') as truth:
        tsv(jobs, JOB_COLUMNS)
        tsv(truth, TRUTH_COLUMNS)
        for name in names:
            for bad in (True, False):
                write_job(out, jobs, truth, TABLE[name], seed, bad)


def write_job(out, jobs, truth, layout, seed, bad):
    job = Job(layout, seed, bad)
    layout.make(job)
    name = '%s-%s' % (layout.name, 'bad' if bad else 'good')
    faulty = job.nodes[job.rank_node(job.failing)] if bad else ''
    tsv(jobs, (name, layout.name, layout.half, 'failed' if bad else 'completed', ','.join(job.nodes), job.per_node, faulty))
    for path in sorted(job.files):
        full = os.path.join(out, 'jobs', name, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'w', encoding='utf-8', newline='') as file:
            for number, (text, node, rank, time, level, message, offset) in enumerate(job.files[path], 1):
                file.write(text + '\n')
                tsv(truth, (name, path, number, node, rank, time, level, message, offset))


# ------------------------------------------------------------------------------------------------------------- checking

def read_tsv(path):
    with open(path, encoding='utf-8', newline='') as file:
        rows = [line.rstrip('\n').split('\t') for line in file]
    return [dict(zip(rows[0], map(unescape, row))) for row in rows[1:]]


def strings(value):
    """All texts inside of a JSON value, those inside of texts that are JSON too."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from strings(one)
    if isinstance(value, str):
        yield value
        if value.startswith('{'):
            yield from decoded(value)


def decoded(text):
    """Texts that a wrapped line holds: the JSON in it, or its cells."""
    for mark in '{[':
        start = text.find(mark)
        while start >= 0:
            try:
                yield from strings(json.JSONDecoder().raw_decode(text[start:])[0])
                break
            except ValueError:
                start = text.find(mark, start + 1)
    if text.startswith('"'):
        for cell in next(csv.reader([text])):
            yield from strings(cell)
    yield from part_of_object(text.strip().rstrip(','))
    if text.startswith('<'):
        yield html.unescape(text)
    for one in re.findall(r'"(?:[^"\\]|\\.)*"', text):
        try:
            yield json.loads(one)
        except ValueError:
            pass


def part_of_object(text):
    """Texts of a line that is a member of an object or a list over several lines."""
    for form in ('{%s}', '[%s]') if text.startswith('"') else ():
        try:
            yield from strings(json.loads(form % text))
        except ValueError:
            pass


def check(out):
    jobs = {job['job']: job for job in read_tsv(os.path.join(out, 'jobs.tsv'))}
    files = {}
    for row in read_tsv(os.path.join(out, 'truth.tsv')):
        files.setdefault((row['job'], row['file']), []).append(row)
    wrong = check_halves()
    for (job, path), rows in files.items():
        wrong += ['%s %s: %s' % (job, path, text) for text in check_file(os.path.join(out, 'jobs', job, path), rows, jobs[job])]
    for name, job in jobs.items():
        wrong += check_fault(job, [row for key, rows in files.items() if key[0] == name for row in rows])
        wrong += check_stray(os.path.join(out, 'jobs', name), {path for key, path in files if key == name})
    for text in wrong:
        print(text)
    print('%d jobs, %d files, %d lines, %d wrong' % (len(jobs), len(files), sum(map(len, files.values())), len(wrong)))
    return bool(wrong)


def check_halves():
    return ['%s is not in the file of its half' % one.name for one in TABLE.values()
            if one.make.__globals__['__name__'] not in (('half1', 'half2', 'part3', 'part3', 'part5')[one.half - 1], 'table')]


def check_file(path, rows, job):
    with open(path, encoding='utf-8', newline='') as file:
        lines = file.read().split('\n')
    if lines.pop() != '' or len(lines) != len(rows):
        yield '%d lines, %d in the truth' % (len(lines), len(rows))
        return
    nodes = job['nodes'].split(',')
    for text, row in zip(lines, rows):
        where, message = row['line_no'], row['message']
        if row['offset'] and not text[int(row['offset']):].startswith(message):
            yield '%s: message is not at its offset' % where
        if not row['offset'] and not any(message in one for one in decoded(text)):
            yield '%s: message is not in the line' % where
        if row['node'] not in nodes + ['', '?']:
            yield '%s: no such node' % where
        if row['node'] and row['rank'].isdigit() and nodes[int(row['rank']) // int(job['ranks_per_node'])] != row['node']:
            yield '%s: rank %s is not on %s' % (where, row['rank'], row['node'])
    yield from check_times(rows)


def check_times(rows):
    """Times of a rank ascend, or descend in the whole file, as far as both are written."""
    ranks = {}
    for row in rows:
        if row['rank'] not in ('', '?') and row['time'] not in ('', '?'):
            ranks.setdefault(row['rank'], []).append(row['time'].rstrip('Z'))
    ups = downs = 0
    for times in ranks.values():
        for one, two in zip(times, times[1:]):
            short = 19 if len(one) != len(two) else len(one)
            ups += one[:short] < two[:short]
            downs += one[:short] > two[:short]
    if ups and downs:
        yield 'times do not ascend (%d up, %d down)' % (ups, downs)


def check_fault(job, rows):
    words = [word for word, _ in FAULTS]
    found = [row for row in rows if any(word in row['message'] for word in words)]
    if job['status'] == 'failed' and not found:
        yield '%s: no fault in the logs' % job['job']
    for row in found:
        if job['status'] != 'failed' or row['node'] not in ('', '?', job['faulty_node']):
            yield '%s: fault on %s' % (job['job'], row['node'])


def check_stray(folder, known):
    """Files there that the truth does not know."""
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.relpath(os.path.join(where, name), folder)
            if path not in known:
                yield '%s: %s is not in the truth' % (folder, path)


def main(args):
    if args == ['--list']:
        for one in sorted(TABLE.values(), key=lambda x: x.name):
            print('%s\t%d\t%s' % (one.name, one.half, one.origin))
        return 0
    if len(args) == 2 and args[0] == '--check':
        return check(args[1])
    if len(args) < 2 or args[0].startswith('-'):
        print(__doc__, file=sys.stderr)
        return 2
    names = args[2:]
    half = int(names.pop(0)) if names and names[0] in ('1', '2', '3', '4', '5') else None
    names = names or sorted(TABLE)
    write_all(args[0], args[1], [name for name in names if half in (None, TABLE[name].half)])
    return 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
