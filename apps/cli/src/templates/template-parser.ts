import { parseDocument } from 'yaml';
import { Failure } from '../failures.js';
import { isMap, type TemplateBody } from './template-body.js';

const ofTemplate = { what: 'template', hint: 'A template has properties such as title: Summer sale' };

/**
 * Parses a template file or a translation file.
 * @throws Failure that names the file and the line, or says what the file should contain
 */
export function bodyOf(text: string, path: string, { what, hint } = ofTemplate): TemplateBody {
  // JSON is valid YAML, so errors in both are reported with their line.
  const document = parseDocument(text);
  const [mistake] = document.errors;
  if (mistake) throw new Failure(`${path}: ${mistake.message.trim()}`);
  let body: unknown;
  try {
    body = document.toJS();
  } catch (error) {
    // An alias has no target, or the aliases expand too far.
    throw new Failure(`${path}: ${(error as Error).message}`, 'Put a text that begins with * or & in quotes.');
  }
  if (isMap(body)) return body;
  throw new Failure(`${path} contains no ${what}.`, hint);
}
