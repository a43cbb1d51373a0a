from torch.optim import lr_scheduler
from torch.optim.optimizer import Optimizer
from torch.optim.sgd import SGD
from torch.optim.adam import Adam, AdamW
from torch.optim.lbfgs import LBFGS
from torch.optim.others import RMSprop, Adagrad, Adadelta, Adamax, NAdam, RAdam, Rprop, ASGD
