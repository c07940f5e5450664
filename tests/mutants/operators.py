"""What mutmut's operators leave alone in code of few names and many products: `X @ W_Q` alone is no mutant to them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst
import libcst.matchers as m
from mutmut.mutation.mutators import OPERATORS_TYPE, mutation_operators


def swap_factors(node: cst.BinaryOperation) -> Iterator[cst.BinaryOperation]:
    """`a @ b` to `b @ a`."""
    if isinstance(node.operator, cst.MatrixMultiply):
        yield node.with_changes(left=node.right, right=node.left)


def drop_transpose(node: cst.Attribute) -> Iterator[cst.BaseExpression]:
    """`K.T` to `K`."""
    if node.attr.value in ("T", "mT"):
        yield node.value


def drop_method_call(node: cst.Call) -> Iterator[cst.BaseExpression]:
    """`x.transpose(1, 2)` to `x`; a function of a module, as `np.exp(x)`, to its first argument."""
    if not isinstance(node.func, cst.Attribute):
        return
    if not m.matches(node.func.value, m.Name("np") | m.Name("torch") | m.Name("math")):
        yield node.func.value
    elif node.args and node.args[0].star == "":
        yield node.args[0].value


def confuse_parameters(node: cst.FunctionDef) -> Iterator[cst.FunctionDef]:
    """One mention of a parameter to each other parameter."""
    names = [p.name.value for p in node.params.params if p.name.value != "self"]
    for mention in m.findall(node.body, m.Name()):
        assert isinstance(mention, cst.Name)
        for other in names:
            if mention.value in names and other != mention.value:
                yield node.with_changes(body=node.body.deep_replace(mention, mention.with_changes(value=other)))


def drop_statement(node: cst.IndentedBlock) -> Iterator[cst.IndentedBlock]:
    """A block without one of its statements."""
    for place, statement in enumerate(node.body):
        if not m.matches(statement, m.SimpleStatementLine(body=[m.Expr(m.SimpleString())])):
            rest = [*node.body[:place], *node.body[place + 1 :]]
            yield node.with_changes(body=rest or [cst.parse_statement("pass")])


OPERATORS: OPERATORS_TYPE = [
    *mutation_operators,
    (cst.BinaryOperation, swap_factors),
    (cst.Attribute, drop_transpose),
    (cst.Call, drop_method_call),
    (cst.FunctionDef, confuse_parameters),
    (cst.IndentedBlock, drop_statement),
]
