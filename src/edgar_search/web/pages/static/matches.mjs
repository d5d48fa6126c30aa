// Walks through the matches of a document; the links do so without.
import { another } from "./cite.mjs";

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
  shown.textContent = `${Number(number).toLocaleString("en")} / ${Number(shown.dataset.count).toLocaleString("en")}`;
  const place = new URL(location.href);
  place.searchParams.set("match", number);
  for (const name of ["at", "start", "section"]) place.searchParams.delete(name);
  place.hash = mark.id;
  history.replaceState(null, "", place);
  shown.href = place.href;
  center(mark);
  another(number, place);
  follow(Number(number));
}

// The contents and the links of the head go with the match: its section is the shortest that has it.
export function follow(number) {
  let now, least = Infinity;
  for (const each of document.querySelectorAll(".toc li[data-item]")) {
    each.classList.remove("now");
    each.removeAttribute("aria-current");
    for (const numbers of each.dataset.numbers?.split(" ") ?? []) {
      const [first, last] = numbers.split("-").map(Number);
      if (first <= number && number <= last && last - first < least) [now, least] = [each, last - first];
    }
  }
  now?.classList.add("now");
  now?.setAttribute("aria-current", "true");
  for (const link of document.querySelectorAll(".bar [data-compare], .bar [data-at]")) {
    const place = new URL(link.href);
    place.searchParams.delete("section");
    if (!("at" in link.dataset)) {
      if (now) place.searchParams.set("section", now.dataset.item);
    } else {
      for (const name of ["at", "start"]) place.searchParams.delete(name);
      place.searchParams.set("match", number);
    }
    link.href = place.href;
  }
}

function step(by, event) {
  const mark = marks[now() + by];
  // The next one is in another part of the text: its link leads there.
  if (!mark) return document.querySelector(`.bar [data-step="${by}"]`)?.click();
  event.preventDefault();
  show(mark);
}

// Without a match the links of the head lead to the section that is read, once its heading is left.
if (!shown)
  document.querySelector(".bar")?.addEventListener("click", (event) => {
    const link = event.target.closest("[data-compare], [data-at]");
    const top = (each) => each?.getBoundingClientRect().top ?? -1;
    const now = top(document.getElementById(document.querySelector(".toc .now")?.dataset.item));
    if (!link || (now >= 0 && now < innerHeight)) return;
    const begun = [...document.querySelectorAll(".text a[id]")].filter((each) => top(each) < 120);
    const item = begun.pop()?.id.replace(/-\d+$/, "");
    if (!document.querySelector(`.toc [data-item="${item}"]`)) return;
    const place = new URL(link.href);
    for (const name of ["at", "start"]) place.searchParams.delete(name);
    place.searchParams.set("section", item);
    if ("at" in link.dataset) place.hash = "";
    link.href = place.href;
  });

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
