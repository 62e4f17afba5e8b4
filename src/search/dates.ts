/** Dates and durations of the search language, in UTC. */

const day = 24 * 60 * 60 * 1000;

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** Words that are valid dates. */
export const dateWords: readonly string[] = ['today', 'yesterday', ...weekdays];

const months = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** Accepted forms of dates, for messages. */
export const dateForms: readonly string[] = [
  'today',
  'yesterday',
  'a weekday',
  'a date such as 2024-05-31, 5/31/24 or "May 31, 2024"',
];

const isoDate =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const shortDate = /^(\d{1,2})\/(\d{1,2})\/(\d{2}|\d{4})(?:,? (.+))?$/;
const longDate = /^(?:[a-z]+, )?([a-z]{3,9}) (\d{1,2}), (\d{4})(?:,? (.+))?$/i;
const clock = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?: ?(am|pm))?$/i;

/** Maximum length of a date in characters. */
const maxLength = 64;

/**
 * First millisecond of a date, or `undefined` if the text is not a date. A weekday is the last such
 * day before today.
 */
export function parseDate(text: string, now: Date): number | undefined {
  const word = text.trim().toLowerCase();
  if (word.length > maxLength) return undefined;
  const today = Math.floor(now.getTime() / day) * day;
  if (word === 'today') return today;
  if (word === 'yesterday') return today - day;
  const weekday = weekdays.indexOf(word);
  if (weekday >= 0) {
    const back = (now.getUTCDay() - weekday + 7) % 7 || 7;
    return today - back * day;
  }
  return parseIso(word) ?? parseShort(word, now) ?? parseLong(word);
}

function parseIso(text: string): number | undefined {
  const parts = isoDate.exec(text);
  if (!parts) return undefined;
  const [, year, month, date, hours = '0', minutes = '0', seconds = '0', zone = 'z'] = parts;
  const start = createDate(Number(year), Number(month), Number(date));
  const time = parseTime(Number(hours), Number(minutes), Number(seconds));
  if (start === undefined || time === undefined) return undefined;
  return start + time - parseOffset(zone);
}

/** Offset of a zone such as `+02:00` from UTC, in milliseconds. */
function parseOffset(zone: string): number {
  if (zone === 'z') return 0;
  const digits = zone.replace(/\D/g, '');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}

function parseShort(text: string, now: Date): number | undefined {
  const parts = shortDate.exec(text);
  if (!parts) return undefined;
  const [, month, date, yearText = '', time] = parts;
  let year = Number(yearText);
  if (yearText.length === 2) {
    // Two digits are a year at most twenty years in the future.
    year += 2000;
    if (year > now.getUTCFullYear() + 20) year -= 100;
  }
  return withTime(createDate(year, Number(month), Number(date)), time);
}

function parseLong(text: string): number | undefined {
  const parts = longDate.exec(text);
  if (!parts) return undefined;
  const [, name = '', date, year, time] = parts;
  const month = months.findIndex((full) => full === name || full.slice(0, 3) === name) + 1;
  return withTime(createDate(Number(year), month, Number(date)), time);
}

function withTime(date: number | undefined, text: string | undefined): number | undefined {
  if (date === undefined || text === undefined) return date;
  const parts = clock.exec(text);
  if (!parts) return undefined;
  const [, hourText, minutes, seconds = '0', half] = parts;
  let hours = Number(hourText);
  if (half) {
    if (hours < 1 || hours > 12) return undefined;
    hours = (hours % 12) + (half === 'pm' ? 12 : 0);
  }
  const time = parseTime(hours, Number(minutes), Number(seconds));
  return time === undefined ? undefined : date + time;
}

function createDate(year: number, month: number, date: number): number | undefined {
  const start = new Date(0);
  start.setUTCFullYear(year, month - 1, date);
  const same = start.getUTCMonth() === month - 1 && start.getUTCDate() === date;
  return same && year > 0 ? start.getTime() : undefined;
}

function parseTime(hours: number, minutes: number, seconds: number): number | undefined {
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

const timeOfDay = /^(\d{1,2}):(\d{2})(?::(\d{2}(?:\.\d{1,9})?))?$/;

/**
 * Seconds of a duration: `d`, `d.hh:mm` or `hh:mm`, the latter two with optional `:ss` or `:ss.ff`.
 */
export function parseSpan(text: string): number | undefined {
  if (text.length > maxLength || text === '') return undefined;
  const [first = '', rest] = text.includes(':') ? splitDays(text) : [text, undefined];
  if (first !== '' && !/^\d{1,6}$/.test(first)) return undefined;
  const days = Number(first);
  if (rest === undefined) return days * 86_400;
  const parts = timeOfDay.exec(rest);
  if (!parts) return undefined;
  const [, hours, minutes, seconds = '0'] = parts;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) >= 60) return undefined;
  return days * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
}

/** Days and time of day in `d.hh:mm`. */
function splitDays(text: string): readonly [string, string] {
  const colon = text.indexOf(':');
  const dot = text.lastIndexOf('.', colon);
  return dot < 0 ? ['', text] : [text.slice(0, dot), text.slice(dot + 1)];
}
