"""``devarray run`` of a program beside which lies a copy of a package that is taught to take arrays."""

import os
import subprocess
import sys

import devarray


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


def test_devarrays_own_checkout_below_the_program(tmp_path):
    # Its modules that are imported while the program runs keep NumPy.
    (tmp_path / "checkout").mkdir()
    (tmp_path / "checkout" / "devarray").symlink_to(next(iter(devarray.__path__)))
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nx = np.frombuffer(np.zeros(3, 'i4,f8').tobytes(), 'i4,f8')\n"
        "print(np.lexsort((x['f1'], -np.arange(3))), np.array2string(x))\n"
    )
    command = [sys.executable, "-P", "-m", "devarray", "run", str(program)]
    env = os.environ | {"PYTHONPATH": str(tmp_path / "checkout")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=tmp_path, env=env)
    assert done.stdout == "[2 1 0] [(0, 0.) (0, 0.) (0, 0.)]\n", done.stderr
