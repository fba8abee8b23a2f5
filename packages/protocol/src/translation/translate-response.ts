// Translates a whole response.

import { restoreReply } from '../canonical/encoding/restore-tools.ts'
import { type ErrorInfo, errorInfo } from '../canonical/error.ts'
import { type Finish, finishOf } from '../canonical/finish.ts'
import { RequestError } from '../canonical/reading.ts'
import { type Block, type CanonicalReply, outputBytesOf, unfoldBlock } from '../canonical/reply.ts'
import type { Usage } from '../canonical/usage.ts'
import { addWarning } from '../canonical/warning.ts'
import type { DecodedReply, TextDialectDescription } from '../dialects/text-dialect.ts'
import { checkSize } from './check-size.ts'
import { MALFORMED, stopAtCap, type Translation } from './translation.ts'

/** `body` is the client's in both cases. */
export type TranslatedResponse =
  | {
      ok: true
      status: 200
      body: Record<string, unknown>
      usage: Usage | undefined
      finish: Finish | undefined
      /** Bytes of text, reasoning, refusals and arguments. */
      outputBytes: number
    }
  | { ok: false; status: number; headers: Record<string, string>; body: unknown; error: ErrorInfo }

/** `body`: the upstream's, as JSON.parse gives it. */
export function translateResponse(body: unknown, translation: Translation, status = 200): TranslatedResponse {
  const { client, tools, warnings, answering, observer } = translation
  const decoded = decode(body, translation, status)
  if (!decoded.ok) return failed(decoded.error, translation)
  const reply = restoreReply(cutAtCap(decoded.reply, translation), tools)
  observer?.takeWhole(reply)
  for (const what of reply.omitted) addWarning(warnings, what, 'omitted')
  if (client.droppedPart !== undefined) warnOfLost(client.droppedPart, reply, warnings)
  const stop = reply.choices[0]?.stop
  if (stop?.reason === 'malformed_tool' && isEmpty(reply)) return failed(MALFORMED, translation)
  return {
    ok: true,
    status: 200,
    body: client.encodeReply(reply, answering),
    usage: reply.usage,
    finish: stop && finishOf(stop),
    outputBytes: outputBytesOf(reply),
  }
}

function decode(body: unknown, { upstream }: Translation, status: number): DecodedReply {
  try {
    checkSize(body)
  } catch (thrown) {
    if (!(thrown instanceof RequestError)) throw thrown
    return {
      ok: false,
      error: errorInfo('upstream_error', `The upstream's response cannot be read: ${thrown.message}`),
    }
  }
  if (status < 200 || status > 299) return { ok: false, error: upstream.decodeError(status, body) }
  return upstream.decodeReply(body)
}

const failed = (error: ErrorInfo, { client, requestId }: Translation): TranslatedResponse => ({
  ok: false,
  ...client.encodeError(error, requestId),
  error,
})

/** A server that calls an answer completed, though it has reached its cap. */
function cutAtCap(reply: CanonicalReply, { quirks }: Translation): CanonicalReply {
  if (quirks?.cap === undefined) return reply
  const choices = reply.choices.map((choice) =>
    choice.stop === undefined ? choice : { ...choice, stop: stopAtCap(choice.stop, reply.usage, quirks) },
  )
  return { ...reply, choices }
}

/** Warns of parts that the client's dialect cannot express. */
function warnOfLost(
  loses: NonNullable<TextDialectDescription['droppedPart']>,
  { choices }: CanonicalReply,
  warnings: string[],
): void {
  for (const { blocks } of choices) {
    for (const block of blocks) {
      if (isPlainText(block)) continue
      for (const event of unfoldBlock(block)) {
        const what = loses(event)
        if (what !== undefined) addWarning(warnings, what, 'omitted')
      }
    }
  }
}

/** Most blocks are; every dialect can express it. */
const isPlainText = (block: Block): boolean => block.type === 'text' && block.citations.length === 0

const isEmpty = ({ choices }: CanonicalReply): boolean => choices.every(({ blocks }) => blocks.length === 0)
