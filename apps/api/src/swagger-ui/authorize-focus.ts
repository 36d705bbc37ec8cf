import type { SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that focuses the first credential in the dialog. Every field requests the focus, so without the
 * plug-in the last one would get it. The browser receives the source text of this function.
 */
export function authorizeFocus({ React }: SwaggerSystem): object {
  type Page = { document: { querySelector(selector: string): { focus(): void } | null } };
  const focusFirst = () => (globalThis as unknown as Page).document.querySelector('.auth-container input')?.focus();

  const focused = (Popup: unknown) => (props: object) => {
    React.useEffect(focusFirst, []);
    return React.createElement(Popup, props);
  };
  return { wrapComponents: { authorizationPopup: focused } };
}
