// What an endpoint says of how upstreams that serve it are checked.
import type { DialectId } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import type { ModelType } from '../../modalities/index.ts'
import type { Capability } from '../../modalities/modality.ts'
import type { Nanos } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import type { Check } from '../certification/check.ts'
import type { Send } from '../send.ts'
import type { ServiceChecks } from './service-check.ts'
import type { TimedResult } from './timed-request.ts'

/** `health`: of the URL and the keys alone, without a model. */
export type Mode = 'unstreamed' | 'streamed' | 'image' | 'service' | 'health'

/** `name`: at the upstream. `baseModel`: the model behind an opaque name. */
export type NamedModel = { name: string; baseModel?: string | undefined }

/** What the rules of the model are found by. */
export const ruledName = ({ name, baseModel }: NamedModel): string => baseModel ?? name

/** How models of a type are tried. `cost`: what a call costs. `once`: in one dialect, since it is expensive. */
export type ModelCheck = {
  cost: string
  once?: true
  /** The first with every key, the others with one. */
  modes: readonly [Mode, ...Mode[]]
  check(send: Send, upstream: Upstream, dialect: DialectId, model: NamedModel, mode: Mode): Promise<TimedResult>
  /** The most that one call can cost. */
  bound(rate: AnyPrice): Nanos | undefined
}

/** `capabilities`, `rate`: absent: not known. */
export type CertifiedModel = NamedModel & {
  type: ModelType
  capabilities?: readonly Capability[] | undefined
  rate?: AnyPrice | undefined
}

export type EndpointChecks = {
  services?: ServiceChecks
  /** Absent: the first check of its service. */
  model?: ModelCheck
  /** What is certified besides its services. `dialects`: in which the upstream serves models of the type. */
  certified?(upstream: Upstream, model: CertifiedModel, dialects: readonly DialectId[]): Check[]
}
