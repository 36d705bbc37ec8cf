import type { Attributes, FieldProps, SwaggerSystem } from './swagger-system.js';

interface PartElement {
  querySelectorAll(selector: string): Iterable<{
    setAttribute(name: string, value: string): void;
    removeAttribute(name: string): void;
  }>;
}

/**
 * A Swagger UI plug-in that sets or removes attributes of elements each time Swagger UI renders their part. Runs in the
 * browser, so it uses nothing outside of itself.
 */
export function completedParts({ React }: SwaggerSystem): object {
  const complete = (part: PartElement | null, selector: string, attributes: Attributes) => {
    for (const element of part?.querySelectorAll(selector) ?? [])
      for (const [name, value] of Object.entries(attributes))
        if (value === null) element.removeAttribute(name);
        else element.setAttribute(name, value);
  };
  const completed: SwaggerSystem['fn']['completed'] = (Part, attributesOf, around) => (props: FieldProps) => {
    const element = React.useRef<PartElement | null>(null);
    React.useLayoutEffect(() => {
      for (const [selector, attributes] of Object.entries(attributesOf(props)))
        complete(element.current, selector, attributes);
    });
    return React.createElement('div', { ...around, ref: element }, React.createElement(Part, props));
  };
  return { fn: { completed } };
}
