import type { SwaggerSystem } from './swagger-system.js';

interface ResponseProps {
  readonly code: string;
  readonly className?: string;
  readonly response: { get(name: 'description'): string };
  readonly getComponent: (name: string, isContainer: true) => unknown;
}

/**
 * A Swagger UI plug-in that shows headers and examples of errors only on request, and links each error code to its
 * cause and fix. Runs in the browser, so it uses nothing outside of itself.
 */
export function shortResponses({ React, fn }: SwaggerSystem): object {
  const h = React.createElement;

  type Toggled = { readonly currentTarget: { readonly open: boolean } };
  const shortHeaders = (Headers: unknown) => (props: object) => {
    const [isOpen, setOpen] = React.useState(false);
    return h(
      'details',
      { className: 'headers-of-response', onToggle: ({ currentTarget }: Toggled) => setOpen(currentTarget.open) },
      h('summary', null, 'Headers'),
      isOpen ? h(Headers, props) : null,
    );
  };

  const shortErrors = (Response: unknown) => (props: ResponseProps) => {
    const [isOpen, setOpen] = React.useState(false);
    const { code, className = '', response, getComponent } = props;
    if (Number(code) < 400) return h(Response, props);
    const toggle = {
      type: 'button',
      className: 'btn',
      'aria-expanded': isOpen,
      'aria-label': `Example of ${code}`,
      onClick: () => setOpen(!isOpen),
    };
    const source = fn.linkedCodes(response.get('description'));
    const description = h(getComponent('Markdown', true), { source });
    const row = h(
      'tr',
      { className: `response error-of-response ${className}`, 'data-code': code },
      h('td', { className: 'response-col_status' }, code),
      h('td', { className: 'response-col_description' }, h('div', null, description, h('button', toggle, 'Example'))),
    );
    return h(React.Fragment, null, row, isOpen ? h(Response, { ...props, className: 'example-of-error' }) : null);
  };

  return { wrapComponents: { headers: shortHeaders, response: shortErrors } };
}
