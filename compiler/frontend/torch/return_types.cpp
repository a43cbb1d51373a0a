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

}  // namespace

void make_return_types(Interpreter& in) {
    static ReturnTypeProtocol protocol;
    auto& classes = torch_classes(in).return_types;
    for (uint16_t i = 0; i < op_name_count; ++i) {
        const Signature& s = signature(Op{i});
        if (s.result_names.empty()) continue;
        std::string_view row = op_names[i];
        std::string name(row.substr(0, row.find('.')));
        if (classes.count(name)) continue;
        ClassObject* cls = in.add_class(name, "torch.return_types", in.builtin_class("tuple"), &protocol);
        Values fields;
        for (size_t k = 0; k < s.result_names.size(); ++k) {
            fields.push_back(in.str(s.result_names[k]));
            in.add_property(cls, s.result_names[k], [k](Interpreter&, Args& args) { return args[0].as<TupleObject>()->items.at(k); });
        }
        cls->attributes.set(symbol("_fields"), in.tuple(std::move(fields)));
        classes.emplace(std::move(name), cls);
    }
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
