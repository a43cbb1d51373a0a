#include <cmath>
#include <cstring>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "ir/base/diagnostic.h"
#include "ir/interp/interp.h"
#include "ir/op/vjp.h"
#include "tests/ops/cases.h"

// Each row's gradient against central differences, and its shape rule against what the interpreter computes.

namespace sifr::test {
namespace {

struct Operand {
    Type type;
    RunValue value;
    ScalarConstant constant;
    bool is_constant = false;
    bool differentiable = false;
};

Operand make_operand(std::string text, std::mt19937_64& draw) {
    Operand o;
    if (text == "none") {
        o.is_constant = true;
        return o;
    }
    bool no_gradient = text.starts_with("n:");
    if (no_gradient) text = text.substr(2);
    size_t colon = text.find(':');
    if (colon == std::string::npos) {
        o.is_constant = true;
        if (text.find('.') == std::string::npos) o.constant = static_cast<int64_t>(std::stoll(text));
        else o.constant = std::stod(text);
        return o;
    }
    std::string kind = text.substr(0, colon), shape = text.substr(colon + 1);
    int64_t below = 0;
    if (size_t lt = shape.find('<'); lt != std::string::npos) {
        below = std::stoll(shape.substr(lt + 1));
        shape = shape.substr(0, lt);
    }
    Sizes sizes;
    for (size_t at = 0; at < shape.size();) {
        size_t next = shape.find('x', at);
        sizes.push_back(std::stoll(shape.substr(at, next - at)));
        at = next == std::string::npos ? shape.size() : next + 1;
    }
    DType dtype = kind == "i" ? DType::I64 : kind == "b" ? DType::Bool : DType::F64;
    if (kind == "spd") sizes = {sizes[0], sizes[0]};
    RunTensor t = RunTensor::make(dtype, sizes);
    std::uniform_real_distribution<double> unit(0.1, 0.9);
    for (int64_t k = 0; k < t.numel(); ++k) {
        ScalarValue v;
        if (kind == "i") v.i64 = static_cast<int64_t>(draw() % static_cast<uint64_t>(below));
        else if (kind == "b") v.i64 = static_cast<int64_t>(draw() & 1);
        else if (kind == "f") v.f64 = unit(draw);
        else v.f64 = (draw() & 1 ? 1 : -1) * unit(draw);
        t.store(k, v);
    }
    if (kind == "spd") {
        // Symmetric, with a heavy diagonal. Differences move single elements, which the rows read from one triangle or both.
        int64_t n = sizes[0];
        for (int64_t i = 0; i < n; ++i)
            for (int64_t j = 0; j <= i; ++j) {
                ScalarValue v = t.load(i * n + j);
                if (i == j) v.f64 = 3 + std::fabs(v.f64);
                t.store(i * n + j, v);
                t.store(j * n + i, v);
            }
    }
    o.type = Type::tensor(dtype, sizes);
    o.value = std::move(t);
    o.differentiable = dtype == DType::F64 && !no_gradient;
    return o;
}

/// The operands as parameters (or constants) of a new function.
struct Call {
    Function f;
    std::vector<ValueId> operands;
    std::vector<RunValue> arguments;
};
Call start(const std::vector<Operand>& operands) {
    Call c;
    for (const Operand& o : operands) {
        if (o.is_constant) {
            c.operands.push_back(c.f.add_constant(o.constant));
        } else {
            c.operands.push_back(c.f.add_parameter(c.f.body, o.type));
            c.arguments.push_back(o.value);
        }
    }
    return c;
}

double at(const RunValue& v, int64_t k) { return std::get<RunTensor>(v).packed().load(std::get<RunTensor>(v).packed().layout.offset + k).f64; }

/// Weights that make one number of all floating results.
double weight(size_t result, int64_t k) { return std::sin(1.0 + static_cast<double>(result) * 7 + static_cast<double>(k) * 1.7); }

std::vector<RunValue> run(const Case& test, const std::vector<Operand>& operands, std::vector<Type>* types = nullptr) {
    Call c = start(operands);
    Builder b(c.f, c.f.body, {});
    std::vector<ValueId> results = b.emit_all(*op_named(test.row), c.operands, test.attributes);
    c.f[c.f.body].results = results;
    if (types)
        for (ValueId r : results) types->push_back(c.f.type(r));
    return evaluate(c.f, Stage::Functional, c.arguments);
}

double loss(const Case& test, const std::vector<Operand>& operands) {
    std::vector<RunValue> results = run(test, operands);
    double total = 0;
    for (size_t r = 0; r < results.size(); ++r) {
        const auto* t = std::get_if<RunTensor>(&results[r]);
        if (!t || t->dtype != DType::F64) continue;
        for (int64_t k = 0; k < t->numel(); ++k) total += weight(r, k) * at(results[r], k);
    }
    return total;
}

std::vector<RunValue> gradient(const Case& test, const std::vector<Operand>& operands, std::vector<size_t>& of) {
    Call c = start(operands);
    Builder b(c.f, c.f.body, {});
    Op op = *op_named(test.row);
    std::vector<ValueId> results = b.emit_all(op, c.operands, test.attributes);
    Inst inst = *c.f.producer(results[0]);
    std::vector<ValueId> grads;
    for (size_t r = 0; r < results.size(); ++r) {
        const Type t = c.f.type(results[r]);
        if (!t.is_tensor() || t.dtype != DType::F64) {
            grads.emplace_back();
            continue;
        }
        RunTensor g = RunTensor::make(t.dtype, t.sizes);
        for (int64_t k = 0; k < g.numel(); ++k) {
            ScalarValue v;
            v.f64 = weight(r, k);
            g.store(k, v);
        }
        grads.push_back(c.f.add_parameter(c.f.body, t));
        c.arguments.push_back(std::move(g));
    }
    std::vector<bool> needs;
    for (const Operand& o : operands) needs.push_back(o.differentiable);
    Vjp vjp(b, inst, grads, needs);
    std::vector<ValueId> out = def(op).vjp(vjp);
    for (size_t k = 0; k < operands.size(); ++k) {
        if (!operands[k].differentiable) continue;
        EXPECT_LT(k, out.size()) << test.row;
        if (k >= out.size() || !out[k].valid()) continue;
        EXPECT_EQ(c.f.type(out[k]).text(), operands[k].type.text()) << test.row << ", operand " << k;
        c.f[c.f.body].results.push_back(out[k]);
        of.push_back(k);
    }
    return evaluate(c.f, Stage::Functional, c.arguments);
}

class Rows : public testing::TestWithParam<size_t> {};

TEST_P(Rows, GradientIsTheSlopeAndTypesAreAsInferred) {
    const Case& test = cases()[GetParam()];
    std::mt19937_64 draw(GetParam() + 11);
    std::vector<Operand> operands;
    for (const std::string& text : test.operands) operands.push_back(make_operand(text, draw));

    std::vector<Type> types;
    std::vector<RunValue> results = run(test, operands, &types);
    ASSERT_EQ(results.size(), types.size());
    for (size_t r = 0; r < results.size(); ++r) {
        if (!types[r].is_tensor()) continue;
        const auto& t = std::get<RunTensor>(results[r]);
        EXPECT_EQ(t.sizes(), types[r].sizes) << test.row;
        EXPECT_EQ(name_of(t.dtype), name_of(types[r].dtype)) << test.row;
    }

    if (!def(*op_named(test.row)).vjp) return;
    std::vector<size_t> of;
    std::vector<RunValue> grads = gradient(test, operands, of);
    ASSERT_EQ(grads.size(), of.size());
    for (size_t g = 0; g < of.size(); ++g) {
        Operand& o = operands[of[g]];
        const RunTensor original = std::get<RunTensor>(o.value).copied();
        for (int64_t k = 0; k < original.numel(); ++k) {
            constexpr double h = 1e-6;
            double side[2];
            for (int s = 0; s < 2; ++s) {
                RunTensor moved = original.copied();
                ScalarValue v = original.load(k);
                v.f64 += s ? h : -h;
                moved.store(k, v);
                // A symmetric operand moves at both places.
                int64_t n = original.sizes().empty() ? 0 : original.sizes().back();
                if (test.operands[of[g]].starts_with("spd") && k / n != k % n) moved.store(k % n * n + k / n, v);
                o.value = std::move(moved);
                side[s] = loss(test, operands);
            }
            double slope = (side[1] - side[0]) / (2 * h), got = at(grads[g], k);
            if (test.operands[of[g]].starts_with("spd")) {
                int64_t n = original.sizes().back();
                if (k / n != k % n) got += at(grads[g], k % n * n + k / n);
            }
            EXPECT_NEAR(got, slope, 1e-5 * std::max(1.0, std::fabs(slope))) << test.row << ", operand " << of[g] << ", element " << k;
        }
        o.value = original;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Rows, testing::Range<size_t>(0, cases().size()), [](const auto& info) {
    std::string name = cases()[info.param].row;
    for (char& c : name)
        if (c == '.') c = '_';
    return fmt::format("{}_{}", name, info.param);
});

TEST(RowsTable, EveryRowWithAGradientHasACase) {
    std::set<std::string_view> covered;
    for (const Case& c : cases()) covered.insert(c.row);
    // Memory, draws and results of run-time size have tests of their own; acosh needs operands beyond 1.
    std::set<std::string_view> elsewhere = {"extract", "insert", "insert_add", "masked_select", "acosh", "unsafe_view", "rrelu_with_noise", "to_bound", "to_size"};
    for (Op op : all_ops()) {
        if (def(op).vjp && !covered.contains(name_of(op)) && !elsewhere.contains(name_of(op))) ADD_FAILURE() << "no case for " << name_of(op);
    }
}

}  // namespace
}  // namespace sifr::test
