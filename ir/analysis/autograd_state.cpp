#include "ir/analysis/autograd_state.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace sifr {

std::string without_backward(const std::string& node_name) {
    size_t end = node_name.size();
    while (end > 0 && std::isdigit(static_cast<unsigned char>(node_name[end - 1]))) --end;
    constexpr std::string_view suffix = "Backward";
    if (end >= suffix.size() && std::string_view(node_name).substr(end - suffix.size(), suffix.size()) == suffix) {
        const std::string number = node_name.substr(end);
        return node_name.substr(0, end - suffix.size()) + (number == "0" ? "" : number);
    }
    return node_name;
}

// ---------------------------------------------------------------------------------------------- journal

AutogradState::Variable& AutogradState::change(VariableId v) {
    journal_.emplace_back(std::pair(v, variables_[v.index]));
    return variables_[v.index];
}
AutogradState::Node& AutogradState::change(NodeId n) {
    journal_.emplace_back(std::pair(n, nodes_[n.index]));
    return nodes_[n.index];
}
AutogradState::Counter& AutogradState::change(CounterId c) {
    journal_.emplace_back(std::pair(c, counters_[c.index]));
    return counters_[c.index];
}
VariableId AutogradState::add(Variable v) {
    journal_.emplace_back(Sizes3{variables_.size(), nodes_.size(), counters_.size()});
    variables_.push_back(std::move(v));
    return VariableId(variables_.size() - 1);
}
NodeId AutogradState::add(Node n) {
    journal_.emplace_back(Sizes3{variables_.size(), nodes_.size(), counters_.size()});
    nodes_.push_back(std::move(n));
    return NodeId(nodes_.size() - 1);
}
CounterId AutogradState::add_counter() {
    journal_.emplace_back(Sizes3{variables_.size(), nodes_.size(), counters_.size()});
    counters_.emplace_back();
    return CounterId(counters_.size() - 1);
}

void AutogradState::rollback(Checkpoint to) {
    while (journal_.size() > to) {
        std::visit(
            [&](auto& undo) {
                using T = std::decay_t<decltype(undo)>;
                if constexpr (std::is_same_v<T, Modes>) {
                    grad_enabled_ = undo.grad_enabled;
                    inference_mode_ = undo.inference_mode;
                } else if constexpr (std::is_same_v<T, Sizes3>) {
                    variables_.resize(undo.variables);
                    nodes_.resize(undo.nodes);
                    counters_.resize(undo.counters);
                } else if constexpr (std::is_same_v<T, std::pair<VariableId, Variable>>) {
                    variables_[undo.first.index] = std::move(undo.second);
                } else if constexpr (std::is_same_v<T, std::pair<NodeId, Node>>) {
                    nodes_[undo.first.index] = std::move(undo.second);
                } else {
                    counters_[undo.first.index] = std::move(undo.second);
                }
            },
            journal_.back());
        journal_.pop_back();
    }
}

void AutogradState::set_grad_enabled(bool on) {
    journal_.emplace_back(Modes{grad_enabled_, inference_mode_});
    grad_enabled_ = on;
}
void AutogradState::set_inference_mode(bool on) {
    journal_.emplace_back(Modes{grad_enabled_, inference_mode_});
    inference_mode_ = on;
}

// ---------------------------------------------------------------------------------------------- queries

bool AutogradState::requires_grad(VariableId v) {
    const Variable& var = variables_[v.index];
    return var.requires_grad || var.node.valid() || (var.base.valid() && requires_grad(var.base));
}

std::string AutogradState::forbidden_view(VariableId v, bool indirect) {
    const Variable& var = variables_[v.index];
    if (var.creation == CreationMeta::Default) return {};
    const char* object = indirect ? "its base or another view of its base has been" : "is being";
    std::string text;
    bool by_mode = var.creation == CreationMeta::InferenceMode || var.creation == CreationMeta::NoGradMode || !var.node.valid();
    if (by_mode) {
        std::string prefix = var.node.valid()
                                 ? fmt::format("Output {} of {} is a view of a view which was created in", var.output, without_backward(nodes_[var.node.index].name))
                                 : std::string("A view was created in");
        text = var.creation == CreationMeta::InferenceMode ? fmt::format("{} inference mode and {} modified inplace in normal mode.", prefix, object)
                                                           : fmt::format("{} no_grad mode and {} modified inplace with grad mode enabled.", prefix, object);
    } else {
        text = fmt::format("Output {} of {} is a view and {} modified inplace.", var.output, without_backward(nodes_[var.node.index].name), object);
    }
    auto ambiguous = [](const char* mode, const char* effect) {
        return fmt::format(" Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
                           "and the inplace either both inside the {} block (if you don't want the inplace to be tracked) or both outside (if you "
                           "want the inplace to be tracked).{}", mode, effect);
    };
    switch (var.creation) {
        case CreationMeta::MultiOutput:
            return text + " This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
                          "modified inplace. You should replace the inplace operation by an out-of-place one.";
        case CreationMeta::NoGradMode: return text + ambiguous("no_grad", "");
        case CreationMeta::InferenceMode: return text + ambiguous("inference_mode", "");
        case CreationMeta::CustomFunction:
            return text + " This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to handle "
                          "view+inplace would override the custom backward associated with the custom Function, leading to incorrect gradients. This "
                          "behavior is forbidden. You can fix this by cloning the output of the custom Function.";
        case CreationMeta::Default: break;
    }
    return text;
}

NodeId AutogradState::add_passing(std::string name, Edge from, uint32_t outputs, Span span) {
    Node n{std::move(name), {from}, {}, false, outputs, span};
    n.degree = degree_at(from);
    return add(std::move(n));
}

NodeId AutogradState::grad_fn(VariableId v) {
    const Variable& var = variables_[v.index];
    if (!var.base.valid() || (!var.node.valid() && !requires_grad(var.base))) return var.node;
    int64_t now = version(v);
    if (var.attribute_version == now) return var.node;
    if (std::string text = forbidden_view(v, true); !text.empty()) throw ScriptError("RuntimeError", text);
    // The base has a new history: this view's own path from it is remade as one strided view of the base.
    Edge edge = edge_to(var.base);
    NodeId node = add_passing("AsStridedBackward0", edge, 1, variables_[v.index].span);
    Variable& changed = change(v);
    changed.node = node;
    changed.output = 0;
    changed.attribute_version = now;
    return node;
}

std::string AutogradState::grad_fn_name(VariableId v) {
    try {
        NodeId n = grad_fn(v);
        return n.valid() ? nodes_[n.index].name : std::string();
    } catch (const ScriptError&) {
        return "Invalid";
    }
}

AutogradState::Edge AutogradState::edge_to(VariableId v) {
    if (!v.valid() || !requires_grad(v)) return {};
    NodeId n = grad_fn(v);
    if (n.valid()) return Edge{n, variables_[v.index].output, {}};
    return Edge{{}, 0, v};
}

// ---------------------------------------------------------------------------------------------- events

VariableId AutogradState::fresh(const Type& type, bool requires_grad, Span span) {
    if (requires_grad && !is_float(type.dtype) && !is_complex(type.dtype))
        raise("RuntimeError", "Only Tensors of floating point and complex dtype can require gradients");
    Variable v;
    v.type = type;
    v.counter = add_counter();
    v.requires_grad = requires_grad;
    v.span = span;
    v.inference = inference_mode_;
    return add(std::move(v));
}

AutogradState::Saved AutogradState::save(VariableId v, bool is_output, const std::string& op) {
    if (variables_[v.index].inference)
        raise("RuntimeError", "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation tracked by autograd. To work around "
              "this, you can make a clone to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of `torch.inference_mode()`.");
    CounterId counter = variables_[v.index].counter;
    return Saved{v, counter, version(v), is_output, op, counters_[storage_of(counter).index].contents, counters_[counter.index].uncertain};
}

bool AutogradState::tracks(const Event& event, const char*& name) {
    name = node_name(event.call);
    if (!grad_enabled_ || !name) return false;
    return std::any_of(event.operands.begin(), event.operands.end(), [&](VariableId v) { return v.valid() && requires_grad(v); });
}

namespace {

/// The saves of a row that apply, given which operands require grad.
std::vector<Save> active_saves(const OpDef& row, const std::vector<bool>& needs) {
    std::vector<Save> out;
    for (const Save& s : row.saves) {
        bool wanted = s.needs == 0;
        for (size_t k = 0; k < needs.size() && k < 32; ++k) wanted |= (s.needs >> k & 1u) && needs[k];
        if (wanted) out.push_back(s);
    }
    return out;
}

}  // namespace

/// A number where the row has a tensor or a number is a tensor of no dimensions to PyTorch, and saved as one.
bool AutogradState::keeps_number(const Event& event, const Save& s) const {
    return s.which == Save::Which::Input && s.index < event.call.types.size() && !event.call.types[s.index].is_tensor() && !is_none(event.call.types[s.index]);
}

/// Sums are of the highest degree among their terms, products of the sum of degrees; what else reads a saved value that requires
/// grad is no polynomial.
double AutogradState::degree_of(const Event& event, const Node& n) {
    double highest = 0, sum = 0;
    for (const Edge& e : n.edges) {
        highest = std::max(highest, degree_at(e));
        sum += degree_at(e);
    }
    const std::string op = without_backward(n.name);
    static const std::set<std::string> products = {"Mul",   "Mm",   "Bmm",     "Mv",     "Dot",     "Addmm",
                                                   "Addmv", "Addr", "Baddbmm", "Addbmm", "Addcmul", "Convolution"};
    if (products.count(op)) return std::min(sum, infinite);
    if (op == "MseLoss") return std::min(2 * highest, infinite);
    if (op == "Pow") {
        const ScalarConstant& e = event.call.constants[1];
        const auto* whole = std::get_if<int64_t>(&e);
        const auto* real = std::get_if<double>(&e);
        const double exponent = whole ? static_cast<double>(*whole) : real ? *real : -1;
        // Its derivative is a power again, down to that of 0.
        if (exponent >= 0 && exponent == std::floor(exponent)) return std::min(highest * exponent + 1, infinite);
        return infinite;
    }
    const bool reads = std::any_of(n.saved.begin(), n.saved.end(), [&](const Saved& s) { return requires_grad(s.variable); });
    // An output that is saved is not there yet.
    const bool keeps_output = std::any_of(def(event.call.op).saves.begin(), def(event.call.op).saves.end(),
                                          [](const Save& s) { return s.which == Save::Which::Output; });
    return reads || keeps_output ? infinite : highest;
}

std::vector<VariableId> AutogradState::record(const Event& event, const std::vector<Type>& results) {
    const OpDef& row = def(event.call.op);
    const char* name = nullptr;
    NodeId node;
    std::vector<Save> outputs;
    if (tracks(event, name)) {
        Node n{name, {}, {}, false, static_cast<uint32_t>(results.size()), event.span};
        std::vector<bool> needs;
        for (VariableId v : event.operands) {
            n.edges.push_back(edge_to(v));
            needs.push_back(n.edges.back().valid());
        }
        std::string op = without_backward(name);
        for (const Save& s : active_saves(row, needs)) {
            n.holds_more |= keeps_number(event, s);
            if (s.which == Save::Which::Output)
                outputs.push_back(s);
            else if (s.index < event.operands.size() && event.operands[s.index].valid()) {
                n.saved.push_back(save(event.operands[s.index], false, op));
                n.saved.back().unread = s.unread;
                n.saved.back().slot = s.index;
            }
        }
        n.degree = degree_of(event, n);
        if (n.name == "NotImplemented") {
            n.refuses = true;
            n.op = name_of(event.call.op);
        }
        node = add(std::move(n));
    }
    std::vector<VariableId> out;
    for (size_t r = 0; r < results.size(); ++r) {
        if (!results[r].is_tensor()) {
            out.emplace_back();
            continue;
        }
        VariableId v = fresh(results[r], false, event.span);
        if (node.valid() && (is_float(results[r].dtype) || is_complex(results[r].dtype))) {
            Variable& changed = variables_[v.index];
            changed.node = node;
            changed.output = static_cast<uint32_t>(r);
        }
        out.push_back(v);
    }
    for (const Save& s : outputs) {
        Saved saved = save(out.at(s.index), true, without_backward(name));
        saved.slot = -1 - static_cast<int>(s.index);
        change(node).saved.push_back(saved);
    }
    return out;
}

std::vector<VariableId> AutogradState::record_view(const Event& event, const std::vector<Type>& results, bool multi_output) {
    VariableId source = event.operands.at(0);
    const char* name = nullptr;
    NodeId node;
    if (tracks(event, name)) node = add_passing(name, edge_to(source), static_cast<uint32_t>(results.size()), event.span);
    const Variable of = variables_[source.index];
    CreationMeta creation = !grad_enabled_ ? (inference_mode_ ? CreationMeta::InferenceMode : CreationMeta::NoGradMode)
                            : multi_output ? CreationMeta::MultiOutput
                                           : CreationMeta::Default;
    if (creation == CreationMeta::Default && of.base.valid()) creation = of.creation;
    std::vector<VariableId> out;
    for (size_t r = 0; r < results.size(); ++r) {
        Variable v;
        v.type = results[r];
        v.counter = of.counter;
        v.node = node;
        v.output = static_cast<uint32_t>(r);
        v.base = of.base.valid() ? of.base : source;
        v.creation = creation;
        v.attribute_version = counters_[of.counter.index].version;
        v.span = event.span;
        v.inference = of.inference;
        out.push_back(add(std::move(v)));
    }
    return out;
}

void AutogradState::check_write(VariableId dest, bool operands_require_grad) {
    const Variable& var = variables_[dest.index];
    if (var.inference && !inference_mode_)
        raise("RuntimeError", "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal tensor before doing inplace "
              "update.See https://github.com/pytorch/rfcs/pull/17 for more details.");
    if (!grad_enabled_ || !(operands_require_grad || requires_grad(dest))) return;
    if (var.base.valid()) {
        if (std::string text = forbidden_view(dest, false); !text.empty()) throw ScriptError("RuntimeError", text);
        if (requires_grad(dest) && is_leaf(var.base)) raise("RuntimeError", "a view of a leaf Variable that requires grad is being used in an in-place operation.");
    }
    if (requires_grad(dest) && is_leaf(dest)) raise("RuntimeError", "a leaf Variable that requires grad is being used in an in-place operation.");
}

void AutogradState::move_counter(VariableId v, Span span) {
    CounterId own = variables_[v.index].counter, storage = storage_of(own);
    Counter& contents = change(storage);
    ++contents.contents;
    contents.last_write = span;
    Counter& counter = change(own);
    ++counter.version;
    // Of a row of writes at one place (a loop's), the first and the last are enough to point at.
    auto same = [&](const Write& w) { return w.span == span && w.through == v; };
    size_t n = counter.writes.size();
    if (n >= 2 && same(counter.writes[n - 1]) && same(counter.writes[n - 2])) counter.writes.back().version = counter.version;
    else counter.writes.push_back({counter.version, span, v});
}

void AutogradState::bump(VariableId v, Span span) { move_counter(v, span); }

int64_t AutogradState::told_version(VariableId v) {
    CounterId c = variables_[v.index].counter;
    if (counters_[c.index].uncertain > 0) throw NotSupported("the version of a tensor that was written under a run-time condition");
    told_.push_back(c);
    return counters_[c.index].version;
}

std::vector<AutogradState::Moves> AutogradState::moves() const {
    std::vector<Moves> out;
    out.reserve(counters_.size());
    for (const Counter& c : counters_) out.push_back({c.version, c.uncertain});
    return out;
}

void AutogradState::make_uncertain(const std::vector<Moves>& before) {
    for (size_t k = 0; k < before.size(); ++k) {
        int64_t moved = counters_[k].version - before[k].version;
        if (moved > 0 && counters_[k].uncertain != before[k].uncertain + moved)
            change(CounterId(k)).uncertain = before[k].uncertain + moved;
    }
}

void AutogradState::repeat(const std::vector<Moves>& before, int64_t trips, Span span) {
    for (size_t k = 0; k < before.size() && trips > 1; ++k) {
        int64_t moved = counters_[k].version - before[k].version, maybe = counters_[k].uncertain - before[k].uncertain;
        if (moved == 0) continue;
        Counter& c = change(CounterId(k));
        c.version += (trips - 1) * moved;
        c.uncertain += (trips - 1) * maybe;
        if (!c.writes.empty()) {
            Write last = c.writes.back();
            c.writes.push_back({c.version, span, last.through});
            c.writes.back().span = last.span;
        }
        Counter& contents = change(storage_of(CounterId(k)));
        contents.contents += (trips - 1) * moved;
    }
}

void AutogradState::record_write(VariableId dest, const Event& event) {
    const OpDef& row = def(event.call.op);
    bool operands = std::any_of(event.operands.begin(), event.operands.end(), [&](VariableId v) { return v.valid() && requires_grad(v); });
    check_write(dest, operands);
    const char* name = nullptr;
    bool tracked = tracks(event, name) || (grad_enabled_ && requires_grad(dest) && name);
    if (!tracked) {
        move_counter(dest, event.span);
        return;
    }
    if (row.inplace_node) name = row.inplace_node;
    Node n{name, {}, {}, false, 1, event.span};
    std::vector<bool> needs;
    bool reads_dest = false;
    for (VariableId v : event.operands) {
        n.edges.push_back(edge_to(v));
        needs.push_back(n.edges.back().valid());
        reads_dest |= v == dest;
    }
    // A write that does not read its destination (fill, copy) still has it as first input, whose gradient is zero.
    if (!reads_dest) n.edges.insert(n.edges.begin(), edge_to(dest));
    std::string op = without_backward(name);
    bool first_dest = true;
    std::vector<Save> outputs;
    if (row.inplace_node) outputs.push_back(save_out(0));
    for (const Save& s : row.inplace_node ? std::vector<Save>() : active_saves(row, needs)) {
        if (s.which == Save::Which::Output) {
            outputs.push_back(s);
            continue;
        }
        n.holds_more |= keeps_number(event, s);
        if (s.index >= event.operands.size() || !event.operands[s.index].valid()) continue;
        // The old destination as first operand is saved as a copy, which no later write can reach.
        if (s.index == 0 && event.operands[0] == dest && first_dest) {
            first_dest = false;
            n.holds_more = true;
            continue;
        }
        n.saved.push_back(save(event.operands[s.index], false, op));
    }
    VariableId base = variables_[dest.index].base;
    NodeId node;
    n.degree = degree_of(event, n);
    if (base.valid()) {
        Edge old = edge_to(base);
        n.degree = std::max(n.degree, degree_at(old));
        n.edges.front() = old;
        n.name = "CopySlices";
        n.holds_more = true;
        node = add(std::move(n));
        Variable& b = change(base);
        b.node = node;
        b.output = 0;
    } else {
        node = add(std::move(n));
        Variable& d = change(dest);
        d.node = node;
        d.output = 0;
    }
    move_counter(dest, event.span);
    if (base.valid()) grad_fn(dest);
    for (size_t i = 0; i < outputs.size(); ++i) {
        Saved saved = save(dest, true, op);
        change(node).saved.push_back(saved);
    }
}

VariableId AutogradState::detach(VariableId v, Span span) {
    Variable d;
    d.type = variables_[v.index].type;
    d.counter = variables_[v.index].counter;
    d.span = span;
    d.inference = variables_[v.index].inference;
    return add(std::move(d));
}

VariableId AutogradState::data(VariableId v, Span span) {
    VariableId made = fresh(variables_[v.index].type, false, span);
    change(variables_[made.index].counter).storage = storage_of(variables_[v.index].counter);
    return made;
}

void AutogradState::detach_in_place(VariableId v, Span) {
    if (is_view(v))
        raise("RuntimeError", "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for training, and gradient_as_bucket_view is set as True, gradients are "
              "views of DDP buckets, and hence detach_() cannot be called on these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
              "torch/optim/optimizer.py as the solution.");
    if (variables_[v.index].node.valid())
        for (size_t n = 0; n < nodes_.size(); ++n)
            for (size_t k = 0; k < nodes_[n].saved.size(); ++k)
                if (nodes_[n].saved[k].variable == v && !nodes_[n].saved[k].is_output) change(NodeId(n)).saved[k].version = Saved::detached;
    Variable& var = change(v);
    var.node = {};
    var.output = 0;
    var.requires_grad = false;
}

void AutogradState::set_requires_grad(VariableId v, bool on) {
    if (on && !is_float(variables_[v.index].type.dtype) && !is_complex(variables_[v.index].type.dtype))
        raise("RuntimeError", "only Tensors of floating point dtype can require gradients");
    if (!is_leaf(v)) {
        if (on) return;
        raise("RuntimeError", "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that doesn't require differentiation use "
              "var_no_grad = var.detach().");
    }
    change(v).requires_grad = on;
}

void AutogradState::set_retains_grad(VariableId v) { change(v).retains_grad = true; }
void AutogradState::set_type(VariableId v, const Type& type) { change(v).type = type; }
void AutogradState::reshape_in_place(VariableId v, const Type& type, const std::string& node, Span span) {
    check_write(v, false);
    NodeId made;
    if (grad_enabled_ && requires_grad(v)) made = add_passing(node, edge_to(v), 1, span);
    move_counter(v, span);
    int64_t now = version(v);
    Variable& changed = change(v);
    changed.type = type;
    if (!made.valid()) return;
    changed.node = made;
    changed.output = 0;
    changed.attribute_version = now;
}
void AutogradState::rebind(VariableId dest, const Type& type) { change(dest).type = type; }

std::vector<VariableId> AutogradState::record_node(std::string name, const std::vector<VariableId>& operands, const std::vector<VariableId>& saved,
                                                   const std::vector<Type>& results, Span span) {
    NodeId node;
    bool tracked = grad_enabled_ && std::any_of(operands.begin(), operands.end(), [&](VariableId v) { return v.valid() && requires_grad(v); });
    if (tracked) {
        Node n{name, {}, {}, false, static_cast<uint32_t>(results.size()), span};
        for (VariableId v : operands) n.edges.push_back(edge_to(v));
        for (VariableId v : saved) n.saved.push_back(save(v, false, without_backward(name)));
        node = add(std::move(n));
    }
    std::vector<VariableId> out;
    for (size_t r = 0; r < results.size(); ++r) {
        VariableId v = fresh(results[r], false, span);
        if (node.valid() && is_float(results[r].dtype)) {
            variables_[v.index].node = node;
            variables_[v.index].output = static_cast<uint32_t>(r);
        }
        out.push_back(v);
    }
    return out;
}

void AutogradState::take_history(VariableId v, VariableId made, Span span) {
    Variable& own = change(v);
    own.node = variables_[made.index].node;
    own.output = variables_[made.index].output;
    move_counter(v, span);
}

bool AutogradState::has_views(VariableId v) const {
    return std::any_of(variables_.begin(), variables_.end(), [&](const Variable& other) { return other.base == v; });
}

double AutogradState::degree(VariableId v) {
    if (!requires_grad(v)) return 0;
    const NodeId n = grad_fn(v);
    return n.valid() ? nodes_[n.index].degree : 1;
}

VariableId AutogradState::gradient_result(const std::vector<VariableId>& through, const std::string& name, const Type& type, double degree,
                                          Span span) {
    VariableId v = fresh(type, false, span);
    if (degree < 1 || through.empty()) return v;
    Node n{name, {}, {}, false, 1, span};
    for (VariableId from : through) n.edges.push_back(edge_to(from));
    n.degree = degree;
    n.through = through;
    NodeId node = add(std::move(n));
    variables_[v.index].node = node;
    return v;
}

void AutogradState::rename_history(VariableId v, const std::string& name) { change(grad_fn(v)).name = name; }

}  // namespace sifr
