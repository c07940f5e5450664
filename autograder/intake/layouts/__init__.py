"""Whose file is whose: one recognizer for each way in which submissions come.

A recognizer takes what it knows by facts (a name's form, a platform's file of metadata) out of a tree and
leaves the rest to the next; `folders` takes all that is left. Nothing else is opened.
"""

from .handin import Handin, Recognized
from .recognizing import handins_of

__all__ = ["Handin", "Recognized", "handins_of"]
