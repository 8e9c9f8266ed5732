"""Recorded model runs: every exchange with a model on disk, and a model that answers from it.

`recorder` writes, `replay` reads, `exchange` is one request with its reply as JSON, `neutral` says what is left out
of it, and `kept_model` is the chat model that both stand behind.
"""
