# SPDX-License-Identifier: Apache-2.0
"""A row of a table in other columns, and what is filled in while it is restated."""

import re

from . import words

HOSTS_MAX = 2 ** 20
COUNT_MAX = 2 ** 32 - 1


class Refusal(Exception):
    """Why a row cannot be restated; @scope: its model is one that nobody claims to predict."""

    def __init__(self, text, scope=False):
        super().__init__(text)
        self.scope = scope


class Row:
    """The fields of a row by column, "" where there is none, and notes of what was inferred."""

    def __init__(self, fields, columns, where):
        self.fields, self.columns, self.where, self.notes = fields, columns, where, []

    def text(self, column):
        return self.fields.get(column) or ""

    def has(self, column):
        return self.text(column) != ""

    def infer(self, note):
        self.notes.append(note)

    def fault(self, column, wanted):
        shown = self.text(column)
        shown = shown if len(shown) <= 60 else shown[:60] + "..."
        return Refusal(f'column {column}: got "{shown}", wanted {wanted}')

    def count(self, column, minimum, maximum, usual=None, words_too=False, quiet=False):
        """A whole number, or @usual where the field is empty. @words_too: "1,024" is one, and noted unless @quiet."""
        text = self.text(column)
        word = words.meaning(column, text) if words_too else text
        if text == "":
            return usual
        if re.fullmatch("[0-9]+", word) and minimum <= int(word) <= maximum:
            if word != text and not quiet:
                self.infer(f'{column} {word}: in place of "{text}"')
            return int(word)
        raise self.fault(column, f"a whole number from {minimum} to {maximum}")

    def number(self, column, minimum, maximum, usual=None):
        text = self.text(column)
        if text == "":
            return usual
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if minimum <= value <= maximum:
            return value
        raise self.fault(column, f"a number from {minimum:g} to {maximum:g}")


def count_of(text):
    """As C's strtoull() reads a number: the digits that it begins with."""
    return int(re.match(r"\s*([0-9]*)", text).group(1) or 0)
