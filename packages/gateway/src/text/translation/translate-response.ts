// Translates the response of an upstream of another dialect: as a whole, or event by event.

import { restoreReply, type SentTools } from '@trivium/protocol/canonical/encoding/restore-tools.ts'
import { finishOf } from '@trivium/protocol/canonical/finish.ts'
import { parsedJson } from '@trivium/protocol/canonical/reading.ts'
import { type Block, type CanonicalReply, outputBytesOf, unfoldBlock } from '@trivium/protocol/canonical/reply.ts'
import type { CanonicalRequest } from '@trivium/protocol/canonical/request.ts'
import { addWarning } from '@trivium/protocol/canonical/warning.ts'
import type { TextDialect } from '@trivium/protocol/dialects/index.ts'
import type { PassThroughReply, ReplyQuirks } from '@trivium/protocol/dialects/pass-through.ts'
import type { ReplyContext } from '@trivium/protocol/dialects/text-dialect.ts'
import { codec } from '../../bytes/codec.ts'
import { formatRequestId, timeOfId } from '../../request/ids.ts'
import type { TextCallDependencies } from '../dependencies.ts'
import { collectorFor } from '../reasoning/collect-reasoning.ts'
import type { PlannedAttempt, TextRequest } from '../request.ts'
import { hidingEncrypted } from './hide-encrypted.ts'
import type { Answerer } from './outbound.ts'
import { heartbeatOf } from './pass-through.ts'
import type { Seals } from './seals.ts'
import { MALFORMED, openTranslation, type Pair, stopAtCap } from './translate-stream.ts'

/** Keeps what the response needs of the request, and nothing else. */
export function createTranslatingAnswerer(
  planned: PlannedAttempt,
  upstream: TextDialect,
  canonical: CanonicalRequest,
  { tools, quirks }: { tools: SentTools; quirks: ReplyQuirks | undefined },
  deps: TextCallDependencies,
): Answerer {
  const { request, warnings } = planned
  const { dialect, asArray, id, conversation } = request
  const customs = customsOf(canonical)
  const requestId = formatRequestId(id)
  const answering = answeringFor(planned, canonical, requestId.slice('req_'.length), deps)
  const answerer = answererOf({
    client: dialect,
    upstream,
    warnings,
    asArray,
    requestId,
    tools: { ...tools, customs, hidesSearches: canonical.hostedTools.every(({ search }) => search === undefined) },
    quirks,
    answering,
    collector: collectorFor(planned, answering.hideReasoning, deps.seals),
  })
  return conversation?.hidesEncrypted ? hidingEncrypted(answerer) : answerer
}

const NO_NAMES: ReadonlySet<string> = new Set()
const NO_NAMESPACES: ReplyContext['namespaces'] = new Map()
const NO_ECHO: ReplyContext['echo'] = {}

function customsOf({ tools }: CanonicalRequest): ReadonlySet<string> {
  if (tools.length === 0) return NO_NAMES
  const names = tools.flatMap(({ name, custom }) => (custom === undefined ? [] : [name]))
  return names.length === 0 ? NO_NAMES : new Set(names)
}

function namespacesOf({ tools }: CanonicalRequest): ReplyContext['namespaces'] {
  if (tools.length === 0) return NO_NAMESPACES
  const named = tools.flatMap(({ name, namespace }) => (namespace ? [[name, namespace] as const] : []))
  return named.length === 0 ? NO_NAMESPACES : new Map(named)
}

function answeringFor(
  planned: PlannedAttempt,
  canonical: CanonicalRequest,
  id: string,
  { statistics: byModel, seals }: TextCallDependencies,
): ReplyContext {
  const { request, caller, candidate, offer } = planned
  const { parsed } = request
  const { account } = caller
  const upstream = candidate.upstream.id
  const statistics = byModel.of(offer.model.id)
  const input = Math.ceil(parsed.textBytes * statistics.inputTokensPerByte)
  return {
    id,
    created: Math.floor(timeOfId(request.id) / 1_000),
    model: offer.model.id,
    showUsage: parsed.showUsage,
    hideReasoning: canonical.reasoning.show === 'none',
    sealReasoning: canonical.reasoning.wantsEncrypted === true,
    namespaces: namespacesOf(canonical),
    echo: echoOf(request, canonical),
    seal: sealer(seals, account, upstream),
    estimate: (outputBytes) => ({ input, output: Math.ceil(outputBytes * statistics.outputTokensPerByte) }),
  }
}

/** The client of a request that was expanded reads its own fields. */
function echoOf({ conversation }: TextRequest, canonical: CanonicalRequest): ReplyContext['echo'] {
  if (!conversation) return canonical.echo ?? NO_ECHO
  const { echo } = conversation
  return { ...canonical.echo, ...Object.fromEntries(echo.map(({ name, json }) => [name, parsedJson(json)])) }
}

function answererOf(pair: Pair): Answerer {
  const { client, asArray, collector } = pair
  return {
    streamType: asArray ? 'application/json' : 'text/event-stream',
    heartbeat: heartbeatOf(client, asArray),
    readReply: (bytes) => translateReply(bytes, pair),
    openMeter: () => openTranslation(pair),
    collector,
  }
}

function sealer(seals: Seals, account: bigint, upstream: string): ReplyContext['seal'] {
  return (signature) => seals.seal(account, upstream, signature)
}

function translateReply(bytes: Uint8Array, pair: Pair): PassThroughReply {
  const { client, upstream, tools, warnings, answering, collector, quirks } = pair
  const decoded = upstream.decodeReply(parsedJson(codec.decode(bytes, 0, bytes.length)))
  if (!decoded.ok) return decoded
  const reply = restoreReply(cutAtCap(decoded.reply, quirks), tools)
  collector?.takeWhole(reply)
  for (const what of reply.omitted) addWarning(warnings, what, 'omitted')
  if (client.droppedPart !== undefined) warnOfLost(client.droppedPart, reply, warnings)
  const stop = reply.choices[0]?.stop
  if (stop?.reason === 'malformed_tool' && isEmpty(reply)) return { ok: false, error: MALFORMED }
  return {
    ok: true,
    usage: reply.usage,
    finish: stop && finishOf(stop),
    outputBytes: outputBytesOf(reply),
    body: codec.encode(JSON.stringify(client.encodeReply(reply, answering))),
  }
}

/** A server that calls an answer completed, though it has reached its cap. */
function cutAtCap(reply: CanonicalReply, quirks: ReplyQuirks | undefined): CanonicalReply {
  if (quirks?.cap === undefined) return reply
  const choices = reply.choices.map((choice) =>
    choice.stop === undefined ? choice : { ...choice, stop: stopAtCap(choice.stop, reply.usage, quirks) },
  )
  return { ...reply, choices }
}

/** Warns of parts that the client's dialect cannot express. */
function warnOfLost(
  loses: NonNullable<TextDialect['droppedPart']>,
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
