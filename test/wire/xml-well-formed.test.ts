/** XML that is not well formed is refused, and the writer never creates it (E1). */

import fc from 'fast-check';
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, test } from 'vitest';
import { types } from '../../src/model/derive/types.ts';
import { dialects } from '../../src/model/dialect.ts';
import { decodeObject, encodeList, encodeObject, WireError } from '../../src/wire/index.ts';
import { runs } from '../support/mutants.ts';
import { anyObject, fullObject } from './arbitraries.ts';

const xml = 'application/xml';

/** Result of decoding a body as a VM: the object or the error. */
function read(body: string | Uint8Array): Record<string, unknown> | WireError {
  try {
    return decodeObject(xml, body, 'vm', { unknown: 'skip' });
  } catch (error) {
    if (error instanceof WireError) return error;
    throw error;
  }
}

const deep = `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`;
const manyAttributes = Array.from({ length: 1_000_000 }, (_, i) => `a${i}=""`).join(' ');

describe('refusals', () => {
  const documents: Record<string, string | Uint8Array> = {
    nothing: '',
    'only blanks': ' \n',
    'only text': 'hello',
    'a document type': '<!DOCTYPE vm><vm/>',
    'a document type after a comment': '<!-- --><!DOCTYPE vm []><vm/>',
    'billion laughs':
      '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><vm><name>&b;</name></vm>',
    'an external entity':
      '<!DOCTYPE vm [<!ENTITY x SYSTEM "file:///etc/passwd">]><vm><name>&x;</name></vm>',
    'a parameter entity': '<!DOCTYPE vm [<!ENTITY % p SYSTEM "http://x/"> %p;]><vm/>',
    'an entity declaration inside': '<vm><!ENTITY a "b"></vm>',
    'an unknown entity': '<vm><name>&nbsp;</name></vm>',
    'an unknown entity in an attribute': '<vm id="&x;"/>',
    'an entity without its end': '<vm><name>&amp</name></vm>',
    'a bare ampersand': '<vm><name>a & b</name></vm>',
    'an entity in a skipped element': '<vm><foo>&x;</foo></vm>',
    'a reference to NUL': '<vm><name>&#0;</name></vm>',
    'a reference to a control character': '<vm><name>&#x1;</name></vm>',
    'a reference to half a pair': '<vm><name>&#xD800;</name></vm>',
    'a reference beyond Unicode': '<vm><name>&#x110000;</name></vm>',
    'a reference of many digits': `<vm><name>&#${'9'.repeat(1000)};</name></vm>`,
    'mismatched tags': '<vm><name>a</nam></vm>',
    'tags of prefixed names': '<vm><name>a</names></vm>',
    'crossed tags': '<vm><foo><bar></foo></bar></vm>',
    'an element that is not closed': '<vm><name>a</name>',
    'an end tag too many': '<vm/></vm>',
    'two roots': '<vm/><vm/>',
    'text after the root': '<vm/>junk',
    'text before the root': 'junk<vm/>',
    'a blank in front of the declaration': ' <?xml version="1.0"?><vm/>',
    'a declaration inside': '<vm><?xml version="1.0"?></vm>',
    'a declaration without a version': '<?xml encoding="UTF-8"?><vm/>',
    'a declaration in the wrong order': '<?xml encoding="UTF-8" version="1.0"?><vm/>',
    'CDATA after the root': '<vm/><![CDATA[ ]]>',
    'a duplicated attribute': '<vm id="1" id="2"/>',
    'a duplicated attribute of a skipped element': '<vm><foo a="1" a="2"/></vm>',
    'an attribute without quotes': '<vm id=1/>',
    'an attribute without a value': '<vm id/>',
    'attributes without a blank between': '<vm id="1"href="2"/>',
    'a less-than sign in an attribute': '<vm id="<"/>',
    'a name with a bad start': '<vm><1a/></vm>',
    'a name with a bad character': '<vm><a%b/></vm>',
    'a blank in front of a name': '<vm>< name/></vm>',
    'the end of CDATA in text': '<vm><name>]]></name></vm>',
    'CDATA without an end': '<vm><name><![CDATA[a</name></vm>',
    'two hyphens in a comment': '<vm><!-- a -- b --></vm>',
    'a comment without an end': '<vm><!-- </vm>',
    'an instruction without a target': '<vm><? ?></vm>',
    'an instruction without an end': '<vm><?a </vm>',
    'a slash in the middle of a tag': '<vm / id="1">',
    NUL: '<vm><name>a\u0000</name></vm>',
    'a control character': '<vm><name>a\u0007</name></vm>',
    'U+FFFF': '<vm><name>\uffff</name></vm>',
    'half a surrogate pair': '<vm><name>\ud800</name></vm>',
    'text between elements': '<vm>text<name>a</name></vm>',
    'CDATA between elements': '<vm><![CDATA[text]]></vm>',
    'an element in text': '<vm><name>a<b/></name></vm>',
    'bad UTF-8': Buffer.from([0x3c, 0x76, 0x6d, 0x3e, 0xff, 0x3c, 0x2f, 0x76, 0x6d, 0x3e]),
    'overlong UTF-8': Buffer.concat([Buffer.from('<vm><name>'), Buffer.from([0xc0, 0xaf])]),
    'UTF-8 cut short': Buffer.from('<vm><name>ž</name></vm>').subarray(0, 11),
    'UTF-16 with a mark': Buffer.from('\ufeff<vm/>', 'utf16le'),
    'UTF-16 without a mark': Buffer.from('<vm/>', 'utf16le'),
    'a declared encoding that is not UTF-8': '<?xml version="1.0" encoding="ISO-8859-1"?><vm/>',
    'a declared encoding that does not exist': '<?xml version="1.0" encoding="x-mac-y"?><vm/>',
    'another root': '<host/>',
    'a root in another namespace': '<a:vm xmlns:a="urn:a"/>',
  };

  test.each(Object.entries(documents))('%s', (_, body) => {
    const error = read(body);
    expect(error).toBeInstanceOf(WireError);
    expect(error).toMatchObject({ kind: 'syntax' });
  });

  test.each([
    ['nesting 100,000 deep', deep],
    ['nesting 100,000 deep below the root', `<vm>${deep}</vm>`],
    ['a million attributes', `<vm ${manyAttributes}/>`],
    ['an attribute of 10 MiB', `<vm id="${'x'.repeat(10 * 1024 * 1024)}"/>`],
  ])('%s', (_, body) => {
    const error = read(Buffer.from(body));
    expect(error).toMatchObject({ kind: body.startsWith('<a') ? 'syntax' : 'limit' });
  });

  test('refuses a document truncated at any byte', () => {
    const whole = Buffer.from(
      `<?xml version="1.0" encoding="UTF-8"?><!-- ž --><vm id="ž&amp;"><name>a&#65;ž</name>` +
        `<?pi x?><![CDATA[ ]]><nics><nic id='1'/></nics></vm>`,
    );
    expect(read(whole)).toEqual({ id: 'ž&', name: 'aAž', nics: [{ id: '1' }] });
    for (let length = 0; length < whole.length; length++) {
      expect(read(whole.subarray(0, length))).toBeInstanceOf(WireError);
    }
  });
});

describe('accepted documents', () => {
  test.each([
    ['a byte order mark', '\ufeff<vm><name>a</name></vm>'],
    ['comments', '<!-- a - b --><vm><!----><name>a<!-- x --></name></vm><!-- -->'],
    ['instructions', '<?a?><vm><?b c?><name>a<?d ??></name></vm><?e f?>'],
    ['CDATA', '<vm><name><![CDATA[a]]></name></vm>'],
    ['references', '<vm><name>&#97;</name></vm>'],
    ['hexadecimal references', '<vm><name>&#x61;</name></vm>'],
    [
      'apostrophes',
      "<?xml version='1.0' encoding='utf-8' standalone='no'?><vm><name>a</name></vm>",
    ],
    ['blanks in tags', '<vm\n><name\t>a</name ></vm\n>'],
    ['blanks around the root', '\n <vm><name>a</name></vm> \n'],
    ['names outside ASCII', '<vm><jméno é="ž"/><𐀀/><name>a</name></vm>'],
    ['unknown elements with any content', '<vm><a>x<b c="]]>"/>y&lt;</a><name>a</name></vm>'],
    ['names with a colon', '<vm xmlns:x="urn:x"><x:y/><name x:z="">a</name></vm>'],
  ])('%s', (_, body) => {
    expect(read(body)).toEqual({ name: 'a' });
    expect(read(Buffer.from(body))).toEqual({ name: 'a' });
  });

  test('preserve text, normalize line ends to line feeds, and blanks in attributes to spaces', () => {
    const body =
      '<vm id="a\tb\nc&#10;d"><name> a\r\nb\rc&#13;&#10; </name><comment>&amp;amp;</comment></vm>';
    expect(read(body)).toEqual({ id: 'a b c\nd', name: ' a\nb\nc\r\n ', comment: '&amp;' });
  });

  test('join CDATA, references and comments to one text', () => {
    const body = '<vm><name>a<![CDATA[<&]]>b<!-- - -->&gt;<![CDATA[]]]]><![CDATA[>]]></name></vm>';
    expect(read(body)).toEqual({ name: 'a<&b>]]>' });
  });
});

describe('compared with fast-xml-parser', () => {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: true,
    htmlEntities: true,
    ignoreDeclaration: true,
  });

  test.each(Object.keys(types))('%s is well formed', (type) => {
    const body = encodeObject(xml, fullObject(type, 1), type, dialects.standard);
    expect(XMLValidator.validate(body)).toBe(true);
  });

  test('both read the same text and attributes', () => {
    const words = fc.record({
      name: fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => /\S/u.test(name)),
      id: fc.string({ unit: 'grapheme' }),
    });
    fc.assert(
      fc.property(words, (value) => {
        const body = encodeObject(xml, value, 'bookmark', dialects.standard);
        expect(XMLValidator.validate(body)).toBe(true);
        expect(parser.parse(body).bookmark).toMatchObject({ name: value.name, '@id': value.id });
      }),
    );
  });

  test('accepts only well-formed damaged documents', () => {
    const markup = [
      '<',
      '>',
      '/',
      '&',
      ';',
      '"',
      "'",
      '=',
      ' ',
      ']]>',
      '<!--',
      '-->',
      '<?',
      '?>',
      'a',
    ];
    const damage = fc.record({
      at: fc.nat(),
      drop: fc.nat(4),
      put: fc.oneof(fc.constant(''), fc.constantFrom(...markup), fc.string({ maxLength: 3 })),
    });
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.array(anyObject('nic', 1), { maxLength: 2 }),
        fc.array(damage),
        (nics, all) => {
          let body = encodeList(xml, nics, 'nic', dialects.standard);
          for (const { at, drop, put } of all) {
            const offset = at % (body.length + 1);
            body = body.slice(0, offset) + put + body.slice(offset + drop);
          }
          body = `<vm><skipped>${body.replace(/^<\?xml.*\?>/, '')}</skipped></vm>`;
          if (read(body) instanceof WireError) return;
          accepted++;
          expect(XMLValidator.validate(body)).toBe(true);
        },
      ),
      { numRuns: runs(2000) },
    );
    expect(accepted).toBeGreaterThan(runs(100));
  });
});
