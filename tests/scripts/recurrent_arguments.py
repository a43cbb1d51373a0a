import torch
import torch.nn as nn


def attempt(f):
    try:
        f()
    except Exception as e:
        print(type(e).__name__ + ":", e)


attempt(lambda: nn.GRU(3, 2)(torch.zeros(4, 1, 3), torch.zeros(1, 1, 3)))
attempt(lambda: nn.LSTM(3, 2)(torch.zeros(4, 1, 3), (torch.zeros(1, 1, 3), torch.zeros(1, 1, 2))))
attempt(lambda: nn.LSTM(3, 2)(torch.zeros(4, 1, 3), (torch.zeros(1, 1, 2), torch.zeros(1, 2, 2))))
attempt(lambda: nn.LSTM(3, 2)(torch.zeros(4, 1, 3), (torch.zeros(1, 2), torch.zeros(1, 2))))
attempt(lambda: nn.LSTM(3, 2)(torch.zeros(4, 3), (torch.zeros(1, 1, 2), torch.zeros(1, 1, 2))))
attempt(lambda: nn.GRU(3, 2)(torch.zeros(4, 3), torch.zeros(1, 1, 2)))
attempt(lambda: nn.RNN(3, 2)(torch.zeros(4, 1, 3), torch.zeros(1, 2)))
attempt(lambda: nn.RNN(3, 2)(torch.zeros(4)))
attempt(lambda: nn.GRU(3, 2)(torch.zeros(4)))
attempt(lambda: nn.LSTM(3, 2)(torch.zeros(4, 1, 5)))
attempt(lambda: nn.LSTM(3, 2)(torch.zeros(4, 1, 3).double()))
attempt(lambda: nn.LSTM(3, 2)(torch.zeros(4, 1, 3).long()))
attempt(lambda: nn.LSTM(0, 2))
attempt(lambda: nn.LSTM(3, -1))
attempt(lambda: nn.LSTM(3, 2, num_layers=0))
attempt(lambda: nn.LSTM(3, 2, proj_size=2))
attempt(lambda: nn.LSTM(3, 2, dropout=1.5))
attempt(lambda: nn.LSTM(3, 2, dropout=.5))
attempt(lambda: nn.LSTM(3.0, 2))
attempt(lambda: nn.LSTM(3, 2, bias=1))
attempt(lambda: nn.RNN(3, 2, nonlinearity="gelu"))
attempt(lambda: nn.GRU(3, 2, proj_size=1))
attempt(lambda: nn.LSTMCell(3, 2)(torch.zeros(1, 4)))
attempt(lambda: nn.GRUCell(3, 2)(torch.zeros(1, 4)))
attempt(lambda: nn.RNNCell(3, 2)(torch.zeros(2, 3), torch.zeros(1, 2)))
attempt(lambda: nn.RNNCell(3, 2)(torch.zeros(2, 3), torch.zeros(2, 4)))
attempt(lambda: nn.RNNCell(3, 2)(torch.zeros(2, 3, 4)))
attempt(lambda: nn.LSTMCell(3, 2)(torch.zeros(2, 3), (torch.zeros(2, 2, 1), torch.zeros(2, 2))))
attempt(lambda: nn.GRUCell(3, 2)(torch.zeros(2, 3), torch.zeros(2, 2, 2)))
attempt(lambda: nn.RNNCell(3, 2, nonlinearity="selu")(torch.zeros(2, 3)))
print(nn.RNNCell(3, 2, nonlinearity="relu"), nn.LSTMCell(2, 3, bias=False), nn.LSTM(2, 3, 2, batch_first=True, bidirectional=True, dropout=0.1))
torch.manual_seed(0)
x = torch.randn(2, 2, 2)
for kind in (nn.RNN, nn.GRU, nn.LSTM):
    for batch_first in (False, True):
        out, hidden = kind(2, 3, batch_first=batch_first)(x)
        print(out[0])
        print((hidden[0] if isinstance(hidden, tuple) else hidden).sum())
print([[tuple(w.shape) for w in ws] for ws in nn.LSTM(2, 3, 2).all_weights])
