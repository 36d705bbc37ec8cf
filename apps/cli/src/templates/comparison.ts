import { differencesOf, type Difference } from './property-differences.js';
import { same, type TemplateBody } from './template-body.js';

/** A template from a file, with image addresses instead of paths. */
export interface FileSide {
  id: string;
  body: TemplateBody;
}

/** A template from the service. */
export interface ServiceSide {
  id: string;
  body: TemplateBody;
  archived: boolean;
}

/** The result of comparing a file with the service's template. */
export type Standing =
  | 'same'
  /** Only the file exists. */
  | 'new'
  /** Only the service's template exists. */
  | 'missing'
  /** The two sides differ, and it is unknown when they were last equal. */
  | 'different'
  | 'changed in the file'
  | 'changed on the service'
  | 'changed in both'
  /** The file exists, and the service's template is archived. */
  | 'archived';

export interface Comparison {
  id: string;
  standing: Standing;
  differences: Difference[];
  /** How the service's template has changed since this project's last pull or push. Set only if there is no file. */
  since?: 'unknown' | 'unchanged' | 'changed';
}

/**
 * Compares the file with the service's template.
 * @param base the template when both were last equal; undefined if unknown
 */
export function compared(
  file: FileSide | undefined,
  service: ServiceSide | undefined,
  base: TemplateBody | undefined,
): Comparison | null {
  if (!file) return service && !service.archived ? withoutFile(service, base) : null;
  if (!service) return { id: file.id, standing: 'new', differences: [] };
  const differences = differencesOf(service.body, file.body, base);
  if (service.archived) return { id: file.id, standing: 'archived', differences };
  return {
    id: file.id,
    differences,
    standing: differences.length === 0 ? 'same' : changedWhere(differences),
  };
}

function withoutFile({ id, body }: ServiceSide, base: TemplateBody | undefined): Comparison {
  const since = base === undefined ? 'unknown' : same(body, base) ? 'unchanged' : 'changed';
  return { id, standing: 'missing', differences: [], since };
}

/**
 * Returns where the differing properties have changed. Leaves out a property that changed in the same way on both
 * sides.
 */
export function changedWhere(differences: readonly Difference[]): Standing {
  const sides = new Set(differences.map(({ changedBy }) => changedBy));
  if (sides.has(undefined)) return 'different';
  if (sides.size > 1 || sides.has('both')) return 'changed in both';
  return sides.has('file') ? 'changed in the file' : 'changed on the service';
}
