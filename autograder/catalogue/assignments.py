"""The six assignments and their exercises, as the contract fixes them."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How an exercise is examined: called, built and run, or handed implementations to test."""

    FUNCTION = "function"
    MODULE = "module"
    TEST = "test"


@dataclass(frozen=True)
class Exercise:
    """One thing that a student implements.

    `points` are of the assignment's 100; `signature` is written as in Python, of a class that of its `__init__`;
    `objective` is an id of the catalogue. `uses` names earlier exercises that a solution may build on; follow-through
    looks there. `entries` names the keys of a result that is marked by entry.
    """

    name: str
    points: int
    signature: str
    objective: str
    kind: Kind = Kind.FUNCTION
    uses: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names in the signature, in order."""
        return tuple(part.split("=")[0].strip() for part in self.signature.strip("()").split(","))


@dataclass(frozen=True)
class Assignment:
    """A file of exercises, graded out of 100.

    `file` is the name of what students hand in, without its ending; `source` is the lesson, as students read it;
    `minutes` is a student's working time.
    """

    id: str
    file: str
    title: str
    source: str
    minutes: int
    exercises: tuple[Exercise, ...]

    def exercise(self, name: str) -> Exercise:
        """The exercise of this name. Raises KeyError, naming those that there are."""
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        raise KeyError(f"{self.id} has no exercise {name!r}; it has {', '.join(e.name for e in self.exercises)}")

    @property
    def points(self) -> int:
        """Of all exercises together."""
        return sum(exercise.points for exercise in self.exercises)


SHAPES = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V", "S", "A", "Output")
PROJECTIONS = ("project_query", "project_key", "project_value")

ASSIGNMENTS = {
    assignment.id: assignment
    for assignment in (
        Assignment(
            "01_numpy_self_attention",
            "numpy_self_attention",
            "Self-attention in NumPy, step by step",
            "Module 8",
            90,
            (
                Exercise("matrix_dimensions", 10, "(n, d_model, d_k, d_v)", "dimensions", entries=SHAPES),
                Exercise("project_query", 8, "(X, W_Q)", "project"),
                Exercise("project_key", 8, "(X, W_K)", "project"),
                Exercise("project_value", 8, "(X, W_V)", "project"),
                Exercise("attention_scores", 12, "(Q, K)", "score"),
                Exercise("scale_scores", 10, "(S, d_k)", "scale"),
                Exercise("softmax_rows", 16, "(scores)", "softmax"),
                Exercise("attention_output", 10, "(A, V)", "aggregate"),
                Exercise(
                    "self_attention",
                    18,
                    "(X, W_Q, W_K, W_V)",
                    "matrix-form",
                    uses=(*PROJECTIONS, "attention_scores", "scale_scores", "softmax_rows", "attention_output"),
                ),
            ),
        ),
        Assignment(
            "02_torch_self_attention",
            "torch_self_attention",
            "Self-attention as a PyTorch module",
            "Module 10.1",
            60,
            (
                Exercise("scaled_dot_product_attention", 35, "(Q, K, V)", "matrix-form"),
                Exercise(
                    "SelfAttention",
                    50,
                    "(d_model, d_k=None)",
                    "implement",
                    Kind.MODULE,
                    uses=("scaled_dot_product_attention",),
                ),
                Exercise("parameter_count", 15, "(d_model, d_k=None)", "dimensions", uses=("SelfAttention",)),
            ),
        ),
        Assignment(
            "03_attention_properties",
            "attention_properties",
            "What attention does and does not know",
            "both lessons",
            90,
            (
                Exercise("is_attention_matrix", 15, "(A, atol=1e-6)", "softmax"),
                Exercise("strongest_source", 10, "(A, i)", "matrix-form"),
                Exercise("permute_tokens", 10, "(X, order)", "equivariance"),
                Exercise(
                    "is_permutation_equivariant",
                    20,
                    "(f, X, order, atol=1e-8)",
                    "equivariance",
                    uses=("permute_tokens",),
                ),
                Exercise("positional_encoding", 15, "(n, d_model)", "failure-modes"),
                Exercise(
                    "self_attention_with_positions",
                    10,
                    "(X, W_Q, W_K, W_V)",
                    "failure-modes",
                    uses=("positional_encoding",),
                ),
                Exercise("row_entropy", 10, "(A)", "matrix-form"),
                Exercise(
                    "attention_cost",
                    10,
                    "(n, d_k, d_v)",
                    "failure-modes",
                    entries=("score_multiplications", "weight_entries", "output_multiplications"),
                ),
            ),
        ),
        Assignment(
            "04_cross_attention",
            "cross_attention",
            "Cross-attention and masks",
            "Module 10.1",
            90,
            (
                Exercise("attention_kind", 10, "(query_source, key_source, value_source)", "contrast"),
                Exercise("cross_attention", 25, "(X_target, X_source, W_Q, W_K, W_V)", "contrast"),
                Exercise("causal_mask", 10, "(n)", "masks"),
                Exercise("local_mask", 10, "(n, window)", "masks"),
                Exercise("masked_attention", 20, "(Q, K, V, mask)", "masks"),
                Exercise("CrossAttention", 25, "(d_model, d_k=None)", "contrast", Kind.MODULE),
            ),
        ),
        Assignment(
            "05_multi_head_attention",
            "multi_head_attention",
            "Many heads, and the block around them",
            "extension",
            90,
            (
                Exercise("split_heads", 20, "(x, num_heads)", "heads"),
                Exercise("merge_heads", 15, "(x)", "heads"),
                Exercise(
                    "MultiHeadSelfAttention",
                    40,
                    "(d_model, num_heads)",
                    "heads",
                    Kind.MODULE,
                    uses=("split_heads", "merge_heads"),
                ),
                Exercise(
                    "EncoderBlock",
                    25,
                    "(d_model, num_heads, d_ff)",
                    "deep-stacks",
                    Kind.MODULE,
                    uses=("split_heads", "merge_heads", "MultiHeadSelfAttention"),
                ),
            ),
        ),
        Assignment(
            "06_test_your_attention",
            "attention_tests",
            "Test an attention that you cannot see",
            "failure modes",
            60,
            (
                Exercise("test_shapes", 15, "(attend)", "dimensions", Kind.TEST),
                Exercise("test_rows_sum_to_one", 20, "(attend)", "softmax", Kind.TEST),
                Exercise("test_scaling", 30, "(attend)", "scale", Kind.TEST),
                Exercise("test_permutation_equivariance", 35, "(attend)", "equivariance", Kind.TEST),
            ),
        ),
    )
}


def exercise_named(name: str) -> Exercise:
    """The exercise of this name; no two have the same. Raises KeyError where there is none."""
    return {exercise.name: exercise for a in ASSIGNMENTS.values() for exercise in a.exercises}[name]


def assignment_of_file(stem: str) -> Assignment | None:
    """The assignment whose students hand in `stem`.py or `stem`.ipynb."""
    return next((a for a in ASSIGNMENTS.values() if a.file == stem), None)
