/**
 * The script of the list of operations. It follows the colours that the reader prefers, searches, and starts Swagger UI
 * for readers who open an operation or authorize: a phone needs seconds to start it, so the page does not begin with it.
 */
export const operationList = `{
const here = document.currentScript.src;
const dark = matchMedia('(prefers-color-scheme: dark)');
const followColorScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followColorScheme);
followColorScheme();

let list, search, scripts, started;
const script = (name) =>
  new Promise((resolve, reject) => {
    const element = document.createElement('script');
    Object.assign(element, { src: new URL(name, here), async: false, onload: resolve, onerror: reject });
    document.head.append(element);
  });
const load = () => (scripts ??= Promise.all(['swagger-ui-bundle.js', 'swagger-ui-init.js'].map(script)));
const opened = () => (search.value ? [] : [...list.querySelectorAll('[open] summary')].map(({ dataset }) => dataset.tag));
const start = () => (started ??= load().then(() => startSwaggerUi(search.value, opened())));

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
/** Opens an operation in Swagger UI, at the place that it had in the list. */
const open = async (link) => {
  link.ariaBusy = true;
  const { top } = link.getBoundingClientRect();
  await start();
  const operation = document.getElementById('operations' + link.id.replaceAll('/', '-'));
  scrollBy(0, operation.getBoundingClientRect().top - top);
  operation.querySelector('button').focus({ preventScroll: true });
};
const follow = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!list.contains(target)) return;
  target.closest('details').open = true;
  target.scrollIntoView();
  if (target.matches('a')) open(target);
};
const press = async (event) => {
  const target = event.target.closest('a, button');
  if (!target) return;
  event.preventDefault();
  if (target.matches('a')) {
    history.pushState(null, '', target.hash);
    return open(target);
  }
  await start();
  document.querySelector('#swagger-ui .authorize').click();
};

addEventListener('DOMContentLoaded', () => {
  list = document.getElementById('list');
  search = list.querySelector('input');
  search.addEventListener('input', find);
  list.addEventListener('click', press);
  for (const sign of ['pointerover', 'focusin']) list.addEventListener(sign, load, { once: true });
  addEventListener('hashchange', follow);
  follow();
});
}
`;
