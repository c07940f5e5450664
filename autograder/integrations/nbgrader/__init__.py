"""nbgrader with the kit in it: its commands and its formgrader, with marks made across the wall.

A course names the kit's steps by these dotted strings; nothing of nbgrader is imported here.
"""

_HERE = "autograder.integrations.nbgrader.preprocessors"

EXPORTER = "autograder.integrations.nbgrader.exporter.SubmissionExporter"

SANITIZE = [f"{_HERE}.RebuildFromRelease"]
AUTOGRADE = [
    f"{_HERE}.MarkAcrossWall",  # in place of nbgrader.preprocessors.Execute; what follows is nbgrader's own
    "nbgrader.preprocessors.IgnorePattern",
    "nbconvert.preprocessors.ClearMetadataPreprocessor",
    "nbgrader.preprocessors.LimitOutput",
    "nbgrader.preprocessors.SaveAutoGrades",
    "nbgrader.preprocessors.AssignLatePenalties",
]
FEEDBACK = [
    "nbgrader.preprocessors.GetGrades",
    f"{_HERE}.ClearHiddenTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
