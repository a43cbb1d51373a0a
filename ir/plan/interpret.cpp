#include <cstring>
#include <map>
#include <set>

#include "ir/base/check.h"
#include "ir/base/diagnostic.h"
#include "ir/loop/scalar_value.h"
#include "ir/plan/host_value.h"
#include "ir/plan/lifetime.h"
#include "ir/plan/plan.h"

namespace sifr {

namespace {

constexpr int dead_memory = 0xA5;

class Interpreter {
public:
    Interpreter(const Plan& p, const RunOptions& options)
        : p_(p), options_(options), life_(lifetimes(p)), arena_(static_cast<size_t>(p.arena_bytes) + 64), pointers_(p.buffers.size()),
          scalars_(p.scalars.size()) {
        // 64-byte alignment, as the runtime's arena.
        base_ = arena_.data() + (64 - reinterpret_cast<uintptr_t>(arena_.data()) % 64) % 64;
        std::memset(base_, dead_memory, static_cast<size_t>(p.arena_bytes));
        for (size_t s = 0; s < p.scalars.size(); ++s) scalars_[s] = constant(p.scalars[s]);
        for (size_t b = 0; b < p.buffers.size(); ++b) {
            auto& r = life_.ranges[b];
            if (p.buffers[b].kind == BufferDef::Kind::Arena && !p.buffers[b].view_of.valid() && r.last >= 0) dies_at_[r.last].push_back(b);
        }
    }
    void run() {
        SIFR_CHECK(options_.numbers.size() == p_.parameters.size(), "{} numbers for {} parameters", options_.numbers.size(), p_.parameters.size());
        for (size_t k = 0; k < p_.parameters.size(); ++k) {
            HostValue& v = value(p_.parameters[k]);
            v.kind = p_.scalars[p_.parameters[k].index].type.kind;
            if (v.kind == Type::Kind::F64) std::memcpy(&v.f64, &options_.numbers[k], 8);
            else v.i64 = options_.numbers[k];
        }
        block(p_.body);
        if (!options_.results) return;
        options_.results->clear();
        for (PlanScalar s : p_.results) {
            const HostValue& v = value(s);
            int64_t bits = v.i64;
            if (v.kind == Type::Kind::F64) std::memcpy(&bits, &v.f64, 8);
            options_.results->push_back(bits);
        }
    }

private:
    static HostValue constant(const ScalarDef& d) {
        HostValue v;
        v.kind = d.type.kind;
        if (const bool* b = std::get_if<bool>(&d.constant)) v.i64 = *b;
        if (const int64_t* i = std::get_if<int64_t>(&d.constant)) v.i64 = *i;
        if (const double* f = std::get_if<double>(&d.constant)) v.f64 = *f;
        if (const std::string* s = std::get_if<std::string>(&d.constant)) v.text = *s;
        return v;
    }
    unsigned char* pointer(PlanBuffer b) const {
        b = base_of(p_, b);
        const BufferDef& d = p_.buffers[b.index];
        switch (d.kind) {
            case BufferDef::Kind::Arena: return base_ + d.offset;
            case BufferDef::Kind::Constant:
                // Kernels and calls only read constants.
                return reinterpret_cast<unsigned char*>(const_cast<std::byte*>(p_.constants.at(static_cast<size_t>(d.offset))->bytes.data()));
            case BufferDef::Kind::Argument: return static_cast<unsigned char*>(options_.arguments.at(static_cast<size_t>(d.offset)));
            case BufferDef::Kind::Rotating: return pointers_[b.index];
        }
        SIFR_UNREACHABLE("kind");
    }
    HostValue& value(PlanScalar s) { return scalars_[s.index]; }
    static int32_t line(const PlanInst& i) {
        for (const Span& s : i.location) {
            if (s.known()) return static_cast<int32_t>(s.line);
        }
        return 0;
    }

    /// Steps are numbered as lifetime.h says; memory that dies behind a step is spoiled, so that a late read shows.
    void died(int64_t at) {
        auto it = dies_at_.find(at);
        if (it == dies_at_.end()) return;
        for (size_t b : it->second) std::memset(base_ + p_.buffers[b].offset, dead_memory, static_cast<size_t>(p_.buffers[b].bytes));
    }
    static int64_t steps(const PlanBlock& b) {
        int64_t n = 0;
        for (const PlanInst& i : b.insts) n += steps(i);
        return n;
    }
    static int64_t steps(const PlanInst& i) {
        int64_t n = 1;
        for (const PlanBlock& b : i.blocks) n += steps(b);
        return i.blocks.empty() ? n : n + 1;
    }
    void block(const PlanBlock& b) {
        for (const PlanInst& i : b.insts) {
            int64_t begin = now_;
            inst(i);
            now_ = begin + steps(i);
            died(i.blocks.empty() ? begin : now_ - 1);
        }
    }

    void inst(const PlanInst& i) {
        switch (i.kind) {
            case PlanInst::Kind::Launch: return launch(i);
            case PlanInst::Kind::Fill: {
                unsigned char* at = (i.buffers.size() != 1 ? base_ : pointer(i.buffers[0])) + i.begin;
                for (int64_t k = 0; k < i.size; ++k) at[k] = static_cast<unsigned char>(i.pattern >> (8 * (k % 8)));
                return;
            }
            case PlanInst::Kind::Copy: std::memmove(pointer(i.buffers[0]), pointer(i.buffers[1]), static_cast<size_t>(i.size)); return;
            case PlanInst::Kind::Item: return item(i);
            case PlanInst::Kind::Scalar: case PlanInst::Kind::Call: return call(i);
            case PlanInst::Kind::For: return for_loop(i);
            case PlanInst::Kind::While: return while_loop(i);
            case PlanInst::Kind::If: return branch(i);
            case PlanInst::Kind::Raise: return raise(i);
        }
    }

    [[noreturn]] static void raise_text(const std::string& type, const std::string& text, int32_t line) {
        sifr_raise(type.c_str(), {text.data(), static_cast<int64_t>(text.size())}, nullptr, line);
    }
    static std::string shown(const HostValue& v) {
        switch (v.kind) {
            case Type::Kind::I64: return HostValue::of(sifr_i64_str(v.i64)).text;
            case Type::Kind::F64: return HostValue::of(sifr_f64_str(v.f64)).text;
            case Type::Kind::Bool: return v.i64 != 0 ? "True" : "False";
            default: return v.text;
        }
    }
    static std::string filled(const std::string& text, const std::vector<std::string>& args) {
        std::string out;
        size_t next = 0;
        for (size_t k = 0; k < text.size(); ++k) {
            if (text.compare(k, 2, "{}") == 0 && next < args.size()) {
                out += args[next++];
                ++k;
            } else out += text[k];
        }
        return out;
    }
    void raise(const PlanInst& i) {
        std::vector<std::string> args;
        for (PlanScalar s : i.scalars) args.push_back(shown(value(s)));
        raise_text(i.attrs.get<std::string>("type"), filled(i.attrs.get_or<std::string>("text", ""), args), line(i));
    }
    void launch(const PlanInst& i) {
        const Kernel& k = p_.kernels.at(i.kernel.index);
        std::vector<void*> buffers;
        for (PlanBuffer b : i.buffers) buffers.push_back(pointer(b));
        std::vector<int64_t> scalars;
        for (PlanScalar s : i.scalars) {
            const HostValue& v = value(s);
            int64_t bits = v.i64;
            if (v.kind == Type::Kind::F64) std::memcpy(&bits, &v.f64, 8);
            scalars.push_back(bits);
        }
        KernelStatus status;
        interpret(k, buffers.data(), scalars.data(), &status);
        if (status.site < 0) return;
        const CheckSite& site = k.sites.at(static_cast<size_t>(status.site));
        raise_text(site.exception, filled(site.text, {std::to_string(status.value)}), site.location.empty() ? line(i) : static_cast<int32_t>(site.location[0].line));
    }
    void item(const PlanInst& i) {
        const BufferDef& d = p_.buffers[i.buffers[0].index];
        HostValue& out = value(i.results.at(0));
        out.kind = p_.scalars[i.results[0].index].type.kind;
        DType to = dtype_of_number(out.kind);
        ScalarValue v = cast_value(load_value(d.type, pointer(i.buffers[0]) + i.begin * size_of(d.type)), d.type, to);
        if (to == DType::F64) out.f64 = v.f64;
        else out.i64 = v.i64;
    }
    void call(const PlanInst& i) {
        std::string_view name = name_of(i.op);
        const HostRow* row = scalar_row(name);
        if (!row) row = string_row(name);
        if (!row) row = list_row(name);
        if (!row) row = tensor_row(name);
        if (!row) row = library_row(name);
        if (!row) throw NotSupported(fmt::format("'{}' in the plan interpreter", name));
        std::vector<HostValue> args;
        for (PlanScalar s : i.scalars) args.push_back(value(s));
        std::vector<sifr_tensor> tensors;
        std::vector<std::unique_ptr<Layout>> cut;
        for (PlanBuffer b : i.buffers) {
            const BufferDef& d = p_.buffers[b.index];
            tensors.push_back({pointer(b), static_cast<int32_t>(d.type), static_cast<int32_t>(d.sizes.size()), d.sizes.data(), nullptr});
            if (d.run_time_sizes.empty()) continue;
            cut.push_back(std::make_unique<Layout>(Layout::contiguous(d.sizes)));
            for (const BufferDef::RunTimeAxis& r : d.run_time_sizes) cut.back()->sizes[static_cast<size_t>(r.axis)] = value(r.size).i64;
            tensors.back().sizes = cut.back()->sizes.data();
            if (!cut.back()->is_contiguous()) tensors.back().strides = cut.back()->strides.data();
        }
        std::vector<Type> types;
        for (PlanScalar s : i.results) types.push_back(p_.scalars[s.index].type);
        int64_t mark = sifr_str_mark();
        std::vector<HostValue> results = (*row)(HostCall{i.op, args, tensors, i.attrs, types, line(i)});
        sifr_str_release(mark);
        SIFR_CHECK(results.size() == i.results.size(), "'{}' gave {} results, not {}", name, results.size(), i.results.size());
        for (size_t k = 0; k < results.size(); ++k) value(i.results[k]) = std::move(results[k]);
    }

    std::vector<HostValue> values(const std::vector<PlanScalar>& list, size_t skip = 0) {
        std::vector<HostValue> out;
        for (size_t k = skip; k < list.size(); ++k) out.push_back(value(list[k]));
        return out;
    }
    std::vector<unsigned char*> places(const std::vector<PlanBuffer>& list) const {
        std::vector<unsigned char*> out;
        for (PlanBuffer b : list) out.push_back(pointer(b));
        return out;
    }
    void bind(const std::vector<PlanScalar>& to, const std::vector<HostValue>& from) {
        for (size_t k = 0; k < to.size(); ++k) value(to[k]) = from[k];
    }
    void bind(const std::vector<PlanBuffer>& to, const std::vector<unsigned char*>& from) {
        for (size_t k = 0; k < to.size(); ++k) pointers_[to[k].index] = from[k];
    }

    void for_loop(const PlanInst& i) {
        int64_t lo = value(i.scalars[0]).i64, hi = value(i.scalars[1]).i64, step = value(i.scalars[2]).i64;
        auto carried = values(i.scalars, 3);
        auto memory = places(i.buffers);
        int64_t begin = now_;
        for (int64_t k = lo; step > 0 ? k < hi : k > hi; k += step) {
            bind(i.params, carried);
            bind(i.buffer_params, memory);
            value(i.induction) = HostValue::of(k);
            now_ = begin + 1;
            block(i.blocks[0]);
            carried = values(i.yields[0]);
            memory = places(i.buffer_yields[0]);
        }
        bind(i.results, carried);
        bind(i.buffer_results, memory);
        now_ = begin;
    }
    void while_loop(const PlanInst& i) {
        auto carried = values(i.scalars);
        auto memory = places(i.buffers);
        int64_t begin = now_;
        for (;;) {
            bind(i.params, carried);
            bind(i.buffer_params, memory);
            now_ = begin + 1;
            block(i.blocks[0]);
            if (value(i.yields[0][0]).i64 == 0) break;
            block(i.blocks[1]);
            carried = values(i.yields[1]);
            memory = places(i.buffer_yields[1]);
        }
        bind(i.results, carried);
        bind(i.buffer_results, memory);
        now_ = begin;
    }
    void branch(const PlanInst& i) {
        size_t arm = value(i.scalars[0]).i64 != 0 ? 0 : 1;
        int64_t begin = now_;
        now_ = begin + 1 + (arm == 1 ? steps(i.blocks[0]) : 0);
        block(i.blocks[arm]);
        auto scalars = values(i.yields[arm]);
        auto memory = places(i.buffer_yields[arm]);
        bind(i.results, scalars);
        bind(i.buffer_results, memory);
        now_ = begin;
    }

    const Plan& p_;
    const RunOptions& options_;
    Lifetimes life_;
    std::vector<unsigned char> arena_;
    unsigned char* base_ = nullptr;
    std::vector<unsigned char*> pointers_;
    std::vector<HostValue> scalars_;
    std::map<int64_t, std::vector<size_t>> dies_at_;
    int64_t now_ = 0;
};

}  // namespace

int interpret(const Plan& plan, const RunOptions& options) {
    std::vector<const char*> argv;
    for (const std::string& a : options.argv) argv.push_back(a.c_str());
    if (!argv.empty()) sifr_set_argv(static_cast<int32_t>(argv.size()), argv.data());
    Interpreter(plan, options).run();
    sifr_flush();
    return 0;
}

}  // namespace sifr
