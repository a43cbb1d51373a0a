#include "ir/text/text.h"

#include <map>

#include "ir/op/op_def.h"
#include "ir/op/rules/structural_rules.h"
#include "ir/text/messages.h"
#include "ir/text/parse_ledger.h"
#include "ir/text/parse_values.h"
#include "ir/text/place.h"
#include "ir/verify/verify.h"

namespace sifr {
namespace {

using namespace text_messages;

constexpr int deepest = 64;  // regions in regions, types in types

class Parser {
public:
    explicit Parser(const SourceFile& file) : lex_(file) {}

    ParsedFunction file() {
        Token stage = lex_.expect(Token::Kind::Name, "captured, functional or fused");
        bool known = false;
        for (Stage s : {Stage::Captured, Stage::Functional, Stage::Fused})
            if (stage.text == name_of(s)) {
                out_.stage = s;
                known = true;
            }
        if (!known) lex_.fail(unknown_stage, lex_.span(stage), stage.text);
        lex_.expect("func");
        f_.name = lex_.expect(Token::Kind::Symbol, "the function's name, @main").text;
        scopes_.emplace_back();
        lex_.expect("(");
        if (!lex_.at(")")) {
            do param(f_.body, false);
            while (lex_.accept(","));
        }
        lex_.expect(")");
        for (;;) {
            if (lex_.accept("differentiated")) f_.facts.differentiated = true;
            else if (lex_.accept("decomposed")) f_.facts.decomposed = true;
            else break;
        }
        lex_.expect("{");
        region(f_.body);
        const bool ledger_given = lex_.accept("ledger");
        if (ledger_given) parse_ledger(lex_, f_);
        if (lex_.peek().kind != Token::Kind::End) lex_.fail_expected("the end of the file");
        number_clears(lex_, f_, out_.places, ledger_given);
        if (std::optional<Fault> fault = find_fault(f_, out_.stage)) {
            Span at = fault->inst ? out_.places[fault->inst.index] : lex_.span(stage);
            lex_.fail(malformed, at, fault->text);
        }
        return std::move(out_);
    }

private:
    // ---------------------------------------------------------------------------------------------- names

    void define(const Token& name, ValueId id) {
        for (const auto& scope : scopes_)
            if (scope.count(name.text) != 0) lex_.fail(defined_twice, lex_.span(name), name.text);
        scopes_.back()[name.text] = id;
        // A number is what the printer gives to a value without a name.
        if (name.text.find_first_not_of("0123456789") != std::string::npos) f_[id].name = name.text;
    }

    ValueId use(const Token& name) {
        for (size_t k = scopes_.size(); k-- > 0;)
            if (auto it = scopes_[k].find(name.text); it != scopes_[k].end()) return it->second;
        std::vector<std::string> candidates;
        for (const auto& scope : scopes_)
            for (const auto& [n, id] : scope) candidates.push_back(n);
        Diagnostic d = diagnose(unknown_value, lex_.span(name), name.text);
        std::string near = nearest_name(name.text, candidates);
        if (!near.empty()) d.help = "did you mean %" + near + "?";
        throw CompileError(std::move(d));
    }

    ValueId value() {
        if (lex_.peek().kind == Token::Kind::Value) return use(lex_.next());
        if (at_constant(lex_)) return f_.add_constant(parse_constant(lex_));
        lex_.fail_expected("a value");
    }

    bool at_value() const { return lex_.peek().kind == Token::Kind::Value || at_constant(lex_); }

    std::vector<ValueId> values() {
        std::vector<ValueId> out;
        do out.push_back(value());
        while (lex_.accept(","));
        return out;
    }

    // ---------------------------------------------------------------------------------------------- types and places

    Type type(int depth = 0) {
        if (depth > deepest) lex_.fail(too_deep, lex_.span(), deepest);
        Token t = lex_.expect(Token::Kind::Name, "a type");
        if (std::optional<DType> dtype = dtype_named(t.text); dtype && lex_.accept("[")) {
            Type out = Type::tensor(*dtype, {});
            if (!lex_.at("]")) {
                do {
                    if (lex_.peek().kind == Token::Kind::Value) {
                        out.run_time_sizes.push_back({static_cast<int>(out.sizes.size()), use(lex_.next())});
                        lex_.expect("<=");
                    }
                    out.sizes.push_back(int_of(lex_, lex_.expect(Token::Kind::Int, "a size")));
                } while (lex_.accept(","));
            }
            lex_.expect("]");
            check_size(out.sizes, t);
            return out;
        }
        if (t.text == "i64") return Type::i64();
        if (t.text == "f64") return Type::f64();
        if (t.text == "bool") return Type::boolean();
        if (t.text == "str") return Type::str();
        if (t.text == "opt" || t.text == "list") {
            lex_.expect("(");
            std::vector<Type> members;
            if (!lex_.at(")")) {
                do members.push_back(type(depth + 1));
                while (lex_.accept(","));
            }
            if (t.text == "list" && members.size() != 1) lex_.fail_expected("one element type");
            lex_.expect(")");
            return t.text == "list" ? Type::list(std::move(members[0])) : Type::optional(std::move(members));
        }
        lex_.fail(unknown_type, lex_.span(t), t.text);
    }

    /// Everything that is addressed must fit 63 bits, with room for the arithmetic on it.
    void check_size(const Sizes& sizes, const Token& at) {
        int64_t count = 1;
        for (int64_t s : sizes)
            if (__builtin_mul_overflow(count, std::max<int64_t>(s, 1), &count) || count > int64_t{1} << 48) lex_.fail(too_large, lex_.span(at));
    }

    /// `+4+3*%i<5`, with the indices appended to `indices`.
    void offset(Layout& layout, std::vector<ValueId>& indices) {
        bool first = true, extents = true;
        while (lex_.at("+") || lex_.at("-")) {
            bool negative = lex_.next().text == "-";
            Token number = lex_.expect(Token::Kind::Int, "a number");
            int64_t v = int_of(lex_, number);
            if (v > int64_t{1} << 48) lex_.fail(bad_number, lex_.span(number), number.text);
            if (negative) v = -v;
            if (lex_.accept("*")) {
                layout.index_scales.push_back(v);
                indices.push_back(use(lex_.expect(Token::Kind::Value, "an index")));
                if (extents && lex_.accept("<")) layout.index_extents.push_back(int_of(lex_, lex_.expect(Token::Kind::Int, "a number")));
                else extents = false;
            } else if (first) {
                layout.offset = v;
            } else {
                lex_.fail_expected("'*'");
            }
            first = false;
        }
        if (!extents) layout.index_extents.clear();
    }

    void strides(Layout& layout) {
        Token open = lex_.expect("(");
        layout.strides = parse_ints(lex_);
        for (int64_t s : layout.strides)
            if (s > int64_t{1} << 48 || s < -(int64_t{1} << 48)) lex_.fail(bad_number, lex_.span(open), s);
        lex_.expect(")");
    }

    /// `in $storage +4 (3,1)` behind a type.
    View place(const Type& t, bool merged) {
        if (out_.stage != Stage::Captured) lex_.fail(place_stage, lex_.span());
        Token name = lex_.expect(Token::Kind::Storage, "a storage");
        View view;
        std::optional<Sizes> frame;
        if (lex_.accept("[")) {
            Token first = lex_.peek();
            frame = parse_ints(lex_);
            for (int64_t s : *frame)
                if (s < 0) lex_.fail(bad_number, lex_.span(first), s);
            check_size(*frame, first);
            lex_.expect("]");
        }
        view.layout = Layout::contiguous(t.sizes);
        offset(view.layout, view.indices);
        if (lex_.at("(")) strides(view.layout);
        if (view.layout.strides.size() != t.sizes.size()) lex_.fail(strides_count, lex_.span(name), view.layout.strides.size(), t.sizes.size());
        auto it = storages_.find(name.text);
        if (it == storages_.end()) {
            Storage s;
            s.name = name.text;
            if (s.name.find_first_not_of("0123456789") == std::string::npos) s.name.clear();
            s.dtype = t.dtype;
            s.is_region = merged;
            if (!frame) frame = derived_frame(view.layout);
            if (!frame) lex_.fail(frame_unknown, lex_.span(name), name.text, name.text);
            s.frame = *frame;
            it = storages_.emplace(name.text, f_.add_storage(std::move(s))).first;
        }
        view.storage = it->second;
        return view;
    }

    struct Typed {
        Type type;
        View view;
        bool leaf = false;
    };

    Typed typed(bool merged) {
        Typed out;
        Span at = lex_.span();
        out.type = type();
        out.leaf = lex_.accept("leaf");
        if (lex_.accept("in")) {
            if (!out.type.is_tensor()) lex_.fail_expected("a tensor in a storage");
            out.view = place(out.type, merged);
        } else if (out.type.is_tensor() && out_.stage == Stage::Captured) {
            lex_.fail(no_place, at, out.type.text());
        }
        return out;
    }

    void param(RegionId region, bool merged) {
        Token name = lex_.expect(Token::Kind::Value, "a parameter");
        lex_.expect(":");
        Typed t = typed(merged);
        add_param(region, name, t);
    }

    void add_param(RegionId region, const Token& name, const Typed& t) {
        ValueId id = f_.add_parameter(region, t.type);
        f_[id].view = t.view;
        f_[id].leaf = t.leaf;
        define(name, id);
    }

    // ---------------------------------------------------------------------------------------------- instructions

    /// The body of a region up to and with its `}`; parameters are defined already, in the innermost scope.
    void region(RegionId id) {
        if (++depth_ > deepest) lex_.fail(too_deep, lex_.span(), deepest);
        while (!lex_.at("}") && !lex_.at("yield")) {
            if (lex_.peek().kind == Token::Kind::End) lex_.fail_expected("'}'");
            inst(id);
        }
        if (lex_.accept("yield") && !lex_.at("}")) {
            std::vector<ValueId> results = values();
            f_[id].results = std::move(results);
            if (id == f_.body && lex_.accept("updating"))
                for (ValueId v : values()) f_.updates.push_back(f_[v].position);
        }
        lex_.expect("}");
        --depth_;
    }

    void inst(RegionId at) {
        std::vector<Token> results;
        Token first = lex_.peek();
        Inst made;
        if (lex_.peek().kind == Token::Kind::Value) {
            do results.push_back(lex_.expect(Token::Kind::Value, "a result"));
            while (lex_.accept(","));
            if (lex_.accept("<-")) {
                if (out_.stage != Stage::Captured) lex_.fail(write_stage, lex_.span(first));
                if (results.size() != 1) lex_.fail_expected("one destination");
                made.dest = use(results[0]);
                results.clear();
            } else {
                lex_.expect("=");
            }
        }
        Token name = lex_.expect(Token::Kind::Name, "an op");
        std::optional<Op> op = op_named(name.text);
        if (!op) {
            Diagnostic d = diagnose(unknown_op, lex_.span(name), name.text);
            std::vector<std::string> known;
            for (Op row : all_ops()) known.emplace_back(name_of(row));
            std::string near = nearest_name(name.text, known);
            if (!near.empty()) d.help = "did you mean '" + near + "'?";
            throw CompileError(std::move(d));
        }
        made.op = *op;
        InstId id = f_.add_inst(at, std::move(made), {});
        out_.places.resize(f_.insts.size());
        scopes_.emplace_back();
        if (name.text == "for") for_form(id);
        else if (name.text == "while") while_form(id);
        else if (name.text == "if") if_form(id);
        else if (name.text == "group") group_form(id);
        else if (name.text == "backward") backward_form(id);
        else generic_form(id);
        scopes_.pop_back();
        Span span = lex_.span(first);
        Span end = lex_.span(name);
        span.end_line = end.end_line;
        span.end_column = end.end_column;
        out_.places[id.index] = span;
        complete_attributes(id);
        tail(id, name, results);
    }

    void tail(InstId id, const Token& name, const std::vector<Token>& results) {
        bool merged = !f_[id].regions.empty();
        for (size_t k = 0; k < results.size(); ++k) {
            Value v;
            v.inst = id;
            v.position = static_cast<uint32_t>(k);
            ValueId r = f_.add_value(std::move(v));
            f_[id].results.push_back(r);
            define(results[k], r);
        }
        if (lex_.accept(":")) {
            Span at = lex_.span();
            size_t count = 0;
            do {
                Typed t = typed(merged);
                if (count < results.size()) {
                    Value& v = f_[f_[id].results[count]];
                    v.type = std::move(t.type);
                    v.view = std::move(t.view);
                }
                ++count;
            } while (lex_.accept(","));
            if (count != results.size()) lex_.fail(result_count, at, results.size(), count);
        } else if (!results.empty()) {
            infer(id, name);
        }
        finish_layout(id);
        for (;;) {
            if (lex_.accept("untracked")) f_[id].untracked = true;
            else if (lex_.accept("uncounted")) f_[id].uncounted = true;
            else if (lex_.accept("clears")) {
                while (lex_.peek().kind == Token::Kind::Number) {
                    Token t = lex_.next();
                    int64_t number = int_of(lex_, t);
                    if (number >= 1 << 20) lex_.fail(bad_number, lex_.span(t), t.text);
                    f_[id].clears.push_back(ClearId(static_cast<size_t>(number)));
                }
            } else break;
        }
        if (lex_.peek().kind == Token::Kind::Place) {
            Token place = lex_.next();
            f_[id].location = parse_location(lex_, place);
        }
    }

    /// Types by the row's rule, where the text leaves them out.
    void infer(InstId id, const Token& name) {
        Span at = out_.places[id.index];
        if (def(f_[id].op).infer == rules::typed_only) lex_.fail(types_missing, at, name.text);
        if (std::optional<std::string> fault = signature_fault(f_, f_[id])) lex_.fail(malformed, at, *fault);
        std::vector<Type> types;
        try {
            types = infer_types(InstCall(f_, f_[id]));
        } catch (const ScriptError& e) {
            lex_.fail(malformed, at, "'" + name.text + "': " + e.text);
        }
        if (types.size() != f_[id].results.size()) lex_.fail(result_count, at, f_[id].results.size(), types.size());
        for (size_t k = 0; k < types.size(); ++k) {
            if (types[k].is_tensor() && out_.stage == Stage::Captured) lex_.fail(no_place, at, types[k].text());
            for (RunTimeSize& r : types[k].run_time_sizes)
                if (!r.size) r.size = f_[id].results[0];
            f_[f_[id].results[k]].type = std::move(types[k]);
        }
    }

    void generic_form(InstId id) {
        const Signature& sig = signature(f_[id].op);
        bool layout = false, has_operands = false;
        for (const Param& p : sig.params) {
            layout = layout || p.kind == Param::Kind::Layout;
            has_operands = has_operands || p.is_operand();
        }
        if (layout) {
            layout_form(id);
        } else if (has_operands && at_value()) {
            std::vector<ValueId> operands;
            do {
                if (!at_value()) break;  // the first attribute
                operands.push_back(value());
            } while (lex_.accept(","));
            f_[id].operands = std::move(operands);
        }
        attributes(id);
        while (lex_.accept("(")) {
            RegionId r = f_.add_region(id);
            scopes_.emplace_back();
            if (!lex_.at(")")) {
                do param(r, true);
                while (lex_.accept(","));
            }
            lex_.expect(")");
            lex_.expect("{");
            region(r);
            scopes_.pop_back();
        }
    }

    /// `%s +4+3*%i (3,1), %piece`: the layout stands behind the operand that it lies over.
    void layout_form(InstId id) {
        std::vector<ValueId> operands{value()}, indices;
        Layout layout;
        offset(layout, indices);
        strides(layout);
        while (lex_.accept(",")) {
            if (!at_value()) break;
            operands.push_back(value());
        }
        operands.insert(operands.end(), indices.begin(), indices.end());
        f_[id].operands = std::move(operands);
        f_[id].attrs.set("layout", std::move(layout));
    }

    /// The sizes of a layout are those of the piece, which is operand 1 or the result.
    void finish_layout(InstId id) {
        Inst& i = f_[id];
        const AttrValue* a = i.attrs.find("layout");
        const Layout* found = a ? std::get_if<Layout>(a) : nullptr;
        if (!found) return;
        Layout layout = *found;
        bool has_piece = i.operands.size() > 1 + layout.index_scales.size();
        ValueId piece = has_piece ? i.operands[1] : i.results.empty() ? ValueId() : i.results[0];
        if (piece && f_.type(piece).is_tensor()) layout.sizes = f_.type(piece).sizes;
        if (layout.strides.size() != layout.sizes.size()) lex_.fail(strides_count, out_.places[id.index], layout.strides.size(), layout.sizes.size());
        i.attrs.set("layout", std::move(layout));
    }

    /// `name=value, …`, the comma in front taken already or not needed.
    void attributes(InstId id) {
        while (at_attribute()) {
            Token name = lex_.next();
            lex_.expect("=");
            if (f_[id].attrs.has(name.text)) lex_.fail(attribute_twice, lex_.span(name), name.text);
            AttrValue v = parse_attribute(lex_);
            f_[id].attrs.set(name.text, std::move(v));
            if (!lex_.accept(",")) break;
        }
    }

    /// A name with `=` behind it; other names are flags or begin the next instruction.
    [[nodiscard]] bool at_attribute() const {
        if (lex_.peek().kind != Token::Kind::Name) return false;
        Lexer ahead = lex_;
        ahead.next();
        return ahead.at("=");
    }

    /// Attributes in the signature's order, with its defaults; an int where a float or ints are wanted becomes one.
    void complete_attributes(InstId id) {
        const Signature& sig = signature(f_[id].op);
        Attrs out;
        for (const Param& p : sig.params) {
            if (p.is_operand()) continue;
            const AttrValue* given = f_[id].attrs.find(p.name);
            if (!given && !p.has_default) continue;
            AttrValue v = given ? *given : p.default_value;
            if (const int64_t* i = std::get_if<int64_t>(&v)) {
                if (p.kind == Param::Kind::Float) v = static_cast<double>(*i);
                else if (p.kind == Param::Kind::Ints) v = std::vector<int64_t>{*i};
            }
            out.set(p.name, std::move(v));
        }
        for (const Attrs::Entry& e : f_[id].attrs.entries())
            if (!out.has(e.name)) out.set(e.name, e.value);
        f_[id].attrs = std::move(out);
    }

    void with_attributes(InstId id) {
        if (lex_.accept("with")) attributes(id);
    }

    struct Carried {
        std::vector<Token> names;
        std::vector<Typed> types;
    };

    /// `carrying %p: type = %init, …`; the inits are appended to `operands`.
    Carried carrying(std::vector<ValueId>* operands) {
        Carried out;
        if (!lex_.accept("carrying")) return out;
        do {
            out.names.push_back(lex_.expect(Token::Kind::Value, "a carried value"));
            lex_.expect(":");
            out.types.push_back(typed(true));
            if (operands) {
                lex_.expect("=");
                operands->push_back(value());
            }
        } while (lex_.accept(","));
        return out;
    }

    void carried_region(InstId id, const Carried& carried, const Token* induction) {
        lex_.expect("{");
        RegionId r = f_.add_region(id);
        scopes_.emplace_back();
        if (induction) {
            ValueId i = f_.add_parameter(r, Type::i64());
            define(*induction, i);
        }
        for (size_t k = 0; k < carried.names.size(); ++k) add_param(r, carried.names[k], carried.types[k]);
        region(r);
        scopes_.pop_back();
    }

    void for_form(InstId id) {
        Token induction = lex_.expect(Token::Kind::Value, "the loop's variable");
        lex_.expect("in");
        std::vector<ValueId> operands{value()};
        lex_.expect("..");
        operands.push_back(value());
        operands.push_back(lex_.accept("step") ? value() : f_.add_constant(int64_t{1}));
        Carried carried = carrying(&operands);
        f_[id].operands = std::move(operands);
        with_attributes(id);
        carried_region(id, carried, &induction);
    }

    void while_form(InstId id) {
        std::vector<ValueId> operands;
        Carried carried = carrying(&operands);
        f_[id].operands = std::move(operands);
        with_attributes(id);
        carried_region(id, carried, nullptr);
        lex_.expect("do");
        carried_region(id, carried, nullptr);
    }

    void if_form(InstId id) {
        std::vector<ValueId> operands{value()};
        f_[id].operands = std::move(operands);
        with_attributes(id);
        carried_region(id, {}, nullptr);
        if (lex_.accept("else")) carried_region(id, {}, nullptr);
        else f_.add_region(id);
    }

    void group_form(InstId id) {
        f_[id].attrs.set("kind", lex_.expect(Token::Kind::String, "the group's kind").text);
        std::vector<ValueId> operands;
        if (at_value()) operands = values();
        f_[id].operands = std::move(operands);
        Carried carried = carrying(nullptr);
        with_attributes(id);
        carried_region(id, carried, nullptr);
    }

    void backward_form(InstId id) {
        std::vector<ValueId> operands = values();
        f_[id].attrs.set("losses", static_cast<int64_t>(operands.size()));
        if (lex_.accept("from")) {
            std::vector<ValueId> grads = values();
            f_[id].attrs.set("from", true);
            operands.insert(operands.end(), grads.begin(), grads.end());
        }
        lex_.expect("wrt");
        do {
            if (!at_value()) break;
            operands.push_back(value());
        } while (lex_.accept(","));
        f_[id].operands = std::move(operands);
        attributes(id);
    }

    Lexer lex_;
    ParsedFunction out_;
    Function& f_ = out_.function;
    std::vector<std::map<std::string, ValueId>> scopes_;
    std::map<std::string, StorageId> storages_;
    int depth_ = 0;
};

}  // namespace

ParsedFunction parse_function(const SourceFile& file) { return Parser(file).file(); }

}  // namespace sifr
