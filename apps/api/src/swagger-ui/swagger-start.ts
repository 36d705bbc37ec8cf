import { authorizeFocus } from './authorize-focus.js';
import { exampleRequests } from './example-requests.js';
import { lineExamples } from './line-examples.js';
import { requestSamples } from './request-samples.js';
import { sampleLanguages } from './sample-languages.js';

const options = {
  dom_id: '#swagger-ui',
  layout: 'StandaloneLayout',
  deepLinking: true,
  persistAuthorization: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  docExpansion: 'list',
  filter: true,
};

/**
 * Builds the script that starts Swagger UI with the document beside it. The script of @nestjs/swagger inserts the
 * document with `String.replace`, which breaks if a description contains `$`.
 */
export function swaggerStart(): string {
  const plugins = [exampleRequests, sampleLanguages, requestSamples, lineExamples, authorizeFocus]
    .map(String)
    .join(',\n');
  return `const here = document.currentScript.src;
window.addEventListener('load', () => {
  window.ui = SwaggerUIBundle({
    ...${JSON.stringify(options)},
    url: new URL('../openapi.json', here).href,
    presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
    plugins: [${plugins}],
  });
});
`;
}
