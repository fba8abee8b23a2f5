// The command line: finds the command, runs it, and prints its result or its error.
import { serverUrl } from '@trivium/http/addresses/server-url.ts'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import type { Environment } from '../config/types.ts'
import { partsAlone } from '../operate/configuration/parts.ts'
import { OPERATIONS } from '../operate/index.ts'
import { COMMAND_LINE, perform, rehearse } from '../operate/operation.ts'
import { OperationRejected } from '../operate/rejections.ts'
import { FolderInUse, type Storage } from '../storage/storage.ts'
import { type Arguments, parseArguments } from './args.ts'
import { type Command, checkArguments, flagsOf, operationOf, type StoreCommand } from './command.ts'
import { commandError } from './commands/inputs.ts'
import { type Page, readPages } from './commands/pages.ts'
import type { CommandContext } from './context.ts'
import { callAnyProcess, callServer } from './control-socket.ts'
import { CommandError, NoDatabaseYet, UsageError } from './errors.ts'
import { ALIASES, COMMANDS, help, unknownCommand } from './help.ts'
import { printError, printResult, Report } from './output.ts'

/** The exit code; undefined if a server keeps running. */
export async function run(args: readonly string[], context: CommandContext): Promise<number | undefined> {
  const json = args.includes('--json')
  const words = withoutAlias(args.filter((word) => word !== '--json'))
  try {
    const asked = askedForHelp(words, context.version)
    if (asked) return await finish(asked, json)
    const { command, rest } = findCommand(words)
    const result = await runCommand(command, rest, context, json)
    return command.name === 'serve' || command.name === 'sandbox' ? undefined : await finish(result, json)
  } catch (error) {
    printError(error, json)
    return error instanceof CommandError ? error.exitCode : 1
  }
}

/** `help` may come before the command. */
function withoutAlias(words: readonly string[]): readonly string[] {
  const from = words[0] === 'help' ? 1 : 0
  const name = ALIASES.get(words.slice(from, from + 2).join(' '))
  return name === undefined ? words : [...words.slice(0, from), ...name.split(' '), ...words.slice(from + 2)]
}

/** Handles `trivium`, `help COMMAND`, `COMMAND --help` and `--version`; undefined for other commands. */
function askedForHelp(words: readonly string[], version: string): Report | undefined {
  const [first] = words
  if (first === undefined) return help([], version)
  if (first === '--version' || first === 'version') return new Report({ version }, `Trivium ${version}\n`)
  const isOption = (word: string) => word === '--help' || word === '-h'
  if (first !== 'help' && !words.some(isOption)) return undefined
  const names = words.filter((word) => !word.startsWith('-') && word !== 'help')
  // In `key delete 7 --help` the command is `key delete`, without its argument.
  const command = [3, 2, 1].map((length) => names.slice(0, length)).find((first) => COMMANDS.has(first.join(' ')))
  return help(command ?? names, version)
}

function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  for (const length of [3, 2, 1]) {
    const command = words.length >= length ? COMMANDS.get(words.slice(0, length).join(' ')) : undefined
    if (command) return { command, rest: words.slice(length) }
  }
  throw unknownCommand(words)
}

async function runCommand(
  command: Command,
  rest: readonly string[],
  context: CommandContext,
  json: boolean,
): Promise<unknown> {
  const parsed = parseArguments(rest, flagsOf(command))
  checkArguments(command, parsed)
  try {
    if (!('input' in command)) return await command.run(parsed, context, json)
    const dryRun = command.mayRehearse === true && parsed.flags.has('dry-run')
    const run = (operation: string, input: object) => runOnStore(operation, input, context, command, dryRun)
    const result = await resultOf(command, parsed, run, context)
    return command.show ? new Report(result, command.show(result, parsed)) : result
  } catch (error) {
    throw error instanceof OperationRejected ? commandError(error, parsed.values, command) : error
  }
}

/** What --json prints. `run`: calls the operation, once for each page. */
export async function resultOf(
  command: StoreCommand,
  parsed: Arguments,
  run: (operation: string, input: object) => Promise<unknown>,
  context?: CommandContext,
): Promise<unknown> {
  const { rows, json = (result: unknown) => result } = command
  const operation = operationOf(command)
  const { limit = String(rows) } = parsed.values
  if (rows !== undefined && !/^\d{1,9}$/.test(limit))
    throw new UsageError('--limit must be a whole number; 0 means all')
  const input = await command.input(parsed, context)
  const call = (more: object) => run(operation, { ...input, ...more })
  const page = async (bounds: object) => (await call(bounds)) as Page
  if (rows !== undefined) return json((await readPages(page, Number(limit))) as never)
  return json((await (command.drive?.(call, parsed) ?? call({}))) as never)
}

/** Calls a running server, since one process owns a SQLite store; without a server, opens the store here. */
async function runOnStore(
  name: string,
  input: object,
  context: CommandContext,
  { asksServer, withoutDatabase }: Pick<StoreCommand, 'asksServer' | 'withoutDatabase'>,
  dryRun: boolean,
): Promise<unknown> {
  const environment = context.environment()
  if (!environment.databaseUrl || asksServer) {
    const call = asksServer ? callAnyProcess : callServer
    const answered = await call(environment.dataDir, name, input, { dryRun })
    if (answered) return answered.result
  }
  const opened = await openStorageOrCallServer(name, input, environment, context, dryRun).catch(async (error) => {
    if (!withoutDatabase || !(error instanceof NoDatabaseYet)) throw error
    return { result: await withoutDatabase(input, await context.config(environment), context) }
  })
  if ('result' in opened) return opened.result
  const { storage } = opened
  try {
    const inForce = await context.configuration(environment, storage)
    const { config } = inForce.assembled
    const configuration = partsAlone(inForce, context.assemble)
    const listenUrl = serverUrl(environment.host, environment.port, config.server.tls !== undefined)
    const accountCipher = async () => createAccountCipher(await context.masterSecrets(environment, storage))
    const operation = OPERATIONS.get(name)
    if (!operation) throw new Error(`there is no operation ${name}`)
    const { clouds } = environment
    const shared = { storage, config, configuration, listenUrl, accountCipher, clouds }
    return await (dryRun ? rehearse : perform)(operation, { ...shared, actor: COMMAND_LINE }, input)
  } finally {
    await storage.close()
  }
}

/** Waits while a server that is starting or stopping, or another command, uses the folder. */
async function openStorageOrCallServer(
  name: string,
  input: object,
  environment: Environment,
  context: CommandContext,
  dryRun: boolean,
): Promise<{ storage: Storage } | { result: unknown }> {
  const end = performance.now() + WAIT_FOR_FOLDER_MS
  for (;;) {
    try {
      return { storage: await context.openStorage(environment) }
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() >= end) throw error
      // A random delay keeps concurrent commands from retrying at the same moment.
      await Bun.sleep(25 + Math.random() * 75)
      const answered = await callServer(environment.dataDir, name, input, { dryRun })
      if (answered) return answered
    }
  }
}

const WAIT_FOR_FOLDER_MS = 30_000

async function finish(result: unknown, json: boolean): Promise<number> {
  await printResult(result, json)
  const plain = result instanceof Report ? result.result : result
  const bad = typeof plain === 'object' && plain !== null && 'ok' in plain && plain.ok === false
  if (bad) printError(new CommandError('the check failed: see the list above'), json)
  return bad ? 1 : 0
}
