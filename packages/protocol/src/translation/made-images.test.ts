// What of images that were made a model is shown, and where it stands.
import { expect, test } from 'bun:test'
import type { CanonicalRequest, MediaPart, Part, Turn } from '../canonical/request.ts'
import { withMadeImages } from './made-images.ts'

const text = (said: string): Part => ({ type: 'text', text: said })
const image = (at: string): MediaPart => ({
  type: 'media',
  media: 'image',
  source: { kind: 'inline', mime: 'image/png', data: at },
  at,
})
const made = (at: string): Part => ({ type: 'foreign', what: 'image_generation_call', at, image: image(at) })
const failed: Part = { type: 'foreign', what: 'image_generation_call', at: 'input[9]' }

function shown(turns: readonly Turn[], takesImages = true) {
  let warnings = 0
  const request = withMadeImages({ turns } as CanonicalRequest, takesImages, () => warnings++)
  return { turns: request.turns, warnings }
}

const TURNS: Turn[] = [
  { role: 'user', parts: [text('Draw.')] },
  { role: 'assistant', parts: [text('Here:'), made('input[1]'), text('Done.'), failed] },
  { role: 'user', parts: [text('Again.')] },
  { role: 'assistant', parts: [made('input[4]')] },
  { role: 'user', parts: [text('What is it?')] },
]

test('the last one is an image of the user, where it was made; that others are missing is said', () => {
  expect(shown(TURNS)).toEqual({
    turns: [
      { role: 'user', parts: [text('Draw.')] },
      { role: 'assistant', parts: [text('Here:'), text('Done.'), failed] },
      { role: 'user', parts: [text('Again.')] },
      { role: 'user', parts: [text('The image that was made:'), image('input[4]')] },
      { role: 'user', parts: [text('What is it?')] },
    ],
    warnings: 1,
  })
  expect(shown(TURNS.slice(0, 2))).toEqual({
    turns: [
      { role: 'user', parts: [text('Draw.')] },
      { role: 'assistant', parts: [text('Here:')] },
      { role: 'user', parts: [text('The image that was made:'), image('input[1]')] },
      { role: 'assistant', parts: [text('Done.'), failed] },
    ],
    warnings: 0,
  })
})

test('a model that takes none is shown none, which is said', () => {
  const { turns, warnings } = shown(TURNS, false)
  expect([turns.length, JSON.stringify(turns).includes('media'), warnings]).toEqual([4, false, 1])
})

test('a conversation without them stays as it is', () => {
  const turns: Turn[] = [{ role: 'assistant', parts: [failed] }]
  expect(shown(turns, false)).toEqual({ turns, warnings: 0 })
})
