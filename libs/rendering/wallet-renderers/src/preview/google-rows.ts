import { placeOf } from '../lint/front-rules.js';
import { classTemplateInfo } from '../google/google-layout.js';
import { mergedFields } from '../merged-fields.js';
import { phrasesOf } from '../web/languages.js';
import type { DrawnField } from './field-row.js';
import { type Scene, writtenDate } from './preview-context.js';

interface Item {
  readonly firstValue: { readonly fields: readonly { readonly fieldPath: string }[] };
}

type Row = Partial<Record<string, Partial<Record<string, Item>>>>;

interface LaidOut {
  readonly cardTemplateOverride: { readonly cardRowTemplateInfos: readonly Row[] };
}

/** Returns the rows of a card in the layout of its class, without empty fields and rows. */
export function googleRows(scene: Scene): DrawnField[][] {
  const { cardTemplateOverride } = classTemplateInfo(scene.template) as LaidOut;
  return cardTemplateOverride.cardRowTemplateInfos
    .map((row) =>
      Object.values(row)
        .flatMap((items) => Object.values(items ?? {}))
        .flatMap((item) => item?.firstValue.fields[0]?.fieldPath ?? [])
        .flatMap((path) => fieldAt(path, scene) ?? []),
    )
    .filter((row) => row.length > 0);
}

function fieldAt(path: string, scene: Scene): DrawnField | null {
  const { template, pass } = scene;
  if (path === 'object.accountName') {
    if (!pass.primaryValue) return null;
    const labelSource = { in: 'template', path: '$.primaryLabel' } as const;
    const valueSource = { in: 'pass', path: '$.primaryValue' } as const;
    return { label: template.primaryLabel ?? '', value: pass.primaryValue, labelSource, valueSource };
  }
  if (path === 'class.dateTime.start') {
    if (!template.startDate) return null;
    const label = phrasesOf(scene.reading.language).when;
    return {
      label,
      value: writtenDate(template.startDate, scene, template.startDay ? 'day' : 'time'),
      labelSource: null,
      valueSource: null,
    };
  }
  const index = /^object\.textModulesData\['f(\d)'\]$/.exec(path)?.[1];
  const field = index === undefined ? undefined : mergedFields(template, pass).fields[Number(index)];
  if (!field || field.value.trim() === '') return null;
  const sourceOf = (part: 'label' | 'value') => {
    const { in: document, path: at } = placeOf(field.key, part, template, pass);
    return { in: document, path: `$.${at}` };
  };
  return { ...field, labelSource: sourceOf('label'), valueSource: sourceOf('value') };
}
