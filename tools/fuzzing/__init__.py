"""Random programs of array operations under devarray and NumPy; see tools/fuzz.py.

prelude.py holds what programs call, bounds.py how far results may differ, program.py statements and how both libraries
run them, generate.py makes programs, shrink.py makes them small, serve.py runs them in a child.
"""
