/** Secrets in responses: no secret attribute appears in clear text. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { types } from '../../../src/model/derive/types.ts';
import { listAttributes, parseKind } from '../../../src/model/index.ts';
import type { Attribute } from '../../../src/model/notation/attributes.ts';
import { getAttributeWriters, type Presentation } from '../../../src/server/api/presentation.ts';
import {
  maskSecrets,
  maskSecretValue,
  omitMasks,
  omitSecrets,
} from '../../../src/server/core/masked-secrets.ts';
import { Speaker } from '../../operations/support/speaker.ts';
import { RawApi } from '../../support/raw.ts';
import { type ServerProcess, startServerProcess } from '../../support/server.ts';

const canary = 'c4n4ry-secret';

const view: Presentation = {
  ctx: {} as Presentation['ctx'],
  apiPath: '/ovirt-engine/api',
  allContent: true,
  everything: true,
};

/** An object of a type with the canary in every secret attribute, at any depth. */
function filled(type: string, within: readonly string[] = []): Record<string, unknown> {
  const attributes: Readonly<Record<string, Attribute>> = listAttributes(type);
  const object: Record<string, unknown> = {};
  for (const [name, { kind, secret }] of Object.entries(attributes)) {
    const { form, of, list } = parseKind(kind);
    if (secret) object[name] = canary;
    if (form !== 'struct' || within.includes(of)) continue;
    const part = filled(of, [...within, type]);
    if (Object.keys(part).length > 0) object[name] = list ? [part] : part;
  }
  return object;
}

describe('secret attributes', () => {
  it('are masked or absent in the representation of every type', () => {
    let secrets = 0;
    for (const type of Object.keys(types)) {
      const object = filled(type);
      for (const [name, value] of Object.entries(object)) {
        secrets += 1;
        const shown = getAttributeWriters(type).get(name)?.(view, value);
        expect(JSON.stringify(shown) ?? '', `${type}.${name}`).not.toContain(canary);
      }
      expect(JSON.stringify(maskSecrets(object, type)), type).not.toContain(canary);
      expect(JSON.stringify(omitSecrets(object, type)), type).not.toContain(canary);
    }
    expect(secrets).toBeGreaterThan(20);
  });

  it('are masked only if they have a value', () => {
    expect([undefined, '', 'x'].map(maskSecretValue)).toEqual([undefined, '', '******']);
  });

  it('are omitted from a document that contains only their masks', () => {
    expect(
      omitMasks({ name: 'a', comment: '******', initialization: { root_password: '******' } }),
    ).toEqual({ name: 'a', comment: '******' });
    expect(omitMasks({ initialization: {} })).toEqual({ initialization: {} });
  });
});

describe.each(['JSON', 'XML'] as const)('the root password of a VM, in %s', (notation) => {
  let server: ServerProcess;
  let admin: Speaker;

  beforeAll(async () => {
    server = await startServerProcess(['--inventory', 'small']);
    admin = new Speaker(await RawApi.signIn(server), notation);
  });
  afterAll(async () => {
    await server.stop();
  });

  it('is masked in every response, and a returned mask changes nothing', async () => {
    const made = await admin.post('/vms', {
      vm: {
        name: 'masked',
        cluster: { name: 'Default' },
        template: { name: 'Blank' },
        initialization: { root_password: canary, host_name: 'web' },
      },
    });
    expect(made.status, made.text).toBeLessThan(300);
    const path = `/vms/${String(made.object['id'])}`;
    const initialization = { root_password: '******', host_name: 'db' };
    const changed = await admin.put(path, { vm: { initialization } });
    const answers = [
      made,
      changed,
      await admin.get(path),
      await admin.get(`${path}?all_content=true`),
      await admin.get('/vms?all_content=true'),
      await admin.get('/vms?follow=cluster,template'),
      await admin.get('/events'),
    ];
    for (const { text } of answers) expect(text).not.toContain(canary);
    expect(changed.object['initialization']).toMatchObject(initialization);
    const empty = { initialization: { root_password: '' } };
    const cleared = await admin.put(path, { vm: empty });
    expect(cleared.text).not.toContain('******');
    const sentBack = await admin.put(path, { vm: { initialization } });
    expect(sentBack.status, sentBack.text).toBe(200);
    expect(sentBack.text).not.toContain('******');
  });
});
