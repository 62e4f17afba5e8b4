/** Documents of other formats as trees. */
import { describe, expect, it, test } from 'vitest';
import { readXmlTree, type XmlNode } from '../../src/wire/xml-tree.ts';

function node(name: string, rest: Partial<XmlNode> = {}): XmlNode {
  return { name, attributes: new Map(), children: [], text: '', ...rest };
}

describe('a tree', () => {
  it.each<[string, XmlNode]>([
    ['<a/>', node('a')],
    ['<a></a>', node('a')],
    ['<a> b&amp;<![CDATA[<c>]]> </a>', node('a', { text: ' b&<c> ' })],
    ['<a>\n <b/>\n <c>1</c>\n</a>', node('a', { children: [node('b'), node('c', { text: '1' })] })],
    ['<!-- x --><a><!-- > --><?pi > ?><b/></a>', node('a', { children: [node('b')] })],
    ['<a><!-- <b/> --></a>', node('a')],
    ['<a> <!-- x --> </a>', node('a', { text: '  ' })],
    ['<a><?pi <b/> ?>c</a>', node('a', { text: 'c' })],
    [
      '<o:a o:b="1" b="2"><o:c/></o:a>',
      node('a', {
        attributes: new Map([
          ['o:b', '1'],
          ['b', '2'],
        ]),
        children: [node('c')],
      }),
    ],
  ])('of %s', (document, tree) => {
    expect(readXmlTree(document)).toEqual(tree);
  });

  it('has only the attributes of each element', () => {
    const { children } = readXmlTree('<a x="1" y="2"><b z="3"/><c/></a>');
    expect(children.map(({ attributes }) => [...attributes])).toEqual([[['z', '3']], []]);
  });
});

test.each([
  ['text among elements', '<a><b/>text</a>', 'a: expected an element, found text (at 1:8)'],
  ['an element in text', '<a>text<b/></a>', 'a: expected text, found an element (at 1:8)'],
  [
    'an element after CDATA',
    '<a><![CDATA[]]><b/></a>',
    'a: expected text, found an element (at 1:16)',
  ],
  ['a comment without an end', '<a><!-- ', '1:9: unexpected end of the text inside <a>'],
  ['an instruction without an end', '<a><?b ', '1:8: unexpected end of the text inside <a>'],
  ['an element without an end', '<a><b/>', '1:8: unexpected end of the text inside <a>'],
  ['two roots', '<a/><b/>', '1:5: expected the end of the text after the root element'],
])('refuses %s', (_, document, message) => {
  expect(() => readXmlTree(document)).toThrow(expect.objectContaining({ message }));
});
