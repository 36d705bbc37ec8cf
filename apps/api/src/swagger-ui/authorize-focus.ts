import type { SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that focuses the first credential in the dialog. Otherwise the last field would get the focus.
 * Runs in the browser, so it uses nothing outside of itself.
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
