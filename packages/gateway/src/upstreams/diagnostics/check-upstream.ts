// Checks an upstream with one short real request per key and dialect, and one that is streamed per dialect.

import type { StreamEvent } from '@trivium/protocol/canonical/event.ts'
import { type CanonicalReply, fold } from '@trivium/protocol/canonical/reply.ts'
import type { CanonicalRequest } from '@trivium/protocol/canonical/request.ts'
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import { type DialectId, TEXT_DIALECTS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { codec } from '../../bytes/codec.ts'
import type { Upstream } from '../../config/types.ts'
import { dialectsFor } from '../../config/upstream-dialects.ts'
import type { ImageRate } from '../../modalities/image/price.ts'
import { DEFAULT_TYPE, MODEL_TYPES, type ModelType, modalityOf } from '../../modalities/index.ts'
import type { Nanos } from '../../money/amount.ts'
import type { AnyPrice } from '../../money/prices/price.ts'
import { NO_OPTIONS } from '../../money/prices/token-price.ts'
import type { TokenRate } from '../../money/prices/token-rate.ts'
import { dialectFor, upstreamPath } from '../endpoint.ts'
import type { Send } from '../send.ts'
import { checkImages, imageBound } from './check-images.ts'
import { type CostAt, parsed, type TimedResult, timedRequest } from './timed-request.ts'

/** `health`: of the URL and the keys alone, without a model. */
export type Mode = 'unstreamed' | 'streamed' | 'image' | 'health'

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

/** The type of a model that is not configured: the first that the upstream can serve. */
export const typeAt = (upstream: Upstream): ModelType =>
  MODEL_TYPES.find((type) => MODEL_CHECKS[type] && dialectFor(upstream, type)) ?? DEFAULT_TYPE

/** The lowest cap that all vendors accept. */
const MAX_OUTPUT = 16
/** Two words, and what vendors add to them. */
const MAX_INPUT = 200
const SHOWN_CHARACTERS = 60

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
  const served = dialectsFor(upstream, type)
  return served.length > 0 ? served : dialects
}

async function checkText(
  send: Send,
  upstream: Upstream,
  dialect: TextDialectId,
  model: string,
  stream: boolean,
): Promise<TimedResult> {
  const { body } = TEXT_DIALECTS[dialect].encodeRequest(request(dialect, model, stream), {
    model,
    maxOutput: undefined,
    ...(upstream.service ? { service: upstream.service } : {}),
    warn: () => {},
    unseal: () => undefined,
    fetched: () => ({ kind: 'inline', mime: 'image/png', data: '' }),
  })
  const outgoing = {
    path: upstreamPath(upstream, dialect, model, stream),
    body: [Buffer.from(JSON.stringify(body))],
    dialect,
    ...(stream ? { stream } : {}),
  }
  return await timedRequest(send, upstream, outgoing, (text) => {
    const decoded = stream ? decodeStream(text, dialect) : TEXT_DIALECTS[dialect].decodeReply(parsed(text))
    if (decoded.ok) return { answer: startOf(decoded.reply), ...costOf(decoded.reply) }
    const what = stream ? 'stream' : 'response'
    return {
      problem: `the ${what} is not in the ${dialect} dialect; is base_url right? ${decoded.error.message}`.trim(),
    }
  })
}

type Decoded = ReturnType<(typeof TEXT_DIALECTS)[TextDialectId]['decodeReply']>

function decodeStream(text: string, dialect: TextDialectId): Decoded {
  const events: StreamEvent[] = []
  const decoder = TEXT_DIALECTS[dialect].openStreamDecoder((event) => events.push(event), codec)
  decoder.push(Buffer.from(text))
  decoder.end()
  const last = events.at(-1)
  return last?.type === 'error' ? { ok: false, error: last.error } : { ok: true, reply: fold(events) }
}

/** Only of figures that the upstream reports: nothing is estimated. */
function costOf({ usage }: CanonicalReply): { costAt?: CostAt } {
  if (usage?.input === undefined || usage.output === undefined) return {}
  return { costAt: (rate) => (rate as TokenRate).cost({ usage, options: NO_OPTIONS }).cost }
}

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

function request(from: TextDialectId, model: string, stream: boolean): CanonicalRequest {
  return {
    from: TEXT_DIALECTS[from].origin,
    model,
    stream,
    showUsage: true,
    instructions: [],
    tools: [],
    hostedTools: [],
    modalities: [],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'Say hello.' }] }],
    format: { type: 'text' },
    sampling: { maxOutput: MAX_OUTPUT },
    reasoning: {},
    untranslated: [],
  }
}

/** Empty if the model reasoned until the cap was reached. */
function startOf({ choices }: CanonicalReply): string {
  const text = choices
    .flatMap(({ blocks }) => blocks.map((block) => (block.type === 'text' ? block.text : '')))
    .join('')
  return text.replace(/\s+/g, ' ').trim().slice(0, SHOWN_CHARACTERS)
}
