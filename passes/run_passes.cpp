#include "passes/run_passes.h"

#include <algorithm>
#include <chrono>

#include "ir/text/text.h"
#include "ir/verify/verify.h"

namespace sifr {

std::string print(const Program& program) {
    return std::visit(
        [](const auto& p) {
            using T = std::decay_t<decltype(p)>;
            if constexpr (std::is_same_v<T, Plan>) return print(p);
            else return print(p.function, T::stage);
        },
        program);
}

Program parse_program(const SourceFile& file) {
    // The first word that is no comment tells the stage.
    std::string_view text = file.text();
    size_t at = 0;
    while (at < text.size()) {
        if (std::isspace(static_cast<unsigned char>(text[at]))) ++at;
        else if (text.substr(at, 2) == "//") at = std::min(text.find('\n', at), text.size());
        else break;
    }
    if (text.substr(at, 4) == "plan") return parse_plan(file);
    ParsedFunction parsed = parse_function(file);
    switch (parsed.stage) {
        case Stage::Captured: return Captured(std::move(parsed.function));
        case Stage::Functional: return Functional(std::move(parsed.function));
        case Stage::Fused: return Fused(std::move(parsed.function));
    }
    SIFR_UNREACHABLE("a stage without a type");
}

const char* stage_name(const Program& program) {
    return std::visit(
        [](const auto& p) {
            using T = std::decay_t<decltype(p)>;
            if constexpr (std::is_same_v<T, Plan>) return "plan";
            else return name_of(T::stage);
        },
        program);
}

namespace {

size_t ledger_rows(const Program& program) {
    return std::visit(
        [](const auto& p) {
            if constexpr (std::is_same_v<std::decay_t<decltype(p)>, Plan>) return p.ledger.size();
            else return p.function.ledger.size();
        },
        program);
}

/// After a pass: no clear is lost on the way.
void verify_ledger(const Program& program, size_t rows, const char* pass) {
    std::string fault = std::visit(
        [&](const auto& p) {
            if constexpr (std::is_same_v<std::decay_t<decltype(p)>, Plan>) return ledger_fault(p, rows);
            else return ledger_fault(p.function, rows);
        },
        program);
    SIFR_CHECK(fault.empty(), "after the pass '{}': {}", pass, fault);
}

}  // namespace

void verify(const Program& program) {
    std::visit(
        [](const auto& p) {
            using T = std::decay_t<decltype(p)>;
            if constexpr (std::is_same_v<T, Plan>) verify(p);
            else verify(p.function, T::stage);
        },
        program);
}

namespace {

/// Runs one row; nothing when the row does not take a program of this stage.
std::optional<bool> run_row(const PassRow& row, Program& program, PassContext& context) {
    if (auto* captured = std::get_if<Captured>(&program)) {
        if (row.check) {
            row.check(*captured, context);
            return false;
        }
        if (row.functionalize) {
            program = row.functionalize(*captured, context);
            return true;
        }
    } else if (auto* functional = std::get_if<Functional>(&program)) {
        if (row.functional) return row.functional(*functional, context);
        if (row.fuse) {
            program = row.fuse(*functional, context);
            return true;
        }
    } else if (auto* fused = std::get_if<Fused>(&program)) {
        if (row.fused) return row.fused(*fused, context);
        if (row.plan) {
            program = row.plan(*fused, context);
            return true;
        }
    } else if (auto* plan = std::get_if<Plan>(&program)) {
        if (row.on_plan) return row.on_plan(*plan, context);
    }
    return std::nullopt;
}

bool named(const std::vector<std::string>& names, const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); }

const PassRow& row_named(const std::string& name) {
    std::vector<std::string> known;
    for (const PassRow& row : pipeline()) {
        if (name == row.name) return row;
        known.emplace_back(row.name);
    }
    Diagnostic d;
    d.text = fmt::format("there is no pass '{}'", name);
    if (std::string near = nearest_name(name, known); !near.empty()) d.help = fmt::format("did you mean '{}'?", near);
    else d.help = fmt::format("the passes are {}", fmt::join(known, ", "));
    throw CompileError(d, 2);
}

}  // namespace

void run_passes(Program& program, PassContext& context, const RunPassesOptions& options) {
    std::vector<const PassRow*> rows;
    if (options.only.empty()) {
        for (const PassRow& row : pipeline()) rows.push_back(&row);
    } else {
        for (const std::string& name : options.only) rows.push_back(&row_named(name));
    }
    if (options.verify_each) verify(program);
    for (const PassRow* row : rows) {
        if (options.stop_at == stage_name(program)) {
            // The stage is reached; only passes that stay inside it still run.
            bool stays = row->check || row->functional || row->fused || row->on_plan;
            if (!stays) break;
        }
        if (options.dump && named(options.print_before, row->name)) options.dump(fmt::format("// before {}\n{}", row->name, print(program)));
        std::string before;
        if (options.verify_each) before = print(program);
        size_t rows = ledger_rows(program);
        auto start = std::chrono::steady_clock::now();
        std::optional<bool> changed = run_row(*row, program, context);
        double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (!changed) {
            if (options.only.empty()) continue;
            Diagnostic d;
            d.text = fmt::format("the pass '{}' does not run on a {} program", row->name, stage_name(program));
            throw CompileError(d, 2);
        }
        if (options.timings) options.timings->push_back({row->name, seconds, *changed});
        if (options.verify_each) {
            verify(program);
            verify_ledger(program, rows, row->name);
            // A fact that a pass establishes stands in the first line, and is no change.
            auto body = [](const std::string& text) { return text.substr(std::min(text.find('\n'), text.size())); };
            SIFR_CHECK(*changed || body(before) == body(print(program)), "pass '{}' says that it changed nothing, and did", row->name);
        }
        if (options.dump && (options.print_after_all || (options.print_changed && *changed) || named(options.print_after, row->name)))
            options.dump(fmt::format("// after {}{}\n{}", row->name, *changed ? "" : " (unchanged)", print(program)));
    }
}

}  // namespace sifr
