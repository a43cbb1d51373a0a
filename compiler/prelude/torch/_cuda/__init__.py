"""What torch.cuda has beside switches: events, which are clocks here, and streams, of which there is one."""
import time
import torch


def _require_driver():
    if not torch.cuda.is_available():
        torch.cuda.init()


def _index(device):
    """The number of a GPU that an int, a string or a torch.device names; the current one has none."""
    if device is None or isinstance(device, int):
        return device
    device = torch.device(device)
    if device.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {device}")
    return 0 if device.index is None else device.index


def set_device(device):
    if _index(device) is not None:
        _require_driver()


def get_arch_list():
    return ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"]


class Event:
    def __init__(self, enable_timing=False, blocking=False, interprocess=False, external=False):
        self.enable_timing = enable_timing
        self._time = None

    def record(self, stream=None):
        _require_driver()
        # Reading the clock waits for the device, so that an event stands behind the work in front of it.
        self._time = time.perf_counter()

    def query(self):
        return True

    def wait(self, stream=None):
        pass

    def synchronize(self):
        pass

    def elapsed_time(self, end_event):
        """Milliseconds."""
        if not self.enable_timing or not end_event.enable_timing:
            raise ValueError("Both events must be created with argument 'enable_timing=True'.")
        if self._time is None or end_event._time is None:
            raise ValueError("Both events must be recorded before calculating elapsed time.")
        return (end_event._time - self._time) * 1000.0


class Stream:
    def __init__(self, device=None, priority=0):
        _index(device)
        if not torch.cuda.is_available():
            torch.cuda._new_stream()

    def synchronize(self):
        pass

    def query(self):
        return True

    def wait_stream(self, stream):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        if event is None:
            event = Event()
        event.record(self)
        return event


class stream:
    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        pass

    def __exit__(self, type, value, traceback):
        pass


class device:
    def __init__(self, device):
        self.idx = _index(device)

    def __enter__(self):
        if self.idx is not None:
            _require_driver()

    def __exit__(self, type, value, traceback):
        return False


def get_device_capability(device=None):
    both = torch.cuda._capability()
    return (both // 10, both % 10)


def current_stream(device=None):
    return Stream()


default_stream = current_stream
