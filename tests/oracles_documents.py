"""Slow, straightforward readers of document files, for valid input only."""

import json
import re


def read_conll_slowly(content: bytes) -> list[dict]:
    """Returns the documents of a CoNLL file as dictionaries."""
    documents = []
    for body in re.split(r"(?m)^#end document\s*$", content.decode("utf-8-sig"))[:-1]:
        header, *lines = body[body.index("#begin document") :].split("\n")
        sentences = [[]]
        for line in lines:
            columns = [column for column in re.split(r"[ \t\r\v\f]", line) if column]
            if columns:
                sentences[-1].append(columns)
            else:
                sentences.append([])
        sentences = [sentence for sentence in sentences if sentence]
        rows = [row for sentence in sentences for row in sentence]
        name = re.match(r"#begin document \((.*)\);?\s*(?:part\s+(\d+))?\s*$", header)
        documents.append({
            "doc_key": name[1],
            "part": int(name[2] or 0),
            "sentences": [[row[3] for row in sentence] for sentence in sentences],
            "speakers": [[row[9] if len(row) >= 12 else "-" for row in sentence] for sentence in sentences],
            "mentions": sorted(match_brackets([row[-1] for row in rows])),
        })  # fmt: skip
    return documents


def match_brackets(column: list[str]) -> list[tuple[str, int, int]]:
    """Returns (cluster, start, end) of each mention; a closing bracket belongs to the nearest open one before it."""
    events = [
        (index, *event)
        for index, label in enumerate(column)
        for event in re.findall(r"(\(?)(\d+)(\)?)", label)
    ]
    mentions, free = [], []
    for index, opens, cluster, closes in events:
        if opens:
            free.append((cluster, index))
        if closes:
            nearest = max(position for position, (name, _) in enumerate(free) if name == cluster)
            mentions.append((cluster, free.pop(nearest)[1], index))
    return mentions


def read_jsonlines_slowly(content: bytes) -> list[dict]:
    """Returns the objects of a jsonlines file, with default values for missing keys."""
    records = []
    for line in content.decode("utf-8-sig").split("\n"):
        if line.strip():
            record = json.loads(line)
            silent = [["-"] * len(sentence) for sentence in record["sentences"]]
            record["speakers"] = record.get("speakers") or silent
            record.setdefault("clusters", [])
            records.append(record)
    return records
