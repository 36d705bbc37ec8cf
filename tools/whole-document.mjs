/**
 * Returns an OpenAPI document in which references to shared parameters and responses are replaced with their content.
 * @template {{ paths: object, components?: object }} D
 * @param {D} document
 * @returns {D}
 */
export function wholeDocument(document) {
  const paths = JSON.stringify(document.paths, (_, value) => {
    const [, kind, name] = /^#\/components\/(parameters|responses)\/(.+)$/.exec(value?.$ref ?? '') ?? [];
    return kind ? document.components[kind][name] : value;
  });
  return { ...document, paths: JSON.parse(paths) };
}
