// The operator's commands without a process for each: sent to the control socket of the running server on SQLite, run here
// on PostgreSQL. Both run the code that the command runs; cli.test.ts tests the commands themselves.
import { readFileSync } from 'node:fs'
import { parseArguments } from '../../../packages/gateway/src/cli/args.ts'
import { flagsOf } from '../../../packages/gateway/src/cli/command.ts'
import { STORE_COMMANDS } from '../../../packages/gateway/src/cli/commands/store-commands.ts'
import { callServer } from '../../../packages/gateway/src/cli/control-socket.ts'
import { resultOf } from '../../../packages/gateway/src/cli/run.ts'
import type { FileConfig } from '../../../packages/gateway/src/config/types.ts'
import { OPERATIONS } from '../../../packages/gateway/src/operate/index.ts'
import { COMMAND_LINE, perform } from '../../../packages/gateway/src/operate/operation.ts'
import { loadFile } from '../../../packages/gateway/src/server/config.ts'
import { openPostgres } from '../../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { type Storage, StoreDown } from '../../../packages/gateway/src/storage/storage.ts'
import { type Home, runCommand } from './home.ts'
import { hashCheaply } from './program/cheap-passwords.ts'

export type Operated = { home: Home; env?: Record<string, string> | undefined }

// For accounts that commands create in this process.
hashCheaply()

const RETRY_FOR_MS = 20_000
const databases = new Map<string, Promise<Storage>>()

/** A command by its name, with its options as text. `key`: the id of a key, also where it is not an option. */
export async function operate<T>(
  operated: Operated,
  name: string,
  options: Readonly<Record<string, string>> = {},
): Promise<T> {
  const command = STORE_COMMANDS.find((each) => each.name === name)
  if (!command) throw new Error(`no such command: ${name}`)
  const { key, ...others } = options
  const isPositional = key !== undefined && !command.options.some((option) => option.name === 'key')
  const values = isPositional ? others : options
  const parsed = { values, positionals: isPositional ? [key] : [], lists: {}, flags: new Set<string>() }
  return (await resultOf(command, parsed, (operation, input) => call(operated, operation, input))) as T
}

async function call({ home, env = {} }: Operated, name: string, input: object): Promise<unknown> {
  const { databaseUrl, configFile, dataDir } = home
  if (databaseUrl === undefined) {
    const response = await callServer(dataDir, name, input)
    if (!response) throw new Error(`no gateway is running in ${dataDir}`)
    return response.result
  }
  const operation = OPERATIONS.get(name)
  if (!operation) throw new Error(`no such operation: ${name}`)
  const config = configOf(configFile, env)
  const end = performance.now() + RETRY_FOR_MS
  for (;;) {
    try {
      const storage = await storageOf(databaseUrl)
      const context = { actor: COMMAND_LINE, config, storage, listenUrl: '', accountCipher: noSecrets }
      return await perform(operation, context, input)
    } catch (error) {
      // A connection that died with the database is replaced at the next call.
      if (!(error instanceof StoreDown) || performance.now() > end) throw error
      await Bun.sleep(50)
    }
  }
}

let known: { as: string; config: FileConfig } | undefined

/** Parsed again only if it has changed: tests that wait for something ask every few milliseconds. */
function configOf(file: string, env: Record<string, string>): FileConfig {
  const as = `${file} ${JSON.stringify(env)} ${readFileSync(file, 'utf8')}`
  if (known?.as === as) return known.config
  const { config } = loadFile(file, env)
  if (!config) throw new Error(`${file} is not a valid configuration`)
  known = { as, config }
  return config
}

function storageOf(databaseUrl: string): Promise<Storage> {
  const open = databases.get(databaseUrl) ?? openPostgres(databaseUrl, { mayCreate: false })
  databases.set(databaseUrl, open)
  open.catch(() => databases.delete(databaseUrl))
  return open
}

/** Closes the connections to this database. A later call opens new ones. */
export async function closeDatabase({ databaseUrl }: Home): Promise<void> {
  const database = databaseUrl === undefined ? undefined : databases.get(databaseUrl)
  if (!database || databaseUrl === undefined) return
  databases.delete(databaseUrl)
  await database.then(
    (storage) => storage.close(),
    () => {},
  )
}

/** A command line with --json, parsed. Commands on accounts and keys run without a process, the others in one. */
export async function runJson<T>(operated: Operated, ...args: string[]): Promise<T> {
  const command = STORE_COMMANDS.find(({ name }) => `${args.join(' ')} `.startsWith(`${name} `))
  if (!command) {
    const { code, stdout, stderr } = await runCommand(operated.home, [...args, '--json'], operated.env)
    if (code !== 0) throw new Error(`trivium ${args.join(' ')} exited ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }
  const parsed = parseArguments(args.slice(command.name.split(' ').length), flagsOf(command))
  return (await resultOf(command, parsed, (operation, input) => call(operated, operation, input))) as T
}

/** Only the gateway's own process has the master secret. */
const noSecrets = () => Promise.reject(new Error('ask the gateway'))
