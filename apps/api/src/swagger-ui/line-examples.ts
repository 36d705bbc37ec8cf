import type { SwaggerSystem } from './swagger-system.js';

/** A plug-in of Swagger UI: shows examples of NDJSON as the lines they are, not as a text quoted in JSON. It goes to the browser as its source text. */
export function lineExamples(): object {
  return {
    /** Later than the plug-ins of Swagger UI, which set it. */
    afterLoad(this: { fn: SwaggerSystem['fn'] }): void {
      const before = this.fn.getSampleSchema;
      this.fn.getSampleSchema = (schema, mediaType, config, override) =>
        before(schema, mediaType?.includes('ndjson') ? 'text/plain' : mediaType, config, override);
    },
  };
}
