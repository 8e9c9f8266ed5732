"""The other way to a protocol: agents write its steps themselves, and code only checks them.

Everywhere else a model fills a design and code computes. This way exists to measure what that is worth.
"""
