/** Lifetime of authorization codes, with a manual clock. */
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dialects } from '../../../src/model/dialect.ts';
import { AuthorizationCodes, codeLifetime } from '../../../src/server/auth/authorization-code.ts';
import { findCallerByName } from '../../../src/server/auth/permissions.ts';
import { readToken } from '../../../src/server/auth/tokens.ts';
import { RuleContext } from '../../../src/server/core/context.ts';
import type { Site } from '../../../src/server/core/ports.ts';
import { behaviors } from '../../../src/server/resources/index.ts';
import { fillDefaults } from '../../../src/server/seed/defaults.ts';
import { openStore, type Store } from '../../../src/server/store/store.ts';

const admin = 'admin@internal';
const verifier = 'a verifier';
const redirect = 'http://127.0.0.1:40000/';

describe('an authorization code', () => {
  let store: Store;
  let codes: AuthorizationCodes;
  const clock = { now: 0 };

  beforeAll(async () => {
    store = await openStore(':memory:');
    const site = {
      ...{ dialect: dialects.standard, behaviors },
      ...{ now: () => new Date(), steady: () => 0, newId: randomUUID, random: () => 0.5 },
    } as unknown as Site;
    await store.write((tx) => fillDefaults(RuleContext.system(tx, site), admin));
    const check = async () => store.read((tx) => findCallerByName(tx, admin));
    codes = new AuthorizationCodes(store, { check }, () => clock.now);
  });
  afterAll(() => store.close());

  async function createCode(): Promise<string> {
    const parameters = new Map([
      ['response_type', 'code'],
      ['client_id', 'vmctl'],
      ['redirect_uri', redirect],
      ['code_challenge', createHash('sha256').update(verifier).digest('base64url')],
      ['code_challenge_method', 'S256'],
      ['username', admin],
    ]);
    const answer = await codes.authorize({ parameters, address: '192.0.2.1' }, true);
    const location = 'location' in answer ? answer.location : '';
    return new URL(location).searchParams.get('code') ?? '';
  }

  const redeem = (code: string) =>
    store.write((tx) =>
      codes.redeem(
        tx,
        new Map([
          ['code', code],
          ['redirect_uri', redirect],
          ['code_verifier', verifier],
        ]),
        'vmctl',
      ),
    );

  it('is valid until its lifetime has passed', async () => {
    clock.now = 0;
    const [early, late] = [await createCode(), await createCode()];
    clock.now = codeLifetime - 1;
    expect(await redeem(early)).toMatchObject({ user: admin });
    clock.now = codeLifetime;
    expect(await redeem(late)).toBeUndefined();
  });

  it('is no access token', async () => {
    const code = await createCode();
    expect(store.read((tx) => readToken(tx, code, clock.now))).toBeUndefined();
  });
});
