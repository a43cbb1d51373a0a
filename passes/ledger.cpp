#include "passes/pass_table.h"

namespace sifr {

void close_clears(Function& f, const std::vector<ClearId>& ids, Clear::Verdict verdict, int64_t kept_bytes, const char* pass, const std::string& reason) {
    for (ClearId id : ids) {
        Clear& c = f[id];
        c.verdict = verdict;
        c.kept_bytes = kept_bytes;
        c.pass = pass;
        c.reason = reason;
    }
}

}  // namespace sifr
