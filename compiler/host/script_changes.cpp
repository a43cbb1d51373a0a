#include "compiler/host/script_changes.h"

#include <algorithm>
#include <bit>

#include <nlohmann/json.hpp>

#include "compiler/host/error.h"

namespace sifr::host {

using nlohmann::json;

std::string text_of_changes(const std::vector<Change>& changes) {
    json out = json::array();
    for (const Change& c : changes) {
        json row = {{"function", c.function}, {"memories", json::array()}, {"tensors", json::array()}, {"numbers", json::array()}, {"arguments", json::array()}};
        for (const ArgumentShape::Memory& m : c.shape.memories) row["memories"].push_back({static_cast<int>(m.dtype), m.elements});
        for (const ArgumentShape::Place& p : c.shape.tensors) row["tensors"].push_back({p.memory, p.layout.offset, p.layout.sizes, p.layout.strides});
        for (Type::Kind k : c.shape.numbers) row["numbers"].push_back(static_cast<int>(k));
        for (const ScriptCapture::Argument& a : c.arguments) row["arguments"].push_back({static_cast<int>(a.kind), a.integer, std::bit_cast<int64_t>(a.real), a.text});
        out.push_back(std::move(row));
    }
    return out.dump();
}

std::vector<Change> changes_of_text(const std::string& text, const std::string& path) {
    std::vector<Change> out;
    try {
        for (const json& row : json::parse(text)) {
            Change c{"", row.at("function").get<std::string>(), {}, {}};
            for (const json& m : row.at("memories")) c.shape.memories.push_back({static_cast<DType>(m.at(0).get<int>()), m.at(1).get<int64_t>()});
            for (const json& p : row.at("tensors")) {
                Layout l;
                l.offset = p.at(1).get<int64_t>();
                l.sizes = p.at(2).get<Sizes>();
                l.strides = p.at(3).get<Strides>();
                c.shape.tensors.push_back({p.at(0).get<uint32_t>(), std::move(l)});
            }
            for (const json& k : row.at("numbers")) c.shape.numbers.push_back(static_cast<Type::Kind>(k.get<int>()));
            for (const json& a : row.at("arguments"))
                c.arguments.push_back({static_cast<ScriptCapture::Argument::Kind>(a.at(0).get<int>()), a.at(1).get<int64_t>(), std::bit_cast<double>(a.at(2).get<int64_t>()), a.at(3).get<std::string>()});
            const auto known = [&](const ArgumentShape::Place& p) { return p.memory < c.shape.memories.size() && p.layout.sizes.size() == p.layout.strides.size(); };
            const auto is_dtype = [](const ArgumentShape::Memory& m) { return static_cast<size_t>(m.dtype) <= static_cast<size_t>(DType::C128) && m.elements >= 0; };
            const auto is_number = [](Type::Kind k) { return k == Type::Kind::I64 || k == Type::Kind::F64 || k == Type::Kind::Bool; };
            const auto count = [&](ScriptCapture::Argument::Kind k) {
                return static_cast<size_t>(std::count_if(c.arguments.begin(), c.arguments.end(), [k](const ScriptCapture::Argument& a) { return a.kind == k; }));
            };
            if (!std::all_of(c.shape.tensors.begin(), c.shape.tensors.end(), known) || !std::all_of(c.shape.memories.begin(), c.shape.memories.end(), is_dtype) ||
                !std::all_of(c.shape.numbers.begin(), c.shape.numbers.end(), is_number) || count(ScriptCapture::Argument::Kind::Tensor) != c.shape.tensors.size() ||
                count(ScriptCapture::Argument::Kind::Number) != c.shape.numbers.size())
                fail_machine(fmt::format("'{}' is damaged: the calls that led to what it holds cannot be read", path));
            out.push_back(std::move(c));
        }
    } catch (const json::exception&) {
        fail_machine(fmt::format("'{}' is damaged: the calls that led to what it holds cannot be read", path));
    }
    return out;
}

}  // namespace sifr::host
