"""placeholder"""

WRONG_MODELS = ()
