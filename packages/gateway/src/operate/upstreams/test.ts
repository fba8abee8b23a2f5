// Tests of upstreams with real calls at the operator's expense: what they cost at most, and what they did cost, which is booked in the
// ledger on nobody's balance.
import { createSandbox } from '@trivium/sandbox/handler.ts'
import type { Static } from 'typebox'
import { MULTIPLIER_ONE } from '../../config/sections/groups.ts'
import type { CloudEnvironment } from '../../config/settings/cloud-variables.ts'
import type { FileConfig, Upstream } from '../../config/types.ts'
import { modalityOf } from '../../modalities/index.ts'
import type { Capability, ModelRoute } from '../../modalities/modality.ts'
import { formatUsd, type Nanos } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { boolean, fields, optional, text } from '../../request/schema/schema.ts'
import { createCredentials, NO_CLOUDS } from '../../upstreams/credentials/index.ts'
import { createSourceTools } from '../../upstreams/credentials/sources/tools.ts'
import {
  type Check,
  type CheckedModel,
  checkUpstream,
  MODEL_CHECKS,
  plannedChecks,
  typeAt,
} from '../../upstreams/diagnostics/check-upstream.ts'
import { createSend, type Send } from '../../upstreams/send.ts'
import { auditEntry, audited, type OperationContext, operation, preview } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { UPSTREAM_TEST } from '../resources/upstreams.ts'
import { configuredUpstream, UPSTREAM_ID } from './configured.ts'
import { limitCalls } from './limit-calls.ts'

const TEST = fields({
  upstream: UPSTREAM_ID,
  /** Its name here or at the upstream; absent: the first that is routed to it. */
  model: optional(text({ min: 0, max: 300 })),
  /** Only what it would cost at most: nothing is called. */
  estimate: optional(boolean()),
})
type Input = Static<typeof TEST>

/** If an upstream has more keys than this, only the first ones are tested. */
const MOST_CALLS = 32
/** No further call is begun after this. */
const TOTAL_MS = 300_000

/** Calls an upstream with each of its keys and in each of its dialects, streamed and unstreamed, or for an image. */
export const testUpstream = operation({
  name: 'upstream test',
  permission: 'configuration',
  route: {
    at: 'POST upstreams/{upstream}/test',
    summary: 'Calls an upstream with each of its keys, and books the cost to the ledger account tests',
    output: UPSTREAM_TEST,
    example: { body: { model: 'gpt-x', estimate: true } },
  },
  input: TEST,
  async run(context, input) {
    const planned = planTest(context.config, input)
    if (input.estimate) return estimateOf(planned)
    const object = `upstream/${input.upstream}`
    return await runAndBook(context, planned, { name: 'upstream test', object, of: `the upstream ${input.upstream}` })
  },
})

/** Calls the upstream, and books what that cost. `of`: what is tested, for the ledger. */
export async function runAndBook(
  context: OperationContext,
  planned: Planned,
  { name, object, of }: { name: string; object: string; of: string },
) {
  const { actor, storage, routing, clouds } = context
  const { model, calls, cost_at_most_usd } = estimateOf(planned)
  preview(context, name, { object, after: { model, calls, cost_at_most_usd } })
  return await limitCalls(actor, async () => {
    // What a test costs could not be booked without a store.
    await storage.ping()
    const { cost, ...tested } = await runTest(planned, routing?.send ?? ownSend(clouds))
    const change = { object, after: { model: tested.model, ok: tested.ok, cost_usd: tested.cost_usd } }
    if (cost > 0n)
      await audited(context, name, change).upstreams.bookTest(cost, `test of ${of} with the model ${tested.model}`)
    else await storage.auditLog.add(auditEntry(context, name, change))
    return { ...tested, booked: cost > 0n }
  })
}

/** The same without a store: a gateway that does not run yet has none, and books nothing. */
export async function testWithoutStore(config: FileConfig, input: Input, clouds?: CloudEnvironment) {
  const planned = planTest(config, input)
  if (input.estimate) return estimateOf(planned)
  const { cost: _, ...tested } = await runTest(planned, ownSend(clouds))
  return { ...tested, booked: false }
}

export type Tested = Awaited<ReturnType<typeof testWithoutStore>>

/** For a process that serves nothing. `clouds`: the variables that its credentials may come from. */
export function ownSend(clouds: CloudEnvironment = NO_CLOUDS): Send {
  const credentials = createCredentials({
    now: Date.now,
    after(ms, run) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    tools: createSourceTools(clouds, { now: Date.now }),
    // Whoever asked is told why.
    log: { warn() {}, info() {} },
  })
  return createSend(createSandbox({ faults: false }), { credentials })
}

export type Planned = { upstream: Upstream; model: RoutedModel | undefined; checks: ReturnType<typeof plannedChecks> }

function planTest(config: FileConfig, { upstream: id, model: named }: Input): Planned {
  const upstream = configuredUpstream(config, id)
  const routed = routedModels(config, id).filter(({ type }) => MODEL_CHECKS[type])
  const model = named === undefined ? routed[0] : modelNamed(routed, upstream, named)
  if (model === undefined && upstream.healthPath === undefined)
    throw rejected('no_routed_model', { field: 'model', upstream: id })
  return { upstream, model, checks: plannedChecks(upstream, model) }
}

/** A routed model: its name here, what to check, and what that costs the operator, if it is known; `price`: by what. */
export type RoutedModel = CheckedModel & {
  id: string | undefined
  rate: AnyPrice | undefined
  price: PriceSource | null
  /** Absent: not known. */
  capabilities?: readonly Capability[] | undefined
}
type PriceSource = 'cost' | 'price' | 'list'

/** All models that this upstream serves, whatever their type. */
export function routedModels({ models }: FileConfig, id: string): RoutedModel[] {
  return [...models.values()].flatMap((model) => {
    const route: ModelRoute | undefined = model.routes.find(({ upstream }) => upstream === id)
    if (!route) return []
    const known: unknown = route.cost ?? model.price
    const rate = known === undefined ? undefined : modalityOf(model.type).rateOf(known, MULTIPLIER_ONE)
    const price = known === undefined ? null : route.cost === undefined ? 'price' : 'cost'
    const { type, capabilities } = model
    return [{ id: model.id, name: route.model, baseModel: route.baseModel, type, rate, price, capabilities }]
  })
}

/** `named` may be the name here or at the upstream. */
export function modelNamed(routed: readonly RoutedModel[], upstream: Upstream, named: string): RoutedModel {
  const known = routed.find(({ id }) => id === named) ?? routed.find(({ name }) => name === named)
  return known ?? { id: undefined, name: named, type: typeAt(upstream), rate: undefined, price: null }
}

export function estimateOf({ upstream, model, checks }: Planned) {
  const bound = model?.rate && MODEL_CHECKS[model.type]?.bound(model.rate)
  const calls = Math.min(MOST_CALLS, checks.length)
  const most = isFree(upstream, model) ? 0n : bound === undefined ? undefined : bound * BigInt(calls)
  return {
    ok: true,
    upstream: upstream.id,
    kind: upstream.kind,
    base_url: upstream.baseUrl,
    keys: upstream.keys.length,
    health_path: upstream.healthPath ?? null,
    model: model?.name ?? null,
    type: model?.type ?? null,
    calls,
    price: model?.price ?? null,
    cost_at_most_usd: usdOrNull(most),
    cost_usd: usdOrNull(isFree(upstream, model) ? 0n : undefined),
    unknown_costs: 0,
    not_tested: checks.length,
    checks: [] as Shown[],
    booked: false,
  }
}

/** Embedded models cost the operator nothing, and lists of models nobody. */
export const isFree = ({ embedded }: Upstream, model: RoutedModel | undefined): boolean => embedded === true || !model

async function runTest(planned: Planned, send: Send) {
  const { upstream, model, checks: all } = planned
  const end = performance.now() + TOTAL_MS
  const made = await checkUpstream(send, upstream, model, all.slice(0, MOST_CALLS), () => performance.now() > end)
  const checks = made.map((check) => ({ check, cost: isFree(upstream, model) ? 0n : costOf(check, model) }))
  const known = checks.flatMap(({ cost }) => cost ?? [])
  const cost = known.reduce((sum, each) => sum + each, 0n)
  return {
    ...estimateOf(planned),
    ok: made.every(({ ok }) => ok),
    cost,
    cost_usd: usdOrNull(known.length > 0 ? cost : undefined),
    unknown_costs: checks.length - known.length,
    not_tested: all.length - made.length,
    checks: checks.map(({ check, cost }) => shown(check, cost)),
  }
}

/** Vendors do not bill rejected requests. A call without a response may have been billed: that is not known. */
export function costOf(
  { status, costAt }: Pick<Check, 'status' | 'costAt'>,
  model: RoutedModel | undefined,
): Nanos | undefined {
  if (status === null) return undefined
  if (status < 200 || status >= 300) return 0n
  return model?.rate && costAt?.(model.rate)
}

type Shown = ReturnType<typeof shown>
const shown = ({ costAt: _, ...check }: Check, cost: Nanos | undefined) => ({ ...check, cost_usd: usdOrNull(cost) })

export const usdOrNull = (amount: Nanos | undefined): string | null => (amount === undefined ? null : formatUsd(amount))
