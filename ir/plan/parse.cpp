#include <cstdlib>
#include <map>

#include "ir/loop/text_cursor.h"
#include "ir/op/op_def.h"
#include "ir/plan/plan.h"
#include "ir/text/parse_values.h"

namespace sifr {

namespace {

class PlanParser {
public:
    explicit PlanParser(const SourceFile& file) : file_(file), c_(file, 0) {}

    Plan plan() {
        c_.expect("plan");
        c_.expect("@");
        p_.name = c_.word();
        c_.expect("arena");
        p_.arena_bytes = c_.integer();
        c_.expect("{");
        while (c_.peek("#")) {
            size_t at = c_.offset();
            // A buffer's line: `#x: type`; anything else that begins so is the first step (`#r, … = for`, `#r = if`).
            std::string name = buffer_name();
            if (!c_.take(":")) {
                c_.seek(at);
                break;
            }
            buffer_definition(name);
        }
        for (auto& [view, base] : views_) p_.buffers[view.index].view_of = buffer(base);
        while (c_.take("constant")) {
            c_.integer();
            c_.expect("=");
            AttrValue v = attribute();
            const auto* data = std::get_if<std::shared_ptr<const TensorData>>(&v);
            if (!data) c_.fail("expected the elements of a tensor");
            p_.constants.push_back(*data);
        }
        while (c_.take("clear")) clear();
        if (c_.take("take")) {
            do p_.parameters.push_back(define_scalar());
            while (c_.take(","));
        }
        block(p_.body);
        for (const RunTimeAxisName& r : run_time_sizes_) {
            auto it = scalars_.find(r.scalar);
            if (it == scalars_.end()) c_.fail(fmt::format("there is no scalar '%{}'", r.scalar));
            p_.buffers[r.buffer.index].run_time_sizes.push_back({r.axis, it->second});
        }
        if (c_.take("give")) {
            do p_.results.push_back(scalar());
            while (c_.take(","));
        }
        c_.expect("}");
        while (!c_.at_end()) {
            size_t offset = c_.offset();
            p_.kernels.push_back(parse_kernel(file_, offset));
            c_.seek(offset);
        }
        for (auto& [inst, name] : launches_) {
            bool found = false;
            for (size_t k = 0; k < p_.kernels.size(); ++k) {
                if (p_.kernels[k].name != name) continue;
                set_kernel(p_.body, inst, KernelId(k));
                found = true;
            }
            if (!found) c_.fail(fmt::format("there is no kernel '{}'", name));
        }
        return std::move(p_);
    }

private:
    // Launches stand in nested vectors that move while they grow: they are numbered, and found again at the end.
    void set_kernel(PlanBlock& b, int64_t number, KernelId id) {
        for (PlanInst& i : b.insts) {
            if (i.kind == PlanInst::Kind::Launch && i.begin == number) {
                i.kernel = id;
                i.begin = 0;
            }
            for (PlanBlock& inner : i.blocks) set_kernel(inner, number, id);
        }
    }
    AttrValue attribute() {
        Lexer lex(file_, c_.offset());
        AttrValue v = parse_attribute(lex);
        c_.seek(lex.offset());
        return v;
    }
    std::string buffer_name() {
        c_.expect("#");
        return c_.word();
    }
    PlanBuffer buffer(const std::string& name) {
        auto it = buffers_.find(name);
        if (it == buffers_.end()) c_.fail(fmt::format("there is no buffer '#{}'", name));
        return it->second;
    }
    PlanBuffer buffer() { return buffer(buffer_name()); }
    void buffer_definition(const std::string& name) {
        BufferDef d;
        d.name = name;
        auto t = dtype_named(c_.word());
        if (!t) c_.fail("expected an element type");
        d.type = *t;
        c_.expect("[");
        while (!c_.take("]")) {
            auto axis = static_cast<int>(d.sizes.size());
            if (c_.take("%")) {  // defined by a step, further down
                run_time_sizes_.push_back({PlanBuffer(p_.buffers.size()), axis, c_.word()});
                c_.expect("<=");
                d.sizes.push_back(c_.integer());
            } else {
                d.sizes.push_back(c_.integer());
                if (c_.take("<=")) {
                    d.run_time_sizes.push_back({axis, constant(Type::i64(), d.sizes.back())});
                    d.sizes.back() = c_.integer();
                }
            }
            if (!c_.peek("]")) c_.expect(",");
        }
        d.bytes = element_count(d.sizes) * size_of(d.type);
        PlanBuffer id(p_.buffers.size());
        if (c_.take("view")) {
            c_.expect("of");
            views_.emplace_back(id, buffer_name());
        } else if (c_.take("arena")) {
            c_.expect("+");
            d.offset = c_.integer();
            c_.expect("live");
            d.first = c_.integer();
            c_.expect("..");
            d.last = c_.integer();
        } else if (c_.take("constant")) {
            d.kind = BufferDef::Kind::Constant;
            d.offset = c_.integer();
        } else if (c_.take("argument")) {
            d.kind = BufferDef::Kind::Argument;
            d.offset = c_.integer();
        } else {
            c_.expect("rotating");
            d.kind = BufferDef::Kind::Rotating;
        }
        p_.buffers.push_back(std::move(d));
        if (!buffers_.emplace(name, id).second) c_.fail(fmt::format("two buffers are named '#{}'", name));
    }
    void clear() {
        Clear r;
        c_.integer();
        if (!c_.take("script")) {
            c_.expect("autograd");
            r.origin = Clear::Origin::Autograd;
        }
        const std::string verdict = c_.word();
        if (std::optional<Clear::Verdict> v = verdict_named(verdict)) r.verdict = *v;
        else c_.fail(fmt::format("expected what became of a clear, found '{}'", verdict));
        c_.expect("bytes");
        r.bytes = c_.integer();
        c_.expect("kept");
        r.kept_bytes = c_.integer();
        c_.expect("by");
        r.pass = c_.string();
        r.reason = c_.string();
        r.location = c_.location();
        p_.ledger.push_back(std::move(r));
    }

    Type type() {
        std::string w = c_.word();
        if (w == "i64") return Type::i64();
        if (w == "f64") return Type::f64();
        if (w == "bool" && !c_.peek("[")) return Type::boolean();
        if (w == "str") return Type::str();
        if (w == "opt" || w == "list") {
            std::vector<Type> members;
            c_.expect("(");
            while (!c_.take(")")) {
                members.push_back(type());
                if (!c_.peek(")")) c_.expect(",");
            }
            return w == "opt" ? Type::optional(std::move(members)) : Type::list(members.at(0));
        }
        auto t = dtype_named(w);
        if (!t) c_.fail(fmt::format("'{}' is no type", w));
        Sizes sizes;
        c_.expect("[");
        while (!c_.take("]")) {
            sizes.push_back(c_.integer());
            if (!c_.peek("]")) c_.expect(",");
        }
        return Type::tensor(*t, std::move(sizes));
    }
    PlanScalar define_scalar() {
        c_.expect("%");
        std::string name = c_.word();
        Type t = Type::i64();
        if (c_.take(":")) t = type();
        p_.scalars.push_back({std::move(t), {}, name});
        PlanScalar s(p_.scalars.size() - 1);
        scalars_[name] = s;
        return s;
    }
    PlanScalar constant(Type t, ScalarConstant value) {
        p_.scalars.push_back({std::move(t), std::move(value), {}});
        return PlanScalar(p_.scalars.size() - 1);
    }
    PlanScalar scalar() {
        if (c_.take("%")) {
            std::string name = c_.word();
            auto it = scalars_.find(name);
            if (it == scalars_.end()) c_.fail(fmt::format("there is no scalar '%{}'", name));
            return it->second;
        }
        if (c_.take("true")) return constant(Type::boolean(), true);
        if (c_.take("false")) return constant(Type::boolean(), false);
        if (c_.take("none")) return constant(Type::optional({}), {});
        if (c_.peek("\"")) return constant(Type::str(), c_.string());
        std::string n = c_.number();
        if (n.find_first_of(".en") == std::string::npos) return constant(Type::i64(), static_cast<int64_t>(std::strtoll(n.c_str(), nullptr, 10)));
        return constant(Type::f64(), std::strtod(n.c_str(), nullptr));
    }
    std::vector<PlanScalar> scalar_list() {
        std::vector<PlanScalar> out;
        if (c_.peek(")") || c_.peek("{") || c_.peek("@")) return out;
        do out.push_back(scalar());
        while (c_.take(","));
        return out;
    }
    Attrs attributes() {
        Attrs a;
        if (!c_.take("{")) return a;
        while (!c_.take("}")) {
            std::string name = c_.word();
            c_.expect("=");
            if (c_.peek("\"")) a.set(name, c_.string());
            else a.set(name, attribute());
            if (!c_.peek("}")) c_.expect(",");
        }
        return a;
    }
    std::vector<ClearId> clears() {
        std::vector<ClearId> out;
        if (!c_.take("clears")) return out;
        do out.push_back(ClearId(static_cast<size_t>(c_.integer())));
        while (c_.take(","));
        return out;
    }

    void block(PlanBlock& b) {
        while (!c_.peek("}") && !c_.peek("yield") && !c_.peek("give")) inst(b);
    }
    void yields(PlanInst& i, bool scalars, bool buffers) {
        if (scalars) i.yields.emplace_back();
        if (buffers) i.buffer_yields.emplace_back();
        if (!c_.take("yield")) return;
        do {
            if (c_.peek("#")) i.buffer_yields.back().push_back(buffer());
            else i.yields.back().push_back(scalar());
        } while (c_.take(","));
    }
    void carrying(PlanInst& i) {
        if (!c_.take("carrying")) return;
        std::vector<std::pair<std::string, std::pair<Type, PlanScalar>>> params;
        do {
            if (c_.peek("#")) {
                PlanBuffer p = buffer();
                c_.expect("=");
                i.buffer_params.push_back(p);
                i.buffers.push_back(buffer());
                continue;
            }
            c_.expect("%");
            std::string name = c_.word();
            c_.expect(":");
            Type t = type();
            c_.expect("=");
            params.push_back({name, {t, scalar()}});
        } while (c_.take(","));
        for (auto& [name, p] : params) {
            i.scalars.push_back(p.second);
            p_.scalars.push_back({p.first, {}, name});
            i.params.push_back(PlanScalar(p_.scalars.size() - 1));
            scalars_[name] = i.params.back();
        }
    }
    void inst(PlanBlock& into) {
        PlanInst i{};
        std::vector<std::pair<std::string, Type>> results;  // they are defined behind the step
        if (c_.peek("%") || c_.peek("#")) {
            do {
                if (c_.peek("#")) {
                    i.buffer_results.push_back(buffer());
                    continue;
                }
                c_.expect("%");
                std::string name = c_.word();
                c_.expect(":");
                results.emplace_back(name, type());
            } while (c_.take(","));
            c_.expect("=");
        }
        if (c_.take("launch")) {
            i.kind = PlanInst::Kind::Launch;
            c_.expect("@");
            i.begin = static_cast<int64_t>(launches_.size()) + 1;
            launches_.emplace_back(i.begin, c_.word());
            c_.expect("(");
            while (c_.peek("#")) {
                i.buffers.push_back(buffer());
                c_.take(",");
            }
            if (c_.take(";")) i.scalars = scalar_list();
            c_.expect(")");
            i.clears = clears();
        } else if (c_.peek("lazy") || c_.peek("fill")) {
            i.kind = PlanInst::Kind::Fill;
            i.lazy = c_.take("lazy");
            c_.expect("fill");
            if (c_.take("arena")) {
                c_.expect("(");
                while (c_.peek("#")) {
                    i.buffers.push_back(buffer());
                    c_.take(",");
                }
                c_.expect(")");
            } else i.buffers.push_back(buffer());
            c_.expect("+");
            i.begin = c_.integer();
            c_.expect(",");
            i.size = c_.integer();
            c_.expect("bytes");
            c_.expect(",");
            if (c_.integer() != 0) c_.fail("expected a pattern of bytes, `0x3f80`");
            std::string hex = c_.word();  // what stands behind the 0: `x3f80…`
            i.pattern = std::strtoull(hex.c_str() + 1, nullptr, 16);
            i.clears = clears();
        } else if (c_.take("copy")) {
            i.kind = PlanInst::Kind::Copy;
            i.buffers.push_back(buffer());
            c_.expect("<-");
            i.buffers.push_back(buffer());
            c_.expect(",");
            i.size = c_.integer();
            c_.expect("bytes");
        } else if (c_.take("item")) {
            i.kind = PlanInst::Kind::Item;
            i.op = "item"_op;
            i.buffers.push_back(buffer());
            c_.expect("+");
            i.begin = c_.integer();
        } else if (c_.take("call")) {
            i.kind = PlanInst::Kind::Call;
            i.op = op();
            c_.expect("(");
            while (c_.peek("#")) {
                i.buffers.push_back(buffer());
                c_.take(",");
            }
            i.scalars = scalar_list();
            c_.expect(")");
            i.attrs = attributes();
        } else if (c_.take("raise")) {
            i.kind = PlanInst::Kind::Raise;
            i.op = "raise"_op;
            c_.expect("(");
            i.scalars = scalar_list();
            c_.expect(")");
            i.attrs = attributes();
        } else if (c_.take("for")) {
            i.kind = PlanInst::Kind::For;
            i.op = "for"_op;
            c_.expect("%");
            std::string name = c_.word();
            c_.expect("in");
            i.scalars.push_back(scalar());
            c_.expect("..");
            i.scalars.push_back(scalar());
            c_.expect("step");
            i.scalars.push_back(scalar());
            p_.scalars.push_back({Type::i64(), {}, name});
            i.induction = PlanScalar(p_.scalars.size() - 1);
            scalars_[name] = i.induction;
            carrying(i);
            i.location = c_.location();
            body(i, true, true);
        } else if (c_.take("while")) {
            i.kind = PlanInst::Kind::While;
            i.op = "while"_op;
            carrying(i);
            i.location = c_.location();
            body(i, true, true);
            c_.expect("do");
            body(i, true, true);
        } else if (c_.take("if")) {
            i.kind = PlanInst::Kind::If;
            i.op = "if"_op;
            i.scalars.push_back(scalar());
            i.location = c_.location();
            body(i, true, true);
            c_.expect("else");
            body(i, true, true);
        } else {
            i.kind = PlanInst::Kind::Scalar;
            i.op = op();
            // A step without scalars is followed by its attributes, its place, or the next step.
            if (c_.peek("%") || c_.peek("\"") || c_.peek("-") || c_.peek_number() || c_.peek("true") || c_.peek("false") || c_.peek("inf") ||
                c_.peek("nan"))
                if (!next_is_result()) i.scalars = scalar_list();
            i.attrs = attributes();
        }
        if (i.blocks.empty()) i.location = c_.location();
        for (auto& [name, t] : results) {
            p_.scalars.push_back({t, {}, name});
            i.results.push_back(PlanScalar(p_.scalars.size() - 1));
            scalars_[name] = i.results.back();
        }
        into.insts.push_back(std::move(i));
    }
    /// `%name:` or `%name,…: … =` begins the next step.
    bool next_is_result() {
        if (!c_.peek("%")) return false;
        size_t at = c_.offset();
        c_.expect("%");
        c_.word();
        bool is = c_.peek(":");
        c_.seek(at);
        return is;
    }
    void body(PlanInst& i, bool scalars, bool buffers) {
        c_.expect("{");
        PlanBlock b;
        block(b);
        i.blocks.push_back(std::move(b));
        yields(i, scalars, buffers);
        c_.expect("}");
    }
    Op op() {
        std::string name = c_.word();
        auto o = op_named(name);
        if (!o) c_.fail(fmt::format("there is no row '{}'", name));
        return *o;
    }

    const SourceFile& file_;
    TextCursor c_;
    Plan p_;
    std::map<std::string, PlanBuffer> buffers_;
    std::map<std::string, PlanScalar> scalars_;
    std::vector<std::pair<PlanBuffer, std::string>> views_;
    struct RunTimeAxisName {
        PlanBuffer buffer;
        int axis;
        std::string scalar;
    };
    std::vector<RunTimeAxisName> run_time_sizes_;
    std::vector<std::pair<int64_t, std::string>> launches_;
};

}  // namespace

Plan parse_plan(const SourceFile& file) { return PlanParser(file).plan(); }

}  // namespace sifr
