// One text request to an upstream in one of its dialects, as a diagnosis sends it, and how its reply is read.
import type { StreamEvent } from '@trivium/protocol/canonical/event.ts'
import { type CanonicalReply, fold } from '@trivium/protocol/canonical/reply.ts'
import type { CanonicalRequest, Part } from '@trivium/protocol/canonical/request.ts'
import { TEXT_DIALECTS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { codec } from '../../bytes/codec.ts'
import type { Upstream } from '../../config/types.ts'
import { NO_OPTIONS } from '../../money/prices/token-price.ts'
import type { TokenRate } from '../../money/prices/token-rate.ts'
import { upstreamPath } from '../endpoint.ts'
import type { Send } from '../send.ts'
import type { NamedModel } from './endpoint-checks.ts'
import { type CostAt, parsed, type TimedResult, timedRequest } from './timed-request.ts'

/** What is asked, besides the model. Absent fields: nothing is said. */
export type Asked = { parts: readonly Part[]; maxOutput: number; stream?: boolean } & Partial<
  Pick<CanonicalRequest, 'tools' | 'hostedTools' | 'toolChoice' | 'format' | 'reasoning'>
>

/** The call to make, without the upstream's key. */
export function outgoingText(upstream: Upstream, dialect: TextDialectId, model: NamedModel, asked: Asked) {
  const stream = asked.stream === true
  const body = bodyOf(upstream, dialect, model, asked)
  return {
    path: upstreamPath(upstream, dialect, model.name, stream),
    body: [Buffer.from(JSON.stringify(body))],
    dialect,
    ...(stream ? { stream: true as const } : {}),
  }
}

export function bodyOf(
  upstream: Upstream,
  dialect: TextDialectId,
  { name: model, baseModel }: NamedModel,
  asked: Asked,
) {
  const { parts, maxOutput, stream = false, ...more } = asked
  const request: CanonicalRequest = {
    from: TEXT_DIALECTS[dialect].origin,
    model,
    stream,
    showUsage: true,
    instructions: [],
    tools: [],
    hostedTools: [],
    modalities: [],
    turns: [{ role: 'user', parts }],
    format: { type: 'text' },
    sampling: { maxOutput },
    reasoning: {},
    untranslated: [],
    ...more,
  }
  return TEXT_DIALECTS[dialect].encodeRequest(request, {
    model,
    baseModel,
    maxOutput: undefined,
    searches: request.hostedTools.length > 0,
    ...(upstream.service ? { service: upstream.service } : {}),
    warn: () => {},
    unseal: () => undefined,
    fetched: () => ({ kind: 'inline', mime: 'image/png', data: '' }),
  }).body
}

/** `read`: what a reply in the right dialect shows. */
export async function callText(
  send: Send,
  upstream: Upstream,
  dialect: TextDialectId,
  model: NamedModel,
  asked: Asked,
  read: (reply: CanonicalReply) => { answer?: string; problem?: string },
): Promise<TimedResult> {
  return await timedRequest(send, upstream, outgoingText(upstream, dialect, model, asked), (text) => {
    const decoded = asked.stream ? decodeStream(text, dialect) : TEXT_DIALECTS[dialect].decodeReply(parsed(text))
    if (decoded.ok) return { ...read(decoded.reply), ...costOf(decoded.reply) }
    const what = asked.stream ? 'stream' : 'response'
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

/** All text of a reply. Empty if the model reasoned until the cap was reached. */
export const textOf = ({ choices }: CanonicalReply): string =>
  choices.flatMap(({ blocks }) => blocks.map((block) => (block.type === 'text' ? block.text : ''))).join('')

const SHOWN_CHARACTERS = 60

/** The beginning of a text, on one line. */
export const startOf = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, SHOWN_CHARACTERS)
