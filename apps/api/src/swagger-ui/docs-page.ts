/** Builds the page of Swagger UI. It has no inline scripts or styles, because its policy forbids them. */
export function docsPage(below: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Passwright API</title>
<link rel="stylesheet" href="${below}swagger-ui.css">
<link rel="stylesheet" href="${below}passwright.css">
<link rel="icon" href="${below}../favicon.ico" sizes="32x32">
<link rel="icon" href="${below}../favicon.svg" type="image/svg+xml">
</head>
<body>
<header class="masthead">
<a href="${below}../"><img src="${below}../favicon.svg" alt="" width="32" height="32"> Passwright</a>
<nav aria-label="Documents"><a href="${below}../openapi.json">JSON</a> <a href="${below}../openapi.yaml">YAML</a></nav>
</header>
<div id="swagger-ui"></div>
<script src="${below}swagger-ui-bundle.js"></script>
<script src="${below}swagger-ui-init.js"></script>
</body>
</html>
`;
}
