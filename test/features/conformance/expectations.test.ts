/** Expectations of `vmctl conformance`, checked against the recorded engine. */
import { expect, it } from 'vitest';
import { type Finding, NotTried } from '../../../src/features/conformance/checks/finding.ts';
import { ReadChecks } from '../../../src/features/conformance/checks/read-checks.ts';
import { type Media, Service } from '../../../src/features/conformance/checks/service.ts';
import { dialects } from '../../../src/model/dialect.ts';
import { listSpecifiedRows } from '../../../src/specification/operations.ts';
import {
  RecordedEngine,
  recordedSteps,
  recordedUnknownId,
} from '../../truth/support/recorded-engine.ts';

/** Unknown id that the checks request. */
const unknownId = '00000000-0000-0000-0000-00000000dead';

/** A client whose requests the recorded engine answers. */
function createClient(engine: RecordedEngine): ConstructorParameters<typeof Service>[0] {
  return {
    dialect: async () => dialects.ovirt,
    raw: async ({ path, headers }) => {
      const media = String(headers?.['accept']) as Media;
      const answer = engine.answer(path.replace(unknownId, recordedUnknownId), media);
      if (!answer) throw new NotTried(`${path} was not recorded`);
      const { status, type, body } = answer;
      return { status, headers: { 'content-type': type }, body: Buffer.from(body) };
    },
  };
}

/**
 * Lists that the recorded engine refused: it had no Katello and no connection to its image
 * provider.
 */
const lacking = ['/katelloerrata list', '/openstackimageproviders/{provider}/images list'];

it('find no difference in the answers of a recorded engine', async () => {
  const checks = new ReadChecks(new Service(createClient(new RecordedEngine(recordedSteps()))));
  const findings: Finding[] = [];
  for (const operation of listSpecifiedRows().flatMap(({ operations }) => operations)) {
    if (operation.http === 'GET') findings.push(await checks.check(operation));
  }
  const differing = findings
    .filter(({ verdict }) => verdict === 'differs')
    .map(({ operation, behaviour: does }) => [`${operation.path} ${operation.operation}`, does])
    .filter(([name = '']) => !lacking.includes(name));
  expect(differing).toEqual([]);
  expect(findings.filter(({ verdict }) => verdict === 'conforms').length).toBeGreaterThan(100);
});
