// Where a request of a key would go now, by the code that routes requests: every candidate in order, with the reason for each that is not
// taken.
import {
  type DialectId,
  isTextDialect,
  TEXT_DIALECT_IDS,
  TEXT_DIALECTS,
  type TextDialectId,
} from '@trivium/protocol/dialects/index.ts'
import { admit } from '../../access/authenticate.ts'
import { authorize, keyAllowsModel } from '../../access/authorize.ts'
import type { AnyOffer, Candidate, Offer } from '../../catalogue/catalogue.ts'
import { checkGroupOffered } from '../../catalogue/offered-groups.ts'
import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import { dialectsFor } from '../../config/upstream-dialects.ts'
import { modalityOf } from '../../modalities/index.ts'
import type { RouteEdits } from '../../modalities/route-edits.ts'
import { Failure } from '../../request/failure.ts'
import { fields, idOf, optional, text, word } from '../../request/schema/schema.ts'
import {
  type CandidateDependencies,
  hasCallable,
  isLastResort,
  noRouteError,
  type Obstacle,
  obstacleTo,
} from '../../routing/find-candidate.ts'
import type { Caller } from '../../storage/storage.ts'
import { dialectFor } from '../../upstreams/endpoint.ts'
import { shown } from '../../upstreams/health/health.ts'
import { NO_DEMAND, roomAt } from '../../upstreams/limits/reservation.ts'
import { isoTime } from '../inputs/fields.ts'
import { type OperationContext, operation } from '../operation.ts'
import { rejected } from '../rejections.ts'
import { ROUTE_PREVIEW } from '../resources/upstreams.ts'
import { callerIn, catalogueOf } from './price-preview.ts'

const ROUTE = fields({
  model: text({ max: 300 }),
  /** Whose request it is. */
  key: optional(idOf('a key')),
  /** In place of a key: one of this group without restrictions. */
  group: optional(text({ max: 200 })),
  /** In which the client asks for text. */
  protocol: optional(word(...TEXT_DIALECT_IDS)),
})

export const previewRoute = operation({
  name: 'model route-preview',
  permission: 'see',
  route: {
    at: 'GET models/{model}/route-preview',
    summary: 'Shows where a request of a key would go now, and why not elsewhere',
    output: ROUTE_PREVIEW,
    example: { query: 'group=default' },
  },
  input: ROUTE,
  async run(context, { model, key, group, protocol }) {
    const caller = key === undefined ? callerIn(context, group ?? DEFAULT_GROUP) : await callerOf(context, key)
    const seen = { model, group: caller.group, key: key ?? null, node: nodeOf(context) }
    try {
      const offer = offerFor(context, caller, model)
      const deps = context.routing?.candidates ?? NO_TRAFFIC
      const offers: Offer[] = [offer, ...offer.fallbacks.filter((each) => keyAllowsModel(caller, each.model.id))]
      const candidates = offers.flatMap((each) => routesOf(each as AnyOffer, caller, deps, protocol))
      const isTaken = offers.some((each) => hasCallable(each, { caller }, deps))
      const rejection = isTaken ? null : failureOf(noRouteError(offer, { caller }, deps))
      return { ...seen, rejection, candidates: withShares(candidates) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { ...seen, rejection: failureOf(error), candidates: [] }
    }
  },
})

export type PreviewedRoute = Awaited<ReturnType<typeof previewRoute.run>>

const nodeOf = ({ routing }: OperationContext): string | null => (routing ? String(routing.nodeId) : null)

/** Outside of a server nothing is in flight, and nothing is known of the health of upstreams. */
const NO_TRAFFIC: CandidateDependencies = {
  random: Math.random,
  upstreamCalls: { isFull: () => false },
  ticker: { now: () => performance.now(), exactNow: () => performance.now() },
}

async function callerOf({ storage }: OperationContext, key: string): Promise<Caller> {
  const caller = await storage.keys.callerOf(BigInt(key))
  if (caller) return caller
  throw rejected('unknown_key', { key })
}

/** The steps of a request up to its offer. */
function offerFor(context: OperationContext, caller: Caller, model: string): AnyOffer {
  const catalogue = catalogueOf(context)
  admit(caller, Date.now)
  checkGroupOffered(caller, catalogue.config)
  return authorize(caller, model, undefined, catalogue)
}

const failureOf = ({ info: { code, message } }: Failure) => ({ code, message })

/** The keys of an upstream share its route; each may be called or not. */
function routesOf(offer: AnyOffer, caller: Caller, deps: CandidateDependencies, protocol: TextDialectId | undefined) {
  const now = deps.ticker.exactNow()
  const byRoute = Map.groupBy(offer.candidates as readonly Candidate[], ({ route }) => route)
  return [...byRoute].map(([route, all]) => {
    const { upstream } = all[0] as Candidate
    const { type } = offer.model
    const asked = protocol && modalityOf(type).dialects.includes(protocol) ? protocol : undefined
    const served = dialectFor(upstream, type) ?? null
    const dialect = asked && dialectsFor(upstream, type).includes(asked) ? asked : served
    const keys = all.map((candidate) => keyOf(candidate, dialect === null, caller, deps, now))
    const usable = keys.filter(({ reason }) => reason === null).length
    return {
      model: offer.model.id,
      upstream: upstream.id,
      upstream_model: route.model,
      dialect,
      /** Null: the protocol was not given, or makes no difference. */
      translated: asked ? dialect !== asked : null,
      priority: route.priority,
      weight: route.weight,
      changes: shownEdits(route.edits, dialect),
      keys: keys.length,
      usable_keys: usable,
      // All keys rest: why the first of them does.
      reason: usable > 0 ? null : (keys[0]?.reason ?? null),
      key_states: keys,
    }
  })
}

/** What the operator changes in the requests that are sent in this dialect. */
function shownEdits(edits: RouteEdits | undefined, dialect: DialectId | null) {
  const own = edits && dialect !== null && isTextDialect(dialect) ? edits.byDialect[dialect] : undefined
  if (!edits || !own) return null
  const { set = {}, default: usual = {}, drop = [], headers = {}, system = {} } = edits.written
  const capNames = dialect !== null && isTextDialect(dialect) ? (TEXT_DIALECTS[dialect].editable?.caps ?? []) : []
  const isApplied = (name: string, values: object | undefined) =>
    (values !== undefined && Object.hasOwn(values, name)) || capNames.includes(name)
  const shown = (values: Readonly<Record<string, unknown>>, applied: object | undefined) =>
    Object.entries(values)
      .filter(([name]) => isApplied(name, applied))
      .map(([name, value]) => ({ name, value: JSON.stringify(value) }))
  const listed = (values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).map(([name, value]) => ({ name, value }))
  return {
    set: shown(set, own.body.set),
    default: shown(usual, own.body.default),
    drop: drop.filter((name) => own.body.drop?.includes(name)),
    headers: { set: listed(headers.set), default: listed(headers.default), drop: [...(headers.drop ?? [])] },
    system: { before: system.before ?? null, after: system.after ?? null },
  }
}

function keyOf(candidate: Candidate, cannot: boolean, caller: Caller, deps: CandidateDependencies, now: number) {
  const reason: Obstacle | 'dialect_unsupported' | undefined = cannot
    ? 'dialect_unsupported'
    : obstacleTo(candidate, { caller }, deps, now)
  const isResting = reason !== undefined && UNTIL.has(reason)
  const readyAt =
    reason === 'limit_reached'
      ? roomAt(candidate.limits ?? [], NO_DEMAND, caller.account, now)
      : candidate.health.readyAt(candidate.route.model)
  const waitMs = readyAt - now
  return {
    key: shown(candidate.key),
    reason: reason ?? null,
    until: isResting ? isoTime(Date.now() + Math.max(0, waitMs)) : null,
    /** It is called nevertheless if there is no other. */
    is_last_resort: reason !== undefined && isLastResort(candidate, now),
  }
}

/** Reasons that end by themselves. */
const UNTIL: ReadonlySet<string> = new Set<Obstacle>([
  'key_rejected',
  'probing',
  'breaker_open',
  'cooling_down',
  'model_paused',
  'limit_reached',
])

/** `share`: of requests that nothing binds to an upstream. Only routes of the first priority with a usable key get any. */
function withShares(routes: readonly ReturnType<typeof routesOf>[number][]) {
  const first = routes.find(({ usable_keys }) => usable_keys > 0)
  const weightOf = ({ weight, keys, usable_keys }: (typeof routes)[number]) => (weight * usable_keys) / keys
  const isFirst = (route: (typeof routes)[number]) =>
    route.model === first?.model && route.priority === first.priority && route.usable_keys > 0
  const sum = routes.filter(isFirst).reduce((total, route) => total + weightOf(route), 0)
  return routes.map((route) => ({ ...route, share: isFirst(route) ? weightOf(route) / sum : 0 }))
}
