import type { SwaggerSystem } from './swagger-system.js';

/** The element around a part of Swagger UI, in a browser. */
interface PartElement {
  querySelector(selector: string): { setAttribute(name: string, value: string): void } | null;
}

/**
 * A Swagger UI plug-in that adds what screen readers need: landmarks, a name for the search, levels for the headings
 * of groups and schemas, and no links inside buttons. The browser receives the source text of this function.
 */
export function accessibleParts({ React }: SwaggerSystem): object {
  const completed = (selector: string, attributes: Readonly<Record<string, string>>, role?: string) => {
    const complete = (element: PartElement | null) => {
      for (const [name, value] of Object.entries(attributes))
        element?.querySelector(selector)?.setAttribute(name, value);
    };
    return (Part: unknown) => (props: object) =>
      React.createElement('div', { ref: complete, role }, React.createElement(Part, props));
  };
  const region = (name: string) => (Part: unknown) => (props: object) =>
    React.createElement('section', { 'aria-label': name }, React.createElement(Part, props));
  // The summary of an operation is a button, and a button must not contain a link.
  const unlinked = (Link: unknown) => (props: { readonly path?: string; readonly text?: string }) =>
    props.path?.includes('/') ? React.createElement('span', null, props.text) : React.createElement(Link, props);
  // Swagger UI's own placeholder is "Filter by tag", but its search finds operations.
  const search = { placeholder: 'Search operations, such as: void pass', 'aria-label': 'Search operations' };
  return {
    wrapComponents: {
      DeepLink: unlinked,
      AuthorizeBtnContainer: region('Authorization'),
      FilterContainer: completed('input', search, 'search'),
      OperationTag: completed('h3', { 'aria-level': '2' }),
      Models: completed('h4', { 'aria-level': '2' }),
    },
  };
}
