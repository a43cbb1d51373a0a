#pragma once

#include "ir/base/diagnostic.h"

/// What the lexer, the parser and the checks behind them say, in CPython 3.11's words.
namespace sifr::syntax::messages {

// clang-format off
#define SIFR_SYNTAX_MESSAGES(X) \
    /* characters and tokens */ \
    X(not_utf8, "not-utf8", Error, "(unicode error) 'utf-8' codec can't decode byte 0x{:02x} in position {}: {}") \
    X(null_byte, "null-byte", Error, "source code cannot contain null bytes") \
    X(source_encoding, "source-encoding", Error, "not supported: the source encoding '{}'; save the file as UTF-8") \
    X(file_too_large, "file-too-large", Error, "not supported: a script of more than {} MiB") \
    X(invalid_character, "invalid-character", Error, "invalid character '{}' (U+{:04X})") \
    X(invalid_non_printable, "invalid-non-printable", Error, "invalid non-printable character U+{:04X}") \
    X(identifier_normalization, "identifier-normalization", Error, "not supported: the identifier '{}', which Unicode normalization (NFKC) may turn into another one") \
    X(unterminated_string, "unterminated-string", Error, "unterminated string literal (detected at line {})") \
    X(unterminated_triple, "unterminated-triple-quoted-string", Error, "unterminated triple-quoted string literal (detected at line {})") \
    X(after_line_continuation, "after-line-continuation", Error, "unexpected character after line continuation character") \
    X(unexpected_eof, "unexpected-eof", Error, "unexpected EOF while parsing") \
    X(unmatched_bracket, "unmatched-bracket", Error, "unmatched '{}'") \
    X(mismatched_bracket, "mismatched-bracket", Error, "closing parenthesis '{}' does not match opening parenthesis '{}'") \
    X(mismatched_bracket_line, "mismatched-bracket-on-line", Error, "closing parenthesis '{}' does not match opening parenthesis '{}' on line {}") \
    X(never_closed, "never-closed", Error, "'{}' was never closed") \
    X(too_many_brackets, "too-many-brackets", Error, "too many nested parentheses") \
    X(invalid_literal, "invalid-number", Error, "invalid {} literal") \
    X(invalid_digit, "invalid-digit", Error, "invalid digit '{}' in {} literal") \
    X(leading_zeros, "leading-zeros", Error, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers") \
    X(integer_too_long, "integer-too-long", Error, "Exceeds the limit (4300 digits) for integer string conversion: value has {} digits; use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid decimal conversion limits.") \
    X(integer_too_large, "integer-too-large", Error, "not supported: an integer literal of {} digits") \
    /* indentation */ \
    X(unexpected_indent, "unexpected-indent", Error, "unexpected indent") \
    X(inconsistent_dedent, "inconsistent-dedent", Error, "unindent does not match any outer indentation level") \
    X(inconsistent_tabs, "inconsistent-tabs", Error, "inconsistent use of tabs and spaces in indentation") \
    X(too_many_indents, "too-many-indents", Error, "too many levels of indentation") \
    X(expected_block, "expected-block", Error, "expected an indented block after {} on line {}") \
    /* strings */ \
    X(mixed_bytes, "mixed-bytes", Error, "cannot mix bytes and nonbytes literals") \
    X(non_ascii_bytes, "non-ascii-bytes", Error, "bytes can only contain ASCII literal characters") \
    X(unicode_escape, "unicode-escape", Error, "(unicode error) 'unicodeescape' codec can't decode bytes in position {}-{}: {}") \
    X(unicode_name, "unicode-name", Error, "not supported: the character name '{}' (unknown, or a rare one); write the character itself or its code") \
    X(bytes_escape, "bytes-escape", Error, "(value error) invalid \\x escape at position {}") \
    X(fstring_backslash, "fstring-backslash", Error, "f-string expression part cannot include a backslash") \
    X(fstring_comment, "fstring-comment", Error, "f-string expression part cannot include '#'") \
    X(fstring_empty, "fstring-empty", Error, "f-string: empty expression not allowed") \
    X(fstring_missing_expression, "fstring-missing-expression", Error, "f-string: expression required before '{}'") \
    X(fstring_expecting_brace, "fstring-expecting-brace", Error, "f-string: expecting '}}'") \
    X(fstring_single_brace, "fstring-single-brace", Error, "f-string: single '}}' is not allowed") \
    X(fstring_unterminated, "fstring-unterminated", Error, "f-string: unterminated string") \
    X(fstring_unmatched, "fstring-unmatched", Error, "f-string: unmatched '{}'") \
    X(fstring_mismatched, "fstring-mismatched", Error, "f-string: closing parenthesis '{}' does not match opening parenthesis '{}'") \
    X(fstring_conversion, "fstring-conversion", Error, "f-string: invalid conversion character: expected 's', 'r', or 'a'") \
    X(fstring_nested, "fstring-nested", Error, "f-string: expressions nested too deeply") \
    X(fstring_brackets, "fstring-brackets", Error, "f-string: too many nested parenthesis") \
    /* the grammar */ \
    X(invalid_syntax, "invalid-syntax", Error, "invalid syntax") \
    X(forgot_comma, "forgot-comma", Error, "invalid syntax. Perhaps you forgot a comma?") \
    X(maybe_equality, "maybe-equality", Error, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?") \
    X(missing_parentheses, "missing-parentheses", Error, "Missing parentheses in call to '{0}'. Did you mean {0}(...)?") \
    X(expected_token, "expected-token", Error, "expected '{}'") \
    X(expected_else, "expected-else", Error, "expected 'else' after 'if' expression") \
    X(expected_except, "expected-except", Error, "expected 'except' or 'finally' block") \
    X(both_excepts, "both-excepts", Error, "cannot have both 'except' and 'except*' on the same 'try'") \
    X(except_types, "except-types", Error, "multiple exception types must be parenthesized") \
    X(except_star_types, "except-star-types", Error, "expected one or more exception types") \
    X(cannot_assign, "cannot-assign", Error, "cannot assign to {}") \
    X(cannot_assign_here, "cannot-assign-here", Error, "cannot assign to {} here. Maybe you meant '==' instead of '='?") \
    X(cannot_assign_yield, "cannot-assign-yield", Error, "assignment to yield expression not possible") \
    X(cannot_delete, "cannot-delete", Error, "cannot delete {}") \
    X(cannot_name, "cannot-name", Error, "cannot use assignment expressions with {}") \
    X(cannot_augment, "cannot-augment", Error, "'{}' is an illegal expression for augmented assignment") \
    X(cannot_annotate, "cannot-annotate", Error, "only single target (not {}) can be annotated") \
    X(illegal_annotation, "illegal-annotation", Error, "illegal target for annotation") \
    X(assignment_in_call, "assignment-in-call", Error, "expression cannot contain assignment, perhaps you meant \"==\"?") \
    X(positional_after_keyword, "positional-after-keyword", Error, "positional argument follows keyword argument") \
    X(positional_after_unpacking, "positional-after-unpacking", Error, "positional argument follows keyword argument unpacking") \
    X(iterable_after_unpacking, "iterable-after-unpacking", Error, "iterable argument unpacking follows keyword argument unpacking") \
    X(unparenthesized_generator, "unparenthesized-generator", Error, "Generator expression must be parenthesized") \
    X(starred_here, "starred-here", Error, "cannot use starred expression here") \
    X(double_starred_here, "double-starred-here", Error, "cannot use double starred expression here") \
    X(starred_comprehension, "starred-comprehension", Error, "iterable unpacking cannot be used in comprehension") \
    X(dict_unpacking_comprehension, "dict-unpacking-comprehension", Error, "dict unpacking cannot be used in dict comprehension") \
    X(comprehension_target, "comprehension-target", Error, "did you forget parentheses around the comprehension target?") \
    X(dict_starred_value, "dict-starred-value", Error, "cannot use a starred expression in a dictionary value") \
    X(dict_missing_value, "dict-missing-value", Error, "expression expected after dictionary key and ':'") \
    X(dict_missing_colon, "dict-missing-colon", Error, "':' expected after dictionary key") \
    X(import_trailing_comma, "import-trailing-comma", Error, "trailing comma not allowed without surrounding parentheses") \
    X(parameter_default_order, "parameter-default-order", Error, "non-default argument follows default argument") \
    X(parameter_parentheses, "parameter-parentheses", Error, "{} parameters cannot be parenthesized") \
    X(parameter_before_slash, "parameter-before-slash", Error, "at least one argument must precede /") \
    X(parameter_slash_twice, "parameter-slash-twice", Error, "/ may appear only once") \
    X(parameter_slash_after_star, "parameter-slash-after-star", Error, "/ must be ahead of *") \
    X(parameter_slash_comma, "parameter-slash-comma", Error, "expected comma between / and *") \
    X(parameter_missing_default, "parameter-missing-default", Error, "expected default value expression") \
    X(parameter_bare_star, "parameter-bare-star", Error, "named arguments must follow bare *") \
    X(parameter_star_default, "parameter-star-default", Error, "var-positional argument cannot have default value") \
    X(parameter_star_twice, "parameter-star-twice", Error, "* argument may appear only once") \
    X(parameter_kwarg_default, "parameter-kwarg-default", Error, "var-keyword argument cannot have default value") \
    X(parameter_after_kwarg, "parameter-after-kwarg", Error, "arguments cannot follow var-keyword argument") \
    X(pattern_wildcard_target, "pattern-wildcard-target", Error, "cannot use '_' as a target") \
    X(pattern_target, "pattern-target", Error, "invalid pattern target") \
    X(pattern_argument_order, "pattern-argument-order", Error, "positional patterns follow keyword patterns") \
    X(pattern_real_number, "pattern-real-number", Error, "real number required in complex literal") \
    X(pattern_imaginary_number, "pattern-imaginary-number", Error, "imaginary number required in complex literal") \
    X(nested_too_deeply, "nested-too-deeply", Error, "not supported: more than {} expressions inside each other") \
    X(too_many_elif, "too-many-elif", Error, "not supported: more than {} 'elif' in one statement") \
    /* what CPython checks after parsing */ \
    X(outside_function, "outside-function", Error, "'{}' outside function") \
    X(outside_async_function, "outside-async-function", Error, "{} outside async function") \
    X(async_comprehension, "async-comprehension", Error, "asynchronous comprehension outside of an asynchronous function") \
    X(yield_from_async, "yield-from-async", Error, "'yield from' inside async function") \
    X(return_in_async_generator, "return-in-async-generator", Error, "'return' with value in async generator") \
    X(yield_in_comprehension, "yield-in-comprehension", Error, "'yield' inside {}") \
    X(break_outside_loop, "break-outside-loop", Error, "'break' outside loop") \
    X(continue_outside_loop, "continue-outside-loop", Error, "'continue' not properly in loop") \
    X(jump_in_except_star, "jump-in-except-star", Error, "'break', 'continue' and 'return' cannot appear in an except* block") \
    X(default_except_last, "default-except-last", Error, "default 'except:' must be last") \
    X(starred_target_alone, "starred-target-alone", Error, "starred assignment target must be in a list or tuple") \
    X(starred_targets, "starred-targets", Error, "multiple starred expressions in assignment") \
    X(starred_alone, "starred-alone", Error, "can't use starred expression here") \
    X(assign_debug, "assign-debug", Error, "cannot {} __debug__") \
    X(keyword_repeated, "keyword-repeated", Error, "keyword argument repeated: {}") \
    X(import_star_nested, "import-star-nested", Error, "import * only allowed at module level") \
    X(future_import_late, "future-import-late", Error, "from __future__ imports must occur at the beginning of the file") \
    X(future_unknown, "future-unknown", Error, "future feature {} is not defined") \
    X(pattern_unreachable_name, "pattern-unreachable-name", Error, "name capture '{}' makes remaining patterns unreachable") \
    X(pattern_unreachable_wildcard, "pattern-unreachable-wildcard", Error, "wildcard makes remaining patterns unreachable") \
    X(pattern_alternatives, "pattern-alternatives", Error, "alternative patterns bind different names") \
    X(pattern_name_twice, "pattern-name-twice", Error, "multiple assignments to name '{}' in pattern") \
    X(pattern_starred, "pattern-starred", Error, "multiple starred names in sequence pattern") \
    X(pattern_keys, "pattern-keys", Error, "mapping pattern keys may only match literals and attribute lookups") \
    X(pattern_literals, "pattern-literals", Error, "patterns may only match literals and attribute lookups") \
    X(pattern_keyword_repeated, "pattern-keyword-repeated", Error, "attribute name repeated in class pattern: {}") \
    X(duplicate_argument, "duplicate-argument", Error, "duplicate argument '{}' in function definition") \
    X(parameter_and_global, "parameter-and-global", Error, "name '{}' is parameter and {}") \
    X(used_before_declaration, "used-before-declaration", Error, "name '{}' is {} {} declaration") \
    X(annotated_declared, "annotated-declared", Error, "annotated name '{}' can't be {}") \
    X(nonlocal_and_global, "nonlocal-and-global", Error, "name '{}' is nonlocal and global") \
    X(nonlocal_module, "nonlocal-module", Error, "nonlocal declaration not allowed at module level") \
    X(nonlocal_unbound, "nonlocal-unbound", Error, "no binding for nonlocal '{}' found") \
    X(comprehension_rebinds, "comprehension-rebinds", Error, "assignment expression cannot rebind comprehension iteration variable '{}'") \
    X(comprehension_inner_rebinds, "comprehension-inner-rebinds", Error, "comprehension inner loop cannot rebind assignment expression target '{}'") \
    X(named_in_iterable, "named-in-iterable", Error, "assignment expression cannot be used in a comprehension iterable expression") \
    X(named_in_class, "named-in-class", Error, "assignment expression within a comprehension cannot be used in a class body")
// clang-format on
SIFR_DEFINE_MESSAGES(SIFR_SYNTAX_MESSAGES)

}  // namespace sifr::syntax::messages

namespace sifr::syntax {

/// Throws the diagnostic of a Python exception: the text belongs to the exception, sifr adds no words of its own.
template <class... Args>
[[noreturn]] void raise_python(const char* exception, const Message& message, Span span, const Args&... args) {
    Diagnostic d = diagnose(message, span, args...);
    d.exception = exception;
    d.exception_text = std::move(d.text);
    d.text.clear();
    throw CompileError(std::move(d));
}

template <class... Args>
[[noreturn]] void syntax_error(const Message& message, Span span, const Args&... args) {
    raise_python("SyntaxError", message, span, args...);
}

template <class... Args>
[[noreturn]] void indentation_error(const Message& message, Span span, const Args&... args) {
    raise_python("IndentationError", message, span, args...);
}

/// What Python accepts and sifr does not.
template <class... Args>
[[noreturn]] void not_supported(const Message& message, Span span, const Args&... args) {
    throw CompileError(diagnose(message, span, args...));
}

}  // namespace sifr::syntax
