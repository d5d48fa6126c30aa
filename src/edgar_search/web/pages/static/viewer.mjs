// Walks through the matches of a part in the frame; the links do so without, and to other parts.
import { another } from "./cite.mjs";
import { follow } from "./matches.mjs";

const frame = document.querySelector("iframe[data-first]");
const shown = document.querySelector(".bar [data-count]");

// -1 if the current match is in another part.
let now = -1;

function show(number) {
  const place = new URL(location.href);
  now = number;
  for (const name of ["at", "start", "part", "section"]) place.searchParams.delete(name);
  place.searchParams.set("match", number);
  place.hash = "";
  history.replaceState(null, "", place);
  shown.href = place.href;
  shown.textContent = `${number.toLocaleString("en")} / ${Number(shown.dataset.count).toLocaleString("en")}`;
  frame.contentWindow.location.replace(frame.src.split("#")[0] + frame.dataset.names + number);
  for (const link of document.querySelectorAll(".bar [data-step]")) {
    const next = new URL(place), other = number + Number(link.dataset.step);
    next.searchParams.set("match", other);
    link.href = next.href;
    link.hidden = other < 1 || other > Number(shown.dataset.count);
  }
  another(String(number), place);
  follow(number);
}

function step(by, event) {
  const number = now + by;
  if (now < 0 || number < Number(frame.dataset.first) || number > Number(frame.dataset.last)) return;
  event.preventDefault();
  show(number);
}

// A frame that is there before the style sheet has no width yet, and looks for its place in vain.
const placed = document.querySelector(".layout iframe");
if (placed && placed.src.includes("#"))
  addEventListener("load", () => placed.contentWindow.location.replace(placed.src), { once: true });

if (frame && shown) {
  if (frame.src.includes("#")) now = Number(frame.src.split("-m").pop());
  for (const link of document.querySelectorAll(".bar [data-step]"))
    link.addEventListener("click", (event) => step(Number(link.dataset.step), event));
}
