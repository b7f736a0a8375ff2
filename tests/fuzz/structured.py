"""Annotation files, archives and CoNLL-U files with damaged structure: ids, offsets, brackets, archive members.

Randomly changed bytes rarely pass a format's first check. These mutations know the parts of a format, and replace one
of them by another value of the same type or of a different one.
"""

import copy
import io
import json
import random
import re
import zipfile
import zlib
from collections.abc import Callable

import annotation_samples
from annotation_samples import TEXT
from damaged_documents import mutate_value

ANN = annotation_samples.ANN + "T9\tMention 53 55;56 61\tHe waved\n"
REGIONS = [("a", 0, 5, "Marta"), ("b", 20, 23, "she"), ("c", 28, 40, "Dr. Roy\nBell"), ("d", 42, 45, "her")]
TASK = {
    "id": 7,
    "data": {"text": TEXT, "doc_key": "nw/visit"},
    "annotations": [
        {"was_cancelled": True},
        {
            "result": [
                *(
                    {
                        "id": name,
                        "type": "labels",
                        "value": {"start": start, "end": end, "text": read, "labels": ["Mention"]},
                    }
                    for name, start, end, read in REGIONS
                ),
                {"type": "relation", "from_id": "b", "to_id": "a", "labels": ["coref"]},
                {"type": "relation", "from_id": "d", "to_id": "b", "direction": "right"},
            ]
        },
    ],
}
CONLLU = """\
# newdoc id = nw/sale
# global.Entity = eid-etype-head-other
# sent_id = s1
# speaker = Ana
1\tMarta\t_\tPROPN\t_\t_\t2\tnsubj\t_\tEntity=(e1-person-1-)
2\tsold\t_\tVERB\t_\t_\t0\troot\t_\tEntity=(e2-event-1-
3-4\theres\t_\t_\t_\t_\t_\t_\t_\t_
3\ther\t_\tPRON\t_\t_\t4\tnmod\t_\tEntity=(e3-object-2-(e1-person-1-)
4\tboat\t_\tNOUN\t_\t_\t2\tobj\t_\tEntity=e3)e2)|SpaceAfter=No
4.1\t_\t_\tPRON\t_\t_\t_\t_\t2:dep\tEntity=(e1-person-1-)

1\tthe\t_\tDET\t_\t_\t3\tdet\t_\tEntity=(e3[1/2]-object-2-
2\told\t_\tADJ\t_\t_\t3\tamod\t_\t_
3\tone\t_\tNOUN\t_\t_\t4\tnsubj\t_\tEntity=e3[1/2])
4\tsank\t_\tVERB\t_\t_\t0\troot\t_\tBridge=e1<e3
5\tthere\t_\tADV\t_\t_\t4\tadvmod\t_\tEntity=(e3[2/2]-object-2-)

"""
NUMBERS = ["0", "1", "-1", "5", "61", "999", "9" * 12, "9" * 13, "9" * 5000, "1.5", "1e9", "\u0663", "", "x"]
NAMES = [
    "T1",
    "T2",
    "T99",
    "e1",
    "e2",
    "e3[1/2]",
    "e3[2/2]",
    "e9[3/3]",
    "e1[0/0]",
    "e1[99999/2]",
    "",
    ":",
    "R1",
    "*",
    "#",
]
SIGNS = [
    "\t", "\n", "\r\n", " ", ";", ":", "|", "(", ")", "()", "[", "]", "-", "=", "\0", "\ufeff", "\u2028", "\u0085",
    "🙂", "Entity=", "Entity=(e1-", "# newdoc\n", "# newdoc id = ", "# global.Entity = a-b\n", "# global.Entity = \n",
    "\\ud800",
]  # fmt: skip
VALUES = [
    None, True, False, 0, -1, 5, 2.5, 1e308, 10**30, "", "x", "a", "Mention", "coref", "\ufeff", "\u2028", [], {}, [[]],
    [None], ["Mention"], {"text": "Ana"}, {"a": 1}, [{"result": []}], [{"result": 5}], "x" * 3000, "\0",
]  # fmt: skip
MEMBERS = [
    "visit.ann", "visit.txt", "other.ann", "a/../visit.ann", "/x.ann", "x\n.ann", "é.ann", ".ann", "visit.ANN", "d/",
]  # fmt: skip


def mutate_text(content: str, source: random.Random) -> str:
    """Changes one to four parts of a text: numbers, names, symbols, columns or lines."""
    for _ in range(source.randint(1, 4)):
        lines = content.split("\n")
        line, other = source.randrange(len(lines)), source.randrange(len(lines))
        action = source.randrange(6)
        if action == 0:
            content = _replace(r"[0-9]+", content, source.choice(NUMBERS), source)
        elif action == 1:
            content = _replace(r"[TeR][0-9]+(?:\[[0-9]+/[0-9]+\])?", content, source.choice(NAMES), source)
        elif action == 2:
            place = source.randrange(len(content) + 1)
            content = content[:place] + source.choice(SIGNS) + content[place + source.choice([0, 0, 1]) :]
        elif action == 3:
            lines.insert(line, lines[other])
            content = "\n".join(lines)
        elif action == 4:
            lines[line], lines[other] = lines[other], lines[line]
            content = "\n".join(lines)
        else:
            columns = re.split("([\t ])", lines[line])
            column = source.randrange(len(columns))
            columns[column : column + 1] = [columns[column]] * source.choice([0, 2])
            lines[line] = "".join(columns)
            content = "\n".join(lines)
    return content


def _replace(pattern: str, content: str, value: str, source: random.Random) -> str:
    matches = list(re.finditer(pattern, content))
    if not matches:
        return content
    match = source.choice(matches)
    return content[: match.start()] + value + content[match.end() :]


def mutate_json(value: object, source: random.Random) -> object:
    """Returns a copy of a JSON value in which one part is replaced, repeated or removed."""
    return mutate_value(copy.deepcopy(value), source, VALUES)


def damaged_brat(source: random.Random) -> dict[str, bytes]:
    """Returns a .ann file and its .txt file, of which one or both may be damaged."""
    annotations = mutate_text(ANN, source) if source.random() < 0.9 else ANN
    text = mutate_text(TEXT, source) if source.random() < 0.2 else TEXT
    files = {"x.ann": _encoded(annotations), "x.txt": _encoded(text)}
    if source.random() < 0.02:
        del files["x.txt"]
    return files


def damaged_tasks(source: random.Random) -> dict[str, bytes]:
    """Returns a damaged Label Studio export."""
    tasks: object = [TASK, {"data": {"text": "Ana ran."}}]
    for _ in range(source.randint(1, 3)):
        tasks = mutate_json(tasks, source)
    content = json.dumps(tasks, ensure_ascii=source.random() < 0.3, indent=source.choice([None, 1]))
    if source.random() < 0.2:
        content = mutate_text(content, source)
    return {"x.labelstudio.json": _encoded(content)}


def damaged_conllu(source: random.Random) -> dict[str, bytes]:
    """Returns a CoNLL-U file with damaged columns, brackets or comments."""
    return {"x.conllu": _encoded(mutate_text(CONLLU * source.choice([1, 1, 2]), source))}


def damaged_archive(source: random.Random) -> dict[str, bytes]:
    """Returns a zip archive of BRAT files, in any compression, with damaged members, names or bytes."""
    file = io.BytesIO()
    method = source.choice([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
    files = damaged_brat(source)
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(f"visit{name[1:]}", content)
        for name in source.sample(MEMBERS, source.choice([0, 0, 1, 2])):
            if name not in archive.namelist():
                archive.writestr(name, _encoded(source.choice([ANN, TEXT, ""])))
    content = file.getvalue()
    for _ in range(source.choice([0, 1, 1, 3])):
        place = source.randrange(len(content))
        content = content[:place] + source.randbytes(1) + content[place + 1 :]
    if source.random() < 0.1:
        content = content[: source.randrange(len(content))]
    return {"x.brat.zip": content}


def bomb(source: random.Random) -> dict[str, bytes]:
    """Returns a decompression bomb: a small file that unpacks to a large one."""
    size = source.choice([2 * 10**6, 3 * 10**7])
    if source.random() < 0.5:
        packed = zlib.compressobj(9, zlib.DEFLATED, 31)
        name = source.choice(["x.txt.gz", "x.jsonl.gz", "x.conllu.gz", "x.labelstudio.json.gz"])
        return {name: packed.compress(b" " * size) + packed.flush()}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.ann", b"")
        archive.writestr("x.txt", b" " * size)
    return {"x.brat.zip": file.getvalue()}


def _encoded(content: str) -> bytes:
    return content.encode("utf-8", "surrogatepass")


# Functions that return files, of which the first is read.
KINDS: dict[str, Callable[[random.Random], dict[str, bytes]]] = {
    "BRAT": damaged_brat,
    "Label Studio": damaged_tasks,
    "CorefUD": damaged_conllu,
    "a zip archive": damaged_archive,
    "a file that unpacks to a large one": bomb,
}
