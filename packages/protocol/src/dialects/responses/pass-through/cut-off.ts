// Some servers call an answer that reached its output cap completed. The client is told that it was cut off.

import type { Finish } from '../../../canonical/finish.ts'
import { isObject, type Json, parsedJson } from '../../../canonical/reading.ts'
import type { Usage } from '../../../canonical/usage.ts'
import { formatSse } from '../../../framing/sse.ts'
import type { ReplyQuirks } from '../../pass-through.ts'

const REASON = 'max_output_tokens'

/** What the receipt says of an answer that was cut off. */
export const CUT_OFF: Finish = { raw: REASON, unified: 'incomplete' }

/** `quirks`: of the server that the answer is from. */
export function isCutOff(
  finish: Finish | undefined,
  usage: Usage | undefined,
  quirks: ReplyQuirks | undefined,
): boolean {
  if (quirks?.cap === undefined || usage?.output === undefined || usage.output < quirks.cap) return false
  return finish?.unified === 'completed' || finish?.unified === 'tool_calls'
}

export function cutOffResponse(response: Json): Json {
  const output = Array.isArray(response.output) ? response.output.map(asIncomplete) : response.output
  return { ...response, output, status: 'incomplete', incomplete_details: { reason: REASON } }
}

/** The last item is the one that was cut. */
function asIncomplete(item: unknown, index: number, all: readonly unknown[]): unknown {
  const isLast = index === all.length - 1
  return isLast && isObject(item) && item.status === 'completed' ? { ...item, status: 'incomplete' } : item
}

/** `frames`: the last events of a stream. */
export const cutOffFrames = (frames: string): string =>
  frames
    .split(/(?<=\r?\n\r?\n)/)
    .map(cutOffFrame)
    .join('')

function cutOffFrame(frame: string): string {
  const data = frame.split(/\r\n|\n|\r/).find((line) => line.startsWith('data:'))
  const event = parsedJson(data?.slice('data:'.length) ?? '')
  if (!isObject(event) || event.type !== 'response.completed' || !isObject(event.response)) return frame
  const type = 'response.incomplete'
  return formatSse(JSON.stringify({ ...event, type, response: cutOffResponse(event.response) }), type)
}
