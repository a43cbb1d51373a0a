# heapq, bisect, json.
import heapq, bisect
h = []
for v in [5, 1, 4]: heapq.heappush(h, v)
print(heapq.heappop(h), h, heapq.nlargest(2, [1, 5, 3]), bisect.bisect_left([1, 3, 5], 3))
l = [1, 3]
bisect.insort(l, 2)
print(l)

import json
print(json.dumps({"a": 1, "b": [1.5, None, True], "c": "x\"y"}))
print(json.dumps([1, 2], indent=2))
print(json.loads('{"a": [1, 2.5, "x"], "b": null}'))
