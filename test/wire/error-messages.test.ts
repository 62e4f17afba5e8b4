/** Messages about invalid bodies: problem and position. */
import { expect, test } from 'vitest';
import { decodeList, decodeObject, type MediaType } from '../../src/wire/index.ts';

function catchMessage(media: MediaType, body: string): string {
  try {
    decodeObject(media, body, 'vm');
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('The body was accepted.');
}

const amongText = 'expected &amp; &lt; &gt; &quot; &apos; or a character reference after &';

test.each([
  ['', '1:1: expected an element, found the end of the text'],
  [' \n', '2:1: expected an element, found the end of the text'],
  ['hello<vm/>', '1:1: expected an element, found text'],
  ['<vm/>\n<vm/>', '2:1: expected the end of the text after the root element'],
  ['<vm/> junk', '1:7: expected the end of the text after the root element'],
  ['<!DOCTYPE vm><vm/>', '1:1: document type declarations and entities are not accepted'],
  ['<vm>\n<!ENTITY a ""></vm>', '2:1: document type declarations and entities are not accepted'],
  [
    '<?xml version="1.0" encoding="ISO-8859-1"?><vm/>',
    '1:1: the encoding is declared as ISO-8859-1; only UTF-8 is accepted',
  ],
  [
    "<?xml version='1.0' encoding='latin1'?><vm/>",
    '1:1: the encoding is declared as latin1; only UTF-8 is accepted',
  ],
  ['<?xml encoding="UTF-8"?><vm/>', '1:1: the XML declaration is incomplete'],
  ['<?xml?><vm/>', '1:1: the XML declaration is incomplete'],
  [' <?xml version="1.0"?><vm/>', '1:2: an XML declaration is only allowed at the beginning'],
  ['<vm><?XML version="1.0"?></vm>', '1:5: an XML declaration is only allowed at the beginning'],
  ['<', '1:2: unexpected end of the text'],
  ['<vm', '1:4: unexpected end of the text inside <vm>'],
  ['<vm>', '1:5: unexpected end of the text inside <vm>'],
  ['<vm><name>a', '1:12: unexpected end of the text inside <name>'],
  ['<vm><name>a</name>', '1:19: unexpected end of the text inside <vm>'],
  ['<vm></', '1:7: unexpected end of the text inside <vm>'],
  ['<vm></vm  ', '1:11: unexpected end of the text inside <vm>'],
  ['<vm id="1', '1:10: unexpected end of the text inside <vm>'],
  ['<vm><name><![CDATA[a</name></vm>', '1:33: unexpected end of the text inside <name>'],
  ['<vm><!-- a', '1:11: unexpected end of the text inside <vm>'],
  ['<vm><?', '1:7: unexpected end of the text inside <vm>'],
  ['<vm><?a </vm>', '1:14: unexpected end of the text inside <vm>'],
  ['<vm><1a/></vm>', '1:6: expected the name of an element'],
  ['<vm>< name/></vm>', '1:6: expected the name of an element'],
  ['<vm></1></vm>', '1:7: expected the name of an element'],
  ['<vm><name>a</nam></vm>', '1:12: expected </name>, found </nam>'],
  ['<vm><name>a</names></vm>', '1:12: expected </name>, found </names>'],
  ['<vm><name>a</name x></vm>', '1:19: expected > at the end of </name>'],
  ['<vm id="1" id="2"/>', '1:12: duplicate attribute id'],
  ['<vm id/>', '1:7: expected = after the attribute id'],
  ['<vm id=1/>', '1:8: expected a quoted value of the attribute id'],
  ['<vm id=', '1:8: expected a quoted value of the attribute id'],
  ['<vm id="a<b"/>', '1:10: < is not allowed in an attribute; write &lt;'],
  ['<vm id="1"href="2"/>', '1:11: expected a blank, > or /> in the tag'],
  ['<vm id ="1" =""/>', '1:13: expected the name of an attribute'],
  ['<vm / id="1">', '1:5: expected /> after /'],
  ['<vm><name>a]]>b</name></vm>', '1:12: ]]> is not allowed in text; write ]]&gt;'],
  ['<vm><!-- a -- b --></vm>', '1:12: -- is not allowed in a comment'],
  ['<vm><? ?></vm>', '1:7: expected the target of a processing instruction'],
  ['<vm><?a%b?></vm>', '1:8: expected a blank after the target of a processing instruction'],
  ['<vm><name>a\n& b</name></vm>', `2:1: ${amongText}`],
  ['<vm><name>&nbsp;</name></vm>', `1:11: ${amongText}`],
  ['<vm><name>a<!-- b --><![CDATA[c]]>\n&x;</name></vm>', `2:1: ${amongText}`],
  ['<vm id="ab&"/>', `1:11: ${amongText}`],
  ['<vm><name>&#0;</name></vm>', '1:11: &#0; is not a character that XML allows'],
  ['<vm id="a&#xD800;"/>', '1:10: &#xD800; is not a character that XML allows'],
  ['<vm><name>a\n\u0007</name></vm>', '2:1: the character U+0007 is not allowed in XML'],
  ['<vm>\ufffe</vm>', '1:5: the character U+FFFE is not allowed in XML'],
  ['<vm>\r\n\r\u001f</vm>', '3:1: the character U+001F is not allowed in XML'],
  ['<vm>text</vm>', 'vm: expected an element, found text (at 1:5)'],
  ['<vm><![CDATA[ x ]]></vm>', '1:5: expected an element, found text'],
  ['<vm>\n<name>a<b/></name></vm>', 'vm.name: expected text, found an element (at 2:8)'],
])('XML %j', (body, message) => {
  expect(catchMessage('application/xml', body)).toBe(message);
});

test.each([
  ['', '1:1: expected a value, found the end of the text'],
  ['{"name":', '1:9: expected a value, found the end of the text'],
  ['{"name":tru}', '1:9: expected a value'],
  ['{"name":falsy}', '1:9: expected a value'],
  ['{"name":-}', '1:9: expected a value'],
  ['{} {}', '1:4: expected the end of the text'],
  ['{"name":"a"', '1:12: expected , or }'],
  ['{"link":[{}', '1:12: expected , or ]'],
  ['{name:1}', '1:2: expected a member name in double quotes'],
  ['{"name" 1}', '1:9: expected : after the member name'],
  ['{"name":"a\n"}', '1:11: a control character in a string must be written as an escape'],
  [
    '{"name":"\\u00e9\u001f"}',
    '1:16: a control character in a string must be written as an escape',
  ],
  ['{"name":"a', '1:11: the text ends inside a string'],
  ['{"name":"\\u00e9', '1:16: the text ends inside a string'],
  ['{"name":"\\', '1:11: the text ends inside a string'],
  ['{"name":"\\x"}', '1:10: expected one of " \\ / b f n r t u after \\'],
  ['{"name":"a\\u12g4"}', '1:11: expected four hexadecimal digits after \\u'],
  ['{"name":"a\\ud800"}', '1:10: the string has half a surrogate pair'],
  ['{"memory":1e400}', '1:11: the number is too large'],
  ['{"a":1,\n"a":2}', '2:1: duplicate member "a"'],
  ['{"cpu":{"__proto__":1}}', '1:9: the member name __proto__ is not allowed'],
  ['null', 'vm: expected an object, found null'],
  ['[]', 'vm: expected an object, found an array'],
  ['"vm"', 'vm: expected an object, found a string'],
  ['1', 'vm: expected an object, found a number'],
  ['12345678901234567890', 'vm: expected an object, found a number'],
  ['true', 'vm: expected an object, found a boolean'],
  ['{"name":{}}', 'vm.name: expected a single value, found an object'],
  ['{"name":["a"]}', 'vm.name: expected a single value, found an array'],
  ['{"link":{}}', 'vm.link: expected an array, found an object'],
  ['{"nics":{"nic":5}}', 'vm.nics.nic: expected an array, found a number'],
  ['{"nics":{"nic":[{},1]}}', 'vm.nics.nic: expected an object, found a number'],
  ['{"nics":{"host_nic":[]}}', 'vm.nics: unknown member host_nic; expected nic'],
  ['{"nics":{"nic":[]},"foo":1}', 'vm.foo: unknown member, Vm has no such member'],
  [
    '{"numa_nodes":{},"host_numa_nodes":{}}',
    'vm.host_numa_nodes: duplicate member, under two names',
  ],
])('JSON %j', (body, message) => {
  expect(catchMessage('application/json', body)).toBe(message);
});

test.each([
  ['application/xml', '<vms><host/></vms>', 'vms.host: unknown element, expected <vm> (at 1:6)'],
  ['application/json', '{"vm":[],"x":[]}', 'vm: unknown member x; expected vm'],
  ['application/json', '{"vm":[5]}', 'vm: expected an object, found a number'],
] as const)('a list, %s %j', (media, body, message) => {
  expect(() => decodeList(media, body, 'vm')).toThrow(expect.objectContaining({ message }));
});

test('limits the length of names and problems in messages', () => {
  const where = (length: number) =>
    catchMessage('application/json', `{"${'x'.repeat(length)}":1}`).split(':')[0];
  expect(where(197)).toBe(`vm.${'x'.repeat(197)}`);
  expect(where(198)).toBe(`vm.${'x'.repeat(194)}...`);
  const problem = (length: number) =>
    catchMessage('application/xml', `<vm></${'x'.repeat(length)}>`).replace('1:5: ', '');
  const whole = problem(7_975);
  expect(whole).toBe(`expected </vm>, found </${'x'.repeat(7_975)}>`);
  expect(problem(7_976)).toBe(`${whole.slice(0, 7_997)}...`);
});
