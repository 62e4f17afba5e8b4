/** Sign-in and sign-out: address, parameters, and handling of responses. */
import { describe, expect, it } from 'vitest';
import { parseAddress } from '../../src/client/address.ts';
import { AuthError, FaultError, NotFoundError, ServerError } from '../../src/client/errors.ts';
import type { Http } from '../../src/client/http.ts';
import type { HttpRequest } from '../../src/client/http-message.ts';
import {
  fixedSession,
  revoke,
  Session,
  type StoredToken,
  signIn,
} from '../../src/client/session.ts';

interface Reply {
  readonly status?: number;
  readonly body?: unknown;
}

/** Connections that return these replies; the last one is repeated. */
function httpThat(...replies: readonly Reply[]) {
  const requests: HttpRequest[] = [];
  const left = [...replies];
  const send = async (request: HttpRequest) => {
    requests.push(request);
    const { status = 200, body = {} } = (left.length > 1 ? left.shift() : left[0]) ?? {};
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return { status, headers: {}, body: Buffer.from(text) };
  };
  return { http: { send } as unknown as Http, requests };
}

const token = { body: { access_token: 't', token_type: 'bearer' } };
const missing = { status: 404, body: '' };
const refusal = (error: string, error_description: string) => ({
  status: 400,
  body: { error, error_description },
});

const attempt = (http: Http, address = 'https://a.test', username = 'admin@internal') =>
  signIn(http, parseAddress(address), username, 'a&b=c');

describe('signing in', () => {
  it('sends name and password as a form, also in a dry run', async () => {
    const { http, requests } = httpThat(token);
    const { site, token: found } = await attempt(http, 'https://a.test/virt-app');
    expect([site, found]).toEqual([
      { origin: 'https://a.test', appRoot: '/virt-app', dialect: 'standard' },
      't',
    ]);
    const [request] = requests;
    expect(request).toMatchObject({
      isSession: true,
      method: 'POST',
      origin: 'https://a.test',
      path: '/virt-app/sso/oauth/token',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
    });
    expect(Object.fromEntries(new URLSearchParams(String(request?.body)))).toEqual({
      grant_type: 'password',
      scope: 'virt-app-api',
      username: 'admin@internal',
      password: 'a&b=c',
    });
  });

  it.each([
    ['404 without a word', missing],
    ['404 with a page', { status: 404, body: '<html/>' }],
    ['405', { status: 405, body: '' }],
    ['a redirect', { status: 302, body: '' }],
    ['a redirect', { status: 399, body: '' }],
    ['300', { status: 300, body: { error: 'x' } }],
    ['a refusal of its scope', refusal('invalid_scope', 'no such scope')],
  ])('tries the next site after %s', async (_, first) => {
    const { http, requests } = httpThat(first, token);
    const { site } = await attempt(http);
    expect(site).toMatchObject({ appRoot: '/ovirt-engine', dialect: 'ovirt' });
    expect(requests.map(({ path }) => path)).toEqual([
      '/virt-app/sso/oauth/token',
      '/ovirt-engine/sso/oauth/token',
    ]);
    expect(new URLSearchParams(String(requests[1]?.body)).get('scope')).toBe('ovirt-app-api');
  });

  it('uses only a known site', async () => {
    const { http, requests } = httpThat(missing);
    const site = { origin: 'https://a.test', appRoot: '/x', dialect: 'ovirt' } as const;
    await expect(signIn(http, site, 'u', 'p')).rejects.toBeInstanceOf(NotFoundError);
    expect(requests).toHaveLength(1);
  });

  it('reports the sites without a service', async () => {
    await expect(attempt(httpThat(missing).http)).rejects.toMatchObject({
      name: 'NotFoundError',
      code: 'no_service',
      message: 'no virtualization service at https://a.test below /virt-app or /ovirt-engine',
      hint: 'use the URL with the path of the service: https://host[:port]/path',
    });
    await expect(attempt(httpThat(missing).http, 'https://a.test/x')).rejects.toThrow(/below \/x$/);
  });

  it('reports a refused scope if no other site is better', async () => {
    const { http } = httpThat(refusal('invalid_scope', 'no such scope'), missing);
    await expect(attempt(http)).rejects.toMatchObject({ code: 'invalid_scope' });
  });

  const who = 'sign in as admin@internal at https://a.test/virt-app';

  it.each([
    [refusal('access_denied', 'No such user.'), AuthError, 'No such user.', 'access_denied'],
    [
      { status: 400, body: { error: 'No such user.', error_code: 'access_denied' } },
      AuthError,
      'No such user.',
      'access_denied',
    ],
    [
      { status: 401, body: [{ error_code: 'access_denied', error: 'In a list.' }] },
      AuthError,
      'In a list.',
      'access_denied',
    ],
    [{ status: 400, body: { error: 'locked' } }, AuthError, 'locked', 'locked'],
    [{ status: 200, body: { error: 'locked' } }, AuthError, 'locked', 'locked'],
    [{ status: 404, body: { error: 'gone' } }, AuthError, 'gone', 'gone'],
    [{ status: 401, body: '' }, AuthError, 'the credentials were refused', 'access_denied'],
    [refusal('server_error', 'No database.'), ServerError, 'No database.', 'server_error'],
    [{ status: 500, body: '' }, ServerError, 'HTTP status 500', 'server_error'],
    [{ status: 500, body: { error: 'x' } }, ServerError, 'x', 'server_error'],
    [{ status: 400, body: '' }, FaultError, 'bad request', 'refused'],
    [{ status: 400, body: 'null' }, FaultError, 'bad request', 'refused'],
    [{ status: 400, body: '[]' }, FaultError, 'bad request', 'refused'],
    [{ status: 400, body: { error: 5 } }, FaultError, 'bad request', 'refused'],
    [{ body: { access_token: 5 } }, FaultError, 'unexpected HTTP status 200', 'refused'],
    [{ status: 201, ...token }, FaultError, 'unexpected HTTP status 201', 'refused'],
  ] as const)('fails like the service: %j', async (reply, kind, text, code) => {
    const { http, requests } = httpThat(reply);
    const failure = attempt(http);
    await expect(failure).rejects.toBeInstanceOf(kind);
    await expect(failure).rejects.toMatchObject({
      message: `${who}: ${text}`,
      code,
      status: 'status' in reply ? reply.status : 200,
      request: { method: 'POST', path: '/virt-app/sso/oauth/token' },
      retryable: kind === ServerError,
    });
    // Refused credentials are not sent to other sites.
    expect(requests).toHaveLength(1);
  });

  it('suggests the domain if the name has none', async () => {
    const refused = { status: 401, body: '' };
    await expect(attempt(httpThat(refused).http, 'https://a.test', 'joe')).rejects.toMatchObject({
      hint: 'add the domain to the user name: joe@internal',
    });
    await expect(attempt(httpThat(refused).http)).rejects.toMatchObject({
      hint: 'check user name and password, then run vmctl login',
    });
  });
});

describe('signing out', () => {
  const site = { origin: 'https://a.test', appRoot: '/virt-app', dialect: 'standard' } as const;

  it('revokes the token, and accepts an unknown one', async () => {
    for (const status of [200, 400, 404, 499]) {
      const { http, requests } = httpThat({ status });
      await revoke(http, site, 'a&b');
      expect(requests).toEqual([
        expect.objectContaining({
          isSession: true,
          method: 'POST',
          path: '/virt-app/services/sso-logout',
          body: 'token=a%26b&scope=virt-app-api',
        }),
      ]);
    }
  });

  it('fails like the service', async () => {
    await expect(revoke(httpThat({ status: 500, body: '' }).http, site, 't')).rejects.toMatchObject(
      {
        message: 'sign out: server error',
        request: { method: 'POST', path: '/virt-app/services/sso-logout' },
      },
    );
  });
});

describe('a session', () => {
  const site = { origin: 'https://a.test', appRoot: '/virt-app', dialect: 'standard' } as const;

  function sessionWith(stored: StoredToken | undefined, password = 'p') {
    const { http, requests } = httpThat(token);
    let kept = stored;
    let asked = 0;
    let exclusive = 0;
    const session = new Session(http, {
      address: parseAddress('https://a.test'),
      username: 'u@internal',
      credentials: {
        description: 'the file x',
        password: async () => {
          asked += 1;
          return password;
        },
      },
      store: {
        load: () => kept,
        save: (one) => {
          kept = one;
        },
        forget: () => {},
        exclusively: async (work) => {
          exclusive += 1;
          return await work();
        },
      },
    });
    const put = (one: StoredToken) => {
      kept = one;
    };
    return { session, requests, put, kept: () => kept, counts: () => ({ asked, exclusive }) };
  }

  it('uses the stored token without a password', async () => {
    const stored = { site, token: 'old' };
    const { session, requests, counts } = sessionWith(stored);
    expect(await session.current()).toBe(stored);
    expect(await session.current()).toBe(stored);
    expect([requests.length, counts()]).toEqual([0, { asked: 0, exclusive: 0 }]);
  });

  it('signs in once without a stored token, and stores the new one', async () => {
    const { session, kept, counts } = sessionWith(undefined);
    const [one, other] = await Promise.all([session.current(), session.current()]);
    expect(one).toEqual({ site, token: 't' });
    expect(other).toBe(one);
    expect(kept()).toEqual(one);
    expect(await session.current()).toBe(one);
    expect(counts()).toEqual({ asked: 1, exclusive: 1 });
  });

  it('uses another token that a different process has stored', async () => {
    const { session, put, requests, counts } = sessionWith({ site, token: 'old' });
    await session.current();
    put({ site, token: 'new' });
    expect((await session.renew('old')).token).toBe('new');
    expect([requests.length, counts()]).toEqual([0, { asked: 0, exclusive: 1 }]);
    // A caller with the previous token receives the new one, without a password.
    expect((await session.renew('old')).token).toBe('new');
    expect(counts().exclusive).toBe(1);
    expect((await session.renew('new')).token).toBe('t');
    expect(counts()).toEqual({ asked: 1, exclusive: 2 });
  });

  it('signs in at the site of the expired token', async () => {
    const far = { origin: 'https://b.test', appRoot: '/x', dialect: 'ovirt' } as const;
    const { session, requests } = sessionWith({ site: far, token: 'old' });
    expect(await session.renew('old')).toEqual({ site: far, token: 't' });
    expect(requests.map(({ origin, path }) => origin + path)).toEqual([
      'https://b.test/x/sso/oauth/token',
    ]);
  });

  it('sends no empty password, and can try again', async () => {
    const { session, requests } = sessionWith(undefined, '');
    for (const _ of [1, 2]) {
      await expect(session.current()).rejects.toMatchObject({
        name: 'AuthError',
        message: 'the password from the file x is empty',
        hint: 'sign in again with vmctl login',
      });
    }
    expect(requests).toEqual([]);
  });

  it('with a given token cannot be renewed', async () => {
    const fixed = fixedSession({ site, token: 'x' });
    expect(await fixed.current()).toEqual({ site, token: 'x' });
    await expect(fixed.renew()).rejects.toMatchObject({
      name: 'AuthError',
      message: expect.stringContaining(
        'the token in VMCTL_TOKEN is refused: expired, or for another service',
      ),
      hint: expect.stringContaining('unset VMCTL_TOKEN'),
    });
  });
});
