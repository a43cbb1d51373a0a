# JSON texts of numbers, strings, lists and dicts; and back.

class JSONDecodeError(ValueError):
    pass

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}

def _quoted(text, ascii_only):
    parts = []
    for c in text:
        code = ord(c)
        if c in _ESCAPES:
            parts.append(_ESCAPES[c])
        elif code < 32 or (ascii_only and 126 < code < 65536):
            parts.append("\\u" + format(code, "04x"))
        elif ascii_only and code >= 65536:
            code -= 65536
            parts.append("\\u" + format(0xD800 + (code >> 10), "04x") + "\\u" + format(0xDC00 + (code & 1023), "04x"))
        else:
            parts.append(c)
    return '"' + "".join(parts) + '"'

def _number(value):
    text = repr(value)
    if text == "nan":
        return "NaN"
    if text == "inf":
        return "Infinity"
    return "-Infinity" if text == "-inf" else text

def _key(key):
    if isinstance(key, str):
        return key
    if key is True:
        return "true"
    if key is False:
        return "false"
    if key is None:
        return "null"
    if isinstance(key, (int, float)):
        return _number(key)
    raise TypeError(f"keys must be str, int, float, bool or None, not {type(key).__name__}")

def dumps(obj, *, skipkeys=False, ensure_ascii=True, check_circular=True, allow_nan=True, cls=None, indent=None, separators=None, default=None, sort_keys=False):
    if indent is not None and not isinstance(indent, str):
        indent = " " * indent
    comma, colon = separators if separators is not None else (", " if indent is None else ",", ": ")

    def block(opening, parts, closing, depth):
        if not parts:
            return opening + closing
        if indent is None:
            return opening + comma.join(parts) + closing
        inner = "\n" + indent * (depth + 1)
        return opening + inner + (comma + inner).join(parts) + "\n" + indent * depth + closing

    def text_of(value, depth):
        if value is None:
            return "null"
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return _quoted(value, ensure_ascii)
        if isinstance(value, int):
            return str(int(value))
        if isinstance(value, float):
            return _number(value)
        if isinstance(value, (list, tuple)):
            return block("[", [text_of(v, depth + 1) for v in value], "]", depth)
        if isinstance(value, dict):
            items = [(_key(k), v) for k, v in value.items()]
            if sort_keys:
                items = sorted(items, key=lambda kv: kv[0])
            return block("{", [_quoted(k, ensure_ascii) + colon + text_of(v, depth + 1) for k, v in items], "}", depth)
        if default is not None:
            return text_of(default(value), depth)
        raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")

    return text_of(obj, 0)

class _Reader:
    def __init__(self, text):
        self.text = text
        self.at = 0

    def blank(self):
        while self.at < len(self.text) and self.text[self.at] in " \t\n\r":
            self.at += 1

    def fail(self, message, at):
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        raise JSONDecodeError(f"{message}: line {line} column {column} (char {at})")

    def value(self):
        self.blank()
        if self.at >= len(self.text):
            self.fail("Expecting value", self.at)
        c = self.text[self.at]
        if c == "{":
            return self.object()
        if c == "[":
            return self.array()
        if c == '"':
            return self.string()
        for word, meaning in (("true", True), ("false", False), ("null", None), ("NaN", float("nan")), ("Infinity", float("inf")), ("-Infinity", -float("inf"))):
            if self.text.startswith(word, self.at):
                self.at += len(word)
                return meaning
        start = self.at
        while self.at < len(self.text) and self.text[self.at] in "+-0123456789.eE":
            self.at += 1
        number = self.text[start:self.at]
        if not number:
            self.fail("Expecting value", start)
        if "." in number or "e" in number or "E" in number:
            return float(number)
        return int(number)

    def string(self):
        start = self.at
        self.at += 1
        parts = []
        while True:
            if self.at >= len(self.text):
                self.fail("Unterminated string starting at", start)
            c = self.text[self.at]
            self.at += 1
            if c == '"':
                return "".join(parts)
            if c != "\\":
                parts.append(c)
                continue
            c = self.text[self.at]
            self.at += 1
            if c == "u":
                parts.append(chr(int(self.text[self.at:self.at + 4], 16)))
                self.at += 4
            else:
                parts.append({"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}.get(c, c))

    def array(self):
        self.at += 1
        items = []
        self.blank()
        if self.text[self.at] == "]":
            self.at += 1
            return items
        while True:
            items.append(self.value())
            self.blank()
            c = self.text[self.at:self.at + 1]
            self.at += 1
            if c == "]":
                return items
            if c != ",":
                self.fail("Expecting ',' delimiter", self.at - 1)

    def object(self):
        self.at += 1
        items = {}
        self.blank()
        if self.text[self.at] == "}":
            self.at += 1
            return items
        while True:
            self.blank()
            if self.text[self.at:self.at + 1] != '"':
                self.fail("Expecting property name enclosed in double quotes", self.at)
            key = self.string()
            self.blank()
            if self.text[self.at:self.at + 1] != ":":
                self.fail("Expecting ':' delimiter", self.at)
            self.at += 1
            items[key] = self.value()
            self.blank()
            c = self.text[self.at:self.at + 1]
            self.at += 1
            if c == "}":
                return items
            if c != ",":
                self.fail("Expecting ',' delimiter", self.at - 1)

def loads(s, **options):
    reader = _Reader(s)
    value = reader.value()
    reader.blank()
    if reader.at < len(s):
        reader.fail("Extra data", reader.at)
    return value
