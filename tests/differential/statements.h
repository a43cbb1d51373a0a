#pragma once

#include "tests/differential/writer.h"

namespace sifr::test {

/// The statements that a program is made of. Each writes itself and keeps `Writer::variables` true.
class Statements {
public:
    explicit Statements(Writer& w) : w_(w), e_(w) {}

    void some(int count);  ///< as many statements, of all kinds that fit here
    void tensor();         ///< a new tensor
    void leaf();           ///< a new leaf that requires grad
    void show(const Variable& v);
    void training();       ///< a loop with a backward, a step and clears of the gradient
    void backward();       ///< one backward, and what it leaves
    void hazard();         ///< something that PyTorch may refuse, inside `try`

private:
    void view();
    void alias();
    void write();
    void set_item(const Variable& v);
    void write_method(const Variable& v);
    void compute();
    void rebind();
    void loop();
    void branch();
    void while_loop();
    void no_grad();
    void print();
    void history_loop();
    void clear_grad(const std::string& w, const std::string& optimizer, bool first);
    void step(const std::string& w, const std::string& optimizer);

    std::string index(int64_t extent);
    const Variable* float_variable();
    const Variable* writable();
    void add(Variable v) { w_.variables.push_back(std::move(v)); }

    Writer& w_;
    Expressions e_;
};

}  // namespace sifr::test
