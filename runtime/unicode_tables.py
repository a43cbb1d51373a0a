#!/usr/bin/env python3
"""Writes unicode_tables.cpp from Python's own character database: run it, keep its output."""
import sys
import unicodedata

LAST = sys.maxunicode


def runs(test):
    """(first, last, step) with step 1 or 2, over the code points that pass."""
    out = []
    for c in range(LAST + 1):
        if 0xD800 <= c <= 0xDFFF:
            continue
        if not test(chr(c)):
            continue
        if out:
            first, last, step = out[-1]
            if first == last and c - last in (1, 2) or first != last and c - last == step:
                out[-1] = (first, c, c - last)
                continue
        out.append((c, c, 1))
    return out


def mapping(convert):
    out = []
    for c in range(LAST + 1):
        if 0xD800 <= c <= 0xDFFF:
            continue
        text = convert(chr(c))
        if text == chr(c):
            continue
        delta = ord(text) - c if len(text) == 1 else "several"
        if out:
            first, last, step, d = out[-1]
            if d == delta and (first == last and c - last in (1, 2) or first != last and c - last == step):
                out[-1] = (first, c, c - last, d)
                continue
        out.append((c, c, 1, delta))
    return out


def pack(rows):
    lines, line = [], "   "
    for row in rows:
        item = " {%s}," % ", ".join(str(x) for x in row)
        if len(line) + len(item) > 138:
            lines.append(line)
            line = "   "
        line += item
    return "\n".join(lines + [line])


def title(c):
    """Only where it is not the upper case: those are left out of `title` and `capitalize`."""
    return c if c.title() == c.upper() else "xx"


print("// Made by unicode_tables.py from Unicode %s. Do not edit." % unicodedata.unidata_version)
print('\n#include "runtime/unicode_tables.h"\n\nnamespace sifr::rt {\n')
for name, test in [("printable_runs", str.isprintable), ("alpha_runs", str.isalpha), ("digit_runs", str.isdigit), ("numeric_runs", str.isnumeric),
                   ("space_runs", str.isspace), ("upper_runs", str.isupper), ("lower_runs", str.islower)]:
    rows = runs(test)
    print("const CodePointRun %s[] = {\n%s\n};\nconst int32_t %s_count = %d;\n" % (name, pack(rows), name, len(rows)))
for name, convert in [("to_upper", str.upper), ("to_lower", str.lower), ("odd_title", title)]:
    rows = mapping(convert)
    print("const CaseRun %s[] = {\n%s\n};\nconst int32_t %s_count = %d;\n" % (name, pack(rows), name, len(rows)))
print("}  // namespace sifr::rt")
