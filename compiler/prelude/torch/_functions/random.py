"""What only torch.random has."""
import torch


class _Fork:
    def __init__(self, enabled):
        self.enabled = enabled

    def __enter__(self):
        if self.enabled:
            self.state = torch.get_rng_state()

    def __exit__(self, kind, value, trace):
        if self.enabled:
            torch.set_rng_state(self.state)
        return False


def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cuda"):
    return _Fork(enabled)
