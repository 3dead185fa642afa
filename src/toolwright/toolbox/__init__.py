"""The public face: a named set of tools."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import NoReturn


class _Room(ModuleType):
    def __call__(self, *_: object, **__: object) -> NoReturn:
        msg = "`toolbox` is a module; the class is `Toolbox`"
        raise TypeError(msg)


sys.modules[__name__].__class__ = _Room
