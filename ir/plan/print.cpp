#include <bit>
#include <set>

#include <fmt/ranges.h>

#include "ir/base/check.h"
#include "ir/loop/text_cursor.h"
#include "ir/op/op_def.h"
#include "ir/plan/plan.h"
#include "ir/text/element_text.h"

namespace sifr {

namespace {

class Printer {
public:
    explicit Printer(const Plan& p) : p_(p) {
        std::set<std::string> taken;
        auto unique = [&](std::string base, size_t number) {
            for (char& c : base) {
                if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_') c = '_';
            }
            if (base.empty() || std::isdigit(static_cast<unsigned char>(base[0]))) base = "t" + base;
            (void)number;
            std::string name = base;
            for (int n = 1; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", base, n);
            return name;
        };
        for (size_t b = 0; b < p.buffers.size(); ++b) buffers_.push_back("#" + unique(p.buffers[b].name, b));
        taken.clear();
        for (size_t s = 0; s < p.scalars.size(); ++s) {
            const ScalarDef& d = p.scalars[s];
            bool constant = !std::holds_alternative<std::monostate>(d.constant);
            scalars_.push_back(constant ? literal(d.constant) : is_none(d.type) ? "none" : "%" + unique(d.name, s));
        }
    }

    std::string plan() {
        out_ = fmt::format("plan @{} arena {} {{\n", p_.name, p_.arena_bytes);
        for (size_t b = 0; b < p_.buffers.size(); ++b) line(1, buffer_line(b));
        for (size_t c = 0; c < p_.constants.size(); ++c)
            line(1, fmt::format("constant {} = {}", c, attribute_text(AttrValue(p_.constants[c]))));
        for (size_t c = 0; c < p_.ledger.size(); ++c) line(1, clear_line(c));
        std::vector<std::string> taken;
        for (PlanScalar s : p_.parameters) taken.push_back(typed(s));
        if (!taken.empty()) line(1, fmt::format("take {}", fmt::join(taken, ", ")));
        block(p_.body, 1);
        if (!p_.results.empty()) line(1, fmt::format("give {}", names(p_.results)));
        out_ += "}\n";
        for (const Kernel& k : p_.kernels) out_ += "\n" + print(k);
        return std::move(out_);
    }

private:
    static std::string literal(const ScalarConstant& c) {
        if (const bool* b = std::get_if<bool>(&c)) return *b ? "true" : "false";
        if (const int64_t* i = std::get_if<int64_t>(&c)) return std::to_string(*i);
        if (const double* d = std::get_if<double>(&c)) return float_text(*d, false);
        if (const std::string* s = std::get_if<std::string>(&c)) return quoted_text(*s);
        SIFR_UNREACHABLE("no literal");
    }
    std::string buffer_line(size_t b) const {
        const BufferDef& d = p_.buffers[b];
        std::vector<std::string> sizes;
        for (int64_t n : d.sizes) sizes.push_back(std::to_string(n));
        for (const BufferDef::RunTimeAxis& r : d.run_time_sizes) {
            std::string& bound = sizes.at(static_cast<size_t>(r.axis));
            bound = fmt::format("{}<={}", name(r.size), bound);
        }
        std::string s = fmt::format("{}: {}[{}]", buffers_[b], name_of(d.type), fmt::join(sizes, ","));
        if (d.view_of.valid()) return s + fmt::format(" view of {}", name(d.view_of));
        switch (d.kind) {
            case BufferDef::Kind::Arena: return s + fmt::format(" arena +{} live {}..{}", d.offset, d.first, d.last);
            case BufferDef::Kind::Constant: return s + fmt::format(" constant {}", d.offset);
            case BufferDef::Kind::Argument: return s + fmt::format(" argument {}", d.offset);
            case BufferDef::Kind::Rotating: return s + " rotating";
        }
        SIFR_UNREACHABLE("kind");
    }
    std::string clear_line(size_t c) const {
        const Clear& r = p_.ledger[c];
        return fmt::format("clear {} {} {} bytes {} kept {} by {} {}{}", c, r.origin == Clear::Origin::Script ? "script" : "autograd",
                           name_of(r.verdict), r.bytes, r.kept_bytes, quoted_text(r.pass), quoted_text(r.reason),
                           location_text(r.location));
    }
    const std::string& name(PlanBuffer b) const {
        SIFR_CHECK(b.valid() && b.index < buffers_.size(), "a buffer that the plan does not have");
        return buffers_[b.index];
    }
    const std::string& name(PlanScalar s) const {
        SIFR_CHECK(s.valid() && s.index < scalars_.size(), "a scalar that the plan does not have");
        return scalars_[s.index];
    }
    template <class List>
    std::string names(const List& list) const {
        std::vector<std::string> out;
        for (auto x : list) out.push_back(name(x));
        return fmt::format("{}", fmt::join(out, ", "));
    }
    void line(int depth, const std::string& text) { (out_.append(static_cast<size_t>(depth) * 2, ' ') += text) += '\n'; }
    std::string typed(PlanScalar s) const { return fmt::format("{}: {}", name(s), type_text(p_.scalars[s.index].type)); }
    static std::string type_text(const Type& t) { return t.text(); }
    std::string results(const PlanInst& i) const {
        std::vector<std::string> out;
        for (PlanScalar s : i.results) out.push_back(typed(s));
        for (PlanBuffer b : i.buffer_results) out.push_back(name(b));
        return out.empty() ? "" : fmt::format("{} = ", fmt::join(out, ", "));
    }
    std::string attributes(const PlanInst& i) const {
        std::vector<std::string> out;
        for (const Attrs::Entry& e : i.attrs.entries()) {
            const std::string* s = std::get_if<std::string>(&e.value);
            out.push_back(fmt::format("{}={}", e.name, s ? quoted_text(*s) : attribute_text(e.value)));
        }
        return out.empty() ? "" : fmt::format(" {{{}}}", fmt::join(out, ", "));
    }
    std::string clears(const PlanInst& i) const {
        std::vector<std::string> out;
        for (ClearId c : i.clears) out.push_back(std::to_string(c.index));
        return out.empty() ? "" : fmt::format(" clears {}", fmt::join(out, ","));
    }
    std::string carrying(const PlanInst& i, size_t first_scalar) const {
        std::vector<std::string> out;
        for (size_t k = 0; k < i.params.size(); ++k) out.push_back(fmt::format("{} = {}", typed(i.params[k]), name(i.scalars[first_scalar + k])));
        for (size_t k = 0; k < i.buffer_params.size(); ++k) out.push_back(fmt::format("{} = {}", name(i.buffer_params[k]), name(i.buffers[k])));
        return out.empty() ? "" : fmt::format(" carrying {}", fmt::join(out, ", "));
    }
    void yields(const PlanInst& i, size_t scalars_of, size_t buffers_of, int depth) {
        std::vector<std::string> out;
        if (scalars_of < i.yields.size()) {
            for (PlanScalar s : i.yields[scalars_of]) out.push_back(name(s));
        }
        if (buffers_of < i.buffer_yields.size()) {
            for (PlanBuffer b : i.buffer_yields[buffers_of]) out.push_back(name(b));
        }
        if (!out.empty()) line(depth, fmt::format("yield {}", fmt::join(out, ", ")));
    }
    void block(const PlanBlock& b, int depth) {
        for (const PlanInst& i : b.insts) inst(i, depth);
    }
    void inst(const PlanInst& i, int depth) {
        std::string at = location_text(i.location);
        switch (i.kind) {
            case PlanInst::Kind::Launch:
                line(depth, fmt::format("launch @{}({}{}{}){}{}", p_.kernels.at(i.kernel.index).name, names(i.buffers), i.scalars.empty() ? "" : "; ",
                                        names(i.scalars), clears(i), at));
                return;
            case PlanInst::Kind::Fill:
                line(depth, fmt::format("{} {} +{}, {} bytes, {:#x}{}{}", i.lazy ? "lazy fill" : "fill",
                                        i.buffers.size() != 1 ? fmt::format("arena ({})", names(i.buffers)) : names(i.buffers),
                                        i.begin, i.size, i.pattern, clears(i), at));
                return;
            case PlanInst::Kind::Copy: line(depth, fmt::format("copy {} <- {}, {} bytes{}", name(i.buffers[0]), name(i.buffers[1]), i.size, at)); return;
            case PlanInst::Kind::Item: line(depth, fmt::format("{}item {} +{}{}", results(i), name(i.buffers[0]), i.begin, at)); return;
            case PlanInst::Kind::Scalar: line(depth, fmt::format("{}{} {}{}{}", results(i), name_of(i.op), names(i.scalars), attributes(i), at)); return;
            case PlanInst::Kind::Call: {
                std::string buffers = names(i.buffers), scalars = names(i.scalars);
                line(depth, fmt::format("{}call {}({}{}{}){}{}", results(i), name_of(i.op), buffers, buffers.empty() || scalars.empty() ? "" : ", ",
                                        scalars, attributes(i), at));
                return;
            }
            case PlanInst::Kind::Raise: line(depth, fmt::format("raise ({}){}{}", names(i.scalars), attributes(i), at)); return;
            case PlanInst::Kind::For:
                line(depth, fmt::format("{}for {} in {}..{} step {}{}{} {{", results(i), name(i.induction), name(i.scalars[0]), name(i.scalars[1]),
                                        name(i.scalars[2]), carrying(i, 3), at));
                block(i.blocks[0], depth + 1);
                yields(i, 0, 0, depth + 1);
                line(depth, "}");
                return;
            case PlanInst::Kind::While:
                line(depth, fmt::format("{}while{}{} {{", results(i), carrying(i, 0), at));
                block(i.blocks[0], depth + 1);
                yields(i, 0, SIZE_MAX, depth + 1);
                line(depth, "} do {");
                block(i.blocks[1], depth + 1);
                yields(i, 1, 1, depth + 1);
                line(depth, "}");
                return;
            case PlanInst::Kind::If:
                line(depth, fmt::format("{}if {}{} {{", results(i), name(i.scalars[0]), at));
                block(i.blocks[0], depth + 1);
                yields(i, 0, 0, depth + 1);
                line(depth, "} else {");
                block(i.blocks[1], depth + 1);
                yields(i, 1, 1, depth + 1);
                line(depth, "}");
                return;
        }
    }

    const Plan& p_;
    std::vector<std::string> buffers_, scalars_;
    std::string out_;
};

}  // namespace

std::string print(const Plan& plan) { return Printer(plan).plan(); }

}  // namespace sifr
