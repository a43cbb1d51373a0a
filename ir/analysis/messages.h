#pragma once

#include "ir/base/diagnostic.h"

namespace sifr::analysis_messages {

#define SIFR_ANALYSIS_MESSAGES(X)                                                                                                   \
    X(saved_overwritten, "saved-overwritten", Error, "backward needs a value that line {} saved at version {}, but it is at version {}") \
    X(saved_detached, "saved-detached", Error, "backward needs a value that line {} saved, but it was detached in place since")          \
    X(saved_kept, "saved-kept", Remark, "backward reads what line {} saved as it was then: {} bytes are kept for it")                        \
    X(graph_freed, "graph-freed", Error, "backward needs values that an earlier backward freed")

SIFR_DEFINE_MESSAGES(SIFR_ANALYSIS_MESSAGES)

}  // namespace sifr::analysis_messages
