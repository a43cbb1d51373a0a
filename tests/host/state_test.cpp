// What a loaded script keeps is saved and taken back: elements and numbers, by the script that saved them, by one that has just been loaded,
// and by one that has gone on to something else.

#include <sifr/sifr.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace {

using sifr::Script;

const std::string head = R"(
import torch
import torch.nn as nn
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
)";
const std::string body = R"(
def step(x, y):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()
)";

struct Case {
    const char* name;
    std::string text;
};
const Case cases[] = {
    {"Sgd", head + "optimizer = torch.optim.SGD(model.parameters(), lr=0.05)" + body},
    {"Momentum", head + "optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)" + body},
    {"Adam", head + "optimizer = torch.optim.Adam(model.parameters(), lr=0.05)" + body},
    {"AdamW", head + "optimizer = torch.optim.AdamW(model.parameters(), lr=0.05, amsgrad=True)" + body},
    {"Groups", head + "optimizer = torch.optim.RMSprop([{'params': model[0].parameters(), 'lr': 0.01}, {'params': model[2].parameters()}], lr=0.05)" + body},
    {"Schedule", head + R"(
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
def step(x, y):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    scheduler.step()
    return loss.item()
)"},
    {"BufferAndCounter", head + R"(
norm = nn.BatchNorm1d(3)
optimizer = torch.optim.Adam(list(model.parameters()) + list(norm.parameters()), lr=0.05)
steps = 0
best = 1000.0
seen = False
def step(x, y):
    global steps, best, seen
    optimizer.zero_grad()
    loss = ((model(norm(x)) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    steps += 1
    best = min(best, loss.item())
    return loss.item() + best + steps
)"},
    {"Average", head + R"(
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
average = None
def step(x, y):
    global average
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    w = model[0].weight.detach()
    average = w.clone() if average is None else average * 0.5 + w * 0.5
    return loss.item() + average.sum().item()
)"},
};

class State : public ::testing::TestWithParam<Case> {
protected:
    State() : file_((std::filesystem::temp_directory_path() / (std::string("sifr-state-") + GetParam().name)).string()) {
        for (size_t k = 0; k < x_.size(); ++k) x_[k] = static_cast<float>((k * 7) % 5) - 2;
        for (size_t k = 0; k < y_.size(); ++k) y_[k] = 2 * x_[3 * k] - x_[3 * k + 1] + 0.5F;
    }
    ~State() override { std::filesystem::remove(file_); }

    static Script loaded() { return sifr::load_string(GetParam().text, "train.py"); }
    std::vector<double> run(const Script& s, int times) {
        auto step = s.function("step");
        std::vector<double> out;
        for (int k = 0; k < times; ++k) out.push_back(step(sifr::from_blob(x_.data(), {8, 3}), sifr::from_blob(y_.data(), {8, 1})).number<double>());
        return out;
    }

    std::string file_;
    std::vector<float> x_ = std::vector<float>(24), y_ = std::vector<float>(8);
};

TEST_P(State, IsTakenBackByTheScriptThatSavedIt) {
    const Script s = loaded();
    run(s, 3);
    s.save(file_);
    const std::vector<double> expected = run(s, 4);
    s.restore(file_);
    EXPECT_EQ(run(s, 4), expected);
    s.restore(file_);
    EXPECT_EQ(run(s, 4), expected);
}

TEST_P(State, IsTakenOverByAScriptThatHasDoneNothing) {
    const Script s = loaded();
    run(s, 3);
    s.save(file_);
    const std::vector<double> expected = run(s, 4);
    const Script fresh = loaded();
    fresh.restore(file_);
    EXPECT_EQ(fresh.state_names(), s.state_names());
    EXPECT_EQ(run(fresh, 4), expected);
}

TEST_P(State, OfTheBeginningIsReachedAgain) {
    const Script s = loaded();
    s.save(file_);
    const std::vector<double> expected = run(s, 4);
    s.restore(file_);
    EXPECT_EQ(run(s, 4), expected);
}

TEST_P(State, IsTheSameFileEachTime) {
    const Script a = loaded(), b = loaded();
    run(a, 2);
    run(b, 2);
    a.save(file_);
    b.save(file_ + ".b");
    const auto text = [](const std::string& path) {
        std::ifstream f(path, std::ios::binary);
        return std::string((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>());
    };
    EXPECT_EQ(text(file_), text(file_ + ".b"));
    std::filesystem::remove(file_ + ".b");
    for (const std::string& name : a.state_names()) EXPECT_EQ(name.find("_slots"), std::string::npos) << name;
}

INSTANTIATE_TEST_SUITE_P(Scripts, State, ::testing::ValuesIn(cases), [](const auto& info) { return std::string(info.param.name); });

TEST(StateNames, AreThoseOfTheVariables) {
    const Script s = sifr::load_string(cases[2].text, "train.py");
    const std::vector<std::string> expected{"model.0.weight", "model.0.bias", "model.2.weight", "model.2.bias"};
    const std::vector<std::string> names = s.state_names();
    ASSERT_GE(names.size(), 5U);
    EXPECT_EQ(std::vector<std::string>(names.begin(), names.begin() + 4), expected);
    EXPECT_EQ(names[4].rfind("optimizer.state[0]", 0), 0U) << names[4];
}

}  // namespace
