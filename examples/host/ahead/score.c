/* A model that is written in PyTorch's words, in a program in C: `sifr build score.py --functions=score,top --emit=static,header` has made
 * libscore.a and score.h, and the program needs libc and libm alone. */
#include <stdio.h>
#include <string.h>

#include "score.h"

int main(void) {
    const score_options options = {.struct_size = sizeof options};
    score_context* context = score_context_new(&options);
    const float x[3][4] = {{1, 2, 3, 4}, {-4, 3, -2, 1}, {0, 0, 0, 0}};
    float p[3][2];
    int64_t best[3];
    if (context == NULL || score_score(context, &x[0][0], &p[0][0], best) != 0) return 1;
    for (int k = 0; k < 3; ++k) printf("class %d of 2, together %.3f\n", (int)best[k] + 1, p[k][0] + p[k][1]);

    double highest = 0;
    if (score_top(context, &x[0][0], 7, &highest) != 0) printf("%s (line %d)\n", score_error(context), (int)score_error_line(context));

    /* Weights of one's own: variables are found by name. */
    const char* name = NULL;
    score_tensor t;
    for (int k = 0; score_state(context, k, &name, &t) == 0; ++k) {
        if (strcmp(name, "model.out.bias") != 0) continue;
        ((float*)t.data)[0] = 100;
        printf("%s has %d elements\n", name, (int)t.sizes[0]);
    }
    if (score_top(context, &x[0][0], 0, &highest) == 0) printf("now %.1f\n", highest);
    score_context_free(context);
    return 0;
}
