import type { SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that shows NDJSON examples as lines rather than as quoted JSON text. Runs in the browser, so it
 * uses nothing outside of itself.
 */
export function lineExamples(): object {
  return {
    /** Wraps the function that creates examples, after Swagger UI's own plug-ins have set it. */
    afterLoad(this: { fn: SwaggerSystem['fn'] }): void {
      const before = this.fn.getSampleSchema;
      this.fn.getSampleSchema = (schema, mediaType, config, override) =>
        before(schema, mediaType && mediaType.includes('ndjson') ? 'text/plain' : mediaType, config, override);
    },
  };
}
