#include "ir/func/stage.h"

namespace sifr {

const char* name_of(Stage s) {
    switch (s) {
        case Stage::Captured: return "captured";
        case Stage::Functional: return "functional";
        case Stage::Fused: return "fused";
    }
    SIFR_UNREACHABLE("stage {}", static_cast<int>(s));
}

}  // namespace sifr
