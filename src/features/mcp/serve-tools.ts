/** Tool server of the Model Context Protocol on standard input and output. */
import { ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { findNoun } from '../../cli/args/catalog.ts';
import type { NounModules } from '../../cli/args/command.ts';
import { CommandRunner } from '../../cli/commands/embedded/command-runner.ts';
import { renderCommandPage } from '../../cli/help/pages.ts';
import type { CommandContext } from '../../cli/session/command-context.ts';
import { openClient } from '../../cli/session/connect.ts';
import { write } from '../../cli/session/io.ts';
import { UsageError } from '../../client/errors.ts';
import { version } from '../../version.ts';
import { filterJsonLines } from './json-lines.ts';
import { PermittedFolders } from './permitted-folders.ts';
import { runTool, type ToolOutcome, unknownToolError } from './run-tool.ts';
import { createAnnotations, createInputSchema, createTools, type NounTool } from './tools.ts';

interface McpFlags {
  readonly allowChanges?: boolean;
  readonly nouns?: string;
  readonly files?: readonly string[];
}

const helpTool = {
  name: 'help',
  description: 'Show help of a verb: arguments, all flags, examples.',
  inputSchema: {
    type: 'object' as const,
    properties: { noun: { type: 'string' }, verb: { type: 'string' } },
    required: ['noun'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

const instructions = `Administers a virtualization service: data centers, clusters, hosts, storage, VMs.\nEach tool is a noun with verbs. Refer to objects by name or id. list takes the flags search (status=up and\ncluster=Default; the tool search-help explains the language), limit, columns and sort. Read the flags of a verb\nwith help before you use it. Calls wait for the operation to finish. dry_run shows the requests. Results are JSON.`;

/**
 * Serves until standard input ends. Throws `UsageError` for invalid flags, and if standard input is
 * a terminal.
 */
export async function serveTools(
  cli: CommandContext,
  flags: McpFlags,
  modules: NounModules,
): Promise<void> {
  if (cli.io.stdin.isTTY === true) {
    throw new UsageError('mcp reads from an agent, not from a terminal', {
      hint: 'configure the agent to start it: "command": "vmctl", "args": ["mcp"]',
    });
  }
  const allowChanges = flags.allowChanges === true;
  const tools = await createTools(modules, flags.nouns?.split(','), allowChanges);
  const folders = new PermittedFolders(flags.files ?? []);
  const runner = new CommandRunner(allowChanges ? cli : asReadOnly(cli), modules, (...given) =>
    folders.check(...given),
  );
  const { stdin, stdout } = cli.io;
  const refuse = (code: ProtocolErrorCode, message: string) =>
    void write(
      stdout,
      `${JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })}\n`,
    );
  const lines = filterJsonLines(() =>
    refuse(ProtocolErrorCode.ParseError, 'the message is not JSON'),
  );
  stdin.setEncoding('utf8');
  // The end of the input would close the transport before running calls are answered.
  const transport = new StdioServerTransport(stdin.pipe(lines, { end: false }), stdout);
  const calls = new Set<Promise<ToolOutcome>>();
  const handle = serveStdio(() => createServer(tools, runner, folders.description, calls), {
    transport,
    onerror: () => refuse(ProtocolErrorCode.InvalidRequest, 'the message is not a request'),
  });
  try {
    await new Promise<void>((resolve, reject) => {
      stdin.once('end', resolve);
      stdin.once('close', resolve);
      cli.signal.addEventListener('abort', () => reject(cli.signal.reason), { once: true });
    });
    await finishCalls(calls);
  } finally {
    await handle.close();
  }
}

/** Waits until calls that were read before the end of the input are answered. */
async function finishCalls(calls: ReadonlySet<Promise<ToolOutcome>>): Promise<void> {
  // The last messages start their calls, and the last results are written, in later turns.
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    await Promise.allSettled(calls);
  }
}

/** Context with a client that refuses all changes. */
function asReadOnly(cli: CommandContext): CommandContext {
  const env = { ...cli.io.env, VMCTL_READ_ONLY: '1' };
  const { stdin, stdout, stderr } = cli.io;
  return cli.createInner({ env, stdin, stdout, stderr }, cli.commandLine, {}, openClient);
}

function createServer(
  tools: readonly NounTool[],
  runner: CommandRunner,
  files: string,
  calls: Set<Promise<ToolOutcome>>,
): Server {
  const server = new Server(
    { name: 'vmctl', version },
    { capabilities: { tools: {} }, instructions: `${instructions} ${files}` },
  );
  server.setRequestHandler('tools/list', () => ({
    tools: [
      helpTool,
      ...tools.map((tool) => ({
        name: tool.name,
        description: tool.description,
        inputSchema: createInputSchema(tool),
        annotations: createAnnotations(tool),
      })),
    ],
  }));
  server.setRequestHandler('tools/call', async ({ params }) => {
    const input = params.arguments ?? {};
    if (params.name === helpTool.name) return await explainVerb(runner, tools, input);
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw unknownToolError(params.name);
    const call = runTool(runner, tool, input);
    calls.add(call);
    return await call.finally(() => calls.delete(call));
  });
  return server;
}

/** Help page of a verb; without a verb, the description of the tool. */
async function explainVerb(
  runner: CommandRunner,
  tools: readonly NounTool[],
  { noun, verb }: Readonly<Record<string, unknown>>,
): Promise<ToolOutcome> {
  const name = findNoun(String(noun ?? ''))?.name;
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw unknownToolError(String(noun ?? ''));
  if (verb === undefined) return { content: [{ type: 'text', text: tool.description }] };
  const { command } = await runner.find([tool.name, String(verb)]);
  return { content: [{ type: 'text', text: renderCommandPage(command, true) }] };
}
