/** Dates and durations of the search language: all spellings, and invalid texts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDate, parseSpan } from '../../src/search/dates.ts';

/** Wednesday. */
const now = new Date('2024-06-05T13:45:00.000Z');

function parseToText(text: string): string | undefined {
  const found = parseDate(text, now);
  return found === undefined ? undefined : new Date(found).toISOString().replace('.000Z', 'Z');
}

const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September'],
  ...['October', 'November', 'December'],
];

describe('a date', () => {
  test.each([
    ['Sunday', '2024-06-02'],
    ['Monday', '2024-06-03'],
    ['Tuesday', '2024-06-04'],
    ['Wednesday', '2024-05-29'],
    ['Thursday', '2024-05-30'],
    ['Friday', '2024-05-31'],
    ['saturday', '2024-06-01'],
    [' TODAY ', '2024-06-05'],
    ['yesterday', '2024-06-04'],
  ])('can be a word: %s', (word, day) => {
    expect(parseToText(word)).toBe(`${day}T00:00:00Z`);
  });

  test('is the same in every spelling', () => {
    const moment = fc.date({
      min: new Date('1945-01-01T00:00:00Z'),
      max: new Date('2044-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(moment, fc.boolean(), (at, short) => {
        const date = new Date(Math.floor(at.getTime() / 1_000) * 1_000);
        const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
        const [hours, rest] = [date.getUTCHours(), date.toISOString().slice(14, 19)];
        const name = (months[month] ?? '').slice(0, short ? 3 : 9);
        const half = `${hours % 12 || 12}:${rest}${short ? ' ' : ''}${hours < 12 ? 'am' : 'PM'}`;
        const digits = String(short ? year % 100 : year).padStart(2, '0');
        for (const spelling of [
          date.toISOString(),
          `${year}-${month + 1}-${day} ${hours}:${rest}`,
          `${month + 1}/${day}/${digits} ${half}`,
          `${month + 1}/${day}/${digits}, ${hours}:${rest}`,
          `${name} ${day}, ${year}, ${half}`,
          `Someday, ${name.toUpperCase()} ${day}, ${year} ${hours}:${rest}`,
        ]) {
          expect(parseDate(spelling, now), spelling).toBe(date.getTime());
        }
      }),
    );
  });

  test.each([
    ['2024-05-31T08:30', '2024-05-31T08:30:00Z'],
    ['2024-05-31 08:30:59.123456789', '2024-05-31T08:30:59Z'],
    ['2024-05-31t08:30z', '2024-05-31T08:30:00Z'],
    ['2024-05-31T08:30-05:30', '2024-05-31T14:00:00Z'],
    ['2024-05-31T08:30+0200', '2024-05-31T06:30:00Z'],
    ['2024-05-31Z', '2024-05-31T00:00:00Z'],
    ['2024-05-31+02:00', '2024-05-30T22:00:00Z'],
    ['0001-01-01', '0001-01-01T00:00:00Z'],
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2024-05-31T23:59:59', '2024-05-31T23:59:59Z'],
    ['5/31/24 0:30', '2024-05-31T00:30:00Z'],
    ['5/31/24 13:00', '2024-05-31T13:00:00Z'],
    ['5/31/24 12:00 am', '2024-05-31T00:00:00Z'],
    ['5/31/24 12:00pm', '2024-05-31T12:00:00Z'],
    ['5/31/24 1:00 am', '2024-05-31T01:00:00Z'],
    // Two digits are a year at most twenty years in the future.
    ['5/31/44', '2044-05-31T00:00:00Z'],
    ['5/31/45', '1945-05-31T00:00:00Z'],
    ['5/31/00', '2000-05-31T00:00:00Z'],
    [`${'x'.repeat(50)}, May 31, 2024`, '2024-05-31T00:00:00Z'],
  ])('parses %s', (text, expected) => {
    expect(parseToText(text)).toBe(expected);
  });

  test.each([
    ...['x2024-05-31', '2024-05-31x', '12024-05-31', '2024-5-311', '2024/05/31', '2024-05'],
    ...['0000-01-01', '2024-00-10', '2024-13-10', '2024-05-00', '2024-05-32', '2024-06-31'],
    ...['2023-02-29', '1900-02-29', '2024-04-31', '2024-09-31', '2024-11-31'],
    ...['2024-05-31T24:00', '2024-05-31T23:60', '2024-05-31T23:59:60', '2024-05-31T8'],
    ...['2024-05-31T08:30:00.', '2024-05-31T08:30:00.1234567890', '2024-05-31T08:30+2'],
    ...['13/1/24', '5/32/24', '5/31', '5/31/124', 'x5/31/24', '5/31/24x', '/31/24'],
    ...['5/31/24 8', '5/31/24 8:3', '5/31/24 24:00', '5/31/24 8:60', '5/31/24 8:00:60'],
    ...['5/31/24 0:30 am', '5/31/24 13:00 pm', '5/31/24 8:30 xm', '5/31/24 8:30 pmx'],
    ...['5/31/24 x8:30', 'May 32, 2024', 'Ma 31, 2024', 'Mayo 31, 2024', 'June 31, 2024'],
    ...['May 31 2024', 'x May 31, 2024', 'May 31, 2024, x', 'May 31, 24', 'tomorrow', ''],
    `${'x'.repeat(51)}, May 31, 2024`,
  ])('refuses %s', (text) => {
    expect(parseToText(text)).toBeUndefined();
  });
});

describe('a duration', () => {
  test('has days, hours, minutes and seconds', () => {
    const parts = fc.tuple(fc.nat(999_999), fc.nat(23), fc.nat(59), fc.nat(59));
    fc.assert(
      fc.property(parts, fc.boolean(), ([days, hours, minutes, seconds], padded) => {
        const two = (number: number) => String(number).padStart(2, '0');
        const hour = padded ? two(hours) : String(hours);
        const clock = `${hour}:${two(minutes)}`;
        const time = hours * 3_600 + minutes * 60;
        expect(parseSpan(String(days))).toBe(days * 86_400);
        expect(parseSpan(clock)).toBe(time);
        expect(parseSpan(`${clock}:${two(seconds)}`)).toBe(time + seconds);
        expect(parseSpan(`${days}.${clock}`)).toBe(days * 86_400 + time);
        expect(parseSpan(`${days}.${clock}:${two(seconds)}.25`)).toBe(
          days * 86_400 + time + seconds + 0.25,
        );
      }),
    );
  });

  test.each([
    ...['', 'x', 'x1', '1x', '-1', '1.5', '1234567', '1.', '1.1', ':', '1:', ':30', '1:3', '1:300'],
    ...['24:00', '23:60', '23:59:60', '23:59:6', '1.24:00', 'x.1:00', '1x.1:00', 'x1:00'],
    ...['1:00x', '1:00:00x', '1.1.1:00', '1:00:00.', '1:00:00.1234567890', '1:00:00:00'],
    '0'.repeat(65),
  ])('refuses %s', (text) => {
    expect(parseSpan(text)).toBeUndefined();
  });

  test.each([
    ['23:59:59.999999999', 86_399.999999999],
    ['.1:00', 3_600],
    ['0', 0],
    [`0.0:00:00.${'5'.repeat(9)}`, 0.555555555],
  ])('parses %s', (text, seconds) => {
    expect(parseSpan(text)).toBe(seconds);
  });
});
