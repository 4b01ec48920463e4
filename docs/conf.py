"""Sphinx's settings. `python tools/make_site.py` puts the sources together and builds them."""

import re

import devarray

project = "devarray"
author = copyright = "the devarray developers"
version = release = devarray.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
default_role = "py:obj"
# ref.python: a type such as `bytes` in a docstring, which is also the name of several classes' attributes
suppress_warnings = ["config.cache", "toc.multiple_toc_parents", "ref.python"]

autosummary_generate = False  # the chapters' pages have the descriptions themselves
autodoc_typehints = "none"  # docstrings say the types
numpydoc_show_class_members = False
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "",
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "write_computation_times": False,  # a page that wants scripts of other sites
    "min_reported_time": 3600,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = f"devarray {release}"
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_sidebars = {page: [] for page in ("index", "tour", "benchmarks", "benchmarks-more")}
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}


def _with_breaks(word):
    """A word of code in a table's cell, with the places where a line may end: behind dots and brackets, and within long
    names behind underscores, so that columns stay narrow and names whole."""
    text = re.sub(r"([.(])(?=\w)", r"\1<wbr>", word[2])
    if len(word[2]) > 30:
        text = re.sub(r"(?<=\w_)(?=[^\W_])", "<wbr>", text)
    return f"{word[1]}{text}{word[3]}"


def _break_code(app, pagename, templatename, context, doctree):
    def cell(found):
        return re.sub(r'(<span class="pre">)([^<]*)(</span>)', _with_breaks, found[0])

    if "body" in context:
        context["body"] = re.sub(r"<td.*?</td>", cell, context["body"], flags=re.DOTALL)


def setup(app):
    app.connect("html-page-context", _break_code)
