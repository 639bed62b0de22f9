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
for (const form of document.querySelectorAll("form[data-once]")) {
  let sent = false;
  form.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; });
  addEventListener("pageshow", () => { sent = false; });
}

/* A part with data-live="<seconds>" is read again from this page's own address for as long as the page says so. */
const LIVE_TRIES = 400;
function follow(part, tries) {
  if (!part || !part.dataset.live || tries === 0) return;
  setTimeout(async () => {
    if (document.hidden) return follow(part, tries);
    let next = null;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "error" });
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        next = page.getElementById(part.id);
        if (next && page.title !== document.title) document.title = page.title;
        const [ours, theirs] = [document, page].map((one) => one.querySelector("[data-waiting]"));
        if (ours && theirs) ours.innerHTML = theirs.innerHTML;
      }
    } catch { /* The next try may reach it. */ }
    if (next && next.innerHTML !== part.innerHTML && !part.contains(document.activeElement)) {
      part.replaceWith(next);
      offerCopies(next);
    } else if (next) {
      part.dataset.live = next.dataset.live || "";
    }
    follow(document.getElementById(part.id), tries - 1);
  }, part.dataset.live * 1000);
}
for (const part of document.querySelectorAll("[data-live]")) follow(part, LIVE_TRIES);
