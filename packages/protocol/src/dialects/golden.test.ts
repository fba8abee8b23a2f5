// Every request fixture and every recorded answer, times every dialect: a dialect more is a row more, and no code.
// The golden files under fixtures/golden are the mapping, written out. `TRIVIUM_GOLDEN=write bun test` on this file
// writes them anew; read the difference before you keep it.

import { describe, expect, test } from 'bun:test'
import { bytesOf } from '../../fixtures/buffer-codec.ts'
import { brokenRules } from '../../fixtures/event-rules.ts'
import {
  addressOf,
  eventsOf,
  framesOf,
  golden,
  outcome,
  plain,
  requestFixtures,
  testAnswering,
  testTarget,
} from '../../fixtures/matrix.ts'
import { ownAnswers, type Recorded, recordings } from '../../fixtures/recorded.ts'
import { NO_CHANGES } from '../../fixtures/sent-tools.ts'
import type { SentTools } from '../canonical/encoding/restore-tools.ts'
import { untranslatedFields } from '../canonical/encoding/untranslated-fields.ts'
import type { Json } from '../canonical/reading.ts'
import { type CanonicalReply, fold, unfold } from '../canonical/reply.ts'
import type { CanonicalRequest } from '../canonical/request.ts'
import type { TextDialect } from './index.ts'
import { TEXT_DIALECTS } from './index.ts'

const ALL = Object.values(TEXT_DIALECTS)

/** One row per dialect. */
const forAll = (work: (dialect: TextDialect) => unknown): Record<string, unknown> =>
  Object.fromEntries(ALL.map((dialect) => [dialect.id, plain(work(dialect))]))

const changesOf = (tools: SentTools) => ({
  ...(tools.changed.size === 0 ? {} : { changed: Object.fromEntries(tools.changed) }),
  ...(tools.wrapped.size === 0 ? {} : { wrapped: [...tools.wrapped] }),
  ...(tools.firstCallOnly === NO_CHANGES.firstCallOnly ? {} : { firstCallOnly: true }),
})

describe('requests', () => {
  function written(request: CanonicalRequest, dialect: TextDialect): unknown {
    const target = testTarget()
    return outcome(() => {
      const { body, tools } = dialect.encodeRequest(request, target)
      // What is written for an upstream must be right in its dialect.
      dialect.decodeRequest(plain(body), addressOf(dialect.id))
      return { ...changesOf(tools), warnings: target.warnings, body }
    })
  }

  test.each(requestFixtures().map((fixture) => [fixture.name, fixture] as const))('%s', (name, fixture) => {
    const request = TEXT_DIALECTS[fixture.dialect].decodeRequest(fixture.body, fixture.addressed)
    const untranslated = [
      ...request.untranslated,
      ...untranslatedFields(fixture.body as Json, TEXT_DIALECTS[fixture.dialect].translated),
    ]
    const actual = {
      untranslated: plain([...new Set(untranslated)].sort()),
      ...forAll((dialect) => written(request, dialect)),
    }
    expect(actual).toEqual(golden(`requests/${name}`, actual))
  })
})

const rows = (answers: Recorded[], streamed: boolean) =>
  answers
    .filter((recorded) => recorded.streamed === streamed && recorded.status === 200)
    .map((recorded) => [recorded.name, recorded] as const)

const replyOf = (recorded: Recorded) =>
  TEXT_DIALECTS[recorded.dialect].decodeReply(JSON.parse(recorded.read().toString()))

/** What the answer holds that no dialect, or not every dialect, has words for. */
function leftOut(reply: CanonicalReply): Record<string, unknown> {
  const lost = ALL.map(({ id, droppedPart: loses }) => [
    id,
    [...new Set([...unfold(reply)].flatMap((event) => loses?.(event) ?? []))],
  ])
  const losses = lost.filter(([, what]) => what?.length !== 0)
  return {
    ...(reply.omitted.length === 0 ? {} : { omitted: plain(reply.omitted) }),
    ...(losses.length === 0 ? {} : { lost: Object.fromEntries(losses) }),
  }
}

describe('replies', () => {
  test.each(rows(ownAnswers(), false))('%s', (name, recorded) => {
    const decoded = replyOf(recorded)
    if (decoded.ok) expect(brokenRules([...unfold(decoded.reply)])).toEqual([])
    const actual = decoded.ok
      ? { ...leftOut(decoded.reply), ...forAll((dialect) => dialect.encodeReply(decoded.reply, testAnswering)) }
      : { error: plain(decoded.error) }
    expect(actual).toEqual(golden(name.replace('fixtures', 'replies'), actual))
  })

  test.each(rows(recordings(), false))('%s can be expressed in every dialect', (_, recorded) => {
    const decoded = replyOf(recorded)
    if (!decoded.ok) throw new Error(decoded.error.message)
    for (const dialect of ALL) {
      expect(dialect.decodeReply(plain(dialect.encodeReply(decoded.reply, testAnswering))).ok).toBe(true)
    }
  })
})

/** Streams whose frames are kept: one of each kind. The rest is held against these kinds by what follows. */
const KEPT =
  /(?:^|\/)(text|reasoning|tool-call|interleaved-tool-calls|parallel-tool-calls|refusal|filter|length|hosted-tools|cached-usage|error-inside\.broken|error-nested\.broken)\.(?:chunks\.txt|sse)$/

describe('streams', () => {
  const streams = [...rows(ownAnswers(), true), ...rows(recordings(), true)]

  test.each(streams)('%s is read by the rules, however it is cut', (name, recorded) => {
    const bytes = recorded.read()
    const events = eventsOf(TEXT_DIALECTS[recorded.dialect], bytes)
    expect(brokenRules(events)).toEqual([])
    const sizes = name.startsWith('fixtures/') ? [1, 3, 64] : [997]
    for (const size of sizes) expect(fold(eventsOf(TEXT_DIALECTS[recorded.dialect], bytes, size))).toEqual(fold(events))
    if (name.includes('.broken.')) expect(events.at(-1)?.type).toBe('error')
    else if (!name.includes('.odd.')) expect(events.at(-1)).toEqual({ type: 'end' })
  })

  test.each(streams.filter(([name]) => name.startsWith('fixtures/') && KEPT.test(name)))('%s', (name, recorded) => {
    const events = eventsOf(TEXT_DIALECTS[recorded.dialect], recorded.read())
    const actual = forAll((dialect) => framesOf(dialect, events).split('\n'))
    const file = name.replace('fixtures', 'streams').replace(/\.(chunks\.txt|sse)$/, '')
    expect(actual).toEqual(golden(file, actual))
  })

  test.each(streams)('%s is written so that every dialect reads it', (_, recorded) => {
    const events = eventsOf(TEXT_DIALECTS[recorded.dialect], recorded.read())
    // One dialect has no other word than an error for a model that failed at calling a tool.
    const isMalformedCall = events.some((event) => event.type === 'stop' && event.stop.reason === 'malformed_tool')
    for (const dialect of ALL) {
      const again = eventsOf(dialect, bytesOf(framesOf(dialect, events)))
      expect(brokenRules(again)).toEqual([])
      if (!isMalformedCall) expect(again.at(-1)?.type).toBe(events.at(-1)?.type as 'end')
    }
  })
})
