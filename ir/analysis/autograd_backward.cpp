// What a backward asks of the state: which nodes it walks, whether what they saved is still there, and what it frees.

#include "ir/analysis/autograd_state.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "ir/analysis/messages.h"

namespace sifr {

namespace {

/// The remark of `--hazards=repair`, with the places of the hazard that there would have been.
Diagnostic kept_for(AutogradState::Hazard hazard, const Span& saved, int64_t bytes) {
    Diagnostic d = diagnose(analysis_messages::saved_kept, hazard.diagnostic.span, saved.line, bytes);
    d.labels = std::move(hazard.diagnostic.labels);
    return d;
}

}  // namespace

AutogradState::Hazard AutogradState::version_hazard(Span span, NodeId at, const Saved& saved) {
    const Variable& var = variables_[saved.variable.index];
    const Counter& counter = counters_[saved.counter.index];
    std::string sizes;
    for (int64_t s : var.type.sizes) sizes += (sizes.empty() ? "" : ", ") + std::to_string(s);
    std::string producer;
    uint32_t output = var.output;
    if (saved.is_output) {
        producer = nodes_[at.index].name;
    } else {
        NodeId n = grad_fn(saved.variable);
        if (n.valid()) {
            producer = nodes_[n.index].name;
            output = variables_[saved.variable.index].output;
        }
    }
    if (producer == "CopySlices" || producer == "CopyBackwards") producer = "torch::autograd::" + producer;
    std::string text = fmt::format("one of the variables needed for gradient computation has been modified by an inplace operation: [{} [{}]]{} is at version {}; expected version {} "
                                   "instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, "
                                   "check_nan=False).",
                                   var.type.dtype == DType::Bool ? std::string_view("CPUBoolType") : tensor_type_name(var.type.dtype), sizes,
                                   producer.empty() ? std::string() : fmt::format(", which is output {} of {},", output, without_backward(producer)), counter.version, saved.version);
    Diagnostic d = diagnose(analysis_messages::saved_overwritten, span, nodes_[at.index].span.line, saved.version, counter.version);
    d.exception = "RuntimeError";
    d.exception_text = text;
    d.labels.push_back({span, "needed here"});
    d.labels.push_back({nodes_[at.index].span, fmt::format("saved here by '{}'", saved.op)});
    for (const Write& w : counter.writes)
        if (w.version > saved.version) {
            d.labels.push_back({w.span, "overwritten here"});
            d.help = fmt::format("write into a copy (`.clone()`), or move line {} behind line {}", w.span.line, span.line);
            break;
        }
    return Hazard{ScriptError("RuntimeError", text), std::move(d)};
}

AutogradState::Outcome AutogradState::backward(const Request& request) {
    Outcome outcome;
    std::vector<Edge> roots;
    for (size_t i = 0; i < request.roots.size(); ++i) {
        Edge e = edge_to(request.roots[i]);
        if (!e.valid()) raise("RuntimeError", "element {} of tensors does not require grad and does not have a grad_fn", i);
        roots.push_back(e);
    }
    // Where the wanted gradients are taken: at a leaf, or at an output of a node.
    std::vector<Edge> wanted;
    for (VariableId v : request.inputs) {
        if (!requires_grad(v)) raise("RuntimeError", "One of the differentiated Tensors does not require grad");
        wanted.push_back(edge_to(v));
    }
    outcome.used.assign(request.inputs.size(), false);

    // Dependencies, and which nodes lead to a wanted edge.
    std::map<NodeId, int> waiting;
    std::map<VariableId, int> leaf_waiting, leaf_arrived;
    for (const Edge& e : roots)
        if (e.leaf.valid()) ++leaf_waiting[e.leaf];
    std::vector<NodeId> stack;
    std::set<NodeId> seen;
    auto push = [&](NodeId n) {
        if (n.valid() && seen.insert(n).second) stack.push_back(n);
    };
    for (const Edge& e : roots) push(e.node);
    while (!stack.empty()) {
        NodeId n = stack.back();
        stack.pop_back();
        for (const Edge& e : nodes_[n.index].edges) {
            if (e.leaf.valid()) ++leaf_waiting[e.leaf];
            if (e.node.valid()) {
                ++waiting[e.node];
                push(e.node);
            }
        }
    }
    // Variables that keep their gradient though they are no leaves: served when their node is about to run.
    std::map<NodeId, std::vector<VariableId>> retaining;
    for (size_t i = 0; i < variables_.size(); ++i)
        if (variables_[i].retains_grad && variables_[i].node.valid() && seen.count(variables_[i].node)) retaining[variables_[i].node].push_back(VariableId(i));
    bool some = !request.inputs.empty();
    std::set<NodeId> needed;
    if (some) {
        // Ids grow with creation and edges lead to older nodes, except for views remade later; iterate to a fixed point.
        bool changed = true;
        while (changed) {
            changed = false;
            for (NodeId n : seen) {
                if (needed.count(n)) continue;
                for (const Edge& e : nodes_[n.index].edges) {
                    bool hit = (e.node.valid() && needed.count(e.node)) ||
                               std::any_of(wanted.begin(), wanted.end(), [&](const Edge& w) { return e.leaf.valid() ? w.leaf == e.leaf : e.node.valid() && w.node == e.node && w.output == e.output; });
                    if (hit) {
                        needed.insert(n);
                        changed = true;
                        break;
                    }
                }
            }
        }
    }
    auto give = [&](VariableId v, int contributions) {
        if (std::find(outcome.reached.begin(), outcome.reached.end(), v) != outcome.reached.end()) return;
        outcome.reached.push_back(v);
        outcome.contributions.push_back(contributions);
    };
    auto reach = [&](const Edge& e, bool flows) {
        if (e.leaf.valid()) {
            --leaf_waiting[e.leaf];
            leaf_arrived[e.leaf] += flows;
        }
        if (!flows && !e.leaf.valid()) return;
        if (e.leaf.valid() && (leaf_waiting[e.leaf] > 0 || leaf_arrived[e.leaf] == 0)) return;
        for (size_t k = 0; k < wanted.size(); ++k) {
            bool hit = e.leaf.valid() ? wanted[k].leaf == e.leaf : wanted[k].node == e.node && wanted[k].output == e.output;
            if (hit) outcome.used[k] = true;
        }
        if (!e.leaf.valid() || request.only_inputs) return;
        bool taken = !some || std::any_of(wanted.begin(), wanted.end(), [&](const Edge& w) { return w.leaf == e.leaf; });
        if (taken) give(e.leaf, leaf_arrived[e.leaf]);
    };

    std::priority_queue<NodeId> ready;  // the latest node first
    std::set<NodeId> queued;
    for (const Edge& e : roots) {
        reach(e, true);
        if (e.node.valid() && waiting[e.node] == 0 && queued.insert(e.node).second) ready.push(e.node);
    }
    while (!ready.empty()) {
        NodeId n = ready.top();
        ready.pop();
        bool runs = !some || needed.count(n);
        // An input that is the result of this node has its gradient now, whether the node itself has to run or not.
        if (!request.only_inputs)
            for (VariableId v : retaining[n])
                if (runs || !some) give(v, 1);
        if (!request.only_inputs && some)
            for (size_t k = 0; k < wanted.size(); ++k)
                if (wanted[k].node == n) give(request.inputs[k], 1);
        if (runs) {
            if (nodes_[n.index].refuses) raise("RuntimeError", "derivative for aten::{} is not implemented", nodes_[n.index].op);
            outcome.ran.push_back(n);
            oldest_ran = std::min<size_t>(oldest_ran, n.index);
            if (nodes_[n.index].freed && nodes_[n.index].holds()) {
                Hazard h{ScriptError("RuntimeError", "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). Saved "
                                     "intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the graph a "
                                     "second time or if you need to access saved tensors after calling backward."), {}};
                h.diagnostic = diagnose(analysis_messages::graph_freed, request.span);
                h.diagnostic.exception = h.error.type;
                h.diagnostic.exception_text = h.error.text;
                h.diagnostic.labels.push_back({request.span, "needs the saved values again"});
                h.diagnostic.labels.push_back({nodes_[n.index].span, "saved here, and freed by an earlier backward"});
                h.diagnostic.help = "keep them: pass retain_graph=True to the earlier backward";
                outcome.hazard = std::move(h);
                return outcome;
            }
            for (const Saved& s : nodes_[n.index].saved) {
                if (s.version == Saved::detached) {
                    Hazard h{ScriptError("RuntimeError", "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not supported, please use out-of-place `.detach()` instead"), {}};
                    h.diagnostic = diagnose(analysis_messages::saved_detached, request.span, nodes_[n.index].span.line);
                    h.diagnostic.exception = h.error.type;
                    h.diagnostic.exception_text = h.error.text;
                    h.diagnostic.labels.push_back({request.span, "needed here"});
                    h.diagnostic.labels.push_back({nodes_[n.index].span, fmt::format("saved here by '{}'", s.op)});
                    h.diagnostic.help = "use `.detach()`, which leaves the tensor as it is";
                    outcome.hazard = std::move(h);
                    return outcome;
                }
                const Counter& storage = counters_[storage_of(s.counter).index];
                bool same = counters_[s.counter.index].version == s.version;
                if (same && !s.unread && storage.contents != s.contents) outcome.overwritten.push_back({n, s, storage.last_write});
                if (same) continue;
                const Counter& own = counters_[s.counter.index];
                if (own.version - s.version <= own.uncertain - s.uncertain)
                    throw NotSupported(fmt::format("a gradient with a value that line {} saved for it, and that line {} may have "
                                                   "overwritten under a run-time condition",
                                                   nodes_[n.index].span.line, own.writes.back().span.line),
                                       "write into a copy (`.clone()`), or behind the backward");
                told_.push_back(s.counter);
                Saved copy = s;
                if (request.keep_saved) {
                    Diagnostic kept = kept_for(version_hazard(request.span, n, copy), nodes_[n.index].span, variables_[s.variable.index].type.bytes());
                    // `y * y` saves one tensor twice.
                    if (outcome.kept.empty() || outcome.kept.back().text != kept.text) outcome.kept.push_back(std::move(kept));
                    continue;
                }
                outcome.hazard = version_hazard(request.span, n, copy);
                return outcome;
            }
            if (!request.retain_graph && !nodes_[n.index].freed) change(n).freed = true;
        }
        for (size_t k = 0; k < nodes_[n.index].edges.size(); ++k) {
            Edge e = nodes_[n.index].edges[k];
            if (!e.valid()) continue;
            reach(e, runs);
            if (e.node.valid() && --waiting[e.node] == 0 && queued.insert(e.node).second) ready.push(e.node);
        }
    }
    if (request.only_inputs && !request.allow_unused)
        for (size_t k = 0; k < outcome.used.size(); ++k)
            if (!outcome.used[k])
                raise("RuntimeError", "The differentiated Tensor at index {} appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.", k);
    return outcome;
}

}  // namespace sifr
