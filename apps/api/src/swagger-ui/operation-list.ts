/**
 * The script of the list of operations, which follows the reader's colour scheme and searches the list. It starts
 * Swagger UI only when a reader opens an operation or authorizes, because that takes seconds on a phone.
 */
export const operationList = `{
const here = document.currentScript.src;
const dark = matchMedia('(prefers-color-scheme: dark)');
const followColorScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followColorScheme);
followColorScheme();

let list, search, started;
const parts = {};
/** Remembers a loaded part of Swagger UI. */
const part = (name, load) =>
  (parts[name] ??= load(new URL(name, here)).catch((error) => {
    delete parts[name];
    throw new Error('The browser could not load ' + name.replace('../', '') + (error.status ? ': status ' + error.status : ''));
  }));
const script = (src) =>
  new Promise((onload, onerror) => {
    document.head.append(Object.assign(document.createElement('script'), { src, onload, onerror }));
  });
const text = async (url) => {
  const response = await fetch(url);
  if (!response.ok) throw response;
  return response.text();
};
/** Returns the text of a JSON file. A network that wants a sign-in first may have sent a page of its own instead. */
const json = async (url) => {
  const body = await text(url);
  JSON.parse(body);
  return body;
};
const load = () =>
  Promise.all([part('../openapi.json', json), part('swagger-ui-bundle.js', script), part('swagger-ui-init.js', script)]);
/**
 * Loads Swagger UI before the reader needs it. Ignores a failure, because a reader who then opens an operation sees the
 * reason.
 */
const prepare = () => load().catch(() => undefined);
const opened = () => (search.value ? [] : [...list.querySelectorAll('[open] summary')].map(({ dataset }) => dataset.tag));
const start = () =>
  (started ??= load()
    .then(([text]) => startSwaggerUi(text, search.value, opened()))
    .catch((error) => {
      started = undefined;
      throw error;
    }));

const problem = Object.assign(document.createElement('p'), { className: 'load-problem' });
problem.setAttribute('role', 'alert');
/**
 * Starts Swagger UI for a reader who pressed a link or a button, or says below the link or button why the start fails.
 */
const startFor = async (pressed) => {
  problem.remove();
  pressed.setAttribute('aria-busy', 'true');
  try {
    await start();
    return true;
  } catch ({ message }) {
    problem.textContent = message + '. Check your connection, then try again.';
    pressed.after(problem);
    return false;
  } finally {
    pressed.removeAttribute('aria-busy');
  }
};

const find = () => {
  const words = search.value.trim().toLowerCase().split(/\\s+/);
  for (const group of list.querySelectorAll('details')) {
    for (const link of group.querySelectorAll('a')) {
      const text = (link.id + ' ' + link.textContent).toLowerCase();
      link.hidden = !words.every((word) => text.includes(word));
    }
    group.hidden = !group.querySelector('a:not([hidden])');
    group.open = words[0] !== '';
  }
};
const target = () => document.getElementById(decodeURIComponent(location.hash.slice(1)));
/** Opens the group of the address while the page is parsed, because opening it later would move the groups below it. */
const parsing = new MutationObserver(() => {
  const group = target()?.closest('details');
  if (group) group.open = true;
});
parsing.observe(document, { childList: true, subtree: true });
/** Opens an operation in Swagger UI, at its position in the list. */
const open = async (pressed) => {
  if (!(await startFor(pressed)) || !list.isConnected) return;
  // The reader may have pressed another link meanwhile.
  const link = list.contains(target()) ? target() : pressed;
  const { top } = link.getBoundingClientRect();
  list.remove();
  const operation = document.getElementById('operations' + link.id.replaceAll('/', '-'));
  scrollBy(0, operation.getBoundingClientRect().top - top);
  operation.querySelector('button').focus({ preventScroll: true });
};
const follow = () => {
  const linked = target();
  if (!list.contains(linked)) return;
  linked.closest('details').open = true;
  linked.scrollIntoView();
  if (linked.matches('a')) open(linked);
};
const press = async (event) => {
  const pressed = event.target.closest('a, button');
  if (!pressed) return;
  event.preventDefault();
  if (pressed.matches('a')) {
    history.pushState(null, '', pressed.hash);
    return open(pressed);
  }
  if (!(await startFor(pressed))) return;
  list.remove();
  document.querySelector('#swagger-ui .authorize').click();
};

addEventListener('DOMContentLoaded', () => {
  parsing.disconnect();
  list = document.getElementById('list');
  search = list.querySelector('input');
  search.addEventListener('input', find);
  list.addEventListener('click', press);
  for (const sign of ['pointerover', 'focusin']) list.addEventListener(sign, prepare, { once: true });
  addEventListener('hashchange', follow);
  follow();
});
}
`;
