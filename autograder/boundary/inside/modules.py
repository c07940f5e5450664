"""Build and run a student's `nn.Module`, and make right ones to stand in for wrong ones. Imports torch."""

import contextlib
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


class MissingParameter(Exception):
    pass


class WrongParameterShape(Exception):
    pass


class NotAModule(Exception):
    pass


def run(build, init_args, init_kwargs, weights, inputs, upstream, arguments_after, run_before):
    """[output, shape by parameter, gradient by parameter and input, inputs after] as RunModule's docstring says."""
    module = build(*init_args, **init_kwargs)
    if not isinstance(module, nn.Module):
        raise NotAModule("calling the class gave no nn.Module")
    if inputs:
        module = nn.Module.to(module, inputs[0].dtype)
    nn.Module.train(module, False)  # eval() would ask the student's own train()
    parameters = dict(_parameters(module))
    _set(parameters, weights)
    shapes = {path: list(parameter.shape) for path, parameter in parameters.items()}
    if not inputs:
        return [None, shapes, {}, None]
    if run_before:
        module(*run_before)
    leaves = [x.requires_grad_() if upstream is not None and x.is_floating_point() else x for x in inputs]
    output = module(*leaves)
    gradients = {} if upstream is None else _gradients(output, upstream, parameters, leaves)
    return [output, shapes, gradients, list(inputs) if arguments_after else None]


def _parameters(module, path=""):
    """Paths and parameters, also of a layer that two names share. What stands in an nn.Sequential goes by its place,
    since its names are the student's own."""
    for name, parameter in module._parameters.items():
        if parameter is not None:
            yield path + name, parameter
    for place, (name, layer) in enumerate(module._modules.items()):
        if layer is not None:
            yield from _parameters(layer, f"{path}{place if isinstance(module, nn.Sequential) else name}.")


def gradients_of_inputs(function, args, kwargs):
    """The gradient of the sum of all tensors that `function` returns, for each tensor among its arguments; None where
    none arrives."""
    leaves = [x.requires_grad_() if _is_float(x) else x for x in args]
    result = function(*leaves, **kwargs)
    returned = result if isinstance(result, (tuple, list)) else [result]
    # Weighted, since the sum of a softmax is the same whatever its scores.
    ramps = [torch.linspace(1, 2, y.numel(), dtype=y.dtype).reshape(y.shape) for y in returned if _is_float(y)]
    total = sum((y * ramp).sum() for y, ramp in zip(filter(_is_float, returned), ramps, strict=True))
    if isinstance(total, torch.Tensor) and total.requires_grad:
        total.backward()
    return [x.grad for x in leaves if _is_float(x)]


def _is_float(value):
    return isinstance(value, torch.Tensor) and value.is_floating_point()


def _set(parameters, weights):
    for path, weight in weights.items():
        if path not in parameters:
            raise MissingParameter(f"the module has no parameter {path}; it has {', '.join(parameters) or 'none'}")
        parameter, weight = parameters[path], torch.from_numpy(weight)
        if parameter.shape != weight.shape:
            raise WrongParameterShape(
                f"the parameter {path} has shape {tuple(parameter.shape)}, not {tuple(weight.shape)}"
            )
        with torch.no_grad():
            parameter.copy_(weight)


def _gradients(output, upstream, parameters, inputs):
    upstream = torch.as_tensor(upstream)
    if isinstance(output, torch.Tensor) and output.shape == upstream.shape and output.requires_grad:
        (output * upstream.to(output.dtype)).sum().backward()
    gradients = {path: parameter.grad for path, parameter in parameters.items()}
    return gradients | {f"input {i}": x.grad for i, x in enumerate(inputs)}


def stand_in(name, kind, description):
    """The function whose `calls` are counted, and what takes the place of the student's `name`: itself or a module."""
    if kind == "function":
        function = Function(*description)
        return function, function
    parameters, defaults, layers, forward = description
    function = Function(*forward)
    return function, _module(name, _signature(parameters, defaults), layers, function)


class Function:
    """Steps of public functions, each over parameters and earlier steps. `owner` is what "$self" is."""

    def __init__(self, parameters, steps, result):
        self._signature = _signature(parameters, {})
        self._steps, self._result = steps, result
        self.calls = 0

    def __call__(self, *args, **kwargs):
        return self.run(None, *args, **kwargs)

    def run(self, owner, *args, **kwargs):
        self.calls += 1
        values = {"self": owner, **self._signature.bind(*args, **kwargs).arguments}
        for name, function, step_args, step_kwargs in self._steps:
            function = _fill(function, values) if function.startswith("$") else public(function)
            values[name] = function(*_fill(step_args, values), **_fill(step_kwargs, values))
        return values[self._result[0]] if len(self._result) == 1 else tuple(values[name] for name in self._result)


def _fill(template, values):
    """`template` with every "$name" or "$name.attribute" in it replaced."""
    if isinstance(template, str) and template.startswith("$"):
        name, _, attribute = template[1:].partition(".")
        return operator.attrgetter(attribute)(values[name]) if attribute else values[name]
    if isinstance(template, dict):
        return {key: _fill(item, values) for key, item in template.items()}
    if isinstance(template, (list, tuple)):
        return tuple(_fill(item, values) for item in template)
    return template


def _signature(parameters, defaults):
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature(
        [inspect.Parameter(name, kind, default=defaults.get(name, inspect.Parameter.empty)) for name in parameters]
    )


def public(dotted):
    """The function or class of that name: of torch, `math` or `operator`."""
    package, *names = dotted.split(".")
    value = {"torch": torch, "math": math, "operator": operator}[package]
    return operator.attrgetter(".".join(names))(value)


def _module(name, signature, layers, forward):
    def __init__(self, *args, **kwargs):  # noqa: N807  (it becomes the class's)
        nn.Module.__init__(self)
        forward.calls += 1  # a module that is built and never run counts as called
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        values = {"self": self, **bound.arguments}
        for parameter in bound.arguments:
            default = signature.parameters[parameter].default
            if values[parameter] is None and default is not inspect.Parameter.empty:
                values[parameter] = default  # None asks for the default, as in the lesson's d_k=None
            values[parameter] = _fill(values[parameter], values)
            setattr(self, parameter, values[parameter])
        for attribute, layer, layer_args, layer_kwargs in layers:
            setattr(self, attribute, public(layer)(*_fill(layer_args, values), **_fill(layer_kwargs, values)))

    return type(name, (nn.Module,), {"__init__": __init__, "forward": lambda self, *args: forward.run(self, *args)})
