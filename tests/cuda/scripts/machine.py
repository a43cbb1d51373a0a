# What scripts ask about the GPU, and the clocks and queues that they set up around their work.
import torch

print(torch.cuda.is_available(), torch.cuda.device_count(), torch.cuda.current_device(), torch.cuda.is_initialized())
name = torch.cuda.get_device_name(0)
print(len(name) > 0, name == torch.cuda.get_device_name())
major, minor = torch.cuda.get_device_capability()
print(major >= 8, 0 <= minor <= 9)
x = torch.ones(64, 64, device="cuda:0")
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
y = x @ x
end.record()
torch.cuda.synchronize()
print(y[0, 0].item(), start.elapsed_time(end) >= 0, end.query())
print(torch.cuda.memory_allocated() >= 64 * 64 * 4, torch.cuda.max_memory_allocated() >= torch.cuda.memory_allocated() > 0)
stream = torch.cuda.Stream()
with torch.cuda.stream(stream):
    z = y + 1
stream.synchronize()
torch.cuda.current_stream().wait_stream(stream)
with torch.cuda.device(0):
    w = torch.zeros(2).cuda()
print(z.sum().item(), w.device, w.get_device(), torch.zeros(2).get_device())
torch.cuda.empty_cache()
torch.cuda.reset_peak_memory_stats()
print(w.cpu().device, w.to("cpu").is_cuda, w.to(0) is w, w.cuda(0) is w, torch.zeros(2, device=0).device)
