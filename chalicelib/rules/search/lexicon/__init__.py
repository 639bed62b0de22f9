"""Everyday English for tools of any vendor, as rows of text.

A row is `words that mean the same | words that are close to those`; two close words are not close to each other.
`words > words`: those before `>` find those after it, and nothing else is said of them.
`_` joins the words of a phrase. A leading `~` marks words that any tool could use: they say little.
"""
