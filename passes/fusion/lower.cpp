#include "passes/fusion/lower.h"

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "passes/fusion/nest.h"

namespace sifr {

GroupLowering::GroupLowering(const Function& f, const Inst& group, const std::vector<bool>& in_place)
    : f_(f), group_(group), in_place_(in_place), e_(f, group, out_.kernel) {
    out_.kernel.location = group.location;
}

void GroupLowering::outputs() {
    const Region& body = f_[group_.regions[0]];
    for (size_t r = 0; r < body.results.size(); ++r) {
        Output o;
        o.result = static_cast<uint32_t>(r);
        o.value = body.results[r];
        const Type& t = f_.type(o.value);
        const Inst* made = f_[o.value].def == Value::Def::Result ? f_.producer(o.value) : nullptr;
        if (made && made->op == "insert"_op) {
            o.insert = made;
            o.value = made->operands[1];
            o.layout = made->attrs.get<Layout>("layout");
            o.indices = e_.index_vars(*made);
        } else {
            o.layout = Layout::contiguous(t.sizes);
        }
        o.buffer = out_.kernel.add_buffer({.name = "out_" + kernel_name_of(f_, body.results[r]), .type = t.dtype, .extent = t.numel(),
                                           .access = Buffer::Access::Write});
        outputs_.push_back(std::move(o));
    }
}

/// `exp_mul_sum`: the rows in order, at most four, then how many more.
void GroupLowering::name_kernel() {
    std::string name;
    int count = 0;
    for (InstId id : f_[group_.regions[0]].insts) {
        const Inst& inst = f_[id];
        Lower lower = def(inst.op).lower;
        if (inst.erased || lower == Lower::Fill || inst.op == "extract"_op || inst.op == "cast"_op) continue;
        if (++count > 4) continue;
        std::string_view n = name_of(inst.op);
        n = n.substr(0, n.find('.'));
        name += (name.empty() ? "" : "_") + std::string(n);
    }
    if (name.empty()) name = group_.attrs.get<std::string>("kind");
    if (count > 4) name += fmt::format("_{}_more", count - 4);
    out_.kernel.name = name;
}

LoweredGroup GroupLowering::run() {
    const std::string& kind = group_.attrs.get<std::string>("kind");
    outputs();
    if (kind == "contraction") contraction();
    else if (kind == "gather") gather();
    else if (kind == "scatter") scatter();
    else if (kind == "scan") scan();
    else if (kind == "concat") concat();
    else nest();
    out_.kernel.body = e_.close();
    name_kernel();

    // What the parameters stand for, in the order in which they came to be.
    const Region& body = f_[group_.regions[0]];
    for (size_t b = 0; b < out_.kernel.buffers.size(); ++b) {
        if (out_.kernel.buffers[b].scratch) continue;
        LoweredGroup::Binding binding{LoweredGroup::Binding::Kind::Operand, UINT32_MAX};
        for (const Output& o : outputs_) {
            if (o.buffer.index == b) binding = {LoweredGroup::Binding::Kind::Result, o.result};
        }
        for (size_t p = 0; p < body.params.size(); ++p) {
            if (f_.type(body.params[p]).is_tensor() && e_.has_buffer(body.params[p]) && e_.buffer_of(body.params[p]).index == b)
                binding = {LoweredGroup::Binding::Kind::Operand, static_cast<uint32_t>(p)};
        }
        SIFR_CHECK(binding.index != UINT32_MAX, "a kernel parameter that stands for nothing");
        out_.buffers.push_back(binding);
    }
    for (VarId s : out_.kernel.scalars) {
        uint32_t operand = UINT32_MAX;
        for (size_t p = 0; p < body.params.size(); ++p) {
            if (!f_.type(body.params[p]).is_tensor() && e_.has_scalar(body.params[p]) && e_.scalar_of(body.params[p]) == s)
                operand = static_cast<uint32_t>(p);
        }
        SIFR_CHECK(operand != UINT32_MAX, "a scalar parameter that stands for nothing");
        out_.scalars.push_back(operand);
    }
    return std::move(out_);
}

LoweredGroup lower_group(const Function& f, const Inst& group, const std::vector<bool>& in_place) {
    LoweredGroup out = GroupLowering(f, group, in_place).run();
    schedule(out.kernel);
    return out;
}

int inserted_operand(const Function& f, const Inst& group, size_t r) {
    const Region& body = f[group.regions[0]];
    const Inst* made = f[body.results.at(r)].def == Value::Def::Result ? f.producer(body.results[r]) : nullptr;
    if (!made || (made->op != "insert"_op && def(made->op).lower != Lower::Scatter)) return -1;
    for (size_t p = 0; p < body.params.size(); ++p) {
        if (body.params[p] == made->operands[0]) return static_cast<int>(p);
    }
    return -1;
}

}  // namespace sifr
