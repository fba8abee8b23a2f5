// Checks an upstream with one short real request per key and dialect.

import type { CanonicalReply } from '@trivium/protocol/canonical/reply.ts'
import type { CanonicalRequest } from '@trivium/protocol/canonical/request.ts'
import { type ImageDialectId, isImageDialect } from '@trivium/protocol/dialects/image-services.ts'
import type { TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { TEXT_DIALECTS } from '@trivium/protocol/dialects/index.ts'
import type { Upstream } from '../../config/types.ts'
import { imageDialectOf, upstreamPath } from '../endpoint.ts'
import type { Send } from '../send.ts'
import { checkImages } from './check-images.ts'
import { parsed, type TimedResult, timedRequest } from './timed-request.ts'

/** `key`: counted from 1; null: the upstream takes none. */
export type Check = TimedResult & { key: number | null; dialect: TextDialectId | ImageDialectId }

/** Its name at the upstream, and whether it generates images. */
export type CheckedModel = { name: string; isImage: boolean }

/** The lowest cap that all vendors accept. */
const MAX_OUTPUT = 16
const SHOWN_CHARACTERS = 60

const ALL_DIALECTS = Object.keys(TEXT_DIALECTS) as readonly TextDialectId[]

/** `model` undefined: only the URL and the keys are checked, if the upstream has a health path. */
export async function checkUpstream(send: Send, upstream: Upstream, model: CheckedModel | undefined): Promise<Check[]> {
  const checks: Check[] = []
  const dialects = dialectsOf(upstream, model)
  // One after the other, because all keys may share a rate limit.
  for (const [index, key] of (upstream.keys.length > 0 ? upstream.keys : ['none']).entries()) {
    for (const dialect of model === undefined ? dialects.slice(0, 1) : dialects) {
      const one = { ...upstream, keys: [key] }
      const result =
        model === undefined ? await checkHealthPath(send, one, dialect) : await checkModel(send, one, dialect, model)
      checks.push({ key: upstream.keys.length > 0 ? index + 1 : null, dialect, ...result })
    }
  }
  return checks
}

/** An image is requested once for each key: it is expensive. */
function dialectsOf(upstream: Upstream, model: CheckedModel | undefined): readonly Check['dialect'][] {
  const texts = upstream.endpoints.map(({ dialect }) => dialect)
  const images = imageDialectOf(upstream)
  if (images && (model?.isImage || (texts.length === 0 && upstream.images))) return [images]
  return texts.length > 0 ? texts : ALL_DIALECTS
}

async function checkModel(
  send: Send,
  upstream: Upstream,
  dialect: Check['dialect'],
  { name, isImage }: CheckedModel,
): Promise<TimedResult> {
  if (dialect === 'images' || (isImage && isImageDialect(dialect))) return checkImages(send, upstream, dialect, name)
  return checkText(send, upstream, dialect, name)
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
