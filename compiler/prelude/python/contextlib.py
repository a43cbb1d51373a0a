# Context managers: from generators, for nothing, for exceptions, and stacks of them.

class ContextDecorator:
    def _again(self):
        return self

    def __call__(self, function):
        def inside(*args, **kwargs):
            with self._again():
                return function(*args, **kwargs)
        return inside

class AbstractContextManager:
    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        return None

class _GeneratorContextManager(ContextDecorator):
    def __init__(self, function, args, kwargs):
        self._made_by = (function, args, kwargs)
        self.gen = function(*args, **kwargs)

    def _again(self):
        function, args, kwargs = self._made_by
        return _GeneratorContextManager(function, args, kwargs)

    def __enter__(self):
        try:
            return next(self.gen)
        except StopIteration:
            raise RuntimeError("generator didn't yield")

    def __exit__(self, kind, value, traceback):
        if kind is None:
            try:
                next(self.gen)
            except StopIteration:
                return False
            raise RuntimeError("generator didn't stop")
        try:
            self.gen.throw(value)
        except StopIteration as e:
            return e is not value
        except BaseException as e:
            if e is value:
                return False
            raise
        raise RuntimeError("generator didn't stop after throw()")

def contextmanager(function):
    def make(*args, **kwargs):
        return _GeneratorContextManager(function, args, kwargs)
    return make

class nullcontext:
    def __init__(self, enter_result=None):
        self.enter_result = enter_result

    def __enter__(self):
        return self.enter_result

    def __exit__(self, *exception):
        return None

class closing:
    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exception):
        self.thing.close()

class suppress:
    def __init__(self, *exceptions):
        self.exceptions = exceptions

    def __enter__(self):
        return None

    def __exit__(self, kind, value, traceback):
        return kind is not None and issubclass(kind, self.exceptions)

class ExitStack:
    def __init__(self):
        self._exits = []

    def enter_context(self, manager):
        result = manager.__enter__()
        self._exits.append(manager.__exit__)
        return result

    def push(self, manager):
        self._exits.append(manager.__exit__ if hasattr(manager, "__exit__") else manager)
        return manager

    def callback(self, function, *args, **kwargs):
        def leave(kind, value, traceback):
            function(*args, **kwargs)
            return False
        self._exits.append(leave)
        return function

    def pop_all(self):
        other = ExitStack()
        other._exits = self._exits
        self._exits = []
        return other

    def close(self):
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        swallowed = False
        replaced = False
        while self._exits:
            leave = self._exits.pop()
            try:
                if leave(kind, value, traceback):
                    kind, value, traceback = None, None, None
                    swallowed = True
                    replaced = False
            except BaseException as e:
                kind, value, traceback = type(e), e, None
                replaced = True
        if replaced:
            raise value
        return swallowed
