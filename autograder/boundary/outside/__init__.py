"""The grader's half of the wall: raises it, admits a submission, asks, and kills.

Trusts no byte, no time and no exit status that comes from the other half.
"""
