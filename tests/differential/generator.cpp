#include "tests/differential/generator.h"

#include "tests/differential/statements.h"

namespace sifr::test {

GeneratedProgram generate_program(uint64_t seed) {
    Writer w(seed);
    Statements s(w);
    w.line({"import torch"});
    w.line({"import torch.nn.functional as F"});
    w.line({"torch.manual_seed({})", w.pick(100)});
    s.tensor();
    s.tensor();
    if (w.chance(55)) s.leaf();
    s.some(4 + w.pick(9));
    if (w.chance(45)) s.backward();
    if (w.chance(30)) s.some(1 + w.pick(3));
    // What is left is shown, so that nothing above is for nothing.
    std::vector<Variable> last = w.variables;
    for (const Variable& v : last)
        if (w.chance(60)) s.show(v);
    return w.take();
}

}  // namespace sifr::test
