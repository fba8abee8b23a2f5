// Prices of new-api: the tables of the program and of its options, and billing expressions.
import { expect, test } from 'bun:test'
import { assembled, cells, option, type Row, readRows, reported } from '../../../test-support/quota-database.ts'

const channel = (models: string): Row =>
  cells('id=1 type=1 key=sk-vendor status=1 name=c base_url= group=default priority=0', { models })

const priceOf = async (name: string, ...options: Row[]) => {
  const found = await readRows('new-api', { options, channels: [channel(name)] })
  expect(assembled(found.configuration).mistakes).toEqual([])
  return {
    price: found.configuration.models[0]?.value.price,
    says: reported(found).filter((line) => line.includes('ModelRatio: ')),
  }
}
const cases: [string, string, Row[], unknown][] = [
  ['the table of the program', 'gpt-4o', [], { input: '2.5', output: '10', cached_input: '1.25' }],
  ['the table of options has only its own names', 'gpt-4o', [option('ModelRatio', {})], undefined],
  ['hard-coded output wins', 'o3', [option('CompletionRatio', { o3: 9 })], { input: '2', output: '8' }],
  [
    'but not over names with a slash',
    'x/claude-3-x',
    [option('ModelRatio', { 'x/claude-3-x': 1 }), option('CompletionRatio', { 'x/claude-3-x': 9 })],
    { input: '2', output: '18', cache_write: '2.5', cache_write_1h: '4' },
  ],
  [
    'output that does not win',
    'gpt-4.1',
    [option('CompletionRatio', { 'gpt-4.1': 9 })],
    { input: '2', output: '18', cached_input: '0.5' },
  ],
  ['a fraction', 'gemini-2.5-flash', [], { input: '0.3', output: '2.5' }],
  ['a price in yuan', 'ERNIE-4.0-8K', [], { input: '16.438356164', output: '16.438356164' }],
  ['a budget of thinking', 'gemini-2.5-pro-thinking-1024', [], { input: '1.25', output: '10' }],
  [
    'caches of Claude',
    'claude-opus-4-5-20251101',
    [],
    { input: '5', output: '25', cached_input: '0.5', cache_write: '6.25', cache_write_1h: '10' },
  ],
  ['audio', 'gpt-4o-audio-preview', [], { input: '2.5', output: '10', audio_input: '40', audio_output: '40' }],
  ['images by the token', 'gpt-image-1', [], { input: '5', image_input: '10', image_output: '40' }],
  [
    'images by the call',
    'dall-e-3',
    [option('ModelPrice', { 'dall-e-3': 0.05 })],
    {
      per_image: '0.05',
      variants: {
        '1024x1024/hd': '0.1',
        '1024x1792': '0.1',
        '1024x1792/hd': '0.15',
        '1792x1024': '0.1',
        '1792x1024/hd': '0.15',
      },
    },
  ],
  ['characters', 'tts-1', [], { per_million_characters: '15' }],
  ['embeddings', 'text-embedding-3-large', [], { input: '0.13' }],
  [
    'other units for a USD',
    'gpt-4o',
    [option('QuotaPerUnit', '1000000')],
    { input: '1.25', output: '5', cached_input: '0.625' },
  ],
  ['free', 'm', [option('ModelRatio', { m: 0 })], { input: '0', output: '0' }],
  ['one user', 'whatever', [option('SelfUseModeEnabled', 'true')], { input: '75', output: '75' }],
  ['a small ratio', 'm', [option('ModelRatio', '{"m": 1e-7}')], { input: '0.0000002', output: '0.0000002' }],
]
test.each(cases)('%s', async (_, name, options, price) => {
  expect((await priceOf(name, ...options)).price).toEqual(price as never)
})

const tiered = (expression: string) => [
  option('billing_setting.billing_mode', { m: 'tiered_expr' }),
  option('billing_setting.billing_expr', { m: expression }),
]
const long = { above: 200_000, input: '6', output: '22.5', cached_input: '0.6' }
const expressions: [string, unknown][] = [
  ['tier("base", p * 2 + c * 8 + cr * 0.5)', { input: '2', output: '8', cached_input: '0.5' }],
  ['v1: tier("a, b", 2 * p * 2)', { input: '4', output: '0' }],
  [
    'len <= 200000 ? tier("a", p * 3 + c * 15 + cr * 0.3) : tier("b", p * 6 + c * 22.5 + cr * 0.6)',
    { input: '3', output: '15', cached_input: '0.3', long_context: [long] },
  ],
  [
    'len > 200000 ? tier("b", p * 6 + c * 22.5 + cr * 0.6) : tier("a", p * 3 + c * 15)',
    { input: '3', output: '15', long_context: [long] },
  ],
  [
    'len < 200001 ? tier("a", p * 3 + c * 15 + cr * 0.3) : (len < 5 ? tier("x", p * 1) : tier("b", p * 6 + c * 22.5 + cr * 0.6))',
    { input: '3', output: '15', cached_input: '0.3', long_context: [long] },
  ],
  [
    'len >= 9 ? tier("c", p * 3 + c * 1) : len >= 4 ? tier("b", p * 2 + c * 1) : tier("a", p * 1 + c * 1)',
    {
      input: '1',
      output: '1',
      long_context: [
        { above: 3, input: '2', output: '1' },
        { above: 8, input: '3', output: '1' },
      ],
    },
  ],
  [
    'tier("a", p * 1 + cc * 2 + cc1h * 3 + img * 4 + ai * 5 + ao * 6 + img_o * 7)',
    {
      input: '1',
      output: '0',
      cache_write: '2',
      cache_write_1h: '3',
      image_input: '4',
      audio_input: '5',
      audio_output: '6',
      image_output: '7',
    },
  ],
  ['tier("a", p * 1)|||when(header("x") has "y") * 6', undefined],
  ['(tier("a", p * 1)) * (param("service_tier") == "flex" ? 0.5 : 1)', undefined],
  ['p > 200 ? tier("a", p * 1) : tier("b", p * 2)', undefined],
  ['tier("a", p * 1 + p * 2)', undefined],
  ['tier("a", p * c)', undefined],
  ['tier("a", max(p, 3) * 1)', undefined],
  ['tier("a", p * 1 - c * 1)', undefined],
  ['tier("a", fixed(0.01))', undefined],
  ['', undefined],
]
test.each(expressions)('the expression %j', async (expression, price) => {
  const found = await priceOf('m', ...tiered(expression))
  expect(found.price).toEqual(price as never)
  if (price === undefined) expect(found.says.join()).toContain('manual options.ModelRatio')
})

test('a price per call of a text model, and of Whisper, is named', async () => {
  expect((await priceOf('m', option('ModelPrice', { m: 0.01 }))).says.join()).toContain(
    'manual options.ModelRatio: A price per call',
  )
  expect((await priceOf('whisper-1')).says.join()).toContain('manual options.ModelRatio: A price per token')
  expect((await priceOf('ERNIE-4.0-8K')).says.join()).toContain('approximate options.ModelRatio')
})
