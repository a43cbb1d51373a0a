#include "ir/type/type.h"

#include <fmt/format.h>

#include "ir/base/check.h"

namespace sifr {

Type Type::tensor(DType dtype, Sizes sizes) {
    Type t{Kind::Tensor};
    t.dtype = dtype;
    t.sizes = std::move(sizes);
    return t;
}

Type Type::optional(std::vector<Type> members) {
    Type t{Kind::Optional};
    t.members = std::move(members);
    return t;
}

Type Type::list(Type element) {
    Type t{Kind::List};
    t.members.push_back(std::move(element));
    return t;
}

std::string Type::text() const {
    return text([](ValueId id) { return id.str(); });
}

std::string Type::text(const std::function<std::string(ValueId)>& name) const {
    switch (kind) {
        case Kind::Tensor: {
            std::string out = fmt::format("{}[", name_of(dtype));
            for (size_t axis = 0; axis < sizes.size(); ++axis) {
                if (axis != 0) out += ',';
                for (const RunTimeSize& r : run_time_sizes)
                    if (r.axis == static_cast<int>(axis)) out += name(r.size) + "<=";
                out += std::to_string(sizes[axis]);
            }
            return out + "]";
        }
        case Kind::I64: return "i64";
        case Kind::F64: return "f64";
        case Kind::Bool: return "bool";
        case Kind::Str: return "str";
        case Kind::Optional:
        case Kind::List: {
            std::string out = kind == Kind::List ? "list(" : "opt(";
            for (size_t i = 0; i < members.size(); ++i) {
                if (i != 0) out += ',';
                out += members[i].text(name);
            }
            return out + ")";
        }
    }
    SIFR_UNREACHABLE("type kind {}", static_cast<int>(kind));
}

DType dtype_of_number(Type::Kind kind) {
    switch (kind) {
        case Type::Kind::I64: return DType::I64;
        case Type::Kind::F64: return DType::F64;
        case Type::Kind::Bool: return DType::Bool;
        case Type::Kind::Tensor:
        case Type::Kind::Str:
        case Type::Kind::Optional:
        case Type::Kind::List: break;
    }
    SIFR_UNREACHABLE("type kind {} is not a number", static_cast<int>(kind));
}

}  // namespace sifr
