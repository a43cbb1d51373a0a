# warnings: ignored and recorded.
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    warnings.warn("nothing")
print("a")
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    warnings.warn("deprecated!", DeprecationWarning)
    print(len(w), w[0].category.__name__, w[0].message)
