"""Recurrent layers, their cells written out step by step."""
import math
import torch
from torch.nn import functional as F, init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter


def _lstm_step(gates, c):
    i, f, g, o = gates.chunk(4, 1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def _gru_step(gi, gh, h):
    ir, iz, inn = gi.chunk(3, 1)
    hr, hz, hn = gh.chunk(3, 1)
    r = (ir + hr).sigmoid()
    z = (iz + hz).sigmoid()
    n = (inn + r * hn).tanh()
    return (h - n) * z + n


class RNNBase(Module):
    _gates = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        if proj_size:
            raise NotImplementedError("not supported: recurrent layers with proj_size")
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        if dropout > 0 and num_layers == 1:
            import warnings
            warnings.warn(f"dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}")
        directions = 2 if bidirectional else 1
        gates = self._gates[mode]
        for layer in range(num_layers):
            for direction in range(directions):
                width = input_size if layer == 0 else hidden_size * directions
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                setattr(self, "weight_ih" + suffix, Parameter(torch.empty((gates * hidden_size, width), device=device, dtype=dtype)))
                setattr(self, "weight_hh" + suffix, Parameter(torch.empty((gates * hidden_size, hidden_size), device=device, dtype=dtype)))
                if bias:
                    setattr(self, "bias_ih" + suffix, Parameter(torch.empty(gates * hidden_size, device=device, dtype=dtype)))
                    setattr(self, "bias_hh" + suffix, Parameter(torch.empty(gates * hidden_size, device=device, dtype=dtype)))
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def flatten_parameters(self):
        pass

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.num_layers != 1:
            text += f", num_layers={self.num_layers}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.batch_first is not False:
            text += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            text += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            text += f", bidirectional={self.bidirectional}"
        return text

    def _weights(self, layer, direction):
        suffix = f"_l{layer}" + ("_reverse" if direction else "")
        w_ih, w_hh = getattr(self, "weight_ih" + suffix), getattr(self, "weight_hh" + suffix)
        if not self.bias:
            return w_ih, w_hh, None, None
        return w_ih, w_hh, getattr(self, "bias_ih" + suffix), getattr(self, "bias_hh" + suffix)

    def _run(self, x, layer, direction, h, c):
        """One layer in one direction over x of [steps, batch, width]: outputs, last h, last c."""
        w_ih, w_hh, b_ih, b_hh = self._weights(layer, direction)
        steps = x.size(0)
        projected = F.linear(x, w_ih, b_ih)
        outputs = [None] * steps
        for k in range(steps):
            t = steps - 1 - k if direction else k
            gi = projected[t]
            gh = F.linear(h, w_hh, b_hh)
            if self.mode == "LSTM":
                h, c = _lstm_step(gi + gh, c)
            elif self.mode == "GRU":
                h = _gru_step(gi, gh, h)
            elif self.mode == "RNN_TANH":
                h = (gi + gh).tanh()
            else:
                h = (gi + gh).relu()
            outputs[t] = h
        return torch.stack(outputs), h, c

    def forward(self, input, hx=None):
        batched = input.dim() == 3
        if input.dim() not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D instead")
        if input.size(-1) != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}")
        x = input if batched else input.unsqueeze(0 if self.batch_first else 1)
        if self.batch_first:
            x = x.transpose(0, 1)
        directions = 2 if self.bidirectional else 1
        lstm = self.mode == "LSTM"
        if hx is None:
            h0 = torch.zeros(self.num_layers * directions, x.size(1), self.hidden_size, dtype=input.dtype)
            c0 = torch.zeros(self.num_layers * directions, x.size(1), self.hidden_size, dtype=input.dtype) if lstm else None
        else:
            h0, c0 = hx if lstm else (hx, None)
            if not batched:
                h0 = h0.unsqueeze(1)
                c0 = c0.unsqueeze(1) if lstm else None
        last_h, last_c = [], []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                k = layer * directions + direction
                out, h, c = self._run(x, layer, direction, h0[k], c0[k] if lstm else None)
                outputs.append(out)
                last_h.append(h)
                last_c.append(c)
            x = outputs[0] if directions == 1 else torch.cat(outputs, -1)
            if self.dropout > 0 and layer + 1 < self.num_layers:
                x = F.dropout(x, self.dropout, self.training)
        if self.batch_first:
            x = x.transpose(0, 1)
        h = torch.stack(last_h)
        c = torch.stack(last_c) if lstm else None
        if not batched:
            x = x.squeeze(0 if self.batch_first else 1)
            h = h.squeeze(1)
            c = c.squeeze(1) if lstm else None
        return (x, (h, c)) if lstm else (x, h)


class RNN(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0, bidirectional=False, device=None, dtype=None):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        self_mode = "RNN_TANH" if nonlinearity == "tanh" else "RNN_RELU"
        super().__init__(self_mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__("LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device, dtype)


class GRU(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, device=None, dtype=None):
        super().__init__("GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype)


class RNNCellBase(Module):
    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        self.weight_ih = Parameter(torch.empty((num_chunks * hidden_size, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(torch.empty((num_chunks * hidden_size, hidden_size), device=device, dtype=dtype))
        if bias:
            self.bias_ih = Parameter(torch.empty(num_chunks * hidden_size, device=device, dtype=dtype))
            self.bias_hh = Parameter(torch.empty(num_chunks * hidden_size, device=device, dtype=dtype))
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        bound = 1.0 / math.sqrt(hidden_size) if hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        return text

    def _gates(self, input, h):
        return F.linear(input, self.weight_ih, self.bias_ih), F.linear(h, self.weight_hh, self.bias_hh)

    def _batched(self, input, h):
        if input.dim() not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        single = input.dim() == 1
        x = input.unsqueeze(0) if single else input
        if h is None:
            h = torch.zeros(x.size(0), self.hidden_size, dtype=input.dtype)
        elif single:
            h = h.unsqueeze(0)
        return x, h, single


class RNNCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        x, h, single = self._batched(input, hx)
        gi, gh = self._gates(x, h)
        h = (gi + gh).tanh() if self.nonlinearity == "tanh" else (gi + gh).relu()
        return h.squeeze(0) if single else h


class LSTMCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        x, h, single = self._batched(input, None if hx is None else hx[0])
        _, c, _ = self._batched(input, None if hx is None else hx[1])
        gi, gh = self._gates(x, h)
        h, c = _lstm_step(gi + gh, c)
        return (h.squeeze(0), c.squeeze(0)) if single else (h, c)


class GRUCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        x, h, single = self._batched(input, hx)
        gi, gh = self._gates(x, h)
        h = _gru_step(gi, gh, h)
        return h.squeeze(0) if single else h
