// The streamed response: what is heard as it comes. The last event leaves after settlement.

import type { UpstreamResponse } from '@trivium/http/client/upstream-response.ts'
import type { HttpResponse } from '@trivium/http/response.ts'
import { encodeStreamError } from '@trivium/protocol/dialects/chat/error.ts'
import {
  deltaEvent,
  doneEvent,
  HEARTBEAT,
  STREAM_END,
  type TranscriptEvent,
} from '@trivium/protocol/dialects/shared/transcription/transcript.ts'
import { TRANSCRIPTION_SERVICES } from '@trivium/protocol/dialects/transcription-services.ts'
import { codec } from '../bytes/codec.ts'
import type { Outcome } from '../paid-call/outcome.ts'
import { voidUnsettled } from '../paid-call/run.ts'
import { LargeStreamWriter } from '../paid-call/writing/large-stream.ts'
import { writeStream } from '../paid-call/writing/write-stream.ts'
import { Failure } from '../request/failure.ts'
import { formatRequestId } from '../request/ids.ts'
import { callCandidates, nextCandidate } from '../routing/call-candidates.ts'
import type { FailedAttempt } from '../routing/failed-attempt.ts'
import { failedByBreak, failedByError } from '../routing/upstream-errors.ts'
import { readTranscript, type TranscriptionSteps } from './respond.ts'
import type { TranscriptionDependencies } from './transcription-call.ts'
import { chargeAudio, type TranscriptionCall, typeOfReply } from './transcription-call.ts'

type Done = Extract<TranscriptEvent, { type: 'done' }>
/** `failed`: a stream that had begun. */
type Read = { text: string; done?: Done; failed?: FailedAttempt }

export function respondStream(
  call: TranscriptionCall,
  steps: TranscriptionSteps,
  deps: TranscriptionDependencies,
): Promise<HttpResponse> {
  const client = new LargeStreamWriter(call, deps)
  /** What a repeated request is answered with. */
  const kept: Uint8Array[] = []
  const write = async (sse: string): Promise<void> => {
    call.firstOutputAt ??= performance.now()
    const bytes = codec.encode(sse)
    if (call.claim) {
      kept.push(bytes)
      client.keptBytes += bytes.length
    }
    await client.writeEvent([bytes])
  }
  const reading = transcribe(call, steps, write, deps).catch((error: unknown) => {
    if (error instanceof Failure) return error
    throw error
  })
  return writeStream(
    call,
    {
      contentType: () => 'text/event-stream; charset=utf-8',
      begun: Promise.race([reading, client.started]),
      async run(sink, hasBegun) {
        client.open(sink, () => codec.encode(HEARTBEAT), hasBegun)
        const read = await reading
        if (read instanceof Failure) {
          await voidUnsettled(call, deps)
          return errorOf(call, read)
        }
        const { text, done, failed } = read
        const outcome: Outcome = failed?.outcome ?? 'completed'
        const last = codec.encode((done?.sse ?? '') + STREAM_END)
        const body = failed ? undefined : [...kept, last]
        await chargeAudio(call, { text, report: done?.report ?? {}, outcome }, body, deps)
        // What is unsent is weighed apart: a client that does not read keeps no slot.
        call.slot.release()
        kept.length = 0
        return failed ? errorOf(call, failed.failure) : last
      },
      close: () => client.close(),
    },
    deps,
  )
}

const errorOf = ({ id }: TranscriptionCall, { info }: Failure): Uint8Array =>
  codec.encode(encodeStreamError(info, formatRequestId(id)))

/** Calls one upstream after the other until one begins to transcribe. Throws the Failure of the last. */
async function transcribe(
  call: TranscriptionCall,
  steps: TranscriptionSteps,
  write: (sse: string) => Promise<void>,
  deps: TranscriptionDependencies,
): Promise<Read> {
  for (;;) {
    const reply = await callCandidates(call, steps, deps)
    const isStream = typeOfReply(reply) === 'text/event-stream'
    const read = isStream ? await readEvents(call, reply, write, deps) : await readWhole(call, reply, write, deps)
    if (!('failure' in read)) return read
    await nextCandidate(call, read, steps, deps)
  }
}

/** Many models cannot stream, and answer as if they had not been asked to. */
async function readWhole(
  call: TranscriptionCall,
  reply: UpstreamResponse,
  write: (sse: string) => Promise<void>,
  deps: TranscriptionDependencies,
): Promise<Read | FailedAttempt> {
  const read = await readTranscript(call, reply, deps)
  if ('failure' in read) return read
  const { text, report } = read.transcript
  await write(deltaEvent(text))
  return { text, done: { type: 'done', sse: doneEvent(text, report.usage), text, report } }
}

async function readEvents(
  call: TranscriptionCall,
  reply: UpstreamResponse,
  write: (sse: string) => Promise<void>,
  deps: TranscriptionDependencies,
): Promise<Read | FailedAttempt> {
  const arrived: TranscriptEvent[] = []
  const reader = TRANSCRIPTION_SERVICES[call.attempt.dialect].openEvents((event) => arrived.push(event), codec)
  let text = ''
  let hasOutput = false
  const failing = (failed: FailedAttempt): Read | FailedAttempt => {
    reply.cancel()
    return hasOutput ? { text, failed } : failed
  }
  try {
    for (let isOver = false; !isOver; ) {
      const piece = await reply.read()
      if (piece) {
        call.upstreamCall.received(piece)
        reader.push(piece)
      } else {
        isOver = true
        reader.end()
      }
      for (const event of arrived.splice(0)) {
        if (event.type === 'error') return failing(failedByError(call, event.error, deps, hasOutput))
        if (event.type === 'done') {
          reply.cancel()
          return { text: event.text, done: event }
        }
        hasOutput = true
        text += event.text
        await write(event.sse)
      }
    }
  } catch (error) {
    if (error instanceof Failure) throw error
  }
  return failing(failedByBreak(call))
}
