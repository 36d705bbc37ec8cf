import type { Attributes, FieldProps, SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that adds what screen readers and keyboards need: landmarks, headings for operations, names for
 * the fields of forms, a focus for texts that scroll, and no links inside buttons. Runs in the browser, so it uses
 * nothing outside of itself.
 */
export function accessibleParts({ React }: SwaggerSystem): object {
  const h = React.createElement;
  type Rules = (props: FieldProps) => Readonly<Record<string, Attributes>>;
  const completed = (attributesOf: Rules, around: object = {}) => {
    return (Part: unknown, { fn }: SwaggerSystem) => fn.completed(Part, attributesOf, around);
  };
  const within = (tag: string, attributes: object) => (Part: unknown) => (props: object) =>
    h(tag, attributes, h(Part, props));
  // Remove links inside the summary of an operation, because it is a button.
  const unlinked = (Link: unknown) => (props: { readonly path?: string; readonly text?: string }) =>
    props.path?.includes('/') ? h('span', null, props.text) : h(Link, props);
  // Replace Swagger UI's placeholder "Filter by tag", because the search finds operations.
  const search = { placeholder: 'Search operations, such as: void pass', 'aria-label': 'Search operations' };
  const focusable = completed(() => ({ pre: { tabindex: '0' } }));
  const named = (selector: string, name: string) => completed(() => ({ [selector]: { 'aria-label': name } }));
  const dialog = {
    '.close-modal': { 'aria-label': 'Close' },
    h3: { 'aria-level': '2' },
    h4: { 'aria-level': '3' },
    // Remove labels that do not contain the visible text of their buttons.
    '.auth-btn-wrapper .auth': { 'aria-label': null },
  };
  return {
    wrapComponents: {
      DeepLink: unlinked,
      AuthorizeBtnContainer: within('section', { 'aria-label': 'Authorization' }),
      authorizationPopup: completed(() => dialog),
      FilterContainer: completed(() => ({ input: search }), { role: 'search' }),
      OperationTag: completed(() => ({ h3: { 'aria-level': '2' } })),
      OperationSummary: within('div', { role: 'heading', 'aria-level': 3 }),
      Models: completed(() => ({ h4: { 'aria-level': '2' } })),
      RequestBodyEditor: named('textarea', 'Request body'),
      ExamplesSelect: named('select', 'Example'),
      JsonSchemaForm: completed(({ description: name = 'Value' }) => ({
        'input, select, textarea': { 'aria-label': name },
      })),
      HighlightCode: focusable,
      liveResponse: focusable,
    },
  };
}
