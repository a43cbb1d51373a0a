# Abstract classes: a class with abstract methods left cannot be instantiated; the compiler sees to it.

class ABCMeta:
    pass

class ABC(metaclass=ABCMeta):
    pass

def abstractmethod(function):
    function.__isabstractmethod__ = True
    return function

def abstractproperty(function):
    function.__isabstractmethod__ = True
    return property(function)
