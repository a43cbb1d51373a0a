# Packed sequences through recurrent layers, projections of the state, alignments of labels with steps.
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pack_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)
x = torch.randn(3, 2, 2)
packed = pack_padded_sequence(x, [2, 3], enforce_sorted=False)
print(packed.batch_sizes, packed.sorted_indices, packed.data.shape)
for layer in (nn.LSTM(2, 2, bidirectional=True), nn.GRU(2, 2), nn.RNN(2, 2, 2)):
    out, state = layer(packed)
    padded, lengths = pad_packed_sequence(out)
    print(padded.detach(), lengths, [tuple(s.shape) for s in state])
print(pad_sequence([torch.ones(2), torch.ones(3)], batch_first=True, padding_value=-1.0))
print(pack_sequence([torch.ones(2), torch.zeros(1)]))
projected = nn.LSTM(2, 3, proj_size=1)
print(projected, [(k, tuple(v.shape)) for k, v in projected.state_dict().items()])
out, (h, c) = projected(x)
print(out.shape, h.detach(), c.detach())

steps = torch.randn(5, 2, 4).log_softmax(2).requires_grad_()
loss = F.ctc_loss(steps, torch.tensor([[1, 2, 2], [3, 1, 0]]), (5, 4), (3, 2), reduction="none")
print(loss)
loss.sum().backward()
print(steps.grad[0])
print(nn.CTCLoss(blank=1, reduction="sum", zero_infinity=True)(steps.detach(), torch.tensor([0, 2, 2, 0]), torch.tensor([3, 3]), torch.tensor([2, 2])))
print(F.ctc_loss(steps.detach()[:2], torch.tensor([[2, 2, 2], [3, 1, 0]]), (2, 2), (3, 2), reduction="none"))
