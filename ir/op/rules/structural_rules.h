#pragma once

#include "ir/op/op_def.h"
#include "ir/op/vjp.h"

namespace sifr::rules {

std::vector<Type> same_as_first(const OpCall& call);
std::vector<Type> same_as_all(const OpCall& call);   ///< one result per operand: `while`
std::vector<Type> for_results(const OpCall& call);   ///< the types of the initial values
std::vector<Type> extract_result(const OpCall& call);
std::vector<Type> bounded_result(const OpCall& call);   ///< operand 0 with its bounds as sizes
std::vector<Type> backward_results(const OpCall& call);  ///< one per `wrt`
std::vector<Type> item_result(const OpCall& call);
std::vector<Type> some_result(const OpCall& call);
std::vector<Type> unwrap_results(const OpCall& call);
std::vector<Type> list_element(const OpCall& call);
std::vector<Type> list_sum_result(const OpCall& call);
std::vector<Type> select_result(const OpCall& call);  ///< `sel c, a, b`
/// Rows whose result type stands only at the instruction (Builder::emit_typed).
std::vector<Type> typed_only(const OpCall& call);
std::vector<ViewLayout> same_layout(const OpCall& call);

/// The gradient of result 0 is that of operand 0.
std::vector<ValueId> first_grad_as_is(Vjp& v);
/// Of `extract`: the gradient written into zeros at the layout, added where the layout meets itself.
std::vector<ValueId> extract_vjp(Vjp& v);
/// Of `insert`: the base's gradient without what was overwritten; the piece's is what lies at the layout.
std::vector<ValueId> insert_vjp(Vjp& v);
std::vector<ValueId> insert_add_vjp(Vjp& v);

}  // namespace sifr::rules
