"""Names of the sections of papers and reports in other languages: what a heading says about the text below it."""

from __future__ import annotations

import re

from memsum.english.section_names import KINDS, SectionRole, section_kind, section_name, section_role
from memsum.english.section_names import is_section_name as is_english_name
from memsum.multilingual import names

_LONGEST = 200  # letters of a heading that are looked at
_UNKNOWN, _OTHER = KINDS.index("unknown"), KINDS.index("other")
_NUMBERING = re.compile(r"^[一二三四五六七八九十百第章节節部제장]{1,6}[、．.\s]\s*|^[^\W\d_]{1,2}[.)]\s+")

# Without number, case and punctuation. A name that two languages share is listed once.
_ROLES: dict[SectionRole, frozenset[str]] = {
    "abstract": names(
        """
        abstract | kurzfassung | zusammenfassung | résumé | resumen | resumo | riassunto | sommario | streszczenie
        | abstrakt | özet | öz | аннотация | реферат | резюме | 摘要 | 要旨 | 概要 | 초록 | 요약 | 국문초록 | الملخص
        | ملخص | المستخلص | सारांश | samenvatting | sammanfattning | sammendrag | resumé | abstrak | tóm tắt
        """
    ),
    "reference": names(
        """
        literatur | literaturverzeichnis | quellen | quellenverzeichnis | einzelnachweise | referenzen | bibliografie
        | références | références bibliographiques | bibliographie | ouvrages cités | referencias
        | referencias bibliográficas | bibliografía | obras citadas | referências | referências bibliográficas
        | bibliografia | riferimenti | riferimenti bibliografici | note e riferimenti | literatura | piśmiennictwo
        | źródła | przypisy | kaynakça | kaynaklar | referanslar | литература | список литературы
        | список использованной литературы | список источников | библиография | примечания | источники | 参考文献
        | 参考资料 | 參考文獻 | 參考資料 | 引用文献 | 文献 | 脚注 | 出典 | 참고문헌 | 각주 | 출처 | المراجع | المصادر
        | قائمة المراجع | المراجع والمصادر | संदर्भ | सन्दर्भ | ग्रन्थसूची | literatuur | literatuurlijst | bronnen
        | referenties | referenser | källor | litteratur | referanser | kilder | noter | daftar pustaka | referensi
        | tài liệu tham khảo
        """
    ),
    "boilerplate": names(
        """
        danksagung | danksagungen | finanzierung | förderung | interessenkonflikt | interessenkonflikte
        | interessenskonflikt | autorenbeiträge | inhalt | inhaltsverzeichnis | weblinks | siehe auch | impressum
        | abkürzungen | abkürzungsverzeichnis | abbildungsverzeichnis | tabellenverzeichnis | weiterführende literatur
        | remerciements | financement | conflit dintérêts | conflits dintérêts | table des matières | sommaire
        | voir aussi | liens externes | liste des abréviations | mentions légales | pour aller plus loin
        | agradecimientos | financiación | financiamiento | conflicto de intereses | conflictos de intereses
        | contribución de los autores | índice | tabla de contenidos | tabla de contenido | contenido | véase también
        | enlaces externos | abreviaturas | aviso legal | agradecimentos | financiamento | conflito de interesses
        | conflitos de interesses | contribuição dos autores | sumário | conteúdo | ver também | ligações externas
        | ringraziamenti | finanziamenti | conflitto di interessi | conflitti di interesse | indice | voci correlate
        | collegamenti esterni | abbreviazioni | note legali | podziękowania | finansowanie | konflikt interesów
        | spis treści | zobacz też | linki zewnętrzne | wykaz skrótów | teşekkür | teşekkürler | finansman
        | çıkar çatışması | çıkar çatışması beyanı | içindekiler | ayrıca bakınız | dış bağlantılar | kısaltmalar
        | благодарности | благодарность | финансирование | конфликт интересов | вклад авторов | содержание | оглавление
        | см также | ссылки | список сокращений | 致谢 | 致謝 | 鸣谢 | 资助 | 基金项目 | 利益冲突 | 作者贡献 | 目录
        | 目錄 | 参见 | 參見 | 外部链接 | 外部連結 | 謝辞 | 利益相反 | 著者の貢献 | 目次 | 関連項目 | 外部リンク
        | 감사의 글 | 사사 | 이해상충 | 이해 상충 | 목차 | 차례 | 같이 보기 | 외부 링크 | شكر وتقدير | شكر وعرفان
        | التمويل | تضارب المصالح | المحتويات | الفهرس | انظر أيضا | وصلات خارجية | आभार | विषय सूची | इन्हें भी देखें
        | बाहरी कड़ियाँ | dankwoord | financiering | belangenconflict | inhoudsopgave | zie ook | externe links | tack
        | innehåll | se även | externa länkar | takk | innhold | se også | eksterne lenker | indhold
        | eksterne henvisninger | ucapan terima kasih | daftar isi | lihat pula | pranala luar | lời cảm ơn | mục lục
        | xem thêm | liên kết ngoài
        """
    ),
}
_ROLE_OF = {name: role for role, listed in _ROLES.items() for name in listed}

# Headings that most papers and reports have, beside those of `_ROLES`.
_BODY_NAMES = names(
    """
    einleitung | einführung | hintergrund | zielsetzung | fragestellung | methode | methoden | methodik
    | material und methoden | material und methode | patienten und methoden | ergebnisse | ergebnisse und diskussion
    | diskussion | schlussfolgerung | schlussfolgerungen | fazit | ausblick | zusammenfassung und ausblick | anhang
    | méthodes | méthode | matériel et méthodes | matériels et méthodes | résultats | résultats et discussion
    | contexte | objectifs | conclusions et perspectives | annexe | annexes | introducción | antecedentes | objetivos
    | métodos | metodología | materiales y métodos | material y métodos | resultados | resultados y discusión
    | discusión | conclusión | conclusiones | limitaciones | recomendaciones | introdução | métodos e materiais
    | materiais e métodos | metodologia | resultados e discussão | discussão | conclusão | conclusões
    | considerações finais | introduzione | obiettivi | metodi | materiali e metodi | risultati
    | risultati e discussione | discussione | conclusione | conclusioni | wstęp | wprowadzenie | cel pracy
    | materiał i metody | materiały i metody | metody | metodyka | wyniki | wyniki i dyskusja | dyskusja | omówienie
    | wnioski | podsumowanie | zakończenie | giriş | amaç | yöntem | yöntemler | gereç ve yöntem | gereç ve yöntemler
    | materyal ve metot | materyal ve yöntem | bulgular | bulgular ve tartışma | tartışma | sonuç | sonuçlar
    | sonuç ve öneriler | введение | цель исследования | материалы и методы | методы | методика
    | результаты | результаты и обсуждение | обсуждение | заключение | выводы | 引言 | 绪论 | 緒論 | 前言 | 背景
    | 相关工作 | 方法 | 材料与方法 | 材料和方法 | 实验 | 實驗 | 结果 | 結果 | 结果与讨论 | 讨论 | 討論 | 结论 | 結論
    | 总结 | 小结 | はじめに | 序論 | 緒言 | 目的 | 手法 | 材料と方法 | 実験 | 結果と考察 | 考察 | まとめ | おわりに
    | 서론 | 배경 | 방법 | 연구 방법 | 재료 및 방법 | 결과 | 연구 결과 | 고찰 | 논의 | 결론 | مقدمة | المقدمة
    | المنهجية | منهجية البحث | المواد والطرق | النتائج | المناقشة | النتائج والمناقشة | الخاتمة | الخلاصة | التوصيات
    | प्रस्तावना | परिचय | विधि | परिणाम | चर्चा | निष्कर्ष | inleiding | methode | methoden | resultaten | discussie
    | conclusie | conclusies | inledning | metod | metoder | diskussion | slutsats | slutsatser | innledning | metode
    | resultater | diskusjon | konklusjon | indledning | konklusion | pendahuluan | metode penelitian
    | hasil dan pembahasan | pembahasan | kesimpulan | simpulan | giới thiệu | mở đầu | phương pháp | kết quả
    | thảo luận | kết luận
    """
)
# Words of other languages that are English ones, or names, too.
_AMBIGUOUS = frozenset(("tack", "takk", "noter", "contexte", "metode", "metod", "sm"))

# The first kind whose words a heading has is its kind.
_WORDS = {
    "back matter": (
        r"danksag|literatur|quellen|anhang|interessenkonflikt|remerciement|référence|bibliogr|annexe|conflits? d.int"
        r"|agradec|referencia|referência|apéndice|apêndice|anexo|conflicto|conflito|ringrazia|riferiment|appendic"
        r"|conflitt|podziękow|piśmiennict|załącznik|przypis|teşekkür|kaynak|çıkar çatış|благодарн|литератур|приложен"
        r"|конфликт|致谢|致謝|参考|參考|附录|附錄|利益|謝辞|付録|文献|감사|참고|부록|이해상충|شكر|مراجع|المصادر|ملحق|تضارب"
        r"|संदर्भ|आभार|परिशिष्ट|dankwoord|bijlage|referens|referans|vedlegg|bilaga|daftar pustaka|lampiran|tài liệu"
        r"|phụ lục|lời cảm ơn|exercice|ejercicio|exercício|eserciz|ćwiczen|übung|alıştırma|упражнен|练习|練習|연습"
    ),
    "conclusion": (
        r"conclu|fazit|schluss|ausblick|perspektiv|wniosk|podsumowan|zakończen|sonuç|заключен|выводы|итоги|结论|結論"
        r"|总结|小结|小結|結語|结语|まとめ|おわりに|결론|맺음|خاتمة|الخلاصة|استنتاج|निष्कर्ष|उपसंहार|conclus|slutsats"
        r"|konklusjon|konklusion|kesimpulan|kết luận|slotwoord"
    ),
    "abstract": (
        r"zusammenfassung|kurzfassung|überblick|résumé|resumen|resumo|riassunto|sommario|streszczen|özet|аннотац"
        r"|реферат|резюме|摘要|要旨|要約|概要|概述|초록|요약|ملخص|सारांश|samenvatting|sammanfattn|sammendrag|resumé"
        r"|ringkasan|tóm tắt"
    ),
    "recommendations": (
        r"empfehlung|recommand|recomend|raccomand|zalecen|öneri|рекоменд|建议|建議|提言|권고|توصي|aanbevel|anbefal"
    ),
    "introduction": (
        r"einleit|einführ|introduc|introduz|wstęp|wprowadz|giriş|введен|引言|绪论|緒論|簡介|简介|导言|はじめに|序論|緒言"
        r"|서론|머리말|مقدمة|प्रस्तावना|परिचय|inleiding|inledning|innledning|indledning|pendahuluan|mở đầu|giới thiệu"
        r"|zielsetz|objectif|objetivo|obiettiv|cel pracy|amaç|цель|目的|목적|أهداف"
    ),
    "methods": (
        r"method|méthod|métod|metod|material|matériel|yöntem|gereç|материал|метод|方法|手法|材料|実験|实验|實驗|방법|재료"
        r"|منهج|طريقة|طرق|विधि|werkwijze|vorgehen|versuchs|patient|pacient|pazient|phương pháp"
    ),
    "results": (
        r"ergebnis|befunde|résultat|resultado|risultat|wynik|bulgu|результат|结果|結果|결과|نتائج|परिणाम|result|hasil"
        r"|kết quả"
    ),
    "discussion": (
        r"diskussion|erörter|discusi|discuss|dyskus|omówien|tartışma|обсужд|дискусс|讨论|討論|考察|고찰|논의|مناقشة|चर्चा"
        r"|diskusjon|pembahasan|thảo luận"
    ),
    "background": (
        r"hintergrund|stand der|forschungsstand|geschichte|contexte|antecedent|contexto|contesto|tło|arka plan|tarihçe"
        r"|предпосылк|история|背景|历史|歷史|関連研究|相关工作|배경|역사|خلفية|تاريخ|पृष्ठभूमि|इतिहास|achtergrond|bakgrund"
        r"|bakgrunn|baggrund|latar belakang|bối cảnh|histoire|historia|história|storia"
    ),
}
_PATTERNS = [(KINDS.index(kind), re.compile(words)) for kind, words in _WORDS.items()]


def role_in_any_language(heading: str) -> SectionRole | None:
    """Return what the text below a heading is, if it is not running text."""
    return _ROLE_OF.get(section_name(_NUMBERING.sub("", heading[:_LONGEST].strip())))


def is_section_name(line: str) -> bool:
    """Tell whether a line is the name of a section that most papers and reports have, in any language."""
    if is_english_name(line):
        return True
    name = section_name(_NUMBERING.sub("", line[:_LONGEST].strip()))
    return (name in _BODY_NAMES or name in _ROLE_OF) and name not in _AMBIGUOUS


def is_reference_name(heading: str) -> bool:
    """Tell whether references follow a heading, in any language."""
    return (section_role(heading) or role_in_any_language(heading)) == "reference"


def kind_in_any_language(heading: str) -> int:
    """Return the index in `KINDS` of a heading's kind."""
    kind = section_kind(heading)
    if kind != _OTHER:
        return kind
    words = heading[:_LONGEST].lower()
    return next((kind for kind, pattern in _PATTERNS if pattern.search(words)), _OTHER)
