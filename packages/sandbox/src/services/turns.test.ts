// The embedded models run in the gateway's own process: what is long to make must let others be served meanwhile.
import { expect, test } from 'bun:test'
import { answerSpeech, RATE, spoken } from '../speech/speech.ts'
import { answerEmbeddings } from './embeddings.ts'

/** How often others had their turn until it was done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  void work.then(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    turns++
  }
  return turns
}

const requestOf = (body: object) =>
  new Request('http://sandbox.invalid/', { method: 'POST', body: JSON.stringify(body) })

test('thousands of vectors', async () => {
  const input = Array.from({ length: 2_048 }, (_, index) => `word ${index}`)
  const work = answerEmbeddings(requestOf({ model: 'sandbox-embedding', input })).then((response) => response.bytes())
  expect(await turnsDuring(work)).toBeGreaterThan(100)
})

test('minutes of speech, of one word', async () => {
  const input = 'a'.repeat(4_096)
  const pieces = [...spoken(input, 1, false)]
  expect(Math.max(...pieces.map(({ length }) => length))).toBe(RATE)
  const samples = pieces.reduce((sum, { length }) => sum + length / 2, 0)
  expect(samples).toBe(Math.round(4_096 * 0.06 * RATE))
  const body = { model: 'sandbox-speech', input, voice: 'alloy', response_format: 'pcm' }
  const work = answerSpeech(requestOf(body)).then((response) => response.bytes())
  expect(await turnsDuring(work)).toBeGreaterThan(100)
})
