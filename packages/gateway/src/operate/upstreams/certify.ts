// The certification of an upstream: a fixed set of real calls at the operator's expense, whose results are a table that can be kept. What
// it costs is booked like that of a test.
import type { Static } from 'typebox'
import type { CloudEnvironment } from '../../config/settings/cloud-variables.ts'
import type { FileConfig, Upstream } from '../../config/types.ts'
import { MODEL_TYPES } from '../../modalities/index.ts'
import type { Nanos } from '../../money/amount.ts'
import { VERSION } from '../../observe/version.ts'
import { boolean, fields, optional, text } from '../../request/schema/schema.ts'
import type { Check } from '../../upstreams/certification/check.ts'
import { isCertified, plannedChecks } from '../../upstreams/certification/plan.ts'
import { type Ran, runChecks } from '../../upstreams/certification/run.ts'
import type { Send } from '../../upstreams/send.ts'
import { auditEntry, audited, operation, preview } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { configuredUpstream, UPSTREAM_ID } from './configured.ts'
import { limitCalls } from './limit-calls.ts'
import { costOf, isFree, modelNamed, ownSend, type RoutedModel, routedModels, usdOrNull } from './test.ts'

const CERTIFY = fields({
  upstream: UPSTREAM_ID,
  /** Its name here or at the upstream; absent: of each type the first that is routed to it. */
  model: optional(text({ max: 300 })),
  /** Only this part of the table; absent: all. */
  part: optional(text({ max: 100 })),
  /** Only what it would cost at most: nothing is called. */
  estimate: optional(boolean()),
  /** Return the scrubbed responses, too. */
  record: optional(boolean()),
})
type Input = Static<typeof CERTIFY>

/** No further call is begun after this. The command line waits for ten minutes, and a call takes up to one or two. */
const TOTAL_MS = 420_000

export const certifyUpstream = operation({
  name: 'upstream certify',
  permission: 'configuration',
  input: CERTIFY,
  async run(context, input) {
    const { actor, storage, routing, clouds } = context
    const planned = planOf(context.config, input)
    const estimate = estimateOf(planned)
    if (input.estimate) return estimate
    const object = `upstream/${input.upstream}`
    const parts = estimate.parts.map(({ part }) => part)
    const { calls, cost_at_most_usd } = estimate
    preview(context, 'upstream certify', { object, after: { parts, calls, cost_at_most_usd } })
    return await limitCalls(actor, async () => {
      // What it costs could not be booked without a store.
      await storage.ping()
      const { cost, ...result } = await certify(planned, routing?.send ?? ownSend(clouds), input)
      const change = { object, after: { parts, ok: result.ok, cost_usd: result.cost_usd } }
      const description = `certification of the upstream ${input.upstream}: ${parts.join(', ')}`
      if (cost > 0n) await audited(context, 'upstream certify', change).upstreams.bookTest(cost, description)
      else await storage.auditLog.add(auditEntry(context, 'upstream certify', change))
      return { ...result, booked: cost > 0n }
    })
  },
})

/** The same without a store: a gateway that does not run yet has none, and books nothing. */
export async function certifyWithoutStore(
  config: FileConfig,
  input: Input,
  clouds?: CloudEnvironment,
): Promise<Certification> {
  const planned = planOf(config, input)
  if (input.estimate) return estimateOf(planned)
  const { cost: _, ...result } = await certify(planned, ownSend(clouds), input)
  return result
}

export type Certification = ReturnType<typeof estimateOf>

type Planned = { upstream: Upstream; models: readonly RoutedModel[]; checks: readonly Check[] }

function planOf(config: FileConfig, { upstream: id, model: named, part }: Input): Planned {
  const configured = configuredUpstream(config, id)
  // One key is enough: 'upstream test' tries all of them.
  const upstream = { ...configured, keys: configured.keys.slice(0, 1) }
  const routed = routedModels(config, id).filter(({ type }) => isCertified(type))
  const firsts = MODEL_TYPES.flatMap((type) => routed.find((each) => each.type === type) ?? [])
  const models = named === undefined ? firsts : [modelNamed(routed, upstream, named)]
  if (models.length === 0) throw rejected('no_routed_model', { field: 'model', upstream: id })
  const all = plannedChecks(upstream, models)
  const parts = new Set(all.map((check) => check.part))
  if (part !== undefined && !parts.has(part))
    throw rejected('malformed', { field: 'part', must: `be one of ${[...parts].join(', ')}` })
  const checks = part === undefined ? all : all.filter((check) => check.part === part)
  return {
    upstream,
    models: calledBy(
      checks.filter(({ known }) => !known),
      models,
    ),
    checks,
  }
}

function estimateOf({ upstream, models, checks }: Planned) {
  const made = checks.filter(({ known }) => !known)
  const mostOf = (each: readonly Check[]) => sumOf(each.map((check) => boundOf(check, upstream, models)))
  const parts = [...new Set(checks.map(({ part }) => part))].map((part) => {
    const own = made.filter((check) => check.part === part)
    return { part, calls: own.length, cost_at_most_usd: usdOrNull(mostOf(own)) }
  })
  return {
    ok: true,
    date: new Date().toISOString().slice(0, 10),
    trivium: VERSION,
    upstream: upstream.id,
    kind: upstream.kind,
    models: models.map(shown),
    parts,
    calls: made.length,
    cost_at_most_usd: usdOrNull(mostOf(made)),
    cost_usd: usdOrNull(upstream.embedded ? 0n : undefined),
    unknown_costs: 0,
    booked: false,
    checks: [] as Ran['rows'],
    recordings: [] as { file: string; text: string }[],
  }
}

const shown = ({ name, type, price }: RoutedModel) => ({ type, model: name, price })

/** The upstream may have no endpoint for the others. */
const calledBy = (checks: readonly Check[], models: readonly RoutedModel[]): readonly RoutedModel[] =>
  models.filter((model) => checks.some(({ type }) => type === model.type))

const modelOf = ({ type }: Check, models: readonly RoutedModel[]): RoutedModel | undefined =>
  models.find((model) => model.type === type)

/** undefined: not known. */
function boundOf(check: Check, upstream: Upstream, models: readonly RoutedModel[]): Nanos | undefined {
  const model = modelOf(check, models)
  if (isFree(upstream, model) || !check.bound) return 0n
  return model?.rate && check.bound(model.rate)
}

function sumOf(amounts: readonly (Nanos | undefined)[]): Nanos | undefined {
  let sum = 0n
  for (const amount of amounts) {
    if (amount === undefined) return undefined
    sum += amount
  }
  return sum
}

async function certify(planned: Planned, send: Send, { record = false }: Input) {
  const { upstream, models, checks } = planned
  const end = performance.now() + TOTAL_MS
  const { ran, recordings } = await runChecks(send, upstream, checks, {
    isOver: () => performance.now() > end,
    records: record,
  })
  const costs = ran.flatMap(({ check, outcome }) => {
    if (!outcome) return []
    const model = modelOf(check, models)
    return [isFree(upstream, model) ? 0n : costOf(outcome, model)]
  })
  const cost = costs.reduce<Nanos>((sum, each) => sum + (each ?? 0n), 0n)
  const rows = ran.flatMap((each) => each.rows)
  const called = calledBy(
    ran.flatMap(({ check, outcome }) => (outcome ? [check] : [])),
    models,
  )
  return {
    ...estimateOf(planned),
    models: called.map(shown),
    ok: rows.every(({ result }) => result === 'passed' || result === 'not offered'),
    cost,
    cost_usd: usdOrNull(costs.some((each) => each !== undefined) ? cost : undefined),
    unknown_costs: costs.filter((each) => each === undefined).length,
    checks: rows,
    recordings,
  }
}
