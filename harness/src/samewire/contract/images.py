"""PNG as the contract compares it: what the image is, not how it is compressed."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from io import BytesIO

from PIL import Image

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_END = b"\0\0\0\0IEND\xaeB`\x82"


class NotPng(ValueError):
    """Bytes that are no whole, sound PNG."""


@dataclass(frozen=True)
class Picture:
    """What two images are compared by. `pixels` are row by row from the top, for RGB three bytes each."""

    width: int
    height: int
    bit_depth: int
    colour_type: int
    interlaced: bool
    pixels: bytes = field(repr=False)

    def difference(self, other: Picture) -> str:
        """The first way in which another picture is not this one; empty if they are the same."""
        for name in ("width", "height", "bit_depth", "colour_type", "interlaced"):
            one, another = getattr(self, name), getattr(other, name)
            if one != another:
                return f"{name.replace('_', ' ')} {one} and {another}"
        if self.pixels == other.pixels:
            return ""
        size = max(1, len(self.pixels) // (self.width * self.height))
        starts = range(0, len(self.pixels), size)
        unlike = [at for at in starts if self.pixels[at : at + size] != other.pixels[at : at + size]]
        y, x = divmod(unlike[0] // size, self.width)
        one, another = (tuple(pixels[unlike[0] : unlike[0] + size]) for pixels in (self.pixels, other.pixels))
        return f"{len(unlike)} of {self.width * self.height} pixels, first x={x} y={y}: {one} and {another}"


def decode(data: bytes) -> Picture:
    """The picture of a PNG. NotPng if anything is wrong with it, a checksum or a byte too many included."""
    if not data.startswith(_SIGNATURE) or data[12:16] != b"IHDR" or len(data) < 33:
        raise NotPng("does not begin like a PNG")
    if not data.endswith(_END):
        raise NotPng("does not end like a PNG")
    width, height, bit_depth, colour_type, _, _, interlace = struct.unpack(">IIBBBBB", data[16:29])
    try:
        Image.open(BytesIO(data), formats=["PNG"]).verify()  # the checksums
        stream = BytesIO(data)
        with Image.open(stream, formats=["PNG"]) as image:
            pixels = image.tobytes()
    except (OSError, SyntaxError, ValueError, struct.error) as error:
        raise NotPng(str(error)) from error
    return Picture(width, height, bit_depth, colour_type, interlace != 0, pixels)


def encode(width: int, height: int, pixels: bytes) -> bytes:
    """A PNG, 8-bit RGB and not interlaced, of these pixels."""
    file = BytesIO()
    Image.frombytes("RGB", (width, height), pixels).save(file, "PNG")
    return file.getvalue()
