"""Single-byte encodings of Latin script, told apart by the letters of languages."""

import pytest

from refdesk.knowledge.parsing.encoding import decode

_WESTERN = [
    "La naïve Hélène a mangé des pâtes à la crème brûlée où ça coûte très cher.",
    "Größe und Qualität: Fußgänger überqueren die Straße.",
    "El niño comió piñas en la mañana. ¿Qué pasó con el señor?",
    "A situação não é boa. As condições são difíceis, avó e irmã também.",
    "Åsa äter smörgås på fjället. Öl är gott.",
    "Blåbærsyltetøy på brødskive er sunt. Ærlig talt øl.",
    "Perché la città è così bella? Già, più o meno. Però non c'è.",
    "Äiti lähti kävelylle yöllä. Pöytä on täynnä.",
    "Þetta er íslenskur texti með ð og þ. Ég á bók.",
    "Größe und Qualität, naïve café. Ça va? El niño comió piñas.",
    "The café's résumé cost £5.",
    "From -10 °C to 50 °C, ± 2 µm, § 4, ½",
    "café",
]
_OTHERS = [
    ("cp1250", "Zażółć gęślą jaźń. Książka jest dobra i świetna."),
    ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
    ("cp1250", "Árvíztűrő tükörfúrógép. Őszi eső."),
    ("cp1250", "Returnarea produselor este posibilă în şapte zile."),
    ("iso8859_2", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
    ("cp1254", "Ürün iadesi yedi gün içinde yapılabilir. Şartlar değişebilir."),
    ("cp1257", "Prekių grąžinimas galimas per septynias dienas. Sąlygos keičiasi."),
    ("cp1251", "Глава третья. Возврат товара возможен. API и SDK"),
]


@pytest.mark.parametrize("times", [1, 30])
@pytest.mark.parametrize("text", _WESTERN)
def test_western_text_is_read_whatever_its_language(text: str, times: int) -> None:
    lines = "\n".join([text] * times)
    assert decode(lines.encode("latin-1")).text == lines
    assert decode(lines.encode("cp1252")).text == lines


@pytest.mark.parametrize("times", [1, 30])
@pytest.mark.parametrize(("encoding", "text"), _OTHERS)
def test_other_single_byte_encodings_are_not_taken_for_western(encoding: str, text: str, times: int) -> None:
    lines = "\n".join([text] * times)
    assert decode(lines.encode(encoding)).text == lines
