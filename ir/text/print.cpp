#include "ir/text/text.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>

#include <fmt/ranges.h>

#include "ir/op/op_def.h"
#include "ir/text/element_text.h"
#include "ir/text/lexer.h"
#include "ir/text/place.h"

namespace sifr {
namespace {

constexpr size_t type_column = 40;      // where `: type` stands, if the text in front is shorter
constexpr size_t location_column = 72;  // where `@3:1` stands

/// A hint as a name: other characters become `_`; a hint that could be read as a number is none.
std::string clean_name(const std::string& hint) {
    std::string out;
    for (size_t i = 0; i < hint.size(); ++i) {
        char c = hint[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        bool digit = c >= '0' && c <= '9';
        bool point = c == '.' && !out.empty() && out.back() != '.' && i + 1 < hint.size() && hint[i + 1] != '.';
        out += letter || digit || point ? c : '_';
    }
    bool number = std::all_of(out.begin(), out.end(), [](char c) { return c >= '0' && c <= '9'; });
    return number ? std::string() : out;
}

/// Makes names unique by a point and a number.
class Names {
public:
    std::string make(const std::string& hint) {
        std::string base = clean_name(hint);
        if (base.empty()) {
            do base = std::to_string(unnamed_++);
            while (!taken_.insert(base).second);
            return base;
        }
        std::string name = base;
        for (int& k = next_[base]; !taken_.insert(name).second;) name = base + "." + std::to_string(++k);
        return name;
    }

private:
    std::set<std::string> taken_;
    std::map<std::string, int> next_;
    size_t unnamed_ = 0;
};

class Printer {
public:
    Printer(const Function& f, Stage stage, const PrintOptions& options) : f_(f), stage_(stage), options_(options) {}

    std::string function() {
        out_ = fmt::format("{} func @{}(", name_of(stage_), clean_name(f_.name).empty() ? "main" : clean_name(f_.name));
        const Region& body = f_[f_.body];
        for (size_t k = 0; k < body.params.size(); ++k) {
            if (k != 0) out_ += ", ";
            define(body.params[k]);
            out_ += param(body.params[k]);
        }
        out_ += ")";
        if (f_.facts.differentiated) out_ += " differentiated";
        if (f_.facts.decomposed) out_ += " decomposed";
        out_ += " {\n";
        region(f_.body, 1);
        out_ += "}\n";
        if (options_.ledger && !f_.ledger.empty()) ledger();
        return std::move(out_);
    }

    std::string one(InstId id) {
        single_ = true;
        const Inst& inst = f_[id];
        std::string out;
        for (size_t k = 0; k < inst.results.size(); ++k) out += (k != 0 ? ", " : "") + name(inst.results[k]);
        if (!inst.results.empty()) out += " = ";
        if (inst.dest) out += name(inst.dest) + " <- ";
        return out + std::string(name_of(inst.op)) + operands(inst) + attributes(inst, {});
    }

private:
    // ---------------------------------------------------------------------------------------------- names

    std::string name(ValueId id) {
        if (!id) return "%?";
        const Value& v = f_[id];
        if (v.def == Value::Def::Constant) return constant_text(v.constant);
        auto it = names_.find(id);
        if (it != names_.end()) return it->second;
        // Not defined in front of its use: the verifier's business; here it must only be told apart.
        std::string hint = clean_name(v.name);
        if (single_) return "%" + (hint.empty() ? std::to_string(id.index) : hint);
        return "%" + hint + ".?" + std::to_string(id.index);
    }

    void define(ValueId id) { names_[id] = "%" + value_names_.make(f_[id].name); }

    std::string storage(StorageId s, const Value& v) {
        auto it = storage_names_.find(s);
        bool first = it == storage_names_.end();
        if (first) it = storage_names_.emplace(s, "$" + storage_name_table_.make(f_[s].name)).first;
        std::string out = it->second;
        std::optional<Sizes> derived = derived_frame(v.view.layout);
        if (first && (!derived || *derived != f_[s].frame)) out += fmt::format("[{}]", fmt::join(f_[s].frame, ","));
        return out;
    }

    std::string value_names(const std::vector<ValueId>& ids) {
        std::string out;
        for (size_t k = 0; k < ids.size(); ++k) out += (k != 0 ? ", " : "") + name(ids[k]);
        return out;
    }

    // ---------------------------------------------------------------------------------------------- types and places

    std::string type(const Type& t) {
        return t.text([&](ValueId id) { return name(id); });
    }

    /// `+4+3*%i<5`
    std::string offset(const Layout& layout, std::span<const ValueId> indices) {
        std::string out;
        if (layout.offset != 0 || !layout.index_scales.empty()) out = fmt::format("{:+}", layout.offset);
        for (size_t k = 0; k < layout.index_scales.size(); ++k) {
            out += fmt::format("{:+}*{}", layout.index_scales[k], k < indices.size() ? name(indices[k]) : "%?");
            if (k < layout.index_extents.size()) out += fmt::format("<{}", layout.index_extents[k]);
        }
        return out;
    }

    std::string typed(ValueId id) {
        const Value& v = f_[id];
        std::string out = type(v.type);
        if (!v.view.storage) return out;
        out += " in " + storage(v.view.storage, v);
        const Layout& l = v.view.layout;
        if (l.offset == 0 && l.is_static() && l.sizes == f_[v.view.storage].frame && l.strides == contiguous_strides(l.sizes)) return out;
        std::string o = offset(l, v.view.indices);
        return out + (o.empty() ? "" : " " + o) + fmt::format(" ({})", fmt::join(l.strides, ","));
    }

    std::string param(ValueId id) {
        std::string text = typed(id);
        if (!f_[id].leaf) return name(id) + ": " + text;
        size_t place = text.find(" in ");
        return name(id) + ": " + (place == std::string::npos ? text + " leaf" : text.insert(place, " leaf"));
    }

    // ---------------------------------------------------------------------------------------------- instructions

    void region(RegionId id, size_t depth) {
        for (InstId i : f_[id].insts)
            if (!f_[i].erased) inst(i, depth);
        if (f_[id].results.empty()) return;
        std::string text = "yield " + value_names(f_[id].results);
        if (id == f_.body)
            for (size_t k = 0; k < f_.updates.size(); ++k) text += (k == 0 ? " updating " : ", ") + name(f_[id].params.at(f_.updates[k]));
        line(depth, text);
    }

    void line(size_t depth, const std::string& text) { out_ += std::string(2 * depth, ' ') + text + "\n"; }

    std::string operands(const Inst& inst) {
        const AttrValue* a = inst.attrs.find("layout");
        const Layout* layout = a ? std::get_if<Layout>(a) : nullptr;
        if (!layout || inst.operands.size() < layout->index_scales.size() + 1) return inst.operands.empty() ? "" : " " + value_names(inst.operands);
        // The layout stands behind the operand whose frame it lies over; its run-time indices are the last operands.
        size_t plain = inst.operands.size() - layout->index_scales.size();
        std::span<const ValueId> indices(inst.operands.data() + plain, layout->index_scales.size());
        std::string o = offset(*layout, indices);
        std::string out = " " + name(inst.operands[0]) + (o.empty() ? "" : " " + o) + fmt::format(" ({})", fmt::join(layout->strides, ","));
        for (size_t k = 1; k < plain; ++k) out += ", " + name(inst.operands[k]);
        return out;
    }

    /// `, name=value` for all but those that are told otherwise, and but defaults of the signature.
    std::string attributes(const Inst& inst, std::initializer_list<std::string_view> told) {
        std::string out;
        const Signature& sig = signature(inst.op);
        bool first = inst.operands.empty();
        for (const Attrs::Entry& e : inst.attrs.entries()) {
            if (std::find(told.begin(), told.end(), e.name) != told.end()) continue;
            if (std::holds_alternative<Layout>(e.value) && std::string_view(e.name) == "layout") continue;
            auto p = std::find_if(sig.params.begin(), sig.params.end(), [&](const Param& x) { return x.name == e.name && !x.is_operand(); });
            if (p != sig.params.end() && p->has_default) {
                Attrs mine, standard;
                mine.set(e.name, e.value);
                standard.set(e.name, p->default_value);
                if (mine == standard) continue;
            }
            out += (first ? " " : ", ") + std::string(e.name) + "=" + attribute_text(e.value);
            first = false;
        }
        return out;
    }

    std::string flags(const Inst& inst) {
        std::string out;
        if (inst.untracked) out += " untracked";
        if (inst.uncounted) out += " uncounted";
        if (!inst.clears.empty()) {
            out += " clears";
            for (ClearId c : inst.clears) out += " #" + std::to_string(c.index);
        }
        return out;
    }

    /// Types, flags, location and comment: what follows operands and regions, padded behind `text`.
    std::string tail(InstId id, std::string text) {
        const Inst& inst = f_[id];
        auto pad = [&](size_t column) {
            size_t begin = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
            size_t width = text.size() - begin;
            text += std::string(width + 1 < column ? column - width : 2, ' ');
        };
        if (!inst.results.empty()) {
            pad(type_column);
            text += ": ";
            for (size_t k = 0; k < inst.results.size(); ++k) text += (k != 0 ? ", " : "") + typed(inst.results[k]);
        }
        text += flags(inst);
        std::string location;
        for (const Span& s : inst.location)
            if (s.known() && s.file == 0) location += fmt::format("{}{}:{}", location.empty() ? "@" : ",", s.line, s.column);
        if (options_.locations && !location.empty()) {
            pad(location_column);
            text += location;
        }
        std::string comment = options_.comment ? options_.comment(id) : std::string();
        if (!comment.empty()) {
            std::replace(comment.begin(), comment.end(), '\n', ' ');
            text += "  // " + comment;
        }
        return text;
    }

    std::string head(const Inst& inst) {
        if (inst.dest) return name(inst.dest) + " <- ";
        if (inst.results.empty()) return "";
        return value_names(inst.results) + " = ";
    }

    void inst(InstId id, size_t depth) {
        const Inst& i = f_[id];
        std::string_view op = name_of(i.op);
        std::string indent(2 * depth, ' ');
        // Results are named first, so that their types can name them; the regions inside cannot use them.
        for (ValueId r : i.results) define(r);
        std::string text = indent + head(i);
        if (op == "for" && i.operands.size() >= 3 && i.regions.size() == 1 && f_[i.regions[0]].params.size() + 2 == i.operands.size()) {
            const Region& r = f_[i.regions[0]];
            for (ValueId p : r.params) define(p);
            text += fmt::format("for {} in {}..{}", name(r.params[0]), name(i.operands[0]), name(i.operands[1]));
            if (f_.constant_int(i.operands[2]) != 1 || !std::holds_alternative<int64_t>(f_[i.operands[2]].constant)) text += " step " + name(i.operands[2]);
            text += carrying(i, 3, r.params, 1) + attribute_list(i, {});
            out_ += text + " {\n";
            region(i.regions[0], depth + 1);
            text = indent + "}";
        } else if (op == "while" && i.regions.size() == 2 && f_[i.regions[0]].params.size() == i.operands.size() &&
                   f_[i.regions[1]].params.size() == i.operands.size()) {
            const Region& condition = f_[i.regions[0]];
            const Region& body = f_[i.regions[1]];
            for (ValueId p : condition.params) define(p);
            text += "while" + carrying(i, 0, condition.params, 0) + attribute_list(i, {});
            out_ += text + " {\n";
            region(i.regions[0], depth + 1);
            out_ += indent + "} do {\n";
            // The second region's parameters go by the same names: they are the same carried values.
            for (size_t k = 0; k < body.params.size(); ++k) {
                names_[body.params[k]] = names_[condition.params[k]];
                if (const View& v = f_[body.params[k]].view; v.storage && f_[condition.params[k]].view.storage)
                    storage_names_.emplace(v.storage, storage_names_[f_[condition.params[k]].view.storage]);
            }
            region(i.regions[1], depth + 1);
            text = indent + "}";
        } else if (op == "if" && i.regions.size() == 2 && i.operands.size() == 1 && f_[i.regions[0]].params.empty() && f_[i.regions[1]].params.empty()) {
            text += "if " + name(i.operands[0]) + attribute_list(i, {});
            out_ += text + " {\n";
            region(i.regions[0], depth + 1);
            const Region& other = f_[i.regions[1]];
            bool has_else = !other.results.empty() || std::any_of(other.insts.begin(), other.insts.end(), [&](InstId x) { return !f_[x].erased; });
            if (has_else) {
                out_ += indent + "} else {\n";
                region(i.regions[1], depth + 1);
            }
            text = indent + "}";
        } else if (op == "group" && i.regions.size() == 1 && f_[i.regions[0]].params.size() == i.operands.size()) {
            const Region& r = f_[i.regions[0]];
            for (ValueId p : r.params) define(p);
            text += "group " + quoted(i.attrs.get_or<std::string>("kind", "")) + (i.operands.empty() ? "" : " " + value_names(i.operands));
            text += carried_params(r.params, 0, nullptr, 0) + attribute_list(i, {"kind"});
            out_ += text + " {\n";
            region(i.regions[0], depth + 1);
            text = indent + "}";
        } else if (op == "backward" && gradient_form(i)) {
            text += "backward " + gradient_operands(i) + attributes(i, {"losses", "from"});
            text = with_regions(i, std::move(text), depth);
        } else {
            text += std::string(op) + operands(i) + attributes(i, {});
            text = with_regions(i, std::move(text), depth);
        }
        out_ += tail(id, std::move(text)) + "\n";
    }

    std::string with_regions(const Inst& i, std::string text, size_t depth) {
        for (RegionId r : i.regions) {
            text += " (";
            const std::vector<ValueId>& params = f_[r].params;
            for (ValueId p : params) define(p);
            for (size_t k = 0; k < params.size(); ++k) text += (k != 0 ? ", " : "") + param(params[k]);
            out_ += text + ") {\n";
            region(r, depth + 1);
            text = std::string(2 * depth, ' ') + "}";
        }
        return text;
    }

    /// ` carrying %p: f32[3] in $p = %init, …`; `inits` are the operands from `first_init` on.
    std::string carrying(const Inst& i, size_t first_init, const std::vector<ValueId>& params, size_t first_param) {
        return carried_params(params, first_param, &i, first_init);
    }

    std::string carried_params(const std::vector<ValueId>& params, size_t first_param, const Inst* inits, size_t first_init) {
        std::string out;
        for (size_t k = first_param; k < params.size(); ++k) {
            out += (k == first_param ? " carrying " : ", ") + param(params[k]);
            if (inits) out += " = " + name(inits->operands[first_init + k - first_param]);
        }
        return out;
    }

    /// ` with name=value, …` for the forms whose operands stand elsewhere.
    std::string attribute_list(const Inst& inst, std::initializer_list<std::string_view> told) {
        std::string text = attributes(inst, told);
        if (text.empty()) return text;
        return " with " + text.substr(text.find_first_not_of(", "));
    }

    static bool gradient_form(const Inst& i) {
        int64_t losses = i.attrs.get_or<int64_t>("losses", 1);
        int64_t front = i.attrs.get_or<bool>("from", false) ? 2 * losses : losses;
        return losses >= 1 && front < static_cast<int64_t>(i.operands.size());
    }

    std::string gradient_operands(const Inst& i) {
        auto part = [&](size_t begin, size_t end) {
            return value_names(std::vector<ValueId>(i.operands.begin() + static_cast<ptrdiff_t>(begin), i.operands.begin() + static_cast<ptrdiff_t>(end)));
        };
        size_t losses = static_cast<size_t>(i.attrs.get_or<int64_t>("losses", 1));
        size_t front = losses;
        std::string out = part(0, losses);
        if (i.attrs.get_or<bool>("from", false)) {
            out += " from " + part(losses, 2 * losses);
            front = 2 * losses;
        }
        return out + " wrt " + part(front, i.operands.size());
    }

    void ledger() {
        out_ += "ledger {\n";
        for (size_t k = 0; k < f_.ledger.size(); ++k) {
            const Clear& c = f_.ledger[k];
            std::string text = fmt::format("#{} {} {} -> {} {}", k, c.origin == Clear::Origin::Script ? "script" : "autograd", c.bytes, c.kept_bytes,
                                           name_of(c.verdict));
            if (!c.pass.empty() || !c.reason.empty()) text += " " + quoted(c.pass) + " " + quoted(c.reason);
            std::string location;
            for (const Span& s : c.location)
                if (s.known() && s.file == 0) location += fmt::format("{}{}:{}", location.empty() ? " @" : ",", s.line, s.column);
            line(1, text + location);
        }
        out_ += "}\n";
    }

    const Function& f_;
    Stage stage_;
    const PrintOptions& options_;
    std::string out_;
    bool single_ = false;  ///< one instruction alone: names are hints
    Names value_names_, storage_name_table_;
    std::map<ValueId, std::string> names_;
    std::map<StorageId, std::string> storage_names_;
};

}  // namespace

std::string print(const Function& f, Stage stage, const PrintOptions& options) { return Printer(f, stage, options).function(); }

std::string print_inst(const Function& f, InstId id) {
    PrintOptions options;
    return Printer(f, Stage::Functional, options).one(id);
}

}  // namespace sifr
