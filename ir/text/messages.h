#pragma once

#include "ir/base/diagnostic.h"

namespace sifr::text_messages {

#define SIFR_TEXT_MESSAGES(X)                                                                                         \
    X(bad_character, "ir-character", Error, "'{}' has no meaning here")                                               \
    X(unterminated_string, "ir-string", Error, "the string is not closed on this line")                              \
    X(bad_escape, "ir-escape", Error, "'\\{}' is no escape; there are \\n \\t \\r \\0 \\\" \\\\ and \\xHH")             \
    X(bad_number, "ir-number", Error, "'{}' is no number that fits")                                                 \
    X(expected, "ir-syntax", Error, "expected {}, found {}")                                                         \
    X(unknown_stage, "ir-stage", Error, "'{}' is no stage; a function is captured, functional or fused")             \
    X(unknown_op, "ir-op", Error, "there is no op '{}'")                                                             \
    X(unknown_value, "ir-value", Error, "%{} is not defined here")                                                   \
    X(defined_twice, "ir-defined-twice", Error, "%{} is defined twice")                                              \
    X(unknown_type, "ir-type", Error, "'{}' is no type")                                                             \
    X(attribute_twice, "ir-attribute-twice", Error, "attribute '{}' is given twice")                                 \
    X(malformed, "ir-malformed", Error, "{}")                                                                        \
    X(result_count, "ir-results", Error, "{} results, but {} types")                                                 \
    X(types_missing, "ir-types-missing", Error, "the result types of '{}' must be written: no rule gives them")       \
    X(no_place, "ir-place", Error, "a captured tensor lies in a storage: `: {} in $name`")                           \
    X(place_stage, "ir-place-stage", Error, "only captured tensors lie in storages")                                 \
    X(write_stage, "ir-write-stage", Error, "only a captured function writes with `<-`")                             \
    X(frame_unknown, "ir-frame", Error, "the first tensor in ${} does not cover it; write its sizes: `${}[…]`")      \
    X(strides_count, "ir-strides", Error, "{} strides for {} axes")                                                  \
    X(too_large, "ir-too-large", Error, "a tensor of this size does not fit")                                        \
    X(too_deep, "ir-too-deep", Error, "regions are nested more than {} deep")                                        \
    X(ledger_id, "ir-ledger", Error, "the ledger has no row #{}")

SIFR_DEFINE_MESSAGES(SIFR_TEXT_MESSAGES)

}  // namespace sifr::text_messages
