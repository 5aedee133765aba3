# SPDX-License-Identifier: BSD-2-Clause
"""Checks the page of a report: page.py PAGE.html [EXPRESSION]

Elements are closed in order, ids are unique, what refers to one finds it, nothing refers to anything outside of
the page, its data is JSON, and the page is smaller than 1.5 times the images in
it, where these are larger than its own text.  EXPRESSION is about the data, called j, and must be true."""
import base64
import json
import sys
from html.parser import HTMLParser

EMPTY = {"meta", "link", "input", "br", "path", "rect", "circle"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.wanted, self.faults, self.texts = [], [], [], [], {}

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if len(given) != len(attributes):
            self.faults.append(f"attribute twice in {self.get_starttag_text()}")
        self.ids += [given["id"]] if "id" in given else []
        for name in ("aria-labelledby", "aria-describedby", "for"):
            self.wanted += (given.get(name) or "").split()
        for name in ("href", "src", "srcset", "action", "data", "poster"):
            value = given.get(name)
            if value and value.startswith("#"):
                self.wanted.append(value[1:])
            elif value and not value.startswith("data:"):
                self.faults.append(f"refers to {value}")
        self.faults += [f"{name} in {tag}" for name in given if name.startswith("on")]
        if tag not in EMPTY:
            self.open.append((tag, given.get("id"), self.getpos()))

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in EMPTY:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.faults.append(f"</{tag}> at {self.getpos()} closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, text):
        if self.open and self.open[-1][0] == "script":
            place = self.open[-1][1]
            self.texts[place] = self.texts.get(place, "") + text


raw = open(sys.argv[1], "rb").read()
page = Page()
page.feed(raw.decode("utf-8"))
page.close()
faults = page.faults + [f"{tag} is not closed" for tag, _, _ in page.open]
faults += [f"id {name} twice" for name in set(page.ids) if page.ids.count(name) > 1]
faults += [f"no id {name}" for name in page.wanted if name not in page.ids]
j = json.loads(page.texts["data"])
if len(sys.argv) > 2 and not eval(f"({sys.argv[2]})"):
    faults.append(json.dumps(j["configs"] + j["pictures"]))
images = [base64.b64decode(text, validate=True) for name, text in page.texts.items()
          if name and name.startswith(("original-", "decoded-"))]
faults += ["no PNG" for image in images if not image.startswith(b"\x89PNG")]
total = sum(map(len, images))
if len(raw) > 1.5 * total > 1e6:
    faults.append(f"{len(raw)} bytes for {total} bytes of images")
sys.exit("\n".join(faults) or 0)
