/** The content of the page that loads the workbench. */
export interface WorkbenchPage {
  /** The relative path of its files, such as `./workbench/`. */
  readonly below: string;
  readonly script: string;
  readonly style: string;
  /** True if users can also sign in through an identity provider. */
  readonly signsInByProvider: boolean;
}

/**
 * The content security policy of the page. It allows only scripts, style sheets, images and the API of this service,
 * and `blob:` images for previews of drafts.
 */
export const workbenchPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Builds the page of the workbench. It has no inline scripts or styles, and no data of an account. */
export function workbenchPage({ below, script, style, signsInByProvider }: WorkbenchPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Passwright workbench</title>
<link rel="icon" href="${below}../favicon.ico" sizes="32x32">
<link rel="icon" href="${below}../favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${below}${style}">
<script type="module" src="${below}${script}"></script>
</head>
<body>
<div id="app" data-provider="${signsInByProvider ? 'yes' : 'no'}"></div>
<div id="announcer" class="announcer" role="status" aria-live="polite"></div>
<noscript><p>The workbench needs JavaScript. Everything that it does is a call of the API: <a href="${below}../docs">API reference</a>.</p></noscript>
</body>
</html>
`;
}
