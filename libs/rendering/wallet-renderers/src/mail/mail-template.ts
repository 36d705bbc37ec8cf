import { langOf } from '../web/page-template.js';

/*
 * The HTML of a mail as an eta template. `<%= %>` escapes every value, in an element or a double-quoted attribute. Mail
 * programs support little HTML, so the layout uses tables, and styles are in the elements. The style sheet only adapts
 * the mail to dark backgrounds and narrow windows.
 */
const font = `font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif`;

const lang = langOf('it.textLanguage');

const head = `<!doctype html>
<html lang="<%= it.language %>" dir="<%= it.direction %>">
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
  .sheet { background-color: <%= it.dark %> !important; border-color: #34373d !important; }
  .text { color: #f2f3f5 !important; }
  .soft { color: #b3b8c2 !important; }
  .said { background-color: #282b31 !important; }
  .button { background-color: <%= it.colours.button.dark.background %> !important; }
  .button a { color: <%= it.colours.button.dark.text %> !important; }
  .choice { border-color: #b3b8c2 !important; }
  .choice a { color: #f2f3f5 !important; }
}
@media (max-width: 480px) {
  .outer { padding: 0 !important; }
  .sheet { border-radius: 0 !important; border-width: 0 !important; }
  .pad { padding-left: 20px !important; padding-right: 20px !important; }
  .button, .button a, .choice, .choice a { display: block !important; }
  .wide { width: 100% !important; }
}
</style>
</head>
`;

const band = `<% if (it.banner) { %><tr><td style="padding:0;font-size:0;line-height:0;background-color:<%= it.colours.background %>" bgcolor="<%= it.colours.background %>">
<img src="<%= it.banner.url %>" width="<%= it.banner.width %>" height="<%= it.banner.height %>" alt="<%= it.title %>"${lang} style="display:block;width:100%;max-width:<%= it.banner.width %>px;height:auto;border:0;${font};font-size:16px;line-height:24px;color:<%= it.colours.foreground %>">
</td></tr>
<% } %><tr><td class="pad" bgcolor="<%= it.colours.background %>" align="<%= it.start %>" style="padding:28px 32px 30px;background-color:<%= it.colours.background %>;color:<%= it.colours.foreground %>;text-align:<%= it.start %>">
<% if (it.logo) { %><img src="<%= it.logo.url %>" width="<%= it.logo.width %>" height="<%= it.logo.height %>" alt="<%= it.issuer %>"${lang} style="display:block;width:<%= it.logo.width %>px;height:<%= it.logo.height %>px;margin:0 0 16px;border:0;${font};font-size:16px;line-height:24px;font-weight:600;color:<%= it.colours.foreground %>">
<% } else { %><p dir="auto"${lang} style="margin:0 0 6px;${font};font-size:15px;line-height:22px;font-weight:600;color:<%= it.colours.label %>;text-align:<%= it.start %>;word-break:break-word"><%= it.issuer %></p>
<% } %><h1 dir="auto"${lang} style="margin:0;${font};font-size:26px;line-height:34px;font-weight:700;color:<%= it.colours.foreground %>;text-align:<%= it.start %>;word-break:break-word"><%= it.title %></h1>
</td></tr>
`;

const message = `<% if (it.message) { %><table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 26px"><tr>
<td class="said" align="<%= it.start %>" bgcolor="#f3f4f6" style="padding:16px 20px;background-color:#f3f4f6;border-radius:10px;text-align:<%= it.start %>">
<p class="soft" style="margin:0 0 6px;${font};font-size:13px;line-height:20px;color:#565c67"><%= it.message.heading.before %><bdi${lang}><%= it.issuer %></bdi><%= it.message.heading.after %></p>
<p class="text" dir="auto" style="margin:0;${font};font-size:16px;line-height:25px;color:#1b1d21;text-align:<%= it.start %>;word-break:break-word"><% it.message.lines.forEach((line, index) => { %><% if (index > 0) { %><br>
<% } %><%= line %><% }) %></p>
</td></tr></table>
<% } %>`;

const facts = `<% for (const fact of it.facts) { %><p class="soft" style="margin:0;${font};font-size:13px;line-height:20px;color:#565c67"><%= fact.label %></p>
<p class="text" dir="auto"${langOf('fact.language')} style="margin:0 0 16px;${font};font-size:16px;line-height:24px;color:#1b1d21;text-align:<%= it.start %>;word-break:break-word"><strong><%= fact.main %></strong><% if (fact.more) { %><br>
<%= fact.more %><% } %></p>
<% } for (const sentence of it.validity) { %><p class="text" style="margin:0 0 16px;${font};font-size:16px;line-height:24px;color:#1b1d21"><%= sentence %></p>
<% } %>`;

const action = `<p class="text" style="margin:0 0 22px;${font};font-size:16px;line-height:24px;color:#1b1d21"><%= it.lead %></p>
<table role="presentation" class="wide" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 28px"><tr>
<td class="button" align="center" bgcolor="<%= it.colours.button.light.background %>" style="background-color:<%= it.colours.button.light.background %>;border-radius:10px;mso-padding-alt:14px 32px">
<a href="<%= it.webUrl %>" style="display:inline-block;padding:14px 32px;${font};font-size:17px;line-height:24px;font-weight:600;color:<%= it.colours.button.light.text %>;text-align:center;text-decoration:none;border-radius:10px"><%= it.open %></a>
</td></tr></table>
<p class="soft" style="margin:0;${font};font-size:13px;line-height:20px;color:#565c67"><%= it.copyAddress %></p>
<p dir="ltr" class="soft" style="margin:0;${font};font-size:13px;line-height:20px;color:#565c67;text-align:<%= it.start %>;word-break:break-all"><%= it.webUrl %></p>
<% for (const { words, href } of it.actions) { %><table role="presentation" class="wide" cellpadding="0" cellspacing="0" border="0" style="margin:22px 0 0"><tr>
<td class="choice" align="center" style="border:1px solid #565c67;border-radius:10px">
<a href="<%= href %>" style="display:inline-block;padding:11px 24px;${font};font-size:16px;line-height:24px;font-weight:600;color:#1b1d21;text-align:center;text-decoration:none"><%= words %></a>
</td></tr></table>
<% } %>`;

/**
 * The template of a mail. Its data are a `MailView`, `start` (the side where lines begin) and `dark` (the dark
 * background).
 */
export const mailTemplate = `${head}<body class="ground" style="margin:0;padding:0;background-color:#eceef1;-webkit-text-size-adjust:100%;-ms-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden;mso-hide:all"><%= it.lead %></div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#eceef1" style="background-color:#eceef1"><tr>
<td class="outer" align="center" style="padding:32px 12px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="sheet" dir="<%= it.direction %>" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="#ffffff" style="width:100%;max-width:600px;background-color:#ffffff;border:1px solid #dcdfe4;border-radius:14px;border-collapse:separate;overflow:hidden">
${band}<tr><td class="pad" align="<%= it.start %>" style="padding:28px 32px 32px;text-align:<%= it.start %>">
${message}${facts}${action}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" dir="<%= it.direction %>" width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px"><tr>
<td class="pad" align="<%= it.start %>" style="padding:18px 32px 24px;text-align:<%= it.start %>">
<p class="soft" style="margin:0;${font};font-size:13px;line-height:20px;color:#565c67;word-break:break-word"><%= it.sentBy.before %><bdi${lang}><%= it.issuer %></bdi><%= it.sentBy.after %></p>
</td></tr></table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`;
