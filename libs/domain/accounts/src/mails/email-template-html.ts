/*
 * The HTML of an e-mail as an eta template. Write every value with `<%= %>`, which escapes it, and only into an element
 * or a double-quoted attribute. Use tables and inline styles for the layout, because mail programs support little HTML.
 * The style sheet contains only optional parts, for dark mode and narrow windows.
 */
const font = `font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`;
const body = `${font};font-size:16px;line-height:25px;color:#1b1d21;word-break:break-word`;
const small = `${font};font-size:13px;line-height:20px;color:#565c67;word-break:break-word`;

const head = `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no, date=no, address=no, email=no, url=no">
<meta name="x-apple-disable-message-reformatting">
<title><%= it.subject %></title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
  .ground { background-color: #111214 !important; }
  .sheet { background-color: #1d1f23 !important; border-color: #34373d !important; }
  .text { color: #f2f3f5 !important; }
  .soft { color: #b3b8c2 !important; }
  .rule { border-color: #34373d !important; }
  .button { background-color: #f2f3f5 !important; }
  .button a { color: #16181c !important; }
}
@media (max-width: 480px) {
  .outer { padding: 0 !important; }
  .sheet { border-radius: 0 !important; border-width: 0 !important; }
  .pad { padding-left: 20px !important; padding-right: 20px !important; }
  .button, .button a { display: block !important; }
  .wide { width: 100% !important; }
}
</style>
</head>
`;

const part = `<% if (part.kind === 'text') { %><p class="text" style="margin:0 0 16px;${body}"><%= part.lines[0] %></p>
<% } else { %><<%= part.kind === 'steps' ? 'ol' : 'ul' %> class="text" style="margin:0 0 16px;padding:0 0 0 24px;${body}">
<% for (const text of part.lines) { %><li style="margin:0 0 6px"><%= text %></li>
<% } %></<%= part.kind === 'steps' ? 'ol' : 'ul' %>>
<% } %>`;

const facts = `<% if (it.facts.length > 0) { %><table width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;margin:8px 0 16px">
<% for (const fact of it.facts) { %><tr><td class="rule" style="padding:10px 0;border-top:1px solid #dcdfe4">
<p class="soft" style="margin:0;${small}"><%= fact.name %></p>
<p class="text" style="margin:0;${body};word-break:break-word;overflow-wrap:anywhere"><%= fact.value %></p>
</td></tr>
<% } %></table>
<% } %>`;

const button = `<% if (it.button) { %><table role="presentation" class="wide" cellpadding="0" cellspacing="0" border="0" style="margin:10px 0 24px"><tr>
<td class="button" align="center" bgcolor="#16181c" style="background-color:#16181c;border-radius:10px;mso-padding-alt:14px 32px">
<a href="<%= it.button.url %>" style="display:inline-block;padding:14px 32px;${font};font-size:17px;line-height:24px;font-weight:600;color:#ffffff;text-align:center;text-decoration:none;border-radius:10px"><%= it.button.label %></a>
</td></tr></table>
<p class="soft" style="margin:0;${small}">Or copy this address into your browser:</p>
<p class="soft" style="margin:0 0 16px;${small};word-break:break-all"><%= it.button.url %></p>
<% } %>`;

/** The template of every e-mail. Render it with the view of the e-mail. */
export const emailTemplateHtml = `${head}<body class="ground" style="margin:0;padding:0;background-color:#eceef1;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%">
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#eceef1" style="background-color:#eceef1"><tr>
<td class="outer" align="center" style="padding:32px 12px">
<!--[if mso]><table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="sheet" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff" style="width:100%;max-width:560px;background-color:#ffffff;border:1px solid #dcdfe4;border-radius:14px;border-collapse:separate"><tr>
<td class="pad" align="left" style="padding:32px 32px 20px;text-align:left">
<h1 class="text" style="margin:0 0 18px;${font};font-size:24px;line-height:31px;font-weight:700;color:#1b1d21;word-break:break-word"><%= it.heading %></h1>
<% for (const part of it.parts) { %>${part}<% } %>${facts}${button}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
<% if (it.footnotes.length > 0) { %><!--[if mso]><table role="presentation" width="560" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:560px"><tr>
<td class="pad" align="left" style="padding:18px 32px 24px;text-align:left">
<% for (const note of it.footnotes) { %><p class="soft" style="margin:0 0 8px;${small}"><%= note %></p>
<% } %></td></tr></table>
<!--[if mso]></td></tr></table><![endif]-->
<% } %></td></tr></table>
</body>
</html>
`;
