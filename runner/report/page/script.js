(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("js");
  function all(selector, from) { return Array.prototype.slice.call((from || document).querySelectorAll(selector)); }
  function byId(id) { return document.getElementById(id); }

  // reveal opens what is around an element, so that a link to it leads somewhere.
  function reveal(el) {
    for (var at = el; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") { at.open = true; }
      at.classList.remove("gone");
    }
  }
  function follow() {
    var el = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
    if (!el) { return; }
    var own = el.tagName === "LI" && el.querySelector(":scope > details");
    reveal(own || el);
    el.scrollIntoView();
    var stop = own ? own.firstElementChild : el;
    if (stop === el && !el.hasAttribute("tabindex")) { el.setAttribute("tabindex", "-1"); }
    stop.focus({ preventScroll: true });
  }
  window.addEventListener("hashchange", follow);

  // The texts of steps do not change once read, but for a live page, which
  // replaces the elements.
  var texts = new WeakMap();
  function textOf(el) {
    var text = texts.get(el);
    if (text === undefined) {
      text = el.textContent.toLowerCase();
      texts.set(el, text);
    }
    return text;
  }
  function own(li) {
    return all(":scope > .row, :scope > details > .row, :scope > details > .body", li);
  }
  function search() {
    var query = byId("query"), only = byId("only");
    if (!query) { return; }
    var words = query.value.toLowerCase().trim(), status = only ? only.value : "";
    var items = all(".steps li"), count = 0;
    if (!items.length) { items = all("#runs tbody tr"); }
    var hits = items.filter(function (item) {
      if (status && item.dataset.s !== status) { return false; }
      if (!words) { return true; }
      var parts = item.tagName === "LI" ? own(item) : [item];
      return parts.some(function (part) { return textOf(part).indexOf(words) >= 0; });
    });
    var narrow = words || status;
    items.forEach(function (item) { item.classList.toggle("gone", Boolean(narrow)); });
    hits.forEach(function (item) {
      count++;
      item.classList.remove("gone");
      if (!narrow) { return; }
      for (var at = item.parentElement; at; at = at.parentElement) {
        if (at.tagName === "LI") { at.classList.remove("gone"); }
        if (at.tagName === "DETAILS") { at.open = true; }
      }
    });
    byId("found").textContent = narrow ? count + " found" : "";
  }
  var pause;
  document.addEventListener("input", function (event) {
    if (event.target.id !== "query" && event.target.id !== "only") { return; }
    clearTimeout(pause);
    pause = setTimeout(search, 120);
  });
  document.addEventListener("submit", function (event) { event.preventDefault(); search(); });
  document.addEventListener("keydown", function (event) {
    var typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && byId("query")) {
      event.preventDefault();
      byId("query").focus();
    }
    if (event.key === "Escape" && event.target.id === "query") { event.target.value = ""; search(); }
  });
  document.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (!button) { return; }
    if (button.id === "unfold" || button.id === "fold") {
      all(".steps details").forEach(function (d) { d.open = button.id === "unfold"; });
    } else if (button.dataset.text && navigator.clipboard) {
      navigator.clipboard.writeText(button.dataset.text).then(
        function () { tell("Copied"); button.textContent = "Copied"; },
        function () { tell("The browser does not allow copying"); });
    }
  });
  function tell(text) {
    var news = byId("news");
    if (news && news.textContent !== text) { news.textContent = text; }
  }

  // morph makes one tree like another and keeps what is the same, with its focus,
  // its scroll position, and what the reader opened.
  function morph(now, next) {
    if (now.isEqualNode(next)) { return; }
    var before = {};
    Array.prototype.forEach.call(now.children, function (child) { if (child.id) { before[child.id] = child; } });
    var at = now.firstChild;
    Array.prototype.slice.call(next.childNodes).forEach(function (child) {
      var match = child.id ? before[child.id] : at;
      if (match && child.id && match !== at) { now.insertBefore(match, at); at = match; }
      if (match && match.nodeType === child.nodeType && match.nodeName === child.nodeName && (match.id || "") === (child.id || "")) {
        at = match.nextSibling;
        if (child.nodeType === 1) { attributes(match, child); morph(match, child); } else if (match.nodeValue !== child.nodeValue) { match.nodeValue = child.nodeValue; }
        return;
      }
      now.insertBefore(document.importNode(child, true), at);
    });
    while (at) { var rest = at.nextSibling; now.removeChild(at); at = rest; }
    texts.delete(now);
  }
  function attributes(now, next) {
    var kept = { open: now.tagName === "DETAILS", "class": now.classList.contains("gone") };
    Array.prototype.slice.call(now.attributes).forEach(function (a) { if (!kept[a.name] && !next.hasAttribute(a.name) && a.name !== "tabindex") { now.removeAttribute(a.name); } });
    Array.prototype.slice.call(next.attributes).forEach(function (a) { if (!kept[a.name] && now.getAttribute(a.name) !== a.value) { now.setAttribute(a.name, a.value); } });
  }

  // A live page asks for itself and takes over what is new.
  var tag = "", wait = 1000, lost;
  function renew() {
    if (document.hidden) { setTimeout(renew, wait); return; }
    fetch(location.pathname, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" }).then(function (answer) {
      found();
      wait = 1000;
      if (answer.status === 304) { return null; }
      if (!answer.ok) { throw new Error(String(answer.status)); }
      tag = answer.headers.get("ETag") || "";
      return answer.text();
    }).then(function (text) {
      if (text) { take(new DOMParser().parseFromString(text, "text/html")); }
    }).catch(function () {
      wait = Math.min(wait * 2, 15000);
      missing();
    }).then(function () { setTimeout(renew, wait); });
  }
  function take(next) {
    var news = byId("news") && byId("news").textContent, query = byId("query") && byId("query").value;
    var now = byId("main"), then = next.getElementById("main");
    if (!now || !then) { return; }
    if (byId("title") && next.getElementById("title") && byId("title").textContent !== next.getElementById("title").textContent) {
      news = next.getElementById("title").textContent;
    }
    morph(now, then);
    var bar = document.querySelector("nav.top"), other = next.querySelector("nav.top");
    if (bar && other) { morph(bar, other); }
    document.title = next.title;
    tell(news || "");
    if (query) { search(); }
  }
  function missing() {
    if (lost) { return; }
    lost = document.createElement("p");
    lost.className = "lost";
    lost.setAttribute("role", "alert");
    lost.textContent = "The server does not answer. What is shown is what was known last.";
    document.body.appendChild(lost);
  }
  function found() {
    if (lost) { lost.remove(); lost = null; }
  }
  if (root.hasAttribute("data-live")) { setTimeout(renew, wait); }
  follow();
})();
