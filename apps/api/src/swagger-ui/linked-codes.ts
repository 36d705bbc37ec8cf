import type { SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that links error codes to their cause and fix, as `docUrl` does. The browser receives the source
 * text of this function.
 */
export function linkedCodes({ specSelectors }: SwaggerSystem): object {
  const link = (description: string): string => {
    const guide = `${specSelectors.specJson().getIn(['servers', 0, 'url'])}/guides/errors`;
    return description.replace(/`([a-z_]+)`/g, (code, name) => `[${code}](${guide}#${name})`);
  };
  return { fn: { linkedCodes: link } };
}
