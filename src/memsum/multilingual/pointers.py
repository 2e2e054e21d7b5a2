"""Sentences of other languages that only say where to read on."""

from __future__ import annotations

import re

# At the beginning of a sentence, in small letters.
_OPENINGS = """
    siehe |vgl\\. |mehr dazu |weitere informationen |näheres (?:dazu|finde)
    |voir |consultez |pour plus (?:d.information|de détail)
    |véase |vea |consulte |para (?:más|obtener más) información
    |vedere |si veda |consultare |per (?:maggiori|ulteriori) informazioni
    |veja |para (?:mais|obter mais) informações
    |zie |raadpleeg |meer informatie
    |zob\\. |zobacz |patrz |więcej informacji|viz |více informací|viď |viac informácií
    |bkz\\.? |daha fazla (?:bilgi|ayrıntı)
    |см\\. |смотрите |подробнее |подробности |дополнительн\\w+ информаци|див\\. |докладніше |детальніше
    |se (?:även|också|avsnitt|kapitel) |mer information
    |katso |lisätietoja |lihat |untuk (?:informasi|keterangan) lebih|xem (?:thêm|phần|mục) |để biết thêm
    |参见|详见|请参阅|请参考|更多信息|更多详情|انظر |راجع |لمزيد من |للمزيد
    """
_POINTS = re.compile("".join(line.lstrip() for line in _OPENINGS.splitlines()))
_ENDS = re.compile(
    r"(?:を?参照(?:してください|のこと)?|をご覧ください|(?:참고|참조)(?:하세요|하십시오|합니다)|देखें)[。.।]$"
)


def points_elsewhere(sentence: str) -> bool:
    """Tell whether a sentence only says where to read on."""
    return _POINTS.match(sentence[:40].lower()) is not None or _ENDS.search(sentence[-20:]) is not None
