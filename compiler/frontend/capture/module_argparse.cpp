// What `argparse` (compiler/prelude/python/argparse.py) asks the outside.
#include "compiler/frontend/capture/bindings.h"
#include "compiler/frontend/capture/evaluator.h"

namespace sifr::capture {

void bind_argparse(Interpreter& in, const ModuleObject* m) {
    // The program's arguments. Where they are known only when the program runs, there must be none: options decide about shapes.
    in.add_function(m, "_arguments", [](Interpreter& i, Args&) {
        Values items;
        if (i.options().argv) {
            for (const std::string& a : *i.options().argv) items.push_back(i.str(a));
        } else {
            PyValue count = i.emit_scalar("argc"_op, {});
            i.check(i.equal(count, PyValue::integer(1)), "NotImplementedError",
                    "not supported: command-line options of argparse in a program that was built without them; build it with --bake-args");
        }
        return i.list(std::move(items));
    });
    in.add_function(m, "_program", [](Interpreter& i, Args&) {
        const std::string& path = i.options().script_path;
        return i.str(path.substr(path.rfind('/') + 1));
    });
    in.add_function(m, "_no_help", [](Interpreter&, Args&) -> PyValue { throw NotSupported("the help text of argparse"); });
}

}  // namespace sifr::capture
