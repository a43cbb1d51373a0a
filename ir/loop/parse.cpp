#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>

#include "ir/loop/loop_ir.h"
#include "ir/loop/loop_names.h"
#include "ir/loop/text_cursor.h"

namespace sifr {

namespace {

/// An expression, or a literal whose type its context gives.
struct Operand {
    ExprId expr;
    std::string literal;
};

class KernelParser {
public:
    KernelParser(const SourceFile& file, size_t offset) : c_(file, offset) {}

    Kernel kernel() {
        c_.expect("kernel");
        c_.expect("@");
        k_.name = c_.word();
        c_.expect("(");
        if (!c_.peek(";") && !c_.peek(")")) {
            do buffer_parameter();
            while (c_.take(","));
        }
        if (c_.take(";")) {
            do {
                std::string name = c_.word();
                c_.expect(":");
                k_.scalars.push_back(declare(name, dtype()));
            } while (c_.take(","));
        }
        c_.expect(")");
        k_.location = c_.location();
        c_.expect("{");
        while (c_.take("scratch")) {
            Buffer b{.name = c_.word(), .access = Buffer::Access::ReadWrite, .scratch = true};
            buffer_tail(std::move(b));
        }
        while (c_.take("site")) {
            CheckSite s{.exception = c_.string(), .text = c_.string(), .location = {}};
            s.location = c_.location();
            k_.sites.push_back(std::move(s));
        }
        k_.body = block();
        return std::move(k_);
    }
    [[nodiscard]] size_t offset() const { return c_.offset(); }

private:
    DType dtype() {
        std::string name = c_.word();
        auto t = dtype_named(name);
        if (!t) c_.fail(fmt::format("'{}' is not an element type", name));
        return *t;
    }
    void buffer_parameter() {
        Buffer b{.name = c_.word()};
        c_.expect(":");
        if (c_.take("readwrite")) b.access = Buffer::Access::ReadWrite;
        else if (c_.take("write")) b.access = Buffer::Access::Write;
        else c_.expect("read");
        buffer_rest(std::move(b));
    }
    void buffer_tail(Buffer b) {
        c_.expect(":");
        buffer_rest(std::move(b));
    }
    void buffer_rest(Buffer b) {
        b.type = dtype();
        c_.expect("[");
        b.extent = c_.integer();
        c_.expect("]");
        std::string name = b.name;
        if (vars_.count(name) || !buffers_.emplace(name, k_.add_buffer(std::move(b))).second) c_.fail(fmt::format("two things are named '{}'", name));
    }
    VarId declare(const std::string& name, DType type) {
        VarId v = k_.add_var(name, type);
        if (buffers_.count(name) || !vars_.emplace(name, v).second) c_.fail(fmt::format("two things are named '{}'", name));
        return v;
    }
    VarId variable(const std::string& name) {
        auto it = vars_.find(name);
        if (it == vars_.end()) c_.fail(fmt::format("there is no variable '{}'", name));
        return it->second;
    }
    BufferId buffer(const std::string& name) {
        auto it = buffers_.find(name);
        if (it == buffers_.end()) c_.fail(fmt::format("there is no buffer '{}'", name));
        return it->second;
    }

    Affine affine() {
        Affine a;
        bool negative = c_.take("-");
        for (;;) {
            int64_t factor = negative ? -1 : 1;
            if (c_.peek_word()) a.add(Affine::of(variable(c_.word())), factor);
            else {
                factor *= c_.integer();
                if (c_.take("*")) a.add(Affine::of(variable(c_.word())), factor);
                else a.base += factor;
            }
            if (c_.take("+")) negative = false;
            else if (c_.take("-")) negative = true;
            else return a;
        }
    }

    ExprId literal(DType type, const std::string& text) {
        bool is_word = text == "true" || text == "false";
        if ((type == DType::Bool) != is_word) c_.fail(fmt::format("'{}' is not of type {}", text, name_of(type)));
        if (type == DType::Bool) return k_.exprs.constant_bits(type, text == "true");
        if (is_float(type)) {
            if (text == "nan" || text == "-nan")
                return k_.exprs.constant_bits(type, std::bit_cast<uint64_t>(std::copysign(std::nan(""), text[0] == '-' ? -1.0 : 1.0)));
            double value = std::strtod(text.c_str(), nullptr);
            // The shortest text of a float stands for that float, not for the double nearest to the text.
            float nearest = std::strtof(text.c_str(), nullptr);
            if (type != DType::F64 && float_text(nearest, true) == text) value = nearest;
            return k_.exprs.constant_bits(type, std::bit_cast<uint64_t>(value));
        }
        int64_t value = 0;
        auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size()) c_.fail(fmt::format("'{}' is not of type {}", text, name_of(type)));
        return k_.exprs.constant_bits(type, static_cast<uint64_t>(value));
    }
    ExprId typed(const Operand& o, DType type) { return o.expr.valid() ? o.expr : literal(type, o.literal); }
    ExprId typed_alone(const Operand& o) {
        if (o.expr.valid()) return o.expr;
        if (o.literal == "true" || o.literal == "false") return literal(DType::Bool, o.literal);
        c_.fail(fmt::format("nothing says which type '{}' has", o.literal));
    }
    /// Operands of one type: literals take the type of the others.
    std::vector<ExprId> agreed(const std::vector<Operand>& operands) {
        for (const Operand& o : operands) {
            if (!o.expr.valid()) continue;
            std::vector<ExprId> out;
            for (const Operand& p : operands) out.push_back(typed(p, k_.exprs.type(o.expr)));
            return out;
        }
        std::vector<ExprId> out;
        for (const Operand& o : operands) out.push_back(typed_alone(o));
        return out;
    }

    Operand primary() {
        if (c_.take("(")) {
            Operand o = infix();
            c_.expect(")");
            return o;
        }
        for (const char* word : {"true", "false"}) {
            if (c_.take(word)) return {{}, word};
        }
        if (!c_.peek_word() || c_.peek("inf") || c_.peek("nan")) return {{}, c_.number()};
        if (c_.take("bitcast")) {
            DType t = dtype();
            c_.expect("(");
            ExprId e = typed_alone(infix());
            c_.expect(")");
            return {k_.exprs.bitcast(e, t), {}};
        }
        std::string name = c_.word();
        if (c_.take("[")) {
            BufferId b = buffer(name);
            Affine index = affine();
            c_.expect("]");
            return {k_.exprs.load(b, k_.buffers[b.index].type, std::move(index)), {}};
        }
        if (!c_.take("(")) {
            VarId v = variable(name);
            return {k_.exprs.var(v, k_.vars[v.index].type), {}};
        }
        if (auto t = dtype_named(name)) {
            Operand o = infix();
            c_.expect(")");
            if (o.expr.valid()) return {k_.exprs.cast(o.expr, *t), {}};
            if ((o.literal == "true" || o.literal == "false") && *t != DType::Bool) return {k_.exprs.cast(typed_alone(o), *t), {}};
            return {literal(*t, o.literal), {}};
        }
        auto op = scalar_op_named(name);
        if (!op || arity(*op) == 0) c_.fail(fmt::format("there is no operator '{}'", name));
        std::vector<Operand> operands;
        do operands.push_back(infix());
        while (c_.take(","));
        c_.expect(")");
        if (static_cast<int>(operands.size()) != arity(*op)) c_.fail(fmt::format("'{}' takes {} operands", name, arity(*op)));
        if (*op == ScalarOp::Select) {
            auto rest = agreed({operands[1], operands[2]});
            return {k_.exprs.ternary(*op, typed(operands[0], DType::Bool), rest[0], rest[1]), {}};
        }
        auto args = agreed(operands);
        if (args.size() == 1) return {k_.exprs.unary(*op, args[0]), {}};
        if (args.size() == 2) return {k_.exprs.binary(*op, args[0], args[1]), {}};
        return {k_.exprs.ternary(*op, args[0], args[1], args[2]), {}};
    }
    Operand infix() {
        Operand a = primary();
        for (const char* text : {"==", "!=", "<=", ">=", "+", "-", "*", "/", "&", "|", "^", "<", ">"}) {
            if (!c_.take(text)) continue;
            auto args = agreed({a, primary()});
            return {k_.exprs.binary(*infix_named(text), args[0], args[1]), {}};
        }
        return a;
    }
    ExprId value(DType type) { return typed(infix(), type); }

    Block block() {
        Block out;
        auto vars = vars_;
        while (!c_.take("}")) statement(out);
        vars_ = std::move(vars);
        return out;
    }

    void statement(Block& out) {
        for (auto [word, kind] : {std::pair{"for", For::Kind::Serial}, {"parallel", For::Kind::Parallel}, {"vector", For::Kind::Vector}}) {
            if (c_.take(word)) return loop(out, kind);
        }
        if (c_.take("let")) {
            std::string name = c_.word();
            c_.expect(":");
            DType t = dtype();
            c_.expect("=");
            ExprId v = value(t);
            return add(out, Let{declare(name, t), v});
        }
        if (c_.take("if")) return conditional(out);
        if (c_.take("reduce")) return reduce(out);
        if (c_.take("accumulate")) {
            std::string name = c_.word();
            auto combine = combine_named(name);
            if (!combine) c_.fail(fmt::format("there is no combiner '{}'", name));
            BufferId b = buffer(c_.word());
            c_.expect("[");
            Affine index = affine();
            c_.expect("]");
            c_.expect(",");
            return add(out, Accumulate{b, std::move(index), *combine, value(k_.buffers[b.index].type)});
        }
        if (c_.take("check")) {
            Check k;
            k.ok = value(DType::Bool);
            c_.expect(",");
            c_.expect("site");
            k.site = static_cast<uint32_t>(c_.integer());
            c_.expect(",");
            c_.expect("position");
            k.position = affine();
            c_.expect(",");
            c_.expect("value");
            k.value = value(DType::I64);
            return add(out, std::move(k));
        }
        if (c_.take("contract")) return contract(out);
        bool stream = c_.take("stream");
        std::string name = c_.word();
        if (c_.take("[")) {
            BufferId b = buffer(name);
            Affine index = affine();
            c_.expect("]");
            c_.expect("=");
            return add(out, Store{b, std::move(index), value(k_.buffers[b.index].type), stream});
        }
        c_.expect("=");
        VarId v = variable(name);
        add(out, Assign{v, value(k_.vars[v.index].type)});
    }
    template <class Node>
    void add(Block& out, Node node) {
        Location at = c_.location();
        out.push_back(Stmt{std::move(node), std::move(at)});
    }
    void loop(Block& out, For::Kind kind) {
        For f;
        f.kind = kind;
        std::string name = c_.word();
        c_.expect("in");
        f.lo = affine();
        c_.expect("..");
        f.hi = affine();
        if (c_.take("grain")) f.grain = c_.integer();
        Location at = c_.location();
        c_.expect("{");
        auto vars = vars_;
        f.var = declare(name, DType::I64);
        f.body = block();
        vars_ = std::move(vars);
        out.push_back(Stmt{std::move(f), std::move(at)});
    }
    void conditional(Block& out) {
        If i;
        i.condition = value(DType::Bool);
        Location at = c_.location();
        c_.expect("{");
        i.then_body = block();
        if (c_.take("else")) {
            c_.expect("{");
            i.else_body = block();
        }
        out.push_back(Stmt{std::move(i), std::move(at)});
    }
    void reduce(Block& out) {
        Reduce r;
        r.lanes = c_.take("lanes");
        if (!r.lanes) c_.expect("rows");
        std::string name = c_.word();
        c_.expect("in");
        if (c_.integer() != 0) c_.fail("a reduction starts at 0");
        c_.expect("..");
        r.extent = affine();
        Location at = c_.location();
        c_.expect("{");
        auto vars = vars_;
        r.var = declare(name, DType::I64);
        while (!c_.take("}")) statement(r.body);
        std::vector<std::pair<std::string, VarId>> results;
        auto result = [&](const std::string& n, DType t) {
            results.emplace_back(n, k_.add_var(n, t));
            return results.back().second;
        };
        if (c_.peek_word()) {
            do {
                std::string word = c_.word();
                auto combine = combine_named(word);
                if (!combine) c_.fail(fmt::format("there is no combiner '{}'", word));
                Reduce::Item item;
                item.combine = *combine;
                std::string n = c_.word();
                c_.expect(":");
                DType t = dtype();
                c_.expect("=");
                bool arg = *combine == Combine::ArgMax || *combine == Combine::ArgMin;
                item.value = arg ? typed_alone(infix()) : value(t);
                item.result = result(n, t);
                if (c_.take("times")) item.factor = value(t);
                if (c_.take("value")) {
                    std::string m = c_.word();
                    c_.expect(":");
                    item.result_value = result(m, dtype());
                }
                r.items.push_back(std::move(item));
            } while (c_.take(","));
        }
        vars_ = std::move(vars);
        for (auto& [n, v] : results) {
            if (buffers_.count(n) || !vars_.emplace(n, v).second) c_.fail(fmt::format("two things are named '{}'", n));
        }
        out.push_back(Stmt{std::move(r), std::move(at)});
    }
    void contract(Block& out) {
        Contract c;
        std::string acc = c_.word();
        c_.expect(":");
        c.type = dtype();
        auto saved = vars_;
        c_.expect("over");
        c.batch_var = declare(c_.word(), DType::I64);
        auto extent = [&] {
            c_.expect("in");
            return c_.integer();
        };
        c.batch = extent();
        c_.expect(",");
        c.m_var = declare(c_.word(), DType::I64);
        c.m = extent();
        c_.expect(",");
        c.n_var = declare(c_.word(), DType::I64);
        c.n = extent();
        c_.expect(",");
        c_.expect("k");
        c.k = extent();
        c_.expect(",");
        auto matrix = [&](BufferId& b, Affine& base, int64_t& outer, const char* outer_name, int64_t& inner, const char* inner_name) {
            b = buffer(c_.word());
            c_.expect("[");
            base = affine();
            c_.expect(",");
            outer = c_.integer();
            c_.expect("*");
            c_.expect(outer_name);
            c_.expect("+");
            inner = c_.integer();
            c_.expect("*");
            c_.expect(inner_name);
            c_.expect("]");
        };
        matrix(c.a, c.a_base, c.a_m, "m", c.a_k, "k");
        c_.expect(",");
        matrix(c.b, c.b_base, c.b_k, "k", c.b_n, "n");
        Location at = c_.location();
        c_.expect("{");
        c.acc = declare(acc, c.type);
        c.epilogue = block();
        vars_ = std::move(saved);
        out.push_back(Stmt{std::move(c), std::move(at)});
    }

    TextCursor c_;
    Kernel k_;
    std::map<std::string, VarId> vars_;
    std::map<std::string, BufferId> buffers_;
};

}  // namespace

Kernel parse_kernel(const SourceFile& file, size_t& offset) {
    KernelParser p(file, offset);
    Kernel k = p.kernel();
    offset = p.offset();
    return k;
}

}  // namespace sifr
