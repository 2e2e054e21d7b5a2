from __future__ import annotations

from pathlib import Path

import pytest

from memsum.document import Document, read_document
from memsum.errors import DocumentError

from ...helpers import texts

PAPER = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2//EN" "JATS-journalpublishing1.dtd">
<article xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink">
<front>
  <journal-meta><journal-title>Journal of Pumps</journal-title></journal-meta>
  <article-meta>
    <title-group><article-title>Seals &amp; <italic>ice</italic> in H<sub>2</sub>O</article-title></title-group>
    <contrib-group><contrib><name><surname>Okafor</surname></name></contrib></contrib-group>
    <abstract abstract-type="graphical"><p>A drawing of a pump.</p></abstract>
    <abstract>
      <title>Abstract</title>
      <sec><title>Background</title><p>Pumps fail in winter. Nobody knows why.</p></sec>
      <sec><title>Results</title><p>Seals were brittle (p&#x2009;=&#x2009;0.02).</p></sec>
      <p><bold>DOI:</bold> 10.1000/pumps.1</p>
    </abstract>
    <abstract abstract-type="teaser"><p>Read this.</p></abstract>
    <trans-abstract xml:lang="de"><p>Pumpen versagen im Winter.</p></trans-abstract>
  </article-meta>
</front>
<body>
  <p>A line before the sections.</p>
  <sec>
    <label>1</label><title>Introduction</title>
    <p>Pumps were studied by Hale et al.<sup><xref ref-type="bibr" rid="r1">1</xref>,<xref ref-type="bibr"
      rid="r2">2</xref></sup> in 1990. The load was 10<sup>5</sup>&#160;Pa at
      <inline-formula><alternatives><tex-math>\\documentclass{x}\\begin{document}$$\\kappa$$\\end{document}</tex-math>
      <mml:math><mml:mi>κ</mml:mi></mml:math></alternatives></inline-formula> = 3 (<xref ref-type="fig">Fig. 1</xref>).
      It follows that <disp-formula><tex-math>E = mc^2</tex-math></disp-formula> holds.
      <fig><label>Figure 1</label><caption><title>A pump.</title><p>It is old.</p></caption><graphic/></fig>
      &alpha; is small.<!-- a comment. Here. --></p>
    <p>We asked for:<list><list-item><label>a</label><p>the age;</p></list-item>
      <list-item><p>the maker. It was often unknown.</p>
        <list><list-item><p>a nested point</p></list-item></list></list-item>
      </list>All were noted.<fn><p>Except one.</p></fn></p>
    <sec><title>Aims</title><p>We aim to know [<xref ref-type="bibr">3</xref>].</p>
      <table-wrap><label>Table 1.</label><caption><p>Ages of pumps.</p></caption>
        <table><tr><td>secret cell</td></tr></table><table-wrap-foot><p>n = 3</p></table-wrap-foot></table-wrap>
      <boxed-text><p>Key point.</p></boxed-text>
      <disp-quote><p>Ice is patient.</p></disp-quote>
      <def-list><def-item><term>seal</term><def><p>a ring</p></def></def-item></def-list>
    </sec>
  </sec>
  <sec><title>Acknowledgements</title><p>We thank a miner.</p></sec>
</body>
<back>
  <ack><title>Thanks</title><p>To the committee.</p></ack>
  <fn-group><fn><p>No conflict.</p></fn></fn-group>
  <app-group><app><title>Appendix A</title><p>More data.</p></app></app-group>
  <ref-list><title>References</title>
    <ref><label>1</label><element-citation><name><surname>Hale</surname><given-names>B</given-names></name><year>1990</year></element-citation></ref>
    <ref><mixed-citation>Okafor J. <source>Ice</source>. 2001.</mixed-citation></ref>
  </ref-list>
</back>
<floats-group><fig><label>Figure 2</label><caption><p>A late figure.</p></caption></fig></floats-group>
<sub-article><body><p>The reviewers liked it.</p></body></sub-article>
</article>
"""


@pytest.fixture(scope="module")
def paper() -> Document:
    return read_document(PAPER.encode())


def test_title_and_structured_abstract(paper: Document) -> None:
    assert paper.format == "jats"
    assert paper.title == "Seals & ice in H2O"
    assert [(s.text, s.section) for s in paper.abstract] == [
        ("Pumps fail in winter.", "Background"),
        ("Nobody knows why.", "Background"),
        ("Seals were brittle (p = 0.02).", "Results"),
    ]


def test_running_text(paper: Document) -> None:
    assert [(s.text, s.section) for s in paper.sentences] == [
        ("A line before the sections.", None),
        ("Pumps were studied by Hale et al.[1,2] in 1990.", "Introduction"),
        ("The load was 10^5 Pa at κ = 3 (Fig. 1).", "Introduction"),
        ("It follows that holds.", "Introduction"),
        ("α is small.", "Introduction"),
        ("We asked for:", "Introduction"),
        ("the age;", "Introduction"),
        ("the maker.", "Introduction"),
        ("It was often unknown.", "Introduction"),
        ("a nested point", "Introduction"),
        ("All were noted.", "Introduction"),
        ("We aim to know [3].", "Aims"),
        ("Ice is patient.", "Aims"),
        ("seal: a ring", "Aims"),
    ]


def test_what_is_not_running_text_is_marked(paper: Document) -> None:
    assert texts(paper, "caption") == [
        "Figure 1. A pump. It is old.",
        "Table 1. Ages of pumps.",
        "Figure 2. A late figure.",
    ]
    assert texts(paper, "reference") == ["1 Hale B 1990", "Okafor J. Ice. 2001."]
    assert texts(paper, "boilerplate") == [
        "DOI: 10.1000/pumps.1",
        "Except one.",
        "n = 3",
        "Key point.",
        "We thank a miner.",
        "To the committee.",
        "No conflict.",
        "More data.",
        "The reviewers liked it.",
    ]
    assert texts(paper, "table") == ["secret cell"]
    for left_out in ("mc^2", "drawing", "Read this", "Pumpen", "comment", "documentclass"):
        assert left_out not in paper.text


def test_headings_have_levels(paper: Document) -> None:
    headings = [(paper.text[b.start : b.end], b.level) for b in paper.blocks if b.kind == "heading"]
    assert headings == [
        ("Introduction", 1),
        ("Aims", 2),
        ("Acknowledgements", 1),
        ("Thanks", 1),
        ("Appendix A", 1),
        ("References", 1),
    ]
    assert [name for name, _ in paper.top_sections()] == [None, "Introduction"]


@pytest.mark.parametrize(
    "wrapped",
    [
        "<article><body><p>Only a body. Two sentences.</p></body></article>",
        '<j:article xmlns:j="urn:jats"><j:body><j:p>Only a body. Two sentences.</j:p></j:body></j:article>',
        '<?xml version="1.0"?><set><article><body><p>Only a body. Two sentences.</p></body></article></set>',
    ],
)
def test_bare_namespaced_and_wrapped_articles(wrapped: str) -> None:
    for source in (wrapped, wrapped.encode(), wrapped.encode("utf-16") if "encoding" not in wrapped else wrapped):
        document = read_document(source)
        assert document.format == "jats"
        assert [s.text for s in document.sentences] == ["Only a body.", "Two sentences."]


def test_declared_encodings_are_used() -> None:
    xml = '<?xml version="1.0" encoding="{}"?><article><body><p>Größe zählt.</p></body></article>'
    assert read_document(xml.format("ISO-8859-1").encode("latin-1")).sentences[0].text == "Größe zählt."
    assert read_document(xml.format("ISO-8859-1")).sentences[0].text == "Größe zählt."


def test_external_entities_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    xml = (
        f'<!DOCTYPE article [<!ENTITY leak SYSTEM "{secret.as_uri()}"><!ENTITY own "expanded">]>'
        "<article><body><p>Before &leak; and &own; after.</p></body></article>"
    )
    document = read_document(xml.encode())
    assert [s.text for s in document.sentences] == ["Before and after."]


@pytest.mark.parametrize("where", ["<p>&l9;</p>", '<p id="&l9;">x</p>'])
def test_xml_bombs_do_no_harm(where: str) -> None:
    entities = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE article [<!ENTITY l0 "lol">{entities}]><article><body>{where}</body></article>'
    with pytest.raises(DocumentError, match="damaged or unsafe"):
        read_document(bomb.encode())


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<?xml version='1.0'?><rss><item>News.</item></rss>", "not a JATS article"),
        ("<article><p>No front, no body.</p></article>", "not a JATS article"),
        ("<article><body><p>Cut in the mid", "damaged or unsafe"),
        ("<article><body>" + "<sec>" * 5000 + "</sec>" * 5000 + "</body></article>", "deeper than can be read"),
        ("<article><body></body></article>", "empty"),
        ("<article><body><p><alternatives/></p></body></article>", "empty"),
    ],
)
def test_what_cannot_be_read_is_said_in_one_sentence(xml: str, message: str) -> None:
    with pytest.raises(DocumentError, match=message) as caught:
        read_document(xml)
    assert caught.value.message.endswith(".")
    assert "\n" not in caught.value.message
