/* The troubleshooting page: paste a message, get the entries that fit.
 *
 * Messages hold shapes, types and numbers of one's own, which a search for all words
 * does not forgive. Here an entry fits if the words of its heading are in what was
 * pasted, or, for a few words only, if these are in the heading. Nothing is sent
 * anywhere; without scripts the tables below are all there is.
 */
(function () {
  "use strict";

  const SHORT = 6; // so many words are a search, not a message
  const ENOUGH = 0.7; // share of the words that have to be found
  const MOST = 8;

  const words = (text) => text.toLowerCase().match(/[a-z0-9_]+/g) || [];

  const share = (some, all) => {
    const known = new Set(all);
    return some.length ? some.filter((word) => known.has(word)).length / some.length : 0;
  };

  function entries() {
    const links = document.querySelectorAll("article td:first-child a.reference");
    return [...links].map((link) => {
      const quoted = [...link.querySelectorAll("code")]
        .map((code) => words(code.textContent))
        .filter((message) => message.length > 2);
      const all = words(link.textContent);
      return { link, all, messages: quoted.length ? quoted : [all] };
    });
  }

  function best(pasted, found) {
    const given = words(pasted);
    if (!given.length) return [];
    const short = given.length <= SHORT;
    return found
      .map(({ link, all, messages }) => ({
        link,
        score: Math.max(
          short ? share(given, all) : 0,
          ...messages.map((message) => share(message, given))
        ),
        length: Math.max(...messages.map((message) => message.length)),
      }))
      .filter((entry) => entry.score >= ENOUGH && (short || entry.length > 2))
      .sort((a, b) => b.score - a.score || b.length - a.length)
      .slice(0, MOST);
  }

  function build(first) {
    const box = document.createElement("div");
    box.className = "bk-lookup";
    box.innerHTML =
      '<label for="bk-message">Paste the message you got, all of it or a few words</label>' +
      '<textarea id="bk-message" rows="3" spellcheck="false"></textarea>' +
      '<div role="status" aria-live="polite"></div>';
    first.after(box);
    return box;
  }

  function start() {
    const found = entries();
    const first = document.querySelector("article section > p");
    if (!found.length || !first) return;
    const box = build(first);
    const field = box.querySelector("textarea");
    const answer = box.querySelector("[role=status]");
    field.addEventListener("input", () => {
      const fitting = best(field.value, found);
      answer.textContent = "";
      if (!field.value.trim()) return;
      const said = document.createElement("p");
      said.textContent = fitting.length
        ? "What fits best:"
        : "No entry fits. Try a few words of the message, without numbers and names.";
      answer.append(said);
      if (!fitting.length) return;
      const list = document.createElement("ol");
      for (const { link } of fitting) {
        const item = document.createElement("li");
        item.append(link.cloneNode(true));
        list.append(item);
      }
      answer.append(list);
    });
  }

  if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
