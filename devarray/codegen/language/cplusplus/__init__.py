"""What CUDA C has of C++, in the words of C: templates, references, members, lambdas (docs/design.md)."""
