// The checks of one text model in one dialect: those of the table, and those that need more than a reply.
import { Cancel } from '@trivium/http/cancel.ts'
import { TEXT_DIALECTS, type TextDialectId } from '@trivium/protocol/dialects/index.ts'
import { codec } from '../../../bytes/codec.ts'
import type { Upstream } from '../../../config/types.ts'
import type { Capability } from '../../../modalities/modality.ts'
import type { AnyPrice } from '../../../money/prices/price.ts'
import { NO_OPTIONS } from '../../../money/prices/token-price.ts'
import type { TokenRate } from '../../../money/prices/token-rate.ts'
import { type Check, type Outcome, outcomeOf, verdictOf } from '../../../upstreams/certification/check.ts'
import type { NamedModel } from '../../../upstreams/diagnostics/endpoint-checks.ts'
import type { Problem } from '../../../upstreams/diagnostics/service-check.ts'
import { bodyOf, callText, outgoingText } from '../../../upstreams/diagnostics/text-call.ts'
import { parsed, timedRequest } from '../../../upstreams/diagnostics/timed-request.ts'
import { endpointOf } from '../../../upstreams/endpoint.ts'
import type { Send } from '../../../upstreams/send.ts'
import { LONG, TEXT_CHECKS, type TextCheck } from './dialect-checks.ts'

/** `capabilities`, `rate`: undefined: not known. */
type TextModel = NamedModel & {
  capabilities?: readonly Capability[] | undefined
  rate?: AnyPrice | undefined
}

export function textPart(upstream: Upstream, dialect: TextDialectId, model: TextModel): Check[] {
  const { tokenCounting } = TEXT_DIALECTS[dialect]
  const [unstreamed, streamed, ...others] = TEXT_CHECKS.map((each) => tableCheck(upstream, dialect, model, each))
  return [
    ...(unstreamed && streamed ? [unstreamed, streamed] : []),
    abortCheck(dialect, model),
    ...others,
    unknownModel(dialect),
    ...(tokenCounting ? [countCheck(dialect, model)] : []),
  ]
}

function tableCheck(upstream: Upstream, dialect: TextDialectId, model: TextModel, check: TextCheck): Check {
  const { asked, input, billed, needs, isOptional, isKnown } = check
  const rows = Object.keys(check.rows) as [string, ...string[]]
  const lacks = needs !== undefined && model.capabilities !== undefined && !model.capabilities.includes(needs)
  const known = lacks
    ? `the model is configured without ${needs}`
    : (blindness(upstream, needs) ?? unpriced(model, billed))
  return {
    part: dialect,
    rows,
    type: 'text',
    bound: textBound(input, asked.maxOutput, billed),
    ...(known === undefined ? {} : { known: verdictOf({ absent: known }) }),
    async run(send) {
      let problems: Problem[] = []
      const result = await callText(send, upstream, dialect, model, asked, (reply) => {
        problems = Object.values(check.rows).map((judge) => judge(reply))
        return {}
      })
      const isExpected = isKnown?.(endpointOf(upstream, dialect)) ?? false
      return outcomeOf({ rows }, result, isExpected ? problems.map(compensated) : problems, isOptional)
    },
  }
}

const blindness = ({ embedded }: Upstream, needs: Capability | undefined): string | undefined =>
  embedded && needs === 'images' ? 'the sandbox model does not look at images' : undefined

/** Only what can be booked is called: a response does not always tell what a tool cost. */
function unpriced({ rate }: TextModel, billed: TextCheck['billed']): string | undefined {
  if (!billed || (rate as TokenRate | undefined)?.price.tools?.has(billed.tool)) return undefined
  return `the model has no price for ${billed.tool}`
}

const compensated = (problem: Problem): Problem =>
  typeof problem === 'string' ? { absent: `${problem}; the gateway compensates` } : problem

const textBound = (input: number, output: number, billed?: TextCheck['billed']) => (rate: AnyPrice) =>
  (rate as TokenRate).bound({
    input,
    output,
    options: billed ? { ...NO_OPTIONS, tools: new Map([[billed.tool, billed.calls]]) } : NO_OPTIONS,
    hasAudio: false,
  })

const ABORTED = { ...LONG, maxOutput: 512, stream: true }
/** The first output must come within this. */
const ABORT_TIMEOUT_MS = 60_000

/** Breaks a stream off at its first output. The checks that follow show whether the server still answers. */
function abortCheck(dialect: TextDialectId, model: TextModel): Check {
  return {
    part: dialect,
    rows: ['abort'],
    type: 'text',
    bound: textBound(200, ABORTED.maxOutput),
    async run(send, upstream): Promise<Outcome> {
      const from = performance.now()
      const cancel = new Cancel()
      const timer = setTimeout(() => cancel.cancel(), ABORT_TIMEOUT_MS)
      let status: number | null = null
      const ended = (problem: Problem): Outcome => ({
        verdicts: [verdictOf(problem)],
        status,
        latency_ms: Math.round(performance.now() - from),
        isUnfit: true,
      })
      try {
        const outgoing = outgoingText(upstream, dialect, model, ABORTED)
        const key = upstream.keys[0] ?? 'none'
        const response = await send(upstream, { ...outgoing, stream: true, headers: {}, key, cancel })
        status = response.status
        if (status >= 300) return ended(`a stream was rejected with status ${status}`)
        const seen = await readToOutput(response, dialect)
        response.cancel()
        return ended(seen)
      } catch (error) {
        return ended(cancel.isCancelled ? 'no output came' : `the connection failed: ${Object(error).message}`)
      } finally {
        clearTimeout(timer)
        cancel.cancel()
      }
    },
  }
}

async function readToOutput(response: Awaited<ReturnType<Send>>, dialect: TextDialectId): Promise<Problem> {
  let hasOutput = false
  let hasEnded = false
  const decoder = TEXT_DIALECTS[dialect].openStreamDecoder(({ type }) => {
    if (type === 'delta') hasOutput = true
    if (type === 'end' || type === 'error') hasEnded = true
  }, codec)
  while (!hasOutput && !hasEnded) {
    const piece = await response.read()
    if (!piece) break
    decoder.push(piece)
  }
  if (!hasOutput) return 'the stream ended without output'
  return hasEnded ? 'the whole response came at once: it is not streamed' : undefined
}

const NO_SUCH_MODEL = 'no-such-model-exists'

function unknownModel(dialect: TextDialectId): Check {
  const rows = ['unknown model'] as const
  const asked = { ...LONG }
  return {
    part: dialect,
    rows,
    type: 'text',
    // A server that has only one model answers with that.
    bound: textBound(200, asked.maxOutput),
    async run(send, upstream) {
      const result = await callText(send, upstream, dialect, { name: NO_SUCH_MODEL }, asked, () => ({}))
      const { status, problem } = result
      if (status !== null && status >= 400 && status < 500 && status !== 429)
        return outcomeOf({ rows }, { ...result, problem: null }, [])
      const wrong = problem ?? 'the server answered for a model that does not exist'
      return outcomeOf({ rows }, { ...result, problem: wrong }, [])
    },
  }
}

/** No vendor bills it. */
function countCheck(dialect: TextDialectId, model: TextModel): Check {
  const { endpoint, tokenCounting } = TEXT_DIALECTS[dialect]
  const rows = ['token counting'] as const
  return {
    part: dialect,
    rows,
    async run(send, upstream) {
      const path = endpoint.countPath?.(endpointOf(upstream, dialect).path, model.name) ?? ''
      const body = tokenCounting?.countBody(bodyOf(upstream, dialect, model, LONG), model.name)
      const sent = { path, dialect, body: [Buffer.from(JSON.stringify(body))] }
      const result = await timedRequest(send, upstream, sent, (text) => {
        const count = tokenCounting?.decodeCount(parsed(text))
        return count !== undefined && count > 0 ? {} : { problem: 'the response has no count of tokens' }
      })
      // No reply that the decoders of recordings could read.
      return { ...outcomeOf({ rows }, result, [], true), isUnfit: true as const }
    },
  }
}
