// The client's response, streamed or as a whole, put together from the replies of the model and the images.

import type { HttpResponse } from '@trivium/http/response.ts'
import type { StreamEvent } from '@trivium/protocol/canonical/event.ts'
import type { Block } from '@trivium/protocol/canonical/reply.ts'
import { encodeStreamError } from '@trivium/protocol/dialects/responses/error.ts'
import { encodeReply } from '@trivium/protocol/dialects/responses/reply/encode-reply.ts'
import { heartbeat, openStreamEncoder } from '@trivium/protocol/dialects/responses/reply/encode-stream.ts'
import type { ReplyContext } from '@trivium/protocol/dialects/text-dialect.ts'
import { jsonText } from '@trivium/protocol/framing/json/json-text.ts'
import type { Pieces } from '@trivium/protocol/framing/splice.ts'
import { codec } from '../bytes/codec.ts'
import { settle } from '../paid-call/settle.ts'
import { LargeStreamWriter, lengthOf } from '../paid-call/writing/large-stream.ts'
import { jsonResponse } from '../paid-call/writing/write-json.ts'
import { writeStream } from '../paid-call/writing/write-stream.ts'
import { Failure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import { isUnderpaid, receiptDetails } from '../text/billing/charge.ts'
import type { TextCall } from '../text/text-call.ts'
import { type Ended, type Output, run, type ToolCall } from './run.ts'
import type { ImageToolDependencies } from './stream-reply.ts'

export async function respondJson(toolCall: ToolCall, deps: ImageToolDependencies): Promise<HttpResponse> {
  const { call } = toolCall
  const blocks: Block[] = []
  let answering: ReplyContext | undefined
  const output: Output = {
    begin(context) {
      answering = context
    },
    events: async () => {},
    block: async (block) => void blocks.push(block),
    openImage: async () => {},
    partialImage: async () => {},
    closeImage: async (image) => void blocks.push(image),
  }
  const ended = await run(toolCall, output, deps)
  if (!answering) throw new Error('there was no reply')
  const reply = { id: undefined, choices: [{ blocks, stop: ended.stop }], usage: ended.spending.usage, omitted: [] }
  const made = codec.encode(JSON.stringify(encodeReply(reply, answering)))
  // Before the settlement: a response that was paid for can be continued.
  const { keepResponse } = call.own
  const body = keepResponse ? await keepResponse(made) : made
  const response = jsonResponse(call, body)
  await settleEnded(toolCall, ended, [body], deps)
  return response
}

export function respondStream(toolCall: ToolCall, deps: ImageToolDependencies): Promise<HttpResponse> {
  const { call } = toolCall
  const client = new LargeStreamWriter(call, deps)
  /** What a repeated request is answered with. */
  const kept: Uint8Array[] | undefined = call.claim && []
  const frames = openFrames(async (pieces) => {
    if (kept) {
      kept.push(...pieces)
      client.keptBytes += lengthOf(pieces)
    }
    await client.writeEvent(pieces)
  })
  const running = run(toolCall, frames.output, deps).catch((error: unknown) => {
    if (error instanceof Failure) return error
    throw error
  })
  return writeStream(
    call,
    {
      contentType: () => 'text/event-stream; charset=utf-8',
      begun: Promise.race([running, client.started]),
      async run(sink, hasBegun) {
        client.open(sink, () => HEARTBEAT, hasBegun)
        const ended = await running
        // The first call of the model has failed: it is settled.
        if (ended instanceof Failure) return codec.encode(encodeStreamError(ended.info, formatRequestId(call.id)))
        const end = codec.encode(frames.end(ended))
        const { keepResponse } = call.own
        const last = keepResponse && !ended.failure ? await keepResponse(end) : end
        await settleEnded(toolCall, ended, ended.failure ? undefined : kept && [...kept, last], deps)
        return last
      },
      close: () => client.close(),
    },
    deps,
  )
}

const HEARTBEAT = codec.encode(heartbeat)

/** The frames of all replies and images in one sequence. */
function openFrames(send: (pieces: Pieces) => Promise<void>) {
  let encoder: ReturnType<typeof openStreamEncoder> | undefined
  const write = async (frames: string | undefined): Promise<void> => {
    if (frames) await send([codec.encode(frames)])
  }
  const encode = (events: readonly StreamEvent[]): string => events.map((event) => encoder?.write(event) ?? '').join('')
  const output: Output = {
    begin(answering) {
      encoder ??= openStreamEncoder(answering)
    },
    events: (events) => write(encode(events)),
    openImage: () => write(encoder?.openImage()),
    async partialImage(number, base64, details) {
      const [before = '', after = ''] = encoder?.partialImage(number, details) ?? []
      await send([codec.encode(before), ...base64, codec.encode(after)])
    },
    closeImage: (image) => write(encoder?.closeImage(image)),
  }
  function end({ stop, failure, spending: { usage } }: Ended): string {
    const events: StreamEvent[] = []
    if (usage) events.push({ type: 'usage', usage })
    if (failure) return encode(events) + (encoder?.abandon(failure.info) ?? '')
    if (stop) events.push({ type: 'stop', choice: 0, stop })
    return encode([...events, { type: 'end' }])
  }
  return { output, end }
}

/** The last byte may leave when this resolves. */
async function settleEnded(
  { call, tool }: ToolCall,
  { outcome, spending, observed, charge }: Ended,
  body: Pieces | undefined,
  deps: ImageToolDependencies,
): Promise<void> {
  const { multiplierMillionths } = call.attempt.offer.rate
  const { model, priceVersion } = tool.offer
  const images = `,"image_model":${jsonText(model.id)},"image_price_version":${jsonText(priceVersion)}`
  await settle(
    call,
    {
      outcome,
      charges: spending.charges(multiplierMillionths),
      sawOutput: true,
      tokens: spending.tokens,
      isUnderpaid: isUnderpaid(charge, observed, deps.statistics.of(call.attempt.offer.model.id)),
      upstreamCost: spending.upstreamCost,
      details: receiptDetails(observed, charge) + images,
      body,
    },
    deps,
  )
  noteTokens(call, spending)
}

function noteTokens({ record }: TextCall, { usage }: Ended['spending']): void {
  if (!usage) return
  const { input = 0, output = 0, cachedInput = 0, reasoning } = usage
  record.tokens = { input, cached: cachedInput, output, reasoning }
}
