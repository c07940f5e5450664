"""A made-up class: right answers in several styles, the classic misconceptions, accidents and hostile code.

Each student's file is the plain right one with some parts in other words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

IMPORTS = "import numpy as np\n"

NUMPY_PARTS = {
    "matrix_dimensions": """
def matrix_dimensions(n, d_model, d_k, d_v):
    return {
        "X": (n, d_model), "W_Q": (d_model, d_k), "W_K": (d_model, d_k), "W_V": (d_model, d_v),
        "Q": (n, d_k), "K": (n, d_k), "V": (n, d_v), "S": (n, n), "A": (n, n), "Output": (n, d_v),
    }
""",
    "project_query": "def project_query(X, W_Q):\n    return X @ W_Q\n",
    "project_key": "def project_key(X, W_K):\n    return X @ W_K\n",
    "project_value": "def project_value(X, W_V):\n    return X @ W_V\n",
    "attention_scores": "def attention_scores(Q, K):\n    return Q @ K.T\n",
    "scale_scores": "def scale_scores(S, d_k):\n    return S / np.sqrt(d_k)\n",
    "softmax_rows": """
def softmax_rows(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)
""",
    "attention_output": "def attention_output(A, V):\n    return A @ V\n",
    "self_attention": """
def self_attention(X, W_Q, W_K, W_V):
    Q, K, V = project_query(X, W_Q), project_key(X, W_K), project_value(X, W_V)
    A = softmax_rows(scale_scores(attention_scores(Q, K), Q.shape[1]))
    return attention_output(A, V), A
""",
}

TORCH_PARTS = {
    "scaled_dot_product_attention": """
import math

import torch
from torch import nn


def scaled_dot_product_attention(Q, K, V):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = torch.softmax(scores, dim=-1)
    return weights @ V, weights
""",
    "SelfAttention": """
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_k or d_model
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x):
        output, _ = scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x))
        return output
""",
    "parameter_count": """
def parameter_count(d_model, d_k=None):
    return sum(p.numel() for p in SelfAttention(d_model, d_k).parameters())
""",
}

LOOPS = {
    "attention_scores": """
def attention_scores(Q, K):
    S = np.zeros((len(Q), len(K)))
    for i, query in enumerate(Q):
        for j, key in enumerate(K):
            S[i, j] = sum(q * k for q, k in zip(query, key))
    return S
""",
    "softmax_rows": """
def softmax_rows(scores):
    A = np.zeros(scores.shape)
    for i, row in enumerate(scores):
        powers = [np.exp(float(s) - float(max(row))) for s in row]
        A[i] = [p / sum(powers) for p in powers]
    return A
""",
    "attention_output": """
def attention_output(A, V):
    return np.array([sum(a * v for a, v in zip(row, V)) for row in A])
""",
}

EINSUM = {
    "project_query": 'def project_query(X, W_Q):\n    return np.einsum("nd,dk->nk", X, W_Q)\n',
    "attention_scores": 'def attention_scores(Q, K):\n    return np.einsum("ik,jk->ij", Q, K)\n',
    "attention_output": 'def attention_output(A, V):\n    return np.einsum("ij,jv->iv", A, V)\n',
}

FUSED = {
    "SelfAttention": """
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        self.W_q, self.W_k, self.W_v = (nn.Linear(d_model, d_k or d_model, bias=False) for _ in range(3))

    def forward(self, x):
        fused = torch.cat([self.W_q.weight, self.W_k.weight, self.W_v.weight])
        Q, K, V = (x @ fused.T).chunk(3, dim=-1)
        return scaled_dot_product_attention(Q, K, V)[0]
""",
}

LIBRARY = {
    "SelfAttention": """
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        d_k = d_model if d_k is None else d_k
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x):
        return nn.functional.scaled_dot_product_attention(self.W_q(x), self.W_k(x), self.W_v(x))
""",
    "parameter_count": "def parameter_count(d_model, d_k=None):\n    return 3 * d_model * (d_k or d_model)\n",
}

TODO = "def {name}(*args):\n    raise NotImplementedError('exercise {name}')\n"


@dataclass(frozen=True)
class Sample:
    """One made-up student.

    `numpy` and `torch` are the parts of 01 and 02 that differ from the plain right ones, None where nothing is handed
    in; `after` follows them, and `raw` is a whole file in their place. `hostile` ones want what the wall must not give;
    with no wall they are left out.
    """

    student: str
    what: str
    numpy: Mapping[str, str] | None = None
    torch: Mapping[str, str] | None = None
    as_notebook: bool = False
    after: str = ""
    hostile: bool = False
    raw: str | None = None

    def files(self) -> dict[str, str]:
        """The files that this student hands in, by name."""
        if self.raw is not None:
            return {"numpy_self_attention.py": self.raw}
        files = {}
        for stem, parts, own in (
            ("numpy_self_attention", NUMPY_PARTS, self.numpy),
            ("torch_self_attention", TORCH_PARTS, self.torch),
        ):
            if own is not None:
                cells = [IMPORTS, *{**parts, **own}.values(), self.after]
                name = f"{stem}.ipynb" if self.as_notebook else f"{stem}.py"
                files[name] = _notebook(cells) if self.as_notebook else "\n\n".join(cells)
        return files


def _notebook(cells: list[str]) -> str:
    code: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{k}",
            "metadata": {},
            "source": source,
            "outputs": [],
            "execution_count": None,
        }
        for k, source in enumerate(cells)
    ]
    return json.dumps({"cells": code, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def _only(parts: Mapping[str, str], done: int) -> dict[str, str]:
    """The first `done` exercises; the others are not implemented."""
    return {name: source if k < done else TODO.format(name=name) for k, (name, source) in enumerate(parts.items())}


SAMPLES = (
    Sample("student-01", "right, in loops", numpy=LOOPS),
    Sample("student-02", "right, with einsum", numpy=EINSUM, torch={}),
    Sample("student-03", "right, with fused weights", torch=FUSED),
    Sample("student-04", "right, with PyTorch's own attention", numpy={}, torch=LIBRARY),
    Sample(
        "student-05",
        "right, as a notebook with a plot",
        numpy={},
        as_notebook=True,
        after="%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.imshow(softmax_rows(np.eye(3)))",
    ),
    Sample("student-06", "half done", numpy=_only(NUMPY_PARTS, 5)),
    Sample(
        "student-07",
        "softmax over the queries",
        numpy={"softmax_rows": "def softmax_rows(scores):\n    E = np.exp(scores)\n    return E / E.sum(axis=0)\n"},
    ),
    Sample(
        "student-08",
        "scores not scaled",
        numpy={
            "self_attention": NUMPY_PARTS["self_attention"].replace(
                "scale_scores(attention_scores(Q, K), Q.shape[1])", "attention_scores(Q, K)"
            )
        },
        torch={
            "scaled_dot_product_attention": TORCH_PARTS["scaled_dot_product_attention"].replace(
                " / math.sqrt(Q.shape[-1])", ""
            )
        },
    ),
    Sample("student-09", "divided by d_k", numpy={"scale_scores": "def scale_scores(S, d_k):\n    return S / d_k\n"}),
    Sample(
        "student-10",
        "softmax that overflows",
        numpy={
            "softmax_rows": "def softmax_rows(scores):\n    powers = np.exp(scores)\n"
            "    return powers / powers.sum(axis=1, keepdims=True)\n"
        },
    ),
    Sample(
        "student-11",
        "keys and queries exchanged",
        numpy={"attention_scores": "def attention_scores(Q, K):\n    return K @ Q.T\n"},
    ),
    Sample(
        "student-12",
        "nothing implemented",
        numpy=_only(NUMPY_PARTS, 0),
        torch={
            "SelfAttention": TODO.format(name="SelfAttention"),
            "parameter_count": TODO.format(name="parameter_count"),
            "scaled_dot_product_attention": TODO.format(name="scaled_dot_product_attention"),
        },
    ),
    Sample("student-13", "a syntax error", raw="import numpy as np\n\ndef project_query(X, W_Q)\n    return X @ W_Q\n"),
    Sample(
        "student-14",
        "an endless loop",
        numpy={"softmax_rows": "def softmax_rows(scores):\n    while True:\n        pass\n"},
    ),
    Sample(
        "student-15",
        "an exit",
        numpy={"attention_output": "import os\n\ndef attention_output(A, V):\n    os._exit(0)\n"},
        hostile=True,
    ),
    Sample(
        "student-16",
        "a memory bomb",
        numpy={"project_key": "def project_key(X, W_K):\n    return [np.ones(10**9) for _ in range(1000)]\n"},
        hostile=True,
    ),
    Sample(
        "student-17",
        "zeros of the right shape",
        numpy={
            name: f"def {name}(a, b=None):\n    return np.zeros(({shape}))\n"
            for name, shape in (
                ("project_query", "len(a), b.shape[1]"),
                ("attention_scores", "len(a), len(b)"),
                ("softmax_rows", "a.shape"),
            )
        },
    ),
    Sample(
        "student-18",
        "looks for the hidden tests",
        numpy={
            "softmax_rows": """
def softmax_rows(scores):
    import pathlib
    found = [str(p) for p in pathlib.Path("/").rglob("test_hidden.py")]
    raise ValueError(found)
"""
        },
        hostile=True,
    ),
    Sample(
        "student-19",
        "layers in a plain list",
        torch={
            "SelfAttention": """
class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None):
        super().__init__()
        self.layers = [nn.Linear(d_model, d_k or d_model, bias=False) for _ in range(3)]

    def forward(self, x):
        return scaled_dot_product_attention(*(layer(x) for layer in self.layers))[0]
"""
        },
    ),
    Sample(
        "student-20",
        "softmax over the queries, in a module",
        torch={"scaled_dot_product_attention": TORCH_PARTS["scaled_dot_product_attention"].replace("dim=-1", "dim=-2")},
    ),
)


def hand_in(folder: Path, samples: tuple[Sample, ...] = SAMPLES) -> None:
    """Writes every sample's files as students hand them in: `folder/<student>/<file>`."""
    for sample in samples:
        for name, source in sample.files().items():
            path = folder / sample.student / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(source, encoding="utf-8")
