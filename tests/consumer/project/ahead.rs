// A program in Rust: the header's types and prototypes are plain C, written here as bindgen writes them.
use std::ffi::{c_char, c_void, CStr};

#[repr(C)]
pub struct Options {
    struct_size: u32,
    seeded: u32,
    seed: u64,
    user: *mut c_void,
    write_stdout: Option<extern "C" fn(*mut c_void, *const c_char, i64)>,
    write_stderr: Option<extern "C" fn(*mut c_void, *const c_char, i64)>,
}
#[repr(C)]
pub struct Tensor {
    data: *mut c_void,
    dtype: i32,
    ndim: i32,
    sizes: *const i64,
    strides: *const i64,
}
pub enum Context {}

extern "C" {
    fn model_context_new(options: *const Options) -> *mut Context;
    fn model_context_free(context: *mut Context);
    fn model_error(context: *const Context) -> *const c_char;
    fn model_state(context: *const Context, index: i32, name: *mut *const c_char, tensor: *mut Tensor) -> i32;
    fn model_step(context: *mut Context, x: *const f32, y: *const f32, result: *mut f64) -> i32;
}

fn main() {
    let mut options: Options = unsafe { std::mem::zeroed() };
    options.struct_size = std::mem::size_of::<Options>() as u32;
    let x: [f32; 6] = [1.0, 0.0, 0.0, 0.0, 1.0, 1.0];
    let y: [f32; 2] = [2.0, 4.0];
    unsafe {
        let context = model_context_new(&options);
        for _ in 0..2 {
            let mut loss = 0.0;
            if model_step(context, x.as_ptr(), y.as_ptr(), &mut loss) != 0 {
                println!("{}", CStr::from_ptr(model_error(context)).to_str().unwrap());
            }
            println!("loss {}", loss);
        }
        let mut name: *const c_char = std::ptr::null();
        let mut tensor: Tensor = std::mem::zeroed();
        let mut k = 0;
        while model_state(context, k, &mut name, &mut tensor) == 0 {
            println!("{} has {} elements", CStr::from_ptr(name).to_str().unwrap(), *tensor.sizes.add(1));
            k += 1;
        }
        model_context_free(context);
    }
}
