// A training loop's plan is that of one step, however many steps there are.

#include <algorithm>
#include <functional>

#include "compiler/compile.h"
#include "tests/support/golden.h"

namespace sifr {
namespace {

namespace fs = std::filesystem;

Plan plan_of(const std::string& name, const std::string& text) {
    Compilation c;
    CompileOptions options;
    options.capture.script_path = name;
    options.passes.stop_at = "plan";
    compile(c, name, text, options);
    return std::get<Plan>(std::move(*c.program));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

struct Counts {
    size_t steps = 0, kernels = 0, buffers = 0;
    int64_t arena = 0;
    bool operator==(const Counts&) const = default;
};

Counts count(const Plan& plan) {
    Counts out{0, plan.kernels.size(), plan.buffers.size(), plan.arena_bytes};
    std::function<void(const PlanBlock&)> block = [&](const PlanBlock& b) {
        out.steps += b.insts.size();
        for (const PlanInst& i : b.insts)
            for (const PlanBlock& inner : i.blocks) block(inner);
    };
    block(plan.body);
    return out;
}

TEST(TrainingPlan, HasTheSameSizeForTenAndTenThousandEpochs) {
    std::string script = test::read_file(fs::path(SIFR_TEST_DIR).parent_path() / "examples" / "train_mlp.py");
    Counts ten = count(plan_of("train.py", replaced(script, "range(1, 201)", "range(1, 11)")));
    Counts many = count(plan_of("train.py", replaced(script, "range(1, 201)", "range(1, 10001)")));
    EXPECT_GT(ten.kernels, 10u);
    EXPECT_TRUE(ten == many) << ten.steps << " and " << many.steps << " steps, " << ten.kernels << " and " << many.kernels << " kernels, " << ten.arena << " and " << many.arena << " bytes";
}

TEST(TrainingPlan, TheFirstStepIsOneLikeTheOthers) {
    for (const char* optimizer : {"SGD(p, lr=0.1)", "SGD(p, lr=0.1, momentum=0.9)", "Adam(p, lr=0.1)", "AdamW(p, lr=0.1, amsgrad=True)", "RMSprop(p, momentum=0.9)", "NAdam(p)", "Rprop(p)"}) {
        Compilation c;
        CompileOptions options;
        options.passes.stop_at = "functional";
        compile(c, "train.py", replaced(R"(import torch
w = torch.nn.Parameter(torch.ones(4))
p = [w]
optimizer = torch.optim.OPTIMIZER
for i in range(100):
    optimizer.zero_grad()
    (w * w).sum().backward()
    optimizer.step()
print(w)
)", "OPTIMIZER", optimizer), options);
        const auto loop = std::ranges::find(c.loops, 100, &capture::LoopReport::trip_count);
        ASSERT_NE(loop, c.loops.end()) << optimizer;
        EXPECT_EQ(loop->verdict, capture::LoopReport::Verdict::Rolled) << optimizer;
        EXPECT_EQ(loop->peeled, 0) << optimizer << ": " << loop->reason;
    }
}

}  // namespace
}  // namespace sifr
