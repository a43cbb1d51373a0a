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

/// A group that is one `full` of a known number: a fill of memory.
bool Planner::fill(const Inst& g) {
    const Region& body = f_[g.regions[0]];
    if (g.attrs.get<std::string>("kind") != "fill" || body.results.size() != 1) return false;
    const Inst* full = f_.producer(body.results[0]);
    if (full && full->op == "empty"_op) {
        buffers_[g.results[0].index] = add_buffer(BufferDef::Kind::Arena, f_.type(body.results[0]), f_[g.results[0]].name);
        return true;
    }
    if (!full || full->op != "full"_op || !f_.is_constant(full->operands[0])) return false;
    const Type& t = f_.type(body.results[0]);
    auto number = f_.constant_float(full->operands[0]);
    if (!number) return false;
    uint64_t pattern = 0;
    if (is_complex(t.dtype)) {
        if (*number != 0 || std::signbit(*number)) return false;
    } else {
        ScalarValue v;
        if (auto i = f_.constant_int(full->operands[0])) {
            v.i64 = *i;
            v = cast_value(v, DType::I64, t.dtype);
        } else {
            v.f64 = *number;
            v = cast_value(v, DType::F64, t.dtype);
        }
        unsigned char bytes[8] = {};
        store_value(t.dtype, bytes, v);
        size_t size = static_cast<size_t>(size_of(t.dtype));
        for (size_t k = size; k < 8; ++k) bytes[k] = bytes[k - size];
        std::memcpy(&pattern, bytes, 8);
    }
    PlanBuffer b = add_buffer(BufferDef::Kind::Arena, t, f_[g.results[0]].name);
    buffers_[g.results[0].index] = b;
    if (t.bytes() == 0) return true;
    PlanInst i{.kind = PlanInst::Kind::Fill, .buffers = {b}, .size = t.bytes(), .pattern = pattern, .clears = g.clears};
    i.location = g.location;
    emit(std::move(i));
    for (ClearId c : g.clears) {
        Clear& row = plan_.ledger[c.index];
        if (row.verdict != Clear::Verdict::Open) continue;
        row.verdict = Clear::Verdict::Kept;
        row.kept_bytes = t.bytes();
        row.pass = "plan-memory";
        row.reason = "it is read as a whole";
    }
    return true;
}

void Planner::group(InstId id) {
    const Inst& g = f_[id];
    if (g.attrs.get<std::string>("kind") == "alias") return;  // another name of its operand's memory
    if (fill(g)) return;
    int64_t now = life_.begin(id);
    bool empty = std::all_of(g.results.begin(), g.results.end(), [&](ValueId v) { return f_.type(v).numel() == 0; });

    auto free_now = [&](size_t operand) {
        ValueId v = g.operands[operand];
        return f_.type(v).is_tensor() && owned(buffer(v)) && dead_after(v, now);
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
        if (base < 0 || !free_now(static_cast<size_t>(base)) || taken.count(buffer(g.operands[static_cast<size_t>(base)]))) continue;
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
            if (!free_now(k) || f_.type(g.operands[k]).bytes() != f_.type(g.results[r]).bytes()) continue;
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
            buffers_[g.results[r].index] = add_buffer(BufferDef::Kind::Arena, f_.type(g.results[r]), f_[g.results[r]].name);
            continue;
        }
        PlanBuffer memory = buffer(g.operands[static_cast<size_t>(takes[r])]);
        buffers_[g.results[r].index] = memory;
        for (size_t k = 0; k < g.operands.size(); ++k) {
            if (!f_.type(g.operands[k]).is_tensor() || buffer(g.operands[k]) != memory) continue;
            BufferId in = kernel_buffer(lowered, Kind::Operand, k), out = kernel_buffer(lowered, Kind::Result, r);
            if (in.valid()) share(lowered, in, out);
        }
    }
    for (ClearId c : g.clears) {
        // A clear that is part of a kernel writes what the kernel writes.
        Clear& row = plan_.ledger[c.index];
        if (row.verdict != Clear::Verdict::Open) continue;
        row.verdict = Clear::Verdict::Folded;
        row.pass = "plan-memory";
        row.reason = "the kernel that reads it writes the rest";
    }
    if (empty) return;
    PlanInst i{.kind = PlanInst::Kind::Launch, .clears = g.clears};
    i.location = g.location;
    for (const auto& b : lowered.buffers)
        i.buffers.push_back(b.kind == Kind::Operand ? buffer(g.operands[b.index]) : buffer(g.results[b.index]));
    for (uint32_t s : lowered.scalars) i.scalars.push_back(scalar(g.operands[s]));
    i.kernel = add_kernel(std::move(lowered.kernel));
    emit(std::move(i));
}

}  // namespace sifr
