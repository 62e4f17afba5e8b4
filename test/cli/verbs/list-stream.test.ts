/** Lists that are printed while they are read: in pieces of one answer, or page by page. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Site, startSite } from '../support/site.ts';

let site: Site;
/** Current VMs of the service. */
let names: string[];
let onList: (page: number) => void;

beforeAll(async () => {
  site = await startSite({
    'GET /virt-app/api/vms': ({ query, headers }) => {
      const page = Number(/page (\d+)$/.exec(query.get('search') ?? '')?.[1] ?? 1);
      const max = Number(query.get('max') ?? names.length);
      const shown = names.slice((page - 1) * max, page * max);
      if (max > 1) onList(page);
      if (/xml/.test(String(headers['accept']))) {
        const items = shown.map((name) => `<vm id="${name}"><name>${name}</name><cpu/></vm>`);
        return {
          headers: { 'content-type': 'application/xml' },
          body: `<?xml version="1.0"?>\n<vms>${items.join('\n')}</vms>`,
        };
      }
      return {
        body: { vm: shown.map((name) => ({ id: name, name, memory: '9223372036854775807' })) },
      };
    },
    'GET /virt-app/api/tags': {
      headers: { 'content-type': 'application/json' },
      body: '{"tag":[{"id":"1"},',
    },
    'GET /virt-app/api/bookmarks': { headers: { 'content-type': 'text/html' }, body: '<html>' },
  });
});

afterAll(() => site.close());
beforeEach(() => {
  names = Array.from({ length: 7 }, (_, index) => `vm${index + 1}`);
  onList = () => {};
  site.calls();
});

async function list(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const { code, ...texts } = await site.run(['vms', 'list', ...words]);
  expect(code).toBe(0);
  return texts;
}

describe('pages', () => {
  it('are read one after the other, and printed as one list', async () => {
    for (const format of ['json', 'jsonl', 'yaml', 'csv', 'tsv', 'name', 'id', 'table']) {
      const whole = await list('-o', format);
      expect(await list('-o', format, '--page-size', '3')).toEqual(whole);
    }
    site.calls();
    await list('-o', 'id', '--page-size', '3', '--search', 'sortby name');
    expect(site.calls()).toEqual([
      'GET /vms?case_sensitive=false&max=3&search=sortby name asc page 1',
      'GET /vms?case_sensitive=false&max=3&search=sortby name asc page 2',
      'GET /vms?case_sensitive=false&max=1&search=sortby name asc page 3',
      'GET /vms?case_sensitive=false&max=3&search=sortby name asc page 3',
      'GET /vms?case_sensitive=false&max=1&search=sortby name asc page 6',
    ]);
  });

  it('print no duplicates if objects are created between pages', async () => {
    onList = (page) => {
      if (page === 1 && !names.includes('new')) names.unshift('new');
    };
    const { stdout } = await list('-o', 'id', '--page-size', '3');
    expect(stdout.trimEnd().split('\n').sort()).toEqual([
      ...['new', 'vm1', 'vm2', 'vm3', 'vm4', 'vm5', 'vm6', 'vm7'],
    ]);
  });

  it('omit nothing if objects are deleted between pages, and print a warning', async () => {
    onList = (page) => {
      if (page === 1 && names[0] === 'vm1') setImmediate(() => names.shift());
    };
    const { stdout, stderr } = await list('-o', 'id', '--page-size', '3');
    expect(stdout.trimEnd().split('\n').sort()).toEqual(
      Array.from({ length: 7 }, (_, index) => `vm${index + 1}`),
    );
    expect(stderr).toBe(
      'warning: objects changed while the pages were read; vmctl read them again\n',
    );
  });

  it('lose nothing in XML either', async () => {
    onList = (page) => {
      if (page === 1 && names[0] === 'vm1') setImmediate(() => names.shift());
    };
    const { stdout, stderr } = await list('-o', 'xml', '--page-size', '3');
    expect(stdout.match(/id="vm\d"/g)?.sort()).toEqual(
      Array.from({ length: 7 }, (_, index) => `id="vm${index + 1}"`),
    );
    expect(stderr).toBe(
      'warning: objects changed while the pages were read; vmctl read them again\n',
    );
  });

  it('end at the limit, with a note', async () => {
    const { stdout, stderr } = await list('-o', 'id', '--page-size', '3', '--limit', '5');
    expect(stdout.trimEnd().split('\n')).toHaveLength(5);
    expect(stderr).toBe('showing 5 vms (--limit); more may exist\n');
  });

  it.each([
    [['vms', 'list', '--page-size', '0'], 'not a number of objects'],
    [
      ['vms', 'list', '--page-size', '3', '--page', '2'],
      '--page-size reads all pages, but --page requests one',
    ],
    [
      ['vms', 'list', '--page-size', '3', '--search', 'page 2'],
      '--page-size reads all pages, but --page requests one',
    ],
  ])('%j is refused', async (argv, text) => {
    const { code, stderr } = await site.run(argv);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
    expect(site.calls()).toEqual([]);
  });
});

describe('xml', () => {
  it('is what the service writes', async () => {
    names = names.slice(0, 2);
    const { stdout } = await list('-o', 'xml');
    expect(stdout).toBe(
      '<?xml version="1.0"?>\n<vms><vm id="vm1"><name>vm1</name><cpu/></vm>\n<vm id="vm2"><name>vm2</name><cpu/></vm></vms>\n',
    );
  });

  it('of pages is one document', async () => {
    const { stdout } = await list('-o', 'xml', '--page-size', '3');
    const lines = names.map((name) => `    <vm id="${name}"><name>${name}</name><cpu/></vm>\n`);
    expect(stdout).toBe(`<?xml version="1.0"?>\n<vms>\n${lines.join('')}</vms>\n`);
  });

  it('has references in place of characters that steer a terminal', async () => {
    names = ['a\u202eb', 'c\u0085'];
    const { stdout } = await list('-o', 'xml');
    expect(stdout).toContain('<name>a&#x202e;b</name>');
    expect(stdout).toContain('<name>c&#x85;</name>');
  });

  it('has elements named like the members of objects outside the API', async () => {
    const { stdout } = await site.run(['whoami', '-o', 'xml']);
    expect(stdout).toContain('<username>');
  });

  it('is rendered by vmctl if the objects are modified', async () => {
    const { stdout } = await list('-o', 'xml', '--sort', '-name');
    expect(stdout.match(/id="vm\d"/g)?.[0]).toBe('id="vm7"');
  });

  it('that the service does not send is a failure', async () => {
    const { code, stderr } = await site.run(['bookmarks', 'list', '-o', 'xml']);
    expect(code).toBe(10);
    expect(stderr).toContain('list bookmarks: the service answers with text/html instead of XML');
  });
});

describe('answers', () => {
  it('keep whole numbers exact in every piece', async () => {
    const { stdout } = await list('-o', 'json');
    expect(stdout.match(/"memory": 9223372036854775807\n/g)).toHaveLength(7);
  });

  it('that break off are failures, after what came', async () => {
    const { code, stdout, stderr } = await site.run(['tags', 'list', '-o', 'jsonl']);
    expect(stdout).toBe('{"id":"1"}\n');
    expect(code).toBe(10);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'bad_answer' });
  });

  it('that are no lists are failures', async () => {
    const { code, stderr } = await site.run(['bookmarks', 'list', '-o', 'json']);
    expect(code).toBe(10);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'bad_answer' });
  });
});
