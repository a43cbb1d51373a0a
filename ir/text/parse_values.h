#pragma once

#include "ir/func/function.h"
#include "ir/text/lexer.h"

namespace sifr {

// The parts of IR text that stand for known values.

int64_t parse_int(Lexer& lex);                       ///< with a sign
std::vector<int64_t> parse_ints(Lexer& lex);         ///< `1,2,3` up to what is no number; may be empty
int64_t int_of(const Lexer& lex, const Token& t);    ///< of an Int or Number token; fails when it does not fit
/// Whether a literal operand stands here.
bool at_constant(const Lexer& lex);
ScalarConstant parse_constant(Lexer& lex);
AttrValue parse_attribute(Lexer& lex);
Location parse_location(const Lexer& lex, const Token& place);

}  // namespace sifr
