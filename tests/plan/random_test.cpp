// Random small functions: functional, fused and planned, all give the same bits.

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "ir/func/builder.h"
#include "ir/interp/interp.h"
#include "ir/text/text.h"
#include "ir/verify/verify.h"
#include "passes/fusion/fuse.h"
#include "passes/memory/fuse_zero_fills.h"
#include "passes/memory/plan_memory.h"

namespace sifr {
namespace {

class Generator {
public:
    explicit Generator(uint32_t seed) : random_(seed) {}

    Function make() {
        Function f;
        f.facts.differentiated = f.facts.decomposed = true;
        std::vector<ValueId> values;
        for (int k = 0; k < 2 + pick(2); ++k) {
            Sizes s;
            for (int d = pick(4); d > 0; --d) s.push_back(extent());
            values.push_back(f.add_parameter(f.body, Type::tensor(DType::F32, s), "p" + std::to_string(k)));
        }
        region(f, f.body, values, 4 + pick(12), 2);
        for (int k = 1 + pick(3); k > 0; --k) f[f.body].results.push_back(values[values.size() - 1 - static_cast<size_t>(pick(static_cast<int>(std::min<size_t>(values.size(), 6))))]);
        return f;
    }

private:
    int pick(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }
    int64_t extent() {
        static constexpr int64_t extents[] = {1, 2, 3, 5, 17};
        return extents[pick(5)];
    }

    void region(Function& f, RegionId r, std::vector<ValueId>& values, int count, int depth) {
        Builder b(f, r, Location{Span{0, 1, 1, 1, 1}});
        for (; count > 0; --count) {
            ValueId v = values[static_cast<size_t>(pick(static_cast<int>(values.size())))];
            const Type t = f.type(v);
            switch (pick(13)) {
                case 0: case 1: values.push_back(b.emit(pick(2) ? "mul"_op : "sub"_op, {v, b.constant(0.5 + pick(3))})); break;
                case 2: values.push_back(b.emit("exp"_op, {b.emit("mul"_op, {v, b.constant(0.125)})})); break;
                case 3: case 4: {  // two of equal or broadcast sizes
                    ValueId w = values[static_cast<size_t>(pick(static_cast<int>(values.size())))];
                    try {
                        broadcast(t.sizes, f.type(w).sizes);
                    } catch (const ScriptError&) {
                        break;
                    }
                    values.push_back(b.emit(pick(2) ? "add"_op : "mul"_op, {v, w}));
                    break;
                }
                case 5: case 6: {
                    if (t.rank() == 0) break;
                    int64_t d = pick(t.rank());
                    ValueId s = b.emit("sum.dim"_op, {v}, attrs({{"dim", std::vector<int64_t>{d}}, {"keepdim", true}}));
                    values.push_back(s);
                    values.push_back(b.emit(pick(2) ? "sub"_op : "mul"_op, {v, s}));
                    break;
                }
                case 7:
                    values.push_back(b.emit("sum"_op, {v}));
                    break;
                case 8: {  // a slice with steps
                    Layout l = Layout::contiguous(t.sizes);
                    for (size_t d = 0; d < l.sizes.size(); ++d) {
                        if (l.sizes[d] < 2 || pick(2)) continue;
                        int64_t start = pick(static_cast<int>(l.sizes[d])), step = 1 + pick(2);
                        l.offset += start * l.strides[d];
                        l.sizes[d] = (l.sizes[d] - start + step - 1) / step;
                        l.strides[d] *= step;
                    }
                    values.push_back(b.extract(v, l));
                    break;
                }
                case 9: {
                    std::vector<int> axes;
                    for (int d = 0; d < t.rank(); ++d) axes.push_back(d);
                    std::shuffle(axes.begin(), axes.end(), random_);
                    ValueId p = pick(2) ? b.permute(v, axes) : b.reshape(v, {t.numel()});
                    values.push_back(p);
                    break;
                }
                case 10: {  // a write of a part
                    Layout l = Layout::contiguous(t.sizes);
                    for (size_t d = 0; d < l.sizes.size(); ++d) {
                        if (l.sizes[d] < 3) continue;
                        l.offset += l.strides[d];
                        l.sizes[d] -= 1 + pick(2);
                    }
                    ValueId piece = pick(2) ? b.extract(v, shifted(l, t.sizes)) : b.full(DType::F32, l.sizes, 2.5);
                    if (pick(2)) piece = b.emit("add"_op, {piece, b.constant(1.0)});
                    ValueId base = pick(4) == 0 ? b.full(DType::F32, t.sizes, 0.0) : v;
                    if (l.is_whole(t.sizes)) break;
                    values.push_back(b.insert(base, l, piece));
                    break;
                }
                case 11: {
                    if (depth == 0) break;
                    // A loop that carries two values of one type.
                    ValueId w = b.emit("mul"_op, {v, b.constant(0.5)});
                    InstId loop = b.emit_typed("for"_op, {b.constant_int(0), b.constant_int(pick(4)), b.constant_int(1), v, w}, {}, {t, t});
                    RegionId body = b.add_region(loop);
                    f.add_parameter(body, Type::i64(), "i");
                    std::vector<ValueId> inner = values;
                    inner.push_back(f.add_parameter(body, t, "a"));
                    inner.push_back(f.add_parameter(body, t, "c"));
                    ValueId a = inner[inner.size() - 2], c = inner.back();
                    region(f, body, inner, 1 + pick(5), depth - 1);
                    std::vector<ValueId> same;
                    for (ValueId x : inner) {
                        if (f.type(x) == t) same.push_back(x);
                    }
                    f[body].results = {same[same.size() - 1 - static_cast<size_t>(pick(static_cast<int>(std::min<size_t>(3, same.size()))))],
                                       pick(2) ? a : pick(2) ? c : same[static_cast<size_t>(pick(static_cast<int>(same.size())))]};
                    std::vector<ValueId> results = f[loop].results;
                    values.insert(values.end(), results.begin(), results.end());
                    break;
                }
                case 12: {
                    if (depth == 0 || t.numel() == 0) break;
                    ValueId total = b.emit("sum"_op, {v});
                    InstId item = b.emit_typed("item"_op, {total}, {}, {Type::f64()});
                    ValueId positive = b.emit("fgt"_op, {f[item].results[0], b.constant(0.0)});
                    InstId branch = b.emit_typed("if"_op, {positive}, {}, {t});
                    for (int arm = 0; arm < 2; ++arm) {
                        RegionId body = b.add_region(branch);
                        std::vector<ValueId> inner = values;
                        region(f, body, inner, pick(4), depth - 1);
                        ValueId out = v;
                        for (ValueId x : inner) {
                            if (f.type(x) == t && pick(2)) out = x;
                        }
                        f[body].results = {out};
                    }
                    values.push_back(f[branch].results[0]);
                    break;
                }
            }
        }
    }
    Layout shifted(Layout l, const Sizes& frame) {
        Strides s = contiguous_strides(frame);
        for (size_t d = 0; d < frame.size(); ++d) {
            if (l.sizes[d] < frame[d] && pick(2)) l.offset -= s[d];
        }
        return l;
    }
    std::mt19937 random_;
};

std::vector<RunTensor> arguments(const Function& f, uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<RunTensor> out;
    for (ValueId p : f[f.body].params) {
        RunTensor t = RunTensor::make(f.type(p).dtype, f.type(p).sizes);
        for (int64_t i = 0; i < t.numel(); ++i) {
            ScalarValue v;
            v.f32 = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 512.0f;
            t.store(i, v);
        }
        out.push_back(t);
    }
    return out;
}

std::string bytes_of(const RunTensor& t) {
    RunTensor p = t.packed();
    return std::string(reinterpret_cast<const char*>(p.at(p.layout.offset)), static_cast<size_t>(p.numel() * size_of(p.dtype)));
}

std::vector<std::string> evaluated(const Function& f, Stage stage, const std::vector<RunTensor>& arguments) {
    std::vector<RunValue> in;
    for (const RunTensor& t : arguments) in.push_back(t.copied());
    std::vector<std::string> out;
    for (const RunValue& v : evaluate(f, stage, std::move(in))) out.push_back(bytes_of(std::get<RunTensor>(v)));
    return out;
}

std::vector<std::string> planned(const Plan& plan, const Function& f, const std::vector<RunTensor>& arguments) {
    RunOptions options;
    std::vector<RunTensor> copies;
    for (const RunTensor& t : arguments) copies.push_back(t.copied());
    for (RunTensor& t : copies) options.arguments.push_back(t.at(0));
    std::vector<std::string> out;
    for (ValueId r : f[f.body].results) out.emplace_back(static_cast<size_t>(f.type(r).bytes()), '\0');
    for (std::string& s : out) options.arguments.push_back(s.data());
    interpret(plan, options);
    return out;
}

class Random : public ::testing::TestWithParam<uint32_t> {};

TEST_P(Random, FunctionalFusedAndPlanGiveTheSameBits) {
    for (uint32_t k = 0; k < 40; ++k) {
        uint32_t seed = GetParam() * 1000 + k;
        Function made = Generator(seed).make();
        Functional functional(std::move(made));
        verify(functional, "the generator");
        SCOPED_TRACE(fmt::format("seed {}\n{}", seed, print(functional)));
        std::vector<RunTensor> in = arguments(functional.function, seed);
        std::vector<std::string> expected = evaluated(functional.function, Stage::Functional, in);
        PassContext context;
        Fused fused = fuse(functional, context);
        verify(fused, "fuse");
        ASSERT_EQ(evaluated(fused.function, Stage::Fused, in), expected) << print(fused);
        Plan plan = plan_memory(fused, context);
        verify(plan);
        ASSERT_EQ(planned(plan, functional.function, in), expected) << print(plan);
        fuse_zero_fills(plan, context);
        verify(plan);
        ASSERT_EQ(planned(plan, functional.function, in), expected) << print(plan);
        SourceFile text("plan.sifr", print(plan));
        Plan again = parse_plan(text);
        ASSERT_EQ(print(again), text.text());
    }
}
INSTANTIATE_TEST_SUITE_P(Plan, Random, ::testing::Range(0u, 8u));

}  // namespace
}  // namespace sifr
