import type { SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that shows each operation as a request to copy, even before it is sent. Runs in the browser, so
 * it uses nothing outside of itself.
 */
export function requestSamples({ React, fn }: SwaggerSystem): object {
  const h = React.createElement;

  const Samples = ({ path, method }: { path: string; method: string }): unknown => {
    const [language, choose] = React.useState('curl');
    const request = fn.exampleRequest(path, method);
    const text = request ? fn.samples[language]?.(request) : undefined;
    if (text === undefined) return null;
    const tab = (name: string) =>
      h(
        'button',
        { key: name, type: 'button', className: 'btn', 'aria-pressed': name === language, onClick: () => choose(name) },
        name,
      );
    type Copier = { navigator: { clipboard?: { writeText(text: string): Promise<void> } } };
    const copy = () => void (globalThis as unknown as Copier).navigator.clipboard?.writeText(text);
    return h(
      'section',
      { className: 'request-sample', 'aria-label': 'Request sample' },
      h('h4', null, 'Request sample'),
      h('div', { role: 'group', 'aria-label': 'Language' }, ...Object.keys(fn.samples).map(tab)),
      h('button', { type: 'button', className: 'btn copy', onClick: copy }, 'Copy'),
      h('pre', { tabIndex: 0, 'aria-label': `Request with ${language}` }, text),
    );
  };

  const withSamples = (Responses: unknown) => (props: { path: string; method: string }) =>
    h('div', null, h(Samples, { path: props.path, method: props.method }), h(Responses, props));
  return { wrapComponents: { responses: withSamples } };
}
