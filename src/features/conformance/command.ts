/** Command `vmctl conformance`: compares a service with the specification. */
import { defineCommand, defineNoun } from '../../cli/args/command.ts';
import { defineArgument, defineFlag } from '../../cli/args/parameters.ts';

export default defineNoun({
  name: 'conformance',
  doc: 'Compare a service with the specification',
  position: 152,
  section: 'Learn, test',
  more: true,
  commands: [
    defineCommand({
      arguments: [defineArgument('[url]', 'address of the service (default: the current context)')],
      flags: [
        defineFlag(
          '--changes',
          'also create, change and delete objects in a data center for the test',
        ),
        defineFlag('--differences', 'only differences'),
        defineFlag('--html <file>', 'file for an HTML report; - for stdout'),
      ],
      notes:
        'Operations have the numbers of the specification: 1 to 210, G1 to G35, and others without a number. ' +
        'Without --changes the command only reads. Operations without a suitable object, or with a need for ' +
        'hosts or storage, are not tried. Exit code 11: differences found.',
      examples: [
        'vmctl conformance',
        'vmctl conformance https://engine.example.com --username admin@internal --differences',
        'vmctl conformance --changes -o json',
        'vmctl conformance --html report.html -q',
      ],
      exits: [11],
      unshowable: 'many',
      prints: (_, { html }) => (html === '-' ? 'text' : 'objects'),
      run: async (cli, [url], flags) => {
        const { checkConformance } = await import('./run.ts');
        await checkConformance(cli, url, flags);
      },
    }),
  ],
});
