"""What students should be able to do; Module 10.1's six objectives, and Module 8's steps."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Objective:
    """`text` says it as an instructor would; `source` names the lesson's part, or that it is an extension."""

    id: str
    text: str
    source: str


OBJECTIVES = {
    objective.id: objective
    for objective in (
        Objective("define", "Define self-attention and state where Q, K and V come from.", "Module 10.1, objective 1"),
        Objective(
            "contrast", "Contrast self-attention with cross-attention by source and target.", "Module 10.1, objective 2"
        ),
        Objective(
            "matrix-form", "Write self-attention in matrix form and interpret its weights.", "Module 10.1, objective 3"
        ),
        Objective("implement", "Implement a minimal self-attention block in PyTorch.", "Module 10.1, objective 4"),
        Objective(
            "equivariance",
            "Explain why self-attention is permutation-equivariant without positions.",
            "Module 10.1, objective 5",
        ),
        Objective(
            "failure-modes",
            "Identify common failure modes: cost, missing positions, self for cross.",
            "Module 10.1, objective 6",
        ),
        Objective("project", "Project the embeddings to queries, keys and values.", "Module 8, sections 1 to 4"),
        Objective("score", "Compare each query with every key by a dot product.", "Module 8, section 5"),
        Objective(
            "scale", "Scale the scores by the square root of the key dimension, and say why.", "Module 8, section 6"
        ),
        Objective("softmax", "Turn each row of scores into a distribution over the keys.", "Module 8, section 7"),
        Objective("aggregate", "Combine the values with the attention weights.", "Module 8, sections 8 and 9"),
        Objective("dimensions", "State the shape of every matrix in self-attention.", "Module 8, section 10"),
        Objective("masks", "Keep chosen keys out of a query's reach.", "extension"),
        Objective("heads", "Run several attention heads in parallel and join them.", "extension, named in Module 10.1"),
        Objective(
            "deep-stacks",
            "Wrap attention with residual connections, norms and a feed-forward net.",
            "extension, named in Module 10.1",
        ),
    )
}
