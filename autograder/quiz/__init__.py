"""Quizzes: banks of items that are checked, taken, graded, exported and assembled.

`model` has the items, `texts` what their texts are made of. `banks` reads and checks them, `short_answers` judges
sentences, `marks` responses, `pages` and `take` ask, `export` writes for other platforms, `commands` is `attnkit quiz`.
"""
