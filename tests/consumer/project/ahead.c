#include <stdio.h>

#include <model.h>

int main(void) {
    model_context* context = model_context_new(NULL);
    const float x[] = {1, 0, 0, 0, 1, 1}, y[] = {2, 4};
    double loss = 0;
    float p[2];
    for (int k = 0; k < 2; ++k) {
        if (model_step(context, x, y, &loss) != 0) {
            printf("%s\n", model_error(context));
            return 1;
        }
        printf("loss %g\n", loss);
    }
    model_predict(context, x, p);
    printf("predicted %g %g\n", p[0], p[1]);
    model_context_free(context);
    return 0;
}
