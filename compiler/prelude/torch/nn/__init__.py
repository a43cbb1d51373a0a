from torch.nn.parameter import Parameter
from torch.nn import functional, init
from torch.nn.modules.module import Module
from torch.nn.modules.container import Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict
from torch.nn.modules.linear import Identity, Linear, Bilinear
from torch.nn.modules.activation import (ReLU, ReLU6, LeakyReLU, ELU, SELU, CELU, SiLU, Mish, GELU, Sigmoid, Tanh, LogSigmoid, Softsign, Tanhshrink, Hardswish, Hardsigmoid, Hardtanh, Softplus, Softshrink,
                                         Threshold, PReLU, GLU, Softmax, Softmin, LogSoftmax)
from torch.nn.modules.loss import (L1Loss, MSELoss, SmoothL1Loss, HuberLoss, NLLLoss, CrossEntropyLoss, BCELoss, BCEWithLogitsLoss, KLDivLoss, HingeEmbeddingLoss, MarginRankingLoss,
                                   CosineEmbeddingLoss, TripletMarginLoss, GaussianNLLLoss, PoissonNLLLoss, SoftMarginLoss)
from torch.nn.modules.dropout import Dropout, AlphaDropout, Dropout1d, Dropout2d
from torch.nn.modules.normalization import LayerNorm, RMSNorm, GroupNorm, BatchNorm1d, BatchNorm2d
from torch.nn.modules.sparse import Embedding
from torch.nn.modules.flatten import Flatten, Unflatten
from torch.nn.modules.conv import Conv1d, Conv2d, ConvTranspose2d
from torch.nn.modules.pooling import MaxPool1d, MaxPool2d, AvgPool2d, AdaptiveAvgPool2d
from torch.nn.modules.rnn import RNN, LSTM, GRU, RNNCell, LSTMCell, GRUCell
from torch.nn.modules.transformer import MultiheadAttention, TransformerEncoderLayer, TransformerEncoder, TransformerDecoderLayer, TransformerDecoder, Transformer
from torch.nn import utils
