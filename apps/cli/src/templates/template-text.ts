import { parseDocument } from 'yaml';
import { Failure } from '../failures.js';
import { isMap, type TemplateBody } from './template-body.js';

const ofTemplate = { what: 'template', hint: 'It has the properties of one, such as title: Summer sale' };

/**
 * Parses a template file, or a file with the template's texts in one language.
 * @throws Failure that names the file and the line, or what the file should hold
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
    // The cause is an alias without a target, or aliases that refer to each other endlessly.
    throw new Failure(`${path}: ${(error as Error).message}`, 'A text that begins with * or & stands in quotes.');
  }
  if (isMap(body)) return body;
  throw new Failure(`${path} holds no ${what}.`, hint);
}
