// The command line: finds the command, runs it, and prints its result or its error.
import { serverUrl } from '@trivium/http/addresses/server-url.ts'
import { createAccountCipher } from '../access/secrets/account-cipher.ts'
import type { Environment } from '../config/types.ts'
import { FolderInUse, type Storage } from '../storage/storage.ts'
import { parseArguments } from './args.ts'
import { type Command, checkArguments, flagsOf, type StoreCommand } from './command.ts'
import { OPERATIONS, type OperationName } from './commands/operations.ts'
import { readUsage, type UsagePage } from './commands/usage-pages.ts'
import type { CommandContext } from './context.ts'
import { callServer } from './control-socket.ts'
import { CommandError } from './errors.ts'
import { COMMANDS, help, RESERVED_COMMANDS, unknownCommand } from './help.ts'
import { printError, printResult, Report } from './output.ts'

/** The exit code; undefined if a server keeps running. */
export async function run(args: readonly string[], context: CommandContext): Promise<number | undefined> {
  const json = args.includes('--json')
  const words = args.filter((word) => word !== '--json')
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

/** Handles `trivium`, `help COMMAND`, `COMMAND --help` and `--version`; undefined for other commands. */
function askedForHelp(words: readonly string[], version: string): Report | undefined {
  const [first] = words
  if (first === undefined) return help([], version)
  if (first === '--version' || first === 'version') return new Report({ version }, `Trivium ${version}\n`)
  const isOption = (word: string) => word === '--help' || word === '-h'
  if (first !== 'help' && !words.some(isOption)) return undefined
  const names = words.filter((word) => !word.startsWith('-') && word !== 'help')
  // In `key revoke 7 --help` the command is `key revoke`, without its argument.
  const command = [names.slice(0, 2), names.slice(0, 1)].find((pair) => COMMANDS.has(pair.join(' ')))
  return help(command ?? names, version)
}

function findCommand(words: readonly string[]): { command: Command; rest: readonly string[] } {
  for (const length of [2, 1]) {
    const command = words.length >= length ? COMMANDS.get(words.slice(0, length).join(' ')) : undefined
    if (command) return { command, rest: words.slice(length) }
  }
  const [first = ''] = words
  if (RESERVED_COMMANDS.has(first))
    throw new CommandError(`'${first}' is reserved for a later version; docs/backup.md describes how to copy the data`)
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
  if (!('operation' in command)) return await command.run(parsed, context, json)
  const values = command.values ? await command.values(parsed) : parsed.values
  const isUsage = command.operation === 'usage'
  const result = isUsage ? await readWholeUsage(command, values, context) : await runOnStore(command, values, context)
  return command.show ? new Report(result, command.show(result)) : result
}

const readWholeUsage = (command: StoreCommand, values: Record<string, string>, context: CommandContext) =>
  readUsage(async (page) => (await runOnStore(command, page, context)) as UsagePage, values)

/** Calls a running server, since one process owns a SQLite store; without a server, opens the store here. */
async function runOnStore(
  command: StoreCommand,
  values: Record<string, string>,
  context: CommandContext,
): Promise<unknown> {
  const environment = context.environment()
  if (!environment.databaseUrl) {
    const answered = await callServer(environment.dataDir, command.operation, values)
    if (answered) return answered.result
  }
  const config = context.config(environment)
  const opened = await openStorageOrCallServer(command.operation, values, environment, context)
  if ('result' in opened) return opened.result
  const { storage } = opened
  try {
    const listenUrl = serverUrl(environment.host, environment.port, config.server.tls !== undefined)
    const accountCipher = async () => createAccountCipher(await context.masterSecret(environment, storage))
    return await OPERATIONS[command.operation]({ storage, config, listenUrl, accountCipher }, values)
  } finally {
    await storage.close()
  }
}

/** Waits while a server that is starting or stopping, or another command, uses the folder. */
async function openStorageOrCallServer(
  operation: OperationName,
  values: Record<string, string>,
  environment: Environment,
  context: CommandContext,
): Promise<{ storage: Storage } | { result: unknown }> {
  const end = performance.now() + WAIT_FOR_FOLDER_MS
  for (;;) {
    try {
      return { storage: await context.openStorage(environment) }
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() >= end) throw error
      // A random delay keeps concurrent commands from retrying at the same moment.
      await Bun.sleep(25 + Math.random() * 75)
      const answered = await callServer(environment.dataDir, operation, values)
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
