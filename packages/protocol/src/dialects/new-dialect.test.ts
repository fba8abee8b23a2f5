// A new text dialect is one folder and one line in the list: here a toy dialect is added to the list, and every dialect is
// translated to it and from it, with no change outside its folder.
import { describe, expect, test } from 'bun:test'
import { bytesOf } from '../../fixtures/buffer-codec.ts'
import { brokenRules } from '../../fixtures/event-rules.ts'
import { addressOf, eventsOf, framesOf, plain, testAnswering, testTarget } from '../../fixtures/matrix.ts'
import { toy } from '../../fixtures/toy/index.ts'
import { type CanonicalReply, fold, unfold } from '../canonical/reply.ts'
import { TEXT_DIALECTS, type TextDialect } from './index.ts'

const NEW = toy as unknown as TextDialect
const DIALECTS = { ...TEXT_DIALECTS, toy: NEW }

const REQUEST = {
  model: 'm',
  live: true,
  lines: [
    { who: 'user', says: 'To be?' },
    { who: 'actor', says: 'Or not.' },
    { who: 'user', says: 'Why?' },
  ],
}
const REPLY: CanonicalReply = {
  id: undefined,
  choices: [
    { blocks: [{ type: 'text', text: 'The rest is silence.', citations: [] }], stop: { raw: 'end', reason: 'end' } },
  ],
  usage: { input: 7, output: 5 } as CanonicalReply['usage'],
  omitted: [],
}
const textIn = ({ choices }: CanonicalReply) => choices[0]?.blocks.map((block) => ('text' in block ? block.text : ''))

test('every dialect stands in the list under its own id', () => {
  for (const [id, dialect] of Object.entries(DIALECTS))
    expect([dialect.id, dialect.origin.dialect]).toEqual([id, id] as never)
})

describe.each(Object.entries(TEXT_DIALECTS))('between toy and %s', (id, dialect) => {
  test('a request is translated in both directions', () => {
    const sent = plain(dialect.encodeRequest(NEW.decodeRequest(REQUEST, undefined), testTarget()).body)
    const address = addressOf(dialect.id)
    const back = NEW.encodeRequest(dialect.decodeRequest(sent, address), { ...testTarget(), model: 'm' }).body
    expect(back).toEqual({ ...REQUEST, live: address === undefined })
  })

  test('a reply is translated in both directions', () => {
    const there = dialect.decodeReply(plain(dialect.encodeReply(REPLY, testAnswering)))
    if (!there.ok) throw new Error(`${id} does not read its own reply`)
    const body = plain(NEW.encodeReply(there.reply, testAnswering))
    expect(body).toEqual({ said: 'The rest is silence.', curtain: 'end', heard: 7, spoken: 5 })
    const back = NEW.decodeReply(body)
    if (!back.ok) throw new Error('toy does not read its own reply')
    expect(textIn(back.reply)).toEqual(['The rest is silence.'])
    expect(plain(dialect.encodeReply(back.reply, testAnswering))).toEqual(
      plain(dialect.encodeReply(REPLY, testAnswering)),
    )
  })

  test('a stream is translated in both directions, in chunks of any size', () => {
    const toToy = framesOf(NEW, eventsOf(dialect, bytesOf(framesOf(dialect, unfold(REPLY))), 3))
    const events = eventsOf(NEW, bytesOf(toToy), 5)
    expect(brokenRules(events)).toEqual([])
    const back = fold(eventsOf(dialect, bytesOf(framesOf(dialect, events)), 7))
    expect([textIn(back), back.usage?.input, back.usage?.output]).toEqual([['The rest is silence.'], 7, 5])
  })

  test('unsupported fields are rejected by the name that the client knows', () => {
    const request = { ...NEW.decodeRequest(REQUEST, undefined), modalities: ['audio' as const] }
    expect(() => dialect.encodeRequest(request, testTarget())).toThrow(
      expect.objectContaining({ info: expect.objectContaining({ param: 'senses' }) }),
    )
  })
})
