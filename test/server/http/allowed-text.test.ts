/** Forbidden characters in texts of clients, at the interfaces of the server. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../../src/model/dialect.ts';
import { listAllOperations } from '../../../src/model/index.ts';
import { type ApiRequest, parseTarget } from '../../../src/server/api/request.ts';
import { requireAllowedText } from '../../../src/server/core/allowed-text.ts';
import { readDocument } from '../../../src/server/http/request-body.ts';

const root = '/ovirt-engine/api';
const control = Array.from({ length: 32 }, (_, code) => code).filter(
  (code) => ![9, 10, 13].includes(code),
);
const forbidden = [...control, 0xfffe, 0xffff].map((code) => String.fromCodePoint(code));
const allowed = ['\t', '\n', '\r', ' ', '\u007f', '\ud7ff', '\ue000', '\ufffd', '\u{10ffff}'];

const [addVm] = listAllOperations().filter(({ path, name }) => path === '/vms' && name === 'add');

function post(text: string, contentType = 'application/json') {
  const request: ApiRequest = {
    method: 'POST',
    segments: ['vms'],
    parameters: new Map(),
    apiPath: root,
    header: (name) => (name === 'content-type' ? contentType : undefined),
    readBody: () => Promise.resolve(Buffer.from(text)),
    address: '127.0.0.1',
    connection: { isClosed: false, onClose: () => () => {} },
  };
  if (!addVm) throw new Error('the model has no POST /vms');
  return readDocument(request, addVm, dialects.standard);
}

const incorrect = expect.objectContaining({ status: 400 });

describe('characters outside of XML 1.0', () => {
  it.each(forbidden)('are refused in paths, parameters and bodies (%j)', async (character) => {
    const word = encodeURIComponent(`a${character}b`);
    for (const target of [
      `/vms/${word}`,
      `/vms?search=${word}`,
      `/vms?${word}=1`,
      `/vms;max=${word}`,
    ]) {
      expect(() => parseTarget(root + target, root), target).toThrow(incorrect);
    }
    const body = JSON.stringify({ name: 'a', initialization: { host_name: `a${character}b` } });
    await expect(post(body)).rejects.toEqual(incorrect);
  });

  it('are refused as lone surrogates', async () => {
    expect(() => requireAllowedText('a\ud800', 'x')).toThrow(incorrect);
    await expect(post('{"name":"\\udc00"}')).rejects.toThrow('half a surrogate pair');
  });

  it('are refused as malformed percent-encoding', () => {
    for (const word of ['%', '%z1', '%ff', '%ed%a0%80']) {
      expect(() => parseTarget(`${root}/vms/${word}`, root), word).toThrow(incorrect);
    }
  });

  it.each(allowed)('include no others (%j)', async (character) => {
    await expect(post(JSON.stringify({ name: `a${character}` }))).resolves.toEqual({
      name: `a${character}`,
    });
  });
});
