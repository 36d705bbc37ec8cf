import type { Type } from '@nestjs/common';
import { getMetadataStorage, ValidationTypes } from 'class-validator';

type Check = (object: object, value: unknown) => boolean;

interface PropertyRules {
  /** The value is checked only if all these conditions hold. */
  readonly conditions: Check[];
  readonly checks: Check[];
  isNested: boolean;
}

/** The rules of a class by property; null for a class without rules. */
type ClassRules = ReadonlyMap<string, PropertyRules> | null;

const known = new WeakMap<object, ClassRules>();

/**
 * Returns true if an instance of a DTO class satisfies all rules of the class and has no other properties. Otherwise
 * class-validator must examine the object. This function is faster, because it caches the rules of each class.
 */
export function isValid(object: object): boolean {
  const rules = rulesOf(object.constructor);
  if (!rules || !Object.keys(object).every((name) => rules.has(name))) return false;
  for (const [name, { conditions, checks, isNested }] of rules) {
    const value = (object as Record<string, unknown>)[name];
    if (!conditions.every((condition) => condition(object, value))) continue;
    if (!checks.every((check) => check(object, value))) return false;
    if (isNested && value !== undefined && ![value].flat().every(isValidItem)) return false;
  }
  return true;
}

const isValidItem = (item: unknown): boolean => typeof item === 'object' && item !== null && isValid(item);

function rulesOf(target: unknown): ClassRules {
  if (typeof target !== 'function') return null;
  let rules = known.get(target);
  if (rules === undefined) known.set(target, (rules = collected(target as Type)));
  return rules;
}

function collected(target: Type): ClassRules {
  const storage = getMetadataStorage();
  const rules = new Map<string, PropertyRules>();
  for (const rule of storage.getTargetValidationMetadatas(target, '', false, false)) {
    const { propertyName: property, type, constraints, each, validateIf } = rule;
    const own = rules.get(property) ?? { conditions: [], checks: [], isNested: false };
    rules.set(property, own);
    if (type === ValidationTypes.CONDITIONAL_VALIDATION) own.conditions.push(constraints[0] as Check);
    else if (type === ValidationTypes.NESTED_VALIDATION) own.isNested = true;
    else if (type === ValidationTypes.CUSTOM_VALIDATION && !each && !validateIf) {
      for (const { instance } of storage.getTargetValidatorConstraints(rule.constraintCls)) {
        own.checks.push(
          (object, value) =>
            instance.validate(value, { targetName: target.name, property, object, value, constraints }) === true,
        );
      }
    } else if (type !== ValidationTypes.WHITELIST) own.checks.push(() => false);
  }
  return rules.size > 0 ? rules : null;
}
