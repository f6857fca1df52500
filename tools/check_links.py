"""Checks the links of a built site: every relative link leads to a file, every fragment to an id of it.

usage: python tools/check_links.py FOLDER
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value is None:
                continue
            if name == "id" or (name == "name" and tag == "a"):
                self.ids.add(value)
            elif name == "href" or (name == "src" and tag != "a"):
                self.links.append(value)


def check(root: Path) -> tuple[int, int, list[str]]:
    """(pages, links, what is wrong)."""
    pages: dict[Path, _Page] = {}
    for path in sorted(root.rglob("*.html")):
        page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
        pages[path.resolve()] = page
    wrong: dict[str, None] = {}
    count = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("data:"):
                if parts.scheme not in ("http", "https", "mailto", "data", "javascript"):
                    wrong.setdefault(f"{path.relative_to(root.resolve())}: {link}: odd scheme")
                continue
            count += 1
            if path.name == "404.html":
                continue  # it may be shown anywhere, so its links are absolute
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target = target / "index.html"
            if not target.exists():
                wrong.setdefault(f"{path.relative_to(root.resolve())}: {link}: no such page")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                wrong.setdefault(f"{path.relative_to(root.resolve())}: {link}: no such place")
    return len(pages), count, list(wrong)


def main() -> None:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        sys.exit(__doc__)
    pages, links, wrong = check(Path(sys.argv[1]))
    for text in wrong[:50]:
        print(text)
    print(f"{pages} pages, {links} links, {len(wrong)} broken")
    sys.exit(1 if wrong or not pages else 0)


if __name__ == "__main__":
    main()
