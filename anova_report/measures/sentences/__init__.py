"""Where claims become words: every sentence and caption that states a fact is made here, and only of claims.

A function writes one kind of claim, or joins some to a sentence; it computes nothing but how numbers are printed.
"""
