"""Gendered English words and their counterparts."""

MASCULINE, FEMININE = "masculine", "feminine"

PRONOUNS = dict.fromkeys(("he", "him", "his", "himself"), MASCULINE)
PRONOUNS |= dict.fromkeys(("she", "her", "hers", "herself"), FEMININE)

# In both directions.
_PAIRS = """
he she, himself herself, man woman, men women, boy girl, boys girls, father mother, fathers mothers, dad mom, dads moms,
daddy mommy, papa mama, son daughter, sons daughters, brother sister, brothers sisters, husband wife, husbands wives,
uncle aunt, uncles aunts, nephew niece, nephews nieces, grandfather grandmother, grandfathers grandmothers, grandson
granddaughter, grandpa grandma, grandsons granddaughters, stepfather stepmother, stepson stepdaughter, stepbrother
stepsister, godfather godmother, godson goddaughter, king queen, kings queens, prince princess, princes princesses,
duke duchess, baron baroness, emperor empress, lord lady, lords ladies, sir madam, gentleman gentlewoman, gentlemen
gentlewomen, widower widow, widowers widows, groom bride, bridegroom bride, waiter waitress, waiters waitresses,
actor actress, actors actresses, host hostess, hosts hostesses, hero heroine, heroes heroines, heir heiress,
landlord landlady, policeman policewoman, policemen policewomen, fireman firewoman, chairman chairwoman, spokesman
spokeswoman, businessman businesswoman, businessmen businesswomen, salesman saleswoman, congressman congresswoman,
councilman councilwoman, fisherman fisherwoman, horseman horsewoman, craftsman craftswoman, sportsman sportswoman,
statesman stateswoman, nobleman noblewoman, noblemen noblewomen, countryman countrywoman, monk nun, monks nuns, male
female, males females, masculine feminine, boyfriend girlfriend, boyfriends girlfriends, fiancé fiancée, abbot
abbess, lad lass, lads lasses, schoolboy schoolgirl, schoolboys schoolgirls, cowboy cowgirl, steward stewardess,
wizard witch, wizards witches, sorcerer sorceress, manhood womanhood, boyhood girlhood, fatherhood motherhood,
brotherhood sisterhood, fatherly motherly, manly womanly, boyish girlish, paternal maternal, fraternal sororal, mr.
mrs., mr mrs
"""
# In one direction only, because their counterparts have others.
_ONE_WAY = """
him her, his her, her him, hers his, ms. mr., ms mr, miss mr., mum dad, mums dads, mummy daddy, mom dad,
guy woman, guys women
"""

SWAPPED: dict[str, str] = {}
GENDER = dict(PRONOUNS)  # of every word that is swapped
for _pair in _PAIRS.split(","):
    _he, _she = _pair.split()
    SWAPPED[_he] = _she
    SWAPPED.setdefault(_she, _he)
    GENDER |= {_he: MASCULINE, _she: FEMININE}
for _pair in _ONE_WAY.split(","):
    _word, _other = _pair.split()
    SWAPPED[_word] = _other
    GENDER.setdefault(_word, FEMININE if GENDER[_other] == MASCULINE else MASCULINE)

# Masculine words that are used of women, too.
_COMMON_GENDER = "actor actors host hosts hero heroes heir heirs guys steward stewards"
COMMON_GENDER = frozenset(_COMMON_GENDER.split())

_OBJECT_BEFORE = """
a about above across after again against all alone along also although always among an and any apart are around as
at away back be because been before behind below beside besides between beyond but by can could did do does down
during each either enough even ever every everything except for forward from going had has have he here him his home
how i if in inside instead into is it just later like may me might more must near never next nor not nothing now of
off on once one only onto or otherwise out outside over quite rather said says she should since so some something
soon still such than that the their them then there these they this those though through till to today together
tomorrow tonight too toward towards twice under until up upon very was we were what whatever when where whether
which while who whom whose why will with within without would yesterday yet you your
"""
# Words that may follow "her" in the sense of "him"; after "his", a noun or its modifier would follow.
OBJECT_BEFORE = frozenset(_OBJECT_BEFORE.split())

_NOT_NAMES = """
A Ambassador An And Another Archbishop Aunt Baron Big Bishop Both Brother But Captain Cardinal Chancellor Chef Chief
Coach Colonel Count Countess Dear Deputy Detective Director Dr Duchess Duke Each Emperor Empress Everyone Father
General Governor Grandma Grandpa Great He Her Hers Herself Him Himself His Imam Inspector It Its Itself Judge
Justice King Lady Lieutenant Little Lord Madam Madame Major Mayor Me Mine Minister Miss Monsieur Mother Mr Mrs Ms My
Myself Nobody Of Officer Old One Other Our Ours Poor Pope President Prime Prince Princess Professor Queen Rabbi
Reverend Saint Secretary Senator Sergeant She Sir Sister Somebody Someone St That The Their Them Themselves These
They This Those Uncle Us We What Who Whom Whose You Young Your Yours Yourself
"""
# Capitalised words that are not first names.
NOT_NAMES = frozenset(_NOT_NAMES.split())
