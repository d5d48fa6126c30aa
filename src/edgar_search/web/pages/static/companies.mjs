// Offers companies while a name is typed; the field works without.

const WAIT = 120;

for (const field of document.querySelectorAll("input[name=company]")) {
  const list = document.createElement("datalist");
  list.id = "companies";
  field.after(list);
  field.setAttribute("list", list.id);
  let timer = 0;
  let asked = "";
  field.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const text = field.value.trim();
      if (text.length < 2 || text === asked) return;
      asked = text;
      const reply = await fetch(`/companies?${new URLSearchParams({ name: text })}`);
      if (!reply.ok || asked !== text) return;
      const { companies } = await reply.json();
      list.replaceChildren(
        ...companies.map(({ name, tickers, former }) => {
          const option = document.createElement("option");
          option.value = name;
          option.label = [tickers.slice(0, 3).join(" "), former && `formerly ${former}`].filter(Boolean).join(" · ");
          return option;
        }),
      );
    }, WAIT);
  });
}
