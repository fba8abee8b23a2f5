// The operator's commands without a process for each: sent to the control socket of the running server on SQLite, run here
// on PostgreSQL. Both run the code that the command runs; cli.test.ts tests the commands themselves.
import { parseArguments } from '../../../packages/gateway/src/cli/args.ts'
import { flagsOf } from '../../../packages/gateway/src/cli/command.ts'
import { isOperation, OPERATIONS } from '../../../packages/gateway/src/cli/commands/operations.ts'
import { STORE_COMMANDS } from '../../../packages/gateway/src/cli/commands/store-commands.ts'
import { readUsage, type UsagePage } from '../../../packages/gateway/src/cli/commands/usage-pages.ts'
import { callServer } from '../../../packages/gateway/src/cli/control-socket.ts'
import { loadFile } from '../../../packages/gateway/src/config.ts'
import { openPostgres } from '../../../packages/gateway/src/storage/postgres/open-postgres.ts'
import { type Storage, StoreDown } from '../../../packages/gateway/src/storage/storage.ts'
import { hashCheaply } from './cheap-passwords.ts'
import { type Home, runCommand } from './home.ts'

export type Operated = { home: Home; env?: Record<string, string> | undefined }

// For accounts that commands create in this process.
hashCheaply()

const RETRY_FOR_MS = 20_000
const databases = new Map<string, Promise<Storage>>()

export async function operate<T>(
  { home, env = {} }: Operated,
  operation: string,
  values: Record<string, string> = {},
): Promise<T> {
  const { databaseUrl, configFile, dataDir } = home
  if (databaseUrl === undefined) {
    const response = await callServer(dataDir, operation, values)
    if (!response) throw new Error(`no gateway is running in ${dataDir}`)
    return response.result as T
  }
  if (!isOperation(operation)) throw new Error(`no such operation: ${operation}`)
  const { config } = loadFile(configFile, env)
  if (!config) throw new Error(`${configFile} is not a valid configuration`)
  const end = performance.now() + RETRY_FOR_MS
  for (;;) {
    try {
      return (await OPERATIONS[operation](
        { config, storage: await storageOf(databaseUrl), listenUrl: '', accountCipher: noSecrets },
        values,
      )) as T
    } catch (error) {
      // A connection that died with the database is replaced at the next call.
      if (!(error instanceof StoreDown) || performance.now() > end) throw error
      await Bun.sleep(50)
    }
  }
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
  if (!command || !('operation' in command)) {
    const { code, stdout, stderr } = await runCommand(operated.home, [...args, '--json'], operated.env)
    if (code !== 0) throw new Error(`trivium ${args.join(' ')} exited ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }
  const parsed = parseArguments(args.slice(command.name.split(' ').length), flagsOf(command))
  const values = command.values ? await command.values(parsed) : parsed.values
  const run = (given: Record<string, string>) => operate<T>(operated, command.operation, given)
  return command.operation === 'usage'
    ? ((await readUsage((page) => run(page) as Promise<UsagePage>, values)) as T)
    : await run(values)
}

/** Only the gateway's own process has the master secret. */
const noSecrets = () => Promise.reject(new Error('ask the gateway'))
