"""The kernels count words and characters of every script as a reader of the language does."""

from __future__ import annotations

import unicodedata

import pytest

from simdocs.options.families import UNITS
from tests import strategies as some
from tests.twins import shingles as twin

WORDS = {
    # In scripts with spaces: the words, with case folded, and with their marks. "|" stands between them.
    "Amharic": ("ሰላም ለዓለም፣ ዛሬ", "ሰላም|ለዓለም|ዛሬ"),
    "Arabic": ("اَلسَّلَامُ عليكم، يا صديقي", "اَلسَّلَامُ|عليكم|يا|صديقي"),
    "Armenian": ("Բարև ձեզ, Երևան", "բարեւ|ձեզ|երեւան"),
    "Bengali": ("আমার সোনার বাংলা।", "আমার|সোনার|বাংলা"),
    "Bulgarian": ("Ябълките са Сладки", "ябълките|са|сладки"),
    "Czech": ("Příliš žluťoučký kůň", "příliš|žluťoučký|kůň"),
    "Georgian": ("გამარჯობა, მსოფლიო!", "გამარჯობა|მსოფლიო"),
    "German": ("Die Größe, 12 Äpfel", "die|grösse|12|äpfel"),
    "Greek": ("Ὁ ΛΌΓΟΣ τοῦ θεοῦ", "ὁ|λόγοσ|του\u0342|θεου\u0342"),
    "Gujarati": ("ગુજરાતી ભાષા છે.", "ગુજરાતી|ભાષા|છે"),
    "Hebrew": ("שָׁלוֹם עֲלֵיכֶם", "שָׁלוֹם|עֲלֵיכֶם"),
    "Hindi": ("हिन्दी में लिखी किताबें।", "हिन्दी|में|लिखी|किताबें"),
    "Kannada": ("ಕನ್ನಡ ನಾಡು", "ಕನ್ನಡ|ನಾಡು"),
    "Korean": ("안녕하세요, 세계 여러분", "안녕하세요|세계|여러분"),
    "Malayalam": ("മലയാളം ഭാഷയാണ്.", "മലയാളം|ഭാഷയാണ്"),
    "Nepali": ("नेपाली भाषा", "नेपाली|भाषा"),
    "Persian": ("کتاب\u200cها را بخوان؟", "کتاب|ها|را|بخوان"),
    "Punjabi": ("ਪੰਜਾਬੀ ਬੋਲੀ", "ਪੰਜਾਬੀ|ਬੋਲੀ"),
    "Russian": ("Ёлки и Палки", "ёлки|и|палки"),
    "Sinhala": ("සිංහල භාෂාව", "සිංහල|භාෂාව"),
    "Tamil": ("தமிழ் மொழி அழகு.", "தமிழ்|மொழி|அழகு"),
    "Telugu": ("తెలుగు భాష", "తెలుగు|భాష"),
    "Tibetan": ("བོད་སྐད་", "བོད|སྐད"),
    "Turkish": ("Istanbul'da şişe", "istanbul|da|şişe"),
    "Ukrainian": ("Об'єднання і Ґанок", "об|єднання|і|ґанок"),
    "Vietnamese": ("Tiếng Việt, được", "tiếng|việt|được"),
    # In scripts without: every character with its marks.
    "Burmese": ("မြန်မာ စာ", "မြ|န်|မာ|စာ"),
    "Chinese": ("你好，世界。Hello世界", "你|好|世|界|hello|世|界"),
    "Japanese": ("日本語のいすゞGIGA", "日|本|語|の|い|す|ゞ|giga"),
    "Khmer": ("ភាសាខ្មែរ", "ភា|សា|ខ្|មែ|រ"),
    "Lao": ("ພາສາລາວ ດີ", "ພ|າ|ສ|າ|ລ|າ|ວ|ດີ"),
    "Thai": ("ภาษาไทย ที่ดี", "ภ|า|ษ|า|ไ|ท|ย|ที่|ดี"),
}

WHOLE = [(text, form) for text, _ in WORDS.values() for form in ("NFC", "NFD")]


def tokens(text: str, shingling: some.Shingling) -> list[int]:
    return some.rows_of(some.tokens_of([text.encode()], shingling))[0]


@pytest.mark.parametrize("language", WORDS)
def test_words_of_every_script_are_counted_right(language):
    text, words = WORDS[language]
    shingling = some.shingling(unit="word", k=1)
    assert some.spelt_units([text.encode()], shingling) == [words.split("|")]


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("switches", [some.normalisation(), some.normalisation(nfkc=True, strip_accents=True)])
def test_words_of_all_scripts_in_one_batch_are_the_same(unit, switches):
    batch = [unicodedata.normalize(form, text).encode() for text, form in WHOLE]
    shingling = some.shingling(unit=unit, k=2, normalisation=switches)
    found = some.rows_of(some.tokens_of(batch, shingling))
    assert found == [twin.tokens(raw, shingling) for raw in batch]
