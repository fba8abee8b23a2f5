// The chat meter as the journey uses it: its errors in the gateway's own terms, and an ending of our own.

import type { ErrorInfo } from '../../../canonical/error.ts'
import { isObject } from '../../../canonical/reading.ts'
import type { Usage } from '../../../canonical/usage.ts'
import type { Codec } from '../../../framing/codec.ts'
import { MAX_EVENT_BYTES } from '../../../framing/event-reader.ts'
import { formatSse } from '../../../framing/sse.ts'
import type { ChargedUnits, Meter, MeterOptions } from '../../pass-through.ts'
import { inVendorWords } from '../../shared/errors/upstream-error.ts'
import { decodeError } from '../error.ts'
import { usageOfBody } from '../reply/usage.ts'
import { type ChatMeterState, openChatMeter } from './stream.ts'

const HEAD_BYTES = 1_024

export function openMeter({ showUsage, choices, renameTo }: MeterOptions, codec: Codec): Meter {
  const options = { showUsage, maxEventBytes: MAX_EVENT_BYTES, ...(renameTo === undefined ? {} : { renameTo }) }
  const meter = openChatMeter(options, codec)
  let head: string | undefined
  return {
    push(chunk) {
      const bytes = meter.push(chunk)
      if (head === undefined && bytes.length > 0) head = codec.decode(bytes, 0, Math.min(HEAD_BYTES, bytes.length))
      return bytes
    },
    end: meter.end,
    stop: (units) => codec.encode(stopFrames(head ?? '', choices, showUsage ? units : undefined)),
    state: withErrorInfo(meter.state),
  }
}

/** The meter's own state, seen through the error table. Getters: it changes with every chunk. */
function withErrorInfo(state: Readonly<ChatMeterState>): Meter['state'] {
  return {
    get outputBytes() {
      return state.outputBytes
    },
    get sawOutput() {
      return state.sawOutput
    },
    get finish() {
      return state.finish
    },
    get usage() {
      return usageWith(state)
    },
    get done() {
      return state.done
    },
    get error() {
      if (state.error === undefined) return undefined
      const { kind, body, message } = state.error
      return inVendorWords(problemOf(kind === 'upstream', body, message), body)
    },
  }
}

/** What comes with an error counts like what comes before it. */
function usageWith({ usage, error }: Readonly<ChatMeterState>): Usage | undefined {
  const body = error?.body
  return (isObject(body) ? usageOfBody(body) : undefined) ?? usage
}

/** An error object inside a 200 has no status of its own: its words and figures tell what it is. */
export function problemOf(isError: boolean, body: unknown, message: string): ErrorInfo {
  return isError ? decodeError(200, body) : { code: 'upstream_error', message }
}

function stopFrames(head: string, choices: number, units: ChargedUnits | undefined): string {
  const chunk = {
    id: /"id"\s*:\s*"([^"\\]{1,128})"/.exec(head)?.[1] ?? 'chatcmpl-stopped',
    object: 'chat.completion.chunk',
    created: Number(/"created"\s*:\s*(\d{1,12})/.exec(head)?.[1] ?? 0),
    model: /"model"\s*:\s*"([^"\\]{1,256})"/.exec(head)?.[1] ?? '',
  }
  const stops = Array.from({ length: choices }, (_, index) => ({
    ...chunk,
    choices: [{ index, delta: {}, logprobs: null, finish_reason: 'length' }],
  }))
  const usage = units && { ...chunk, choices: [], usage: usageOf(units) }
  const frames = [...stops, ...(usage ? [usage] : [])].map((data) => formatSse(JSON.stringify(data)))
  return frames.join('') + formatSse('[DONE]')
}

function usageOf({ input, cachedInput, cacheWrite, output }: ChargedUnits) {
  const prompt = input + cachedInput + cacheWrite
  return { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output }
}
