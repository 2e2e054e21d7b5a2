"""Words of other languages that ask: they are in questions, and hardly in what answers them."""

from __future__ import annotations

import re

from memsum.english import word_set
from memsum.multilingual.abbreviations import STARTERS

_WORDS = word_set(
    """
    wer was wann wo wohin woher wie warum wieso weshalb welche welcher welches welchen welchem wieviel
    wieviele qui que quoi quand où comment pourquoi quel quelle quels quelles combien lequel laquelle quién
    quiénes qué cuándo dónde cómo cuál cuáles cuánto cuánta cuántos cuántas chi che cosa quando dove come
    perché quale quali quanto quanta quanti quante quem quê onde porque qual quais quantos quantas wat wanneer
    waar hoe waarom welk welke hoeveel vem vad när var hur varför vilken vilket vilka hvem hva hvad hvornår
    hvor hvordan hvorfor hvilken hvilket hvilke kto co kiedy gdzie jak dlaczego który która które ile czy kdo
    kdy kde proč který která které kolik čo kedy ako prečo ktorý ktorá ktoré koľko tko što kada kako zašto
    koliko kim ne nedir nerede nasıl neden niçin hangi kaç kimdir mı mi mu mü кто что когда где куда как
    почему зачем какой какая какое какие сколько чем чём ли хто що коли де куди як чому навіщо який яка яке
    які скільки чи kuka mikä mitä milloin missä miten miksi kuinka montako ki mit mikor hol hogyan miért
    melyik mennyi hány cine când unde cum câte câți cât ποιος ποια ποιο τι πότε πού πώς γιατί πόσο πόσα من ما
    ماذا متى أين كيف لماذا كم هل أي कौन क्या कब कहाँ कैसे क्यों कितना कितने कितनी किस siapa apa kapan dimana
    mana bagaimana mengapa kenapa berapa apakah gì nào bao nhiêu sao đâu ai
    무엇 무엇인가 무엇인가요 무엇입니까 누구 누가 언제 어디
    어디서 어떻게 왜 얼마 어떤
    """
)
_PHRASES = re.compile(
    r"(?:は)?(?:何|なん|いくら|いつ|どこ|誰)(?:で|に|が|を)?(?:です|ます)?か|ですか|ますか|とは|なぜ|どのように|どうやって"
    r"|什么时候|什么|为什么|怎么样|怎么|怎样|如何|哪里|哪个|哪些|多少|谁|吗|呢"
)


def without_question_words(question: str, language: str | None) -> str:
    """Return the words of a question that say what it is about; all of them where no others are left."""
    usual = STARTERS.get((language or "").partition("-")[0], frozenset()) | _WORDS
    words = _PHRASES.sub(" ", question).split()
    return " ".join(word for word in words if word.strip("¿?؟？¡!,.\"'«»").lower() not in usual) or question
