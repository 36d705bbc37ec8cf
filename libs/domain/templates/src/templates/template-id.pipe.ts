import { Injectable, type PipeTransform } from '@nestjs/common';
import { callerChosenId, ValidationFailed } from '@passwright/core';

/** Accepts valid template ids. Rejects `bundle`, because a route has this name. @throws ValidationFailed */
@Injectable()
export class TemplateIdPipe implements PipeTransform<string, string> {
  transform(templateId: string): string {
    if (!callerChosenId.test(templateId)) {
      throw new ValidationFailed(
        'templateId must be 1 to 64 letters, digits, dots, underscores or hyphens, the first a letter or digit',
      );
    }
    if (templateId === 'bundle') throw new ValidationFailed('templateId must not be "bundle", which is reserved');
    return templateId;
  }
}
