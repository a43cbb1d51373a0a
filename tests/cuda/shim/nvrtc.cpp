// Stands in for libnvrtc in tests: its machine code for any architecture is the text itself, which the driver of this folder compiles for the CPU.

#include <cstdlib>
#include <cstring>
#include <string>

namespace {
struct Program {
    std::string text;
};
/// SIFR_TEST_NVRTC_LOG: what the compiler says of every unit.
const std::string& log_text() {
    static const std::string text = std::getenv("SIFR_TEST_NVRTC_LOG") ? std::getenv("SIFR_TEST_NVRTC_LOG") : "";
    return text;
}
}  // namespace

extern "C" {

const char* nvrtcGetErrorString(int error) { return error == 0 ? "NVRTC_SUCCESS" : "NVRTC_ERROR_COMPILATION"; }
int nvrtcVersion(int* major, int* minor) {
    *major = 12;
    *minor = 99;  // no NVRTC has this version, so that no cache takes its code for real
    return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
    *count = 4;
    return 0;
}
int nvrtcGetSupportedArchs(int* archs) {
    const int known[] = {80, 90, 100, 120};
    std::memcpy(archs, known, sizeof known);
    return 0;
}
int nvrtcCreateProgram(Program** program, const char* source, const char*, int, const char* const*, const char* const*) {
    *program = new Program{source};
    return 0;
}
int nvrtcDestroyProgram(Program** program) {
    delete *program;
    *program = nullptr;
    return 0;
}
int nvrtcCompileProgram(Program*, int, const char* const*) { return 0; }
int nvrtcGetProgramLogSize(Program*, size_t* size) {
    *size = log_text().size() + 1;
    return 0;
}
int nvrtcGetProgramLog(Program*, char* log) {
    std::memcpy(log, log_text().c_str(), log_text().size() + 1);
    return 0;
}
int nvrtcGetCUBINSize(Program* program, size_t* size) {
    *size = program->text.size() + 1;
    return 0;
}
int nvrtcGetCUBIN(Program* program, char* code) {
    std::memcpy(code, program->text.c_str(), program->text.size() + 1);
    return 0;
}
int nvrtcGetPTXSize(Program* program, size_t* size) { return nvrtcGetCUBINSize(program, size); }
int nvrtcGetPTX(Program* program, char* code) { return nvrtcGetCUBIN(program, code); }

}
