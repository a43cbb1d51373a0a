#include "compiler/frontend/syntax/dump.h"

#include <fmt/format.h>

namespace sifr::syntax {
namespace {

class Dumper {
public:
    explicit Dumper(const DumpOptions& options) : options_(options) {}

    void body(const Body& statements) {
        ++indent_;
        for (const StmtPtr& s : statements) {
            line();
            statement(*s);
        }
        --indent_;
    }

    void expr(const Expr* e) {
        if (!e) {
            out += '_';
            return;
        }
        expression(*e);
    }
    void expr(const ExprPtr& e) { expr(e.get()); }

    std::string out;

private:
    void line() {
        if (!out.empty()) out += '\n';
        out.append(2 * static_cast<size_t>(indent_ - 1), ' ');
    }
    void open(const char* kind, const Span& span) {
        out += '(';
        out += kind;
        if (options_.spans) out += fmt::format("@{}:{}-{}:{}", span.line, span.column, span.end_line, span.end_column);
    }
    void close() { out += ')'; }
    void word(std::string_view w) {
        out += ' ';
        out += w;
    }
    void child(const Expr* e) {
        out += ' ';
        expr(e);
    }
    void child(const ExprPtr& e) { child(e.get()); }
    void children(const std::vector<ExprPtr>& list) {
        for (const ExprPtr& e : list) child(e);
    }
    void context(Context c) {
        if (c == Context::Store) word("store");
        if (c == Context::Del) word("del");
    }
    /// ` [a b]`
    void group(const std::vector<ExprPtr>& list) {
        out += " [";
        for (size_t i = 0; i < list.size(); ++i) {
            if (i) out += ' ';
            expr(list[i]);
        }
        out += ']';
    }
    void names(const std::vector<std::string>& list) {
        for (const std::string& n : list) word(n);
    }
    void keywords(const std::vector<Keyword>& list) {
        for (const Keyword& k : list) {
            word(k.name.empty() ? "**" : k.name + "=");
            expr(k.value);
        }
    }
    void parameter(const Parameter& p, const char* stars) {
        out += out.back() == '(' ? "" : " ";
        out += stars;
        out += p.name;
        if (p.annotation) {
            out += ':';
            expr(p.annotation);
        }
        if (p.default_value) {
            out += '=';
            expr(p.default_value);
        }
    }
    void parameters(const Parameters& params) {
        out += " (";
        for (const Parameter& p : params.positional_only) parameter(p, "");
        if (!params.positional_only.empty()) out += " /";
        for (const Parameter& p : params.positional) parameter(p, "");
        if (params.vararg) parameter(*params.vararg, "*");
        else if (!params.keyword_only.empty()) out += out.back() == '(' ? "*" : " *";
        for (const Parameter& p : params.keyword_only) parameter(p, "");
        if (params.kwarg) parameter(*params.kwarg, "**");
        out += ')';
    }
    void generators(const std::vector<Generator>& list) {
        for (const Generator& g : list) {
            out += g.is_async ? " (async-for" : " (for";
            child(g.target);
            child(g.iter);
            for (const ExprPtr& c : g.conditions) {
                word("if");
                child(c);
            }
            close();
        }
    }
    void comprehension(const char* kind, const Comprehension& c, const Expr* value) {
        open(kind, c.span);
        child(c.element);
        if (value) child(value);
        generators(c.generators);
        close();
    }
    static const char* constant_kind(ConstantKind k) {
        switch (k) {
            case ConstantKind::None: return "None";
            case ConstantKind::True: return "True";
            case ConstantKind::False: return "False";
            case ConstantKind::Ellipsis: return "Ellipsis";
            case ConstantKind::Int: return "Int";
            case ConstantKind::Float: return "Float";
            case ConstantKind::Imaginary: return "Imaginary";
            case ConstantKind::Str: return "Str";
            case ConstantKind::Bytes: return "Bytes";
        }
        return "";
    }
    void constant(const Constant& c) {
        open(constant_kind(c.constant), c.span);
        switch (c.constant) {
            case ConstantKind::Int: word(c.text); break;
            case ConstantKind::Float:
            case ConstantKind::Imaginary: word(fmt::format("{}", c.number)); break;
            case ConstantKind::Str: word(quoted(c.text, true)); break;
            case ConstantKind::Bytes: word(quoted(c.text, false)); break;
            default: break;
        }
        close();
    }

    void expression(const Expr& e);
    void statement(const Stmt& s);
    void pattern(const Pattern& p);
    void list_of(const char* name, const Body& statements) {
        if (statements.empty()) return;
        ++indent_;
        line();
        --indent_;
        out += '(';
        out += name;
        ++indent_;
        body(statements);
        --indent_;
        close();
    }

    DumpOptions options_;
    int indent_ = 0;
};

void Dumper::expression(const Expr& e) {
    switch (e.kind) {
        case ExprKind::Name: {
            const auto& n = as<Name>(e);
            open("Name", e.span);
            word(n.id);
            context(n.context);
            break;
        }
        case ExprKind::Constant: return constant(as<Constant>(e));
        case ExprKind::JoinedStr:
            open("JoinedStr", e.span);
            children(as<JoinedStr>(e).values);
            break;
        case ExprKind::FormattedValue: {
            const auto& v = as<FormattedValue>(e);
            open("FormattedValue", e.span);
            child(v.value);
            if (v.conversion) word(fmt::format("!{}", v.conversion));
            if (v.format_spec) child(v.format_spec.get());
            break;
        }
        case ExprKind::BinOp: {
            const auto& b = as<BinOp>(e);
            open("BinOp", e.span);
            word(spelling(b.op));
            child(b.left);
            child(b.right);
            break;
        }
        case ExprKind::UnaryOp:
            open("UnaryOp", e.span);
            word(spelling(as<UnaryOp>(e).op));
            child(as<UnaryOp>(e).operand);
            break;
        case ExprKind::BoolOp:
            open(as<BoolOp>(e).is_or ? "Or" : "And", e.span);
            children(as<BoolOp>(e).values);
            break;
        case ExprKind::Compare: {
            const auto& c = as<Compare>(e);
            open("Compare", e.span);
            child(c.left);
            for (size_t i = 0; i < c.ops.size(); ++i) {
                word(spelling(c.ops[i]));
                child(c.comparators[i]);
            }
            break;
        }
        case ExprKind::Call: {
            const auto& c = as<Call>(e);
            open("Call", e.span);
            child(c.function);
            children(c.args);
            keywords(c.keywords);
            break;
        }
        case ExprKind::Attribute: {
            const auto& a = as<Attribute>(e);
            open("Attribute", e.span);
            child(a.value);
            word(a.name);
            context(a.context);
            break;
        }
        case ExprKind::Subscript: {
            const auto& s = as<Subscript>(e);
            open("Subscript", e.span);
            child(s.value);
            child(s.index);
            context(s.context);
            break;
        }
        case ExprKind::Slice: {
            const auto& s = as<Slice>(e);
            open("Slice", e.span);
            child(s.lower);
            child(s.upper);
            child(s.step);
            break;
        }
        case ExprKind::Tuple:
            open("Tuple", e.span);
            children(as<Tuple>(e).elements);
            context(as<Tuple>(e).context);
            break;
        case ExprKind::List:
            open("List", e.span);
            children(as<List>(e).elements);
            context(as<List>(e).context);
            break;
        case ExprKind::Dict:
            open("Dict", e.span);
            for (const DictItem& i : as<Dict>(e).items) {
                out += " (";
                if (i.key) expr(i.key);
                else out += "**";
                child(i.value);
                close();
            }
            break;
        case ExprKind::Set:
            open("Set", e.span);
            children(as<Set>(e).elements);
            break;
        case ExprKind::ListComp: return comprehension("ListComp", as<ListComp>(e), nullptr);
        case ExprKind::SetComp: return comprehension("SetComp", as<SetComp>(e), nullptr);
        case ExprKind::DictComp: return comprehension("DictComp", as<DictComp>(e), as<DictComp>(e).value.get());
        case ExprKind::GeneratorExp: return comprehension("GeneratorExp", as<GeneratorExp>(e), nullptr);
        case ExprKind::Lambda:
            open("Lambda", e.span);
            parameters(as<Lambda>(e).params);
            child(as<Lambda>(e).body);
            break;
        case ExprKind::IfExp: {
            const auto& i = as<IfExp>(e);
            open("IfExp", e.span);
            child(i.test);
            child(i.body);
            child(i.orelse);
            break;
        }
        case ExprKind::Starred:
            open("Starred", e.span);
            child(as<Starred>(e).value);
            context(as<Starred>(e).context);
            break;
        case ExprKind::NamedExpr:
            open("NamedExpr", e.span);
            child(as<NamedExpr>(e).target.get());
            child(as<NamedExpr>(e).value);
            break;
        case ExprKind::Await:
            open("Await", e.span);
            child(as<Await>(e).value);
            break;
        case ExprKind::Yield:
            open("Yield", e.span);
            child(as<Yield>(e).value);
            break;
        case ExprKind::YieldFrom:
            open("YieldFrom", e.span);
            child(as<YieldFrom>(e).value);
            break;
    }
    close();
}

void Dumper::statement(const Stmt& s) {
    switch (s.kind) {
        case StmtKind::ExprStmt:
            open("Expr", s.span);
            child(as<ExprStmt>(s).value);
            break;
        case StmtKind::Assign:
            open("Assign", s.span);
            group(as<Assign>(s).targets);
            child(as<Assign>(s).value);
            break;
        case StmtKind::AugAssign:
            open("AugAssign", s.span);
            word(spelling(as<AugAssign>(s).op));
            child(as<AugAssign>(s).target);
            child(as<AugAssign>(s).value);
            break;
        case StmtKind::AnnAssign:
            open("AnnAssign", s.span);
            if (as<AnnAssign>(s).simple) word("simple");
            child(as<AnnAssign>(s).target);
            child(as<AnnAssign>(s).annotation);
            child(as<AnnAssign>(s).value);
            break;
        case StmtKind::If:
            open("If", s.span);
            child(as<If>(s).test);
            body(as<If>(s).body);
            list_of("else", as<If>(s).orelse);
            break;
        case StmtKind::For:
            open(as<For>(s).is_async ? "AsyncFor" : "For", s.span);
            child(as<For>(s).target);
            child(as<For>(s).iter);
            body(as<For>(s).body);
            list_of("else", as<For>(s).orelse);
            break;
        case StmtKind::While:
            open("While", s.span);
            child(as<While>(s).test);
            body(as<While>(s).body);
            list_of("else", as<While>(s).orelse);
            break;
        case StmtKind::Break: open("Break", s.span); break;
        case StmtKind::Continue: open("Continue", s.span); break;
        case StmtKind::Pass: open("Pass", s.span); break;
        case StmtKind::Return:
            open("Return", s.span);
            child(as<Return>(s).value);
            break;
        case StmtKind::FunctionDef: {
            const auto& f = as<FunctionDef>(s);
            open(f.is_async ? "AsyncFunctionDef" : "FunctionDef", s.span);
            word(f.name);
            parameters(f.params);
            if (f.returns) {
                word("->");
                child(f.returns);
            }
            if (!f.decorators.empty()) {
                word("@");
                group(f.decorators);
            }
            body(f.body);
            break;
        }
        case StmtKind::ClassDef: {
            const auto& c = as<ClassDef>(s);
            open("ClassDef", s.span);
            word(c.name);
            children(c.bases);
            keywords(c.keywords);
            if (!c.decorators.empty()) {
                word("@");
                group(c.decorators);
            }
            body(c.body);
            break;
        }
        case StmtKind::With: {
            const auto& w = as<With>(s);
            open(w.is_async ? "AsyncWith" : "With", s.span);
            for (const WithItem& i : w.items) {
                out += " (";
                expr(i.manager);
                if (i.target) child(i.target);
                close();
            }
            body(w.body);
            break;
        }
        case StmtKind::Try: {
            const auto& t = as<Try>(s);
            open(t.is_star ? "TryStar" : "Try", s.span);
            body(t.body);
            for (const ExceptHandler& h : t.handlers) {
                ++indent_;
                line();
                --indent_;
                open("except", h.span);
                child(h.type);
                if (!h.name.empty()) word(h.name);
                ++indent_;
                body(h.body);
                --indent_;
                close();
            }
            list_of("else", t.orelse);
            list_of("finally", t.finalbody);
            break;
        }
        case StmtKind::Raise:
            open("Raise", s.span);
            child(as<Raise>(s).exception);
            child(as<Raise>(s).cause);
            break;
        case StmtKind::Assert:
            open("Assert", s.span);
            child(as<Assert>(s).test);
            child(as<Assert>(s).message);
            break;
        case StmtKind::Delete:
            open("Delete", s.span);
            children(as<Delete>(s).targets);
            break;
        case StmtKind::Global:
            open("Global", s.span);
            names(as<Global>(s).names);
            break;
        case StmtKind::Nonlocal:
            open("Nonlocal", s.span);
            names(as<Nonlocal>(s).names);
            break;
        case StmtKind::Import:
            open("Import", s.span);
            for (const Alias& a : as<Import>(s).names) word(a.asname.empty() ? a.name : a.name + " as " + a.asname);
            break;
        case StmtKind::ImportFrom: {
            const auto& i = as<ImportFrom>(s);
            open("ImportFrom", s.span);
            word(std::string(i.level, '.') + i.module);
            for (const Alias& a : i.names) word(a.asname.empty() ? a.name : a.name + " as " + a.asname);
            break;
        }
        case StmtKind::Match: {
            const auto& m = as<Match>(s);
            open("Match", s.span);
            child(m.subject);
            for (const MatchCase& c : m.cases) {
                ++indent_;
                line();
                --indent_;
                out += "(case ";
                pattern(*c.pattern);
                if (c.guard) {
                    word("if");
                    child(c.guard);
                }
                ++indent_;
                body(c.body);
                --indent_;
                close();
            }
            break;
        }
    }
    close();
}

void Dumper::pattern(const Pattern& p) {
    auto all = [&](const std::vector<PatternPtr>& list) {
        for (const PatternPtr& i : list) {
            out += ' ';
            pattern(*i);
        }
    };
    switch (p.kind) {
        case PatternKind::Value:
            open("MatchValue", p.span);
            child(as<MatchValue>(p).value);
            break;
        case PatternKind::Singleton:
            open("MatchSingleton", p.span);
            word(constant_kind(as<MatchSingleton>(p).value));
            break;
        case PatternKind::Sequence:
            open("MatchSequence", p.span);
            all(as<MatchSequence>(p).patterns);
            break;
        case PatternKind::Mapping: {
            const auto& m = as<MatchMapping>(p);
            open("MatchMapping", p.span);
            for (size_t i = 0; i < m.keys.size(); ++i) {
                out += " (";
                expr(m.keys[i]);
                out += ' ';
                pattern(*m.patterns[i]);
                close();
            }
            if (!m.rest.empty()) word("**" + m.rest);
            break;
        }
        case PatternKind::Class: {
            const auto& c = as<MatchClass>(p);
            open("MatchClass", p.span);
            child(c.cls);
            all(c.patterns);
            for (size_t i = 0; i < c.keyword_names.size(); ++i) {
                word(c.keyword_names[i] + "=");
                pattern(*c.keyword_patterns[i]);
            }
            break;
        }
        case PatternKind::Star:
            open("MatchStar", p.span);
            word(as<MatchStar>(p).name.empty() ? "_" : as<MatchStar>(p).name);
            break;
        case PatternKind::As: {
            const auto& a = as<MatchAs>(p);
            open("MatchAs", p.span);
            if (a.pattern) {
                out += ' ';
                pattern(*a.pattern);
            }
            word(a.name.empty() ? "_" : a.name);
            break;
        }
        case PatternKind::Or:
            open("MatchOr", p.span);
            all(as<MatchOr>(p).patterns);
            break;
    }
    close();
}

}  // namespace

std::string dump(const Module& module, const DumpOptions& options) {
    Dumper d(options);
    d.body(module.body);
    if (!d.out.empty()) d.out += '\n';
    return d.out;
}

std::string dump(const Expr& expr, const DumpOptions& options) {
    Dumper d(options);
    d.expr(&expr);
    return d.out;
}

std::string quoted(const std::string& text, bool unicode) {
    std::string out = "\"";
    for (char c : text) {
        auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') (out += '\\') += c;
        else if (c == '\n') out += "\\n";
        else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !unicode)) out += fmt::format("\\x{:02x}", byte);
        else out += c;
    }
    return out + "\"";
}

}  // namespace sifr::syntax
