import torch
import torch.distributions as D


def attempt(label, f):
    try:
        print(label, f())
    except (ValueError, NotImplementedError) as e:
        print(label, type(e).__name__, e)


print(D.Normal(0.0, -1.0, validate_args=False))
attempt("both", lambda: D.Bernoulli(torch.tensor([0.5]), torch.tensor([0.5])))
attempt("neither", lambda: D.Categorical())
attempt("scalar probs", lambda: D.Categorical(torch.tensor(1.0)))
normal = D.Normal(torch.zeros(2), 1.0)
attempt("not a tensor", lambda: normal.log_prob(1.0))
attempt("shape", lambda: normal.log_prob(torch.zeros(3)))
one_hot = D.OneHotCategorical(torch.ones(3))
attempt("event", lambda: one_hot.log_prob(torch.zeros(2)))
attempt("batch", lambda: D.Independent(normal, 2))
bernoulli = D.Bernoulli(0.5)
attempt("kl", lambda: D.kl_divergence(normal, bernoulli))
attempt("kl", lambda: D.kl_divergence(normal, one_hot))
attempt("rsample", lambda: one_hot.rsample())
attempt("cdf", lambda: bernoulli.cdf(torch.tensor(1.0)))
attempt("text", lambda: D.Normal("a", 1.0))
print(D.constraints.real, D.constraints.simplex, D.constraints.unit_interval, D.constraints.real_vector)
print(D.constraints.integer_interval(0, 3).check(torch.tensor([0.0, 0.5, 4.0])), D.constraints.nonnegative_integer)
D.Normal(torch.zeros(2), torch.tensor([1.0, 0.0]))
