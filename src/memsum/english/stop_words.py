"""Words that carry no topic: common verbs, fillers, words of questions, measures and times."""

from __future__ import annotations

from memsum.english import word_set

# A short sentence with none of these and no word in -ed is taken for a label.
VERBS = word_set(
    "is are was were be been being am isn aren wasn weren has have had hasn haven hadn do does did doesn don didn will "
    "would won wouldn shall should shouldn can could cannot couldn may might must let get gets got go goes went gone "
    "come comes came make makes made take takes took give gives gave say says said see sees saw know knows knew think "
    "thinks thought find finds found show shows tell tells told become becomes became leave leaves left put keep keeps "
    "kept begin begins began bring brings brought hold holds held write writes wrote stand stood hear heard mean means "
    "meant meet met run runs ran paid sit sat speak spoke lay lead leads led grow grows grew lose lost fall fell send "
    "sent build built draw drew break broke spent rise rises rose drive drove bought wore chose sought threw caught "
    "dealt shook struck slept woke flew blew swung hung shot shut hit read understand understood forget forgot swear "
    "want wants need needs seem seems feel feels felt look looks like likes use uses try tries ask asks works requires "
    "provides includes include remains suggest suggests indicate indicates increases decreases contains allows affects "
    "causes occurs follows agree agrees disagree disagrees reverse affirm dissent concur directs authorizes amends "
    "prohibits establishes yields plays differs depends varies exists wait stop listen"
)
# A sentence that ends with one of these is not finished.
DANGLING = word_set(
    "a an the of is are was were as that which in on at to and or for with by from into than if because its their "
    "his our"
)
# Words that say nothing alone: a turn made only of the first is small talk, a short sentence of both says nothing.
FILLERS = word_set(
    "okay ok yeah yes yep yup no nope um uh umm uhm mm hmm mmm hm huh ah oh eh er right alright sure fine well so "
    "and but or then now just good great cool nice excellent perfect exactly absolutely definitely true correct "
    "indeed really thanks thank you all very much kindly hello hi hey goodbye bye welcome everybody everyone morning "
    "afternoon evening night sir madam ma am sorry pardon please fair enough i see know mean think agree guess "
    "suppose it s that this is there we re do don t not a the to of for at in on me too again here lot one let go "
    "ahead order chair chairman mr mrs ms minister speaker doctor"
)
EMPTY = FILLERS | word_set(
    "he she they them him her his their its my your our us was were are be been have has had did does can could will "
    "would what who where when why how which if as with by from up out down off about get got went come came going "
    "look looked said asked replied answered thing things stuff way bit some any another other possible something "
    "anything nothing example instance an these those first second next finally also only even still maybe perhaps "
    "kind sort"
)
# What is left out of a question before its topic is looked for.
STOP_WORDS = word_set(
    "a an the of in on at to for from by with about into over between through during and or but nor so if than then "
    "that this these those there here it its he him his she her hers they them their theirs we us our ours you your "
    "yours i me my mine is are was were be been being am do does did done doing have has had having can could will "
    "would shall should may might must not n't no 's s t re ve ll d m what which who whom whose when where why how as "
    "also any some all each other others more most such very much many just only own same too please let "
    "summarize summarise summary describe explain tell give document text"
)
# Of the asking and of what is asked: they matter only where a question has no other words.
ASIDES = word_set(
    "discuss discussed discusses discussing discussion discussions talk talked talks talking say says said saying "
    "think thinks thought thinking thoughts opinion opinions view views attitude attitudes meeting meetings group team "
    "everyone people person according regarding concerning related toward towards point points question questions "
    "answer answers mention mentioned story stories plot setting character characters theme overview significance "
    "relationship happen happens happened throughout conclusion conclusions decision decisions decide decided agree "
    "agreed whole main different detail details detailed specific aspect aspects terms find show list information "
    "paper article report section author authors chapter book"
)
PERSON_TITLES = word_set("mr mrs ms miss dr prof sir am mp mep hon the")
# Words that carry no topic, however salient: measures, times, and what every document is made of.
NO_TERMS = (
    VERBS
    | EMPTY
    | word_set(
        "percent per cent number numbers total average mean year years month months week weeks day days hour hours "
        "minute minutes time times two three four five six seven eight nine ten eleven twelve twenty thirty hundred "
        "thousand million billion third january february march april june july august september october november "
        "december monday tuesday wednesday thursday friday saturday sunday many much more most less least few several "
        "every each both either neither between among after before during since until while because although though "
        "however therefore thus than then when where whether within without through under over above below against "
        "across along around behind beyond into onto upon toward towards via new old high higher highest low lower "
        "lowest large larger small smaller great greater good better best long longer short early earlier late later "
        "likely possible different same similar various certain common important significant significantly "
        "respectively approximately overall further additional addition based using used made according including "
        "include included following figure figures table tables section sections study studies paper report article "
        "results result analysis data method methods conclusion conclusions discussion introduction background found "
        "shown showed reported described compared observed performed associated fig ref very often rather instead "
        "whose such half kilometre kilometres millimetre millimetres metre metres euro euros dollar dollars people "
        "daily open closed able available novel independent beneficial applicable comprehensive reduce continue "
        "improve explain help helps set sets opt close change changes point points end ends add adds create creates "
        "ensure underwent undergo revealed gonna wanna gotta cuz kinda gov www http https org com html etc interest "
        "respect experience experiences lives line lines page pages list lists form work part parts case cases "
        "example examples younger older last own respective multiple mandatory total consider"
    )
)
# Words that are no part of a term beside them.
NO_PARTS = VERBS | EMPTY | STOP_WORDS | word_set("term terms word words called")
# Before a noun stand the first; before a verb or an adjective rather the second.
BEFORE_NOUNS = word_set(
    "the a an this that these those each every any some no all both our its their his her your my of in for with by on "
    "from at into between about through during without under over per via among against"
)
BEFORE_OTHERS = word_set(
    "to can could will would may might must shall should cannot not we they you i he she it who is are was were be "
    "been being very more most less too so quite how also please let"
)
# A shared phrase of nothing but these says nothing about its text.
FUNCTION_WORDS = word_set(
    "a an and are as at be been but by can for from had has have in into is it its may more not of on or our such "
    "than that the their them then there these they this those to was we were when which while who will with would"
)
