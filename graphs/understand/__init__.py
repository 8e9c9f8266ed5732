"""From words or a written document to a specification that a person has seen and code has checked."""

from labwright.graphs.understand.graph import build_understand as build_understand
from labwright.graphs.understand.state import Drafted as Drafted
from labwright.graphs.understand.state import Reader as Reader
from labwright.graphs.understand.state import UnderstandState as UnderstandState
