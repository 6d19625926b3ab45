"use strict";
(() => {
const MOST_HEIGHT = 12e6, MOST_DOCUMENTS = 200, MOST_ROWS = 1500, AROUND = 2, LONG = 600, ENDS = 160;

const $ = id => document.getElementById(id);

// All that comes from the data becomes text nodes and properties, and never HTML.
function make(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children);
  return made;
}

async function decoded(element) {
  const packed = Uint8Array.from(atob(element.textContent), letter => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

const plural = (count, one) => `${count.toLocaleString("en")} ${one}${count === 1 ? "" : "s"}`;

function size(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  while (bytes >= 1024 && at < units.length - 1) { bytes /= 1024; at++; }
  return `${at ? bytes.toPrecision(3).replace(/\.?0+$/, "") : bytes} ${bytes === 1 && !at ? "byte" : units[at]}`;
}

const shown = similarity => (similarity / 1e6).toFixed(6);

// As shlex.quote of Python.
const quoted = word => /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`;

function start(data) {
  const groups = data.counts.length;
  const first = new Int32Array(groups), least = new Int32Array(groups), most = new Int32Array(groups);
  const bytes = new Float64Array(groups), placeOf = new Map();
  let at = 0;
  for (let group = 0, pair = 0; group < groups; group++) {
    const count = data.counts[group];
    first[group] = at;
    placeOf.set(data.numbers[group], group);
    let low = 1e9, high = 0, sum = 0;
    for (let each = 1; each < count; each++, pair++) {
      low = Math.min(low, data.similarities[pair]);
      high = Math.max(high, data.similarities[pair]);
      sum += data.sizes[at + each];
    }
    least[group] = low; most[group] = high; bytes[group] = sum;
    at += count;
  }
  const similarityOf = (group, each) => data.similarities[first[group] - group + each - 1];
  const nameOf = (group, each) => data.names[first[group] + each];
  const hasTexts = new Set(data.texts);
  let lower = null;

  const search = make("input", {type: "search", placeholder: "part of a name", autocomplete: "off", spellcheck: false});
  const sort = make("select", {}, ...[["size", "most documents"], ["bytes", "most bytes of duplicates"],
    ["least", "least similar first"], ["most", "most similar first"], ["name", "name of the kept document"],
    ["number", "order of the answer"]].map(([value, told]) => make("option", {value}, told)));
  const directory = make("select", {}, make("option", {value: ""}, "all"),
    ...data.directories.map(name => make("option", {value: name}, name)));
  const floor = Math.floor(Math.min(1e6, ...least.subarray(0, 1), data.threshold * 1e6, minimum(least)) / 1e4) / 100;
  const from = make("input", {type: "number", min: 0, max: 1, step: 0.01, value: floor});
  const to = make("input", {type: "number", min: 0, max: 1, step: 0.01, value: 1});
  const status = make("p", {class: "status", role: "status"});
  const space = make("div", {class: "space", role: "presentation"});
  const list = make("div", {class: "list", tabIndex: 0, role: "listbox", "aria-label": "Groups"}, space);
  const detail = make("section", {class: "detail", "aria-label": "The chosen group"});
  const labelled = (text, control, kind) => make("label", {class: kind || ""}, text, control);
  $("app").append(
    make("div", {class: "bar"}, labelled("Search names ", search, "wide"), labelled("Order ", sort),
      ...(data.directories.length > 1 ? [labelled("Directory ", directory)] : []),
      labelled("Similarity from ", from), labelled("to ", to)),
    status,
    make("div", {class: "split"}, list, detail),
    make("p", {class: "keys"}, make("kbd", {}, "↑"), " ", make("kbd", {}, "↓"), " choose a group, ",
      make("kbd", {}, "n"), " ", make("kbd", {}, "p"), " next and previous pair, ", make("kbd", {}, "/"),
      " search. The address of this page names the group, as in #g=12."));

  let order = [], chosen = -1, pairShown = 1, scale = 1, rowHeight = 0;

  function minimum(values) {
    let low = 1e6;
    for (const value of values) if (value < low) low = value;
    return low;
  }

  function address() {
    const named = chosen < 0 ? "" : `g=${data.numbers[chosen]}${pairShown > 1 ? `&d=${pairShown}` : ""}`;
    try {
      history.replaceState(null, "", `#${named}`);
    } catch { /* a page in a frame may not change its address */ }
  }

  function choose(group, pair, options) {
    chosen = group;
    pairShown = pair || 1;
    address();
    if (!options || options.reveal !== false) reveal();
    draw();
    drawDetail();
  }

  // A row is as high as the style has it: on a narrow screen, its words take several lines.
  function fit() {
    rowHeight = parseFloat(getComputedStyle(list).getPropertyValue("--row"));
    scale = Math.max(1, order.length * rowHeight / MOST_HEIGHT);
    space.style.height = `${order.length * rowHeight / scale}px`;
  }

  function reveal() {
    const place = order.indexOf(chosen);
    if (place < 0) return;
    const top = place * rowHeight / scale, height = list.clientHeight;
    if (scale > 1) { if (place < seen().begin || place >= seen().end - 1) list.scrollTop = top; }
    else if (top < list.scrollTop) list.scrollTop = top;
    else if (top + rowHeight > list.scrollTop + height) list.scrollTop = top + rowHeight - height;
  }

  function seen() {
    const begin = Math.max(0, Math.floor(list.scrollTop * scale / rowHeight));
    return {begin, end: Math.min(order.length, begin + Math.ceil(list.clientHeight / rowHeight) + 1)};
  }

  // Only the rows that can be seen are in the page: 100,000 of them would take a gigabyte.
  function draw() {
    const {begin, end} = seen(), rows = [];
    for (let place = Math.max(0, begin - 3); place < Math.min(order.length, end + 3); place++) {
      const group = order[place], name = nameOf(group, 0), slash = name.lastIndexOf("/") + 1;
      const low = shown(least[group]).slice(0, 4), high = shown(most[group]).slice(0, 4);
      const row = make("div", {class: "row", role: "option", id: `row-${group}`, title: name,
        "aria-selected": String(group === chosen), "aria-setsize": String(order.length),
        "aria-posinset": String(place + 1), onclick: () => { choose(group, 1, {reveal: false}); list.focus(); }},
        make("div", {class: "name"}, make("span", {class: "number"}, String(data.numbers[group])),
          " ", name.slice(slash) || name),
        make("div", {class: "told"}, `${plural(data.counts[group], "document")} · ${low === high ? low : `${low}–${high}`} · ${size(bytes[group])}${slash ? ` · ${name.slice(0, slash)}` : ""}`));
      row.style.top = `${scale > 1 ? list.scrollTop + (place - begin) * rowHeight : place * rowHeight}px`;
      rows.push(row);
    }
    space.replaceChildren(...rows);
    const active = rows.find(row => row.id === `row-${chosen}`);
    if (active) list.setAttribute("aria-activedescendant", active.id);
    else list.removeAttribute("aria-activedescendant");
  }

  const SORTS = {
    size: null,
    bytes: (a, b) => bytes[b] - bytes[a] || a - b,
    least: (a, b) => least[a] - least[b] || a - b,
    most: (a, b) => most[b] - most[a] || a - b,
    name: (a, b) => (nameOf(a, 0) < nameOf(b, 0) ? -1 : nameOf(a, 0) > nameOf(b, 0) ? 1 : a - b),
    number: (a, b) => data.numbers[a] - data.numbers[b],
  };

  // searched: somebody has changed what is searched for. At the start, the address says which group is open.
  function select(searched) {
    const words = search.value.toLowerCase().split(" ").filter(Boolean);
    const below = directory.value === "." ? "" : directory.value && `${directory.value}/`;
    const low = Math.round((from.valueAsNumber || 0) * 1e6);
    const high = Math.round((Number.isNaN(to.valueAsNumber) ? 1 : to.valueAsNumber) * 1e6);
    if (words.length && !lower) lower = data.names.map(name => name.toLowerCase());
    order = [];
    for (let group = 0; group < groups; group++) {
      if (most[group] < low || least[group] > high) continue;
      let fits = !words.length && !below;
      for (let each = first[group]; !fits && each < first[group] + data.counts[group]; each++)
        fits = words.every(word => lower[each].includes(word)) && (!below || data.names[each].startsWith(below));
      if (fits) order.push(group);
    }
    if (SORTS[sort.value]) order.sort(SORTS[sort.value]);
    fit();
    list.scrollTop = 0;
    status.textContent = order.length === groups ? plural(groups, "group") : `${order.length.toLocaleString("en")} of ${plural(groups, "group")}`;
    if (order.includes(chosen)) { draw(); return; }
    // The open group is one of those that the search has found.
    chosen = order.length ? order[0] : -1;
    pairShown = 1;
    if (searched) address();
    draw();
    drawDetail();
  }

  const decodedBlocks = new Map();
  function textsOf(group) {
    if (!hasTexts.has(group)) return Promise.resolve(null);
    let block = 0;
    while (block + 1 < data.blocks.length && data.blocks[block + 1] <= group) block++;
    if (!decodedBlocks.has(block)) {
      if (decodedBlocks.size > 3) decodedBlocks.delete(decodedBlocks.keys().next().value);
      decodedBlocks.set(block, decoded(document.querySelectorAll("script.texts")[block]));
    }
    return decodedBlocks.get(block).then(texts => texts[group]);
  }

  async function drawDetail() {
    const group = chosen, count = data.counts[group];
    if (group < 0) { detail.replaceChildren(); return; }
    const texts = await textsOf(group);
    if (group !== chosen) return;
    const pair = Math.min(Math.max(1, pairShown), count - 1);
    pairShown = pair;
    const rows = [];
    const limit = Math.max(Math.min(count, MOST_DOCUMENTS), 0);
    const document_ = each => {
      const cell = each ? make("button", {type: "button", onclick: () => choose(group, each)}, nameOf(group, each))
        : make("span", {}, nameOf(group, 0), " ", make("span", {class: "tag"}, "kept"));
      const row = make("tr", {class: each === pair ? "chosen" : ""}, make("td", {}, cell),
        make("td", {}, each ? shown(similarityOf(group, each)) : ""), make("td", {}, size(data.sizes[first[group] + each])));
      if (each === pair) row.setAttribute("aria-current", "true");
      return row;
    };
    for (let each = 0; each < limit; each++) rows.push(document_(each));
    if (pair >= limit) rows.push(document_(pair));
    const body = make("tbody", {}, ...rows);
    if (count > limit) {
      const more = make("tr", {}, make("td", {colSpan: 3}, make("button", {type: "button", onclick: () => {
        const rest = [];
        for (let each = limit; each < count; each++) rest.push(document_(each));
        while (body.children.length > limit) body.lastChild.remove();
        body.append(...rest);
      }}, `show ${plural(count - limit, "more document")}`)));
      body.append(more);
    }
    const heading = data.exact ? "Similarity" : "Estimate";
    const members = make("div", {class: "scroll members"}, make("table", {class: "documents"},
      make("thead", {}, make("tr", {}, ...["Document", heading, "Text"].map(text => make("th", {scope: "col"}, text)))), body));
    detail.replaceChildren(
      make("h3", {}, `Group ${data.numbers[group]}`),
      make("p", {class: "soft"}, `${plural(count, "document")}, ${size(bytes[group])} of text in duplicates`),
      members, ...pairOf(group, pair, texts));
    const row = body.querySelector(".chosen");
    if (row && row.offsetTop + row.offsetHeight > members.clientHeight)
      members.scrollTop = row.offsetTop - members.clientHeight / 2;
  }

  function commandOf(group, pair) {
    const words = [0, pair].map(each => data.words[first[group] + each] || quoted(nameOf(group, each)));
    const safe = words.map(word => word.startsWith("-") && word !== "-" ? `./${word}` : word);
    return `simdocs compare ${safe.join(" ")}${data.options ? ` ${data.options}` : ""}`;
  }

  function pairOf(group, pair, texts) {
    const rows = texts && texts.pairs[pair], note = texts && texts.notes[pair];
    const code = make("code", {}, commandOf(group, pair));
    const copy = make("button", {type: "button", onclick: async () => {
      try { await navigator.clipboard.writeText(code.textContent); copy.textContent = "Copied"; }
      catch {
        getSelection().selectAllChildren(code);
        copy.textContent = document.execCommand("copy") ? "Copied" : "Selected";
      }
      setTimeout(() => { copy.textContent = "Copy"; }, 1500);
    }}, "Copy");
    const tools = make("div", {class: "tools"}, code, copy);
    const made = [make("h4", {}, data.counts[group] > 2 ? `Kept and duplicate ${pair} of ${data.counts[group] - 1}` : "Kept and duplicate"), tools];
    if (!rows) {
      const why = note ? `The texts cannot be shown: ${note}.`
        : pair > data.mostPairs ? `Texts are in this page for the first ${data.mostPairs} duplicates of a group.`
          : "The texts of this pair are not in this page: --report-size puts more into it.";
      return [...made, make("p", {class: "soft"}, why)];
    }
    if (note) made.push(make("p", {class: "soft"}, `${note[0].toUpperCase()}${note.slice(1)}.`));
    const whole = make("input", {type: "checkbox", onchange: () => fill()});
    const body = make("tbody", {});
    const fill = () => body.replaceChildren(...differenceRows(rows, whole.checked));
    fill();
    tools.append(make("label", {}, whole, " whole texts"));
    const heads = [0, pair].map(each => make("th", {scope: "col"}, nameOf(group, each)));
    return [...made, make("div", {class: "scroll"}, make("table", {class: "diff"},
      make("thead", {}, make("tr", {}, ...heads)), body))];
  }

  // Of what is the same in a very long line, only both ends are shown until somebody asks for it.
  function shortened(piece) {
    if (piece.length <= LONG) return [piece];
    const whole = at => at + (piece.codePointAt(at - 1) > 0xffff);  // no character is cut in two
    const begin = whole(ENDS), end = whole(piece.length - ENDS), middle = piece.slice(begin, end);
    const more = make("button", {type: "button", class: "more", onclick: () => more.replaceWith(middle)},
      `⋯ ${plural(middle.length, "character")}`);
    return [piece.slice(0, begin), more, piece.slice(end)];
  }

  function cell(pieces, mark, whole) {
    const parts = pieces.map((piece, place) => place % 2 ? [make(mark, {}, piece)] : whole ? [piece] : shortened(piece));
    return make("td", {}, ...parts.flat());
  }

  function lineOf(row, whole) {
    const [left, right = left] = row, differs = left.length > 1 || right.length > 1;
    return make("tr", {class: differs ? "differs" : ""}, cell(left, "del", whole), cell(right, "ins", whole));
  }

  function differenceRows(rows, whole) {
    const near = new Uint8Array(rows.length);
    rows.forEach((row, place) => {
      if (row.some(pieces => pieces.length > 1))
        near.fill(1, Math.max(0, place - AROUND), Math.min(rows.length, place + AROUND + 1));
    });
    const none = !near.includes(1), made = [];
    for (let place = 0; place < rows.length;) {
      let end = place;
      while (!whole && end < rows.length && !near[end] && !(none && end < MOST_ROWS)) end++;
      if (end - place > 1) { made.push(fold(rows, place, end)); place = end; continue; }
      if (made.length >= MOST_ROWS) { made.push(fold(rows, place, rows.length)); break; }
      made.push(lineOf(rows[place++], whole));
    }
    return made;
  }

  function fold(rows, begin, end) {
    const row = make("tr", {class: "fold"}, make("td", {colSpan: 2}, make("button", {type: "button", onclick: () => {
      const stop = Math.min(end, begin + MOST_ROWS), opened = rows.slice(begin, stop).map(row => lineOf(row));
      row.replaceWith(...opened, ...(stop < end ? [fold(rows, stop, end)] : []));
    }}, `⋯ ${plural(end - begin, "line")}`)));
    return row;
  }

  function move(by) {
    const place = order.indexOf(chosen);
    const next = Math.max(0, Math.min(order.length - 1, place < 0 ? 0 : place + by));
    if (order.length) choose(order[next]);
  }

  list.addEventListener("scroll", () => requestAnimationFrame(draw), {passive: true});
  list.addEventListener("keydown", event => {
    const page = Math.max(1, Math.floor(list.clientHeight / rowHeight) - 1);
    const by = {ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page, Home: -order.length, End: order.length}[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move(by);
  });
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target.type !== "checkbox";
    if (event.key === "Escape" && event.target === search) list.focus();
    if (typing || chosen < 0) return;
    if (event.key === "/") { event.preventDefault(); search.focus(); search.select(); }
    if (event.key === "n" && pairShown < data.counts[chosen] - 1) choose(chosen, pairShown + 1);
    if (event.key === "p" && pairShown > 1) choose(chosen, pairShown - 1);
  });
  let waiting = 0;
  search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(() => select(true), 120); });
  for (const control of [sort, directory, from, to]) control.addEventListener("input", () => select(true));
  new ResizeObserver(() => { fit(); draw(); }).observe(list);

  function follow() {
    const wanted = /^#g=(\d+)(?:&d=(\d+))?$/.exec(location.hash);
    const group = wanted && placeOf.get(Number(wanted[1]));
    if (group === undefined || group === null) return;
    if (!order.includes(group)) {
      search.value = directory.value = "";
      from.value = floor; to.value = 1;
      select();
    }
    choose(group, wanted[2] ? Number(wanted[2]) : 1);
    $("groups").scrollIntoView();
  }
  addEventListener("hashchange", follow);

  $("static").hidden = true;
  $("shown").hidden = false;
  $("app").hidden = false;
  select();
  follow();
}

const packed = $("data");
if (packed && "DecompressionStream" in window)
  decoded(packed).then(data => {
    if (data.counts.length) start(data);
    document.documentElement.dataset.ready = "true";
  });
})();
