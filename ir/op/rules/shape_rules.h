#pragma once

#include "ir/op/op_def.h"

namespace sifr::rules {

std::vector<Type> cat_result(const OpCall& call);
std::vector<Type> stack_result(const OpCall& call);
std::vector<Type> repeat_result(const OpCall& call);
std::vector<Type> flip_result(const OpCall& call);
std::vector<Type> roll_result(const OpCall& call);
std::vector<Type> rot90_result(const OpCall& call);
std::vector<Type> triangle_result(const OpCall& call);   ///< tril, triu
std::vector<Type> diag_result(const OpCall& call);
std::vector<Type> diag_embed_result(const OpCall& call);
std::vector<Type> view_scatter_result(const OpCall& call);  ///< diagonal_scatter, select_scatter, slice_scatter
std::vector<Type> pad_result(const OpCall& call);
std::vector<Type> repeat_interleave_result(const OpCall& call);
std::vector<Type> cross_result(const OpCall& call);
std::vector<Type> gather_result(const OpCall& call);
std::vector<Type> scatter_result(const OpCall& call);
std::vector<Type> index_select_result(const OpCall& call);
std::vector<Type> index_result(const OpCall& call);
std::vector<Type> index_put_result(const OpCall& call);
std::vector<Type> index_add_result(const OpCall& call);
std::vector<Type> index_copy_result(const OpCall& call);
std::vector<Type> index_fill_result(const OpCall& call);
std::vector<Type> take_result(const OpCall& call);
std::vector<Type> masked_select_result(const OpCall& call);
std::vector<Type> masked_scatter_result(const OpCall& call);
std::vector<Type> nonzero_result(const OpCall& call);
std::vector<Type> embedding_result(const OpCall& call);
std::vector<Type> one_hot_result(const OpCall& call);
std::vector<Type> sort_result(const OpCall& call);
std::vector<Type> argsort_result(const OpCall& call);
std::vector<Type> topk_result(const OpCall& call);
/// `t.view(dtype)`: another size of elements divides or multiplies the last axis.
std::vector<Type> view_dtype_result(const OpCall& call);
std::vector<Type> searchsorted_result(const OpCall& call);
std::vector<Type> bucketize_result(const OpCall& call);
std::vector<Type> bincount_result(const OpCall& call);
std::vector<Type> histc_result(const OpCall& call);
std::vector<Type> unique_result(const OpCall& call);
std::vector<Type> unique_dim_result(const OpCall& call);

/// The layout of a diagonal over a row-major frame.
Layout diagonal_layout(const Sizes& frame, int64_t offset, int64_t dim1, int64_t dim2);
/// Attribute `name` as a list: an int stands for one.
std::vector<int64_t> ints(const Attrs& attrs, std::string_view name);
/// Where the broadcast index axes of `index` go: the position among the axes left.
struct IndexPlan {
    Sizes index_sizes;               ///< broadcast of the index tensors
    std::vector<int64_t> indexed;    ///< axes of self that are indexed
    int64_t at = 0;                  ///< where index_sizes stand in the result
    Sizes result;
    std::vector<RunTimeSize> run_time_sizes;  ///< of the result
};
IndexPlan plan_index(const OpCall& call, size_t first, size_t count);

}  // namespace sifr::rules
