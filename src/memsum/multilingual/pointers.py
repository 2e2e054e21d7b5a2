"""Sentences of other languages that only say where to read on."""

from __future__ import annotations

import re

_POINTS = re.compile(
    r"""
    Siehe[ ]|Vgl\.[ ]|Mehr[ ]dazu[ ]|Weitere[ ]Informationen[ ]|Näheres[ ](?:dazu|finde)
    |Voir[ ]|Consultez[ ]|Pour[ ]plus[ ](?:d.information|de[ ]détail)
    |Véase[ ]|Vea[ ]|Consulte[ ]|Para[ ](?:más|obtener[ ]más)[ ]información
    |Vedere[ ]|Si[ ]veda[ ]|Consultare[ ]|Per[ ](?:maggiori|ulteriori)[ ]informazioni
    |Veja[ ]|Para[ ](?:mais|obter[ ]mais)[ ]informações
    |Zie[ ]|Raadpleeg[ ]|Meer[ ]informatie[ ]
    |Zob\.[ ]|Zobacz[ ]|Patrz[ ]|Więcej[ ]informacji|Viz[ ]|Více[ ]informací|Viď[ ]|Viac[ ]informácií
    |Bkz\.?[ ]|Daha[ ]fazla[ ](?:bilgi|ayrıntı)
    |См\.[ ]|Смотрите[ ]|Подробнее[ ]|Подробности[ ]|Дополнительн\w+[ ]информаци|Див\.[ ]|Докладніше[ ]|Детальніше[ ]
    |Se[ ](?:även|också|avsnitt|kapitel)[ ]|Mer[ ]information
    |Katso[ ]|Lisätietoja[ ]|Lihat[ ]|Untuk[ ](?:informasi|keterangan)[ ]lebih
    |Xem[ ](?:thêm|phần|mục)[ ]|Để[ ]biết[ ]thêm
    |参见|详见|请参阅|请参考|更多信息|更多详情|انظر[ ]|راجع[ ]|لمزيد[ ]من[ ]|للمزيد[ ]
    """,
    re.VERBOSE,
)
_STOPS = ("。", "오.", "요.", "다.", "ें।", "ें.")
_ENDS = re.compile(
    r"(?:を?参照(?:してください|のこと)?|をご覧ください|(?:참고|참조)(?:하세요|하십시오|합니다)|देखें)[。.।]$"
)


def points_elsewhere(sentence: str) -> bool:
    """Tell whether a sentence only says where to read on."""
    if sentence.endswith(_STOPS) and _ENDS.search(sentence[-20:]):
        return True
    return _POINTS.match(sentence) is not None
