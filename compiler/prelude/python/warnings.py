# Warnings: what filters let through is written when the program runs; inside of catch_warnings(record=True) it is kept in a list.

class WarningMessage:
    def __init__(self, message, category, filename="", lineno=0):
        self.message = message
        self.category = category
        self.filename = filename
        self.lineno = lineno
        self.line = None
        self.source = None

class _State:
    filters = []
    log = None

def _add(action, category, append, matches):
    if action not in ("error", "ignore", "always", "default", "module", "once"):
        raise ValueError(f"invalid action: {action!r}")
    item = (action, category, matches)
    _State.filters = _State.filters + [item] if append else [item] + _State.filters

def simplefilter(action, category=Warning, lineno=0, append=False):
    _add(action, category, append, lambda text: True)

def filterwarnings(action, message="", category=Warning, module="", lineno=0, append=False):
    if module:
        return  # all warnings come from the script itself
    anywhere = message.startswith(".*")
    plain = message[2:] if anywhere else message
    plain = (plain[:-2] if plain.endswith(".*") else plain).replace("\\.", ".").lower()
    if any(c in plain for c in "\\^$*+?{}[]|()"):
        _no_pattern()
    if anywhere:
        _add(action, category, append, lambda text: plain in text.lower())
    else:
        _add(action, category, append, lambda text: text.lower().startswith(plain))

def resetwarnings():
    _State.filters = []

# Called for every warning, PyTorch's too: is it to be written?
def _heard(category, message):
    for action, of, matches in _State.filters:
        if issubclass(category, of) and matches(str(message)):
            if action == "ignore":
                return False
            if action == "error":
                raise message
            break
    if _State.log is not None:
        _State.log.append(WarningMessage(message, category))
        return False
    return True

def warn(message, category=None, stacklevel=1, source=None, **options):
    if isinstance(message, Warning):
        category = type(message)
        text = str(message)
    else:
        category = UserWarning if category is None else category
        if not (isinstance(category, type) and issubclass(category, Warning)):
            raise TypeError(f"category must be a Warning subclass, not '{type(category).__name__}'")
        text = message
        message = category(message)
    if _heard(category, message):
        _write(category.__name__, text)

class catch_warnings:
    def __init__(self, *, record=False, module=None, action=None, category=Warning, lineno=0, append=False):
        self._record = record
        self._action = action
        self._category = category

    def __enter__(self):
        self._kept = (_State.filters, _State.log)
        if self._action is not None:
            simplefilter(self._action, self._category)
        _State.log = [] if self._record else None
        return _State.log

    def __exit__(self, *exception):
        _State.filters, _State.log = self._kept
