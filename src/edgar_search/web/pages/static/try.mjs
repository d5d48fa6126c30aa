// Calls an endpoint with the reader's own key, which is nowhere but in its field.

const LISTS = (text) => (text.trim().startsWith("[") ? JSON.parse(text) : text.split(",").map((each) => each.trim()));
const READ = {
  list: LISTS,
  array: LISTS,
  integer: (text) => Number(text),
  boolean: (text) => text === "true",
  object: (text) => JSON.parse(text),
};

function values(form) {
  const found = {};
  for (const field of form.querySelectorAll("[name]")) {
    const text = field.value;
    if (!text.trim()) continue;
    const read = form.dataset.body && READ[field.dataset.kind];
    found[field.name] = read ? read(text) : text;
  }
  return found;
}

function request(form) {
  const headers = {};
  const secret = form.querySelector("[data-secret]")?.value.trim();
  if (secret) {
    if (form.dataset.credential === "key") headers["X-API-Key"] = secret;
    else headers.Authorization = `Bearer ${secret}`;
  }
  const options = { method: form.dataset.method, headers, credentials: "omit" };
  if (form.dataset.body) {
    headers["Content-Type"] = "application/json";
    return [form.dataset.path, { ...options, body: JSON.stringify(values(form)) }];
  }
  return [`${form.dataset.path}?${new URLSearchParams(values(form))}`, options];
}

for (const form of document.querySelectorAll("form.try")) {
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [said, shown] = [form.querySelector("[role=status]"), form.querySelector("pre")];
    try {
      const began = performance.now();
      const reply = await fetch(...request(form));
      const text = await reply.text();
      said.textContent = `${reply.status} after ${Math.round(performance.now() - began)} ms`;
      shown.hidden = false;
      const json = reply.headers.get("content-type")?.startsWith("application/json");
      shown.firstElementChild.textContent = json ? JSON.stringify(JSON.parse(text), null, 2) : text.slice(0, 20000);
    } catch (error) {
      said.textContent = `It was not sent: ${error.message}`;
    }
  });
}
