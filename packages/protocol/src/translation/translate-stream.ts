// Translates a stream event by event. Frames from the finish on are held back until `end`: a host may have to do something first.

import { restoringEmit } from '../canonical/encoding/restore-tools.ts'
import type { ErrorInfo } from '../canonical/error.ts'
import type { StreamEvent } from '../canonical/event.ts'
import { type Finish, finishOf } from '../canonical/finish.ts'
import { checkedUsage, mergeUsage, type Usage } from '../canonical/usage.ts'
import { utf8Length } from '../canonical/utf8.ts'
import { addWarning } from '../canonical/warning.ts'
import type { ChargedUnits, Meter } from '../dialects/pass-through.ts'
import { MALFORMED, stopAtCap, type Translation } from './translation.ts'

/** `push` takes the upstream's bytes as they come, cut anywhere, and gives the client's. */
export type TranslatedStream = Omit<Meter, 'abandon'> & {
  /** The end of a stream that has failed: nothing is written after it. */
  fail(error: ErrorInfo): Uint8Array
  /** Nothing is missing, though the upstream has not ended yet. */
  isWhole(): boolean
}

/** `leavesErrors`: the host calls `fail` for a stream that has failed; else `end` writes the error. */
export function translateStream(translation: Translation, { leavesErrors = false } = {}): TranslatedStream {
  const { client, upstream, codec, tools, warnings, answering, observer, quirks } = translation
  observer?.reset()
  const encoder = client.openStreamEncoder(answering)
  const framing = framingOf(translation)
  const state = {
    outputBytes: 0,
    sawOutput: false,
    finish: undefined as Finish | undefined,
    usage: undefined as Usage | undefined,
    done: false,
    error: undefined as ErrorInfo | undefined,
  }
  /** Frames to send now, and frames that wait for `end`. */
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
        state.outputBytes += utf8Length(event.text)
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
    observer?.take(event)
    const frames = encoder.write(event)
    if (hasFinished) held += frames
    else ready += frames
  }

  const decoder = upstream.openStreamDecoder(restoringEmit(take, tools), codec, quirks)

  function taken(): Uint8Array {
    if (ready === '') return NO_BYTES
    const bytes = codec.encode(framing.write(ready))
    ready = ''
    return bytes
  }

  const last = (): Uint8Array => codec.encode(framing.write(ready + held) + framing.end())

  const fail = (error: ErrorInfo): Uint8Array => codec.encode(framing.fail(error, encoder.abandon(error)))

  return {
    state,
    push(chunk) {
      decoder.push(chunk)
      return taken()
    },
    end() {
      if (!state.done && state.error === undefined) decoder.end()
      return state.error === undefined || leavesErrors ? last() : fail(state.error)
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
    fail,
  }
}

const NO_BYTES = new Uint8Array(0)

/** Events or, if requested, one JSON array. */
function framingOf({ client, requestId, asArray }: Translation) {
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
  return mergeUsage(usage, checkedUsage({ ...counted, reasoning: undefined, toolCalls: { web_search: searches } }))
}

function usageOfUnits({ input, cachedInput, cacheWrite, output }: ChargedUnits): Usage {
  return checkedUsage({
    input: input + cachedInput + cacheWrite,
    output,
    cachedInput,
    cacheWrite,
    reasoning: undefined,
  })
}
