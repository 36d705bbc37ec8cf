import {
  type Document,
  isCollection,
  isMap as isYamlMap,
  isSeq,
  parseDocument,
  Scalar,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
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
  if (isYamlMap(node) && isMap(value)) return mergedMap(document, node, value);
  if (isSeq(node) && Array.isArray(value)) return mergedList(document, node, value);
  if (node instanceof Scalar && !isCollection(node) && typeof value !== 'object') {
    if (node.value !== value) node.value = value;
    return node;
  }
  return document.createNode(value);
}

function mergedMap(document: Document, map: YAMLMap, value: Readonly<Record<string, unknown>>): YAMLMap {
  for (const name of Object.keys(map.toJS(document) as object)) if (value[name] === undefined) map.delete(name);
  for (const [name, of] of Object.entries(value)) map.set(name, merged(document, map.get(name, true), of));
  return map;
}

/** Reuses the item with the same key, or else at the same place. */
function mergedList(document: Document, list: YAMLSeq, value: readonly unknown[]): YAMLSeq {
  const { items } = list;
  const keyed = new Map(items.map((item) => [isYamlMap(item) ? item.get('key') : undefined, item]));
  list.items = value.map((of, index) => {
    const item = isMap(of) && of.key !== undefined ? keyed.get(of.key) : items[index];
    return merged(document, item, of);
  });
  return list;
}
