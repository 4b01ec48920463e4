"""``devarray run`` of a program beside which lies a copy of a package that is taught to take arrays."""

import subprocess
import sys


def test_a_copy_of_a_taught_package_beside_the_program(tmp_path):
    # The groups' module is there before the package is: nothing is changed until all of it has been imported.
    groups = tmp_path / "pandas" / "core" / "groupby"
    groups.mkdir(parents=True)
    for folder in (groups, groups.parent):
        (folder / "__init__.py").touch()
    (tmp_path / "pandas" / "__init__.py").write_text(
        "import pandas.core.groupby.generic\nraise ImportError('own copy')\n"
    )
    (groups / "generic.py").write_text("from pandas.core.groupby.groupby import x\nimport math\n")
    (groups / "groupby.py").write_text("x = 1\n")
    program = tmp_path / "program.py"
    program.write_text("try:\n    import pandas\nexcept ImportError as error:\n    print(error)\n")
    command = [sys.executable, "-m", "devarray", "run", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=tmp_path)
    assert done.stdout == "own copy\n", done.stderr
