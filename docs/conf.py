"""How the documentation site is built: `make docs`."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from zerograd import __version__  # noqa: E402  sphinx reads names, not an order of imports

project = "zerograd"
author = "the zerograd authors"
release = version = __version__
project_copyright = "2026, the zerograd authors"

extensions = ["myst_parser", "sphinx.ext.autodoc", "extension"]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = f"zerograd {__version__}"
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["style"]
html_css_files = ["site.css"]
html_js_files = ["copy.js"]

# The site links to the repository that it is published from: no URL is known before that.
repository = os.environ.get("ZEROGRAD_REPOSITORY", "")
html_theme_options = (
    {"source_repository": repository, "source_branch": "main", "source_directory": "docs/"}
    if repository
    else {}
)

myst_heading_anchors = 3
smartquotes = False  # "mean" is what one types

# Docstrings are written for a terminal: `names` in them are code, whatever they name.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
add_module_names = False
maximum_signature_line_length = 80  # longer ones have an argument a line
python_use_unqualified_type_names = True

# Every link within the site must resolve. Types that others document, and our own that are no
# part of the API, stay words in a signature: a build asks no server for an inventory.
nitpicky = True
nitpick_ignore_regex = [("py:.*", ".*")]
