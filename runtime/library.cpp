// Calls of a library's functions: what the script keeps goes in front of the caller's arguments, and what it keeps from now on is taken
// from behind the results. Memory that is no longer kept waits for the next call that makes a piece of its size, so that calls of one kind
// allocate in the first and in the second one, and never again.

#include "runtime/sifr_library.h"

#include "runtime/internal.h"

using namespace sifr::rt;

struct sifr_library_context {
    struct Piece {
        void* data;
        int64_t bytes;
    };
    const sifr_library* library;
    sifr_context* context;
    sifr_status failed;  // of the top level
    int32_t form;        // -1: nothing is kept yet
    Buffer<Piece> pieces, next_pieces, spare;
    Buffer<int64_t> kept;
    // What a call hands over; grown by the first one.
    Buffer<void*> arguments;
    Buffer<int64_t> numbers, results;
};

namespace {

using Piece = sifr_library_context::Piece;

/// Memory of this size: one that was given up, or a new one. Null without memory.
void* take_piece(sifr_library_context* c, int64_t bytes) {
    for (Piece& s : c->spare) {
        if (s.bytes != bytes) continue;
        void* data = s.data;
        s = c->spare[--c->spare.size];
        return data;
    }
    return aligned_alloc(64, static_cast<size_t>(bytes > 0 ? (bytes + 63) / 64 * 64 : 64));
}

sifr_status call(sifr_library_context* c, const sifr_library_code& code, void* const* arguments, const int64_t* numbers, int64_t* results) {
    const sifr_library_form& next = c->library->form[code.next_form];
    c->arguments.size = 0;
    for (const Piece& p : c->pieces) c->arguments.push(p.data);
    c->arguments.append(arguments, code.arguments);
    c->next_pieces.size = 0;
    for (int32_t k = 0; k < next.pieces; ++k) {
        if (code.piece_from[k] >= 0) {
            c->next_pieces.push(c->pieces[code.piece_from[k]]);
            continue;
        }
        void* data = take_piece(c, next.bytes[k]);
        if (data == nullptr) {
            for (int32_t made = 0; made < k; ++made)
                if (code.piece_from[made] < 0) c->spare.push(c->next_pieces[made]);
            return fail_context(c->context, SIFR_OS_ERROR, lit("OSError"), lit("out of memory"));
        }
        c->next_pieces.push({data, next.bytes[k]});
        c->arguments.push(data);
    }
    c->numbers.size = 0;
    for (int32_t k = 0; k < code.kept_in; ++k) c->numbers.push(code.number_from[k] >= 0 ? c->kept[code.number_from[k]] : code.initial[k]);
    c->numbers.append(numbers, code.numbers);
    c->results.resize(code.results + code.kept_out);
    const sifr_status status = sifr_context_call(c->context, &code.function, c->arguments.data, c->numbers.data, c->results.data);
    if (status != SIFR_OK) {
        for (int32_t k = 0; k < next.pieces; ++k)
            if (code.piece_from[k] < 0) c->spare.push(c->next_pieces[k]);
        return status;
    }
    for (int32_t k = 0; k < code.results; ++k) results[k] = c->results[k];
    c->kept.size = 0;
    c->kept.append(c->results.data + code.results, code.kept_out);
    for (int64_t k = 0; k < c->pieces.size; ++k) {
        bool goes_on = false;
        for (int32_t n = 0; n < next.pieces; ++n) goes_on |= code.piece_from[n] == k;
        if (!goes_on) c->spare.push(c->pieces[k]);
    }
    c->pieces.size = 0;
    c->pieces.append(c->next_pieces.data, c->next_pieces.size);
    c->form = code.next_form;
    return status;
}

}  // namespace

extern "C" {

sifr_library_context* sifr_library_new(const sifr_library* library, const sifr_context_options* options) {
    auto* c = static_cast<sifr_library_context*>(calloc(1, sizeof(sifr_library_context)));
    if (c == nullptr) return nullptr;
    c->library = library;
    c->context = sifr_context_new(options);
    if (c->context == nullptr) {
        free(c);
        return nullptr;
    }
    // Forgotten, it would be an empty structure, and nothing that the host asks for would hold.
    if (options != nullptr && options->struct_size == 0) {
        c->failed = fail_context(c->context, SIFR_VALUE_ERROR, lit("ValueError"), lit("struct_size of the options is 0: set it to the size of the structure"));
        return c;
    }
    if (library->top != nullptr) c->failed = call(c, *library->top, nullptr, nullptr, nullptr);
    return c;
}

void sifr_library_free(sifr_library_context* c) {
    if (c == nullptr) return;
    for (const Piece& p : c->pieces) free(p.data);
    for (const Piece& p : c->spare) free(p.data);
    c->pieces.free_memory();
    c->next_pieces.free_memory();
    c->spare.free_memory();
    c->kept.free_memory();
    c->arguments.free_memory();
    c->numbers.free_memory();
    c->results.free_memory();
    sifr_context_free(c->context);
    free(c);
}

void sifr_library_seed(sifr_library_context* c, uint64_t seed) {
    if (c != nullptr) sifr_context_seed(c->context, seed);
}

sifr_status sifr_library_call(sifr_library_context* c, int32_t function, void* const* arguments, const int64_t* numbers, int64_t* results) {
    if (c == nullptr) return SIFR_OS_ERROR;
    if (c->failed != SIFR_OK) return c->failed;
    return call(c, c->library->code[c->form * c->library->functions + function], arguments, numbers, results);
}

const char* sifr_library_error(const sifr_library_context* c) {
    return c != nullptr ? sifr_context_error(c->context) : "OSError: there is no context: memory ran out when it was made";
}

int32_t sifr_library_error_line(const sifr_library_context* c, const char** file) {
    return c != nullptr ? sifr_context_error_line(c->context, file) : 0;
}

int32_t sifr_library_state(const sifr_library_context* c, int32_t index, const char** name, sifr_tensor* tensor) {
    if (c == nullptr || c->failed != SIFR_OK) return -1;
    const sifr_library_form& form = c->library->form[c->form];
    if (index < 0 || index >= form.tensors) return -1;
    const sifr_library_tensor& t = form.tensor[index];
    *name = t.name;
    *tensor = {static_cast<char*>(c->pieces[t.piece].data) + t.offset, t.dtype, t.dim, t.sizes, t.strides};
    return 0;
}

}  // extern "C"
