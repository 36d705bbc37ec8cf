import type { SwaggerSystem } from './swagger-system.js';

/**
 * A Swagger UI plug-in that shows NDJSON examples as lines rather than as quoted JSON text. The browser receives the
 * source text of this function.
 */
export function lineExamples(): object {
  return {
    /** Wraps the function that creates examples. Runs after Swagger UI's own plug-ins have set that function. */
    afterLoad(this: { fn: SwaggerSystem['fn'] }): void {
      const before = this.fn.getSampleSchema;
      this.fn.getSampleSchema = (schema, mediaType, config, override) =>
        before(schema, mediaType && mediaType.includes('ndjson') ? 'text/plain' : mediaType, config, override);
    },
  };
}
