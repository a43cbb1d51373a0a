#include "ir/verify/verify.h"

#include <algorithm>
#include <set>

#include "ir/base/diagnostic.h"
#include "ir/op/op_def.h"
#include "ir/op/rules/structural_rules.h"
#include "ir/text/text.h"

// What a function is proved to be, at every stage:
//   - ids are in range; tables agree with each other (a value's instruction lists it, an instruction's region holds it);
//   - every value that is used (as operand, region result, destination, run-time size, view index) is defined in front of the
//     use, in the same region or one around it;
//   - each instruction agrees with its row's signature, and its results with the row's rule, where the row has one;
//   - control flow is well-formed: numbers and types of carried values, parameters, yields and results agree;
//   - layouts of extract and insert stay inside the operand's frame for every value of the indices whose range is known;
//   - ledger ids are valid; the facts that are set hold.
// CAPTURED, besides: every tensor lies in a storage of its dtype, inside the storage's frame; view rows have their operand's
//   storage and the layout that their row gives; other results have storages of their own; destinations are tensors.
// FUNCTIONAL and FUSED, besides: no destination, view, leaf, `untracked` or `uncounted` flag; no view rows.
// FUSED, besides: tensor instructions stand in groups (but for literals and what runs on the host or in the runtime), and
//   groups hold nothing else.
//
// Not proved: that run-time indices are in range; that what is read was written (`empty`); that storages which differ in name
// differ in memory; anything about gradients (check-inplace-autograd) or about the contents of the ledger.

namespace sifr {
namespace {

struct Found {
    Fault fault;
};

class Verifier {
public:
    Verifier(const Function& f, Stage stage) : f_(f), stage_(stage), defined_(f.values.size(), false) {}

    void function() {
        if (f_.body.index >= f_.regions.size()) fail("the function has no body");
        for (size_t k = 0; k < f_.values.size(); ++k)
            if (f_.values[k].def == Value::Def::Constant) defined_[k] = true;
        if (f_[f_.body].parent) fail("the body has a parent");
        region(f_.body);
    }

private:
    template <class... Args>
    [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
        throw Found{{inst_, fmt::format(format, std::forward<Args>(args)...)}};
    }

    // ---------------------------------------------------------------------------------------------- definitions

    std::string show(ValueId id) const {
        if (id.index >= f_.values.size()) return id.str();
        const std::string& name = f_[id].name;
        return name.empty() ? id.str() : "%" + name;
    }

    void use(ValueId id, const char* as) const {
        if (id.index >= f_.values.size()) fail("{} {} is not in the table", as, id.str());
        if (!defined_[id.index]) fail("{} {} is not defined in front of its use", as, show(id));
    }

    /// `own_results`: a result type may name the first result.
    void check_type(const Type& t) const {
        std::set<int> seen;
        for (const RunTimeSize& r : t.run_time_sizes) {
            use(r.size, "run-time size");
            if (r.axis < 0 || r.axis >= t.rank()) fail("a run-time size of axis {} of {}", r.axis, t.text());
            if (!seen.insert(r.axis).second) fail("axis {} has two run-time sizes", r.axis);
            if (f_.type(r.size).kind != Type::Kind::I64) fail("run-time size {} is no i64", show(r.size));
        }
        for (int64_t s : t.sizes)
            if (s < 0) fail("a negative size in {}", t.text());
        for (const Type& m : t.members) check_type(m);
    }

    void define(ValueId id, bool parameter) {
        if (id.index >= f_.values.size()) fail("{} is not in the table", id.str());
        const Value& v = f_[id];
        if (defined_[id.index]) fail("{} is defined twice", show(id));
        defined_[id.index] = true;
        check_type(v.type);
        if (v.leaf && (!parameter || stage_ != Stage::Captured)) fail("{} is marked as a leaf, but is no captured parameter", show(id));
        if (!v.view.storage) {
            if (stage_ == Stage::Captured && v.type.is_tensor()) fail("captured tensor {} lies in no storage", show(id));
            return;
        }
        if (stage_ != Stage::Captured) fail("{} lies in a storage, at stage {}", show(id), name_of(stage_));
        check_view(id, v);
    }

    void check_view(ValueId id, const Value& v) {
        if (v.view.storage.index >= f_.storages.size()) fail("storage {} of {} is not in the table", v.view.storage.str(), show(id));
        const Storage& s = f_[v.view.storage];
        if (!v.type.is_tensor()) fail("{} is no tensor, but lies in a storage", show(id));
        if (v.type.dtype != s.dtype) fail("{} has elements of {}, its storage has {}", show(id), name_of(v.type.dtype), name_of(s.dtype));
        if (v.view.layout.sizes != v.type.sizes) fail("the layout of {} has other sizes than its type", show(id));
        for (ValueId i : v.view.indices) {
            use(i, "view index");
            if (f_.type(i).kind != Type::Kind::I64) fail("view index {} is no i64", show(i));
        }
        check_layout(v.view.layout, v.view.indices.size(), s.frame, show(id));
        bool first = seen_storages_.insert(v.view.storage).second;
        if (first && inst_ && f_[inst_].regions.empty() && s.is_region) fail("{} is a region's storage, but first stands in a plain instruction", show(id));
    }

    void check_layout(const Layout& l, size_t indices, const Sizes& frame, const std::string& what) const {
        if (l.strides.size() != l.sizes.size()) fail("{}: {} strides for {} axes", what, l.strides.size(), l.sizes.size());
        if (l.index_scales.size() != indices) fail("{}: {} indices for {} scales", what, indices, l.index_scales.size());
        if (!l.index_extents.empty() && l.index_extents.size() != l.index_scales.size()) fail("{}: extents for some indices only", what);
        for (int64_t s : frame)
            if (s < 0) fail("{}: a negative size in the frame", what);
        if (l.numel() == 0) return;
        __int128 lowest = l.offset, highest = l.offset;
        auto move = [&](__int128 distance) { (distance < 0 ? lowest : highest) += distance; };
        for (size_t d = 0; d < l.sizes.size(); ++d) move(static_cast<__int128>(l.strides[d]) * (l.sizes[d] - 1));
        for (size_t k = 0; k < l.index_extents.size(); ++k) {
            if (l.index_extents[k] < 1) fail("{}: an index without values", what);
            move(static_cast<__int128>(l.index_scales[k]) * (l.index_extents[k] - 1));
        }
        int64_t count = element_count(frame);
        if (l.index_extents.empty() && !l.index_scales.empty()) {
            // An index of unknown range may move the layout anywhere: only its width can be told.
            if (highest - lowest >= count) fail("{}: the layout {} is wider than its frame of {} elements", what, l.str(), count);
        } else if (lowest < 0 || highest >= count) {
            fail("{}: the layout {} leaves its frame of {} elements", what, l.str(), count);
        }
    }

    // ---------------------------------------------------------------------------------------------- regions

    void region(RegionId id) {
        const Region& r = f_[id];
        std::vector<ValueId> local;
        for (size_t k = 0; k < r.params.size(); ++k) {
            define(r.params[k], true);
            local.push_back(r.params[k]);
            const Value& v = f_[r.params[k]];
            if (v.def != Value::Def::Parameter || v.region != id || v.position != k) fail("parameter {} does not know its region", show(r.params[k]));
        }
        InstId outer = inst_;
        for (InstId i : r.insts) {
            if (i.index >= f_.insts.size()) fail("{} is not in the table", i.str());
            if (f_[i].erased) continue;
            inst_ = i;
            if (f_[i].parent != id) fail("the instruction does not know its region");
            instruction(i);
            for (ValueId v : f_[i].results) local.push_back(v);
        }
        inst_ = outer;
        for (ValueId v : r.results) use(v, "yielded value");
        if (id == f_.body) updates(r);
        for (ValueId v : local) defined_[v.index] = false;
    }

    void updates(const Region& body) {
        if (f_.updates.empty()) return;
        if (stage_ == Stage::Captured) fail("a captured function updates by writing");
        if (f_.updates.size() > body.results.size()) fail("{} updates among {} results", f_.updates.size(), body.results.size());
        std::set<uint32_t> seen;
        for (size_t k = 0; k < f_.updates.size(); ++k) {
            if (f_.updates[k] >= body.params.size() || !seen.insert(f_.updates[k]).second) fail("update {} of no parameter, or of one twice", k);
            ValueId contents = body.results[body.results.size() - f_.updates.size() + k], param = body.params[f_.updates[k]];
            if (f_.type(contents) != f_.type(param)) fail("{} becomes the contents of {}", show(contents), show(param));
        }
    }

    void instruction(InstId id) {
        const Inst& i = f_[id];
        if (!i.op.valid()) fail("no op");
        for (ValueId v : i.operands) use(v, "operand");
        if (i.dest) {
            if (stage_ != Stage::Captured) fail("a write, at stage {}", name_of(stage_));
            use(i.dest, "destination");
            if (!f_.type(i.dest).is_tensor() || !f_[i.dest].view.storage) fail("the destination {} is no tensor", show(i.dest));
            if (!i.results.empty()) fail("a write with results");
        }
        if (stage_ != Stage::Captured && (i.untracked || i.uncounted)) fail("untracked or uncounted, at stage {}", name_of(stage_));
        for (ClearId c : i.clears)
            if (c.index >= f_.ledger.size()) fail("the ledger has no row #{}", c.index);
        if (std::optional<std::string> fault = signature_fault(f_, i)) fail("{}", *fault);
        for (size_t k = 0; k < i.results.size(); ++k) {
            if (i.results[k].index >= f_.values.size()) fail("result {} is not in the table", i.results[k].str());
            const Value& v = f_[i.results[k]];
            if (v.def != Value::Def::Result || v.inst != id || v.position != k) fail("result {} does not know its instruction", show(i.results[k]));
        }
        stage_rules(i);
        for (RegionId r : i.regions) {
            if (r.index >= f_.regions.size()) fail("{} is not in the table", r.str());
            if (f_[r].parent != id) fail("{} does not know its instruction", r.str());
        }
        structure(i);
        bool grouped = in_group_;
        if (i.op == "group"_op) in_group_ = true;
        for (RegionId r : i.regions) region(r);
        in_group_ = grouped;
        for (ValueId v : i.results) define_result(i, v);
        types(i);
        yields(i);
    }

    void define_result(const Inst& i, ValueId v) {
        bool fresh_expected = stage_ == Stage::Captured && i.regions.empty() && f_[v].view.storage && def(i.op).view == nullptr;
        if (fresh_expected && seen_storages_.count(f_[v].view.storage) != 0) fail("the result {} of '{}' needs a storage of its own", show(v), name_of(i.op));
        define(v, false);
    }

    // ---------------------------------------------------------------------------------------------- rules

    void types(const Inst& i) const {
        const OpDef& row = def(i.op);
        if (!i.regions.empty() || row.infer == rules::typed_only) return;
        std::vector<Type> expected;
        try {
            expected = infer_types(InstCall(f_, i));
        } catch (const ScriptError& e) {
            fail("'{}': {}: {}", row.name, e.type, e.text);
        }
        if (i.dest) {
            if (expected.size() != 1 || !expected[0].is_tensor()) fail("'{}' has no result to write", row.name);
            const Sizes& to = f_.type(i.dest).sizes;
            Sizes joined;
            try {
                joined = broadcast(to, expected[0].sizes);
            } catch (const ScriptError&) {
            }
            if (joined != to) fail("{} is written through a destination of {}", expected[0].text(), f_.type(i.dest).text());
            return;
        }
        if (expected.size() != i.results.size()) fail("'{}' has {} results, here are {}", row.name, expected.size(), i.results.size());
        for (size_t k = 0; k < expected.size(); ++k) {
            for (RunTimeSize& r : expected[k].run_time_sizes)
                if (!r.size) r.size = i.results[0];
            // A layout holds bounds; which of them are run-time sizes stands in the type alone.
            if (i.attrs.has("layout")) expected[k].run_time_sizes = f_.type(i.results[k]).run_time_sizes;
            if (expected[k] != f_.type(i.results[k])) fail("result {} of '{}' is {}, not {}", k, row.name, expected[k].text(), f_.type(i.results[k]).text());
        }
        if (const AttrValue* a = i.attrs.find("layout"))
            if (const Layout* l = std::get_if<Layout>(a)) frame_rules(i, *l);
        if (stage_ == Stage::Captured && row.view) view_rules(i, row);
    }

    void frame_rules(const Inst& i, const Layout& l) const {
        size_t plain = i.operands.size() - std::min(i.operands.size(), l.index_scales.size());
        if (plain == 0) fail("{} indices, but {} operands", l.index_scales.size(), i.operands.size());
        check_layout(l, l.index_scales.size(), f_.type(i.operands[0]).sizes, std::string(name_of(i.op)));
        ValueId piece = plain > 1 ? i.operands[1] : i.results.at(0);
        if (f_.type(piece).sizes != l.sizes) fail("the layout of '{}' has other sizes than {}", name_of(i.op), show(piece));
        if (f_.type(piece).dtype != f_.type(i.operands[0]).dtype) fail("'{}' between {} and {}", name_of(i.op), f_.type(piece).text(), f_.type(i.operands[0]).text());
    }

    void view_rules(const Inst& i, const OpDef& row) const {
        std::vector<ViewLayout> views = row.view(InstCall(f_, i));
        const View& from = f_[i.operands[0]].view;
        for (size_t k = 0; k < views.size() && k < i.results.size(); ++k) {
            const View& v = f_[i.results[k]].view;
            if (v.storage != from.storage) fail("the view {} lies in another storage than its base", show(i.results[k]));
            const Layout& l = views[k].layout;
            if (l.offset != v.layout.offset || l.strides != v.layout.strides || l.index_scales != v.layout.index_scales)
                fail("the layout of the view {} is {}, not {}", show(i.results[k]), l.str(), v.layout.str());
            std::vector<ValueId> indices = from.indices;
            for (uint32_t o : views[k].index_operands) indices.push_back(i.operands.at(o));
            if (indices != v.indices) fail("the view {} has other indices than its operands give", show(i.results[k]));
        }
    }

    void stage_rules(const Inst& i) const {
        const OpDef& row = def(i.op);
        if (stage_ != Stage::Captured && row.lower == Lower::View) fail("the view row '{}', at stage {}", row.name, name_of(stage_));
        if (f_.facts.decomposed && row.lower == Lower::Composite) fail("the composite '{}' in a decomposed function", row.name);
        if (f_.facts.differentiated)
            for (Op op : {"backward"_op, "reading"_op, "leaf"_op, "detach"_op, "untracked"_op})
                if (i.op == op) fail("'{}' in a differentiated function", row.name);
        if (i.op == "group"_op && stage_ != Stage::Fused) fail("a group, at stage {}", name_of(stage_));
        if (stage_ == Stage::Fused) {
            bool is_kernel = false, is_outside = false;
            switch (row.lower) {
                case Lower::Pointwise:
                case Lower::Composite:
                case Lower::Fill:
                case Lower::Reduction:
                case Lower::Scan:
                case Lower::Contraction:
                case Lower::Gather:
                case Lower::Scatter:
                case Lower::Concat:
                case Lower::View: is_kernel = true; break;
                case Lower::Random:
                case Lower::Library:
                case Lower::Host:
                case Lower::Scalar: is_outside = true; break;
                case Lower::Structural: break;
            }
            bool moves = i.attrs.has("layout");  // extract, insert
            bool is_literal = i.operands.empty() && i.attrs.has("data");
            if (!in_group_ && (is_kernel || moves) && !is_literal) fail("'{}' outside of a group", row.name);
            if (in_group_ && (is_outside || (row.lower == Lower::Structural && !moves))) fail("'{}' in a group", row.name);
        }
    }

    void same(const std::vector<ValueId>& a, const std::vector<ValueId>& b, size_t skip_a, size_t skip_b, const char* what) const {
        if (a.size() - skip_a != b.size() - skip_b) fail("{} {}, but {} are carried", a.size() - skip_a, what, b.size() - skip_b);
        for (size_t k = 0; k + skip_a < a.size(); ++k) {
            const Type& x = f_.type(a[k + skip_a]);
            const Type& y = f_.type(b[k + skip_b]);
            if (!alike(x, y)) fail("{}: number {} is {}, not {}", what, k, x.text(), y.text());
        }
    }

    /// Equal but for the names of run-time sizes, which differ on both sides of a region's edge.
    static bool alike(const Type& a, const Type& b) {
        if (a.kind != b.kind || a.members.size() != b.members.size()) return false;
        for (size_t k = 0; k < a.members.size(); ++k)
            if (!alike(a.members[k], b.members[k])) return false;
        if (!a.is_tensor()) return true;
        if (a.dtype != b.dtype || a.sizes != b.sizes || a.run_time_sizes.size() != b.run_time_sizes.size()) return false;
        for (size_t k = 0; k < a.run_time_sizes.size(); ++k)
            if (a.run_time_sizes[k].axis != b.run_time_sizes[k].axis) return false;
        return true;
    }

    const Region& region_of(const Inst& i, size_t k) const { return f_[i.regions[k]]; }

    /// What holds in front of the regions: their number and parameters.
    void structure(const Inst& i) const {
        auto regions = [&](size_t n) {
            if (i.regions.size() != n) fail("'{}' has {} regions, here are {}", name_of(i.op), n, i.regions.size());
        };
        if (i.op == "for"_op) {
            regions(1);
            const std::vector<ValueId>& params = region_of(i, 0).params;
            if (params.empty() || f_.type(params[0]).kind != Type::Kind::I64) fail("the loop's variable must be an i64");
            same(params, i.operands, 1, 3, "parameters");
        } else if (i.op == "while"_op) {
            regions(2);
            same(region_of(i, 0).params, i.operands, 0, 0, "parameters of the condition");
            same(region_of(i, 1).params, i.operands, 0, 0, "parameters of the body");
        } else if (i.op == "if"_op) {
            regions(2);
            if (!region_of(i, 0).params.empty() || !region_of(i, 1).params.empty()) fail("the arms of an if have no parameters");
        } else if (i.op == "group"_op) {
            regions(1);
            same(region_of(i, 0).params, i.operands, 0, 0, "parameters");
        }
    }

    /// What holds behind them: what they yield and what the instruction gives.
    void yields(const Inst& i) const {
        if (i.op == "for"_op) {
            same(region_of(i, 0).results, i.operands, 0, 3, "yielded values");
            same(i.results, i.operands, 0, 3, "results");
        } else if (i.op == "while"_op) {
            const std::vector<ValueId>& condition = region_of(i, 0).results;
            if (condition.size() != 1 || f_.type(condition[0]).kind != Type::Kind::Bool) fail("the condition must yield one bool");
            same(region_of(i, 1).results, i.operands, 0, 0, "yielded values");
            same(i.results, i.operands, 0, 0, "results");
        } else if (i.op == "if"_op) {
            same(region_of(i, 0).results, i.results, 0, 0, "values yielded by the first arm");
            same(region_of(i, 1).results, i.results, 0, 0, "values yielded by the second arm");
        } else if (i.op == "group"_op) {
            same(region_of(i, 0).results, i.results, 0, 0, "yielded values");
        }
    }

    const Function& f_;
    Stage stage_;
    std::vector<bool> defined_;
    std::set<StorageId> seen_storages_;
    InstId inst_;
    bool in_group_ = false;
};

}  // namespace

std::optional<Fault> find_fault(const Function& f, Stage stage) {
    try {
        Verifier(f, stage).function();
    } catch (Found& found) {
        return std::move(found.fault);
    }
    return std::nullopt;
}

void verify(const Function& f, Stage stage, const std::string& after) {
    std::optional<Fault> fault = find_fault(f, stage);
    if (!fault) return;
    std::string message = fmt::format("the {} function @{} is malformed{}{}: {}", name_of(stage), f.name, after.empty() ? "" : " after ", after, fault->text);
    if (fault->inst) message += "\n  in: " + print_inst(f, fault->inst);
    throw InternalError(message);
}

}  // namespace sifr
