import type { Passwright, RowTemplate } from '@passwright/client';
import { Failure } from '../../failures.js';
import { isRejected } from '../../service-errors.js';

/** The maximum number of templates that an error message lists. */
const MOST_NAMED = 20;

/**
 * Reads the template of the passes.
 * @throws Failure if it does not exist; the message lists the existing templates
 */
export async function passTemplate(client: Passwright, templateId: string, signal: AbortSignal): Promise<RowTemplate> {
  try {
    return await client.getTemplate({ templateId, signal });
  } catch (error) {
    if (!isRejected(error, 'template_not_found')) throw error;
    const { data, nextCursor } = await client.listTemplates({ limit: MOST_NAMED, signal });
    const ids = data.map(({ id }) => id).join(', ');
    const hint = ids === '' ? NO_TEMPLATES : `The templates are: ${ids}${nextCursor === null ? '' : ', …'}`;
    throw new Failure(`There is no template "${templateId}".`, hint, error.code);
  }
}

const NO_TEMPLATES = 'The account has no templates yet. To create one: passwright init, then passwright templates push';
