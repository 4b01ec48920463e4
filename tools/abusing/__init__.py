"""Hostile calls of everything public; see tools/abuse.py.

zoo.py has the values and the objects, targets.py finds what can be called and makes the calls, serve.py makes them in a
child and judges the answers.
"""
