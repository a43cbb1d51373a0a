# Heaps in lists: the smallest item first.

def _down(heap, start, at):
    item = heap[at]
    while at > start:
        parent = (at - 1) >> 1
        if not item < heap[parent]:
            break
        heap[at] = heap[parent]
        at = parent
    heap[at] = item

def _up(heap, at):
    end = len(heap)
    start = at
    item = heap[at]
    child = 2 * at + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = item
    _down(heap, start, at)

def heappush(heap, item):
    heap.append(item)
    _down(heap, 0, len(heap) - 1)

def heappop(heap):
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _up(heap, 0)
    return first

def heapreplace(heap, item):
    first = heap[0]
    heap[0] = item
    _up(heap, 0)
    return first

def heappushpop(heap, item):
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _up(heap, 0)
    return item

def heapify(x):
    for i in reversed(range(len(x) // 2)):
        _up(x, i)

def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]

def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]

def merge(*iterables, key=None, reverse=False):
    items = []
    for it in iterables:
        items.extend(it)
    return iter(sorted(items, key=key, reverse=reverse))
