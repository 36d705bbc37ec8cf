import type { SwaggerSystem } from './swagger-system.js';

/** A plug-in of Swagger UI: its dialog begins at the first credential; every field asks for the focus, and the last would have it. It goes to the browser as its source text. */
export function authorizeFocus({ React }: SwaggerSystem): object {
  type Page = { document: { querySelector(selector: string): { focus(): void } | null } };
  const focusFirst = () => (globalThis as unknown as Page).document.querySelector('.auth-container input')?.focus();

  const focused = (Popup: unknown) => (props: object) => {
    React.useEffect(focusFirst, []);
    return React.createElement(Popup, props);
  };
  return { wrapComponents: { authorizationPopup: focused } };
}
