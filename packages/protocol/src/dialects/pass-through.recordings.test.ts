// Real answers pass through byte for byte, and what is counted on the way is what the dialect's own reader reads.
import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bufferCodec, bytesOf, textOf } from '../../fixtures/buffer-codec.ts'
import { checkCuts, meterText } from '../../fixtures/shared/metered.ts'
import type { StreamEvent } from '../canonical/event.ts'
import { finishOf } from '../canonical/finish.ts'
import { fold } from '../canonical/reply.ts'
import { formatSse } from '../framing/sse.ts'
import { passThrough as chatPassing } from './chat/pass-through.ts'
import { decodeReply as decodeChat } from './chat/reply/decode-reply.ts'
import { openStreamDecoder as openChat } from './chat/reply/decode-stream.ts'
import { passThrough as generatePassing } from './generate-content/pass-through.ts'
import { decodeReply as decodeGenerate } from './generate-content/reply/decode-reply.ts'
import { openStreamDecoder as openGenerate } from './generate-content/reply/decode-stream.ts'
import { passThrough as messagesPassing } from './messages/pass-through.ts'
import { decodeReply as decodeMessages } from './messages/reply/decode-reply.ts'
import { openStreamDecoder as openMessages } from './messages/reply/decode-stream.ts'
import { passThrough as responsesPassing } from './responses/pass-through.ts'
import { decodeReply as decodeResponses } from './responses/reply/decode-reply.ts'
import { openStreamDecoder as openResponses } from './responses/reply/decode-stream.ts'

const folder = process.env.TRIVIUM_RECORDINGS ?? ''

const nameless = (line: string) => formatSse(line)
const byType = (line: string) => formatSse(line, JSON.parse(line).type)
/** The event behind which nothing belongs to the answer any more. */
const isTerminal = (line: string) =>
  ['message_stop', 'response.completed', 'response.incomplete'].includes(JSON.parse(line).type)

const DIALECTS = [
  {
    id: 'chat',
    passing: chatPassing,
    decodeReply: decodeChat,
    open: openChat,
    frame: nameless,
    end: formatSse('[DONE]'),
  },
  {
    id: 'generate-content',
    passing: generatePassing,
    decodeReply: decodeGenerate,
    open: openGenerate,
    frame: nameless,
    end: '',
  },
  {
    id: 'messages',
    passing: messagesPassing,
    decodeReply: decodeMessages,
    open: openMessages,
    frame: byType,
    end: '',
  },
  {
    id: 'responses',
    passing: responsesPassing,
    decodeReply: decodeResponses,
    open: openResponses,
    frame: byType,
    end: '',
  },
]

const filesOf = (id: string, ending: string) =>
  existsSync(join(folder, id)) ? readdirSync(join(folder, id)).filter((name) => name.endsWith(ending)) : []

for (const { id, passing, decodeReply, open, frame, end } of folder === '' ? [] : DIALECTS) {
  describe(id, () => {
    test.each(filesOf(id, '.chunks.txt'))('%s', (name) => {
      const lines = readFileSync(join(folder, id, name), 'utf8')
        .split('\n')
        .filter(Boolean)
      const last = lines.findIndex(isTerminal)
      const answer = (last < 0 ? lines : lines.slice(0, last + 1)).map(frame).join('') + end
      const { forwarded, tail, state } = meterText(passing, answer)
      expect(forwarded + tail).toBe(answer)
      expect(tail).not.toBe('')
      expect(state).toMatchObject({ done: true, error: undefined })

      const events: StreamEvent[] = []
      const decoder = open((event) => events.push(event), bufferCodec)
      decoder.push(bytesOf(answer))
      decoder.end()
      const { usage, choices } = fold(events)
      const stop = choices[0]?.stop
      expect(state.usage).toEqual(usage)
      expect(state.finish).toEqual(stop && finishOf(stop))
      checkCuts(passing, answer.slice(0, 40_000), { renameTo: 'another' }, 5)
    })

    test.each(filesOf(id, '.json'))('%s', (name) => {
      const bytes = new Uint8Array(readFileSync(join(folder, id, name)))
      const decoded = decodeReply(JSON.parse(textOf(bytes)))
      const read = passing.readReply(bytes, bufferCodec, undefined)
      expect(read.ok).toBe(decoded.ok)
      if (!read.ok || !decoded.ok) return
      expect(read.body).toBe(bytes)
      expect(read.usage).toEqual(decoded.reply.usage)
      const stop = decoded.reply.choices.findLast((choice) => choice.stop !== undefined)?.stop
      expect(read.finish).toEqual(stop && finishOf(stop))
    })
  })
}
