#include "ir/text/parse_ledger.h"

#include "ir/text/messages.h"
#include "ir/text/parse_values.h"

namespace sifr {

using namespace text_messages;

void parse_ledger(Lexer& lex, Function& f) {
    lex.expect("{");
    while (!lex.accept("}")) {
        Token number = lex.expect(Token::Kind::Number, "a row, #0");
        if (int_of(lex, number) != static_cast<int64_t>(f.ledger.size())) lex.fail(ledger_id, lex.span(number), number.text);
        Clear c;
        if (lex.accept("autograd")) c.origin = Clear::Origin::Autograd;
        else lex.expect("script");
        c.bytes = int_of(lex, lex.expect(Token::Kind::Int, "bytes"));
        lex.expect("->");
        c.kept_bytes = int_of(lex, lex.expect(Token::Kind::Int, "bytes"));
        Token verdict = lex.expect(Token::Kind::Name, "a verdict");
        std::optional<Clear::Verdict> v = verdict_named(verdict.text);
        if (!v) lex.fail(expected, lex.span(verdict), "a verdict", "'" + verdict.text + "'");
        c.verdict = *v;
        if (lex.peek().kind == Token::Kind::String) {
            c.pass = lex.next().text;
            c.reason = lex.expect(Token::Kind::String, "the reason").text;
        }
        if (lex.peek().kind == Token::Kind::Place) {
            Token place = lex.next();
            c.location = parse_location(lex, place);
        }
        f.add_clear(std::move(c));
    }
}

void number_clears(Lexer& lex, Function& f, const std::vector<Span>& places, bool ledger_given) {
    for (size_t k = 0; k < f.insts.size(); ++k)
        for (ClearId c : f.insts[k].clears) {
            if (ledger_given) {
                if (c.index >= f.ledger.size()) lex.fail(ledger_id, places[k], c.index);
                continue;
            }
            const Inst& inst = f.insts[k];
            if (c.index >= f.ledger.size()) f.ledger.resize(c.index + 1);
            Clear& row = f[c];
            row.location = inst.location;
            ValueId cleared = inst.dest ? inst.dest : inst.attrs.has("layout") && inst.operands.size() > 1 ? inst.operands[1] : inst.results.empty() ? ValueId() : inst.results[0];
            if (cleared && f.type(cleared).is_tensor()) row.bytes = row.kept_bytes = f.type(cleared).bytes();
        }
}

}  // namespace sifr
