"""Abbreviations, and the words around a period that tell whether a sentence ends there."""

from __future__ import annotations

from memsum.english import word_set

# A period after one of these belongs to the word: the sentence always goes on.
CONTINUING = word_set(
    """
    fig figs tab tabs eq eqs eqn eqns ref refs sect sects thm prop cor def lem chap vol vols pp suppl supp rept
    e.g i.e eg ie viz cf c.f vs v approx ca resp incl excl esp aka a.k.a subsp ssp cv ver
    """
)

# Likewise, but only when capitalised: "Ms. Chen" and "5 ms".
TITLES = word_set(
    """
    dr drs prof mr mrs ms mx messrs rev hon gov sen rep reps gen col lt capt sgt maj cmdr adm pres supt st mt ft
    """
)

# These are abbreviations only before a number: "No. 5" and "The answer is no."
BEFORE_NUMBER = word_set("no nos nr art arts sec secs p ch chs pt pts app cat para stat amdt amdts cl cls")

# These may end a sentence: only a word that usually opens one tells.
CLOSING = word_set(
    """
    al inc ltd co corp llc plc bros gmbh dept univ assn assoc natl intl jr sr esq
    jan feb mar apr jun jul aug sep sept oct nov dec
    sp spp var comb ph.d m.d d.phil m.sc b.sc const ann
    """
)

# "group A. Patients": the letter names something and is not the initial of a person.
LETTERED = word_set(
    """
    group groups type types vitamin hepatitis class grade panel stage arm part appendix table figure factor
    influenza protein domain chain region site phase cohort case model method version category level set series
    than immunoglobulin cyclosporin variant strain subtype plan option team sample on context variable
    milestone condition
    """
)

# Words that often open a sentence and hardly ever follow an abbreviation inside one.
STARTERS = word_set(
    """
    the a an this that these those it its he she they we our i you there here his her their my one two three some
    most many both all each any every no not none another other others such several few more only
    in on at by for from with within without to as of after before during since while when where whereas if although
    though because until upon under over between among across through despite given based according using following
    however therefore thus hence moreover furthermore additionally finally then next first second third also but and
    or so yet besides nevertheless nonetheless consequently instead meanwhile overall together taken similarly likewise
    interestingly importantly notably indeed specifically briefly surprisingly unfortunately recently currently
    accordingly conversely subsequently collectively later now what why how who which
    patients participants subjects data results figure table section studies
    """
)

# Those of them that open a sentence even where the space before it is missing, unlike "Now" in "time.Now".
CLEAR_STARTERS = word_set(
    """
    the this that these those it its he she they we our you there here his her their another several such in although
    though because while whereas however therefore thus hence moreover furthermore additionally finally but and so
    nevertheless consequently instead meanwhile more many some if since despite according
    """
)

# "5 p.m. EST": behind the hour, these go on with the time.
HOURS = word_set("a.m p.m")
ZONES = word_set(
    """
    EST EDT ET CST CDT CT MST MDT MT PST PDT PT UTC GMT BST CET CEST EET IST JST
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September
    October November December
    """
)
