/** Characters of XML at the boundaries of their classes (XML 1.0, 2.2 and 2.3), and escapes. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  decodeReferences,
  escapeAttribute,
  escapeText,
  illegalCharacter,
} from '../../src/wire/xml-characters.ts';
import { readXmlTree } from '../../src/wire/xml-tree.ts';
import { runs } from '../support/mutants.ts';

const from = String.fromCodePoint;

/** Whether a text is a valid element name. */
function isName(name: string): boolean {
  try {
    return readXmlTree(`<${name}/>`).name === name;
  } catch {
    return false;
  }
}

const namesBegin = 'AZ_azÀÖØöø\u02ff\u0370\u037d\u037f\u1fff\u200c\u200d\u2070\u218f\u2c00\u2fef';
const namesBeginToo = '\u3001\ud7ff\uf900\ufdcf\ufdf0\ufffd\u{10000}\u{effff}';
const namesGoOn = '-.09·\u0300\u036f\u203f\u2040';
const never =
  '@[`{×÷\u037e\u2000\u200b\u200e\u203e\u2041\u206f\u2190\u2bff\u2ff0\u3000\ue000\ufdd0';
const neverToo = '\u00b6\u00b8\u00bf\u{f0000}\u{10ffff}';

describe('names', () => {
  it.each([...namesBegin, ...namesBeginToo])('may begin with %s', (character) => {
    expect(isName(character)).toBe(true);
    expect(isName(`a${character}`)).toBe(true);
  });

  it.each([...namesGoOn])('may contain %s, but not at the start', (character) => {
    expect(isName(character)).toBe(false);
    expect(isName(`a${character}a`)).toBe(true);
  });

  it.each([...never, ...neverToo])('never contain %s', (character) => {
    expect(isName(character)).toBe(false);
    expect(isName(`a${character}a`)).toBe(false);
  });

  it('have a length that is independent of known names', () => {
    const { children } = readXmlTree('<a><vm/><vms/><v/><vm-1/><é𐀀b/></a>');
    expect(children.map(({ name }) => name)).toEqual(['vm', 'vms', 'v', 'vm-1', 'é𐀀b']);
  });
});

describe('references', () => {
  const fail = (problem: string, offset: number): never => {
    throw new Error(`${offset}: ${problem}`);
  };

  it.each([0x9, 0xa, 0xd, 0x20, 0xd7ff, 0xe000, 0xfffd, 0x10000, 0x10ffff])(
    'to the character %i are decoded',
    (code) => {
      expect(decodeReferences(`a&#${code};b`, fail)).toBe(`a${from(code)}b`);
      expect(decodeReferences(`&#x${code.toString(16)};`, fail)).toBe(from(code));
      expect(decodeReferences(`&#x${code.toString(16).toUpperCase()};`, fail)).toBe(from(code));
    },
  );

  it.each([0, 0x8, 0xb, 0xc, 0xe, 0x1f, 0xd800, 0xdfff, 0xfffe, 0xffff, 0x110000, 9_999_999_999])(
    'to %i are refused',
    (code) => {
      expect(() => decodeReferences(`a&#${code};b`, fail)).toThrow(
        `1: &#${code}; is not a character that XML allows`,
      );
    },
  );

  it.each([
    '&;',
    '&#;',
    '&#x;',
    '&#xg;',
    '&#1a;',
    '&#65',
    '&a;',
    '&ampx;',
    '&AMP;',
    '&#X41;',
    '&# 65;',
    '&&amp;',
  ])('are refused as %s', (text) => {
    expect(() => decodeReferences(`ab${text}`, fail)).toThrow('2: expected &amp;');
  });

  it('to each predefined entity are decoded', () => {
    expect(decodeReferences('&lt;&gt;&amp;&quot;&apos;&amp;lt;', fail)).toBe('<>&"\'&lt;');
  });
});

describe('escapes', () => {
  const replaced = ['\u0000', '\u0008', '\u000b', '\u000c', '\u000e', '\u001f', '\ufffe', '\uffff'];
  const halves = ['\ud800', '\udbff', '\udc00', '\udfff'];

  it.each([...replaced, ...halves])('replace %j by U+FFFD', (character) => {
    expect(escapeText(`a${character}b`)).toBe('a\ufffdb');
    expect(escapeAttribute(`a${character}b`)).toBe('a\ufffdb');
  });

  it('cover only special characters, and those that parsers normalize', () => {
    const text = '<>&"\'\t\n\r ~\u007f\ue000\ufffd\u{10ffff}';
    expect(escapeText(text)).toBe('&lt;&gt;&amp;"\'\t\n&#13; ~\u007f\ue000\ufffd\u{10ffff}');
    expect(escapeAttribute(text)).toBe(
      "&lt;&gt;&amp;&quot;'&#9;&#10;&#13; ~\u007f\ue000\ufffd\u{10ffff}",
    );
  });
});

test('are reversed by the reader', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const carried = Array.from(text, (one) => (illegalCharacter(one) < 0 ? one : '\ufffd')).join(
        '',
      );
      const tree = readXmlTree(`<a b="${escapeAttribute(text)}">${escapeText(text)}</a>`);
      expect(tree).toMatchObject({ text: carried, attributes: new Map([['b', carried]]) });
    }),
    { numRuns: runs(100) },
  );
});
