#include <cstdio>
#include <memory>

#include <shared_model.h>

int main() {
    shared_model_options options{};
    options.struct_size = sizeof options;
    const std::unique_ptr<shared_model_context, decltype(&shared_model_context_free)> context(shared_model_context_new(&options), &shared_model_context_free);
    const float x[] = {1, 0, 0, 0, 1, 1};
    float p[2];
    if (shared_model_predict(context.get(), x, p) != 0) return 1;
    std::printf("predicted %g %g\n", p[0], p[1]);
}
