"""What servers do wrong with integers in the query, for the services that take any."""

import re
from urllib.parse import unquote

from faults.changes import asked_with_parameters, parameters_of, values_changed
from faults.proxy import Exchange, Fault, Reply, fault

PARAMETERS: list[Fault] = []


@fault(PARAMETERS)
def last_parameter_counts(exchange: Exchange) -> Reply | None:
    """Of two parameters of one name the last counts."""
    pairs = parameters_of(exchange)
    last = {pair.partition("=")[0]: pair for pair in pairs}
    return asked_with_parameters(exchange, list(last.values())) if len(last) < len(pairs) else None


@fault(PARAMETERS)
def digits_before_anything_count(exchange: Exchange) -> Reply | None:
    """Digits read up to whatever is no digit, as by parseInt."""

    def read(_: str, value: str) -> str:
        number = re.match("([1-9][0-9]*)[^0-9]", unquote(value))
        return number[1] if number else value

    return values_changed(exchange, read)


@fault(PARAMETERS)
def numbers_of_javascript(exchange: Exchange) -> Reply | None:
    """Integers in any spelling of JavaScript: 0x10, 1e1, 1.0."""

    def read(_: str, value: str) -> str:
        number = re.fullmatch("(0x[0-9a-f]+)|[0-9]+[.]0|[0-9]+e[0-9]", value)
        if not number:
            return value
        return str(int(value, 16) if number[1] else int(float(value)))

    return values_changed(exchange, read)


@fault(PARAMETERS)
def parameters_not_decoded(exchange: Exchange) -> Reply | None:
    """Names and values of parameters not percent-decoded."""
    return asked_with_parameters(exchange, [pair.replace("%", "%25") for pair in parameters_of(exchange)])


@fault(PARAMETERS)
def semicolon_separates(exchange: Exchange) -> Reply | None:
    """Parameters separated by a semicolon, too."""
    return asked_with_parameters(exchange, "&".join(parameters_of(exchange)).replace(";", "&").split("&"))


def empty_values_ignored(exchange: Exchange, *names: str) -> Reply | None:
    """The answer without those of these parameters that are empty."""
    empty = [f"{name}=" for name in names]
    return asked_with_parameters(exchange, [pair for pair in parameters_of(exchange) if pair not in empty])


def clamped(exchange: Exchange, wanted: str, largest: int) -> Reply | None:
    """The answer with the largest value there may be in the place of a larger one."""

    def read(name: str, value: str) -> str:
        larger = name == wanted and re.fullmatch("[1-9][0-9]{0,9}", value) and int(value) > largest
        return str(largest) if larger else value

    return values_changed(exchange, read)
