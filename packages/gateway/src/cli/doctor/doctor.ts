// `trivium doctor`: the first checks to make when something does not work.
import { accessSync, constants, existsSync } from 'node:fs'
import type { Assembled } from '../../config/assemble.ts'
import type { Reference } from '../../config/secrets/references.ts'
import { describeSystemError } from '../../config/system-error.ts'
import type { Environment, FileConfig } from '../../config/types.ts'
import { machineQuestions } from '../../operate/doctor/machine.ts'
import { answer, type Check, type Finding, type Question } from '../../operate/doctor/question.ts'
import { DATABASE, requirementQuestions } from '../../operate/doctor/requirements.ts'
import {
  clockQuestion,
  mailQuestion,
  mediaQuestion,
  referenceQuestions,
  serverQuestion,
  tokenQuestions,
  upstreamCheck,
} from '../../operate/doctor/services.ts'
import { warningsOfStore } from '../../operate/doctor/store-warnings.ts'
import { checkedTables } from '../../operate/doctor/tables.ts'
import { writeProbe } from '../../operate/doctor/write-probe.ts'
import { checkTables, type ServerState, showServerState } from '../../operate/system/server-state.ts'
import { listUpstreamStates } from '../../operate/upstreams/state.ts'
import { WrongSchema } from '../../storage/migrations/migrations.ts'
import { FolderInUse, type Storage, StoreDown } from '../../storage/storage.ts'
import { loadConfiguration } from '../commands/configuration/exchange.ts'
import { keyGroupWarnings } from '../commands/store-warnings.ts'
import { probeAll } from '../commands/upstreams/upstream-probes.ts'
import type { CommandContext } from '../context.ts'
import { callEachProcess, callServer } from '../control-socket.ts'
import { NoDatabaseYet } from '../errors.ts'
import { PROGRAM, START } from '../program.ts'
import { align } from '../table.ts'
import { secretsQuestion, storedQuestion } from './stored.ts'

export type DoctorReport = { ok: boolean; checks: Check[] }

/** A server whose database hangs does not answer. */
const SERVER_WITHIN_MS = 10_000

export async function doctor(context: CommandContext): Promise<DoctorReport> {
  const checks: Check[] = []
  const examine = async (...questions: Question[]) => {
    for (const question of questions) checks.push(await answer(question, describeSystemError))
    return checks.at(-1)?.ok === true
  }
  await examine({
    check: 'runtime',
    advice: 'install the version that package.json requires',
    ask: () => `Bun ${Bun.version} on ${process.platform} ${process.arch}`,
  })
  const hasEnvironment = await examine({
    check: 'environment',
    advice: 'correct the variable and restart',
    ask: () => `host ${context.environment().host}, port ${context.environment().port}`,
  })
  const hasConfig = await examine({
    check: 'configuration',
    advice: `correct the file; '${PROGRAM} config check' shows the same list`,
    ask: () => describeConfig(context),
  })
  const hasFolder = await examine({
    check: 'data folder',
    advice: folderAdvice,
    ask: () => describeFolder(context.environment()),
  })
  const states = hasEnvironment ? await askServers(context.environment().dataDir) : []
  const askedAt = Date.now()
  if (hasConfig) {
    const [environment, config] = [context.environment(), await context.config(context.environment())]
    await examine(
      ...machineQuestions(environment, config, states, Date.now()),
      serverQuestion(states, environment.configFile ?? null),
    )
    const inFile = (await loadConfiguration(environment.configFile, context)).references
    const references = new Map(inFile.map((each) => [each.name, each]))
    const note = (more: readonly Reference[] = []) => {
      for (const each of more) references.set(each.name, each)
    }
    for (const { configuration } of states) note(configuration?.references)
    // Without a data folder, these checks would report the same again.
    const inForce = hasFolder
      ? await examineStore(context, environment, config, { states, askedAt, note }, examine)
      : config
    await examine(...referenceQuestions([...references.values()]))
    await examine(...mailQuestion(inForce), ...tokenQuestions(inForce))
    if (hasFolder) await examine(mediaQuestion(environment, inForce))
    checks.push(...(await examineUpstreams(inForce, environment)), ...(await serversUpstreams(environment, inForce)))
  }
  // With SQLite there is only one node.
  if (checks.every(({ ok }) => ok) && context.environment().databaseUrl) {
    const advice = 'give all nodes the same configuration file and environment, then reload or restart them'
    await examine({ check: 'nodes', advice, ask: () => describeNodes(context) })
  }
  return { ok: checks.every(({ ok }) => ok), checks }
}

/** One that does not answer in time is not ready. */
async function askServers(dataDir: string): Promise<ServerState[]> {
  const late = async (): Promise<ServerState[]> => {
    await Bun.sleep(SERVER_WITHIN_MS)
    return [{ ...SILENT, time: Date.now(), store_time: Date.now() }]
  }
  const asked = callEachProcess(dataDir, showServerState).catch((error: unknown) => [
    { ...SILENT, faults: [describeSystemError(error)], time: Date.now(), store_time: Date.now() },
  ])
  return await Promise.race([asked, late()])
}

const SILENT = {
  ready: false,
  faults: ['the server does not answer'],
  database_ms: 0,
  descriptors: { limit: Number.MAX_SAFE_INTEGER, open: null },
  configuration: { file: null, problem: null },
}

/** The database, and what needs it: the clocks, and what is stored and encrypted in it. Gives the configuration in force, as far as it is known here. */
async function examineStore(
  context: CommandContext,
  environment: Environment,
  config: FileConfig,
  {
    states,
    askedAt,
    note,
  }: { states: readonly ServerState[]; askedAt: number; note(references: readonly Reference[]): void },
  examine: (...questions: Question[]) => Promise<boolean>,
): Promise<FileConfig> {
  let storage: Storage | undefined
  let inForce = config
  const isAnswering = states.some(({ ready }) => ready)
  try {
    const isOpen = await examine({
      check: DATABASE,
      advice: storeAdvice,
      async ask() {
        const note = await openStore(context, environment, isAnswering, (opened) => {
          storage = opened
        })
        if (!storage) return { note, warnings: await keyGroupWarnings(context, environment, config) }
        const { assembled } = await context.configuration(environment, storage)
        return { note, warnings: await warningsOfStore(storage, assembled.config) }
      },
    })
    if (isOpen && storage) await examine(...requirementQuestions(storage))
    await examine(clockQuestion(states, askedAt, storage?.now()))
    if (isOpen && (storage || isAnswering)) {
      const use = (assembled: Assembled) => {
        inForce = assembled.config
        note(assembled.references)
      }
      await examine(storedQuestion(context, environment, storage, use))
      await examine(secretsQuestion(context, environment, config, storage))
    }
    return inForce
  } finally {
    await storage?.close()
  }
}

const FOLDER_ADVICE: Readonly<Record<string, string>> = {
  EROFS: 'make the file system writable, or set TRIVIUM_DATA to a folder on another one',
  EACCES: 'give the folder to the user that runs the server, with mode 0700',
  ENOSPC: 'free disk space; a running server accepts requests again by itself',
  EDQUOT: 'raise the disk quota; a running server accepts requests again by itself',
}

const folderAdvice = (error: unknown): string =>
  FOLDER_ADVICE[error instanceof Error && 'code' in error ? String(error.code) : ''] ??
  `set TRIVIUM_DATA to the server's data folder, or start the server once to create it (${START})`

/** A copy of the data helps only against damage. */
function storeAdvice(error: unknown): string {
  if (error instanceof WrongSchema) return 'start the server of the version that is named (docs/operate/upgrade.md)'
  if (error instanceof NoDatabaseYet) return `start the server once to create it (${START})`
  if (error instanceof Error && error.cause instanceof StoreDown)
    return 'check that the database runs and that DATABASE_URL names it'
  return 'correct TRIVIUM_DATA, DATABASE_URL or TRIVIUM_SECRET; if the data is damaged, restore a copy (docs/operate/backup.md)'
}

/** Probes all real upstreams concurrently, with calls that cost nothing. */
async function examineUpstreams({ upstreams }: FileConfig, { clouds }: Environment): Promise<Check[]> {
  const real = new Map([...upstreams].filter(([, { embedded }]) => !embedded))
  const probes = await probeAll({ upstreams: real }, clouds)
  return Object.entries(probes).map(([id, found]) => upstreamCheck({ id }, found))
}

const SOURCES = {
  stored: 'stored',
  file: 'of its configuration file',
  environment: 'of its environment',
  'built-in': 'built in',
} as const

/** Upstreams that only a running server knows, as it finds them: stored ones, and those of a file that this command does not read. */
async function serversUpstreams({ dataDir }: Environment, { upstreams }: FileConfig): Promise<Check[]> {
  const states = await callEachProcess(dataDir, listUpstreamStates).catch(() => [])
  const known = new Map(states.flatMap((each) => Object.entries(each)).filter(([id]) => !upstreams.has(id)))
  return [...known].map(([id, { keys, source = 'stored' }]) => {
    const bad = keys.find(({ state }) => state === 'open' || state === 'rejected')
    const note = bad
      ? `${bad.state}: ${bad.reason ?? 'its requests fail'}`
      : `${SOURCES[source]}, and in use by the server`
    const advice = bad ? `run 'upstream test ${id}', and correct its key or base_url` : null
    return { check: `upstream ${id}`, ok: !bad, note, advice, warnings: [] }
  })
}

/** One line per check, followed by advice and warnings. */
export function describeDoctor({ checks }: DoctorReport): string {
  const rows = checks.flatMap(({ check, ok, note, advice, warnings }) => {
    const [first = '', ...more] = note.split('\n')
    return [
      [ok ? 'ok' : 'FAILED', check, first],
      ...more.map((line) => ['', '', line]),
      ...(advice === null ? [] : [['', '', `-> ${advice}`]]),
      ...warnings.map((warning) => ['', '', `warning: ${warning}`]),
    ]
  })
  return `${align(rows, [false, false, false], '  ').join('\n')}\n`
}

async function describeConfig(context: CommandContext): Promise<Finding> {
  const environment = context.environment()
  const { models, upstreams, warnings } = await context.config(environment)
  const file = environment.configFile ?? 'no file, defaults'
  const note = `${file}: ${upstreams.size} upstreams, ${models.size} models`
  return { note, warnings: [...environment.warnings, ...warnings] }
}

function describeFolder({ dataDir, databaseUrl }: Environment): string {
  // With PostgreSQL the folder is created by the first server on this machine.
  if (!existsSync(dataDir) && databaseUrl) return `${dataDir} does not exist; a server on this machine creates it`
  if (!existsSync(dataDir)) throw new Error(`the folder ${dataDir} does not exist`)
  accessSync(dataDir, constants.R_OK | constants.W_OK)
  writeProbe(dataDir)
  return `${dataDir} can be written`
}

async function withStore<T>(context: CommandContext, environment: Environment, work: (storage: Storage) => Promise<T>) {
  const storage = await context.openStorage(environment)
  return await work(storage).finally(() => storage.close())
}

/** Nodes with different configurations may handle or price the same request differently. */
async function describeNodes(context: CommandContext): Promise<string> {
  const environment = context.environment()
  const { nodes, here } = await withStore(context, environment, async (storage) => {
    const { assembled } = await context.configuration(environment, storage)
    return { nodes: await storage.nodes.live(), here: shorten(assembled.config.hash) }
  })
  if (nodes.length === 0) return `no node is running; configuration ${here} here`
  const configs = new Set(nodes.map(({ config }) => shorten(config)))
  const list = nodes.map(({ nodeId, config }) => `node ${nodeId} has ${shorten(config)}`).join(', ')
  if (configs.size > 1) throw new Error(`configurations differ: ${list}; here it is ${here}`)
  if (!configs.has(here)) throw new Error(`the configuration here, ${here}, differs from that of the nodes: ${list}`)
  return `${nodes.length} running, all with configuration ${here}`
}

const shorten = (hash: string): string => hash.slice(0, 12)

/** A SQLite database that a server owns cannot be opened here. `mayAsk`: that server answers. */
async function openStore(
  context: CommandContext,
  environment: Environment,
  mayAsk: boolean,
  use: (storage: Storage) => void,
): Promise<string> {
  try {
    const storage = await context.openStorage(environment)
    use(storage)
    const begun = performance.now()
    await storage.ping()
    const tables = await checkedTables(storage)
    const took = `${Math.round(performance.now() - begun)} ms, ${tables}`
    return environment.databaseUrl ? `PostgreSQL responds within ${took}` : `SQLite opens, and responds within ${took}`
  } catch (error) {
    if (!(error instanceof FolderInUse)) throw error
    const answered = mayAsk ? await callServer(environment.dataDir, checkTables.name, {}) : undefined
    const tables = answered ? `, ${(answered.result as { note: string }).note}` : ''
    return `open in process ${error.owner}, as it should be while a server runs${tables}`
  }
}
