// Sign-in, authentication, sessions, versions, representations, headers and URL forms.
const FORM = 'application/x-www-form-urlencoded';
const form = (members) =>
  new URLSearchParams(members).toString().replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}');

export default function define(s) {
  // The token endpoint.
  const token = (name, members, given = {}) =>
    s.post(`token/${name}`, '/sso/oauth/token', form(members), {
      absolute: 'app',
      auth: 'none',
      type: FORM,
      accept: 'application/json',
      topic: 'token endpoint',
      ...given,
    });
  const right = {
    grant_type: 'password',
    scope: '{{scope}}',
    username: '{{user}}',
    password: '{{password}}',
  };
  const without = (key) =>
    Object.fromEntries(Object.entries(right).filter(([name]) => name !== key));
  token('password', right, { capture: { otherToken: 'access_token' } });
  for (const key of Object.keys(right)) token(`without-${key}`, without(key));
  token('wrong-password', { ...right, password: 'not the password' });
  token('unknown-user', { ...right, username: 'nobody@internal' });
  token('unknown-profile', { ...right, username: 'admin@nowhere' });
  token('no-profile', { ...right, username: 'admin' });
  token('empty-password', { ...right, password: '' });
  token('unknown-grant', { ...right, grant_type: 'client_credentials' });
  token('refresh-grant', { grant_type: 'refresh_token', refresh_token: 'x', scope: '{{scope}}' });
  token('unknown-scope', { ...right, scope: 'no-such-scope' });
  token('two-scopes', { ...right, scope: '{{scope}} ovirt-ext=token-info:validate' });
  token('portal-scope', { ...right, scope: 'ovirt-app-portal' });
  token('admin-scope', { ...right, scope: 'ovirt-app-admin' });
  token('without-accept', right, { accept: null });
  token('accept-xml', right, { accept: 'xml' });
  token('accept-any', right, { accept: '*/*' });
  token('empty-body', {}, {});
  token('wrong-password-without-scope', { ...without('scope'), password: 'x' });
  s.post('token/json-body', '/sso/oauth/token', JSON.stringify(right), {
    absolute: 'app',
    auth: 'none',
    type: 'application/json',
    accept: 'json',
    topic: 'token endpoint',
  });
  s.get(
    'token/get-with-query',
    '/sso/oauth/token?grant_type=password&scope={{scope}}&username={{user}}&password={{password}}',
    { absolute: 'app', auth: 'none', accept: 'json', topic: 'token endpoint' },
  );
  s.get(
    'token/http-grant-basic',
    '/sso/oauth/token?grant_type=urn:ovirt:params:oauth:grant-type:http&scope={{scope}}',
    { absolute: 'app', auth: 'basic', accept: 'json', topic: 'token endpoint' },
  );
  s.get(
    'token/http-grant-without',
    '/sso/oauth/token?grant_type=urn:ovirt:params:oauth:grant-type:http&scope={{scope}}',
    { absolute: 'app', auth: 'none', accept: 'json', topic: 'token endpoint' },
  );
  s.get(
    'token/http-auth',
    '/sso/oauth/token-http-auth?grant_type=urn:ovirt:params:oauth:grant-type:http&scope={{scope}}',
    { absolute: 'app', auth: 'basic', accept: 'json', topic: 'token endpoint' },
  );
  token('authorization-code', {
    grant_type: 'authorization_code',
    code: 'x',
    redirect_uri: 'https://example.com/',
  });
  s.step('token/put', 'PUT', '/sso/oauth/token', {
    absolute: 'app',
    auth: 'none',
    accept: 'json',
    topic: 'token endpoint',
    body: form(right),
    type: FORM,
  });
  s.step('token/head', 'HEAD', '/sso/oauth/token', {
    absolute: 'app',
    auth: 'none',
    accept: 'json',
    topic: 'token endpoint',
  });
  s.step('token/options', 'OPTIONS', '/sso/oauth/token', {
    absolute: 'app',
    auth: 'none',
    accept: 'json',
    topic: 'token endpoint',
  });

  // The other sign-in endpoints.
  const sso = (name, path, members, given = {}) =>
    s.post(`sso/${name}`, path, form(members), {
      absolute: 'app',
      auth: 'none',
      type: FORM,
      accept: 'json',
      topic: 'sign-in endpoints',
      ...given,
    });
  sso('token-info', '/sso/oauth/token-info', {
    token: '{{otherToken}}',
    scope: 'ovirt-ext=token-info:validate',
  });
  sso('token-info/unknown', '/sso/oauth/token-info', {
    token: 'nonsense',
    scope: 'ovirt-ext=token-info:validate',
  });
  sso('token-info/no-client', '/sso/oauth/token-info', { token: '{{otherToken}}' });
  sso('revoke/no-client', '/sso/oauth/revoke', { token: '{{otherToken}}' });
  sso('revoke/unknown', '/sso/oauth/revoke', { token: 'nonsense', scope: '{{scope}}' });
  s.get('api/other-token', '/', {
    auth: 'Bearer {{otherToken}}',
    note: 'was the token revoked without a client?',
  });
  sso('logout', '/services/sso-logout', { token: '{{otherToken}}', scope: '{{scope}}' });
  sso('logout/again', '/services/sso-logout', { token: '{{otherToken}}', scope: '{{scope}}' });
  sso('logout/nothing', '/services/sso-logout', {});
  s.get('api/revoked-token', '/', { auth: 'Bearer {{otherToken}}', topic: 'refused credentials' });
  for (const [name, path] of Object.entries({
    status: '/sso/status',
    configuration: '/sso/openid/.well-known/openid-configuration',
    keys: '/sso/openid/jwks',
    userinfo: '/sso/openid/userinfo',
    authorize: '/sso/oauth/authorize',
    'unknown-path': '/sso/no-such-thing',
    root: '/sso/',
    'services-root': '/services/',
    'services-unknown': '/services/no-such-thing',
    welcome: '/',
    'app-root': '',
    health: '/services/health',
    'pki/ca': '/services/pki-resource?resource=ca-certificate&format=X509-PEM-CA',
    'pki/engine': '/services/pki-resource?resource=engine-certificate&format=X509-PEM',
    'pki/ssh': '/services/pki-resource?resource=engine-certificate&format=OPENSSH-PUBKEY',
    'pki/default': '/services/pki-resource?resource=ca-certificate',
    'pki/qemu': '/services/pki-resource?resource=qemu-ca-certificate',
    'pki/none': '/services/pki-resource',
    'pki/unknown': '/services/pki-resource?resource=x',
    'pki/format': '/services/pki-resource?resource=ca-certificate&format=x',
    apidoc: '/apidoc',
    docs: '/docs/',
  }))
    s.get(`services/${name}`, path, {
      absolute: 'app',
      auth: 'none',
      accept: '*/*',
      topic: 'pages beside the API',
      volatile: true,
    });
  s.get('services/server-root', '/', {
    absolute: 'origin',
    auth: 'none',
    accept: '*/*',
    topic: 'pages beside the API',
    volatile: true,
  });
  s.get('services/server-unknown', '/no-such-thing', {
    absolute: 'origin',
    auth: 'none',
    accept: '*/*',
    topic: 'pages beside the API',
    volatile: true,
  });

  // Credentials on the API.
  const credentials = {
    none: 'none',
    basic: 'basic',
    'basic-wrong': `Basic ${Buffer.from('admin@internal:wrong').toString('base64')}`,
    'basic-no-profile': `Basic ${Buffer.from('admin:wrong').toString('base64')}`,
    'basic-no-colon': `Basic ${Buffer.from('admin@internal').toString('base64')}`,
    'basic-not-base64': 'Basic !!!',
    'basic-empty': 'Basic',
    'bearer-unknown': 'Bearer nonsense',
    'bearer-empty': 'Bearer',
    'bearer-space': 'Bearer ',
    'unknown-scheme': 'Digest username="x"',
    negotiate: 'Negotiate abc',
    empty: '',
    word: 'nonsense',
  };
  for (const [name, auth] of Object.entries(credentials)) {
    const topic = name === 'basic' ? undefined : 'refused credentials';
    s.get(`credentials/${name}`, '/', { auth, topic });
    if (['none', 'basic-wrong', 'bearer-unknown'].includes(name)) {
      s.get(`credentials/${name}/json`, '/', { auth, as: 'json', topic });
      s.get(`credentials/${name}/vms`, '/vms', { auth, topic });
      s.get(`credentials/${name}/unknown-path`, '/no-such-thing', { auth, topic });
      s.post(`credentials/${name}/post`, '/tags', { tag: { name: 'dx_never' } }, { auth, topic });
      s.step(`credentials/${name}/head`, 'HEAD', '/', { auth, topic });
      s.step(`credentials/${name}/options`, 'OPTIONS', '/vms', { auth, topic });
    }
  }
  s.get('credentials/lower-case-bearer', '/', { auth: 'bearer x', topic: 'refused credentials' });

  // Sessions kept with a cookie.
  const persistent = { prefer: 'persistent-auth' };
  s.get('session/basic-start', '/', {
    auth: 'basic',
    headers: persistent,
    capture: { cookie: '(cookie)' },
  });
  s.get('session/cookie', '/tags', {
    auth: 'none',
    headers: { ...persistent, cookie: '{{cookie}}' },
  });
  s.post(
    'session/cookie-write',
    '/tags',
    { tag: { name: 'dx_session' } },
    {
      auth: 'none',
      headers: { ...persistent, cookie: '{{cookie}}' },
      capture: { sessionTag: 'id' },
    },
  );
  s.del('session/cookie-delete', '/tags/{{sessionTag}}', {
    auth: 'none',
    headers: { ...persistent, cookie: '{{cookie}}' },
  });
  s.get('session/cookie-and-other-basic', '/', {
    auth: credentials['basic-wrong'],
    headers: { ...persistent, cookie: '{{cookie}}' },
  });
  s.get('session/without-prefer', '/', {
    auth: 'none',
    headers: { cookie: '{{cookie}}' },
    topic: 'refused credentials',
  });
  s.get('session/ended', '/', {
    auth: 'none',
    headers: { ...persistent, cookie: '{{cookie}}' },
    topic: 'refused credentials',
  });
  s.get('session/unknown-cookie', '/', {
    auth: 'none',
    headers: { ...persistent, cookie: 'JSESSIONID=nonsense' },
    topic: 'refused credentials',
  });
  s.get('session/bearer-start', '/', { headers: persistent, capture: { cookie2: '(cookie)' } });
  s.get('session/bearer-cookie', '/', {
    auth: 'none',
    headers: { ...persistent, cookie: '{{cookie2}}' },
  });
  s.get('session/new-auth', '/', {
    headers: { prefer: 'persistent-auth, new-auth', cookie: '{{cookie2}}' },
  });
  s.get('session/ttl', '/', { auth: 'basic', headers: { ...persistent, 'session-ttl': '1' } });
  s.get('session/ttl-nonsense', '/', {
    auth: 'basic',
    headers: { ...persistent, 'session-ttl': 'abc' },
  });
  s.get('session/ttl-zero', '/', { auth: 'basic', headers: { ...persistent, 'session-ttl': '0' } });
  s.get('session/csrf', '/', {
    auth: 'basic',
    headers: { prefer: 'persistent-auth, csrf-protection' },
    capture: { cookie3: '(cookie)' },
  });
  s.get('session/csrf-without-header', '/', {
    auth: 'none',
    headers: { prefer: 'persistent-auth', cookie: '{{cookie3}}' },
  });
  s.get('session/prefer-unknown', '/', { headers: { prefer: 'return=minimal' } });
  s.get('session/without-prefer-bearer', '/', {});

  // Versions.
  for (const version of ['3', '4', '5', '04', '4.0', 'abc', '', '-1', '4,4'])
    s.get(`version/header-${version || 'empty'}`, '/', {
      headers: { version },
      topic: 'version',
      volatile: true,
    });
  for (const path of [
    '/v3',
    '/v4',
    '/v5',
    '/v4/',
    '/v3/vms',
    '/v4/vms',
    '/v5/vms',
    '/v',
    '/v4/v4/vms',
    '/V4/vms',
    '/v04/vms',
    '/v4/datacenters',
    '/v4/clusters?max=1',
  ])
    s.get(`version/path${path.replaceAll('/', '-')}`, path, { topic: 'version' });
  s.get('version/both', '/v4/tags', { headers: { version: '3' }, topic: 'version' });
  s.post(
    'version/post-v4',
    '/v4/tags',
    { tag: { name: 'dx_v4' } },
    { capture: { v4Tag: 'id' }, note: 'href and Location with the prefix' },
  );
  s.get('version/get-v4', '/v4/tags/{{v4Tag}}', { topic: 'version' });
  s.del('version/delete-v4', '/v4/tags/{{v4Tag}}', { topic: 'version' });

  // Representations.
  const accepts = [
    '*/*',
    'application/*',
    'text/xml',
    'text/html',
    'text/plain',
    'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'application/json;q=0.9,application/xml;q=0.8',
    'application/json;q=0.1,application/xml;q=0.8',
    'application/json, */*',
    'application/json;charset=utf-8',
    'application/xml;version=4',
    'application/vnd.ovirt+xml',
    'application/x-yaml',
    'nonsense',
    '',
    'application/json;q=0',
    'application/xml;q=0, application/json',
    'application/pdf, application/json',
  ];
  accepts.forEach((accept, at) => {
    s.get(`accept/${at}`, '/tags', {
      accept: null,
      headers: { accept },
      topic: 'accept',
      note: accept,
    });
    s.get(`accept/${at}/missing`, '/tags/123', {
      accept: null,
      headers: { accept },
      topic: 'accept',
      note: accept,
    });
    s.post(
      `accept/${at}/fault`,
      '/tags',
      { tag: null },
      { accept: null, headers: { accept }, topic: 'accept', note: accept },
    );
  });
  s.get('accept/none', '/tags', { accept: null, topic: 'accept' });
  for (const value of ['application/json', 'application/xml', 'json', 'text/html', ''])
    s.get(
      `accept/query-${value.replace('/', '-') || 'empty'}`,
      `/tags?accept=${encodeURIComponent(value)}`,
      { topic: 'accept' },
    );
  for (const encoding of [
    'gzip',
    'deflate',
    'gzip, deflate, br',
    'identity',
    'br',
    '*',
    'nonsense',
    'gzip;q=0',
  ])
    s.get(`encoding/${encoding.replaceAll(/[ ,;]+/g, '-')}`, '/roles', {
      headers: { 'accept-encoding': encoding },
      topic: 'content encoding',
    });
  for (const language of ['de', 'fr-FR', 'ja', 'zz', 'en-US,en;q=0.5', '*'])
    s.post(
      `language/${language.replaceAll(/[ ,;*]+/g, '-')}`,
      '/vms',
      {
        vm: {
          name: 'dx_x',
          cluster: { name: 'Default' },
          template: { name: 'Blank' },
          cpu: { topology: { cores: 5000, sockets: 1, threads: 1 } },
        },
      },
      { headers: { 'accept-language': language }, topic: 'accept language' },
    );

  // Correlation ids.
  for (const [name, value] of Object.entries({
    plain: 'dx-correlation',
    characters: 'dx !"$%/()',
    long: `dx-${'x'.repeat(60)}`,
    empty: '',
    'only-illegal': '!!!',
  })) {
    s.get(`correlation/${name}`, '/tags', {
      headers: { 'correlation-id': value },
      topic: 'correlation id',
    });
  }
  s.get('correlation/query', '/tags?correlation_id=dx-query', { topic: 'correlation id' });
  s.get('correlation/both', '/tags?correlation_id=dx-query', {
    headers: { 'correlation-id': 'dx-header' },
    topic: 'correlation id',
  });
  s.get('correlation/not-found', '/tags/123', {
    headers: { 'correlation-id': 'dx-header' },
    topic: 'correlation id',
  });
  s.get('correlation/unauthorised', '/tags', {
    auth: 'none',
    headers: { 'correlation-id': 'dx-header' },
    topic: 'correlation id',
  });
  s.get('correlation/unknown-path', '/no-such-thing', {
    headers: { 'correlation-id': 'dx-header' },
    topic: 'correlation id',
  });
  s.get('correlation/bad-version', '/v9/tags', {
    headers: { 'correlation-id': 'dx-header' },
    topic: 'correlation id',
  });

  // Expectations.
  [
    '201-created',
    '202-accepted',
    '100-continue',
    'nonsense',
    '201-created, 202-accepted',
    '',
  ].forEach((expect, at) => {
    for (const header of ['expect', 'x-ovirt-expect']) {
      if (header === 'expect' && expect === '100-continue') continue;
      s.postAndRemove(
        `expect/${header}-${at}`,
        '/bookmarks',
        { bookmark: { name: `dx_expect_${at}`, value: 'Vms:' } },
        { headers: { [header]: expect }, topic: `${header} header`, note: expect },
      );
    }
  });

  // The entry point and forms of URLs.
  s.both('root', '/', { volatile: true });
  s.get('root/no-slash', '', {});
  s.step('root/head', 'HEAD', '/', {});
  s.step('root/options', 'OPTIONS', '/', {});
  for (const method of ['PUT', 'DELETE', 'PATCH', 'POST'])
    s.step(`root/${method.toLowerCase()}`, method, '/', {
      body: '<api/>',
      topic: 'method that is not there',
    });
  for (const query of [
    'schema',
    'rsdl',
    'rsdl=true',
    'schema=false',
    'rsdl=false',
    'follow=vms',
    'follow=nonsense',
    'filter=true',
    'filter=false',
    'all_content=true',
    'max=1',
    'nonsense=1',
  ])
    s.get(`root/query-${query.replace('=', '-')}`, `/?${query}`, {
      volatile: true,
      topic: 'entry point with parameters',
    });
  for (const path of [
    '/model',
    '/model.xml',
    '/model.json',
    '/model.html',
    '/model.jar',
    '/model.zip',
    '/model.yaml',
  ])
    s.step(`model${path.slice(6)}`, 'HEAD', path, { accept: '*/*', topic: 'model documents' });
  for (const [name, path] of Object.entries({
    'trailing-slash': '/tags/',
    'double-slash': '//tags',
    'double-slash-inside': '/tags//',
    'double-slash-entity': '/tags//00000000-0000-0000-0000-000000000000',
    dots: '/tags/../bookmarks',
    dot: '/./tags',
    'encoded-dots': '/tags/%2e%2e/bookmarks',
    'encoded-slash': '/tags%2f00000000-0000-0000-0000-000000000000',
    'encoded-letter': '/t%61gs',
    'bad-escape': '/tags/%zz',
    nul: '/tags/%00',
    'upper-case': '/Tags',
    'upper-case-all': '/TAGS',
    underscore: '/affinity_labels',
    hyphen: '/affinity-labels',
    unknown: '/no-such-thing',
    'unknown-below': '/tags/00000000-0000-0000-0000-000000000000/no-such-thing',
    'suffix-xml': '/tags.xml',
    'suffix-json': '/tags.json',
    'empty-query': '/tags?',
    'only-ampersands': '/tags?&&',
    'unknown-parameter': '/tags?nonsense=1',
    'unknown-matrix': '/tags;nonsense=1',
    'matrix-in-the-middle': '/tags;max=0/00000000-0000-0000-0000-000000000000',
    'matrix-without-value': '/tags;current',
    'semicolon-only': '/tags;',
    'repeated-parameter': '/tags?max=0&max=5',
    'matrix-and-query': '/tags;max=0?max=5',
    'plus-in-query': '/vms?search=name%3Dx+or+name%3Dy',
    'bad-escape-in-query': '/vms?search=%zz',
    'bare-percent': '/vms?search=100%',
    'non-ascii': '/vms?search=name%3D%C3%BC',
    'latin1-in-query': '/vms?search=name%3D%FC',
    'uuid-in-capitals': '/templates/00000000-0000-0000-0000-00000000000A',
    'uuid-short': '/templates/0-0-0-0-0',
    'uuid-braces': '/templates/%7B00000000-0000-0000-0000-000000000000%7D',
    'uuid-space': '/templates/00000000-0000-0000-0000-000000000000%20',
    'long-id': `/vms/${'a'.repeat(2000)}`,
    'creation-status':
      '/vms/00000000-0000-0000-0000-000000000000/creation_status/00000000-0000-0000-0000-000000000000',
    'action-status':
      '/vms/00000000-0000-0000-0000-000000000000/start/00000000-0000-0000-0000-000000000000',
  }))
    s.get(`url/${name}`, path, { topic: 'forms of URLs' });
  s.get('url/long-query', `/vms?search=${'name%3Dx%20or%20'.repeat(300)}name%3Dx`, {
    topic: 'forms of URLs',
  });

  // Origins and method overrides.
  s.get('cors/get', '/tags', { headers: { origin: 'https://example.com' }, topic: 'CORS' });
  s.step('cors/preflight', 'OPTIONS', '/tags', {
    headers: {
      origin: 'https://example.com',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
    topic: 'CORS',
  });
  s.step('cors/preflight-without-credentials', 'OPTIONS', '/tags', {
    auth: 'none',
    headers: { origin: 'https://example.com', 'access-control-request-method': 'GET' },
    topic: 'CORS',
  });
  s.post('override/delete', '/tags/123', '', {
    headers: { 'x-http-method-override': 'DELETE' },
    topic: 'method that is not there',
  });
  for (const method of ['PATCH', 'TRACE', 'PROPFIND', 'LINK'])
    s.step(`method/${method.toLowerCase()}`, method, '/tags', {
      topic: 'method that is not there',
    });
  for (const [name, headers] of Object.entries({
    filter: { filter: 'true' },
    'filter-false': { filter: 'false' },
    'filter-nonsense': { filter: 'perhaps' },
    'filter-empty': { filter: '' },
    'all-content': { 'all-content': 'true' },
    range: { range: 'bytes=0-10' },
    'if-none-match': { 'if-none-match': '*' },
    'if-modified': { 'if-modified-since': 'Sat, 01 Jan 2050 00:00:00 GMT' },
  })) {
    s.get(`header/${name}`, '/datacenters', { headers, topic: 'request headers' });
  }
}
