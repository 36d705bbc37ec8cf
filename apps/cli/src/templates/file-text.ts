import { type Document, isCollection, isMap as isYamlMap, isSeq, parseDocument, Scalar, stringify } from 'yaml';
import { isMap, normalBody, same, type TemplateBody } from './template-body.js';

const layout = { lineWidth: 0 };

/** Returns the text of a new file. */
export function newText(body: TemplateBody): string {
  return stringify(body, layout);
}

/**
 * Updates the text of a file to match `body`. Unchanged parts keep their comments, order and style.
 * @param body normalised, except that images may be paths
 */
export function changedText(text: string, path: string, body: TemplateBody): string {
  const document = parseDocument(text);
  const before = document.toJS() as TemplateBody;
  const was = normalBody(before);
  const names = [...new Set([...Object.keys(before), ...Object.keys(body)])].filter(
    (name) => !same(was[name], body[name]),
  );
  if (names.length === 0) return text;
  if (path.endsWith('.json')) return jsonText(text, before, names, body);
  for (const name of names) {
    if (body[name] === undefined) document.delete(name);
    else document.set(name, merged(document, document.get(name, true), body[name]));
  }
  return document.toString(layout);
}

function jsonText(text: string, before: TemplateBody, names: readonly string[], body: TemplateBody): string {
  const after = { ...before };
  for (const name of names) {
    if (body[name] === undefined) delete after[name];
    else after[name] = body[name];
  }
  const [, indent = '  '] = /^\{\s*\n([ \t]+)/.exec(text) ?? [];
  return `${JSON.stringify(after, null, indent)}\n`;
}

/** Returns a node for `value` that reuses the existing node as far as possible. */
function merged(document: Document, node: unknown, value: unknown): unknown {
  if (isYamlMap(node) && isMap(value)) {
    const map = node;
    for (const name of Object.keys(map.toJS(document) as object)) if (value[name] === undefined) map.delete(name);
    for (const [name, of] of Object.entries(value)) map.set(name, merged(document, map.get(name, true), of));
    return map;
  }
  if (isSeq(node) && Array.isArray(value)) {
    const { items } = node;
    const keyed = new Map(items.map((item) => [isYamlMap(item) ? item.get('key') : undefined, item]));
    node.items = value.map((of: unknown, index) => {
      const item = isMap(of) && of.key !== undefined ? keyed.get(of.key) : items[index];
      return merged(document, item, of);
    });
    return node;
  }
  if (node instanceof Scalar && !isCollection(node) && typeof value !== 'object') {
    if (node.value !== value) node.value = value;
    return node;
  }
  return document.createNode(value);
}
