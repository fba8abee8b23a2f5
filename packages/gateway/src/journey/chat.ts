// The chat dialect as the journey uses it: the protocol package's byte-level functions, given their codec.
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import {
  type ChatStreamError,
  decodeError,
  editChatRequest,
  openChatMeter,
  readChatReply,
  readChatRequest,
  renameModel,
} from '@trivium/protocol/dialects/chat/index.ts'
import { formatSse } from '@trivium/protocol/framing/sse.ts'
import type { Units } from '../money/price.ts'
import { codec } from './codec.ts'
import type { Meter, TextDialect } from './dialect.ts'

/** No model emits an event this large; an upstream that does must not make us keep it. */
const MAX_EVENT_BYTES = 8 * 1024 * 1024
const HEAD_BYTES = 1_024

export const chat: TextDialect = {
  id: 'chat',
  upstreamPath: '/chat/completions',
  carriedHeaders: ['openai-beta'],
  heartbeat: Buffer.from(': keep-alive\n\n'),

  readRequest(body) {
    const facts = readChatRequest(body, codec)
    if ('code' in facts) return facts
    const { model, stream, n, maxOutput, includeUsage, images, documents, audios, tools } = facts
    return {
      ...{ model, stream, choices: n, maxOutput, images, documents, audios, tools },
      capField: facts.capField ?? 'max_tokens',
      showUsage: includeUsage,
      textBytes: facts.bytes - facts.mediaBytes,
      edited: (edits) =>
        editChatRequest(
          body,
          facts,
          {
            ...(edits.model === undefined ? {} : { model: edits.model }),
            ...(edits.maxOutput === undefined ? {} : { maxOutput: edits.maxOutput }),
            ...(stream ? { includeUsage: true } : {}),
          },
          codec,
        ),
    }
  },

  readReply(bytes, renameTo) {
    const reply = readChatReply(bytes, codec, renameTo !== undefined)
    if (!reply.ok) return { ok: false, error: problemOf(reply.problem === 'error', reply.body, reply.message) }
    const body = renameTo && reply.model ? renameModel(bytes, reply.model, renameTo, codec) : bytes
    return { ok: true, usage: reply.usage, finish: reply.finish, outputBytes: reply.outputBytes, body }
  },

  openMeter({ showUsage, choices, renameTo }) {
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
      stop: (units) => Buffer.from(stopFrames(head ?? '', choices, showUsage ? units : undefined)),
      state: withErrorInfo(meter.state),
    }
  },
}

/** The meter's own state, seen through the error table. Getters: it changes with every chunk. */
function withErrorInfo(state: ReturnType<typeof openChatMeter>['state']): Meter['state'] {
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
      return state.usage
    },
    get done() {
      return state.done
    },
    get error() {
      return state.error && problemOfStream(state.error)
    },
  }
}

function problemOfStream({ kind, body, message }: ChatStreamError): ErrorInfo {
  return problemOf(kind === 'upstream', body, message)
}

/** An error object inside a 200 has no status of its own: its words and figures tell what it is. */
function problemOf(isError: boolean, body: unknown, message: string): ErrorInfo {
  return isError ? decodeError(200, body) : { code: 'upstream_failed', message }
}

function stopFrames(head: string, choices: number, units: Units | undefined): string {
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
  return (
    [...stops, ...(usage ? [usage] : [])].map((data) => formatSse(JSON.stringify(data))).join('') + formatSse('[DONE]')
  )
}

function usageOf({ input, cachedInput, cacheWrite, output }: Units) {
  const prompt = input + cachedInput + cacheWrite
  return { prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output }
}
