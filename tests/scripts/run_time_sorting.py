import torch

pairs = [(torch.tensor(2.), 'b'), (torch.tensor(1.), 'a'), (torch.tensor(5.), 'z')]
pairs.sort(key=lambda p: p[0].item())
print([n for _, n in pairs])
pairs.sort(key=lambda p: -p[0].item())
print([n for _, n in pairs], max(pairs, key=lambda p: p[0].item())[1])

scores = {n: v.item() for n, v in zip(['a', 'b', 'c'], torch.tensor([0.25, 0.5, 0.25]))}
for name, score in sorted(scores.items(), key=lambda kv: kv[1], reverse=True):
    print(f"{name}: {score:.2f}")
print(sorted(scores, key=scores.get), sorted(scores.items(), key=lambda kv: (-kv[1], kv[0]))[:2])

x = torch.tensor([3., 1., 2., 1.])
order = sorted(range(4), key=lambda i: -x[i])
print(order, [x[i].item() for i in order], sorted(x))
rows = torch.tensor([[3, 1], [1, 2], [3, 0]])
print(sorted(tuple(r.tolist()) for r in rows), sorted(rows.tolist()))
print(sorted(zip(rows[:, 1].tolist(), ['a', 'b', 'c'])))


class Particle:
    def __init__(self, name, fitness):
        self.name = name
        self.fitness = fitness

    def __repr__(self):
        return f"Particle({self.name})"


swarm = [Particle(n, f) for n, f in zip('abc', torch.tensor([0.5, 0.1, 0.9]))]
swarm.sort(key=lambda p: p.fitness)
print(swarm, [round(p.fitness.item(), 1) for p in swarm])
