"""Robot descriptions: frozen data, no dynamics."""

from .dh import DHRow
from .joint import Drive, Joint
from .limits import Limits
from .link import PARAMETER_STEMS, Link
from .robot import STANDARD_GRAVITY, Mimic, Robot
from .transform import Transform

__all__ = ["PARAMETER_STEMS", "STANDARD_GRAVITY", "DHRow", "Drive", "Joint", "Limits", "Link", "Mimic", "Robot", "Transform"]
