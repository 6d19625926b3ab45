"""Sets of texts with known variants: tweets, short texts without spaces, code, laws, and mails with a signature.

Texts of one label are variants of one text; all others are unrelated, though they may share phrases or a template.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Edit = Callable[[str, random.Random], str]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, the label of its family, and whether it is a variant of the family's first text."""

    text: str
    label: int
    variant: bool


def _vocabulary(dice: random.Random, letters: str, size: int, shortest: int, longest: int) -> list[str]:
    return ["".join(dice.choices(letters, k=dice.randint(shortest, longest))) for _ in range(size)]


class Language:
    """Draws words, frequent ones more often, as Zipf's law says."""

    def __init__(self, words: Sequence[str], joint: str) -> None:
        self.words, self.joint = words, joint
        self._weights = [1 / (rank + 3) for rank in range(len(words))]

    def text(self, dice: random.Random, characters: int) -> str:
        """Return words that have about so many characters together."""
        drawn = dice.choices(self.words, self._weights, k=characters)
        text = self.joint.join(drawn)
        end = characters if not self.joint else text.find(self.joint, characters)
        return text[:end]

    def word(self, dice: random.Random) -> str:
        return dice.choice(self.words)


def typos(text: str, dice: random.Random) -> str:
    """Three other characters."""
    made = list(text)
    for at in dice.sample(range(len(made)), 3):
        made[at] = dice.choice([letter for letter in text if letter.strip() and letter != made[at]])
    return "".join(made)


def with_link(text: str, dice: random.Random) -> str:
    """A link of 25 characters."""
    return f"{text} http://t.co/" + "".join(dice.choices("abcdefghijkABCDEFGHIJK0123456789", k=12))


def retweet(text: str, dice: random.Random) -> str:
    """A retweet."""
    name = "".join(dice.choices("abcdefghijklmnop_", k=dice.randint(4, 10)))
    return f"RT @{name}: {text}"


def cut(text: str, _: random.Random) -> str:
    """A text of which a tenth is cut off."""
    return text[: -max(3, len(text) // 10)] + "…"


def other_word(language: Language) -> Edit:
    """Replaces one word, or three characters of a text without spaces."""

    def replaced(text: str, dice: random.Random) -> str:
        if language.joint:
            words = text.split(language.joint)
            words[dice.randrange(len(words))] = language.word(dice)
            return language.joint.join(words)
        at = dice.randrange(len(text) - 3)
        return text[:at] + language.word(dice) + text[at + 2 :]

    return replaced


def families(dice: random.Random, size: int, make: Callable[[], str], edits: Sequence[Edit]) -> Iterator[Labelled]:
    """Yield texts, a third of which are variants of others."""
    for label in range(size * 2 // 3):
        text = make()
        yield Labelled(text, label, False)
        if label % 2 == 0:
            yield Labelled(edits[label // 2 % len(edits)](text, dice), label, True)


def tweets(seed: int, size: int) -> list[Labelled]:
    """Tweets of 45 to 200 characters, with retweets, links, cuts, typos and other words; a tenth are check-ins."""
    dice = random.Random(seed)
    english = Language(_vocabulary(dice, "eeeeaaaiiooutnshrdlcmfwygpbvk", 6000, 2, 9), " ")

    def make() -> str:
        if dice.random() < 0.1:
            place = " ".join(english.word(dice).title() for _ in range(4))
            return f"I'm at {place} ({dice.randrange(900)} {english.word(dice)} st) http://4sq.com/{dice.random()}"
        return english.text(dice, dice.randint(45, 130) if dice.random() < 0.7 else dice.randint(130, 200))

    return list(families(dice, size, make, [retweet, with_link, cut, typos, other_word(english)]))


def bots(seed: int, size: int) -> list[Labelled]:
    """Tweets of 40 to 220 characters, and reports of the weather by a bot: a third of all, and of one template.

    An eighth of the others are variants: retweets, or with another word.
    """
    dice = random.Random(seed)
    english = Language(_vocabulary(dice, "eeeeaaaiiooutnshrdlcmfwygpbvk", 6000, 2, 9), " ")
    cities = [english.word(dice).title() for _ in range(300)]

    def report() -> str:
        return (
            f"Weather in {dice.choice(cities)}: {dice.randint(-5, 35)} degrees, wind {dice.randint(1, 60)} km/h,"
            f" humidity {dice.randint(20, 99)}%. Follow us for daily updates! #weather"
        )

    reports = dict.fromkeys(report() for _ in range(size // 3))
    made = [Labelled(text, -1 - label, False) for label, text in enumerate(reports)]
    for label in range(size - size // 3):
        text = english.text(dice, dice.randint(40, 220))
        made.append(Labelled(text, label, False))
        if label % 8 == 0:
            made.append(Labelled([retweet, other_word(english)][label // 8 % 2](text, dice), label, True))
    return made


def _without_spaces(letters: str, shortest: int, longest: int, words: int) -> Callable[[int, int], list[Labelled]]:
    def made(seed: int, size: int) -> list[Labelled]:
        dice = random.Random(seed)
        language = Language(_vocabulary(dice, letters, words, shortest, longest), "")
        edits = [typos, other_word(language), cut, with_link]
        return list(families(dice, size, lambda: language.text(dice, dice.randint(40, 120)) + "。", edits))

    return made


HAN = "".join(map(chr, range(0x4E00, 0x4E00 + 1500)))
KANA = "".join(map(chr, range(0x3041, 0x3094)))
THAI_LETTERS = "".join(map(chr, range(0x0E01, 0x0E2F))) + "ะาิีึืุูเแโใไ่้"

chinese = _without_spaces(HAN, 1, 3, 5000)
"""Chinese texts of 40 to 120 characters."""

japanese = _without_spaces(HAN[:600] + KANA * 8, 1, 4, 5000)
"""Japanese texts of 40 to 120 characters: more kana than kanji."""

thai = _without_spaces(THAI_LETTERS, 3, 6, 4000)
"""Thai texts of 40 to 120 characters."""

LICENCE = "".join(
    f"# {line}\n"
    for line in (
        "Licensed under the Example Licence, Version 2.0: you may not use this file except in compliance with it.",
        "Unless required by law or agreed to in writing, software is distributed on an AS IS BASIS,",
        "WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the licence.",
    )
)


def code(seed: int, size: int) -> list[Labelled]:
    """Modules with one licence, of functions over other names; variants have a renamed name, a comment, other lines."""
    dice = random.Random(seed)
    names = Language(_vocabulary(dice, "abcdefgilmnoprstu_", 3000, 3, 12), " ")

    def function() -> str:
        a, b, c = (names.word(dice) for _ in range(3))
        body = dice.choice(
            (
                f"    for {a} in range({dice.randrange(99)}):\n        {b} += {c}.{names.word(dice)}({a})\n"
                f"    return {b}\n",
                f"    if not {a}:\n        raise ValueError('{names.text(dice, 30)}')\n    return {b}({a}, {c})\n",
                f"    with open({a}) as {b}:\n        {c} = json.load({b})\n    return {c}['{names.word(dice)}']\n",
                f"    {a} = [{names.word(dice)} for {b} in {c}]\n    self.{names.word(dice)} = {a}\n",
            )
        )
        return f"def {names.word(dice)}({a}, {c}):\n    '''{names.text(dice, 40)}'''\n{body}\n"

    def make() -> str:
        return LICENCE + "import json\nimport os\n\n" + "".join(function() for _ in range(dice.randint(6, 30)))

    def renamed(text: str, dice: random.Random) -> str:
        name = dice.choice(text.split("def ")[1:]).split("(")[0]
        return text.replace(f"{name}(", f"{names.word(dice)}_new(")

    def commented(text: str, dice: random.Random) -> str:
        lines = text.split("\n")
        lines.insert(dice.randrange(8, len(lines)), f"# {names.text(dice, 50)}")
        return "\n".join(lines)

    def another_function(text: str, _: random.Random) -> str:
        return text + function()

    return list(families(dice, size, make, [renamed, commented, another_function, typos]))


def laws(seed: int, size: int) -> list[Labelled]:
    """Laws of 20 to 60 clauses, a third of which many laws have; variants have other words, amounts and a clause."""
    dice = random.Random(seed)
    english = Language(_vocabulary(dice, "eeeeaaaiiooutnshrdlcmfwygpbvk", 4000, 2, 11), " ")
    usual = [english.text(dice, dice.randint(80, 240)) + "." for _ in range(60)]

    def make() -> str:
        count = dice.randint(20, 60)
        clauses = [
            dice.choice(usual) if dice.random() < 0.33 else english.text(dice, dice.randint(80, 240)) + "."
            for _ in range(count)
        ]
        return "\n".join(f"Section {number}. {clause}" for number, clause in enumerate(clauses, 1))

    def amended(text: str, dice: random.Random) -> str:
        for _ in range(3):
            text = other_word(english)(text, dice)
        return text

    def with_clause(text: str, dice: random.Random) -> str:
        return f"{text}\nSection 99. {english.text(dice, 150)}."

    return list(families(dice, size, make, [amended, with_clause, typos]))


def mails(seed: int, size: int, body: tuple[int, int] = (90, 350), foot: int = 800) -> list[Labelled]:
    """Mails with a greeting and a signature, which are as long as said; variants have other words or a link."""
    dice = random.Random(seed)
    english = Language(_vocabulary(dice, "eeeeaaaiiooutnshrdlcmfwygpbvk", 4000, 2, 9), " ")
    head = "Dear colleague,\nthank you for your message to the service desk of our company.\n"
    end = "\nKind regards,\nYour service desk\n" + english.text(dice, foot)

    def make() -> str:
        return head + english.text(dice, dice.randint(*body)) + end

    def inside(edit: Edit) -> Edit:
        return lambda text, dice: head + edit(text[len(head) : -len(end)], dice) + end

    return list(families(dice, size, make, [inside(edit) for edit in (typos, other_word(english), with_link)]))


def titles(seed: int, size: int) -> list[Labelled]:
    """Titles of products: those of a line differ in one word, and so do the titles of one product in two shops."""
    dice = random.Random(seed)
    brands = _vocabulary(dice, "abcdefgilmnoprstu", 40, 4, 8)
    nouns = ("Digital Camera", "Television", "Cordless Phone", "Laser Printer", "Car Speaker", "Washer", "Hard Drive")
    kinds = ("Black", "White", "Silver", "Blue", "Red", "Stainless Steel", "Wireless", "Portable", "Professional")
    made: list[Labelled] = []
    while len(made) < size:
        brand, noun, some = dice.choice(brands).title(), dice.choice(nouns), dice.sample(kinds, dice.randint(1, 3))
        line = "".join(dice.choices("ABCDEFGHKLMNPRSTWX", k=2)) + str(dice.randrange(10, 99))
        for _ in range(dice.randint(1, 5)):
            model, colour = f"{line}{dice.randrange(10, 99)}", dice.choice(kinds)
            label = len(made)
            made.append(Labelled(" ".join((brand, *some, colour, noun, "-", model)), label, False))
            if dice.random() < 0.6:
                words = [brand, model, noun, *some] if dice.random() < 0.5 else [brand, *some[1:], colour, noun, model]
                made.append(Labelled(" ".join(words), label, True))
    return made


SETS: dict[str, Callable[[int, int], list[Labelled]]] = {
    "tweets": tweets,
    "bots": bots,
    "chinese": chinese,
    "japanese": japanese,
    "thai": thai,
    "code": code,
    "laws": laws,
    "mails": mails,
}
