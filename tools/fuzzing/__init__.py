"""Random programs of array operations under devarray and NumPy; see tools/fuzz.py.

prelude.py holds what programs call, bounds.py how far results may differ, program.py statements and how both libraries
run them, vocabulary.py what they are made of; generate.py makes them, with the views of views.py, shrink.py makes them
small, serve.py runs them in a child.
"""
