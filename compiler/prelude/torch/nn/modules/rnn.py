"""Recurrent layers, their cells written out step by step."""
import math
import torch
from torch import _nn
from torch.nn import functional as F, init
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter
from torch.nn.utils.rnn import PackedSequence


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
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        if not isinstance(dropout, (int, float)) or isinstance(dropout, bool) or not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if dropout > 0 and num_layers == 1:
            import warnings
            warnings.warn(f"dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}")
        for name, value, kind in (("bias", bias, bool), ("batch_first", batch_first, bool), ("input_size", input_size, int), ("hidden_size", hidden_size, int)):
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        directions = 2 if bidirectional else 1
        gates = self._gates[mode]
        for layer in range(num_layers):
            for direction in range(directions):
                width = input_size if layer == 0 else self._state_size * directions
                suffix = f"_l{layer}" + ("_reverse" if direction else "")
                setattr(self, "weight_ih" + suffix, Parameter(torch.empty((gates * hidden_size, width), device=device, dtype=dtype)))
                setattr(self, "weight_hh" + suffix, Parameter(torch.empty((gates * hidden_size, self._state_size), device=device, dtype=dtype)))
                if bias:
                    setattr(self, "bias_ih" + suffix, Parameter(torch.empty(gates * hidden_size, device=device, dtype=dtype)))
                    setattr(self, "bias_hh" + suffix, Parameter(torch.empty(gates * hidden_size, device=device, dtype=dtype)))
                if proj_size:
                    setattr(self, "weight_hr" + suffix, Parameter(torch.empty((proj_size, hidden_size), device=device, dtype=dtype)))
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    @property
    def _state_size(self):
        return self.proj_size if self.proj_size > 0 else self.hidden_size

    def flatten_parameters(self):
        pass

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            text += f", proj_size={self.proj_size}"
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

    @property
    def all_weights(self):
        directions = 2 if self.bidirectional else 1
        return [[w for w in self._weights(layer, direction) + (self._projection(layer, direction),) if w is not None] for layer in range(self.num_layers) for direction in range(directions)]

    def _weights(self, layer, direction):
        suffix = f"_l{layer}" + ("_reverse" if direction else "")
        w_ih, w_hh = getattr(self, "weight_ih" + suffix), getattr(self, "weight_hh" + suffix)
        if not self.bias:
            return w_ih, w_hh, None, None
        return w_ih, w_hh, getattr(self, "bias_ih" + suffix), getattr(self, "bias_hh" + suffix)

    def _projection(self, layer, direction):
        return getattr(self, f"weight_hr_l{layer}" + ("_reverse" if direction else "")) if self.proj_size else None

    def _step(self, gi, h, c, w_hh, b_hh, w_hr):
        gh = F.linear(h, w_hh, b_hh)
        if self.mode == "LSTM":
            h, c = _lstm_step(gi + gh, c)
            return (h if w_hr is None else F.linear(h, w_hr)), c
        if self.mode == "GRU":
            return _gru_step(gi, gh, h), c
        return ((gi + gh).tanh() if self.mode == "RNN_TANH" else (gi + gh).relu()), c

    def _run_packed(self, data, sizes, layer, direction, h, c):
        """One layer in one direction over steps of fewer and fewer rows."""
        w_ih, w_hh, b_ih, b_hh = self._weights(layer, direction)
        w_hr = self._projection(layer, direction)
        projected = F.linear(data, w_ih, b_ih).split(sizes)
        steps = len(sizes)
        outputs = [None] * steps
        for k in range(steps):
            t = steps - 1 - k if direction else k
            n = sizes[t]
            rows, cell = self._step(projected[t], h[:n], c[:n] if c is not None else None, w_hh, b_hh, w_hr)
            outputs[t] = rows
            if n < h.size(0):
                rows, cell = torch.cat([rows, h[n:]]), torch.cat([cell, c[n:]]) if c is not None else None
            h, c = rows, cell
        return torch.cat(outputs), h, c

    def _run(self, x, layer, direction, h, c):
        """One layer in one direction over x of [steps, batch, width]: outputs, last h, last c."""
        w_ih, w_hh, b_ih, b_hh = self._weights(layer, direction)
        w_hr = self._projection(layer, direction)
        steps = x.size(0)
        projected = F.linear(x, w_ih, b_ih)
        outputs = [None] * steps
        for k in range(steps):
            t = steps - 1 - k if direction else k
            h, c = self._step(projected[t], h, c, w_hh, b_hh, w_hr)
            outputs[t] = h
        out = torch.stack(outputs)
        # PyTorch runs a layer of this kind as one call of oneDNN, which has a node of its own.
        if self.mode == "LSTM" and x.dtype == torch.float32 and w_hr is None and out.requires_grad:
            out = _nn.renamed(out, "MkldnnRnnLayerBackward0")
        return out, h, c

    def _check_size(self, hidden, name, batch, width):
        wanted = (self.num_layers * (2 if self.bidirectional else 1), batch, width)
        if hidden.size() != wanted:
            raise RuntimeError(f"Expected {name} size {wanted}, got {list(hidden.size())}")

    def _check_ranks(self, h0, c0, batched):
        kind, rank = ("batched", 3) if batched else ("unbatched", 2)
        if c0 is None:
            if h0.dim() != rank:
                raise RuntimeError(f"For {kind} {rank}-D input, hx should also be {rank}-D but got {h0.dim()}-D tensor")
        elif h0.dim() != rank or c0.dim() != rank:
            raise RuntimeError(f"For {kind} {rank}-D input, hx and cx should also be {rank}-D but got ({h0.dim()}-D, {c0.dim()}-D) tensors")

    def _forward_packed(self, input, hx, lstm):
        directions = 2 if self.bidirectional else 1
        batch, count = input._sizes[0], self.num_layers * directions
        if hx is None:
            h0 = torch.zeros(count, batch, self._state_size, dtype=input.data.dtype)
            c0 = torch.zeros(count, batch, self.hidden_size, dtype=input.data.dtype) if lstm else None
        else:
            h0, c0 = hx if lstm else (hx, None)
            if input.sorted_indices is not None:
                h0 = h0.index_select(1, input.sorted_indices)
                c0 = c0.index_select(1, input.sorted_indices) if lstm else None
        x = input.data
        last_h, last_c = [], []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(directions):
                k = layer * directions + direction
                out, h, c = self._run_packed(x, input._sizes, layer, direction, h0[k], c0[k] if lstm else None)
                outputs.append(out)
                last_h.append(h)
                last_c.append(c)
            x = outputs[0] if directions == 1 else torch.cat(outputs, -1)
            if self.dropout > 0 and layer + 1 < self.num_layers:
                x = F.dropout(x, self.dropout, self.training)
        h = torch.stack(last_h)
        c = torch.stack(last_c) if lstm else None
        if input.unsorted_indices is not None:
            h = h.index_select(1, input.unsorted_indices)
            c = c.index_select(1, input.unsorted_indices) if lstm else None
        packed = PackedSequence(x, input.batch_sizes, input.sorted_indices, input.unsorted_indices, input._sizes)
        return (packed, (h, c)) if lstm else (packed, h)

    def forward(self, input, hx=None):
        lstm = self.mode == "LSTM"
        if self.proj_size > 0:
            import warnings
            warnings.warn("LSTM with projections is not supported with oneDNN. Using default implementation.")
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx, lstm)
        batched = input.dim() == 3
        if input.dim() not in (2, 3):
            raise ValueError(f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.dim()}D{' tensor' if self.mode.startswith('RNN') else ''} instead")
        x = input if batched else input.unsqueeze(0 if self.batch_first else 1)
        batch = x.size(0 if self.batch_first else 1)
        directions = 2 if self.bidirectional else 1
        if hx is None:
            h0 = torch.zeros(self.num_layers * directions, batch, self._state_size, dtype=input.dtype)
            c0 = torch.zeros(self.num_layers * directions, batch, self.hidden_size, dtype=input.dtype) if lstm else None
        else:
            h0, c0 = hx if lstm else (hx, None)
            self._check_ranks(h0, c0, batched)
            if not batched:
                h0 = h0.unsqueeze(1)
                c0 = c0.unsqueeze(1) if lstm else None
        weight = self._weights(0, 0)[0]
        if input.dtype != weight.dtype:
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype ({weight.dtype}). Convert input: input.to({weight.dtype}), or convert model: model.to({input.dtype})")
        if input.size(-1) != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}")
        self._check_size(h0, "hidden[0]" if lstm else "hidden", batch, self._state_size)
        if lstm:
            self._check_size(c0, "hidden[1]", batch, self.hidden_size)
        if self.batch_first:
            x = x.transpose(0, 1)
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
            x = x.transpose(0, 1) if lstm else x.transpose_(0, 1)
        h = torch.stack(last_h)
        c = torch.stack(last_c) if lstm else None
        if not batched:
            x = x.squeeze(0 if self.batch_first else 1)
            h = h.squeeze(1)
            c = c.squeeze(1) if lstm else None
        return (x, (h, c)) if lstm else (x, h)


class RNN(RNNBase):
    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0, bidirectional=False, device=None, dtype=None, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        mode = "RNN_TANH" if nonlinearity == "tanh" else "RNN_RELU"
        super().__init__(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


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
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for p in self.parameters():
            init.uniform_(p, -bound, bound)

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if self.__dict__.get("nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _gates(self, input, h):
        return F.linear(input, self.weight_ih, self.bias_ih), F.linear(h, self.weight_hh, self.bias_hh)

    def _batched(self, input, hidden):
        """The input and the states with an axis for the batch, and whether it was added."""
        single = input.dim() == 1
        x = input.unsqueeze(0) if single else input
        if hidden is None:
            zeros = torch.zeros(x.size(0), self.hidden_size, dtype=input.dtype)
            hidden = [zeros] * self._states
        elif single:
            hidden = [h.unsqueeze(0) for h in hidden]
        if x.size(1) != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {x.size(1)} expected {self.input_size}")
        for k in range(len(hidden)):
            if hidden[k].size(0) != x.size(0):
                raise RuntimeError(f"Input batch size {x.size(0)} doesn't match hidden{k} batch size {hidden[k].size(0)}")
            if hidden[k].size(1) != self.hidden_size:
                raise RuntimeError(f"hidden{k} has inconsistent hidden_size: got {hidden[k].size(1)}, expected {self.hidden_size}")
        return x, hidden, single

    def _one_state(self, input, hx):
        """The only state of a cell, from its arguments."""
        if input.dim() not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if hx is not None and hx.dim() not in (1, 2):
            raise ValueError(f"{type(self).__name__}: Expected hidden to be 1D or 2D, got {hx.dim()}D instead")
        x, hidden, single = self._batched(input, None if hx is None else [hx])
        return x, hidden[0], single


class RNNCell(RNNCellBase):
    _states = 1

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        x, h, single = self._one_state(input, hx)
        gi, gh = self._gates(x, h)
        h = (gi + gh).tanh() if self.nonlinearity == "tanh" else (gi + gh).relu()
        return h.squeeze(0) if single else h


class LSTMCell(RNNCellBase):
    _states = 2

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        if input.dim() not in (1, 2):
            raise ValueError(f"LSTMCell: Expected input to be 1D or 2D, got {input.dim()}D instead")
        if hx is not None:
            for k, state in enumerate(hx):
                if state.dim() not in (1, 2):
                    raise ValueError(f"LSTMCell: Expected hx[{k}] to be 1D or 2D, got {state.dim()}D instead")
        x, (h, c), single = self._batched(input, hx)
        gi, gh = self._gates(x, h)
        h, c = _lstm_step(gi + gh, c)
        return (h.squeeze(0), c.squeeze(0)) if single else (h, c)


class GRUCell(RNNCellBase):
    _states = 1

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        x, h, single = self._one_state(input, hx)
        gi, gh = self._gates(x, h)
        h = _gru_step(gi, gh, h)
        return h.squeeze(0) if single else h
