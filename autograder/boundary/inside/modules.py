"""Build and run a student's `nn.Module`, and make right ones to stand in for wrong ones. Imports torch."""

import contextlib
import importlib
import inspect
import math
import operator

import torch
from torch import nn


def warm_up():
    """Run what students use once, on one thread: a child of a process with more hangs in torch."""
    torch.set_num_threads(1)
    with contextlib.suppress(RuntimeError):
        torch.set_num_interop_threads(1)
    layer = nn.Linear(2, 2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)  # the first one imports much
    torch.softmax(layer(torch.ones(1, 2)), dim=-1).sum().backward()
    optimizer.step()


class MissingParameter(Exception):  # noqa: N818  (its name is shown as the error's type)
    pass


class WrongParameterShape(Exception):  # noqa: N818
    pass


class NotAModule(Exception):  # noqa: N818
    pass


def run(build, init_args, init_kwargs, weights, inputs, upstream, training, arguments_after):
    """[output, shape by parameter, gradient by parameter and input, inputs after] as RunModule's docstring says."""
    module = build(*init_args, **init_kwargs)
    if not isinstance(module, nn.Module):
        raise NotAModule("calling the class gave no nn.Module")
    if inputs:
        module = nn.Module.to(module, inputs[0].dtype)
    nn.Module.train(module, training)
    parameters = dict(nn.Module.named_parameters(module, remove_duplicate=False))
    _set(parameters, weights)
    shapes = {path: list(parameter.shape) for path, parameter in parameters.items()}
    if not inputs:
        return [None, shapes, {}, None]
    leaves = [x.requires_grad_() if upstream is not None and x.is_floating_point() else x for x in inputs]
    output = module(*leaves)
    gradients = {} if upstream is None else _gradients(output, upstream, parameters, leaves)
    return [output, shapes, gradients, list(inputs) if arguments_after else None]


def _set(parameters, weights):
    for path, weight in weights.items():
        if path not in parameters:
            raise MissingParameter(f"the module has no parameter {path}; it has {', '.join(parameters) or 'none'}")
        parameter, weight = parameters[path], torch.from_numpy(weight)
        if parameter.shape != weight.shape:
            raise WrongParameterShape(
                f"the parameter {path} has shape {tuple(parameter.shape)}, not {tuple(weight.shape)}")
        with torch.no_grad():
            parameter.copy_(weight)


def _gradients(output, upstream, parameters, inputs):
    upstream = torch.as_tensor(upstream)
    if isinstance(output, torch.Tensor) and output.shape == upstream.shape and output.requires_grad:
        (output * upstream.to(output.dtype)).sum().backward()
    gradients = {path: parameter.grad for path, parameter in parameters.items()}
    return gradients | {f"input {i}": x.grad for i, x in enumerate(inputs)}


def stand_in(name, kind, description):
    """The torch function or module that `description` tells of."""
    return Function(*description) if kind == "function" else _module(name, *description)


class Function:
    """Steps of public functions, each over parameters and earlier steps."""

    def __init__(self, parameters, steps, result, prefix=None):
        self._steps, self._result, self._owner = steps, result, prefix
        self._signature = _signature(parameters, {})

    def __call__(self, *args, **kwargs):
        values = dict(self._signature.bind(*args, **kwargs).arguments)
        for name, function, step_args, step_kwargs in self._steps:
            values[name] = self._resolve(function)(*_fill(step_args, self._value, values),
                                                   **_fill(step_kwargs, self._value, values))
        return values[self._result[0]] if len(self._result) == 1 else tuple(values[name] for name in self._result)

    def bound(self, owner):
        copy = object.__new__(Function)
        copy._steps, copy._result, copy._signature, copy._owner = self._steps, self._result, self._signature, owner
        return copy

    def _resolve(self, dotted):
        return self._value(dotted[1:], {}) if dotted.startswith("$") else public(dotted)

    def _value(self, name, values):
        return operator.attrgetter(name[5:])(self._owner) if name.startswith("self.") else values[name]


def _fill(template, value, values):
    """`template` with every "$name" in it replaced."""
    if isinstance(template, str):
        return value(template[1:], values) if template.startswith("$") else template
    if isinstance(template, dict):
        return {key: _fill(item, value, values) for key, item in template.items()}
    if isinstance(template, (list, tuple)):
        return tuple(_fill(item, value, values) for item in template)
    return template


def _signature(parameters, defaults):
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([inspect.Parameter(name, kind, default=defaults.get(name, inspect.Parameter.empty))
                              for name in parameters])


def public(dotted):
    """The function or class of that name: of torch, or of `math` and `operator`."""
    module, _, name = dotted.rpartition(".")
    for place in {"math": math, "operator": operator}, :
        if module in place:
            return getattr(place[module], name)
    parts = dotted.split(".")
    for i in range(len(parts) - 1, 0, -1):
        with contextlib.suppress(ModuleNotFoundError):
            return operator.attrgetter(".".join(parts[i:]))(importlib.import_module(".".join(parts[:i])))
    raise ValueError(f"{dotted} is no public function of torch")


def _module(name, parameters, defaults, layers, forward):
    signature = _signature(parameters, defaults)
    steps = Function(*forward)

    def __init__(self, *args, **kwargs):  # noqa: N807  (it becomes the class's)
        nn.Module.__init__(self)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = dict(bound.arguments)
        values = {key: _fill(value, lambda n, v: v[n], values) for key, value in values.items()}
        for key, value in values.items():
            setattr(self, key, value)
        for attribute, layer, layer_args, layer_kwargs in layers:
            setattr(self, attribute, public(layer)(*_fill(layer_args, lambda n, v: v[n], values),
                                                   **_fill(layer_kwargs, lambda n, v: v[n], values)))

    return type(name, (nn.Module,), {"__init__": __init__,
                                     "forward": lambda self, *args: steps.bound(self)(*args)})
