# A machine without CUDA: what asks for it raises what PyTorch raises there, and what does not goes on.
import torch


def attempt(what):
    try:
        print(what())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])


print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.is_initialized())
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.zeros(2, device=device)
print(x, torch.device("cuda", 1), torch.version.cuda, torch.__version__, torch.backends.cudnn.version())
attempt(lambda: torch.zeros(3, device="cuda"))
attempt(lambda: x.cuda())
attempt(lambda: x.to("cuda:1"))
attempt(lambda: x.type(torch.cuda.FloatTensor))
attempt(lambda: x.type("torch.cuda.HalfTensor"))
attempt(lambda: x.type("torch.HalfTensor"))
attempt(lambda: x.pin_memory())
attempt(lambda: torch.cuda.FloatTensor(3))
attempt(lambda: torch.nn.Linear(2, 2).cuda())
attempt(lambda: torch.cuda.Stream())
attempt(lambda: torch.cuda.Stream(device="cpu"))
attempt(lambda: torch.cuda.current_stream())
attempt(lambda: torch.Generator(device="cuda"))
attempt(lambda: torch.Generator("cuda:0").manual_seed(1))
attempt(lambda: torch.cuda.Event().record())
attempt(lambda: torch.cuda.Event(enable_timing=True).elapsed_time(torch.cuda.Event(enable_timing=True)))
attempt(lambda: torch.cuda.current_device())
attempt(lambda: torch.cuda.get_device_name(0))
attempt(lambda: torch.cuda.get_device_properties(0))
attempt(lambda: torch.cuda.synchronize())
attempt(lambda: torch.cuda.set_device(0))
attempt(lambda: torch.cuda.memory_allocated())
attempt(lambda: torch.cuda.manual_seed_all(0))
attempt(lambda: torch.accelerator.current_accelerator())
attempt(lambda: torch.accelerator.current_accelerator(check_available=True))
attempt(lambda: torch.accelerator.synchronize())
print(issubclass(torch.AcceleratorError, RuntimeError), torch.cuda.OutOfMemoryError is torch.OutOfMemoryError)
try:
    torch.Generator(device="cuda")
except RuntimeError as e:
    print(e)
try:
    print(x + 1)
except torch.cuda.OutOfMemoryError:
    print("no memory")
