import type { Item } from './items.ts';

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

function row({ id, title, completed }: Item): string {
  return `<tr><td>${id}</td><td>${escapeHtml(title)}</td><td>${completed ? 'completed' : 'open'}</td></tr>\n`;
}

// #region report.template
/** The report as HTML. */
export function reportPage(items: readonly Item[], image: Buffer): string {
  const total = items.length;
  const completed = items.filter((item) => item.completed).length;
  const percentage = total === 0 ? 0 : Math.floor((200 * completed + total) / (2 * total)); // rounded half up
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Report</title>
<style>
:root { color-scheme: light dark; accent-color: teal; }
body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; }
dl { display: flex; flex-wrap: wrap; gap: 0.5rem 2.5rem; margin: 0; }
dt, th, figcaption { opacity: 0.7; font-size: 0.875rem; font-weight: normal; }
dd { margin: 0; font-size: 1.75rem; line-height: 1.2; }
progress { width: 20rem; max-width: 90vw; margin: 1rem 0; }
table { border-collapse: collapse; margin: 1rem 0 2rem; min-width: 20rem; }
th, td { padding: 0.3rem 2rem 0.3rem 0; border-bottom: 1px solid #8884; text-align: left; vertical-align: top; }
td:nth-child(2) { overflow-wrap: anywhere; white-space: pre-wrap; }
td:first-child, dd { font-variant-numeric: tabular-nums; }
figure { margin: 0; }
img { max-width: 90vw; height: auto; border-radius: 0.5rem; }
</style>
</head>
<body>
<main>
<h1>Report</h1>
<dl>
<div><dt>Total</dt><dd>${total}</dd></div>
<div><dt>Completed</dt><dd>${completed}</dd></div>
<div><dt>Open</dt><dd>${total - completed}</dd></div>
<div><dt>Done</dt><dd>${percentage}%</dd></div>
</dl>
<progress aria-label="Done" max="100" value="${percentage}"></progress>
<table>
<thead>
<tr><th scope="col">Id</th><th scope="col">Title</th><th scope="col">State</th></tr>
</thead>
<tbody>
${items.map(row).join('')}</tbody>
</table>
<figure>
<img src="data:image/png;base64,${image.toString('base64')}" alt="Spheres on a checkered plane" width="320" height="240">
<figcaption>Rendered for this report</figcaption>
</figure>
</main>
</body>
</html>
`;
}
// #endregion report.template
