// Copies the citation of the match or of selected words, and leaves the reader where he is. Without
// scripts the link leads to the page that checks the citation.
import { offerCopies } from "./keys.mjs";

const AROUND = 40, MOST = 2000;
const link = document.querySelector("[data-cite]");
const said = document.querySelector("[data-said]");
const quoted = document.querySelector("[data-cited]");
const article = document.querySelector("article.text");
const isCited = link && !link.hidden;
// The number of the current match and its page, if the server has made another's citation so far.
let other = null;

async function read(place) {
  const reply = await fetch(place);
  return new DOMParser().parseFromString(await reply.text(), "text/html");
}

// The range grown to whole words, since a part of a word or number is no quotation.
function whole(range) {
  const grown = range.cloneRange(), { startContainer: first, endContainer: last } = range;
  if (first.data) grown.setStart(first, range.startOffset - first.data.slice(0, range.startOffset).match(/\S*$/)[0].length);
  if (last.data) grown.setEnd(last, range.endOffset + last.data.slice(range.endOffset).match(/^\S*/)[0].length);
  return grown;
}

// Selected words of the text, with those on both sides, by which they are found in it.
function selected() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return null;
  if (!selection.toString().trim()) return null;
  const range = whole(selection.getRangeAt(0)), quote = range.toString().trim();
  const around = range.commonAncestorContainer;
  if (!article.contains(around)) return null;
  const before = range.cloneRange(), after = range.cloneRange();
  before.setStart(article, 0);
  before.setEnd(range.startContainer, range.startOffset);
  after.setStart(range.endContainer, range.endOffset);
  after.setEnd(article, article.childNodes.length);
  return { quote, prefix: before.toString().slice(-AROUND), suffix: after.toString().slice(0, AROUND) };
}

async function ofWords(words) {
  if (words.quote.length > MOST) throw new Error(`At most ${MOST.toLocaleString("en")} characters can be cited`);
  const citation = JSON.stringify({ document_id: link.dataset.cite, ...words });
  const place = `/cite?${new URLSearchParams({ citation })}`, page = await read(place);
  const text = page.querySelector("#cite-text")?.textContent;
  if (!text || !page.querySelector("#verdict.good"))
    throw new Error(page.querySelector(".err, #verdict")?.textContent ?? "The words cannot be cited now");
  return { text, place, what: "the selected words" };
}

// What is cited is made by the server: that of another match is fetched when it is asked for.
async function ofMatch() {
  if (other) {
    const { number, place } = other, page = await read(place), made = page.querySelector("[data-cited]");
    if (made?.dataset.cited !== number) throw new Error("The match cannot be cited now");
    quoted.replaceChildren(...made.childNodes);
    quoted.dataset.cited = number;
    link.href = page.querySelector("[data-cite]").getAttribute("href");
    offerCopies(quoted);
    other = null;
  }
  const text = document.querySelector("#cite-text").textContent;
  return { text, place: link.href, what: `match ${Number(quoted.dataset.cited).toLocaleString("en")}` };
}

async function copy(event) {
  event.preventDefault();
  const words = selected();
  said.textContent = "";
  try {
    const { text, place, what } = await (words ? ofWords(words) : ofMatch());
    // Browsers have a clipboard for secure addresses only.
    if (!navigator.clipboard) return location.assign(place);
    await navigator.clipboard.writeText(text);
    said.textContent = `citation of ${what} copied`;
  } catch (error) {
    said.textContent = error.message;
  }
}

export function another(number, place) {
  if (!quoted) return;
  said.textContent = "";
  other = quoted.dataset.cited === number ? null : { number, place: place.href };
  if (!other) return;
  const ask = document.createElement("a");
  ask.textContent = `Cite match ${number}`;
  ask.href = place.href;
  ask.addEventListener("click", copy);
  quoted.replaceChildren(ask);
  quoted.dataset.cited = "";
}

// Selected words are sent in a body, since an address would be logged on its way.
const likeMatch = document.querySelector("[data-like]");
const likeSelection = document.querySelector("[data-like-selection]");
const LONGEST = 20000;

if (link) {
  link.addEventListener("click", copy);
  // A click would end the selection that it is about.
  for (const each of [link, likeSelection]) each.addEventListener("mousedown", (event) => event.preventDefault());
  document.addEventListener("selectionchange", () => {
    const words = selected();
    link.hidden = !words && !isCited;
    link.textContent = words ? "cite selection" : "cite";
    likeSelection.hidden = !words;
    if (likeMatch) likeMatch.hidden = Boolean(words);
    if (words) likeSelection.elements.text.value = words.quote.slice(0, LONGEST);
  });
}
