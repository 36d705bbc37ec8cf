import type { SwaggerSystem } from './swagger-system.js';

/** The element around a part of Swagger UI, in a browser. */
interface PartElement {
  querySelector(selector: string): { setAttribute(name: string, value: string): void } | null;
}

/**
 * A Swagger UI plug-in that adds what screen readers need: landmarks around the operations, a name for the list of
 * servers, levels for the headings of groups and schemas, and no links inside buttons. The browser receives the source
 * text of this function.
 */
export function accessibleParts({ React }: SwaggerSystem): object {
  const landmark = (role: string, name: string) => (Part: unknown) => (props: object) =>
    React.createElement('div', { role, 'aria-label': name }, React.createElement(Part, props));
  const completed = (selector: string, name: string, value: string) => {
    const complete = (element: PartElement | null) => element?.querySelector(selector)?.setAttribute(name, value);
    return (Part: unknown) => (props: object) =>
      React.createElement('div', { ref: complete }, React.createElement(Part, props));
  };
  // The summary of an operation is a button, and a button must not contain a link.
  const unlinked = (Link: unknown) => (props: { readonly path?: string; readonly text?: string }) =>
    props.path?.includes('/') ? React.createElement('span', null, props.text) : React.createElement(Link, props);
  return {
    wrapComponents: {
      DeepLink: unlinked,
      InfoContainer: landmark('region', 'About the API'),
      ServersContainer: landmark('region', 'Server'),
      AuthorizeBtnContainer: landmark('region', 'Authorization'),
      FilterContainer: landmark('search', 'Operations'),
      Servers: completed('select', 'aria-label', 'Server'),
      OperationTag: completed('h3', 'aria-level', '2'),
      Models: completed('h4', 'aria-level', '2'),
    },
  };
}
