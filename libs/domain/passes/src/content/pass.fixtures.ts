import type { Template } from '@passwright/templates';
import type { RenderType } from '@passwright/wallet-renderers';
import { newPass } from './pass-changes.js';
import { type PassContent, requestedContent } from './pass-content.js';
import type { Pass } from './pass.entity.js';

export const now = new Date('2026-11-20T10:00:00.000Z');

/** Returns a template without images; `changes` replaces columns. */
export function aTemplate(type: RenderType = 'offer', changes: Partial<Template> = {}): Template {
  const labelled = type === 'generic' || type === 'membership';
  return {
    accountId: 'acc_1',
    id: 'summer-sale',
    type,
    title: 'Summer sale',
    issuerName: 'Sundown Coffee',
    foregroundColor: '#fff',
    backgroundColor: 'rgb(10%, 20%, 40%)',
    labelColor: null,
    images: {},
    sharingProhibited: false,
    codeFormat: 'qr',
    locations: [],
    fields: [],
    backFields: [],
    startDate: type === 'event' ? new Date('2027-06-21T18:00:00.000Z') : null,
    startDay: null,
    endDate: null,
    doorsOpen: null,
    location: null,
    primaryLabel: labelled ? 'Member' : null,
    language: null,
    translations: null,
    actions: null,
    archivedAt: null,
    revision: 1,
    createdAt: now,
    updatedAt: now,
    ...changes,
  };
}

/** Returns a pass of `template` issued at `now` with the defaults of an empty request; `changes` replaces columns. */
export function aPass(template: Template = aTemplate(), changes: Partial<Pass> = {}): Pass {
  return Object.assign(newPass(template, 'ada', aContent(), null, now), changes);
}

export function aContent(changes: Partial<PassContent> = {}): PassContent {
  return { ...requestedContent({}), ...changes };
}
