"""QTI 3.0, with MathML."""

from autograder.quiz.texts.xml import element

from .output import Export
from .qti import Dialect, export_qti
from .quiz import Quiz

QTI3 = Dialect(
    version="3.0",
    namespace="http://www.imsglobal.org/xsd/imsqtiasi_v3p0",
    schema="https://purl.imsglobal.org/spec/qti/v3p0/schema/xsd/imsqti_asiv3p0_v1p0.xsd",
    package="http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1",
    package_schema="QTI Package",
    package_version="3.0.0",
    resource="xmlv3p0",
    spell=str,
    content=lambda inner: element("qti-content-body", {}, inner),
)


def export_qti3(quiz: Quiz) -> Export:
    """`<bank>-qti3.zip`."""
    return export_qti(quiz, QTI3, f"{quiz.name}-qti3.zip")
