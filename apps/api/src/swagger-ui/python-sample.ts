import type { ExampleRequest } from './swagger-system.js';

/**
 * A Swagger UI plug-in that adds Python to the languages of example requests. Runs in the browser, so it uses nothing
 * outside of itself.
 */
export function pythonSample(): object {
  const Python = ({ method, url, credential, mediaType, body }: ExampleRequest): string => {
    const isForm = mediaType === 'multipart/form-data';
    const headers = [
      ...(credential ? [`"Authorization": f"${credential.replace('$TOKEN', "{os.environ['TOKEN']}")}"`] : []),
      ...(mediaType && !isForm ? [`"Content-Type": "${mediaType}"`] : []),
    ];
    const sent = isForm ? `files={"icon": open("icon.png", "rb")}` : `data=r'''${body}'''.encode()`;
    const request = [
      `    method="${method}",`,
      `    url=${JSON.stringify(url)},`,
      ...(headers.length > 0 ? [`    headers={${headers.join(', ')}},`] : []),
      ...(mediaType ? [`    ${sent},`] : []),
      ')',
    ];
    return [
      ...(credential ? ['import os'] : []),
      ...(isForm
        ? ['import requests', '', 'response = requests.request(', ...request]
        : ['import urllib.request', '', 'request = urllib.request.Request(', ...request]),
      ...(isForm
        ? ['print(response.status_code, response.text)']
        : [
            'with urllib.request.urlopen(request) as response:',
            '    print(response.status, response.read().decode())',
          ]),
    ].join('\n');
  };

  return { fn: { samples: { Python } } };
}
