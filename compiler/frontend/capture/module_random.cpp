// The Mersenne Twister behind Python's `random` (Matsumoto and Nishimura, "Mersenne Twister: a 623-dimensionally
// equidistributed uniform pseudo-random number generator", 1998). Its numbers are known while compiling; so a seed must be.
#include <array>

#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"
#include "compiler/frontend/capture/operators.h"
#include "compiler/frontend/capture/protocol.h"

namespace sifr::capture {

namespace {

class MersenneTwister {
public:
    void seed(uint32_t s) {
        state_[0] = s;
        for (uint32_t i = 1; i < size; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) + i;
        position_ = size;
    }
    void seed(const std::vector<uint32_t>& key) {
        seed(19650218u);
        size_t i = 1, j = 0;
        for (size_t k = std::max<size_t>(size, key.size()); k > 0; --k) {
            state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525u)) + key[j] + static_cast<uint32_t>(j);
            advance(i);
            if (++j == key.size()) j = 0;
        }
        for (size_t k = size - 1; k > 0; --k) {
            state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941u)) - static_cast<uint32_t>(i);
            advance(i);
        }
        state_[0] = 0x80000000u;
    }
    uint32_t next() {
        if (position_ == size) refill();
        uint32_t y = state_[position_++];
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c5680u;
        y ^= (y << 15) & 0xefc60000u;
        return y ^ (y >> 18);
    }
    bool operator==(const MersenneTwister&) const = default;

private:
    static constexpr size_t size = 624;
    void advance(size_t& i) {
        if (++i < size) return;
        state_[0] = state_[size - 1];
        i = 1;
    }
    void refill() {
        for (size_t k = 0; k < size; ++k) {
            uint32_t y = (state_[k] & 0x80000000u) | (state_[(k + 1) % size] & 0x7fffffffu);
            state_[k] = state_[(k + 397) % size] ^ (y >> 1) ^ ((y & 1) ? 0x9908b0dfu : 0u);
        }
        position_ = 0;
    }
    std::array<uint32_t, size> state_{};
    size_t position_ = size;
};

struct GeneratorObject : NativeObjectOf<GeneratorObject> {
    using NativeObjectOf::NativeObjectOf;
    MersenneTwister twister;
    bool seeded = false;
    /// Passes of a rolled loop would all draw the same numbers.
    [[nodiscard]] bool same_structure(const Object& o) const override {
        const auto& g = static_cast<const GeneratorObject&>(o);
        return seeded == g.seeded && twister == g.twister;
    }
};

GeneratorObject& changed(Interpreter& in, PyValue v) { return in.heap().change(static_cast<const GeneratorObject*>(v.object())); }

GeneratorObject& drawing(Interpreter& in, PyValue v) {
    GeneratorObject& g = changed(in, v);
    if (!g.seeded) throw NotSupported("numbers of `random` without a seed", "call `random.seed(0)` first");
    return g;
}

/// The seed's digits in base 2**32, lowest first.
std::vector<uint32_t> digits(Interpreter& in, PyValue seed) {
    BigInt n;
    if (seed.is(Kind::Int) || seed.is(Kind::Bool) || seed.is(Kind::BigInt))
        n = to_big(seed);
    else if (seed.is_dynamic())
        in.need_static(seed, "a seed of `random`");
    else
        throw NotSupported(fmt::format("random.seed() of type '{}'", in.type_name(seed)), "seed it with an int");
    if (n.is_negative()) n = -n;
    std::vector<uint32_t> key;
    do {
        key.push_back(static_cast<uint32_t>(n.to_int64()));
        n = n.shift_right(32);
    } while (!n.is_zero());
    return key;
}

}  // namespace

void bind_mersenne_twister(Interpreter& in, const ModuleObject* m) {
    static Protocol protocol;
    ClassObject* cls = in.add_class("_Generator", "random", nullptr, &protocol);
    cls->construct = [cls](Interpreter& i, Args&) { return PyValue(i.heap().make<GeneratorObject>(cls)); };
    in.add_method(cls, "seed", [](Interpreter& i, Args& args) {
        GeneratorObject& g = changed(i, args[0]);
        g.seeded = !args[1].is_none();
        if (g.seeded) g.twister.seed(digits(i, args[1]));
        return PyValue::none();
    });
    in.add_method(cls, "random", [](Interpreter& i, Args& args) {
        MersenneTwister& t = drawing(i, args[0]).twister;
        uint32_t high = t.next() >> 5, low = t.next() >> 6;
        return PyValue::real((high * 67108864.0 + low) * (1.0 / 9007199254740992.0));
    });
    in.add_method(cls, "getrandbits", [](Interpreter& i, Args& args) {
        int64_t bits = i.need_int(args[1], "a number of bits");
        if (bits < 0) i.raise_error("ValueError", "number of bits must be non-negative");
        MersenneTwister& t = drawing(i, args[0]).twister;
        BigInt n;
        for (uint64_t at = 0; bits > 0; bits -= 32, at += 32) {
            uint32_t word = t.next();
            if (bits < 32) word >>= 32 - bits;
            n = n + BigInt(static_cast<int64_t>(word)).shift_left(at);
        }
        return i.integer(n);
    });
    in.add_method(cls, "getstate", [](Interpreter& i, Args& args) {
        return PyValue(i.heap().make<GeneratorObject>(*static_cast<const GeneratorObject*>(args[0].object())));
    });
    in.add_method(cls, "setstate", [](Interpreter& i, Args& args) {
        if (!args[1].is(Kind::Native)) i.raise_error("TypeError", "a state of getstate() was expected");
        const auto& from = *static_cast<const GeneratorObject*>(args[1].object());
        GeneratorObject& g = changed(i, args[0]);
        g.twister = from.twister;
        g.seeded = from.seeded;
        return PyValue::none();
    });
    in.set_global(m, "_Generator", cls);
}

}  // namespace sifr::capture
