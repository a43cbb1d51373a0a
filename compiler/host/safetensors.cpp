#include "compiler/host/safetensors.h"

#include <cstring>
#include <fstream>
#include <iterator>

#include <nlohmann/json.hpp>

#include "compiler/host/error.h"
#include "ir/base/diagnostic.h"
#include "runtime/sifr_runtime.h"

namespace sifr::host {

namespace {

const char* file_name(Dtype t) {
    static constexpr const char* names[] = {"BOOL", "U8", "I8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64", "C64", "C128"};
    return names[static_cast<size_t>(t)];
}

sifr_tensor c_tensor(const TensorView& t) {
    return {t.data(), static_cast<int32_t>(t.dtype()), static_cast<int32_t>(t.dim()), t.sizes().data(), t.strides().data()};
}

}  // namespace

void write_safetensors(const std::string& path, const std::vector<std::pair<std::string, HostTensor>>& tensors, const std::map<std::string, std::string>& texts) {
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!texts.empty()) header["__metadata__"] = texts;
    int64_t at = 0;
    const auto bytes = [](const HostTensor& t) { return t.numel() * static_cast<int64_t>(element_size(t.dtype())); };
    for (const auto& [name, t] : tensors) {
        header[name] = {{"dtype", file_name(t.dtype())}, {"shape", std::vector<int64_t>(t.sizes().begin(), t.sizes().end())}, {"data_offsets", {at, at + bytes(t)}}};
        at += bytes(t);
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    std::ofstream f(path, std::ios::binary);
    const uint64_t size = text.size();
    f.write(reinterpret_cast<const char*>(&size), 8);
    f.write(text.data(), static_cast<std::streamsize>(text.size()));
    for (const auto& [name, t] : tensors) f.write(static_cast<const char*>(t.data()), static_cast<std::streamsize>(bytes(t)));
    f.flush();
    if (!f) fail_machine(fmt::format("cannot write '{}'", path));
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path) {
    std::ifstream f(path, std::ios::binary);
    if (!f) fail_machine(fmt::format("cannot read '{}'", path));
    all_.assign((std::istreambuf_iterator<char>(f)), std::istreambuf_iterator<char>());
    uint64_t size = 0;
    if (all_.size() >= 8) std::memcpy(&size, all_.data(), 8);
    if (all_.size() < 8 || size > all_.size() - 8) fail_machine(fmt::format("'{}' is no safetensors file", path));
    const nlohmann::json header = nlohmann::json::parse(all_.data() + 8, all_.data() + 8 + size, nullptr, false);
    if (!header.is_object()) fail_machine(fmt::format("'{}' is no safetensors file", path));
    const std::string_view data(all_.data() + 8 + size, all_.size() - 8 - size);
    for (const auto& [name, row] : header.items()) {
        try {
            if (name == "__metadata__") {
                texts_ = row.get<std::map<std::string, std::string>>();
                continue;
            }
            const auto offsets = row.at("data_offsets").get<std::vector<uint64_t>>();
            Entry e{row.at("dtype").get<std::string>(), row.at("shape").get<std::vector<int64_t>>(), {}};
            if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data.size())
                fail_machine(fmt::format("'{}' is damaged: the elements of '{}' are not in it", path, name));
            e.elements = data.substr(offsets[0], offsets[1] - offsets[0]);
            entries_.emplace(name, std::move(e));
        } catch (const nlohmann::json::exception&) {
            fail_machine(fmt::format("'{}' is damaged: what it says of '{}' is wrong", path, name));
        }
    }
}

const SafetensorsFile::Entry* SafetensorsFile::find(const std::string& name) const {
    auto at = entries_.find(name);
    return at == entries_.end() ? nullptr : &at->second;
}

std::string SafetensorsFile::text(const std::string& key) const {
    auto at = texts_.find(key);
    return at == texts_.end() ? std::string() : at->second;
}

void SafetensorsFile::check(const std::string& name, const TensorView& into) const {
    const Entry* e = find(name);
    if (!e) {
        std::vector<std::string> known;
        for (const auto& [n, entry] : entries_) known.push_back(n);
        const std::string near = nearest_name(name, known);
        fail_call(fmt::format("'{}' has no '{}', which the script keeps", path_, name), near.empty() ? "" : fmt::format("it has '{}'", near));
    }
    if (e->dtype != file_name(into.dtype()) || !std::equal(e->sizes.begin(), e->sizes.end(), into.sizes().begin(), into.sizes().end()))
        fail_call(fmt::format("'{}' in '{}' is {}[{}], and the script's is {}[{}]", name, path_, e->dtype, fmt::join(e->sizes, ", "), file_name(into.dtype()), fmt::join(into.sizes(), ", ")));
    if (e->elements.size() != static_cast<uint64_t>(into.numel()) * element_size(into.dtype()))
        fail_machine(fmt::format("'{}' is damaged: the elements of '{}' are not in it", path_, name));
}

void SafetensorsFile::read(const std::string& name, const TensorView& into) const {
    check(name, into);
    std::string aligned(find(name)->elements);
    const TensorView from(aligned.data(), into.dtype(), into.sizes());
    const sifr_tensor a = c_tensor(from), b = c_tensor(into);
    sifr_tensor_copy(&a, &b);
}

}  // namespace sifr::host
