import { type Body, itemsOf, textOf } from '../template.js';
import { objectOf } from './imported-fields.js';

/** Reads the times and the place of an event from its `pass.json`. */
export function importedOccasion(pass: Body): Body {
  const semantics = objectOf(pass.semantics);
  const [relevant = {}] = itemsOf(pass, 'relevantDates');
  const start = [
    textOf(semantics, 'eventStartDate'),
    ...['startDate', 'date', 'relevantDate'].map((name) => textOf(relevant, name)),
    textOf(pass, 'relevantDate'),
  ].flatMap(timeOf)[0];
  const [end] = timeOf(textOf(semantics, 'eventEndDate'));
  const [doorsOpen] = timeOf(textOf(semantics, 'venueDoorsOpenDate'));
  return {
    ...(start !== undefined && { startDate: start }),
    ...(end !== undefined && { endDate: end }),
    ...(doorsOpen !== undefined && { doorsOpen }),
    ...venueOf(semantics),
  };
}

function timeOf(text: string): string[] {
  const time = text === '' ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? [] : [new Date(time).toISOString()];
}

function venueOf(semantics: Body): Body {
  const { latitude, longitude } = objectOf(semantics.venueLocation);
  const name = textOf(semantics, 'venueName');
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return {};
  return { location: { ...(name && { name }), address: name || `${latitude}, ${longitude}`, latitude, longitude } };
}
