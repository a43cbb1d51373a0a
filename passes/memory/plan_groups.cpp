// Groups become launches. A result takes the memory of an operand that nothing reads afterwards, where the kernel allows it; an
// insert writes into the memory of what it inserts into ("inplace"), else into memory of its own ("pingpong").

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

#include "ir/base/check.h"
#include "ir/loop/scalar_value.h"
#include "passes/memory/planner.h"

namespace sifr {

namespace {

/// The text of a kernel without what is only a name or a place: equal texts are one kernel.
std::string nameless(Kernel k) {
    k.name = "k";
    for (Variable& v : k.vars) v.name = "v";
    for (Buffer& b : k.buffers) b.name = "b";
    if (k.sites.empty()) {
        k.location.clear();
        std::function<void(Block&)> strip = [&](Block& b) {
            for (Stmt& s : b) {
                s.location.clear();
                if (For* f = std::get_if<For>(&s.node)) strip(f->body);
                if (If* i = std::get_if<If>(&s.node)) {
                    strip(i->then_body);
                    strip(i->else_body);
                }
                if (Reduce* r = std::get_if<Reduce>(&s.node)) strip(r->body);
                if (Contract* c = std::get_if<Contract>(&s.node)) strip(c->epilogue);
            }
        };
        strip(k.body);
    }
    return print(k);
}

}  // namespace

KernelId Planner::add_kernel(Kernel kernel) {
    auto [it, fresh] = kernels_.try_emplace(nameless(kernel), KernelId(plan_.kernels.size()));
    if (!fresh) return it->second;
    std::string base = kernel.name;
    for (int n = 1; !kernel_names_.insert(kernel.name).second; ++n) kernel.name = fmt::format("{}_{}", base, n);
    verify(kernel);
    plan_.kernels.push_back(std::move(kernel));
    return it->second;
}

/// Eight bytes of memory that is filled with a number; nothing for a number that is not known, or no fill.
std::optional<uint64_t> Planner::fill_pattern(const Inst* full) const {
    if (!full || full->op != "full"_op || !f_.is_constant(full->operands[0])) return std::nullopt;
    DType type = f_.type(full->results[0]).dtype;
    auto number = f_.constant_float(full->operands[0]);
    if (!number) return std::nullopt;
    if (is_complex(type)) return *number != 0 || std::signbit(*number) ? std::nullopt : std::optional<uint64_t>(0);
    ScalarValue v;
    if (auto i = f_.constant_int(full->operands[0])) {
        v.i64 = *i;
        v = cast_value(v, DType::I64, type);
    } else {
        v.f64 = *number;
        v = cast_value(v, DType::F64, type);
    }
    unsigned char bytes[8] = {};
    store_value(type, bytes, v);
    size_t size = static_cast<size_t>(size_of(type));
    for (size_t k = size; k < 8; ++k) bytes[k] = bytes[k - size];
    uint64_t pattern = 0;
    std::memcpy(&pattern, bytes, 8);
    return pattern;
}

void Planner::emit_fill(PlanBuffer b, int64_t begin, int64_t size, uint64_t pattern, const Inst& g, const std::vector<ClearId>& clears) {
    if (size == 0) return;
    PlanInst i{.kind = PlanInst::Kind::Fill, .buffers = {b}, .begin = begin, .size = size, .pattern = pattern, .clears = clears};
    i.location = g.location;
    if (pattern == 0) note_cleared(i.clears, size, g.location);
    emit(std::move(i));
}

/// A group that is one `full` of a known number: a fill of memory.
bool Planner::fill(const Inst& g) {
    const Region& body = f_[g.regions[0]];
    if (g.attrs.get<std::string>("kind") != "fill" || body.results.size() != 1) return false;
    const Inst* full = f_.producer(body.results[0]);
    const Type& t = f_.type(body.results[0]);
    std::optional<uint64_t> pattern = fill_pattern(full);
    if (!pattern && !(full && full->op == "empty"_op)) return false;
    PlanBuffer b = place(g.results[0], life_.begin(f_[g.results[0]].inst));
    buffers_[g.results[0].index] = b;
    if (pattern) emit_fill(b, 0, t.bytes(), *pattern, g, g.clears);
    return true;
}

/// A group that inserts a fill where the layout has no gaps, into memory that is its own or has no contents yet.
bool Planner::fill_part(const Inst& g, int64_t now) {
    const Region& body = f_[g.regions[0]];
    if (body.results.size() != 1 || g.results.size() != 1) return false;
    const Inst* insert = f_.producer(body.results[0]);
    if (!insert || insert->op != "insert"_op) return false;
    const Inst* piece = f_.producer(insert->operands[1]);
    std::optional<uint64_t> pattern = fill_pattern(piece);
    const Layout& layout = insert->attrs.get<Layout>("layout");
    if (!pattern || !layout.is_static() || !layout.is_contiguous()) return false;
    const Type t = f_.type(g.results[0]);
    const Inst* base = f_.producer(insert->operands[0]);
    PlanBuffer b;
    if (base && base->op == "empty"_op) {
        b = add_buffer(BufferDef::Kind::Arena, t, f_[g.results[0]].name);
    } else {
        int operand = inserted_operand(f_, g, 0);
        if (operand < 0) return false;
        ValueId v = g.operands[static_cast<size_t>(operand)];
        b = buffer(v);
        if (!owned(b) || !dead_after(v, now)) return false;
    }
    buffers_[g.results[0].index] = b;
    emit_fill(b, layout.offset * size_of(t.dtype), layout.numel() * size_of(t.dtype), *pattern, g, piece->clears);
    return true;
}

void Planner::group(InstId id) {
    const Inst& g = f_[id];
    if (g.attrs.get<std::string>("kind") == "alias") return;  // another name of its operand's memory
    int64_t now = life_.begin(id);
    if (fill(g) || fill_part(g, now)) return;
    bool empty = std::all_of(g.results.begin(), g.results.end(), [&](ValueId v) { return f_.type(v).numel() == 0; });

    auto free_now = [&](size_t operand, size_t result) {
        ValueId v = g.operands[operand];
        if (!f_.type(v).is_tensor() || !dead_after(v, now)) return false;
        // The caller's memory serves for what is to lie there in the end, and for nothing else.
        return owned(buffer(v)) || (blocks_.size() == 1 && home(g.results[result]) == buffer(v) && holders_.at(buffer(v)) == life_.root(v));
    };
    auto kernel_buffer = [](const LoweredGroup& l, LoweredGroup::Binding::Kind kind, size_t index) {
        size_t parameter = 0;
        for (size_t b = 0; b < l.kernel.buffers.size(); ++b) {
            if (l.kernel.buffers[b].scratch) continue;
            const auto& binding = l.buffers[parameter++];
            if (binding.kind == kind && binding.index == index) return BufferId(b);
        }
        return BufferId();
    };
    using Kind = LoweredGroup::Binding::Kind;

    // Inserts into memory that nothing reads afterwards.
    std::vector<bool> in_place(g.results.size(), false);
    std::vector<int> takes(g.results.size(), -1);  // operand whose memory the result takes
    std::set<PlanBuffer> taken;
    for (size_t r = 0; r < g.results.size(); ++r) {
        int base = inserted_operand(f_, g, r);
        if (base < 0 || !free_now(static_cast<size_t>(base), r) || taken.count(buffer(g.operands[static_cast<size_t>(base)]))) continue;
        in_place[r] = true;
        takes[r] = base;
        taken.insert(buffer(g.operands[static_cast<size_t>(base)]));
    }
    LoweredGroup lowered = lower_group(f_, g, in_place);
    bool again = false;
    for (size_t r = 0; r < g.results.size(); ++r) {
        if (!in_place[r]) continue;
        // Every operand with this memory counts: two names may stand for one place.
        PlanBuffer memory = buffer(g.operands[static_cast<size_t>(takes[r])]);
        for (size_t k = 0; k < g.operands.size(); ++k) {
            if (!f_.type(g.operands[k]).is_tensor() || buffer(g.operands[k]) != memory) continue;
            BufferId in = kernel_buffer(lowered, Kind::Operand, k), out = kernel_buffer(lowered, Kind::Result, r);
            if (in.valid() && !may_share(lowered.kernel, in, out)) in_place[r] = false;
        }
        if (!in_place[r]) {
            takes[r] = -1;
            taken.erase(memory);
            again = true;
        }
    }
    if (again) lowered = lower_group(f_, g, in_place);

    // Other results: the memory of an operand that is read for the last time here.
    for (size_t r = 0; r < g.results.size(); ++r) {
        if (takes[r] >= 0 || empty) continue;
        for (size_t k = 0; k < g.operands.size() && takes[r] < 0; ++k) {
            if (!free_now(k, r) || f_.type(g.operands[k]).bytes() != f_.type(g.results[r]).bytes()) continue;
            PlanBuffer memory = buffer(g.operands[k]);
            if (taken.count(memory)) continue;
            int names = 0;
            for (ValueId v : g.operands) names += f_.type(v).is_tensor() && buffer(v) == memory;
            BufferId in = kernel_buffer(lowered, Kind::Operand, k), out = kernel_buffer(lowered, Kind::Result, r);
            if (names != 1 || !in.valid() || !may_share(lowered.kernel, in, out)) continue;
            takes[r] = static_cast<int>(k);
            taken.insert(memory);
        }
    }
    for (size_t r = 0; r < g.results.size(); ++r) {
        if (takes[r] < 0) {
            buffers_[g.results[r].index] = place(g.results[r], now);
            continue;
        }
        PlanBuffer memory = buffer(g.operands[static_cast<size_t>(takes[r])]);
        buffers_[g.results[r].index] = memory;
        hold(g.results[r], memory);
        for (size_t k = 0; k < g.operands.size(); ++k) {
            if (!f_.type(g.operands[k]).is_tensor() || buffer(g.operands[k]) != memory) continue;
            BufferId in = kernel_buffer(lowered, Kind::Operand, k), out = kernel_buffer(lowered, Kind::Result, r);
            if (in.valid()) share(lowered, in, out);
        }
    }
    std::vector<ClearId> clears = note_group_clears(g, in_place);
    if (empty) return;
    PlanInst i{.kind = PlanInst::Kind::Launch, .clears = clears};
    i.location = g.location;
    for (const auto& b : lowered.buffers)
        i.buffers.push_back(b.kind == Kind::Operand ? buffer(g.operands[b.index]) : buffer(g.results[b.index]));
    for (uint32_t s : lowered.scalars) i.scalars.push_back(scalar(g.operands[s]));
    i.kernel = add_kernel(std::move(lowered.kernel));
    emit(std::move(i));
}

}  // namespace sifr
