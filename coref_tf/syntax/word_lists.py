"""Word lists for the rules of the mention detector."""


def word_set(words: str) -> frozenset[str]:
    """Splits a string into a set of words."""
    return frozenset(words.split())


# Types of named entities that are numbers.
NUMERIC_KINDS = frozenset(["PERCENT", "MONEY", "CARDINAL", "ORDINAL", "QUANTITY"])

# Units of measurement: "100 miles".
UNITS = word_set("""
    % percent pct per-cent percentage dollar dollars cent cents euro euros pound pounds yen yuan franc francs
    mark marks peso pesos ruble rubles rupee rupees mile miles yard yards foot feet inch inches meter meters
    metre metres kilometer kilometers kilometre kilometres centimeter centimeters centimetre centimetres
    millimeter millimeters millimetre millimetres km cm mm m kg g mg lb lbs oz acre acres hectare hectares
    ounce ounces gram grams kilogram kilograms kilo kilos ton tons tonne tonnes liter liters litre litres
    gallon gallons barrel barrels bushel bushels degree degrees watt watts kilowatt kilowatts megawatt megawatts
    volt volts hertz byte bytes kilobyte kilobytes megabyte megabytes gigabyte gigabytes mph kph
""")

# Words before "of" in a part or an amount: "a total of 177 projects", "millions of people".
PARTS = word_set("""
    total number numbers amount amounts lot lots bunch couple handful majority minority plenty bit deal sum
    half third thirds quarter quarters rest fraction percentage part parts portion portions proportion share
    dozen dozens ten tens hundred hundreds thousand thousands million millions billion billions trillion trillions
    score scores percent %
    none all any each either neither both some several many most much few fewer less more enough
    one two three four five six seven eight nine
""")

# Words that begin a mention of nothing in particular: "none of them", "every child".
QUANTIFIERS = word_set("""
    none nothing nobody no not neither any anything anybody anyone every everything everybody everyone each
    all enough
""")

# Acronyms of nations, in their usual spelling.
NATION_ACRONYMS = word_set("U.S. U.S U.S.A. USA U.K. U.K UK U.S.S.R. U.S.S.R USSR U.A.E. UAE")

# Adjectives and demonyms of nations.
NATION_ADJECTIVES = word_set("""
    afghan african albanian algerian american andorran angolan antiguan arab arabian argentine argentinian
    armenian asian australian austrian azerbaijani azeri bahamian bahraini bangladeshi barbadian basque
    belarusian belgian belizean beninese bhutanese bolivian bosnian brazilian british bruneian bulgarian burmese
    burundian californian cambodian cameroonian canadian catalan chadian chilean chinese colombian congolese
    croatian cuban cypriot czech czechoslovak danish dominican dutch ecuadorian egyptian emirati english eritrean
    estonian ethiopian european fijian filipino finnish french gabonese gambian georgian german ghanaian greek
    grenadian guatemalan guinean guyanese haitian honduran hungarian icelandic indian indonesian iranian iraqi
    irish israeli italian ivorian jamaican japanese jordanian kazakh kenyan korean kosovar kurdish kuwaiti kyrgyz
    lao laotian latvian lebanese liberian libyan lithuanian macedonian malagasy malawian malaysian malian maltese
    mauritanian mauritian mexican moldovan mongolian montenegrin moroccan mozambican namibian nepalese nepali
    nicaraguan nigerian norwegian omani pakistani palestinian panamanian paraguayan persian peruvian philippine
    polish portuguese qatari romanian russian rwandan salvadoran samoan saudi scottish senegalese serbian
    singaporean slovak slovakian slovene slovenian somali soviet spanish sudanese surinamese swedish swiss syrian
    taiwanese tajik tanzanian texan thai tibetan togolese tongan tunisian turkish turkmen ugandan ukrainian
    uruguayan uzbek venezuelan vietnamese welsh yemeni yugoslav zambian zimbabwean
""")

# Words that refer to nothing.
STOP_WORDS = word_set("""
    there ltd. ltd inc. etc. etc hmm hm mm mhm uhm um uh er erm eh ah ahem oh huh aha ha uh-huh mm-hmm mm-hm
    yeah yes ok okay wow ouch oops gee psst shh
""")
