"""The matrix as one page without any outside resource: a cell opens what the rules say of it."""

# ruff: noqa: E501 (style sheet and markup read best with one rule on a line)

from __future__ import annotations

import html as escape
import json

from moelint.matrix.cells import Cell, Matrix
from moelint.matrix.show import MEANS, SIGN, condition_text, heading, settings_text

_STYLE = """
:root { color-scheme: light dark; --bg: #fff; --fg: #1d2129; --line: #d8dce3; --soft: #f3f5f8; --head: #57606a;
  --compatible: #1a7f37; --conditional: #9a6700; --refused: #cf222e; --breaks: #82071e; --ignored: #8250df; --unverified: #0969da; }
@media (prefers-color-scheme: dark) { :root { --bg: #0d1117; --fg: #e6edf3; --line: #30363d; --soft: #161b22; --head: #9198a1;
  --compatible: #3fb950; --conditional: #d29922; --refused: #f85149; --breaks: #ff7b72; --ignored: #bc8cff; --unverified: #58a6ff; } }
* { box-sizing: border-box; } a { color: var(--unverified); }
body { margin: 0; padding: 1rem; background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.3rem; margin: 0 0 .3rem; } p { margin: .3rem 0; max-width: 70ch; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .6rem 0; color: var(--head); font-size: .85rem; }
.scroll { overflow: auto; max-height: 80vh; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: separate; border-spacing: 0; font-size: .8rem; }
th { font-weight: 500; background: var(--soft); }
thead th { position: sticky; top: 0; z-index: 2; height: 10.5rem; vertical-align: bottom; padding: 0 0 .4rem; }
thead th span { writing-mode: vertical-rl; transform: rotate(180deg); white-space: nowrap; }
tbody th { position: sticky; left: 0; z-index: 1; text-align: left; padding: 0 .6rem; white-space: nowrap; }
thead th:first-child { left: 0; z-index: 3; }
tr.group th { color: var(--head); font-size: .7rem; text-transform: uppercase; letter-spacing: .05em; padding-top: .5rem; }
td { padding: 0; text-align: center; border-left: 1px solid var(--line); border-top: 1px solid var(--line); }
td button, td span { display: block; width: 1.75rem; height: 1.75rem; border: 0; background: none; color: inherit; font: inherit; line-height: 1.75rem; }
td button { cursor: pointer; } td button:hover, td button:focus-visible { background: var(--soft); outline: 2px solid var(--unverified); }
.compatible { color: var(--compatible); } .conditional { color: var(--conditional); } .refused { color: var(--refused); }
.breaks { color: var(--breaks); } .ignored { color: var(--ignored); } .unverified { color: var(--unverified); }
.alone, .same { color: var(--head); }
dialog { max-width: min(46rem, 94vw); border: 1px solid var(--line); border-radius: 8px; background: var(--bg); color: var(--fg); padding: 1rem 1.2rem; }
dialog::backdrop { background: #0008; } dialog h2 { font-size: 1.05rem; margin: 0 0 .4rem; } dialog li { margin: .4rem 0; }
dialog ul { padding-left: 1.1rem; } code { overflow-wrap: anywhere; background: var(--soft); padding: .05rem .25rem; border-radius: 3px; }
dialog form { text-align: right; } dialog form button { font: inherit; padding: .3rem .9rem; }
@media (max-width: 600px) { body { padding: .6rem; } tbody th { max-width: 8.5rem; overflow: hidden; text-overflow: ellipsis; } }
"""

_SCRIPT = """
const cells = JSON.parse(document.getElementById("cells").textContent);
const dialog = document.querySelector("dialog");
document.querySelector("table").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  const cell = cells[button.dataset.cell];
  dialog.querySelector("h2").textContent = cell.title;
  dialog.querySelector(".state").textContent = cell.means;
  dialog.querySelector(".sets").textContent = cell.sets;
  const list = dialog.querySelector("ul");
  list.replaceChildren(...cell.said.map(([rule, message, url]) => {
    const item = document.createElement("li");
    const name = document.createElement(url ? "a" : "b");
    if (url) name.href = url;
    name.textContent = rule;
    item.append(name, " " + message);
    return item;
  }));
  dialog.querySelector(".works").textContent = cell.works;
  dialog.showModal();
});
"""


def page(matrix: Matrix, rows: list[list[Cell]], rule_url: str = "", home: str = "") -> str:
    """The whole page. ``rule_url``: where rule pages lie, with {id}; else rules are named only; ``home``: a page to go
    back to."""
    columns = [cell.b for cell in rows[0]] if rows else []
    out = ["<thead><tr><th></th>"]
    out += [f"<th scope='col' title='{_text(f.title)}'><span>{_text(f.id)}</span></th>" for f in columns]
    out.append("</tr></thead><tbody>")
    told: list[dict[str, object]] = []
    group = ""
    for row in rows:
        if row[0].a.group != group:
            group = row[0].a.group
            out.append(f"<tr class='group'><th colspan='{len(columns) + 1}'>{_text(group)}</th></tr>")
        out.append(f"<tr><th scope='row' title='{_text(row[0].a.title)}'>{_text(row[0].a.id)}</th>")
        for cell in row:
            sign, label = SIGN[cell.state], _text(f"{cell.a.id} with {cell.b.id}: {MEANS[cell.state]}")
            if cell.state in ("absent", "same"):
                out.append(f"<td class='{cell.state}' title='{label}'><span>{sign}</span></td>")
                continue
            out.append(
                f"<td class='{cell.state}'><button data-cell='{len(told)}' title='{label}' aria-label='{label}'>{sign}</button></td>"
            )
            told.append(_told(cell, rule_url))
        out.append("</tr>")
    out.append("</tbody>")
    legend = "".join(
        f"<span class='{state}'>{SIGN[state]} {MEANS[state]}</span>" for state in SIGN if state != "absent"
    )
    # "<" cannot end the script element, whatever a message says
    cells = json.dumps(told, ensure_ascii=False).replace("<", "\\u003c")
    back = f"<p><a href='{_text(home)}'>← Compatibility matrix</a></p>" if home else ""
    return (
        "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>Compatibility: {_text(heading(matrix))}</title><style>{_STYLE}</style></head><body>"
        f"{back}<h1>Compatibility of features</h1><p>{_text(heading(matrix))}. Each cell is a job that has both features, judged by the "
        "rules; open a cell for what they say.</p>"
        f"<div class='legend'>{legend}</div><div class='scroll'><table>{''.join(out)}</table></div>"
        "<dialog><h2></h2><p class='state'></p><p><code class='sets'></code></p><ul></ul><p class='works'></p>"
        "<form method='dialog'><button autofocus>Close</button></form></dialog>"
        f"<script type='application/json' id='cells'>{cells}</script><script>{_SCRIPT}</script></body></html>\n"
    )


def _told(cell: Cell, rule_url: str) -> dict[str, object]:
    works = f"Works with {condition_text(cell)}" if cell.condition or cell.unset else ""
    return {
        "title": f"{cell.a.title} with {cell.b.title}" if cell.a is not cell.b else cell.a.title,
        "means": MEANS[cell.state],
        "sets": settings_text(cell.settings),
        "said": [[said.rule, said.message, rule_url.replace("{id}", said.rule)] for said in [*cell.said, *cell.notes]],
        "works": works,
    }


def _text(words: str) -> str:
    return escape.escape(words, quote=True)
