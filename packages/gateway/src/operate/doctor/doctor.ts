// The checks of `doctor`, as a running server makes them: all at once, each for a few seconds, one examination at a time.
import { descriptorLimit } from '@trivium/http/system/descriptors.ts'
import { describeSystemError } from '../../config/system-error.ts'
import { fileInForce } from '../../config/watch.ts'
import { NOTHING } from '../../request/schema/schema.ts'
import { createConcurrencyLimit } from '../../sharing/concurrency-limit.ts'
import type { Storage } from '../../storage/storage.ts'
import { probeUpstream } from '../../upstreams/diagnostics/probe-upstream.ts'
import { readState } from '../configuration/change.ts'
import { unusedIn } from '../configuration/exchange.ts'
import { isoTime } from '../inputs/fields.ts'
import { type OperationContext, operation } from '../operation.ts'
import { DOCTOR } from '../resources/system.ts'
import { listNodes } from '../system/nodes.ts'
import { checkSecrets, type ServerState, showServerState } from '../system/server-state.ts'
import { serverOf } from '../system/system.ts'
import { machineQuestions } from './machine.ts'
import { answer, type Check, type Finding, type Question } from './question.ts'
import { DATABASE, requirementQuestions } from './requirements.ts'
import {
  clockQuestion,
  describeSecrets,
  mailQuestion,
  mediaQuestion,
  referenceQuestions,
  revisionNote,
  SECRETS_ADVICE,
  STORED_ADVICE,
  serverQuestion,
  tokenQuestions,
  upstreamCheck,
} from './services.ts'
import { warningsOfStore } from './store-warnings.ts'
import { checkedTables } from './tables.ts'
import { writeProbe } from './write-probe.ts'

/** Operators who ask at the same time get the same answer. */
const EXAMINE_EVERY_MS = 10_000
const STATE_WITHIN_MS = 5_000
/** Upstreams that are called at once. */
const MOST_CALLS = 8

type Report = { id: string; checked_at: string; ok: boolean; checks: Check[] }
const KNOWN = new WeakMap<Storage, { at: number; report: Promise<Report> }>()

export const runDoctor = operation({
  name: 'system doctor',
  permission: 'configuration',
  route: { at: 'GET system/doctor', summary: 'Checks the node that answers, and all that it needs', output: DOCTOR },
  input: NOTHING,
  async run(context): Promise<Report> {
    const known = KNOWN.get(context.storage)
    if (known && performance.now() - known.at < EXAMINE_EVERY_MS) return await known.report
    const report = examine(context)
    const entry = { at: Number.POSITIVE_INFINITY, report }
    KNOWN.set(context.storage, entry)
    return await report.finally(() => {
      entry.at = performance.now()
    })
  },
})

async function examine(context: OperationContext): Promise<Report> {
  const { environment } = serverOf(context)
  const { config } = context
  const state = await ownState(context)
  const questions: Question[] = [
    {
      check: 'runtime',
      advice: 'install the version that package.json requires',
      ask: () => `Bun ${Bun.version} on ${process.platform} ${process.arch}`,
    },
    {
      check: 'configuration',
      advice: 'correct the file',
      ask: () => ({
        note: `${fileInForce(environment, config) ?? 'no file, defaults'}: ${config.upstreams.size} upstreams, ${config.models.size} models`,
        warnings: [...environment.warnings, ...config.warnings],
      }),
    },
    {
      check: 'data folder',
      advice: 'free disk space, or give the folder to the user that runs the server, with mode 0700',
      ask: () => (writeProbe(environment.dataDir) ? `${environment.dataDir} can be written` : 'it does not exist'),
    },
    ...machineQuestions(environment, config, [state], Date.now()),
    serverQuestion([state]),
    {
      check: DATABASE,
      advice: 'check that the database runs and that DATABASE_URL names it',
      ask: () => database(context, state.database_ms),
    },
    ...requirementQuestions(context.storage),
    clockQuestion([state], state.time, undefined),
    { check: 'stored configuration', advice: STORED_ADVICE, ask: () => stored(context) },
    {
      check: 'secrets',
      advice: SECRETS_ADVICE,
      ask: async () => describeSecrets(await checkSecrets.run(context, {})),
    },
    ...referenceQuestions(state.configuration.references ?? []),
    ...mailQuestion(config),
    ...tokenQuestions(config),
    mediaQuestion(environment, config),
    {
      check: 'nodes',
      advice: 'give all nodes the same configuration file and environment, then reload or restart them',
      ask: () => nodes(context),
    },
  ]
  const answers = questions.map((question) => answer(question, describeSystemError))
  const all = (await Promise.all([...answers, ...upstreams(context)])).flat()
  // A database that does not answer lacks nothing else.
  const isReached = all.find(({ check }) => check === DATABASE)?.ok
  const checks = all.filter(({ check }) => isReached || !check.startsWith(`${DATABASE} `))
  return { id: 'doctor', checked_at: isoTime(Date.now()), ok: checks.every(({ ok }) => ok), checks }
}

/** Also while the database does not answer. */
async function ownState(context: OperationContext): Promise<ServerState> {
  const late = Promise.withResolvers<ServerState>()
  const now = Date.now()
  const silent: ServerState = {
    ready: false,
    faults: ['the database does not answer'],
    time: now,
    store_time: now,
    database_ms: STATE_WITHIN_MS,
    descriptors: { limit: descriptorLimit(), open: null },
    configuration: { file: null, problem: null },
  }
  const timer = setTimeout(() => late.resolve(silent), STATE_WITHIN_MS)
  const asked = showServerState.run(context, {}).catch(() => silent)
  return await Promise.race([asked, late.promise]).finally(() => clearTimeout(timer))
}

async function database({ storage, config }: OperationContext, tookMs: number): Promise<Finding> {
  const warnings = await warningsOfStore(storage, config)
  return { note: `responds within ${tookMs} ms, ${await checkedTables(storage)}`, warnings }
}

async function stored(context: OperationContext): Promise<Finding> {
  const { stored: found, loaded } = await readState(context)
  return { note: revisionNote(String(found.revision)), warnings: unusedIn(loaded) }
}

async function nodes(context: OperationContext): Promise<string> {
  const { items } = await listNodes.run(context, {})
  const drifting = items.filter(({ drift }) => drift).map(({ id }) => id)
  if (drifting.length > 0) throw new Error(`configurations differ: nodes ${drifting.join(', ')}`)
  return `${items.length} running, all with the same configuration`
}

/** With calls that cost nothing. */
function upstreams({ config, routing }: OperationContext): Promise<Check[]>[] {
  const send = routing?.send
  if (!send) return []
  const limit = createConcurrencyLimit(MOST_CALLS, config.upstreams.size)
  const real = [...config.upstreams.values()].filter(({ embedded }) => !embedded)
  return real.map(async (upstream) => {
    const found = await limit.run(() => probeUpstream(send, upstream))
    return found ? [upstreamCheck(upstream, found)] : []
  })
}
