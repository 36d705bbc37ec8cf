import { differencesOf, type Difference } from './differences.js';
import { fingerprintOf, type TemplateBody } from './template-body.js';

/** A template as a file has it, its images resolved to addresses. */
export interface FileSide {
  id: string;
  body: TemplateBody;
}

/** A template as the service has it. */
export interface ServiceSide {
  id: string;
  body: TemplateBody;
  archived: boolean;
}

/** How a file and the service's template stand to each other. */
export type Standing =
  | 'same'
  /** There is only a file. */
  | 'new'
  /** There is only the service's. */
  | 'missing'
  /** They differ, and nothing is known of what they once had in common. */
  | 'different'
  | 'changed in the file'
  | 'changed on the service'
  | 'changed in both'
  /** There is a file, and the service's is archived. */
  | 'archived';

export interface Comparison {
  id: string;
  standing: Standing;
  differences: Difference[];
}

/** @param agreed the fingerprint of what both sides were when they last agreed; undefined where it is not known */
export function compared(
  file: FileSide | undefined,
  service: ServiceSide | undefined,
  agreed: string | undefined,
): Comparison | null {
  if (!file) return service && !service.archived ? { id: service.id, standing: 'missing', differences: [] } : null;
  if (!service) return { id: file.id, standing: 'new', differences: [] };
  const differences = differencesOf(service.body, file.body);
  if (service.archived) return { id: file.id, standing: 'archived', differences };
  return {
    id: file.id,
    differences,
    standing: differences.length === 0 ? 'same' : changedWhere(file, service, agreed),
  };
}

function changedWhere(file: FileSide, service: ServiceSide, agreed: string | undefined): Standing {
  if (agreed === undefined) return 'different';
  if (fingerprintOf(service.body) === agreed) return 'changed in the file';
  return fingerprintOf(file.body) === agreed ? 'changed on the service' : 'changed in both';
}

/** What a push does about a template. */
export type PushAction = 'create' | 'change' | 'unarchive' | 'archive' | 'unchanged' | 'left' | 'archived' | 'conflict';

export interface PushChoice {
  /** Archive what has no file. */
  prune?: boolean;
  /** Overwrite what was changed on the service since. */
  force?: boolean;
  unarchive?: boolean;
}

export function pushAction(standing: Standing, { prune, force, unarchive }: PushChoice): PushAction {
  switch (standing) {
    case 'same':
      return 'unchanged';
    case 'new':
      return 'create';
    case 'missing':
      return prune ? 'archive' : 'left';
    case 'archived':
      return unarchive ? 'unarchive' : 'archived';
    case 'different':
    case 'changed in the file':
      return 'change';
    case 'changed on the service':
    case 'changed in both':
      return force ? 'change' : 'conflict';
  }
}

/** What a pull does about a template. */
export type PullAction = 'create' | 'change' | 'unchanged' | 'left' | 'archived' | 'conflict';

export function pullAction(standing: Standing, { force }: { force?: boolean }): PullAction {
  switch (standing) {
    case 'same':
      return 'unchanged';
    case 'new':
      return 'left';
    case 'missing':
      return 'create';
    case 'archived':
      return 'archived';
    case 'different':
    case 'changed on the service':
      return 'change';
    case 'changed in the file':
    case 'changed in both':
      return force ? 'change' : 'conflict';
  }
}
