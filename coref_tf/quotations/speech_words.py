"""English word lists for the rules for quotations, in lower case."""

from coref_tf.resolving.words import word_set

# Past, present and base forms, as used next to a quotation.
SPEECH_VERBS = word_set("""
    said say says saying asked asks ask asking answered answers answering replied replies replying reply cried cries
    crying exclaimed exclaims exclaiming returned rejoined responded responds retorted retorts added adds adding
    continued continues continuing observed observes remarked remarks remarking repeated repeats repeating told tells
    telling shouted shouts shouting whispered whispers whispering murmured murmurs murmuring muttered mutters
    muttering called calls calling began begins begun demanded demands inquired enquired inquires enquires declared
    declares announced announces announcing explained explains explaining suggested suggests interrupted interrupts
    interposed interjected ejaculated growled growls grumbled grunted snapped snarled sneered sighed sighs sobbed
    moaned groaned gasped panted stammered faltered stuttered yelled yells screamed screams shrieked roared bellowed
    howled hissed hollered bawled drawled laughed chuckled giggled smiled grinned thought thinks mused reflected
    pondered wondered concluded concludes proceeded pursued resumed resumes went urged urges pleaded begged implored
    entreated besought insisted insists protested protests objected objects argued maintained asserted affirmed assured
    assures admitted confessed acknowledged agreed agrees assented conceded allowed owned promised swore vowed
    threatened warned warns cautioned advised counselled ordered commanded commands directed instructed bade bid invited
    offered proposed requested queried questioned persisted repined complained lamented wailed whined whimpered
    quavered croaked piped chirped squeaked squealed barked thundered boomed stormed raged fumed exploded burst broke
    blurted commented comments noted notes stated states informed informs reminded recalled recollected quoted read
    reads recited sang sings chanted intoned prayed preached lectured scolded chided rebuked reproached reproved
    admonished mocked jeered taunted teased joked jested quipped gibed echoed mimicked corrected finished ended
    completed prompted ventured hazarded volunteered put spoke speaks speaking uttered pronounced articulated breathed
    mumbled mouthed gurgled spluttered sputtered purred cooed crooned soothed comforted encouraged greeted hailed
    welcomed saluted apologized apologised thanked congratulated boasted bragged exulted triumphed gloated scoffed
    snorted sniffed tittered snickered yawned glowed beamed soliloquised soliloquized moralized philosophized reasoned
    calculated guessed supposed reckoned opined believed hoped wished decided determined resolved counted wrote writes
    written countered hooted reported related narrated chimed broke rapped crowed rumbled bleated cut conjectured
    speculated surmised confided revealed disclosed divulged predicted prophesied foretold testified vouched
    addressed accosted ran runs cheered whistled trilled wheezed coughed shrilled rasped grated clamoured clamored
""")
# Verbs before names and words in quotation marks.
NAMING_VERBS = word_set(
    "call calls called calling name named names term termed labelled labeled entitled dubbed"
)
# Verbs that almost always mean speech; their subject is the speaker.
SURE_VERBS = word_set("""
    said says asked asks answered replied cried exclaimed rejoined responded retorted remarked repeated shouted
    whispered murmured muttered inquired enquired declared announced interrupted interposed interjected ejaculated
    stammered faltered yelled screamed shrieked added demanded suggested queried growled grumbled drawled observed
    continued returned explained protested insisted pleaded urged mused
""")
# Infinitives after "heard somebody".
HEARD_VERBS = word_set(
    "speak cry murmur mutter whisper grumble call answer exclaim shout remark laugh sing scream tell"
)
# Words that may occur between the subject and its verb of speech, in either order.
BETWEEN = word_set("""
    then had has have was were did would could only again also always at last once length first soon now presently
    just even still quickly slowly softly quietly suddenly finally simply merely thus still never hastily aloud all
    both almost really rather so to himself herself in a an the low loud voice tone moment
""")
# Nouns that speak for their owner: "his voice said", "a man's voice".
VOICES = word_set("voice voices tone tones eyes lips face whisper cry shout mind thoughts")
TITLES = word_set("""
    mr mr. mrs mrs. ms ms. miss dr dr. doctor sir lady lord madam madame mme. monsieur m. mademoiselle mlle. master
    captain capt. colonel col. major general lieutenant sergeant corporal professor prof. father mother sister brother
    aunt uncle king queen prince princess duke duchess count countess baron baroness reverend rev. saint st. judge
    squire dame don signor signora signorina herr frau parson inspector constable governor president senator
    grandmother grandfather cousin nurse dean bishop pope emperor empress
""")
# Adjectives before names: "little Amy", "poor Miss Taylor".
BEFORE_NAMES = word_set("little old young poor dear good big")
MASCULINE_TITLES = word_set("""
    mr mr. sir lord monsieur m. master father brother uncle king prince duke count baron herr don signor grandfather
    squire emperor bishop
""")
FEMININE_TITLES = word_set("""
    mrs mrs. ms ms. miss lady madam madame mme. mademoiselle mlle. mother sister aunt queen princess duchess countess
    baroness dame frau signora signorina grandmother empress
""")
MASCULINE_NOUNS = word_set("""
    man boy gentleman father brother uncle son husband king prince lord lad fellow priest monk sailor soldier
    grandfather nephew widower landlord waiter actor master men boys gentlemen
""")
FEMININE_NOUNS = word_set("""
    woman girl lady mother sister aunt daughter wife queen princess maid nun nurse grandmother niece widow landlady
    waitress actress mistress women girls ladies governess
""")
MASCULINE_PRONOUNS = word_set("he him his himself")
FEMININE_PRONOUNS = word_set("she her hers herself")
NARRATOR_PRONOUNS = word_set("i me my mine myself")
LISTENER_PRONOUNS = word_set("you your yours yourself ye thou thee thy thine thyself yeh yuh ya")
GROUP_PRONOUNS = word_set("we us our ours ourselves they them their theirs themselves")
PERSONAL_PRONOUNS = (
    MASCULINE_PRONOUNS | FEMININE_PRONOUNS | NARRATOR_PRONOUNS | word_set("we us you they them who whom")
)
SUBJECT_PRONOUNS = word_set("i he she they we who it you")
PERSON_NOUNS = (
    MASCULINE_NOUNS
    | FEMININE_NOUNS
    | word_set("""
    child children people person friend stranger other others doctor parson clergyman captain clerk servant cook
    neighbour neighbor guest host hostess visitor passenger driver coachman officer policeman detective lawyer judge
    teacher student scholar professor president guard guide youth baby parent parents cousin companion speaker crowd
    everyone everybody somebody someone one voice voices porter butler footman postman baker smith farmer miller
    priest vicar curate monk sergeant lieutenant corporal colonel general major mate boatswain innkeeper shopkeeper
    gardener carpenter tailor hunter fisherman sheriff mayor minister secretary manager editor author poet painter
    witness prisoner patient beggar thief
    """)
)
# Capitalised words that address nobody.
EXCLAMATIONS = word_set("lord god heaven heavens christ jesus gosh golly jove hell devil")
# Past forms of frequent verbs without -ed, whose subject at the beginning of a sentence is a person.
DEEDS = word_set("""
    was had went came took stood sat put got made gave left felt knew saw could would did ran met rose fell held kept
    told heard shook drew threw caught bent swung flung wore led sent spent bit hid lay let cut hit shut set grew blew
    drove ate drank slept woke bought brought fought sought taught has is goes comes takes looks
""")
