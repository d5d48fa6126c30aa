// Walks through the matches of a document; the links do so without.

const marks = [...document.querySelectorAll(".text mark[id]")];
const shown = document.querySelector(".bar [data-count]");

// -1 if the current match is in another part of the text.
function now() {
  return marks.findIndex((mark) => mark.classList.contains("now"));
}

function center(mark) {
  mark.scrollIntoView({ block: "center", behavior: "instant" });
}

function show(mark) {
  for (const each of document.querySelectorAll(".text mark.now")) each.classList.remove("now");
  mark.classList.add("now");
  const number = mark.id.slice(1);
  shown.textContent = `${Number(number).toLocaleString("en")} of ${Number(shown.dataset.count).toLocaleString("en")}`;
  const place = new URL(location.href);
  place.searchParams.set("match", number);
  place.searchParams.delete("start");
  place.searchParams.delete("at");
  place.hash = mark.id;
  history.replaceState(null, "", place);
  shown.href = place.href;
  center(mark);
  cite(number, place);
}

// What is cited is made by the server: of another match it is a link away.
export function cite(number, place) {
  const quoted = document.querySelector("[data-cited]");
  if (!quoted || quoted.dataset.cited === number) return;
  const link = document.createElement("a");
  link.textContent = `Cite match ${number}`;
  link.href = place.href;
  link.addEventListener("click", () => setTimeout(() => location.reload()));
  quoted.replaceChildren(link);
  quoted.dataset.cited = number;
}

function step(by, event) {
  const mark = marks[now() + by];
  // The next one is in another part of the text: its link leads there.
  if (!mark) return document.querySelector(`.bar [data-step="${by}"]`)?.click();
  event.preventDefault();
  show(mark);
}

if (shown) {
  const named = marks.find((mark) => `#${mark.id}` === location.hash);
  if (named) show(named);
  else if (!location.hash && now() >= 0) center(marks[now()]);
  for (const link of document.querySelectorAll(".bar [data-step]"))
    link.addEventListener("click", (event) => {
      if (marks[now() + Number(link.dataset.step)]) step(Number(link.dataset.step), event);
    });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
    if (localStorage.getItem("keys") === "off") return;
    if (event.key === "n") step(1, event);
    if (event.key === "p") step(-1, event);
  });
}
