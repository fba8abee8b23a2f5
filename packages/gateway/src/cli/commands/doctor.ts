// `trivium doctor`: the first checks to make when something does not work.
import { accessSync, constants, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeSystemError } from '../../config/system-error.ts'
import type { Environment } from '../../config/types.ts'
import { WrongSchema } from '../../storage/migrations/migrations.ts'
import { FolderInUse, NoDatabase, type Storage, StoreDown } from '../../storage/storage.ts'
import type { ProbeState } from '../../upstreams/diagnostics/probe-upstream.ts'
import type { CommandContext } from '../context.ts'
import { PROGRAM, START } from '../program.ts'
import { align } from '../table.ts'
import { storeWarnings } from './store-warnings.ts'
import { describeProbes, probeAll } from './upstream-probes.ts'

/** `advice`: what to do if the check failed. */
type Check = { check: string; ok: boolean; note: string; advice: string | null; warnings: readonly string[] }
type Finding = string | { note: string; warnings: readonly string[] }
/** More than a block, which a full disk may still have. */
const PROBE_BYTES = 256 * 1024

export type DoctorReport = { ok: boolean; checks: Check[] }

/** `ask` throws if the check fails; `advice` may depend on the reason. */
type Question = { check: string; advice: string | ((error: unknown) => string); ask(): Finding | Promise<Finding> }

export async function doctor(context: CommandContext): Promise<DoctorReport> {
  const checks: Check[] = []
  const examine = async (question: Question) => checks.push(await answer(question))
  const questions: Question[] = [
    {
      check: 'runtime',
      advice: 'install the version that package.json requires',
      ask: () => `Bun ${Bun.version} on ${process.platform} ${process.arch}`,
    },
    {
      check: 'environment',
      advice: 'correct the variable and restart',
      ask: () => `host ${context.environment().host}, port ${context.environment().port}`,
    },
    {
      check: 'configuration',
      advice: `correct the file; '${PROGRAM} config check' shows the same list`,
      ask: () => describeConfig(context),
    },
    {
      check: 'data folder',
      advice: folderAdvice,
      ask: () => describeFolder(context.environment()),
    },
    {
      check: 'database',
      advice: storeAdvice,
      ask: () => describeStore(context),
    },
  ]
  for (const question of questions) {
    await examine(question)
    // Without a data folder, the store check would report the same again.
    if (question.check === 'data folder' && !checks.at(-1)?.ok) break
  }
  if (checks.some(({ check, ok }) => check === 'configuration' && ok)) checks.push(...(await examineUpstreams(context)))
  // With SQLite there is only one node.
  if (checks.every(({ ok }) => ok) && context.environment().databaseUrl) {
    const advice = 'give all nodes the same configuration file and environment, then reload or restart them'
    await examine({ check: 'nodes', advice, ask: () => describeNodes(context) })
  }
  return { ok: checks.every(({ ok }) => ok), checks }
}

async function answer({ check, advice, ask }: Question): Promise<Check> {
  try {
    const found = await ask()
    const { note, warnings } = typeof found === 'string' ? { note: found, warnings: [] } : found
    return { check, ok: true, note, advice: null, warnings }
  } catch (error) {
    const told = typeof advice === 'string' ? advice : advice(error)
    return { check, ok: false, note: describeSystemError(error), advice: told, warnings: [] }
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
  if (error instanceof WrongSchema)
    return 'start the version of Trivium that wrote the data, or begin with an empty store'
  if (error instanceof NoDatabase) return `start the server once to create it (${START})`
  if (error instanceof StoreDown) return 'check that the database runs and that DATABASE_URL names it'
  return 'correct TRIVIUM_DATA, DATABASE_URL or TRIVIUM_SECRET; if the data is damaged, restore a copy (docs/backup.md)'
}

const UPSTREAM_ADVICE: Readonly<Partial<Record<ProbeState, string>>> = {
  unreachable: 'check base_url, DNS, firewall and certificate, and that the service runs',
  'key rejected': 'replace the key in the configuration, or check its permissions',
  failing: "the service itself fails; check its status page, and run 'upstream test'",
}

/** Probes all real upstreams concurrently, with calls that cost nothing. */
async function examineUpstreams(context: CommandContext): Promise<Check[]> {
  const { upstreams } = context.config(context.environment())
  const probes = await probeAll({ upstreams: new Map([...upstreams].filter(([, { embedded }]) => !embedded)) })
  return Object.entries(probes).map(([id, found]) => {
    const bad = found.find(({ state }) => UPSTREAM_ADVICE[state] !== undefined)
    const known = found.find(({ note }) => note !== null)
    const said = (bad ?? known)?.note
    const note = `${describeProbes(found)}${said === undefined || said === null ? '' : `: ${said}`}`
    return {
      check: `upstream ${id}`,
      ok: !bad,
      note,
      advice: bad ? (UPSTREAM_ADVICE[bad.state] ?? null) : null,
      warnings: [],
    }
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

function describeConfig(context: CommandContext): Finding {
  const environment = context.environment()
  const { models, upstreams, warnings } = context.config(environment)
  const file = environment.configFile ?? 'no file, defaults'
  const note = `${file}: ${upstreams.size} upstreams, ${models.size} models`
  return { note, warnings: [...environment.warnings, ...warnings] }
}

function describeFolder({ dataDir, databaseUrl }: Environment): string {
  // With PostgreSQL the folder is created by the first server on this machine.
  if (!existsSync(dataDir) && databaseUrl) return `${dataDir} does not exist; a server on this machine creates it`
  if (!existsSync(dataDir)) throw new Error(`the folder ${dataDir} does not exist`)
  accessSync(dataDir, constants.R_OK | constants.W_OK)
  writeProbe(join(dataDir, `doctor-${process.pid}.tmp`))
  return `${dataDir} can be written`
}

/** Permissions say nothing of a full disk. */
function writeProbe(file: string): void {
  try {
    writeFileSync(file, new Uint8Array(PROBE_BYTES), { mode: 0o600, flush: true })
  } finally {
    rmSync(file, { force: true })
  }
}

async function withStore<T>(context: CommandContext, environment: Environment, work: (storage: Storage) => Promise<T>) {
  const storage = await context.openStorage(environment)
  return await work(storage).finally(() => storage.close())
}

/** Nodes with different configurations may handle or price the same request differently. */
async function describeNodes(context: CommandContext): Promise<string> {
  const environment = context.environment()
  const here = shorten(context.config(environment).hash)
  const nodes = await withStore(context, environment, (storage) => storage.nodes.live())
  if (nodes.length === 0) return `no node is running; configuration ${here} here`
  const configs = new Set(nodes.map(({ config }) => shorten(config)))
  const list = nodes.map(({ nodeId, config }) => `node ${nodeId} has ${shorten(config)}`).join(', ')
  if (configs.size > 1) throw new Error(`configurations differ: ${list}; here it is ${here}`)
  if (!configs.has(here)) throw new Error(`the configuration here, ${here}, differs from that of the nodes: ${list}`)
  return `${nodes.length} running, all with configuration ${here}`
}

const shorten = (hash: string): string => hash.slice(0, 12)

async function describeStore(context: CommandContext): Promise<Finding> {
  const environment = context.environment()
  const note = await askStore(context, environment)
  return { note, warnings: await storeWarnings(context, environment, context.config(environment)) }
}

async function askStore(context: CommandContext, environment: Environment): Promise<string> {
  try {
    await withStore(context, environment, (storage) => storage.ping())
    return environment.databaseUrl ? 'PostgreSQL responds' : 'SQLite opens'
  } catch (error) {
    if (error instanceof FolderInUse) return `in use: ${error.message}`
    throw error
  }
}
