def step(x: "f32[16]", w: "f32[16]"):
    x.copy_(x * 0.5 + w)
