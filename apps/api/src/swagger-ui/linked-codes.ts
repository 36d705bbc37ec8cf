import type { SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that links error codes to their cause and fix, as `docUrl` does. Runs in the browser, so it uses
 * nothing outside of itself.
 */
export function linkedCodes({ specSelectors }: SwaggerSystem): object {
  const link = (description: string): string => {
    const guide = `${specSelectors.specJson().getIn(['servers', 0, 'url'])}/guides/errors`;
    return description.replace(/`([a-z_]+)`/g, (code, name) => `[${code}](${guide}#${name})`);
  };
  return { fn: { linkedCodes: link } };
}
