/** A JSON schema, or a part of the OpenAPI document without a precise type. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- read as a client's tool would, by its property names
export type Json = any;
