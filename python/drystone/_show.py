"""What a notebook shows: pages on which a run plays, and pictures."""

import base64
import html
import os
import tempfile


class Page:
    """A page in a frame of its own, which a saved notebook keeps."""

    def __init__(self, text, height):
        self.text, self.height = text, int(height)

    def _repr_html_(self):
        page = html.escape(self.text, quote=True)
        return f'<iframe srcdoc="{page}" width="100%" height="{self.height}" style="border:0"></iframe>'


class LivePage:
    """A page that this process serves, to browsers of this machine only. It follows the run as long as that goes on."""

    def __init__(self, serving, height):
        self.serving, self.height = serving, int(height)

    @property
    def url(self):
        """Where it is: for a browser beside the notebook, too."""
        return self.serving.url

    def stop(self):
        """Serves it no more."""
        self.serving.stop()

    def _repr_html_(self):
        return f'<iframe src="{self.url}" width="100%" height="{self.height}" style="border:0"></iframe>'

    def __repr__(self):
        return f"LivePage({self.url!r})"


class Picture:
    """A picture, as the bytes of a PNG file."""

    def __init__(self, data):
        self.data = data

    @classmethod
    def read(cls, path):
        with open(path, "rb") as file:
            return cls(file.read())

    @classmethod
    def drawn(cls, draw):
        """What a function draws into the file that it is given."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "picture.png")
            draw(path)
            return cls.read(path)

    def save(self, path):
        """Writes it as a PNG file."""
        with open(path, "wb") as file:
            file.write(self.data)

    def _repr_png_(self):
        return self.data

    def _repr_html_(self):
        data = base64.b64encode(self.data).decode("ascii")
        return f'<img src="data:image/png;base64,{data}" style="max-width:100%">'
