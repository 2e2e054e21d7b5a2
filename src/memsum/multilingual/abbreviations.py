"""Abbreviations of other languages, and the words around a period that tell whether a sentence ends there.

sentencex knows many; these are those that it does not, or that papers and encyclopedias are full of. In small letters,
without the last period and without spaces: "z. B." is "z.b".
"""

from __future__ import annotations


def _sets(lists: dict[str, str]) -> dict[str, frozenset[str]]:
    return {language: frozenset(words.split()) for language, words in lists.items()}


# A period after one of these belongs to the word: the sentence goes on.
CONTINUING = _sets(
    {
        "de": """
        abb abs anm art aufl bd bde bzgl bzw ca chr dr dipl ebd ehem einschl engl evtl franz frl geb gegr gem gest ggf
        griech hl hrsg inkl insb insbes ital jap jmd kap lat lt max min mind nr o.g österr phil prof rd russ s s.a s.o
        sog span st stellv str tab u.a u.u v.a v.chr vgl vs z.b z.t z.zt zzgl d.h i.d.r i.a i.e i.s.v m.e n.chr
        bsp evt gen hg jg jur med mr mrs o.b.d.a orig rer skr sen tel ungar urspr usf verf veröff vol vorm wg zw
        """,
        "fr": """
        m mm mme mlle dr me mgr pr prof st ste cf p pp art fig figs tab éd vol chap env av apr ap n no nos réf éq ex
        p.ex c.-à-d c.à.d i.e al coll dir trad ms hab min max sect suppl t univ
        """,
        "es": """
        sr sra srta sres dr dra dres d dña ud uds vd p pp pág págs núm núms n.º nro fig figs cap caps art arts vol
        vols ed eds p.ej ej aprox gral prof profa lic ing av avda c/ cf cfr vid tab ec máx mín sto sta fr mons al
        univ dpto depto
        """,
        "it": """
        sig sigg sig.ra sig.na dott dott.ssa prof prof.ssa ing avv arch geom on sen fig figg cap capp art artt pag
        pagg p pp vol voll n nn num es p.es ad.es cfr ca circa ed s ss sta sto tab eq min max ecc.ra rev mons al v
        vv sec univ
        """,
        "pt": """
        sr sra srs srta dr dra drs prof profa eng arq pág págs p pp fig figs cap caps art arts vol vols núm n.º ex
        p.ex aprox av r ed eds tab eq cf máx mín sto sta gen cel ltda.me al d séc univ dept depto
        """,
        "nl": """
        bijv bv o.a d.w.z m.b.t t.o.v t.a.v i.p.v z.g zgn ca dhr mevr mw dr drs prof ir ing mr blz p nr resp incl excl
        nl vgl fig tab hfst st jhr art max min v.chr n.chr t.w i.v.m m.i.v e.d.a
        """,
        "sv": """
        t.ex bl.a d.v.s s.k ca kl nr resp f.d fr.o.m t.o.m e.kr f.kr fig tab dr prof s sid kap jfr st t.h t.v eng
        p.g.a m.fl.a a.a i.e max min
        """,
        "no": """
        f.eks bl.a ca dvs jf jfr kl nr s st mill mrd hhv pga dr prof fig tab kap ev evt inkl ekskl f.o.m t.o.m tlf vs
        f.kr e.kr m.a.o p.g.a s.k iht mht ifm gml
        """,
        "da": """
        f.eks bl.a ca dvs jf jvf kl nr s st mio mia hhv pga dr prof fig tab kap ev evt inkl ekskl tlf vs f.kr e.kr
        m.a.o p.g.a s.k iht mht ifm gl cand mag
        """,
        "pl": """
        np tzn tzw m.in prof dr hab inż mgr ul al pl św tj ok nr str s rys tab ryc por zob pt godz min max gen płk kpt
        ks bp abp o im woj pow gm art ust pkt red wyd tłum ang niem fr łac ros wł gr hiszp tys mln mld dot zw zał t
        vol wg ww jw b rozdz pn os lek med
        """,
        "cs": """
        např tzv tj č čís str obr tab mj sv ul dr ing mgr prof doc kap srov r.1 angl fr lat cca tis mil mld gen
        arch odst písm sb vyd s.r.o a.s t.č max min tzn zvl
        """,
        "sk": """
        napr tzv tj č čís str obr tab sv ul dr ing mgr prof doc kap porov angl nem lat cca tis mil mld gen odst písm
        max min tzn najm
        """,
        "tr": """
        dr prof doç yrd öğr av sn örn bkz bknz sf s no nu şek çiz tab m.ö m.s t.c cad sok mah apt alb org gen tğm yzb
        haz çev ed alm ing fr ar lat op uzm ort maks min krş md cilt c st
        """,
        "ru": """
        т.е т.к т.н т.ч т.о рис табл гл стр см ср напр англ нем фр франц лат греч рус итал исп род ум ок св пер ред
        изд проф акад доц канд ул пр пл просп д кв корп обл пос дер оз им гр тов г-н ст п пп ч вып ил прим сокр макс
        мин ф-ла ур разд прил р-н о-в тел ф букв соотв отд мл
        """,
        "uk": """
        т.е т.к т.зв т.ч рис табл див напр англ нім фр лат грец рос ім проф акад доц вул просп пл обл смт оз ред вид
        ст с п пп ч вип прим розд рр св бл пор ін.ш
        """,
        "ar": "د أ م ص ق.م هـ ج ط",
        "hi": "डॉ डा प्रो पं श्री सं ई.पू कि.मी मि.मी से.मी उदा वि.सं",
        "id": "dr drs dra prof ir hal no tgl jl a.l yth kol ds h hj rp s.d d.a a.n dkk.al gbr tab",
        "vi": "tp ths ts gs pgs bs tr t.s th.s đ/c q p.gs",
        "hu": "pl ill kb ún dr prof old ld vö ti ui szt id ifj özv u.n max min kft.-nél tsz fel ford szerk ang ném lat",
        "fi": "esim mm ks n s klo nk prof tri os yms.al vrt ts tms.al engl ruots saks lat til hlö",
        "ro": "dr prof nr str pag fig ex dl dna î.hr d.hr art cap vol ed cf ing gen sf bd jud tel aprox ș.a.m.d.e",
        "ca": "sr sra dr dra p pp pàg pàgs núm fig cap art vol ed p.ex ex aprox prof cf av c tab",
        "el": "π.χ δηλ κ κ.κ βλ σελ αρ εικ πίν π.δ κ.ά.λ λ.χ παρ κεφ τ.μ δρ καθ",
        "he": "ד פרופ מס עמ",
    }
)

# A sentence may end here: it does where the next word usually opens one.
CLOSING = _sets(
    {
        "de": """
        usw etc jh jhs jhd jhdt u.z v.u.z u.ä o.ä u.dgl mio mrd jr sr co gmbh ag inc ltd jan feb apr aug sept okt nov
        dez
        """,
        "fr": "etc j.-c jr cie",
        "es": "etc ee.uu s.a s.l a.c d.c cía jr",
        "it": "ecc etc a.c d.c s.p.a s.r.l jr",
        "pt": "etc a.c d.c s.a ltda cia jr",
        "nl": "enz etc e.d jr",
        "sv": "osv etc m.m m.fl o.s.v o.d",
        "no": "osv etc mv m.m o.l m.fl kr",
        "da": "osv etc mv m.m o.l m.fl kr",
        "pl": "itd itp etc n.e p.n.e in m.st n.p.m",
        "cs": "atd apod aj n.l př.n.l př.kr",
        "sk": "atď apod a.i n.l pred.n.l",
        "tr": "vb vs vd a.ş ltd şti",
        "ru": "т.д т.п др пр н.э и.т.д",
        "uk": "т.д т.п ін н.е",
        "id": "dll dsb dst tbk pt sm m",
        "vi": "v.v vv",
        "hu": "stb",
        "fi": "jne tms yms ym jkr ekr oy",
        "ro": "etc ș.a ș.a.m.d",
        "ca": "etc a.c d.c s.a",
        "el": "κ.λπ κ.ά κλπ κτλ π.χρ μ.χ",
    }
)

# Units behind a number, and titles or places without one: "1995 г. Он", but "г. Москва".
BEHIND_NUMBER = _sets(
    {
        "ru": "г гг в вв руб коп тыс млн млрд ч мин сек м км кг р",
        "uk": "р рр ст грн тис млн млрд год хв",
        "pl": "r w zł gr sek",
        "cs": "r stol st hod",
        "sk": "r stor hod",
        "tr": "yy",
        "hu": "sz é",
        "bg": "г в лв",
    }
)

# Ordinals are written with a period: "am 3. Mai", "II. Dünya Savaşı", "lat 60. XX wieku".
WITH_ORDINALS = frozenset(
    ("de", "no", "nb", "nn", "da", "fi", "cs", "sk", "sl", "hr", "sr", "bs", "pl", "tr", "hu", "et", "lv", "is")
)

# Nouns, or the names of what is counted, have capitals: "18. Jahrhundert", "5. Bölüm".
WITH_CAPITALS = frozenset(("de", "tr"))

# Words before an ordinal, where what follows cannot be a new sentence.
BEFORE_ORDINAL = _sets(
    {
        "de": """
        am der die das dem den des vom zum zur im beim bis seit ab ein eine einem einen einer eines ihr ihrem ihren
        ihrer sein seinem seinen seiner ins und oder zwischen jeder jedes jedem jeden dieser dieses diesem unser
        unsere
        """,
        "no": "den det de i til fra sitt sin sine og eller hver",
        "da": "den det de i til fra sit sin sine og eller hver",
        "pl": "lat latach lata latami od do w na roku i z po przed około",
        "cs": "v ve od do na let letech a z po před dne",
        "sk": "v vo od do na rokov rokoch a z po pred dňa",
        "tr": "ve bu her ile",
        "hu": "a az és",
        "fi": "ja",
    }
)

# Words that open sentences and hardly ever follow an abbreviation or an ordinal inside one.
STARTERS = _sets(
    {
        "de": """
        der die das den dem des ein eine einer einem einen es er sie wir ich ihr man dies diese dieser dieses diesem
        diesen jedoch aber und oder doch denn dann danach daher dabei damit dadurch dafür dagegen daneben daraus darum
        deshalb deswegen dennoch trotzdem außerdem zudem ferner zwar allerdings hier hierbei hierzu hierfür heute
        bereits schon erst seit seitdem später nach nachdem vor vorher während wenn weil obwohl als auch auf aus an am
        bei beim bis durch für gegen im in ins mit ohne über um unter von vom zu zum zur zwischen so somit sowohl sein
        seine seinem seinen ihre ihrem ihren nicht nur noch nun wie was wer wo warum wobei wurde war ist sind hat
        haben kann alle alles andere beide einige mehrere viele jeder jede jedes kein keine neben trotz wegen laut
        insgesamt dort da dazu davon darüber darunter zunächst schließlich anschließend zuerst zuletzt ab anders
        ebenso gleichzeitig
        """,
        "fr": """
        le la les un une des il elle ils elles on nous vous je ce cet cette ces son sa ses leur leurs mais et ou donc
        or ni car en dans pour par sur avec sans sous selon après avant depuis pendant lors lorsque quand si comme
        ainsi cependant toutefois enfin puis alors aussi afin au aux à de du d'après c'est l' d' qu' tout tous
        plusieurs certains chaque aucun entre malgré grâce c' s' n' j' lorsqu' puisqu' jusqu'
        """,
        "es": """
        el la los las un una unos unas él ella ellos ellas este esta estos estas ese esa eso esto su sus en de del al
        a para por con sin sobre según tras desde hasta entre durante cuando si como así sin embargo pero y o aunque
        porque también además no se lo le les más muchos algunos cada otro otra hay es son fue era
        """,
        "it": """
        il lo la i gli le un uno una questo questa questi queste quello quella egli ella esso essa essi loro in nel
        nella di del della dei da dal per con su tra fra dopo prima durante quando se come così ma e o però inoltre
        anche non si ogni alcuni molti tutti è sono era nonostante secondo altrimenti l' un' nell' dell' all' dall'
        sull' quest' c' d'
        """,
        "pt": """
        o a os as um uma uns umas ele ela eles elas este esta isto esse essa isso seu sua em no na nos nas de do da
        para por pelo pela com sem sobre segundo após desde até entre durante quando se como assim mas e ou porém
        embora também além não há é são foi era cada muitos alguns outro outra
        """,
        "nl": """
        de het een hij zij ze we wij ik men dit dat deze die er in op van voor met bij na naar om uit aan door tot
        over onder tussen maar en of want dus toch ook als toen wanneer omdat hoewel daarna daarom echter bovendien
        sinds volgens tijdens veel alle elk geen niet zijn haar hun
        """,
        "sv": """
        den det de en ett han hon vi jag man detta denna dessa i på av för med till från om under efter innan över
        mellan men och eller så när eftersom även dock också därför sedan enligt många alla varje ingen inte hans
        hennes deras
        """,
        "no": """
        den det de en et ei han hun vi jeg man dette denne disse i på av for med til fra om under etter før over
        mellom men og eller så når da fordi også derfor siden ifølge mange alle hver ingen ikke hans hennes deres
        """,
        "da": """
        den det de en et han hun vi jeg man dette denne disse i på af for med til fra om under efter før over mellem
        men og eller så når da fordi også derfor siden ifølge mange alle hver ingen ikke hans hendes deres
        """,
        "pl": """
        w we na z ze do od po za przy przed nad pod o u dla bez przez to ten ta te ci tym tego tej on ona ono oni one
        jest są był była było były nie i a ale lecz oraz lub albo jednak więc dlatego gdy kiedy jeśli jeżeli ponieważ
        choć także również następnie potem później wówczas wtedy natomiast ponadto jego jej ich każdy wiele niektóre
        według podczas od już jako tak co kto jak gdzie
        """,
        "cs": """
        v ve na z ze do od po za při před nad pod o u pro bez to ten ta tento tato toto on ona oni je jsou byl byla
        bylo byly ne a ale avšak nebo však proto když pokud protože také poté později podle během jeho její jejich
        každý mnoho i již jako tak co kdo jak kde
        """,
        "sk": """
        v vo na z zo do od po za pri pred nad pod o u pre bez to ten tá tento táto toto on ona oni je sú bol bola bolo
        boli nie a ale avšak alebo však preto keď ak pretože tiež potom neskôr podľa počas jeho jej ich každý mnoho i
        už ako tak čo kto kde
        """,
        "tr": """
        bu bir ve ama fakat ancak çünkü o onlar biz ben siz böylece böyle ayrıca daha sonra önce ardından bunun buna
        bunu bunlar şu her bazı birçok tüm için ile eğer ne nasıl neden hem de da olarak göre yani örneğin özellikle
        """,
        "ru": """
        в во на с со из к ко по о об от до для за под над при у без через между после перед он она оно они мы я вы это
        этот эта эти тот та те его её их а и но или однако поэтому если когда чтобы так также кроме хотя потом затем
        не что кто как где был была было были есть все каждый многие некоторые согласно впервые
        """,
        "uk": """
        у в на з із зі до від по про для за під над при без через між після перед він вона воно вони ми я ви це цей ця
        ці той та ті його її їх а і й але або однак тому якщо коли щоб так також крім хоча потім не що хто як де був
        була було були є всі кожен багато згідно
        """,
        "id": """
        yang dan di ke dari pada untuk dengan oleh dalam ini itu ia dia mereka kami kita namun tetapi jika ketika
        karena setelah sebelum selain menurut para semua setiap tidak adalah sebagai
        """,
        "hu": """
        a az egy és de vagy hogy ha mert mivel amikor ez ezek azok ő ők nem is már csak után előtt szerint azonban
        ezért majd később minden több sok
        """,
        "fi": """
        se hän he me minä tämä nämä ne ja mutta tai kun jos koska myös kuitenkin siksi sitten jälkeen ennen ei on oli
        ovat olivat joka kaikki monet
        """,
        "ro": """
        în la de pe din cu pentru prin după înainte între el ea ei ele acest această acesta aceasta un o dar și sau
        însă deci dacă când deși nu este sunt a au fost fiecare mulți unele
        """,
        "ca": """
        el la els les un una en de del al a per amb sense sobre segons després abans quan si com així però i o també
        no es és són va aquest aquesta
        """,
        "el": "ο η το οι τα ένας μια ένα στο στη στον στην από με για και αλλά όμως αν όταν επίσης αυτός αυτή αυτό δεν",
    }
)
