import { appError, InvalidTransition } from '@passwright/core';

/** 404: the account has no template with this id. */
export class TemplateNotFound extends appError(404, 'template_not_found') {
  constructor(templateId: string) {
    super(`There is no template "${templateId.slice(0, 64)}"; GET /v1/templates lists those there are.`);
  }
}

/** 409: the template is archived, so it cannot be changed or issue passes. */
export class TemplateArchived extends appError(409, 'template_archived') {
  constructor(templateId: string) {
    super(`Template "${templateId}" is archived; un-archive it first: POST /v1/templates/${templateId}/unarchive.`);
  }
}

/** 409: the template has passes, or the membership settings name it, so it cannot be deleted. */
export class TemplateInUse extends appError(409, 'template_in_use') {
  constructor(templateId: string, by: 'passes' | 'memberships') {
    super(
      by === 'passes'
        ? `Template "${templateId}" still has passes; delete them first, or archive the template to void them all.`
        : `New members' passes are made from template "${templateId}"; name another first: PUT /v1/memberships/settings.`,
    );
  }
}

/** 409: the template has passes, so its type cannot change. */
export class TemplateTypeInUse extends InvalidTransition {
  constructor(templateId: string) {
    super(`The type of template "${templateId}" cannot change: it has passes. Make another template.`);
  }
}
