// What is proved about a plan:
//  1. Ids are in range; every scalar is defined before it is used; every pointer (Rotating) is defined by a loop or an if around
//     or in front of its use.
//  2. Arena buffers lie inside the arena at multiples of 64, and two whose lives overlap do not overlap in memory. Lives are
//     computed here from the plan's text (lifetime.h), not taken from the planner.
//  3. What a loop hands on is a permutation: a pointer stands at one place of the back edge only, and memory that a slot gets has
//     the slot's size.
//  4. A launch gives each parameter of its kernel a buffer with enough bytes, does not write constants, and gives one place
//     of memory twice only to parameters that are read.
//  5. Kernels are valid.
// Not proved: that a place holds the value that the function meant.

#include <algorithm>
#include <set>

#include "ir/base/check.h"
#include "ir/plan/lifetime.h"
#include "ir/plan/plan.h"

namespace sifr {

namespace {

class Verifier {
public:
    explicit Verifier(const Plan& p) : p_(p), scalars_(p.scalars.size(), false), pointers_(p.buffers.size(), false) {
        for (size_t s = 0; s < p.scalars.size(); ++s)
            scalars_[s] = !std::holds_alternative<std::monostate>(p.scalars[s].constant) || (p.scalars[s].type.kind == Type::Kind::Optional && p.scalars[s].type.members.empty());
    }
    void run() {
        for (const Kernel& k : p_.kernels) verify(k);
        for (PlanScalar s : p_.parameters) define(s);
        block(p_.body);
        for (PlanScalar s : p_.results) use(s);
        memory();
    }

private:
    template <class... Args>
    void require(bool ok, fmt::format_string<Args...> text, Args&&... args) const {
        SIFR_CHECK(ok, "plan {}: {}\n{}", p_.name, fmt::format(text, std::forward<Args>(args)...), print(p_));
    }
    const BufferDef& def(PlanBuffer b) const {
        require(b.valid() && b.index < p_.buffers.size(), "a buffer that does not exist");
        return p_.buffers[b.index];
    }
    void use(PlanBuffer b) const {
        def(b);
        PlanBuffer base = base_of(p_, b);
        require(def(base).kind != BufferDef::Kind::Rotating || pointers_[base.index], "the pointer '{}' is used where it is not defined", def(base).name);
    }
    void use(PlanScalar s) const {
        require(s.valid() && s.index < p_.scalars.size(), "a scalar that does not exist");
        require(scalars_[s.index], "the scalar '{}' ({}) is used where it is not defined", p_.scalars[s.index].name, s.index);
    }
    void define(PlanScalar s) {
        require(s.valid() && s.index < p_.scalars.size(), "a scalar that does not exist");
        scalars_[s.index] = true;
    }
    void define(PlanBuffer b) {
        require(def(b).kind == BufferDef::Kind::Rotating, "'{}' is handed over and is no pointer", def(b).name);
        pointers_[b.index] = true;
    }
    void block(const PlanBlock& b) {
        for (const PlanInst& i : b.insts) inst(i);
    }
    /// What a block defines is not defined behind it.
    template <class Body>
    void scope(Body&& body) {
        auto scalars = scalars_;
        auto pointers = pointers_;
        body();
        scalars_ = std::move(scalars);
        pointers_ = std::move(pointers);
    }
    void yields(const PlanInst& i, size_t scalars_of, size_t buffers_of) {
        for (PlanScalar s : i.yields.at(scalars_of)) use(s);
        if (buffers_of >= i.buffer_yields.size()) return;
        std::set<PlanBuffer> seen;
        for (PlanBuffer b : i.buffer_yields[buffers_of]) {
            use(b);
            require(seen.insert(base_of(p_, b)).second, "'{}' is handed on twice", def(b).name);
        }
    }
    void same_bytes(PlanBuffer a, PlanBuffer b) const {
        require(def(a).bytes == def(b).bytes, "'{}' ({} bytes) takes the memory of '{}' ({} bytes)", def(a).name, def(a).bytes, def(b).name, def(b).bytes);
    }
    void loop(const PlanInst& i, size_t first_scalar) {
        require(i.scalars.size() == first_scalar + i.params.size() && i.results.size() == i.params.size(), "the scalars that a loop carries");
        require(i.buffers.size() == i.buffer_params.size() && i.buffer_results.size() == i.buffer_params.size() && i.buffer_yields.size() == i.blocks.size() &&
                    i.buffer_yields.back().size() == i.buffer_params.size(), "the buffers that a loop carries");
        for (size_t k = 0; k < i.buffers.size(); ++k) {
            same_bytes(i.buffer_params[k], i.buffers[k]);
            same_bytes(i.buffer_params[k], i.buffer_yields.back()[k]);
            same_bytes(i.buffer_results[k], i.buffer_params[k]);
        }
        for (PlanScalar s : i.params) define(s);
        for (PlanBuffer b : i.buffer_params) define(b);
    }
    void launch(const PlanInst& i) const {
        require(i.kernel.valid() && i.kernel.index < p_.kernels.size(), "a kernel that does not exist");
        const Kernel& k = p_.kernels[i.kernel.index];
        std::vector<const Buffer*> params;
        for (const Buffer& b : k.buffers) {
            if (!b.scratch) params.push_back(&b);
        }
        require(params.size() == i.buffers.size() && k.scalars.size() == i.scalars.size(), "the arguments of {}", k.name);
        std::set<PlanBuffer> written, all;
        for (size_t n = 0; n < params.size(); ++n) {
            const BufferDef& d = def(i.buffers[n]);
            require(d.bytes >= params[n]->extent * size_of(params[n]->type), "{} gets '{}' of {} bytes for {} elements", k.name, d.name, d.bytes, params[n]->extent);
            PlanBuffer base = base_of(p_, i.buffers[n]);
            bool writes = params[n]->access != Buffer::Access::Read;
            require(!writes || def(base).kind != BufferDef::Kind::Constant, "{} writes the constant '{}'", k.name, d.name);
            require(!(writes ? all.count(base) : written.count(base)), "{} writes '{}', which it gets twice", k.name, d.name);
            all.insert(base);
            if (writes) written.insert(base);
        }
    }
    void inst(const PlanInst& i) {
        for (PlanScalar s : i.scalars) use(s);
        for (PlanBuffer b : i.buffers) use(b);
        switch (i.kind) {
            case PlanInst::Kind::Launch: launch(i); break;
            case PlanInst::Kind::Copy:
                require(i.size <= def(i.buffers.at(0)).bytes && i.size <= def(i.buffers.at(1)).bytes, "a copy of too many bytes");
                break;
            case PlanInst::Kind::Fill:
                if (i.buffers.size() != 1) require(i.begin >= 0 && i.begin + i.size <= p_.arena_bytes, "a fill outside of the arena");
                else require(i.begin >= 0 && i.begin + i.size <= def(i.buffers[0]).bytes, "a fill outside of '{}'", def(i.buffers[0]).name);
                break;
            case PlanInst::Kind::Item: case PlanInst::Kind::Scalar: case PlanInst::Kind::Call: case PlanInst::Kind::Raise: break;
            case PlanInst::Kind::For:
                scope([&] {
                    loop(i, 3);
                    define(i.induction);
                    block(i.blocks.at(0));
                    yields(i, 0, 0);
                });
                break;
            case PlanInst::Kind::While:
                scope([&] {
                    loop(i, 0);
                    scope([&] {
                        block(i.blocks.at(0));
                        require(i.yields.at(0).size() == 1, "a condition of {} values", i.yields.at(0).size());
                        yields(i, 0, SIZE_MAX);
                    });
                    block(i.blocks.at(1));
                    yields(i, 1, 1);
                });
                break;
            case PlanInst::Kind::If:
                for (size_t arm = 0; arm < 2; ++arm) {
                    scope([&] {
                        block(i.blocks.at(arm));
                        yields(i, arm, arm);
                    });
                    require(i.yields[arm].size() == i.results.size() && i.buffer_yields.at(arm).size() == i.buffer_results.size(), "what an if yields");
                    for (size_t k = 0; k < i.buffer_results.size(); ++k) same_bytes(i.buffer_results[k], i.buffer_yields[arm][k]);
                }
                break;
        }
        for (PlanScalar s : i.results) define(s);
        for (PlanBuffer b : i.buffer_results) define(b);
    }
    void memory() const {
        Lifetimes life = lifetimes(p_);
        std::vector<size_t> arena;
        for (size_t b = 0; b < p_.buffers.size(); ++b) {
            const BufferDef& d = p_.buffers[b];
            if (d.kind != BufferDef::Kind::Arena || d.view_of.valid() || life.ranges[b].first < 0) continue;
            require(d.offset >= 0 && d.offset % 64 == 0 && d.offset + d.bytes <= p_.arena_bytes, "'{}' lies outside of the arena", d.name);
            arena.push_back(b);
        }
        std::sort(arena.begin(), arena.end(), [&](size_t a, size_t b) { return p_.buffers[a].offset < p_.buffers[b].offset; });
        for (size_t i = 0; i < arena.size(); ++i) {
            const BufferDef& a = p_.buffers[arena[i]];
            for (size_t j = i + 1; j < arena.size() && p_.buffers[arena[j]].offset < a.offset + a.bytes; ++j) {
                const auto &r = life.ranges[arena[i]], &s = life.ranges[arena[j]];
                require(r.last < s.first || s.last < r.first, "'{}' and '{}' live at the same time in the same memory", a.name, p_.buffers[arena[j]].name);
            }
        }
    }

    const Plan& p_;
    std::vector<bool> scalars_, pointers_;
};

}  // namespace

void verify(const Plan& plan) { Verifier(plan).run(); }

}  // namespace sifr
