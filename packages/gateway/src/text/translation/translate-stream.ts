// Translates a stream event by event. Frames from the finish on are buffered until the call is settled, as with pass-through.

import { restoringEmit, type SentTools } from '@trivium/protocol/canonical/encoding/restore-tools.ts'
import type { ErrorInfo } from '@trivium/protocol/canonical/error.ts'
import type { StreamEvent } from '@trivium/protocol/canonical/event.ts'
import { type Finish, finishOf, type Stop } from '@trivium/protocol/canonical/finish.ts'
import { mergeUsage, type Usage, usageOf } from '@trivium/protocol/canonical/usage.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import type { ChargedUnits, ReplyQuirks } from '@trivium/protocol/dialects/pass-through.ts'
import type { ReplyContext } from '@trivium/protocol/dialects/text-dialect.ts'
import { codec } from '../../bytes/codec.ts'
import type { ReasoningCollector } from '../reasoning/collect-reasoning.ts'
import type { StreamMeter } from './outbound.ts'

/** The client's and the upstream's dialect, and what the translation of one response needs. */
export type Pair = {
  client: TextDialect
  upstream: TextDialect
  tools: SentTools
  warnings: string[]
  asArray: boolean
  answering: ReplyContext
  requestId: string
  collector: ReasoningCollector | undefined
  quirks: ReplyQuirks | undefined
}

/** The stop of a server that says that an answer is complete, though it has reached its cap. */
export function stopAtCap(stop: Stop, usage: Usage | undefined, { cap }: ReplyQuirks): Stop {
  const isReached = cap !== undefined && usage?.output !== undefined && usage.output >= cap
  return isReached && (stop.reason === 'end' || stop.reason === 'tool') ? { raw: 'length', reason: 'length' } : stop
}

const NO_BYTES = new Uint8Array(0)

/** The model failed at a tool call and returned nothing else: an empty response would look intended. */
export const MALFORMED = {
  code: 'upstream_error',
  message: 'The model tried to call a tool and failed at it.',
} as const

export function openTranslation(pair: Pair): StreamMeter {
  const { client, upstream, tools, warnings, answering, collector, quirks } = pair
  collector?.reset()
  const encoder = client.openStreamEncoder(answering)
  const framing = framingOf(pair)
  const state = {
    outputBytes: 0,
    sawOutput: false,
    finish: undefined as Finish | undefined,
    usage: undefined as Usage | undefined,
    done: false,
    error: undefined as ErrorInfo | undefined,
  }
  /** Frames to send now, and frames that wait for the settlement. */
  let ready = ''
  let held = ''
  let hasFinished = false
  const open = new Set<number>()
  let choices = 1
  let isEmpty = true
  let searches = 0

  function tell(lost: string | undefined): void {
    if (lost !== undefined) addWarning(warnings, lost, 'omitted')
  }

  function take(given: StreamEvent): void {
    if (state.error !== undefined) return
    const event =
      given.type === 'stop' && quirks ? { ...given, stop: stopAtCap(given.stop, state.usage, quirks) } : given
    switch (event.type) {
      case 'delta':
        state.outputBytes += Buffer.byteLength(event.text)
        state.sawOutput = true
        break
      case 'open':
        open.add(event.index)
        isEmpty = false
        tell(client.droppedPart?.(event))
        choices = Math.max(choices, event.choice + 1)
        if (event.block.type !== 'text' && event.block.type !== 'reasoning') state.sawOutput = true
        // Billed whatever becomes of the answer; the upstream's own figure replaces it.
        if (event.block.type === 'search' && !event.block.failed) state.usage = withSearches(state.usage, ++searches)
        break
      case 'citation':
        tell(client.droppedPart?.(event))
        break
      case 'close':
        open.delete(event.index)
        break
      case 'start':
      case 'usage':
        state.usage = event.usage
        break
      case 'stop':
        if (isEmpty && event.stop.reason === 'malformed_tool') {
          state.error = MALFORMED
          return
        }
        state.finish ??= finishOf(event.stop)
        state.sawOutput = true
        hasFinished = true
        break
      case 'end':
        state.done = true
        hasFinished = true
        break
      case 'omitted':
        tell(event.what)
        break
      case 'error':
        state.error = event.error
        return
      default:
        break
    }
    collector?.take(event)
    const frames = encoder.write(event)
    if (hasFinished) held += frames
    else ready += frames
  }

  const decoder = upstream.openStreamDecoder(restoringEmit(take, tools), codec, quirks)

  function taken(): Uint8Array {
    if (ready === '') return NO_BYTES
    const bytes = Buffer.from(framing.write(ready))
    ready = ''
    return bytes
  }

  const last = (): Uint8Array => Buffer.from(framing.write(ready + held) + framing.end())

  return {
    state,
    push(chunk) {
      decoder.push(chunk)
      return taken()
    },
    end() {
      if (!state.done && state.error === undefined) decoder.end()
      return last()
    },
    stop(units) {
      held = ''
      for (const index of [...open]) take({ type: 'close', index })
      take({ type: 'usage', usage: usageOfUnits(units) })
      const stop = { raw: 'length', reason: 'length' } as const
      for (let choice = 0; choice < choices; choice++) take({ type: 'stop', choice, stop })
      take({ type: 'end' })
      return last()
    },
    isWhole: () => state.error === undefined && decoder.isWhole?.() === true,
    fail: (error) => Buffer.from(framing.fail(error, encoder.abandon(error))),
  }
}

/** Events or, if requested, one JSON array. */
function framingOf({ client, requestId, asArray }: Pair) {
  const array = asArray ? client.arrayFraming?.() : undefined
  if (!array) {
    return {
      write: (frames: string) => frames,
      end: () => '',
      fail: (error: ErrorInfo, ending: string) => (ending === '' ? client.encodeStreamError(error, requestId) : ending),
    }
  }
  let begun = false
  return {
    write(frames: string) {
      begun ||= frames !== ''
      return array.write(frames)
    },
    end: () => array.end(),
    fail: (error: ErrorInfo) => client.encodeArrayStreamError?.(error, begun) ?? '',
  }
}

function withSearches(usage: Usage | undefined, searches: number): Usage {
  const counted = { input: undefined, output: undefined, cachedInput: undefined, cacheWrite: undefined }
  return mergeUsage(usage, usageOf({ ...counted, reasoning: undefined, toolCalls: { web_search: searches } }))
}

function usageOfUnits({ input, cachedInput, cacheWrite, output }: ChargedUnits): Usage {
  return usageOf({ input: input + cachedInput + cacheWrite, output, cachedInput, cacheWrite, reasoning: undefined })
}
