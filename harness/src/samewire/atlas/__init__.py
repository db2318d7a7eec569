"""The atlas of differences: odd input, what each stack answers to it, and whether that is safe.

`inputs` reads what is asked, `ask` asks it, `safety` judges by the rule of safety, `pins` holds what each server is
known to answer, `mutants` changes inputs, and `page` shows all of it.
"""
