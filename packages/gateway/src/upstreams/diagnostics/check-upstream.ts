// Checks an upstream with one short real request per key and dialect.

import type { CanonicalReply } from '@trivium/protocol/canonical/reply.ts'
import type { CanonicalRequest } from '@trivium/protocol/canonical/request.ts'
import type { ImageDialectId } from '@trivium/protocol/dialects/image-services.ts'
import { type DialectId, TEXT_DIALECTS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import { dialectsOf } from '../../config/upstream-dialects.ts'
import { DEFAULT_TYPE, MODEL_TYPES, type ModelType, modalityOf } from '../../modalities/index.ts'
import { dialectFor, upstreamPath } from '../endpoint.ts'
import type { Send } from '../send.ts'
import { checkImages } from './check-images.ts'
import { parsed, type TimedResult, timedRequest } from './timed-request.ts'

/** `key`: counted from 1; null: the upstream takes none. */
export type Check = TimedResult & { key: number | null; dialect: DialectId }

/** Its name at the upstream. */
export type CheckedModel = { name: string; type: ModelType }

/** How models of a type are tried. `cost`: what a call costs. `once`: in one dialect, since it is expensive. */
type ModelCheck = {
  cost: string
  once?: true
  check(send: Send, upstream: Upstream, dialect: DialectId, model: string): Promise<TimedResult>
}
/** Models of other types take too long, or cost too much. */
export const MODEL_CHECKS: Readonly<Partial<Record<ModelType, ModelCheck>>> = {
  text: {
    cost: 'a few tokens',
    check: (send, upstream, dialect, model) => checkText(send, upstream, dialect as TextDialectId, model),
  },
  image: {
    cost: 'one image',
    once: true,
    check: (send, upstream, dialect, model) => checkImages(send, upstream, dialect as ImageDialectId, model),
  },
}

/** The type of a model that is not configured: the first that the upstream can serve. */
export const typeAt = (upstream: Upstream): ModelType =>
  MODEL_TYPES.find((type) => MODEL_CHECKS[type] && dialectFor(upstream, type)) ?? DEFAULT_TYPE

/** The lowest cap that all vendors accept. */
const MAX_OUTPUT = 16
const SHOWN_CHARACTERS = 60

/** `model` undefined: only the URL and the keys are checked, if the upstream has a health path. */
export async function checkUpstream(send: Send, upstream: Upstream, model: CheckedModel | undefined): Promise<Check[]> {
  const checks: Check[] = []
  const type = model?.type ?? typeAt(upstream)
  const dialects = dialectsOfModel(upstream, type)
  // One after the other, because all keys may share a rate limit.
  for (const [index, key] of (upstream.keys.length > 0 ? upstream.keys : ['none']).entries()) {
    for (const dialect of model === undefined ? dialects.slice(0, 1) : dialects) {
      const one = { ...upstream, keys: [key] }
      const result =
        model === undefined
          ? await checkHealthPath(send, one, dialect)
          : await (MODEL_CHECKS[type]?.check ?? checkHealthPath)(send, one, dialect, model.name)
      checks.push({ key: upstream.keys.length > 0 ? index + 1 : null, dialect, ...result })
    }
  }
  return checks
}

/** The upstream's order: those of its kind first. */
function dialectsOfModel(upstream: Upstream, type: ModelType): readonly DialectId[] {
  const { dialects } = modalityOf(type)
  const [preferred] = [dialectFor(upstream, type)]
  if (preferred !== undefined && MODEL_CHECKS[type]?.once) return [preferred]
  const served = dialectsOf(upstream).filter((dialect) => dialects.includes(dialect))
  return served.length > 0 ? served : dialects
}

async function checkText(send: Send, upstream: Upstream, dialect: TextDialectId, model: string): Promise<TimedResult> {
  const { body } = TEXT_DIALECTS[dialect].encodeRequest(request(dialect, model), {
    model,
    maxOutput: undefined,
    ...(upstream.service ? { service: upstream.service } : {}),
    warn: () => {},
    unseal: () => undefined,
    fetched: () => ({ kind: 'inline', mime: 'image/png', data: '' }),
  })
  const outgoing = { path: upstreamPath(upstream, dialect, model, false), body: [Buffer.from(JSON.stringify(body))] }
  return await timedRequest(send, upstream, { ...outgoing, dialect }, (text) => {
    const decoded = TEXT_DIALECTS[dialect].decodeReply(parsed(text))
    if (decoded.ok) return { answer: startOf(decoded.reply) }
    return {
      problem: `the response is not in the ${dialect} dialect; is base_url right? ${decoded.error.message}`.trim(),
    }
  })
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

function request(from: TextDialectId, model: string): CanonicalRequest {
  return {
    from: TEXT_DIALECTS[from].origin,
    model,
    stream: false,
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
