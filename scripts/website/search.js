// Search in the text of all pages. The index is a script, because pages opened as files may not read other files, and it
// is fetched when somebody begins to search.
const root = document.currentScript.dataset.root;
const field = document.querySelector("#search input");
const list = document.querySelector("#search ol");
let sections = null, chosen = -1;

window.clearanceSearch = (rows) => {
  sections = rows.map(([page, heading, address, text]) =>
    ({ page, heading, address, text, low: text.toLowerCase(), name: heading.toLowerCase(), of: page.toLowerCase() }));
  show();
};

function load() {
  if (sections || document.getElementById("index")) return;
  const script = document.createElement("script");
  script.id = "index";
  script.src = root + "/search_index.js";
  document.head.append(script);
}

// Points of a section: every word must occur; headings count more than text, beginnings of words more than their middles.
function points(section, words) {
  let sum = 0;
  for (const word of words) {
    const begins = new RegExp("(^|[^\\p{L}\\p{N}])" + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "u");
    let here = 0;
    if (section.name === word) here += 60;
    if (section.name.includes(word)) here += begins.test(section.name) ? 30 : 12;
    if (section.of.includes(word)) here += begins.test(section.of) ? 12 : 4;
    const at = section.low.indexOf(word);
    if (at >= 0) here += (begins.test(section.low) ? 4 : 1) + Math.min(4, section.low.split(word).length - 2);
    if (!here) return 0;
    sum += here;
  }
  // Decisions and the list of changes tell of the past; what users read comes first.
  return /decisions\/|CHANGELOG/.test(section.address) ? sum * 0.3 : sum;
}

function excerpt(section, words) {
  const at = Math.max(0, Math.min(...words.map((word) => section.low.indexOf(word)).filter((i) => i >= 0), section.text.length) - 50);
  const text = at >= section.text.length - 50 ? section.text.slice(0, 170) : section.text.slice(at, at + 170);
  return (at > 0 ? "… " : "") + text + (at + 170 < section.text.length ? " …" : "");
}

function marked(text, words) {
  const piece = document.createDocumentFragment();
  const pattern = new RegExp("(" + words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "i");
  text.split(pattern).forEach((part, i) => {
    if (i % 2 === 0) return piece.append(part);
    const mark = document.createElement("mark");
    mark.textContent = part;
    piece.append(mark);
  });
  return piece;
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.replaceChildren();
  chosen = -1;
  list.hidden = !words.length || !sections;
  if (list.hidden) return;
  const found = sections.map((section) => [points(section, words), section]).filter(([sum]) => sum > 0);
  found.sort((a, b) => b[0] - a[0]);
  for (const [, section] of found.slice(0, 12)) {
    const entry = document.createElement("li"), link = document.createElement("a");
    const title = document.createElement("b"), page = document.createElement("i"), text = document.createElement("span");
    title.append(marked(section.heading, words));
    if (section.page !== section.heading) page.textContent = section.page;
    text.append(marked(excerpt(section, words), words));
    link.href = root + "/" + section.address;
    link.append(title, page, text);
    entry.append(link);
    list.append(entry);
  }
  if (!found.length) {
    const entry = document.createElement("li");
    entry.className = "none";
    entry.textContent = "nothing found";
    list.append(entry);
  }
}

function choose(step) {
  const links = [...list.querySelectorAll("a")];
  if (!links.length) return;
  chosen = (chosen + step + links.length) % links.length;
  links.forEach((link, i) => link.classList.toggle("chosen", i === chosen));
  links[chosen].scrollIntoView({ block: "nearest" });
}

field.addEventListener("focus", load);
field.addEventListener("input", () => { load(); show(); });
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") { choose(1); event.preventDefault(); }
  if (event.key === "ArrowUp") { choose(-1); event.preventDefault(); }
  if (event.key === "Escape") { field.value = ""; show(); field.blur(); }
  if (event.key === "Enter") (list.querySelector("a.chosen") || list.querySelector("a"))?.click();
});
list.addEventListener("click", () => { list.hidden = true; });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !/INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName)) { field.focus(); event.preventDefault(); }
});
document.addEventListener("click", (event) => { if (!event.target.closest("#search")) list.hidden = true; });
