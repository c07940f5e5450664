"""Course platforms: what they are given, and marks and feedback in the form that they take back."""
