// Loops whose iterations are dealt out: which they are, which stand in one another so that they are one, and their text.

#include <algorithm>
#include <cstdlib>
#include <map>

#include "compiler/backend/cuda/kernel_printer.h"

namespace sifr::cuda {

/// An accumulation somewhere in the block that may come to one place in several iterations of the loop over `loop`: unless the loop's
/// variable moves the place, and nothing else that the loop changes does. The order of such additions is that of the iterations.
static bool accumulates_across(const Block& block, VarId loop, const std::set<uint32_t>& changed) {
    return std::any_of(block.begin(), block.end(), [&](const Stmt& s) {
        if (const auto* a = std::get_if<Accumulate>(&s.node)) {
            if (a->index.scale_of(loop) == 0) return true;
            return std::any_of(a->index.terms.begin(), a->index.terms.end(),
                               [&](const auto& t) { return t.var != loop && changed.contains(t.var.index); });
        }
        if (const auto* f = std::get_if<For>(&s.node)) {
            // An inner loop's own variable moves the place too: where it is the inner axis, rows do not meet.
            std::set<uint32_t> inner = changed;
            inner.erase(f->var.index);
            return accumulates_across(f->body, loop, inner);
        }
        if (const auto* r = std::get_if<Reduce>(&s.node)) return accumulates_across(r->body, loop, changed);
        if (const auto* i = std::get_if<If>(&s.node))
            return accumulates_across(i->then_body, loop, changed) || accumulates_across(i->else_body, loop, changed);
        if (const auto* c = std::get_if<Contract>(&s.node)) return accumulates_across(c->epilogue, loop, changed);
        return false;
    });
}

void KernelPrinter::find_ranges(const Block& block) {
    auto constant = [&](ExprId id) { return k_.exprs[id].op == ScalarOp::Const && k_.exprs[id].type == DType::I64; };
    auto value = [&](ExprId id) { return static_cast<int64_t>(k_.exprs[id].payload); };
    for (const Stmt& s : block) {
        if (const auto* f = std::get_if<For>(&s.node)) {
            if (f->lo.is_constant() && f->hi.is_constant() && f->hi.base > f->lo.base) ranges_[f->var.index] = {f->lo.base, f->hi.base - 1};
            find_ranges(f->body);
        } else if (const auto* i = std::get_if<If>(&s.node)) {
            find_ranges(i->then_body);
            find_ranges(i->else_body);
        } else if (const auto* let = std::get_if<Let>(&s.node); let && !assigned_[let->var.index]) {
            // max(min(index, last), 0), as behind every check of an index.
            const Expr& outer = k_.exprs[let->value];
            if (outer.op != ScalarOp::Max || outer.type != DType::I64 || !constant(outer.args[1])) continue;
            const Expr& inner = k_.exprs[outer.args[0]];
            if (inner.op == ScalarOp::Min && constant(inner.args[1]) && value(inner.args[1]) >= value(outer.args[1]))
                ranges_[let->var.index] = {value(outer.args[1]), value(inner.args[1])};
        }
    }
}

bool KernelPrinter::meets(const Affine& at, const For& f, const std::set<uint32_t>& inside) const {
    const int64_t step = std::abs(at.scale_of(f.var));
    int64_t spread = 0;
    for (const auto& t : at.terms) {
        if (t.var == f.var || !inside.contains(t.var.index)) continue;
        const auto range = ranges_.find(t.var.index);
        if (range == ranges_.end()) return true;
        spread += times(std::abs(t.scale), range->second.second - range->second.first);
    }
    return step <= spread;
}

bool KernelPrinter::order_is_free(const For& f) const {
    const std::set<uint32_t> inside = footprint(k_, f.body).defines;
    std::set<uint32_t> reads, writes;
    std::vector<const Accumulate*> shared;
    auto read = [&](ExprId value) {
        const Footprint p = footprint(k_, Stmt{Let{VarId(0), value}, {}});
        reads.insert(p.reads.begin(), p.reads.end());
    };
    auto visit = [&](auto& self, const Block& block) -> bool {
        for (const Stmt& s : block) {
            if (const auto* let = std::get_if<Let>(&s.node)) {
                read(let->value);
            } else if (const auto* inner = std::get_if<For>(&s.node)) {
                if (!self(self, inner->body)) return false;
            } else if (const auto* c = std::get_if<Check>(&s.node)) {
                read(c->ok);
                read(c->value);
            } else if (const auto* store = std::get_if<Store>(&s.node)) {
                read(store->value);
                writes.insert(store->buffer.index);
                if (meets(store->index, f, inside)) return false;
            } else if (const auto* add = std::get_if<Accumulate>(&s.node)) {
                read(add->value);
                writes.insert(add->buffer.index);
                if (!meets(add->index, f, inside)) continue;
                // Integers come to the same in every order; rounded sums do not.
                const DType t = k_.buffers[add->buffer.index].type;
                const bool rounded = float_atomics_ && (t == DType::F32 || t == DType::F64) && add->combine == Combine::Sum;
                if (t != DType::I32 && t != DType::I64 && !rounded) return false;
                if (add->combine != Combine::Sum && add->combine != Combine::Max && add->combine != Combine::Min) return false;
                shared.push_back(add);
            } else {
                return false;
            }
        }
        return true;
    };
    if (!visit(visit, f.body) || intersect(reads, writes)) return false;
    // One place must not get both: what is added at once, and what one thread writes alone.
    if (!shared.empty() && writes.size() > 1) return false;
    atomic_.insert(shared.begin(), shared.end());
    return true;
}

bool KernelPrinter::independent(const For& f) const {
    if (f.kind == For::Kind::Serial) return order_is_free(f);
    return !accumulates_across(f.body, f.var, footprint(k_, f.body).defines);
}

KernelPrinter::Nest KernelPrinter::nest_of(const For& f) const {
    Nest nest;
    nest.loops.push_back(&f);
    nest.body = &f.body;
    const Footprint whole = footprint(k_, f.body);
    while (true) {
        // Lets may stand in front of the inner loop if what they read is not written below: each iteration computes them anew.
        const Block& body = *nest.body;
        if (body.empty()) return nest;
        const auto* inner = std::get_if<For>(&body.back().node);
        if (!inner || !independent(*inner)) return nest;
        Footprint lets;
        for (size_t i = 0; i + 1 < body.size(); ++i) {
            if (!std::holds_alternative<Let>(body[i].node)) return nest;
            const Footprint l = footprint(k_, body[i]);
            lets.reads.insert(l.reads.begin(), l.reads.end());
            lets.defines.insert(l.defines.begin(), l.defines.end());
        }
        if (intersect(lets.reads, whole.writes)) return nest;
        // The bounds must not depend on what is inside of the nest, nor scratch on one of its iterations.
        std::set<uint32_t> inside = lets.defines;
        for (const For* l : nest.loops) inside.insert(l->var.index);
        auto varies = [&](const Affine& a) {
            return std::any_of(a.terms.begin(), a.terms.end(), [&](const auto& t) { return inside.contains(t.var.index); });
        };
        if (varies(inner->lo) || varies(inner->hi) || whole.scratch || nest.loops.size() == 3) return nest;
        for (size_t i = 0; i + 1 < body.size(); ++i) nest.before.push_back(&body[i]);
        nest.loops.push_back(inner);
        nest.body = &inner->body;
    }
}

namespace {

constexpr int64_t group_size = 4;

/// Group neighbours start where the index is a multiple of the group's size, whatever the outer loops do.
bool aligned(const Affine& a, VarId inner, const std::vector<const For*>& loops) {
    if (a.scale_of(inner) != 1 || a.base % group_size != 0) return false;
    return std::all_of(a.terms.begin(), a.terms.end(), [&](const auto& t) {
        const bool loop = std::any_of(loops.begin(), loops.end(), [&](const For* f) { return f->var == t.var; });
        return t.var == inner || (loop && t.scale % group_size == 0);
    });
}

}  // namespace

bool KernelPrinter::grouped(const Nest& nest) const {
    const For& inner = *nest.loops.back();
    if (std::any_of(nest.loops.begin(), nest.loops.end(), [](const For* f) { return f->kind == For::Kind::Serial; })) return false;
    if (!inner.lo.is_constant() || !inner.hi.is_constant() || inner.lo.base % group_size != 0 ||
        (inner.hi.base - inner.lo.base) % group_size != 0)
        return false;
    bool any = false;
    for (const Stmt& s : *nest.body) {
        if (const auto* store = std::get_if<Store>(&s.node))
            any |= aligned(store->index, inner.var, nest.loops);
        else if (!std::holds_alternative<Let>(s.node))
            return false;
    }
    return any;
}

void KernelPrinter::print_group(const Nest& nest, const std::string& start) {
    const VarId inner = nest.loops.back()->var;
    auto place_of = [&](BufferId b, Affine at) {
        // The index at the group's start.
        at.add(Affine::of(inner, -1));
        const std::string rest = affine(at);
        return fmt::format("{} + {}{}", name(b), start, rest == "0" ? "" : (rest[0] == '-' ? " - " + rest.substr(1) : " + " + rest));
    };
    // Loads of neighbours stand in front of the group, stores behind it.
    std::map<std::string, std::string> loaded;
    std::vector<std::string> stored_back;
    auto visit = [&](auto& self, ExprId id) -> void {
        if (!id.valid()) return;
        const Expr& e = k_.exprs[id];
        for (ExprId a : e.args) self(self, a);
        if (e.op != ScalarOp::Load || !aligned(e.index, inner, nest.loops) || pinned_.contains(id.index)) return;
        const char* type = memory_type(e.type);
        std::string& four = loaded[place_of(e.buffer, e.index)];
        if (four.empty()) {
            four = unique(k_.buffers[e.buffer.index].name + "_four");
            line(fmt::format("const Four<{0}> {1} = *(const Four<{0}>*)({2});", type, four, place_of(e.buffer, e.index)));
        }
        const std::string value = four + ".at[lane]";
        pinned_[id.index] = e.type == DType::F16 ? "from_f16(" + value + ")" : e.type == DType::BF16 ? "from_bf16(" + value + ")" : value;
    };
    for (const Stmt& s : *nest.body) {
        if (const auto* let = std::get_if<Let>(&s.node)) visit(visit, let->value);
        if (const auto* store = std::get_if<Store>(&s.node)) visit(visit, store->value);
    }
    std::map<const Store*, std::string> fours;
    for (const Stmt& s : *nest.body) {
        const auto* store = std::get_if<Store>(&s.node);
        if (!store || !aligned(store->index, inner, nest.loops)) continue;
        const Buffer& b = k_.buffers[store->buffer.index];
        const std::string four = unique(b.name + "_four");
        fours[store] = four;
        line(fmt::format("Four<{}> {};", memory_type(b.type), four));
        stored_back.push_back(fmt::format("*(Four<{}>*)({}) = {};", memory_type(b.type), place_of(store->buffer, store->index), four));
    }
    out_ += "#pragma unroll\n";
    open("for (int lane = 0; lane < 4; ++lane)");
    line(fmt::format("const i64 {} = {} + lane;", name(inner), start));
    for (const Stmt& s : *nest.body) {
        const auto* store = std::get_if<Store>(&s.node);
        if (!store || !fours.contains(store)) {
            stmt(s);
            continue;
        }
        share({store->value});
        line(fmt::format("{}.at[lane] = {};", fours[store], stored(k_.buffers[store->buffer.index].type, bare(expr(store->value)))));
        unshare();
    }
    close();
    for (const std::string& s : stored_back) line(s);
    pinned_.clear();
}

void KernelPrinter::dealt_loop(const Nest& nest, const std::string& first, const std::string& stride, bool by_four) {
    const int64_t step = by_four ? group_size : 1;
    auto extent = [&](const For& f) {
        Affine n = f.hi;
        n.add(f.lo, -1);
        if (by_four && &f == nest.loops.back()) n.base /= group_size;
        return n;
    };
    const std::string group = by_four ? unique(k_.vars[nest.loops.back()->var.index].name + "_first") : "";
    auto parenthesized = [&](const Affine& a) {
        return a.terms.empty() || (a.terms.size() == 1 && a.base == 0) ? affine(a) : "(" + affine(a) + ")";
    };
    if (nest.loops.size() == 1) {
        const For& f = *nest.loops[0];
        const std::string begin = by_four ? fmt::format("{} * ({})", step, first) : first;
        const std::string start = f.lo == Affine{} ? begin : fmt::format("{} + {}", affine(f.lo), begin);
        open(fmt::format("for (i64 {0} = {1}; {0} < {2}; {0} += {4}{3})", by_four ? group : name(f.var), start, affine(f.hi), stride,
                         by_four ? "4 * " : ""));
    } else {
        int64_t total = 1;
        std::string product;
        for (const For* f : nest.loops) {
            const Affine n = extent(*f);
            total = n.is_constant() && total >= 0 ? times(total, std::max<int64_t>(0, n.base)) : -1;
            product += (product.empty() ? "" : " * ") + parenthesized(n);
        }
        if (total == 0) return;
        const bool narrow = total >= 0 && total < (int64_t{1} << 30);
        const char* type = narrow ? "u32" : "i64";
        const std::string t = unique("element");
        // A negative extent is an empty loop.
        std::string nonempty;
        if (total < 0)
            for (const For* f : nest.loops)
                if (!extent(*f).is_constant()) nonempty += fmt::format(" && {} > 0", affine(extent(*f)));
        open(fmt::format("for ({1} {0} = {2}; {0} < {3}{5}; {0} += {4})", t, type, first, total >= 0 ? std::to_string(total) : product,
                         stride, nonempty));
        std::string rest = t;
        std::vector<std::string> definitions;
        std::set<uint32_t> used = footprint(k_, nest.loops[0]->body).uses;
        for (size_t i = nest.loops.size(); i-- > 0;) {
            const For& f = *nest.loops[i];
            const std::string n = parenthesized(extent(f));
            const bool once = extent(f).is_constant() && extent(f).base == 1;
            const bool outermost = std::all_of(nest.loops.begin(), nest.loops.begin() + static_cast<ptrdiff_t>(i),
                                               [&](const For* l) { return extent(*l).is_constant() && extent(*l).base == 1; });
            std::string value = once ? "0" : outermost ? rest : fmt::format("{} % {}", rest, n);
            const bool last = by_four && i + 1 == nest.loops.size();
            if (last) value = fmt::format("4 * ({})", value);
            if (!(f.lo == Affine{}))
                value = once ? affine(f.lo) : fmt::format("{} + {}", affine(f.lo), outermost ? value : "(" + value + ")");
            if (last || used.contains(f.var.index))
                definitions.insert(definitions.begin(), fmt::format("const i64 {} = {};", last ? group : name(f.var), value));
            if (!once) rest = fmt::format("{} / {}", rest, n);
        }
        for (const std::string& d : definitions) line(d);
        for (const Stmt* s : nest.before) stmt(*s);
    }
    if (by_four)
        print_group(nest, group);
    else
        block(*nest.body);
    // An iteration of the whole block ends before the next begins.
    if (level_ == Level::Block && !unsettled_.empty()) barrier();
    close();
}

}  // namespace sifr::cuda
