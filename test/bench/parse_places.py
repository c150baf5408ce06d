#!/usr/bin/env python3
"""parse_places.py: sets for parse.sh out of logs whose lines say which statement printed them.

    parse_places.py OUT NAME=LOG...

Many programs print the place in the source of each record: "[engine.py:181:__init__]", "[INFO|trainer.py:570]", "[NeMo I ...
megatron_init:265]". Two records of one place are of one statement: a truth that nobody had to write. Each LOG is taken alone,
for another version has other lines; its set is written to OUT/NAME/NAME.log_structured.csv. The message is what stands behind
the place. Lines without a place are left out, and those of places that print many things, which are a program's own wrapper
around its logger (told by the file's name, or by many first words). Places that print the same text count as one. MLPerf's
records (":::MLLOG {...}") are told apart by their key and, where the value is an object, the names in it.
"""
import csv
import json
import os
import re
import sys

PLACE = re.compile(
    r"\[NeMo \w [\d-]+ [\d:]+ (?P<nemo>\w+:\d+)\]\s*"
    r"|(?P<file>[\w./-]*[A-Za-z_][\w-]*\.(?:py|cc|cpp|cu|sh|c|go|hpp|h):\d+)(?::[\w<>.]+)?\](?:\s*[\d-]+ [\d:,.]+ >>|\s*-)?\s*"
    r"|:::MLLOG (?=\{)")
LOGGER = re.compile(r"\b_?(nemo_logging|logging|logger|log|log_utils)(\.py)?:")
# A place whose records begin with more different words than this is a wrapper around a logger.
FIRST_WORDS = 3


def key_of(record):
    """What a record of MLPerf says, or None where it is cut."""
    try:
        record = json.loads(record)
    except ValueError:
        return None
    value = record.get("value")
    names = sorted(value) if isinstance(value, dict) else []
    return " ".join(["key", str(record.get("key")), *names])


def records(path):
    """Messages and places of a log."""
    with open(path, encoding="utf-8", errors="backslashreplace") as f:
        for line in f:
            line = re.sub(r"\x1b\[[0-9;]*m", "", line.rstrip("\r\n"))
            found = PLACE.search(line[:400])
            if found is None:
                continue
            message = line[found.end():].strip()
            place = found["nemo"] or found["file"] or key_of(message)
            if place and message and not LOGGER.search(place):
                yield message, place


def statements(rows):
    """The rows of places that are statements, places that print the same text (but for figures) as one."""
    words = {}
    same = {}
    for message, place in rows:
        word = message.split()[0]
        words.setdefault(place, set()).add("" if re.search(r"\d", word) else word)
        same.setdefault(re.sub(r"\d+", "0", message), set()).add(place)
    first = {place: place for place in words}

    def find(place):
        while first[place] != place:
            place = first[place]
        return place

    for places in same.values():
        low = min(map(find, places))
        for place in places:
            first[find(place)] = low
    return [(message, find(place)) for message, place in rows if len(words[place]) <= FIRST_WORDS]


def main():
    """Writes a set for each log."""
    out = sys.argv[1]
    for argument in sys.argv[2:]:
        name, path = argument.split("=", 1)
        os.makedirs(os.path.join(out, name), exist_ok=True)
        with open(os.path.join(out, name, name + ".log_structured.csv"), "w", newline="", encoding="utf-8") as f:
            writer = csv.writer(f)
            writer.writerow(["LineId", "Content", "EventTemplate"])
            for number, row in enumerate(statements(list(records(path))), 1):
                writer.writerow([number, *row])


if __name__ == "__main__":
    main()
