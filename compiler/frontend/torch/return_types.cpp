#include "compiler/frontend/torch/return_types.h"

#include "compiler/frontend/torch/state.h"
#include "ir/op/op_def.h"

namespace sifr::capture {
namespace {

/// `torch.return_types.max(\nvalues=…,\nindices=…)`.
class ReturnTypeProtocol : public Protocol {
public:
    PyValue repr(Interpreter& in, PyValue self) override {
        const auto* tuple = self.as<TupleObject>();
        const Values& fields = tuple->cls->lookup(symbol("_fields")).as<TupleObject>()->items;
        Values texts{in.str(fmt::format("torch.return_types.{}(", tuple->cls->name))};
        for (size_t i = 0; i < tuple->items.size(); ++i) {
            texts.push_back(in.str(fmt::format("{}\n{}=", i ? "," : "", fields.at(i).as<StrObject>()->text)));
            texts.push_back(in.repr_of(tuple->items[i]));
        }
        texts.push_back(in.str(")"));
        return in.concat(texts);
    }
};

/// Results of functions that are no rows.
struct ComposedType {
    const char* name;
    std::vector<const char*> fields;
};
const ComposedType composed_types[] = {
    {"nanmedian", {"values", "indices"}},
    {"slogdet", {"sign", "logabsdet"}},
    {"histogram", {"hist", "bin_edges"}},
    {"geqrf", {"a", "tau"}},
    {"linalg_eig", {"eigenvalues", "eigenvectors"}},
    {"triangular_solve", {"solution", "cloned_coefficient"}},
    {"lu_unpack", {"P", "L", "U"}},
    {"frexp", {"mantissa", "exponent"}},
    {"svd", {"U", "S", "V"}},
    {"linalg_lu_factor", {"LU", "pivots"}},
    {"linalg_inv_ex", {"inverse", "info"}},
    {"linalg_cholesky_ex", {"L", "info"}},
    {"linalg_solve_ex", {"result", "info"}},
    {"linalg_lstsq", {"solution", "residuals", "rank", "singular_values"}},
};

void make_class(Interpreter& in, const std::string& name, const std::vector<std::string>& fields) {
    static ReturnTypeProtocol protocol;
    auto& classes = torch_classes(in).return_types;
    if (classes.count(name)) return;
    ClassObject* cls = in.add_class(name, "torch.return_types", in.builtin_class("tuple"), &protocol);
    Values names;
    for (size_t k = 0; k < fields.size(); ++k) {
        names.push_back(in.str(fields[k]));
        in.add_property(cls, fields[k], [k](Interpreter&, Args& args) { return args[0].as<TupleObject>()->items.at(k); });
    }
    cls->attributes.set(symbol("_fields"), in.tuple(std::move(names)));
    classes.emplace(name, cls);
}

}  // namespace

void make_return_types(Interpreter& in) {
    for (Op op : all_ops()) {
        const Signature& s = signature(op);
        if (s.result_names.empty()) continue;
        std::string_view row = name_of(op);
        make_class(in, std::string(row.substr(0, row.find('.'))), s.result_names);
    }
    for (const ComposedType& t : composed_types) make_class(in, t.name, {t.fields.begin(), t.fields.end()});
}

const ClassObject* return_type_class(Interpreter& in, std::string_view name) {
    const auto& classes = torch_classes(in).return_types;
    auto at = classes.find(name);
    return at == classes.end() ? nullptr : at->second;
}

PyValue make_return_type(Interpreter& in, std::string_view name, Values values) {
    const ClassObject* cls = return_type_class(in, name);
    SIFR_CHECK(cls, "no row with named results is called '{}'", name);
    return in.tuple_of(cls, std::move(values));
}

}  // namespace sifr::capture
