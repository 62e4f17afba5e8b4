/** Links written together are equal to links written individually. */
import { describe, expect, it } from 'vitest';
import { dialects } from '../../src/model/dialect.ts';
import { encodeObject, LinkList } from '../../src/wire/index.ts';

describe.each(['application/json', 'application/xml'] as const)('%s', (media) => {
  it.each(Object.values(dialects))('of links (dialect $name)', (dialect) => {
    for (const base of ['/api/vms/1', '/a "b"\\<c>&é']) {
      const list = new LinkList(base, ['nics', 'snapshots']);
      const whole = { id: '1', link: list, actions: { link: new LinkList(base, []) } };
      const single = { id: '1', link: [...list], actions: { link: [] } };
      expect(encodeObject(media, whole, 'vm', dialect)).toBe(
        encodeObject(media, single, 'vm', dialect),
      );
    }
  });
});
