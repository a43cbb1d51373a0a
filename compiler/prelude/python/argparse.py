# The command line: options with values, switches, positional arguments. Help texts are kept, not printed.
import sys

SUPPRESS = "==SUPPRESS=="
REMAINDER = "..."
OPTIONAL = "?"
ZERO_OR_MORE = "*"
ONE_OR_MORE = "+"

class ArgumentError(Exception):
    pass

class ArgumentTypeError(Exception):
    pass

class Namespace:
    def __init__(self, **kwargs):
        for name, value in kwargs.items():
            setattr(self, name, value)

    def __eq__(self, other):
        return isinstance(other, Namespace) and vars(self) == vars(other)

    def __contains__(self, key):
        return hasattr(self, key)

    def __repr__(self):
        return "Namespace(" + ", ".join(f"{name}={value!r}" for name, value in vars(self).items()) + ")"

class HelpFormatter:
    pass

class ArgumentDefaultsHelpFormatter(HelpFormatter):
    pass

class RawTextHelpFormatter(HelpFormatter):
    pass

class RawDescriptionHelpFormatter(HelpFormatter):
    pass

class BooleanOptionalAction:
    pass

class _Argument:
    def __init__(self, names, action, nargs, const, default, type, choices, required, dest, metavar):
        self.names = names
        self.action = action
        self.nargs = nargs
        self.const = const
        self.default = default
        self.type = type
        self.choices = choices
        self.required = required
        self.dest = dest
        self.metavar = metavar

    def shown(self):
        return "/".join(self.names) if self.names else self.metavar or self.dest

class _Group:
    def __init__(self, parser):
        self._parser = parser

    def add_argument(self, *names, **options):
        return self._parser.add_argument(*names, **options)

class ArgumentParser:
    def __init__(self, prog=None, usage=None, description=None, epilog=None, parents=(), formatter_class=HelpFormatter, prefix_chars="-",
                 fromfile_prefix_chars=None, argument_default=None, conflict_handler="error", add_help=True, allow_abbrev=True, exit_on_error=True):
        self.prog = prog
        self.description = description
        self._arguments = []
        self._defaults = {}

    def add_argument(self, *names, action="store", nargs=None, const=None, default=None, type=None, choices=None, required=False, help=None, metavar=None, dest=None,
                     version=None):
        options = [name for name in names if name.startswith("-")]
        if dest is None:
            if options:
                long = [name for name in options if name.startswith("--")]
                dest = (long or options)[0].lstrip("-").replace("-", "_")
            else:
                dest = names[0]
        if action == "store_true":
            const, default = True, False if default is None else default
        elif action == "store_false":
            const, default = False, True if default is None else default
        if action is BooleanOptionalAction:
            action = "boolean"
            options = options + ["--no-" + name[2:] for name in options if name.startswith("--")]
        argument = _Argument(options, action, nargs, const, default, type, choices, required, dest, metavar)
        self._arguments.append(argument)
        return argument

    def add_argument_group(self, *args, **kwargs):
        return _Group(self)

    def add_mutually_exclusive_group(self, required=False):
        return _Group(self)

    def set_defaults(self, **kwargs):
        self._defaults.update(kwargs)

    def get_default(self, dest):
        for argument in self._arguments:
            if argument.dest == dest:
                return argument.default
        return self._defaults.get(dest)

    def error(self, message):
        print(f"usage: {self._program()}", file=sys.stderr)
        print(f"{self._program()}: error: {message}", file=sys.stderr)
        sys.exit(2)

    def exit(self, status=0, message=None):
        if message:
            print(message, end="", file=sys.stderr)
        sys.exit(status)

    def _program(self):
        return self.prog or _program()

    def _convert(self, argument, text):
        value = text
        if argument.type is not None:
            try:
                value = argument.type(text)
            except (TypeError, ValueError):
                self.error(f"argument {argument.shown()}: invalid {argument.type.__name__} value: {text!r}")
            except ArgumentTypeError as e:
                self.error(f"argument {argument.shown()}: {e}")
        if argument.choices is not None and value not in argument.choices:
            known = ", ".join(repr(c) for c in argument.choices)
            self.error(f"argument {argument.shown()}: invalid choice: {value!r} (choose from {known})")
        return value

    def _is_option(self, text):
        if not text.startswith("-") or text == "-":
            return False
        try:
            float(text)
            return False
        except ValueError:
            return True

    def _find(self, name):
        for argument in self._arguments:
            if name in argument.names:
                return argument
        near = []
        if name.startswith("--"):
            near = [a for a in self._arguments if any(n.startswith(name) for n in a.names)]
        if len(near) == 1:
            return near[0]
        return None

    def _take(self, argument, given, at):
        values = []
        while at < len(given) and not self._is_option(given[at]):
            if argument.nargs in (None, "?") and len(values) == 1:
                break
            if isinstance(argument.nargs, int) and len(values) == argument.nargs:
                break
            values.append(given[at])
            at += 1
        return values, at

    def _value(self, argument, values):
        if argument.nargs is None:
            if len(values) != 1:
                self.error(f"argument {argument.shown()}: expected one argument")
            return self._convert(argument, values[0])
        if argument.nargs == "?":
            return self._convert(argument, values[0]) if values else argument.const
        if argument.nargs == "+" and not values:
            self.error(f"argument {argument.shown()}: expected at least one argument")
        if isinstance(argument.nargs, int) and len(values) != argument.nargs:
            s = "" if argument.nargs == 1 else "s"
            self.error(f"argument {argument.shown()}: expected {argument.nargs} argument{s}")
        return [self._convert(argument, v) for v in values]

    def parse_known_args(self, args=None, namespace=None):
        given = list(args) if args is not None else _arguments()
        result = Namespace() if namespace is None else namespace
        for argument in self._arguments:
            default = argument.default
            if argument.action == "version" or default == SUPPRESS or hasattr(result, argument.dest):
                continue
            setattr(result, argument.dest, self._defaults.get(argument.dest, default))
        for name, value in self._defaults.items():
            if not hasattr(result, name):
                setattr(result, name, value)
        seen = []
        free = []
        unknown = []
        at = 0
        while at < len(given):
            text = given[at]
            at += 1
            if not self._is_option(text):
                free.append(text)
                continue
            name, equals, attached = text.partition("=")
            if name in ("-h", "--help") and self._find(name) is None:
                _no_help()
            argument = self._find(name)
            if argument is None and len(text) > 2 and not text.startswith("--"):
                argument = self._find(text[:2])
                equals, attached = "=", text[2:]
            if argument is None:
                unknown.append(text)
                continue
            seen.append(argument.dest)
            if argument.action in ("store_true", "store_false", "store_const"):
                setattr(result, argument.dest, argument.const)
            elif argument.action == "count":
                setattr(result, argument.dest, (getattr(result, argument.dest) or 0) + 1)
            elif argument.action == "boolean":
                setattr(result, argument.dest, not name.startswith("--no-"))
            elif equals:
                value = self._value(argument, [attached])
                self._store(result, argument, value)
            else:
                values, at = self._take(argument, given, at)
                self._store(result, argument, self._value(argument, values))
        positional = [a for a in self._arguments if not a.names]
        missing = []
        for i, argument in enumerate(positional):
            after = len([a for a in positional[i + 1:] if a.nargs in (None, "+")])
            count = len(free) - after
            if argument.nargs is None:
                count = min(count, 1)
            elif argument.nargs == "?":
                count = min(count, 1)
            elif isinstance(argument.nargs, int):
                count = min(count, argument.nargs)
            count = max(count, 0)
            values, free = free[:count], free[count:]
            if values:
                seen.append(argument.dest)
                setattr(result, argument.dest, self._value(argument, values))
            elif argument.nargs in (None, "+"):
                missing.append(argument.shown())
            elif argument.nargs == "*" and argument.default is None:
                setattr(result, argument.dest, [])
        unknown += free
        missing += [a.shown() for a in self._arguments if a.names and a.required and a.dest not in seen]
        if missing:
            self.error("the following arguments are required: " + ", ".join(missing))
        for argument in self._arguments:
            if argument.dest not in seen and isinstance(argument.default, str) and argument.type is not None and argument.default != SUPPRESS:
                setattr(result, argument.dest, self._convert(argument, argument.default))
        return result, unknown

    def _store(self, result, argument, value):
        if argument.action == "append":
            value = list(getattr(result, argument.dest) or []) + [value]
        setattr(result, argument.dest, value)

    def parse_args(self, args=None, namespace=None):
        result, unknown = self.parse_known_args(args, namespace)
        if unknown:
            self.error("unrecognized arguments: " + " ".join(unknown))
        return result

    def print_help(self, file=None):
        _no_help()

    def format_help(self):
        _no_help()
