// Keys and copying: pages work without.

const field = () => document.querySelector('input[name="query"]');
const writes = (target) => target.closest("input, textarea, select, [contenteditable]");

function step(selector, forward) {
  const all = [...document.querySelectorAll(selector)];
  if (!all.length) return;
  const at = all.findIndex((each) => each === document.activeElement || each.matches(":target"));
  const next = at < 0 ? (forward ? 0 : all.length - 1) : (at + (forward ? 1 : -1) + all.length) % all.length;
  all[next].focus();
  all[next].scrollIntoView({ block: "center" });
}

const KEYS = {
  "/": () => field()?.select(),
  j: () => step(".hit h2 a", true),
  k: () => step(".hit h2 a", false),
  "?": () => document.querySelector("#keys")?.showModal(),
};

const isOn = () => localStorage.getItem("keys") !== "off";

const choice = document.querySelector("#keys-on");
choice.checked = isOn();
choice.addEventListener("change", () => localStorage.setItem("keys", choice.checked ? "on" : "off"));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || writes(event.target)) return;
  // The list itself can always be had: there they are switched on again.
  const act = (isOn() || event.key === "?") && KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// Browsers have a clipboard for secure addresses only.
export function offerCopies(within) {
  for (const button of navigator.clipboard ? within.querySelectorAll("[data-copy]") : []) {
    button.hidden = false;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = "copied";
    });
  }
}

offerCopies(document);
