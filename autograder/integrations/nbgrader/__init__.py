"""nbgrader with the kit in it: its commands and its formgrader, with marks made across the wall.

A course names the kit's steps by these dotted strings; nothing of nbgrader is imported here.
"""

_HERE = "autograder.integrations.nbgrader.preprocessors"

EXPORTER = "autograder.integrations.nbgrader.exporter.SubmissionExporter"

# nbgrader's own lists, with the kit's steps in their places.
SANITIZE = [
    f"{_HERE}.RebuildFromRelease",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.DeduplicateIds",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
]
AUTOGRADE = [
    f"{_HERE}.MarkAcrossWall",  # in place of nbgrader.preprocessors.Execute
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
    "nbgrader.preprocessors.CheckCellMetadata",
]
FEEDBACK = [
    "nbgrader.preprocessors.GetGrades",
    f"{_HERE}.ClearHiddenTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
