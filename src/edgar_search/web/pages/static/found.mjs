// Shows the companies, filings and forms that a text names while it is typed; pages work without.

const WAIT = 150;

for (const form of document.querySelectorAll("form[data-found]")) {
  const field = form.querySelector("input[name=query]");
  const box = document.createElement("ul");
  box.className = "found";
  box.setAttribute("aria-label", "Recognized in the query");
  box.hidden = true;
  form.append(box);
  let timer = 0;
  let asked = "";
  const links = () => [...box.querySelectorAll("a")];

  function show(found) {
    box.replaceChildren(
      ...found.map(({ kind, text, detail, address }) => {
        const item = document.createElement("li"), link = document.createElement("a"), more = document.createElement("span");
        link.href = address;
        link.textContent = text;
        more.className = "soft";
        more.textContent = ` ${kind} · ${detail}`;
        link.append(more);
        item.append(link);
        return item;
      }),
    );
    box.hidden = !found.length;
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const text = field.value.trim();
      if (text === asked) return;
      asked = text;
      if (text.length < 2) return show([]);
      const reply = await fetch(`/found?${new URLSearchParams({ query: text })}`);
      if (!reply.ok) return;
      const { found } = await reply.json();
      // A link that the arrows have reached stays under them.
      if (asked === text && !box.contains(document.activeElement)) show(found);
    }, WAIT);
  });
  form.addEventListener("keydown", (event) => {
    const all = links(), at = all.indexOf(document.activeElement);
    if (event.key === "Escape") box.hidden = true;
    if (box.hidden || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    const next = at + (event.key === "ArrowDown" ? 1 : -1);
    (next < 0 ? field : all[Math.min(next, all.length - 1)]).focus();
  });
  form.addEventListener("focusout", (event) => {
    if (!form.contains(event.relatedTarget)) setTimeout(() => (box.hidden = true), WAIT);
  });
}
