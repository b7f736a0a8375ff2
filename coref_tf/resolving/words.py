"""English word lists for the rules that resolve text, in lower case."""


def word_set(words: str) -> frozenset[str]:
    """Splits a string into a set of words."""
    return frozenset(words.split())


FIRST_SINGULAR = word_set("i me my mine")
FIRST_PLURAL = word_set("we us our ours 's")
SECOND = word_set("you your yours ya")
THIRD = word_set("he him his she her hers it its they them their theirs 'em")
DEMONSTRATIVE = word_set("this that these those")
POSSESSIVE = word_set("my your his its our their mine yours hers ours theirs")  # and "her", if possessive
HE_OR_SHE = word_set("he him his she her hers")
SUBJECT = word_set("i you he she it they we")
# Pronouns that mean something else in another context; third-person possessives read well there, too.
PERSONS = (
    FIRST_SINGULAR
    | FIRST_PLURAL - {"'s"}
    | SECOND
    | word_set("myself ourselves yourself yourselves he him she they them it")
)

# Pronouns that are never replaced and never represent a cluster: reflexive, relative, reciprocal, indefinite.
LEFT = word_set("""
    myself yourself himself herself itself ourselves yourselves themselves themself oneself each other another one
    ones who whom whose which what whoever whatever where when here there then now so such same former latter both
    all either neither none some any many most few several everyone everybody everything someone somebody something
    anyone anybody anything nobody nothing no-one thou thee thy thine thyself ye do did does done
""")
REFLEXIVE = word_set(
    "myself yourself himself herself itself ourselves yourselves themselves themself oneself"
)
PRONOUNS = FIRST_SINGULAR | FIRST_PLURAL | SECOND | THIRD | DEMONSTRATIVE | LEFT
_BESIDE_PRONOUNS = word_set("of all both guys two three alone too only else and or")

# Words that begin a phrase about nobody in particular, which no pronoun after it stands for as a whole.
QUANTIFIERS = word_set("""
    every each no any none neither either nobody nothing everyone everybody everything anyone anybody anything
    someone somebody something whoever whatever what who which how such more most many much few fewer less least
    enough half not one quite
""")
DEFINITE = word_set("the this that these those my your his her its our their")
INDEFINITE = word_set("a an some")
DETERMINERS = DEFINITE | INDEFINITE | word_set("another all both")

# Words that end the core of a phrase.
RELATIVE = word_set("who whom whose which that where when whereby why")
BRACKETS = word_set('( [ { -lrb- -lsb- -lcb- ) ] -rrb- -rsb- -- – — : ; ... … `` “ "')
NAME_PARTS = word_set(
    "of the for and & de van von der den la le du da di del al bin ibn el e y 's ’s ' ’ - – . / zu"
)
PREPOSITIONS = word_set("""
    of in on at by for with from to into onto over under about after before between among against during without
    within through across behind beyond near around along as than like upon toward towards off out up down since
    until till despite except via per
""")

NUMBERS = word_set("""
    two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety
""")
PLURALS = word_set("people men women children police feet teeth mice geese they youth media")  # without an s
QUANTITIES = word_set("certain few numerous several some various")  # in "several men", "a few men"
AMOUNTS = word_set("number lot couple handful")  # in "a number of men", which is plural
PLURAL_AMOUNTS = word_set("lots plenty dozens hundreds thousands millions")  # in "lots of men"

# Copulas, and words that may accompany them.
COPULAS = word_set("""
    is are was were am be been being 's ’s 're ’re 'm ’m become became becomes becoming remain remains remained seem
    seems seemed
""")
BEFORE_PREDICATES = COPULAS | {"as"}
BESIDE_COPULAS = word_set("""
    not n't n’t also still now then once only just really always never indeed actually perhaps probably has have had
    will would may might can could should must to thus therefore certainly clearly simply already ever again called
    named considered known
""")

# Adjectives that never precede a noun: "kept her awake".
PREDICATIVE = word_set("""
    abroad adrift afloat afraid aghast ajar akin alike alive alone ashamed ashore asleep askew astray awake aware awash
""")
# Words after "her" that are not nouns, so that "her" is an object ("saw her again") and not possessive.
NO_NOUNS = (
    PREPOSITIONS
    | DETERMINERS
    | BESIDE_COPULAS
    | COPULAS
    | RELATIVE
    | PREDICATIVE
    | (THIRD | FIRST_SINGULAR | FIRST_PLURAL | SECOND) - POSSESSIVE
    | word_set("""
    and or but nor if because so though although while whether how what away back home there here together too
    either today tomorrow yesterday tonight later soon down do does did go come know think feel look see say says
    said cry laugh leave stay sleep speak understand believe get make be very quite more most much many some any
    that's until unless once well better first everything something nothing anything herself himself upstairs
    downstairs forward ahead aside apart anyway instead directly immediately suddenly almost
    """)
)
# Words that may be part of a noun phrase: after "in her" and the like, they are.
MAYBE_NOUNS = word_set("very first back better most many more")
TIMES = word_set("mornings afternoons evenings nights days weekends weeks months years times")
# Conjunctions that a clause follows: "when her back ..." begins with a noun.
SUBORDINATORS = word_set("when if because while though although where whether since whenever")
# Verbs of naming and teaching, and verbs of perception.
CALLING = word_set(
    "call calls called calling name names named naming dub dubbed christened make makes made crowned"
)
TEACHING = word_set("teach teaches taught teaching")
PERCEIVING = word_set("""
    see sees saw seen seeing hear hears heard hearing watch watches watched watching find finds found feel felt keep
    kept catch caught leave left notice noticed
""")
NO_ADVERBS_IN_LY = word_set("""
    family belly ally assembly butterfly monopoly bully jelly lily fly reply supply anomaly homily sickly lonely lovely
    friendly ugly early only daily holy silly elderly kindly homely lively likely deadly costly ghostly
""")
NOUNS_IN_ING = word_set("""
    wedding evening morning ring king thing darling clothing feeling being something nothing ceiling building painting
    meeting singing writing reading hearing training lodging
""")

# Present forms that differ from the past, and take an s after the name of one person.
VERBS = word_set("""
    think know want need like love hate mean guess believe feel see hear say tell ask hope wish remember understand
    agree suppose live work go come get make take give look use find call try leave keep begin seem help show talk
    turn start play run move bring write sit stand lose pay meet continue learn watch follow stop speak spend grow
    open walk win teach buy send build stay fall sell decide explain wonder expect imagine recommend promise prefer
    enjoy miss admit doubt swear bet care plan eat drink drive wear hand vote propose welcome recognize
""")
AFTER_WOULD = word_set("rather be have do say not")
ADVERBS = word_set("""
    always never also really just still often usually sometimes even actually probably definitely honestly only
    already certainly rarely
""")
# Pronouns and the words that make a filler of them: "oh my God", "you know", "I mean", "let me see".
FILLERS = {
    "my": word_set("god goodness gosh lord"),
    "you": word_set("know see"),
    "ya": word_set("know see"),
    "i": word_set("mean"),
    "me": word_set("see"),
}
AUXILIARIES = word_set(
    "do did does can could will would shall should may might must let have had has am was were are is 'd ’d 'll ’ll to"
)


def quantity_length(words: list[str]) -> int:
    """Returns how many words at the beginning of a phrase in lower case are an indefinite quantity.

    Example:
        quantity_length(["a", "few", "men"])                # 2
        quantity_length(["a", "number", "of", "men"])       # 3
        quantity_length(["the", "men"])                     # 0
    """
    first, second, third = [*words[:3], "", ""][:3]
    if first == "a" and second in AMOUNTS and third == "of":
        return 3
    if (first == "a" and second in QUANTITIES) or (first in PLURAL_AMOUNTS and second == "of"):
        return 2
    return int(first in QUANTITIES)


def begins_with_number(words: list[str]) -> bool:
    """Returns whether a phrase in lower case counts things: "six men", "forty-one clams", "1,200 men"; not "40%"."""
    digits = words[0].replace(",", "")
    counted = digits.isdigit() and digits != "1" and words[1:2] != ["%"]
    return words[0].split("-")[0] in NUMBERS or counted


def all_pronouns(words: list[str]) -> bool:
    """Returns whether a phrase in lower case is made of pronouns: "she", "each other", "both of them"."""
    return any(word in PRONOUNS for word in words) and all(
        word in PRONOUNS or word in _BESIDE_PRONOUNS for word in words
    )
