"""What is wrong with a page as it stands before a reader."""

from __future__ import annotations

import json
from typing import Any, Final

from .gallery import Look

RULES: Final = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
COLOURS: Final = "color-contrast"
STICKS_OUT: Final = """
[...document.querySelectorAll(".card, h1, h2, h3, p, li, dt, dd, td, th, summary, label, legend")]
  .filter(e => e.offsetParent && e.clientWidth && getComputedStyle(e).overflowX === "visible")
  .filter(e => e.scrollWidth > e.clientWidth + 1)
  .map(e => e.outerHTML.slice(0, 200))
"""
"""What is written over its neighbour, or beside its card."""
COVERED: Final = """
(() => {
  const found = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = new Range();
  const targets = [...document.querySelectorAll("main .button, main input, main select, main .chip")]
    .filter(e => e.checkVisibility() && !e.closest(".vh")).map(e => [e, e.getBoundingClientRect()]);
  for (let node; (node = walker.nextNode());) {
    const words = node.parentElement;
    if (!node.data.trim() || !words.checkVisibility() || words.closest(".vh, .rows thead")) continue;
    range.selectNodeContents(node);
    for (const box of range.getClientRects())
      for (const [target, at] of targets)
        if (!target.contains(node) && Math.min(box.right, at.right) - Math.max(box.left, at.left) > 2
            && Math.min(box.bottom, at.bottom) - Math.max(box.top, at.top) > 4)
          found.push(`${target.outerHTML.slice(0, 100)} covers ${node.data.trim().slice(0, 80)}`);
  }
  return found;
})()
"""
"""Words that a button, a field or a chip lies on."""
FOREIGN: Final = """
[...document.querySelectorAll("img, iframe, object, embed, style, [style], script:not([src*='/static/'])")]
  .concat([...document.querySelectorAll("*")].filter(e => e.getAttributeNames().some(name => name.startsWith("on"))))
  .map(e => e.outerHTML.slice(0, 200))
"""
"""Elements that no template has: somebody wrote them into a text."""
UNSEEN: Final = """
(() => {
  const found = [], walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());)
    if (/[\\u200b-\\u200f\\u202a-\\u202e\\u2066-\\u2069]/.test(node.data))
      found.push(node.parentElement.outerHTML.slice(0, 200));
  return found;
})()
"""
"""Text with characters that hide in it or turn it around, and are not spelled out."""


def faults_of(page: Any) -> dict[str, list[str]]:
    """Of what others wrote into the page, however wide it is."""
    return {name: found for name, script in TEXTS.items() if (found := page.evaluate(script))}


def faults_in(page: Any, look: Look) -> dict[str, list[str]]:
    """Of one look. `axe` has to be in the page. In the dark only colours are other ones than in the light."""
    if look.scheme == "dark":
        found = {"axe": _violations(page, {"type": "rule", "values": [COLOURS]})}
    else:
        width = page.evaluate("document.documentElement.scrollWidth")
        found = {name: page.evaluate(script) for name, script in PLACES.items()}
        found["scrolls to the side"] = [f"{width} px"] if width > look.width else []
        found["axe"] = _violations(page, {"type": "tag", "values": RULES})
    return {name: lines for name, lines in found.items() if lines}


TEXTS: Final = {"foreign": FOREIGN, "unseen": UNSEEN}
PLACES: Final = {"sticks out": STICKS_OUT, "covered": COVERED}


def _violations(page: Any, only: dict[str, Any]) -> list[str]:
    options = json.dumps({"runOnly": only, "resultTypes": ["violations"], "preload": False})
    found = page.evaluate(f"axe.run({options})")["violations"]
    return [f"{rule['id']}: {node['target']} {node['html'][:200]}" for rule in found for node in rule["nodes"]]
