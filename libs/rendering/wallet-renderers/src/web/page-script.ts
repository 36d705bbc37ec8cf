/**
 * Updates an open page. While the page is visible, the script requests it every 15 s, and less often after failed
 * requests. When the page becomes visible again, the script requests it immediately. The script changes only elements
 * that differ, so that focus and scroll position stay. It announces a changed state. Optional parts have an id or a
 * `data-key`, inside an element with `data-parts`. After a release, the script reloads the page for its new style
 * sheet. It converts times from UTC to the reader's own zone. Pages are complete without the script.
 */
export const pageScript = `(() => {
const usual = 15000, longest = 300000, timeout = 10000, root = document.documentElement;
let wait = usual, timer, asking = false, over = false;
const page = (of) => of.getElementById('page');
const said = () => document.getElementById('state')?.textContent.trim();
const nameOf = (part) => part.id || part.dataset.key;
const copy = (node) => document.importNode(node, true);
function parts(from, to) {
  let at = from.firstElementChild;
  for (const part of to.children) {
    const old = [...from.children].find((one) => nameOf(one) === nameOf(part));
    if (!old) { from.insertBefore(copy(part), at); continue; }
    while (at && at !== old) { const gone = at; at = at.nextElementSibling; gone.remove(); }
    at = old.nextElementSibling;
    change(old, part);
  }
  while (at) { const gone = at; at = at.nextElementSibling; gone.remove(); }
}
function change(from, to) {
  if (from.isEqualNode(to)) return;
  if (from.nodeType !== 1 || from.nodeName !== to.nodeName) { from.replaceWith(copy(to)); return; }
  for (const { name } of [...from.attributes]) if (!to.hasAttribute(name)) from.removeAttribute(name);
  for (const { name, value } of to.attributes) if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  if (to.hasAttribute('data-parts')) { parts(from, to); return; }
  const old = [...from.childNodes], fresh = [...to.childNodes];
  fresh.forEach((node, at) => old[at] ? change(old[at], node) : from.append(copy(node)));
  old.slice(fresh.length).forEach((node) => node.remove());
}
function local(of) {
  for (const time of of.querySelectorAll('time[data-local]')) {
    const parts = { year: 'numeric', month: 'long', day: 'numeric', hour: 'numeric', minute: '2-digit', timeZoneName: 'short' };
    time.textContent = new Intl.DateTimeFormat(time.dataset.local, parts).format(new Date(time.dateTime));
  }
}
function show(next) {
  local(next);
  const before = said();
  const { version = '', colours, build } = next.documentElement.dataset;
  if (build && build !== root.dataset.build) { location.reload(); return; }
  change(page(document), page(next));
  document.title = next.title;
  if (colours) document.getElementById('colours').sheet.cssRules[0].style.cssText = colours;
  const theme = next.querySelector('meta[name=theme-color]');
  if (theme) document.querySelector('meta[name=theme-color]')?.setAttribute('content', theme.content);
  root.dataset.version = version;
  announce(said() === before ? root.dataset.updated : said());
}
function announce(text) {
  const news = document.getElementById('news');
  // Screen readers announce only a changed text, so clear it first.
  if (news.textContent !== text) { news.textContent = text; return; }
  news.textContent = '';
  setTimeout(() => { news.textContent = text; }, 100);
}
async function ask() {
  clearTimeout(timer);
  if (asking || over || document.visibilityState !== 'visible') return;
  asking = true;
  const hanging = new AbortController(), limit = setTimeout(() => hanging.abort(), timeout);
  try {
    const headers = { Accept: 'text/html', 'If-None-Match': root.dataset.version };
    const response = await fetch(location.href, { headers, cache: 'no-store', signal: hanging.signal });
    if (response.status !== 304) {
      over = response.status === 404 || response.status === 410;
      if (!response.ok && !over) throw new Error(response.status);
      // The open page's policy rejects the style sheets of the new page.
      const html = (await response.text()).replace(/<style[^]*?<\\/style>/g, '');
      const next = new DOMParser().parseFromString(html, 'text/html');
      if (!page(next)) throw new Error('another page');
      show(next);
    }
    wait = usual;
  } catch {
    over = false;
    wait = Math.min(wait * 2, longest);
  }
  clearTimeout(limit);
  asking = false;
  if (!over) timer = setTimeout(ask, wait);
}
local(document);
document.addEventListener('visibilitychange', ask);
addEventListener('online', ask);
timer = setTimeout(ask, usual);
})();`;
