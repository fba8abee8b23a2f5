import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { renderScenes } from './svg.ts'

const SCENES = [
  { title: 'One', lines: [{ text: '$ echo "<a> & b"', kind: 'prompt' as const }] },
  { title: 'Two', lines: [{ text: 'x'.repeat(200), kind: 'output' as const }] },
]

test('text is escaped, long lines continue below, and the last scene is what stays without motion', () => {
  const texts = [...renderScenes(SCENES).matchAll(/<text class="([^"]+)"[^>]*>([^<]*)</g)]
  expect(texts.map(([, classes = '', text = '']) => [classes.replace(/ m\d+/, ''), text])).toEqual([
    ['title', 'One'],
    ['prompt', '$ echo &quot;&lt;a&gt; &amp; b&quot;'],
    ['title z', 'Two'],
    ['output z', 'x'.repeat(116)],
    ['output z', 'x'.repeat(84)],
  ])
})

test('scenes follow each other without a gap', () => {
  const [, first = '', second = ''] =
    /m0\{0%,([\d.]+)%\{opacity:1\}[\s\S]*@keyframes m1\{0%,([\d.]+)%\{opacity:0\}/.exec(renderScenes(SCENES)) ?? []
  expect([first, Number(first) > 0]).toEqual([second, true])
})

test('a scene of more rows than a reader can follow is an error', () => {
  const lines = Array.from({ length: 21 }, () => ({ text: 'x', kind: 'output' as const }))
  expect(() => renderScenes([{ title: 'Long', lines }])).toThrow("the scene 'Long' has 21 rows; 20 fit")
})

test('the recording of the README shows whole lines and no secret', async () => {
  const picture = await Bun.file(join(import.meta.dir, '../../docs/images/tour.svg')).text()
  expect(picture).toContain('sk-...')
  expect(picture).not.toMatch(/sk-[\w-]{8}|setup#[\w-]{8}/)
  expect(picture).toContain('>ok: true<')
  expect(picture).toContain('>formula: ')
  const shown = [...picture.matchAll(/<text [^>]*>([^<]*)</g)].map(([, text = '']) =>
    text.replaceAll(/(?:sk-|setup#)\.\.\./g, ''),
  )
  expect(shown.filter((text) => /\.\.\.|…/.test(text))).toEqual([])
})
