import torch
import torch.nn.functional as F

x = torch.tensor([[0.2, 0.9, -0.4], [1.1, 0.3, 0.5]], requires_grad=True)
z = torch.tensor([[0.1, 0.4, 0.6], [-0.3, 0.2, 0.7]])
t = torch.tensor([1, 0])
labels = torch.tensor([[0, -1, 2], [2, 1, -1]])
signs = torch.tensor([[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]])
for loss in (F.multi_margin_loss(x, t), F.multi_margin_loss(x, t, p=2, margin=0.5, weight=torch.tensor([1.0, 2.0, 3.0])), F.multi_margin_loss(x, t, reduction="none"),
             F.multilabel_margin_loss(x, labels), F.multilabel_margin_loss(x, labels, reduction="sum"), F.multilabel_soft_margin_loss(x, (signs > 0).float()),
             F.soft_margin_loss(x, signs), F.pairwise_distance(x, z), F.triplet_margin_with_distance_loss(x, z, signs), F.glu(torch.cat([x, x], 1)),
             F.prelu(x, torch.tensor([0.25])), F.embedding_bag(torch.tensor([[0, 1], [1, 1]]), x), F.embedding_bag(torch.tensor([0, 1, 1]), x, torch.tensor([0, 2]), mode="sum"),
             F.hardshrink(x)):
    print(loss)
    print(torch.autograd.grad(loss.sum(), x)[0])
y = torch.tensor([-2.0, 0.5, 3.0])
print(F.relu_(y.clone()), F.hardtanh_(y.clone()), F.leaky_relu_(y.clone()), F.elu_(y.clone()), F.selu_(y.clone()), F.threshold_(y.clone(), 1.0, 0.0))
