// `trivium doctor`: the first checks to make when something does not work.
import { accessSync, constants, existsSync } from 'node:fs'
import type { Environment } from '../../config/types.ts'
import { FolderInUse, type Storage } from '../../storage/storage.ts'
import type { ProbeState } from '../../upstreams/diagnostics/probe-upstream.ts'
import type { CommandContext } from '../context.ts'
import { PROGRAM, START } from '../program.ts'
import { align } from '../table.ts'
import { storeWarnings } from './store-warnings.ts'
import { describeProbes, probeAll } from './upstream-probes.ts'

/** `advice`: what to do if the check failed. `remarks`: warnings. */
type Check = { check: string; ok: boolean; note: string; advice: string | null; remarks: readonly string[] }
type Finding = string | { note: string; remarks: readonly string[] }
export type DoctorReport = { ok: boolean; checks: Check[] }

/** `ask` throws if the check fails. */
type Question = { check: string; advice: string; ask(): Finding | Promise<Finding> }

export async function doctor(context: CommandContext): Promise<DoctorReport> {
  const checks: Check[] = []
  const examine = async (question: Question) => checks.push(await answer(question))
  const questions: Question[] = [
    {
      ...{ check: 'runtime', advice: 'install the version that package.json requires' },
      ask: () => `Bun ${Bun.version} on ${process.platform} ${process.arch}`,
    },
    {
      ...{ check: 'environment', advice: 'correct the variable and restart' },
      ask: () => `host ${context.environment().host}, port ${context.environment().port}`,
    },
    {
      ...{ check: 'configuration', advice: `correct the file; '${PROGRAM} config check' shows the same list` },
      ask: () => describeConfig(context),
    },
    {
      check: 'data folder',
      advice: `set TRIVIUM_DATA to the server's data folder, or start the server once to create it (${START})`,
      ask: () => describeFolder(context.environment()),
    },
    {
      check: 'store',
      advice: 'correct TRIVIUM_DATA or DATABASE_URL, or restore a copy of the data (docs/backup.md)',
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
    const { note, remarks } = typeof found === 'string' ? { note: found, remarks: [] } : found
    return { check, ok: true, note, advice: null, remarks }
  } catch (error) {
    return { check, ok: false, note: error instanceof Error ? error.message : String(error), advice, remarks: [] }
  }
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
      remarks: [],
    }
  })
}

/** One line per check, followed by advice and warnings. */
export function describeDoctor({ checks }: DoctorReport): string {
  const rows = checks.flatMap(({ check, ok, note, advice, remarks }) => {
    const [first = '', ...more] = note.split('\n')
    return [
      [ok ? 'ok' : 'FAILED', check, first],
      ...more.map((line) => ['', '', line]),
      ...(advice === null ? [] : [['', '', `-> ${advice}`]]),
      ...remarks.map((remark) => ['', '', `warning: ${remark}`]),
    ]
  })
  return `${align(rows, [false, false, false], '  ').join('\n')}\n`
}

function describeConfig(context: CommandContext): Finding {
  const environment = context.environment()
  const { models, mediaModels, upstreams, warnings } = context.config(environment)
  const file = environment.configFile ?? 'no file, defaults'
  const note = `${file}: ${upstreams.size} upstreams, ${models.size + (mediaModels?.size ?? 0)} models`
  return { note, remarks: [...environment.warnings, ...warnings] }
}

function describeFolder({ dataDir, databaseUrl }: Environment): string {
  // With PostgreSQL the folder is created by the first server on this machine.
  if (!existsSync(dataDir) && databaseUrl) return `${dataDir} does not exist; a server on this machine creates it`
  if (!existsSync(dataDir)) throw new Error(`the folder ${dataDir} does not exist`)
  accessSync(dataDir, constants.R_OK | constants.W_OK)
  return `${dataDir} can be written`
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
  const list = nodes.map(({ slot, config }) => `node ${slot} has ${shorten(config)}`).join(', ')
  if (configs.size > 1) throw new Error(`configurations differ: ${list}; here it is ${here}`)
  if (!configs.has(here)) throw new Error(`the configuration here, ${here}, differs from that of the nodes: ${list}`)
  return `${nodes.length} running, all with configuration ${here}`
}

const shorten = (hash: string): string => hash.slice(0, 12)

async function describeStore(context: CommandContext): Promise<Finding> {
  const environment = context.environment()
  const note = await askStore(context, environment)
  return { note, remarks: await storeWarnings(context, environment, context.config(environment)) }
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
