#pragma once

#include <vector>

#include "ir/func/function.h"
#include "ir/text/lexer.h"

namespace sifr {

/// `{ #0 script 400 -> 0 removed "pass" "reason" … }`, the rows of the ledger in order, behind the word `ledger`.
void parse_ledger(Lexer& lex, Function& f);
/// Checks the ids of clears that instructions carry against a ledger that the text gave; where it gave none, makes a row for each.
/// `places`: where each instruction stands.
void number_clears(Lexer& lex, Function& f, const std::vector<Span>& places, bool ledger_given);

}  // namespace sifr
