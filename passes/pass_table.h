#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ir/base/diagnostic.h"
#include "ir/base/hazard_mode.h"
#include "ir/func/stage.h"
#include "ir/plan/plan.h"

namespace sifr {

/// What the passes are told and what they tell.
struct PassContext {
    HazardMode hazards = HazardMode::Error;
    DiagnosticSink report;  ///< warnings and remarks; may be empty
    void remark(Diagnostic d) {
        if (report) report(d);
    }
};

/// One row of the pipeline. Exactly one of the functions is set. `run` on one stage says whether it changed anything.
struct PassRow {
    const char* name;      ///< as `--passes=` and the dumps name it
    const char* before_after;  ///< one line for `sifr opt --help`
    bool (*check)(const Captured&, PassContext&) = nullptr;       ///< only looks; true if it found an error
    Functional (*functionalize)(const Captured&, PassContext&) = nullptr;
    bool (*functional)(Functional&, PassContext&) = nullptr;
    Fused (*fuse)(const Functional&, PassContext&) = nullptr;
    bool (*fused)(Fused&, PassContext&) = nullptr;
    Plan (*plan)(const Fused&, PassContext&) = nullptr;
    bool (*on_plan)(Plan&, PassContext&) = nullptr;
};

/// The pipeline, in order.
std::span<const PassRow> pipeline();

/// What is wrong with the clear ledger; empty where it adds up. Every row that is open is carried out by an instruction; in a
/// plan no row is open, every zero fill carries rows, and the bytes that they keep are the bytes that it clears. `rows`: how many
/// rows there were before, none of which may be lost.
std::string ledger_fault(const Function& f, size_t rows);
std::string ledger_fault(const Plan& plan, size_t rows);

/// Ledger duty: whoever takes a clear away closes its row with a verdict.
void close_clears(Function& f, const std::vector<ClearId>& ids, Clear::Verdict verdict, int64_t kept_bytes, const char* pass, const std::string& reason);

}  // namespace sifr
