/** A template as the body of a save. The JSON editor may put any value into it. */
export type Body = Readonly<Record<string, unknown>>;

export const types = [
  ['offer', 'Offer'],
  ['event', 'Event'],
  ['generic', 'Generic'],
  ['membership', 'Membership'],
] as const;
export type TemplateType = (typeof types)[number][0];

/** The properties that the service sets. */
const own = new Set(['id', 'accountId', 'archived', 'createdAt', 'updatedAt']);

/** Returns the body that would save a stored template unchanged. */
export function bodyOf(template: object): Body {
  return Object.fromEntries(Object.entries(template).filter(([name]) => !own.has(name)));
}

/** Returns a new template of a type with sample images, which can be saved immediately. */
export function starterOf(type: TemplateType, baseUrl: string): Body {
  const image = (name: string) => `${baseUrl}/images/samples/${name}.png`;
  const look = {
    foregroundColor: '#ffffff',
    backgroundColor: '#1f2a6b',
    labelColor: '#ffd479',
    ...{ icon: image('icon'), logo: image('logo'), banner: image('banner') },
  };
  const start = new Date();
  start.setUTCDate(start.getUTCDate() + 30);
  start.setUTCHours(18, 0, 0, 0);
  const contents: Record<TemplateType, object> = {
    offer: { title: 'Your next coffee', fields: [{ key: 'discount', label: 'Discount', value: '20%' }] },
    event: {
      title: 'Midsummer concert',
      startDate: start.toISOString(),
      fields: [{ key: 'seat', label: 'Seat', value: 'Row 4, 12' }],
    },
    generic: { title: 'Gift card', primaryLabel: 'Balance', thumbnail: image('thumbnail') },
    membership: {
      title: 'Gold club',
      primaryLabel: 'Member',
      fields: [{ key: 'points', label: 'Points', value: '0' }],
    },
  };
  return { type, issuerName: 'Your organisation', ...look, ...contents[type] };
}

/** Replaces a property. Removes it for an empty text or undefined. */
export function withProperty(body: Body, name: string, value: unknown): Body {
  const { [name]: _, ...rest } = body;
  return value === undefined || value === '' ? rest : { ...body, [name]: value };
}

const ofEvents = ['startDate', 'endDate', 'doorsOpen', 'location'];

/** Returns a body of another type: keeps the common properties, and adds those that the new type needs. */
export function withType(body: Body, type: TemplateType, baseUrl: string): Body {
  const starter = starterOf(type, baseUrl);
  const needed = Object.fromEntries(Object.entries(starter).filter(([name]) => body[name] === undefined));
  const foreign: Record<TemplateType, string[]> = {
    offer: [...ofEvents, 'primaryLabel', 'thumbnail'],
    event: ['primaryLabel', 'thumbnail', 'artwork'],
    generic: ofEvents,
    membership: [...ofEvents, 'thumbnail'],
  };
  const { fields: _, ...missing } = needed;
  const kept = Object.entries({ ...body, ...missing, type }).filter(([name]) => !foreign[type].includes(name));
  return Object.fromEntries(kept);
}

/** Returns the text of a property; empty for other values. */
export function textOf(body: Body, name: string): string {
  const value = body[name];
  return typeof value === 'string' ? value : '';
}

/** Returns a list of objects. An item that is not an object counts as an empty one. */
export function itemsOf(body: Body, name: string): Body[] {
  const value = body[name];
  return Array.isArray(value) ? value.map((item: unknown) => (isObject(item) ? item : {})) : [];
}

/** Returns true for a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns an id for a title: `Gold club` is `gold-club`. */
export function idFrom(title: string): string {
  const plain = title.normalize('NFKD').replace(/[\u0300-\u036f]/g, '');
  const words = plain.toLowerCase().split(/[^a-z0-9]+/);
  return words
    .filter((word) => word !== '')
    .join('-')
    .slice(0, 64);
}

/** Returns a key that no field of the list has yet. */
export function newKey(items: readonly Body[]): string {
  const known = new Set(items.map(({ key }) => key));
  for (let number = items.length + 1; ; number += 1) if (!known.has(`field${number}`)) return `field${number}`;
}
