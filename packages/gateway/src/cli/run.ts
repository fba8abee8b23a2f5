// The command line: finds the command, runs it, prints its result, and says in one line what went wrong.
import { formatMistakes } from '../config/format.ts'
import type { Environment, FileConfig } from '../config/types.ts'
import { startSandboxServer } from '../sandbox/server.ts'
import { FolderInUse, type Storage } from '../storage/storage.ts'
import { readPriceList } from '../upstreams/price-list.ts'
import { compareWithList } from '../upstreams/price-report.ts'
import { type Arguments, type Flags, parseArguments, UsageError } from './args.ts'
import { LATER_COMMANDS, STORE_COMMANDS, type StoreCommand } from './commands.ts'
import { askEach, askServer } from './control.ts'
import { doctor } from './doctor.ts'
import { OPERATIONS, type OperationName } from './operations.ts'
import { printResult, Report } from './output.ts'
import { describePrices } from './prices-diff.ts'
import { type HttpById, type KeysById, listUpstreams } from './upstream-list.ts'
import { testUpstream } from './upstream-test.ts'
import { readUsage, type UsagePage } from './usage-pages.ts'

export type Setup = {
  /** Throws a UsageError that lists every mistake. */
  environment(): Environment
  config(environment: Environment): FileConfig
  /** Opened, and known to belong to the master secret. */
  openStorage(environment: Environment): Promise<Storage>
  serve(): Promise<void>
}

type OwnCommand = { flags: Flags; words: readonly string[]; run(parsed: Arguments, setup: Setup): Promise<unknown> }

const OWN_COMMANDS: Readonly<Record<string, OwnCommand>> = {
  'config check': {
    flags: {},
    words: [],
    run: async (_, setup) => {
      const environment = setup.environment()
      const { models, upstreams, groups, remarks, hash } = setup.config(environment)
      const file = environment.configFile ?? null
      return { ok: true, file, upstreams: upstreams.size, models: models.size, groups: groups.size, hash, remarks }
    },
  },
  'upstream list': {
    flags: {},
    words: [],
    run: async (_, setup) => {
      const environment = setup.environment()
      const [health, http] = await Promise.all([
        askEach(environment.dataDir, 'upstream health'),
        askEach(environment.dataDir, 'upstream http'),
      ])
      const known = { health: health as KeysById[], http: http as HttpById[] }
      return listUpstreams(setup.config(environment), known)
    },
  },
  'upstream test': {
    flags: { model: 'value' },
    words: ['ID'],
    run: async ({ words, values }, setup) =>
      await testUpstream(setup.config(setup.environment()), words[0] ?? '', values.model),
  },
  'prices diff': {
    flags: {},
    words: [],
    run: async (_, setup) => {
      const compared = compareWithList(setup.config(setup.environment()), readPriceList())
      return new Report(compared, describePrices(compared))
    },
  },
  doctor: { flags: {}, words: [], run: (_, setup) => doctor(setup) },
  sandbox: { flags: { port: 'value', host: 'value' }, words: [], run: (parsed) => runSandbox(parsed) },
  serve: { flags: {}, words: [], run: (_, setup) => setup.serve() },
}

/** The exit code; undefined while a server goes on running. */
export async function run(args: readonly string[], setup: Setup): Promise<number | undefined> {
  const json = args.includes('--json')
  try {
    const { name, rest } = findCommand(args.filter((word) => word !== '--json'))
    const result = await runCommand(name, rest, setup)
    if (name === 'serve' || name === 'sandbox') return undefined
    await printResult(result, json)
    return failed(result)
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof FolderInUse)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}

async function runCommand(name: string, rest: readonly string[], setup: Setup): Promise<unknown> {
  const command = STORE_COMMANDS[name] ?? OWN_COMMANDS[name]
  if (!command) throw new UsageError(`${LATER_COMMANDS[name]} comes with a later version`)
  const parsed = parseArguments(rest, command.flags)
  if (parsed.words.length !== command.words.length) {
    const wanted = command.words.length === 0 ? 'no further words' : command.words.join(' ')
    throw new UsageError(
      `'${name}' takes ${wanted}, not ${parsed.words.length ? `'${parsed.words.join(' ')}'` : 'nothing'}`,
    )
  }
  if (!('operation' in command)) return await command.run(parsed, setup)
  const values = await command.values(parsed)
  if (command.operation !== 'usage') return await runOnStore(command, values, setup)
  return await readUsage(async (page) => (await runOnStore(command, page, setup)) as UsagePage, values)
}

function findCommand(words: readonly string[]): { name: string; rest: readonly string[] } {
  const [first = 'serve', second] = words
  const pair = `${first} ${second}`
  if (second !== undefined && COMMAND_NAMES.has(pair)) return { name: pair, rest: words.slice(2) }
  if (COMMAND_NAMES.has(first)) return { name: first, rest: words.slice(1) }
  const all = [...COMMAND_NAMES].sort().join(', ')
  throw new UsageError(`unknown command '${words.slice(0, 2).join(' ')}'; there are: ${all}`)
}

const COMMAND_NAMES: ReadonlySet<string> = new Set([OWN_COMMANDS, STORE_COMMANDS, LATER_COMMANDS].flatMap(Object.keys))

/** With a server running, it is asked, since one process owns an embedded store; without one, the store is opened here. */
async function runOnStore(command: StoreCommand, values: Record<string, string>, setup: Setup): Promise<unknown> {
  const environment = setup.environment()
  if (!environment.databaseUrl) {
    const answered = await askServer(environment.dataDir, command.operation, values)
    if (answered) return answered.result
  }
  const config = setup.config(environment)
  const opened = await openPatiently(command.operation, values, environment, setup)
  if ('result' in opened) return opened.result
  const { storage } = opened
  try {
    return await OPERATIONS[command.operation]({ storage, config }, values)
  } finally {
    await storage.close()
  }
}

/** The folder may be in use by a server that is just starting or stopping, or by other commands: wait for them. */
async function openPatiently(
  operation: OperationName,
  values: Record<string, string>,
  environment: Environment,
  setup: Setup,
): Promise<{ storage: Storage } | { result: unknown }> {
  const end = performance.now() + WAIT_FOR_FOLDER_MS
  for (;;) {
    try {
      return { storage: await setup.openStorage(environment) }
    } catch (error) {
      if (!(error instanceof FolderInUse) || performance.now() >= end) throw error
      // Not all at the same moment again.
      await Bun.sleep(25 + Math.random() * 75)
      const answered = await askServer(environment.dataDir, operation, values)
      if (answered) return answered
    }
  }
}

const WAIT_FOR_FOLDER_MS = 30_000

async function runSandbox(parsed: Arguments): Promise<void> {
  const written = parsed.values.port ?? '0'
  const port = /^\d{1,5}$/.test(written) ? Number(written) : Number.NaN
  if (!(port <= 65_535)) throw new UsageError('--port must be a number from 0 to 65535')
  try {
    const server = startSandboxServer({ host: parsed.values.host ?? '127.0.0.1', port, faults: true })
    process.stdout.write(`sandbox listening on ${server.url}\n`)
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.on(signal, () => server.stop().then(() => process.exit(0)))
  } catch (error) {
    throw new UsageError(`cannot listen on port ${port}: ${error instanceof Error ? error.message : error}`)
  }
}

function failed(printed: unknown): number {
  const result = printed instanceof Report ? printed.result : printed
  const bad = typeof result === 'object' && result !== null && 'ok' in result && result.ok === false
  if (bad) process.stderr.write('not in order: see the list above\n')
  return bad ? 1 : 0
}

export function mistakesError(mistakes: Parameters<typeof formatMistakes>[0]): UsageError {
  return new UsageError(formatMistakes(mistakes))
}
