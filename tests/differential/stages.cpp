#include "tests/differential/stages.h"

#include <csetjmp>

#include <fmt/format.h>

#include "compiler/backend/backend.h"
#include "compiler/compile.h"
#include "ir/base/check.h"
#include "ir/interp/interp.h"
#include "runtime/sifr_runtime.h"

namespace sifr::test {

namespace {

/// What the runtime's hooks throw through the interpreters.
struct HostRaise {
    std::string type, text;
};
struct HostExit {};

/// Collects what a run writes, and ends it where a program would end the process.
class Host {
public:
    explicit Host(Run& run) : run_(run) {
        sifr_host_hooks hooks{};
        hooks.user = this;
        hooks.write_stdout = [](void* self, const char* data, int64_t size) { static_cast<Host*>(self)->run_.out.append(data, static_cast<size_t>(size)); };
        hooks.write_stderr = [](void*, const char*, int64_t) {};
        hooks.raise = [](void* self, const char* type, sifr_str text, const char*, int32_t) {
            static_cast<Host*>(self)->leave({type, std::string(text.data, static_cast<size_t>(text.size))});
        };
        hooks.exit = [](void* self, int32_t code) { static_cast<Host*>(self)->leave({"SystemExit", std::to_string(code)}); };
        sifr_set_host_hooks(&hooks);
        sifr_manual_seed(sifr_default_generator(), 0);
        sifr_warnings_reset();
    }
    ~Host() {
        sifr_flush();
        sifr_set_host_hooks(nullptr);
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    /// Machine code has no frames to unwind: it is left by a jump. It owns nothing that would be lost.
    template <class F>
    void run_machine_code(F f) {
        jumping_ = true;
        if (setjmp(back_) == 0) f();
        else raised(reason_);
        jumping_ = false;
    }
    void raised(const HostRaise& r) {
        run_.end = Run::End::Raised;
        run_.text = r.text.empty() ? r.type : r.type + ": " + r.text;
    }

private:
    [[noreturn]] void leave(HostRaise reason) {
        if (!jumping_) throw HostRaise(std::move(reason));
        reason_ = std::move(reason);
        longjmp(back_, 1);
    }
    Run& run_;
    bool jumping_ = false;
    jmp_buf back_;
    HostRaise reason_;
};

/// Runs `f`, and turns every way in which it may end into a Run's end.
template <class F>
void guarded(Run& run, F f) {
    auto end = [&](Run::End e, std::string text) {
        run.end = e;
        run.text = std::move(text);
    };
    try {
        f();
    } catch (const CompileError& e) {
        if (e.diagnostic.code == "not-supported") end(Run::End::Unsupported, e.diagnostic.text);
        else if (!e.diagnostic.exception.empty())
            end(Run::End::Refused, e.diagnostic.exception_text.empty() ? e.diagnostic.exception : e.diagnostic.exception + ": " + e.diagnostic.exception_text);
        else end(Run::End::Refused, e.diagnostic.text);
    } catch (const NotSupported& e) {
        end(Run::End::Unsupported, e.text);
    } catch (const HostRaise& e) {
        end(Run::End::Raised, e.text.empty() ? e.type : e.type + ": " + e.text);
    } catch (const std::exception& e) {
        // The verifier adds the whole program.
        std::string_view what = e.what();
        end(Run::End::Fault, std::string(what.substr(0, what.find('\n'))));
    }
}

void check_round_trip(const Program& program) {
    SourceFile text("program.sifr", print(program));
    std::string again;
    try {
        again = print(parse_program(text));
    } catch (const CompileError& e) {
        throw std::runtime_error(fmt::format("the text of the {} program is refused at line {}: {}", stage_name(program), e.diagnostic.span.line, e.diagnostic.text));
    }
    if (again != text.text()) throw std::runtime_error(fmt::format("the text of the {} program does not come back", stage_name(program)));
}

const RunOptions run_options{.script = "t.py", .argv = {}, .arguments = {}};

Run run_program(const Program& program, std::string way) {
    Run run;
    run.way = std::move(way);
    Host host(run);
    guarded(run, [&] { std::visit([](const auto& p) { interpret(p, run_options); }, program); });
    return run;
}

Run run_machine_code(const Plan& plan, std::string way) {
    Run run;
    run.way = std::move(way);
    Host host(run);
    guarded(run, [&] {
        std::unique_ptr<LoadedProgram> loaded = backend_named("llvm").load(plan, BackendOptions());
        const std::vector<std::string> argv{"t.py"};
        host.run_machine_code([&] { loaded->run(argv); });
    });
    return run;
}

void collect_rows(const Function& f, std::set<std::string>& rows) {
    for (const Inst& inst : f.insts) {
        if (!inst.erased) rows.emplace(name_of(inst.op));
    }
}

/// Everything from the captured program on, one run for each stage.
void run_stages(const std::string& text, capture::LoopMode loops, const std::string& prefix, bool all_stages, const CompareOptions& options, Comparison& into) {
    Compilation c;
    CompileOptions how;
    how.capture.loops = loops;
    how.capture.argv.emplace();
    how.passes.stop_at = "captured";
    how.passes.verify_each = options.round_trip;
    Run failed;
    failed.way = prefix + "compiler";
    bool compiled = false;
    guarded(failed, [&] {
        compile(c, "t.py", text, how);
        collect_rows(std::get<Captured>(*c.program).function, into.rows);
        if (options.round_trip) check_round_trip(*c.program);
        compiled = true;
    });
    if (!compiled) {
        into.runs.push_back(std::move(failed));
        return;
    }
    into.runs.push_back(run_program(*c.program, prefix + "captured"));
    if (!all_stages) return;

    PassContext context;
    auto go_on = [&](const char* stage, RunPassesOptions passes) {
        failed.way = prefix + stage;
        bool done = false;
        guarded(failed, [&] {
            run_passes(*c.program, context, passes);
            if (!options.round_trip) verify(*c.program);
            else check_round_trip(*c.program);
            done = true;
        });
        if (!done) into.runs.push_back(failed);
        return done;
    };
    RunPassesOptions passes;
    passes.verify_each = options.round_trip;
    auto rows = [](auto&& wanted) {
        std::vector<std::string> names;
        for (const PassRow& row : pipeline())
            if (wanted(row)) names.emplace_back(row.name);
        return names;
    };
    passes.only = rows([](const PassRow& r) { return r.functionalize; });  // gradients are not values yet: text and rules alone are looked at
    if (!go_on("functionalize", passes)) return;
    passes.only = rows([](const PassRow& r) { return r.functional; });
    if (!go_on("functional", passes)) return;
    into.runs.push_back(run_program(*c.program, prefix + "functional"));
    passes.only = rows([](const PassRow& r) { return r.fuse || r.fused; });
    if (!go_on("fused", passes)) return;
    into.runs.push_back(run_program(*c.program, prefix + "fused"));
    passes.only = rows([](const PassRow& r) { return r.plan || r.on_plan; });
    if (!go_on("plan", passes)) return;
    into.runs.push_back(run_program(*c.program, prefix + "plan"));
    if (options.jit) into.runs.push_back(run_machine_code(std::get<Plan>(*c.program), prefix + "jit"));
}

const char* end_name(Run::End e) {
    switch (e) {
        case Run::End::Finished: return "finished";
        case Run::End::Raised: return "raised";
        case Run::End::Refused: return "refused";
        case Run::End::Unsupported: return "not supported";
        case Run::End::Fault: return "fault";
    }
    return "";
}

/// Empty if `b` may stand where `a` does.
std::string difference(const Run& a, const Run& b) {
    auto told = [&](const std::string& what) { return fmt::format("{} against {}: {}", a.way, b.way, what); };
    if (b.end == Run::End::Fault) return fmt::format("{}: fault: {}", b.way, b.text);
    if (a.end == Run::End::Unsupported || b.end == Run::End::Unsupported) return {};
    bool raises = a.end != Run::End::Finished, other_raises = b.end != Run::End::Finished;
    if (raises != other_raises || a.text != b.text)
        return told(fmt::format("{} '{}' against {} '{}'", end_name(a.end), a.text, end_name(b.end), b.text));
    if (a.end == Run::End::Refused || b.end == Run::End::Refused) return {};
    if (a.out != b.out) return told("output");
    return {};
}

}  // namespace

Comparison compare_stages(const std::string& text, const CompareOptions& options) {
    Comparison c;
    run_stages(text, capture::LoopMode::Unroll, "unrolled ", options.unrolled_from > 0, options, c);
    run_stages(text, capture::LoopMode::Roll, "rolled ", true, options, c);
    const Run* meaning = nullptr;
    for (const Run& r : c.runs) {
        if (r.end == Run::End::Fault) c.difference = fmt::format("{}: fault: {}", r.way, r.text);
        else if (!meaning && r.end != Run::End::Unsupported) meaning = &r;
    }
    if (!meaning || !c.difference.empty()) return c;
    for (const Run& r : c.runs) {
        if (c.difference = difference(*meaning, r); !c.difference.empty()) break;
    }
    return c;
}

}  // namespace sifr::test
