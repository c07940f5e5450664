"""nbgrader with the kit in it: its commands and its formgrader, with marks made across the wall.

A course names the kit's steps by these dotted strings; nothing of nbgrader is imported here.
"""

_HERE = "autograder.integrations.nbgrader"

# What a course's configuration gives nbgrader's Autograde.
AUTOGRADE = {
    "exporter_class": f"{_HERE}.exporter.SubmissionExporter",
    "pre_convert_hook": f"{_HERE}.exporter.expect_notebooks",
    "sanitize_preprocessors": [f"{_HERE}.preprocessors.RebuildFromRelease"],
    "autograde_preprocessors": [
        f"{_HERE}.preprocessors.MarkAcrossWall",  # in place of nbgrader.preprocessors.Execute; the rest is nbgrader's
        "nbgrader.preprocessors.IgnorePattern",
        "nbconvert.preprocessors.ClearMetadataPreprocessor",
        "nbgrader.preprocessors.LimitOutput",
        "nbgrader.preprocessors.SaveAutoGrades",
        "nbgrader.preprocessors.AssignLatePenalties",
    ],
}
COLLECT = f"{_HERE}.collecting.CollectRegularFiles"
FEEDBACK = [
    "nbgrader.preprocessors.GetGrades",
    f"{_HERE}.preprocessors.ClearHiddenTests",
    "nbconvert.preprocessors.CSSHTMLHeaderPreprocessor",
]
