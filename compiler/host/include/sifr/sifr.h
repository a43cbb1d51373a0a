/// sifr in a C++ program: tensor code in PyTorch's words, compiled in this process for this machine, on the program's own memory.
///
///     #include <sifr/sifr.h>
///
///     auto step = sifr::jit([](sifr::Tensor x, sifr::Tensor w) {
///         return (x * w).sum();
///     });
///     std::vector<float> x(6), w(6);
///     sifr::HostTensor y = step(sifr::from_blob(x.data(), {2, 3}), sifr::from_blob(w.data(), {2, 3}));
///     float loss = y.item<float>();
///
/// The lambda runs when it is called first with arguments of new dtypes, sizes, strides or aliasing: it is *traced*, and what it did to its
/// tensors is compiled. Every later call with such arguments runs the machine code, on the calling thread, with the thread's own memory for
/// intermediate values. The first float `x` and a later double `x` are two traces.
///
/// Three types say who owns what:
///   sifr::Tensor      a tensor of a trace. It has no elements, only a dtype and sizes; it means nothing behind its trace.
///   sifr::TensorView  the caller's memory: a pointer, a dtype, sizes, strides. It owns nothing; the caller keeps the memory alive.
///   sifr::HostTensor  memory that sifr has allocated, shared by all copies of the object and freed with the last one.
///
/// Everything that fails throws sifr::Error; nothing aborts. All functions may be called from any number of threads at once.
#pragma once

#include <sifr/control_flow.h>
#include <sifr/dlpack.h>
#include <sifr/error.h>
#include <sifr/functions.h>
#include <sifr/jit.h>
#include <sifr/memory.h>
#include <sifr/script.h>
#include <sifr/tensor.h>
#include <sifr/types.h>
