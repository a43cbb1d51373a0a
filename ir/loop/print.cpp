#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "ir/base/check.h"
#include "ir/loop/loop_ir.h"
#include "ir/loop/loop_names.h"
#include "ir/loop/text_cursor.h"

namespace sifr {

namespace {

struct InfixName {
    ScalarOp op;
    const char* text;
};
constexpr InfixName infix_names[] = {
    {ScalarOp::Add, "+"}, {ScalarOp::Sub, "-"}, {ScalarOp::Mul, "*"}, {ScalarOp::Div, "/"},  {ScalarOp::And, "&"}, {ScalarOp::Or, "|"},
    {ScalarOp::Xor, "^"}, {ScalarOp::Eq, "=="}, {ScalarOp::Ne, "!="}, {ScalarOp::Le, "<="}, {ScalarOp::Ge, ">="}, {ScalarOp::Lt, "<"},
    {ScalarOp::Gt, ">"},
};

class Printer {
public:
    explicit Printer(const Kernel& k) : k_(k) {
        std::set<std::string> taken = {"true", "false", "inf", "nan", "let", "for", "parallel", "vector", "reduce", "if", "else", "stream",
                                       "accumulate", "check", "contract", "scratch", "site", "bitcast"};
        auto unique = [&](const std::string& wanted, const char* otherwise) {
            std::string base = wanted.empty() ? otherwise : wanted;
            std::string name = base;
            for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
            return name;
        };
        for (const Buffer& b : k.buffers) buffer_names_.push_back(unique(b.name, "b"));
        for (const Variable& v : k.vars) var_names_.push_back(unique(v.name, "v"));
    }

    std::string kernel() {
        std::string params;
        for (size_t b = 0; b < k_.buffers.size(); ++b) {
            const Buffer& buffer = k_.buffers[b];
            if (buffer.scratch) continue;
            params += fmt::format("{}{}: {} {}[{}]", params.empty() ? "" : ", ", buffer_names_[b], access_name(buffer.access),
                                  name_of(buffer.type), buffer.extent);
        }
        std::string scalars;
        for (VarId v : k_.scalars) scalars += fmt::format("{}{}: {}", scalars.empty() ? "; " : ", ", declared(v), name_of(k_.vars[v.index].type));
        out_ = fmt::format("kernel @{}({}{}){} {{\n", k_.name, params, scalars, location_text(k_.location));
        for (size_t b = 0; b < k_.buffers.size(); ++b) {
            const Buffer& buffer = k_.buffers[b];
            if (buffer.scratch) line(1, fmt::format("scratch {}: {}[{}]", buffer_names_[b], name_of(buffer.type), buffer.extent));
        }
        for (const CheckSite& s : k_.sites)
            line(1, fmt::format("site {} {}{}", quoted_text(s.exception), quoted_text(s.text), location_text(s.location)));
        block(k_.body, 1);
        out_ += "}\n";
        return out_;
    }

private:
    static const char* access_name(Buffer::Access a) {
        switch (a) {
            case Buffer::Access::Read: return "read";
            case Buffer::Access::Write: return "write";
            case Buffer::Access::ReadWrite: return "readwrite";
        }
        SIFR_UNREACHABLE("access");
    }
    const std::string& name(VarId v) const {
        SIFR_CHECK(v.valid() && v.index < var_names_.size(), "a variable that the kernel does not have");
        return var_names_[v.index];
    }
    const std::string& name(BufferId b) const {
        SIFR_CHECK(b.valid() && b.index < buffer_names_.size(), "a buffer that the kernel does not have");
        return buffer_names_[b.index];
    }
    /// Where the text of the kernel meets a variable first: there a reader gives it the next number.
    const std::string& declared(VarId v) {
        declaration_.emplace(v.index, declaration_.size());
        return name(v);
    }
    void line(int depth, const std::string& text) { (out_.append(static_cast<size_t>(depth) * 4, ' ') += text) += '\n'; }

    std::string affine(const Affine& a) const {
        std::string s;
        // As they will be sorted when the text has been read, whatever the numbers of the variables are here.
        std::vector<Affine::Term> terms = a.terms;
        std::ranges::stable_sort(terms, {}, [&](const Affine::Term& t) {
            auto at = declaration_.find(t.var.index);
            return at == declaration_.end() ? SIZE_MAX : at->second;
        });
        for (const Affine::Term& t : terms) {
            int64_t scale = t.scale;
            if (s.empty()) {
                if (scale < 0) s += "-";
            } else s += scale < 0 ? " - " : " + ";
            uint64_t magnitude = scale < 0 ? 0 - static_cast<uint64_t>(scale) : static_cast<uint64_t>(scale);
            if (magnitude != 1) s += fmt::format("{}*", magnitude);
            s += name(t.var);
        }
        if (s.empty()) return std::to_string(a.base);
        if (a.base > 0) s += fmt::format(" + {}", a.base);
        if (a.base < 0) s += fmt::format(" - {}", 0 - static_cast<uint64_t>(a.base));
        return s;
    }

    bool is_const(ExprId e) const { return k_.exprs[e].op == ScalarOp::Const; }

    std::string literal(const Expr& e) const {
        switch (e.type) {
            case DType::Bool: return e.payload ? "true" : "false";
            case DType::F16: case DType::BF16: case DType::F32: return float_text(std::bit_cast<double>(e.payload), true);
            case DType::F64: return float_text(std::bit_cast<double>(e.payload), false);
            default: return std::to_string(static_cast<int64_t>(e.payload));
        }
    }

    /// A constant whose type the reader sees from its context stands bare; any other is written `f32(0.5)`.
    std::string expr(ExprId id, bool typed_by_context) {
        SIFR_CHECK(id.valid() && id.index < k_.exprs.nodes.size(), "an expression that the kernel does not have");
        const Expr& e = k_.exprs[id];
        switch (e.op) {
            case ScalarOp::Const:
                if (typed_by_context || e.type == DType::Bool) return literal(e);
                return fmt::format("{}({})", name_of(e.type), literal(e));
            case ScalarOp::Var: return name(e.var);
            case ScalarOp::Load: return fmt::format("{}[{}]", name(e.buffer), affine(e.index));
            case ScalarOp::Input: return fmt::format("input{}:{}", e.payload, name_of(e.type));
            case ScalarOp::Cast: return fmt::format("{}({})", name_of(e.type), bare(expr(e.args[0], false)));
            case ScalarOp::Bitcast: return fmt::format("bitcast {}({})", name_of(e.type), bare(expr(e.args[0], false)));
            default: break;
        }
        // The operands that must agree: all, but for the condition of a Select.
        int n = arity(e.op);
        int first = e.op == ScalarOp::Select ? 1 : 0;
        bool known = false;
        for (int i = first; i < n; ++i) known |= !is_const(e.args[static_cast<size_t>(i)]);
        std::vector<std::string> args;
        for (int i = 0; i < n; ++i) args.push_back(expr(e.args[static_cast<size_t>(i)], i >= first && known));
        for (const InfixName& f : infix_names) {
            if (f.op == e.op) return fmt::format("({} {} {})", args[0], f.text, args[1]);
        }
        for (std::string& a : args) a = bare(std::move(a));
        return fmt::format("{}({})", name_of(e.op), fmt::join(args, ", "));
    }
    std::string value(ExprId id, DType wanted) { return bare(expr(id, k_.exprs.type(id) == wanted)); }

    /// Without outermost parentheses, which say nothing where the text stands alone.
    static std::string bare(std::string s) {
        if (s.size() < 2 || s.front() != '(') return s;
        int depth = 0;
        for (size_t i = 0; i < s.size(); ++i) {
            if (s[i] == '(') ++depth;
            if (s[i] == ')' && --depth == 0) return i + 1 == s.size() ? s.substr(1, s.size() - 2) : s;
        }
        return s;
    }

    void block(const Block& b, int depth) {
        for (const Stmt& s : b) {
            std::string at = location_text(s.location);
            std::visit([&](const auto& node) { stmt(node, depth, at); }, s.node);
        }
    }
    void stmt(const For& f, int depth, const std::string& at) {
        const char* kind = f.kind == For::Kind::Serial ? "for" : f.kind == For::Kind::Parallel ? "parallel" : "vector";
        std::string grain = f.kind == For::Kind::Parallel ? fmt::format(" grain {}", f.grain) : "";
        line(depth, fmt::format("{} {} in {}..{}{}{} {{", kind, declared(f.var), affine(f.lo), affine(f.hi), grain, at));
        block(f.body, depth + 1);
        line(depth, "}");
    }
    void stmt(const Let& l, int depth, const std::string& at) {
        DType t = k_.vars.at(l.var.index).type;
        line(depth, fmt::format("let {}: {} = {}{}", declared(l.var), name_of(t), value(l.value, t), at));
    }
    void stmt(const Assign& a, int depth, const std::string& at) {
        line(depth, fmt::format("{} = {}{}", name(a.var), value(a.value, k_.vars.at(a.var.index).type), at));
    }
    void stmt(const Store& s, int depth, const std::string& at) {
        line(depth, fmt::format("{}{}[{}] = {}{}", s.stream ? "stream " : "", name(s.buffer), affine(s.index),
                                value(s.value, k_.buffers.at(s.buffer.index).type), at));
    }
    void stmt(const Accumulate& a, int depth, const std::string& at) {
        line(depth, fmt::format("accumulate {} {}[{}], {}{}", combine_name(a.combine), name(a.buffer), affine(a.index),
                                value(a.value, k_.buffers.at(a.buffer.index).type), at));
    }
    void stmt(const If& i, int depth, const std::string& at) {
        line(depth, fmt::format("if {}{} {{", value(i.condition, DType::Bool), at));
        block(i.then_body, depth + 1);
        if (!i.else_body.empty()) {
            line(depth, "} else {");
            block(i.else_body, depth + 1);
        }
        line(depth, "}");
    }
    void stmt(const Reduce& r, int depth, const std::string& at) {
        line(depth, fmt::format("reduce {} {} in 0..{}{} {{", r.lanes ? "lanes" : "rows", declared(r.var), affine(r.extent), at));
        block(r.body, depth + 1);
        std::vector<std::string> items;
        for (const Reduce::Item& i : r.items) {
            bool arg = i.combine == Combine::ArgMax || i.combine == Combine::ArgMin;
            DType t = k_.vars.at(i.result.index).type;
            std::string s = fmt::format("{} {}: {} = {}", combine_name(i.combine), declared(i.result), name_of(t),
                                        arg ? value(i.value, DType::Bool) : value(i.value, t));
            if (i.factor.valid()) s += fmt::format(" times {}", value(i.factor, t));
            if (i.result_value.valid()) s += fmt::format(" value {}: {}", declared(i.result_value), name_of(k_.vars.at(i.result_value.index).type));
            items.push_back(std::move(s));
        }
        line(depth, fmt::format("}} {}", fmt::join(items, ", ")));
    }
    void stmt(const Check& c, int depth, const std::string& at) {
        line(depth, fmt::format("check {}, site {}, position {}, value {}{}", value(c.ok, DType::Bool), c.site, affine(c.position),
                                value(c.value, DType::I64), at));
    }
    void stmt(const Contract& c, int depth, const std::string& at) {
        line(depth, fmt::format("contract {}: {} over {} in {}, {} in {}, {} in {}, k in {}, {}[{}, {}*m + {}*k], {}[{}, {}*k + {}*n]{} {{", name(c.acc),
                                name_of(c.type), name(c.batch_var), c.batch, name(c.m_var), c.m, name(c.n_var), c.n, c.k, name(c.a),
                                affine(c.a_base), c.a_m, c.a_k, name(c.b), affine(c.b_base), c.b_k, c.b_n, at));
        block(c.epilogue, depth + 1);
        line(depth, "}");
    }

    const Kernel& k_;
    std::vector<std::string> buffer_names_, var_names_;
    std::map<uint32_t, size_t> declaration_;  ///< by variable: how many were declared before it
    std::string out_;
};

}  // namespace

std::string_view combine_name(Combine c) {
    switch (c) {
        case Combine::Sum: return "sum";
        case Combine::Prod: return "prod";
        case Combine::Max: return "max";
        case Combine::Min: return "min";
        case Combine::Any: return "any";
        case Combine::All: return "all";
        case Combine::ArgMax: return "argmax";
        case Combine::ArgMin: return "argmin";
    }
    SIFR_UNREACHABLE("combine");
}

std::optional<Combine> combine_named(std::string_view name) {
    for (int c = 0; c <= static_cast<int>(Combine::ArgMin); ++c) {
        if (combine_name(static_cast<Combine>(c)) == name) return static_cast<Combine>(c);
    }
    return std::nullopt;
}

const char* infix_name(ScalarOp op) {
    for (const InfixName& f : infix_names) {
        if (f.op == op) return f.text;
    }
    return nullptr;
}
std::optional<ScalarOp> infix_named(std::string_view text) {
    for (const InfixName& f : infix_names) {
        if (f.text == text) return f.op;
    }
    return std::nullopt;
}

std::string print(const Kernel& kernel) { return Printer(kernel).kernel(); }

}  // namespace sifr
