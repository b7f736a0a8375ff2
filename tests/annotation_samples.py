"""A document in BRAT's standoff format: a text and annotations of every kind."""

TEXT = "Marta 🙂 left.\nThen she saw Dr. Roy\nBell, her doctor. He waved."
ANN = """\
T1\tPerson 0 5\tMarta
T2\tPronoun 19 22\tshe
T3\tMention 27 39\tDr. Roy Bell
T4\tMention 41 44\ther
T5\tMention 41 51\ther doctor
T6\tMention 53 55\tHe
T7\tPlace 14 18\tThen
T8\tMention 56 61\twaved
*\tEquiv T1 T2
R1\tCoreference Arg1:T4 Arg2:T2
R2\tCoreference Arg1:T5 Arg2:T3
R3\tCoreference Arg1:T6 Arg2:T5
R4\tWorks_for Arg1:T1 Arg2:T3
A1\tTense T8 past
#1\tAnnotatorNotes T8\ta note
"""
