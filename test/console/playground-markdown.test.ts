// Markdown of models: what becomes an element, and that no text takes long.
import { describe, expect, test } from 'bun:test'
import { safeImage, safeLink } from '../../packages/console/src/markdown/addresses.ts'
import { type Block, parseBlocks } from '../../packages/console/src/markdown/blocks.ts'
import { type Inline, parseInline } from '../../packages/console/src/markdown/inline.ts'

const paragraph = (text: string): Block => ({ kind: 'paragraph', text })

test.each<[string, Block[]]>([
  ['one\ntwo\n\nthree', [paragraph('one\ntwo'), paragraph('three')]],
  ['## Title ##\ntext', [{ kind: 'heading', level: 2, text: 'Title' }, paragraph('text')]],
  ['# C#', [{ kind: 'heading', level: 1, text: 'C#' }]],
  [
    '```ts\nconst a = `b`\n\n# no\n```\nafter',
    [{ kind: 'code', language: 'ts', code: 'const a = `b`\n\n# no' }, paragraph('after')],
  ],
  ['~~~\nunclosed', [{ kind: 'code', language: '', code: 'unclosed' }]],
  ['> a\n> > b', [{ kind: 'quote', blocks: [paragraph('a'), { kind: 'quote', blocks: [paragraph('b')] }] }]],
  ['a\n\n---\nb', [paragraph('a'), { kind: 'rule' }, paragraph('b')]],
  ['- a\n- b', [{ kind: 'list', start: undefined, items: [[paragraph('a')], [paragraph('b')]] }]],
  [
    '- a\n  - b\n    - c\n- d',
    [
      {
        kind: 'list',
        start: undefined,
        items: [
          [
            paragraph('a'),
            {
              kind: 'list',
              start: undefined,
              items: [[paragraph('b'), { kind: 'list', start: undefined, items: [[paragraph('c')]] }]],
            },
          ],
          [paragraph('d')],
        ],
      },
    ],
  ],
  [
    '3. a\n   more\n\n4. b\n\nafter',
    [{ kind: 'list', start: 3, items: [[paragraph('a\nmore')], [paragraph('b')]] }, paragraph('after')],
  ],
  [
    'text\n| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |',
    [
      paragraph('text'),
      {
        kind: 'table',
        head: ['a', 'b'],
        rows: [
          ['1', '2'],
          ['3', ''],
        ],
      },
    ],
  ],
  ['<script>alert(1)</script>', [paragraph('<script>alert(1)</script>')]],
])('blocks of %j', (text, blocks) => {
  expect(parseBlocks(text)).toEqual(blocks)
})

const strong = (...children: Inline[]): Inline => ({ kind: 'strong', children })
const emphasis = (...children: Inline[]): Inline => ({ kind: 'emphasis', children })

test.each<[string, Inline[]]>([
  ['a **b** c', ['a ', strong('b'), ' c']],
  ['***a*** _b_ ~~c~~', [strong(emphasis('a')), ' ', emphasis('b'), ' ', { kind: 'strike', children: ['c'] }]],
  ['snake_case_name 2 * 3 * 4', ['snake_case_name 2 * 3 * 4']],
  ['**open', ['**open']],
  ['a `b*c*` ``d`e``', ['a ', { kind: 'code', text: 'b*c*' }, ' ', { kind: 'code', text: 'd`e' }]],
  ['\\*a\\*', ['*a*']],
  ['a\nb', ['a', { kind: 'break' }, 'b']],
  ['[a **b**](https://x.example/(y) "t")', [{ kind: 'link', text: 'a b', href: 'https://x.example/(y)' }]],
  [
    'see https://x.example/a.',
    ['see ', { kind: 'link', text: 'https://x.example/a', href: 'https://x.example/a' }, '.'],
  ],
  ['<https://x.example>', [{ kind: 'link', text: 'https://x.example', href: 'https://x.example' }]],
  ['![a](data:image/png;base64,AA==)', [{ kind: 'image', alt: 'a', src: 'data:image/png;base64,AA==' }]],
  ['<img src=x onerror=alert(1)>', ['<img src=x onerror=alert(1)>']],
])('inline %j', (text, items) => {
  expect(parseInline(text)).toEqual(items)
})

test.each<[text: string, href: string, host: string | undefined | false]>([
  ['https://x.example/', 'https://x.example', undefined],
  ['x.example', 'https://x.example/', undefined],
  ['https://x.example/a', 'https://x.example/a', undefined],
  ['here', 'https://x.example/', 'x.example'],
  ['https://bank.example', 'https://evil.example', 'evil.example'],
  ['https://\u0430pple.com', 'https://\u0430pple.com', 'xn--pple-43d.com'],
  ['https://bank.example@evil.example/', 'https://bank.example@evil.example/', 'evil.example'],
  ['x', 'javascript:alert(1)', false],
  ['x', 'JaVaScRiPt:alert(1)', false],
  ['x', 'java\nscript:alert(1)', false],
  ['x', 'data:text/html,<script>', false],
  ['x', 'vbscript:x', false],
  ['x', 'file:///etc/passwd', false],
  ['x', '//evil.example', false],
  ['x', '/console/api/sign-out', false],
])('a link with the text %j to %j shows %j', (text, href, host) => {
  const link = safeLink(href, text)
  if (host === false) expect(link).toBeUndefined()
  else expect(link).toMatchObject({ host })
})

test.each([
  ['data:image/png;base64,AA==', true],
  ['https://gateway.example/media/abc?exp=1&sig=x', true],
  ['data:image/svg+xml;base64,AA==', false],
  ['data:image/png,<svg/>', false],
  ['data:text/html;base64,AA==', false],
  ['https://gateway.example/media/../console/api/session', false],
  ['https://gateway.example/console/api/session', false],
  ['https://gateway.example.evil.example/media/abc', false],
  ['https://evil.example/media/abc', false],
  ['//evil.example/media/abc', false],
  ['/media/abc', false],
])('the image %j is shown: %p', (src, isShown) => {
  expect(safeImage(src, ['https://gateway.example', '']) !== undefined).toBe(isShown)
})

describe('hostile texts', () => {
  const SIZE = 100_000
  const fill = (piece: string) => piece.repeat(Math.ceil(SIZE / piece.length))
  const lists = Array.from({ length: 400 }, (_, index) => `${' '.repeat(index * 2)}- x`).join('\n')
  const pieces = [
    '>',
    '> ',
    '[',
    '![',
    '*',
    '*a',
    '**a *b',
    '_a',
    '~~a',
    '`a``',
    '<',
    '<a ',
    '[a](',
    '![a](',
    '|a',
    '\\',
    '\n',
    ' ',
  ]
  const texts = [...pieces.map(fill), ...pieces.map((piece) => `${fill(piece)}x`), fill('[a](b)'), fill('a|b\n-|-\n')]
  texts.push(
    lists,
    fill('- '),
    fill('1. '),
    fill('# '),
    fill('```\n'),
    fill('http://'),
    fill('> - '),
    fill('`'.repeat(99)),
  )

  test.each(texts.map((text) => [text.slice(0, 12), text] as const))('%j', (_, text) => {
    const blocks = parseBlocks(text)
    walk(blocks)
    // Quadratic time would be minutes, beyond the timeout of a test.
  })

  /** Does what the page does; returns the depth. */
  function walk(blocks: readonly Block[], depth = 0): void {
    expect(depth).toBeLessThan(20)
    for (const block of blocks) {
      if (block.kind === 'paragraph' || block.kind === 'heading') parseInline(block.text)
      if (block.kind === 'quote') walk(block.blocks, depth + 1)
      if (block.kind === 'list') for (const item of block.items) walk(item, depth + 1)
      if (block.kind === 'table') for (const row of [block.head, ...block.rows]) row.forEach(parseInline)
    }
  }
})
