"""The bench files import their neighbours, as they do when ``run.py`` is a script."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
