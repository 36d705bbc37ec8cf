import type { ExampleRequest } from './swagger-system.js';

/**
 * A Swagger UI plug-in that shows an example request in several languages. Runs in the browser, so it uses nothing
 * outside of itself.
 */
export function sampleLanguages(): object {
  const isForm = ({ mediaType }: ExampleRequest) => mediaType === 'multipart/form-data';

  const curl = (request: ExampleRequest): string => {
    const { method, url, credential, mediaType, body } = request;
    const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
    const flag = mediaType?.includes('json') ? '-d' : '--data-binary';
    const sent = isForm(request)
      ? ["-F 'icon=@icon.png'"]
      : mediaType
        ? [`-H 'Content-Type: ${mediaType}'`, `${flag} ${quoted(body)}`]
        : [];
    const verb = method === (mediaType ? 'POST' : 'GET') ? '' : ` -X ${method}`;
    const credentials = credential ? [`-H "Authorization: ${credential}"`] : [];
    return [`curl${verb} ${quoted(url)}`, ...credentials, ...sent].join(' \\\n  ');
  };

  const node = (request: ExampleRequest): string => {
    const { method, url, credential, mediaType, body } = request;
    const isJson = mediaType !== null && mediaType.endsWith('json') && !mediaType.includes('nd');
    const headers = [
      ...(credential ? [`Authorization: \`${credential.replace('$TOKEN', '${process.env.TOKEN}')}\``] : []),
      ...(mediaType && !isForm(request) ? [`'Content-Type': '${mediaType}'`] : []),
    ];
    const text = isJson ? `JSON.stringify(${body.replaceAll('\n', '\n  ')})` : JSON.stringify(body);
    return [
      ...(isForm(request) ? ["const { openAsBlob } = await import('node:fs');", 'const form = new FormData();'] : []),
      ...(isForm(request) ? ["form.set('icon', await openAsBlob('icon.png'), 'icon.png');"] : []),
      `const response = await fetch(${JSON.stringify(url)}, {`,
      `  method: '${method}',`,
      ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
      ...(mediaType ? [`  body: ${isForm(request) ? 'form' : text},`] : []),
      '});',
      'console.log(response.status, await response.text());',
    ].join('\n');
  };

  return { fn: { samples: { curl, 'Node.js': node } } };
}
