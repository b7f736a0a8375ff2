"""A small invented release in the layouts of CoNLL-2012 and OntoNotes 5.0, with words and as skeletons."""

import re
from pathlib import Path

# Each tree has its mentions, as {cluster: inclusive spans}, which count the words that skeletons have rows for.
HARBOUR = [
    [
        ("(TOP (S (NP-SBJ (DT The) (NN harbour) (NN council)) (VP (VBD met) (NP-TMP (CD 1911))) (. .)))",
         {4: [(0, 2)]}),
        ("(TOP (S (NP-SBJ-1 (PRP It)) (VP (VBD wanted) (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB close)"
         " (NP (NP (PRP$ its)) (NN light) (-LRB- -LRB-) (NNP Café) (-RRB- -RRB-)))))) (. .)))",
         {4: [(0, 0), (4, 4)], 7: [(4, 8)]}),
    ],
    [("(TOP (S (NP-SBJ (NNP Ana)) (VP (VBD saw) (NP (PRP herself))) (. .)))", {0: [(0, 0), (2, 2)]})],
]  # fmt: skip
CALL = [
    [
        ("(TOP (S (EDITED (NP-SBJ (PRP He))) (, ,) (NP-SBJ (PRP She)) (VP (VBD called) (NP (PRP$ her)"
         " (NN sister))) (. /.)))", {1: [(1, 1), (3, 3)], 2: [(3, 4)]}),
        ("(TOP (EDITED (UH uh) (: --)))", {}),
        ("(TOP (SQ (VBD Did) (NP-SBJ (PRP she)) (VP (VB answer)) (. /?)))", {2: [(1, 1)]}),
    ],
]  # fmt: skip
SHIP = [
    [
        (
            "(TOP (S (NP-SBJ (DT A) (NN ship)) (VP (VBD lost) (NP (PRP$ its) (NN mast))) (. .)))",
            {0: [(0, 1), (3, 3)]},
        )
    ]
]
TOWN = [
    [("(TOP (S (NP-SBJ (DT The) (NN town)) (VP (VBD sold) (NP (PRP itself))) (. .)))", {9: [(0, 1), (3, 3)]})]
]

RELEASE = {
    "train": {"nw/wsj/00/wsj_0001": HARBOUR, "tc/ch/00/ch_0002": CALL},
    "development": {"bn/abc/00/abc_0010": SHIP},
    "test": {"wb/eng/00/eng_0019": TOWN},
}
EXPECT = (3, 1, 1)


def leaves(tree: str, drop_edited: bool = True) -> list[tuple[str, str]]:
    """The tags and words that a skeleton has rows for, found by removing brackets from the text."""
    while drop_edited and (start := tree.find("(EDITED ")) >= 0:
        end, depth = start, 0
        while depth or end == start:
            depth += {"(": 1, ")": -1}.get(tree[end], 0)
            end += 1
        tree = tree[:start] + tree[end:]
    found = re.findall(r"\((\S+) ([^()\s]+)\)", tree)
    return [leaf for leaf in found if leaf[0] != "-NONE-"] or [("XX", "nullp")]


def brackets(count: int, mentions: dict[int, list[tuple[int, int]]]) -> list[str]:
    labels = [[] for _ in range(count)]
    for cluster, spans in mentions.items():
        for start, end in spans:
            labels[start].append(f"({cluster})" if start == end else f"({cluster}")
            if end > start:
                labels[end].append(f"{cluster})")
    return ["|".join(label) or "-" for label in labels]


def table(rows: list[list[str]]) -> str:
    """Right-aligned columns, two spaces wider than their widest cell; some cells are one space off."""
    columns = []
    for column in zip(*rows, strict=True):
        width = max(map(len, column)) + 2
        cells = [f"{cell} " if cell[-1] in "*-0123456789" else cell for cell in column]
        columns.append([cell.rjust(width) for cell in cells])
    return "".join(" ".join(row).strip() + "\n" for row in zip(*columns, strict=True))


def conll(name: str, parts: list, skeleton: bool, drop_edited: bool = True) -> str:
    text = ""
    for part, sentences in enumerate(parts):
        text += f"#begin document ({name}); part {part:03d}\n"
        for tree, mentions in sentences:
            words = leaves(tree, drop_edited)
            labels = brackets(len(words), mentions)
            text += table(
                [
                    [
                        name,
                        str(part),
                        str(index),
                        "[WORD]" if skeleton else word,
                        tag,
                        "*",
                        *"---",
                        "B",
                        "*",
                        label,
                    ]
                    for index, ((tag, word), label) in enumerate(zip(words, labels, strict=True))
                ]
            )
            text += "\n"
        text += "#end document\n"
    return text


def make_conll2012(folder: Path, kind: str, language: str = "english", test_version: str = "v4") -> Path:
    """Writes folder/conll-2012 with files of one kind, "conll" or "skel"."""
    for partition, documents in RELEASE.items():
        version = test_version if partition == "test" else "v4"
        annotations = folder / f"conll-2012/{version}/data/{partition}/data/{language}/annotations"
        for name, parts in documents.items():
            path = annotations / f"{name}.{version}_gold_{kind}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(conll(name, parts, kind == "skel", language == "english"))
            path.with_name(path.name.replace("gold", "auto")).write_text("not gold\n")
    return folder / "conll-2012"


def make_ontonotes(folder: Path, language: str = "english") -> Path:
    """Writes folder/ontonotes-release-5.0 with the trees, one indented leaf per line."""
    for documents in RELEASE.values():
        for name, parts in documents.items():
            path = folder / f"ontonotes-release-5.0/data/files/data/{language}/annotations/{name}.parse"
            path.parent.mkdir(parents=True, exist_ok=True)
            trees = [tree for sentences in parts for tree, _ in sentences]
            path.write_text("".join(re.sub(r" (?=\()", "\n    ", tree) + "\n\n" for tree in trees))
    return folder / "ontonotes-release-5.0"
