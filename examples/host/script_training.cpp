// A training step that is a script: module, optimizer and counter live in the loaded script between calls; the program saves them, spoils
// them, and takes them back.
#include <cstdio>
#include <filesystem>
#include <vector>

#include <sifr/sifr.h>

constexpr const char* script = R"(
import torch

torch.manual_seed(1)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
steps = 0

def step(x, y):
    global steps
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
    steps += 1
    return loss.item(), steps
)";

int main() {
    sifr::Script training = sifr::load_string(script, "training.py");
    auto step = training.function("step");
    std::vector<float> x{1, 0, 0, 1, 1, 1, 1, -1}, y{2, -3, -1, 5};
    auto train = [&](int times) {
        double loss = 0;
        for (int k = 0; k < times; ++k) loss = step(sifr::from_blob(x.data(), {4, 2}), sifr::from_blob(y.data(), {4, 1})).number<double>(0);
        return loss;
    };
    const double early = train(3);
    const double late = train(197);
    std::printf("%s\n", late < 1e-3 * early ? "learnt" : "not learnt");

    const std::string file = (std::filesystem::temp_directory_path() / "training.safetensors").string();
    training.save(file);
    training.state("model.weight").at<float>({0, 0}) = 100;
    std::printf("spoilt: %s\n", train(1) > 1 ? "yes" : "no");
    training.restore(file);
    std::printf("taken back: %s\n", train(1) < 1e-3 * early ? "yes" : "no");
    std::filesystem::remove(file);
}
