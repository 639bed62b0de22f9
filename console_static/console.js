/* Copy buttons and parts that follow what happens. Without this file every form and page works the same. */
"use strict";
function offerCopies(within) {
  for (const button of within.querySelectorAll("[data-copy]")) {
    const source = document.getElementById(button.dataset.copy);
    const label = button.textContent;
    button.setAttribute("aria-live", "polite");
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(source);
        button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
      }
      setTimeout(() => { button.textContent = label; }, 2000);
    });
  }
}
offerCopies(document);

/* A form with data-once is sent once, however often its button is pressed. */
for (const form of document.querySelectorAll("[data-once]")) {
  let sent = false;
  form.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; });
  addEventListener("pageshow", () => { sent = false; });
}

/* A part with data-live="<seconds>" is read again from its page's address while the page says so; parts with data-beside
   change when that does. What holds the focus changes after it. */
const rowOf = (one) => one.closest("tr").querySelector("time").dateTime + one.closest("tr").querySelector("a");
const topOf = (id) => document.getElementById(id).getBoundingClientRect().top;
function swap(old, next) {
  const open = [...old.querySelectorAll("tr [open]")].map(rowOf);
  for (const one of next.querySelectorAll("tr details")) one.open = open.includes(rowOf(one));
  old.replaceWith(next);
  offerCopies(next);
}
function renew({ id, dataset }, page) {
  const [top, live] = [topOf(id), page.getElementById(id).dataset.live];
  let isHeld = false;
  for (const old of document.querySelectorAll("[data-live], [data-beside]")) {
    const next = page.getElementById(old.id);
    if (old.id === id ? next.innerHTML === old.innerHTML : next.dataset.beside === old.dataset.beside) continue;
    if (old.contains(document.activeElement)) isHeld = true;
    else swap(old, next);
  }
  document.getElementById(id).dataset.live = isHeld ? dataset.live : live || "";
  if (top < innerHeight) scrollBy(0, topOf(id) - top);
  document.title = page.title;
}
function follow(part, from = part.dataset.from || location.href, tries = 400) {
  if (!part.dataset.live || !tries) return;
  setTimeout(async () => {
    if (document.hidden) return follow(part, from, tries);
    try {
      const answer = await fetch(from, { redirect: "error" });
      if (answer.ok) renew(part, new DOMParser().parseFromString(await answer.text(), "text/html"));
    } catch { /* The next try may reach it. */ }
    follow(document.getElementById(part.id), from, tries - 1);
  }, part.dataset.live * 1000);
}
for (const part of document.querySelectorAll("[data-live]")) follow(part);
