from torch.nn.parameter import Parameter
from torch.nn import functional, init
from torch.nn.modules.module import Module
from torch.nn.modules.container import Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict
from torch.nn.modules.linear import Identity, Linear, Bilinear
from torch.nn.modules.activation import (ReLU, ReLU6, LeakyReLU, ELU, SELU, CELU, SiLU, Mish, GELU, Sigmoid, Tanh, LogSigmoid, Softsign, Tanhshrink, Hardshrink, Hardswish, Hardsigmoid, Hardtanh,
                                         Softplus, Softshrink, Threshold, PReLU, RReLU, GLU, Softmax, Softmax2d, Softmin, LogSoftmax)
from torch.nn.modules.loss import (L1Loss, MSELoss, SmoothL1Loss, HuberLoss, NLLLoss, CrossEntropyLoss, BCELoss, BCEWithLogitsLoss, KLDivLoss, HingeEmbeddingLoss, MarginRankingLoss,
                                   CosineEmbeddingLoss, TripletMarginLoss, GaussianNLLLoss, PoissonNLLLoss, SoftMarginLoss, MultiLabelMarginLoss, MultiLabelSoftMarginLoss,
                                   MultiMarginLoss, TripletMarginWithDistanceLoss, CTCLoss)
from torch.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss
from torch.nn.modules.distance import CosineSimilarity, PairwiseDistance
from torch.nn.modules.dropout import Dropout, AlphaDropout, Dropout1d, Dropout2d, Dropout3d, FeatureAlphaDropout
from torch.nn.modules.normalization import LayerNorm, RMSNorm, GroupNorm, LocalResponseNorm
from torch.nn.modules.batchnorm import BatchNorm1d, BatchNorm2d, BatchNorm3d
from torch.nn.modules.instancenorm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from torch.nn.modules.sparse import Embedding, EmbeddingBag
from torch.nn.modules.flatten import Flatten, Unflatten, Fold, Unfold
from torch.nn.modules.conv import Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from torch.nn.modules.padding import (CircularPad1d, CircularPad2d, CircularPad3d, ConstantPad1d, ConstantPad2d, ConstantPad3d, ReflectionPad1d, ReflectionPad2d, ReflectionPad3d,
                                      ReplicationPad1d, ReplicationPad2d, ReplicationPad3d, ZeroPad1d, ZeroPad2d, ZeroPad3d)
from torch.nn.modules.pooling import (MaxPool1d, MaxPool2d, MaxPool3d, MaxUnpool1d, MaxUnpool2d, AvgPool1d, AvgPool2d, AvgPool3d, LPPool1d, LPPool2d, AdaptiveMaxPool1d, AdaptiveMaxPool2d,
                                      AdaptiveMaxPool3d, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d)
from torch.nn.modules.upsampling import Upsample, UpsamplingNearest2d, UpsamplingBilinear2d, PixelShuffle, PixelUnshuffle, ChannelShuffle
from torch.nn.modules.rnn import RNN, LSTM, GRU, RNNCell, LSTMCell, GRUCell
from torch.nn.modules.transformer import MultiheadAttention, TransformerEncoderLayer, TransformerEncoder, TransformerDecoderLayer, TransformerDecoder, Transformer
from torch.nn import utils
