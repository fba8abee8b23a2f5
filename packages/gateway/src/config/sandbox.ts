// The embedded sandbox: its upstream, models and group, present without being configured.
import { type AnyModel, MODEL_TYPES, type ModelType, modalityOf } from '../modalities/index.ts'
import { SANDBOX_TRIAL, TRIAL } from '../money/book.ts'
import { priceVersion } from './price-version.ts'
import type { FileConfig, Upstream } from './types.ts'
import { upstreamDefaults } from './upstream-defaults.ts'

export const SANDBOX_KIND = 'sandbox'
export const SANDBOX_UPSTREAM = 'sandbox'
export const SANDBOX_GROUP = 'sandbox'

/** RFC 6761 reserves `.invalid`: nothing leaves the machine even if this URL is ever dialled. */
const SANDBOX_URL = 'http://sandbox.invalid/v1'

/** Without a circuit breaker: callers request its faults, which say nothing about the next call. */
export function sandboxUpstream(id: string): Upstream {
  return { ...upstreamDefaults(id), kind: SANDBOX_KIND, embedded: true, baseUrl: SANDBOX_URL, breaker: false }
}

/** One of each type. */
export const sandboxModels = (): AnyModel[] => MODEL_TYPES.map(sandboxModel)

function sandboxModel(type: ModelType): AnyModel {
  const { id, price, limits } = modalityOf(type).sandbox
  const routes = [{ upstream: SANDBOX_UPSTREAM, model: id, priority: 1, weight: 1, cost: undefined }]
  return { id, type, routes, price, priceVersion: priceVersion(type, price), limits } as AnyModel
}

export const SANDBOX_MODELS: readonly string[] = MODEL_TYPES.map((type) => modalityOf(type).sandbox.id)

type Routed = { routes: readonly { upstream: string }[] }

/** Whether every route of a model ends in the sandbox, so that using the model costs the operator nothing. */
export const isEmbeddedOnly = ({ routes }: Routed, upstreams: FileConfig['upstreams']): boolean =>
  routes.every(({ upstream }) => upstreams.get(upstream)?.embedded)

export const hasRealUpstream = ({ upstreams }: Pick<FileConfig, 'upstreams'>): boolean =>
  [...upstreams.values()].some(({ embedded }) => !embedded)

/** The ledger account that trial credit comes from: what is given while it buys nothing real is kept apart. */
export const trialSource = (config: Pick<FileConfig, 'upstreams'>): bigint =>
  hasRealUpstream(config) ? TRIAL : SANDBOX_TRIAL
