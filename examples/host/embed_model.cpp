// A model that is written in PyTorch's words, inside of a C++ program: its script is loaded, its weights are the program's to set.
#include <cstdio>
#include <vector>

#include <sifr/sifr.h>

constexpr const char* script = R"(
import torch
import torch.nn as nn

class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))

    def forward(self, x):
        return torch.softmax(self.body(x), dim=1)

torch.manual_seed(0)
model = Classifier()

def classify(x):
    with torch.no_grad():
        p = model(x)
        return p, p.argmax(dim=1)
)";

int main() {
    sifr::Script model = sifr::load_string(script, "classifier.py");
    for (const std::string& name : model.state_names()) std::printf("%s\n", name.c_str());

    auto classify = model.function("classify");
    std::vector<float> x{1, 2, 3, 4, -1, 0.5F, 0.25F, 2};
    sifr::ScriptResult r = classify(sifr::from_blob(x.data(), {2, 4}));
    const float* p = r.tensor(0).data<float>();
    std::printf("the first row sums to %.3f\n", p[0] + p[1] + p[2]);
}
