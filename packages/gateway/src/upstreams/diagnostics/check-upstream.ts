// Checks an upstream with one short real request per key and dialect, and one that is streamed per dialect.

import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import type { DialectId, TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import { dialectsFor, dialectsOf, serviceOf } from '../../config/upstream-dialects.ts'
import { checkImages, imageBound } from '../../endpoints/images/checks.ts'
import type { ImageRate } from '../../endpoints/images/modality/price.ts'
import { DEFAULT_TYPE, MODEL_TYPES, type ModelType, modalityOf } from '../../modalities/index.ts'
import type { Nanos } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { NO_OPTIONS } from '../../money/prices/token-price.ts'
import type { TokenRate } from '../../money/prices/token-rate.ts'
import { dialectFor } from '../endpoint.ts'
import type { Send } from '../send.ts'
import { checkedService, checkService, firstCheck, serviceBound } from './check-service.ts'
import type { ServiceCheck } from './service-check.ts'
import { callText, startOf, textOf } from './text-call.ts'
import { parsed, type TimedResult, timedRequest } from './timed-request.ts'

/** `health`: of the URL and the keys alone, without a model. */
export type Mode = 'unstreamed' | 'streamed' | 'image' | 'service' | 'health'

/** `key`: counted from 1; null: the upstream takes none. */
export type Check = TimedResult & { key: number | null; dialect: DialectId; mode: Mode }

/** Its name at the upstream. */
export type CheckedModel = { name: string; type: ModelType }

/** How models of a type are tried. `cost`: what a call costs. `once`: in one dialect, since it is expensive. */
type ModelCheck = {
  cost: string
  once?: true
  /** The first with every key, the others with one. */
  modes: readonly [Mode, ...Mode[]]
  check(send: Send, upstream: Upstream, dialect: DialectId, model: string, mode: Mode): Promise<TimedResult>
  /** The most that one call can cost. */
  bound(rate: AnyPrice): Nanos | undefined
}
/** Models of other types take too long, or cost too much. */
export const MODEL_CHECKS: Readonly<Partial<Record<ModelType, ModelCheck>>> = {
  ...serviceChecks(),
  text: {
    cost: 'a few tokens',
    modes: ['unstreamed', 'streamed'],
    check: (send, upstream, dialect, model, mode) =>
      checkText(send, upstream, dialect as TextDialectId, model, mode === 'streamed'),
    bound: (rate) =>
      (rate as TokenRate).bound({ input: MAX_INPUT, output: MAX_OUTPUT, options: NO_OPTIONS, hasAudio: false }),
  },
  image: {
    cost: 'one image',
    once: true,
    modes: ['image'],
    bound: (rate) => imageBound(rate as ImageRate),
    check: (send, upstream, dialect, model) => checkImages(send, upstream, dialect as ImageDialectId, model),
  },
}

/** Checks of models that are neither text nor images, where the upstream has a service for them. */
function serviceChecks(): Partial<Record<ModelType, ModelCheck>> {
  const checked = MODEL_TYPES.flatMap((type) => {
    const first = firstCheck(type)
    return first ? [[type, serviceCheck(type, first)]] : []
  })
  return Object.fromEntries(checked) as Partial<Record<ModelType, ModelCheck>>
}

function serviceCheck(type: ModelType, first: ServiceCheck): ModelCheck {
  return {
    cost: 'one short request',
    once: true,
    modes: ['service'],
    bound: (rate) => serviceBound(type, first, rate),
    async check(send, upstream, dialect, name) {
      const id = checkedService(type)
      const endpoint = id && serviceOf(upstream, id)
      if (!endpoint) return await checkHealthPath(send, upstream, dialect)
      const { result, problem } = await checkService(send, upstream, endpoint, { name, type }, first)
      const text = typeof problem === 'object' ? problem.absent : problem
      return text === undefined ? result : { ...result, ok: false, problem: text }
    },
  }
}

/** The type of a model that is not configured: the first that the upstream can serve. */
export const typeAt = (upstream: Upstream): ModelType =>
  MODEL_TYPES.find((type) => MODEL_CHECKS[type] && dialectFor(upstream, type)) ?? DEFAULT_TYPE

/** The lowest cap that all vendors accept. */
const MAX_OUTPUT = 16
/** Two words, and what vendors add to them. */
const MAX_INPUT = 200
const HELLO = [{ type: 'text', text: 'Say hello.' }] as const

/** A call that is to be made. */
export type PlannedCheck = Pick<Check, 'key' | 'dialect' | 'mode'>

/** `model` undefined: only the URL and the keys are checked, if the upstream has a health path. */
export function plannedChecks(upstream: Upstream, model: CheckedModel | undefined): PlannedCheck[] {
  const type = model?.type ?? typeAt(upstream)
  const dialects = dialectsOfModel(upstream, type)
  const modes: readonly Mode[] = (model && MODEL_CHECKS[type]?.modes) ?? ['health']
  const keys = upstream.keys.length > 0 ? upstream.keys.map((_, index) => index + 1) : [null]
  return keys.flatMap((key, index) =>
    (model === undefined ? dialects.slice(0, 1) : dialects).flatMap((dialect) =>
      (index === 0 ? modes : modes.slice(0, 1)).map((mode) => ({ key, dialect, mode })),
    ),
  )
}

/** One after the other, because all keys may share a rate limit. `isOver`: what is left is not called any more. */
export async function checkUpstream(
  send: Send,
  upstream: Upstream,
  model: CheckedModel | undefined,
  planned = plannedChecks(upstream, model),
  isOver = () => false,
): Promise<Check[]> {
  const checks: Check[] = []
  for (const each of planned) {
    if (isOver()) break
    const { key, dialect, mode } = each
    // A stream of what does not answer at all would fail alike.
    if (mode === 'streamed' && checks.at(-1)?.ok === false) continue
    const one = { ...upstream, keys: [key === null ? 'none' : (upstream.keys[key - 1] ?? 'none')] }
    const check = (model && mode !== 'health' && MODEL_CHECKS[model.type]?.check) || undefined
    const result = await (check && model
      ? check(send, one, dialect, model.name, mode)
      : checkHealthPath(send, one, dialect))
    checks.push({ ...each, ...result })
  }
  return checks
}

/** The upstream's order: those of its kind first. */
function dialectsOfModel(upstream: Upstream, type: ModelType): readonly DialectId[] {
  const { dialects } = modalityOf(type)
  const [preferred] = [dialectFor(upstream, type)]
  if (preferred !== undefined && MODEL_CHECKS[type]?.once) return [preferred]
  const served = servedDialects(upstream, type)
  return served.length > 0 ? served : dialects
}

/** Those of the kind first, and what is a service of its own last. */
export function servedDialects(upstream: Upstream, type: ModelType): readonly DialectId[] {
  const served = dialectsFor(upstream, type)
  const spoken = dialectsOf(upstream).filter((dialect) => served.includes(dialect))
  return [...spoken, ...served.filter((dialect) => !spoken.includes(dialect))]
}

const checkText = (
  send: Send,
  upstream: Upstream,
  dialect: TextDialectId,
  model: string,
  stream: boolean,
): Promise<TimedResult> =>
  callText(send, upstream, dialect, model, { parts: HELLO, maxOutput: MAX_OUTPUT, stream }, (reply) => ({
    answer: startOf(textOf(reply)),
  }))

async function checkHealthPath(send: Send, upstream: Upstream, dialect: Check['dialect']): Promise<TimedResult> {
  const path = upstream.healthPath ?? ''
  const outgoing = { method: 'GET' as const, path, body: [], dialect }
  // A web page has status 200, too.
  return await timedRequest(send, upstream, outgoing, (text) => {
    const value = parsed(text)
    if (typeof value === 'object' && value !== null) return {}
    return { problem: `the response is not in the ${dialect} dialect; is base_url right? ${path} is not JSON.` }
  })
}
