"""QTI 2.1, with MathML, for Blackboard and Brightspace."""

from .output import Export
from .qti import Dialect, export_qti
from .quiz import Quiz


def camel(name: str) -> str:
    """`qti-response-declaration` as `responseDeclaration`, `base-type` as `baseType`."""
    first, *rest = name.removeprefix("qti-").split("-")
    return first + "".join(part.capitalize() for part in rest)


QTI21 = Dialect(
    version="2.1",
    namespace="http://www.imsglobal.org/xsd/imsqti_v2p1",
    schema="http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd",
    package="http://www.imsglobal.org/xsd/imscp_v1p1",
    package_schema="QTIv2.1 Package",
    package_version="1.0.0",
    resource="xmlv2p1",
    spell=camel,
    content=lambda inner: inner,
    only_later=frozenset({"external-scored", "use"}),
)


def export_qti21(quiz: Quiz) -> Export:
    """`<bank>-qti21.zip`."""
    return export_qti(quiz, QTI21, f"{quiz.name}-qti21.zip")
