// What is particular in a database of one-api, in small ones of ours.
import { expect, test } from 'bun:test'
import {
  all,
  assembled,
  cells,
  option,
  type Row,
  type Rows,
  readRows,
  reported,
} from '../../../test-support/quota-database.ts'
import { CHANGED } from '../quota/logs/charges.ts'
import * as people from '../quota/people.ts'
import { NOT_LISTED } from './prices.ts'

const ROOT = Bun.password.hashSync('123456', { algorithm: 'bcrypt', cost: 4 })
const user = (id: number, more: Row = {}): Row =>
  cells(`id=${id} username=u${id} password= role=1 status=1 email= quota=500000 used_quota=0 group=vip`, more)
const token = (id: number, more: Row = {}): Row => {
  const state = 'status=1 expired_time=-1 remain_quota=-1 unlimited_quota=1 used_quota=0 models= subnet='
  return cells(`id=${id} user_id=2 key=${'k'.repeat(40)}${id} name=default ${state}`, more)
}
const channel = (models: string): Row =>
  cells('id=1 type=1 key=sk-x status=1 name=c base_url= group=vip model_mapping= priority=0 config={}', { models })
const read = (rows: Rows) => readRows('one-api', { users: [user(2)], channels: [channel('m')], ...rows })

test('an empty list of models is no limit, and networks are separated by commas', async () => {
  const found = await read({ tokens: [token(1), token(2, { models: 'a,b', subnet: '10.0.0.0/8, 127.0.0.1' })] })
  expect((await all(found.keys())).map(({ models, networks, group }) => [models, networks, group])).toEqual([
    [undefined, undefined, 'vip'],
    [['a', 'b'], ['10.0.0.0/8', '127.0.0.1'], 'vip'],
  ])
})

test('the first administrator has no billion, and a new password to set', async () => {
  const found = await read({
    users: [
      user(1, { role: 100, quota: '500000000000000', password: ROOT }),
      user(2, { role: 100, quota: 5 }),
      user(3, { status: 3, username: 'deleted_x', email: 'a@b.example', password: ROOT }),
      user(4, { username: 'deleted_y' }),
    ],
  })
  expect((await all(found.accounts())).map(({ balance, disabled }) => [balance, disabled])).toEqual([
    [undefined, false],
    [undefined, false],
    [1_000_000_000n, true],
    [1_000_000_000n, false],
  ])
  expect(
    (await all(found.people())).map(({ mustChangePassword, role, email, password, disabled }) => [
      mustChangePassword,
      role,
      email,
      password?.form,
      disabled,
    ]),
  ).toEqual([
    [true, 'admin', undefined, 'bcrypt', false],
    [false, 'admin', undefined, undefined, false],
    [false, undefined, undefined, undefined, true],
    [false, undefined, undefined, undefined, false],
  ])
  expect(reported(found)).toEqual(
    expect.arrayContaining([
      `approximate users.quota: ${people.BOUNDLESS}`,
      `manual users.password: ${people.USUAL_PASSWORD}`,
      `approximate users.deleted: ${people.DELETED}`,
    ]),
  )
})

const prices: [string, Row[], unknown][] = [
  ['gpt-4o', [], { input: '5', output: '20' }],
  ['gpt-4o', [option('ModelRatio', { other: 1 })], { input: '5', output: '20' }],
  [
    'gpt-4o',
    [option('ModelRatio', { 'gpt-4o': 1 }), option('CompletionRatio', { 'gpt-4o': 2 })],
    { input: '2', output: '4' },
  ],
  ['claude-3-opus-20240229', [], { input: '15', output: '75' }],
  ['claude-sonnet-4-5', [], { input: '60', output: '180' }],
  ['gpt-3.5-turbo-0613', [], { input: '1.5', output: '2' }],
  ['deepseek-reasoner', [], { input: '0.55', output: '2.19' }],
  ['ERNIE-4.0-8K', [], { input: '17.04', output: '17.04' }],
  ['qwen-plus-internet', [], { input: '0.1136', output: '0.1136' }],
  ['dall-e-2', [], { per_image: '0.02', variants: { '256x256': '0.02', '512x512': '0.0225', '1024x1024': '0.025' } }],
  ['tts-1', [], { per_million_characters: '15' }],
  ['nobody-knows', [], { input: '60', output: '60' }],
]
test.each(prices)('the price of %s with %j', async (name, options, price) => {
  const found = await read({ options, channels: [channel(name)] })
  expect(assembled(found.configuration).mistakes).toEqual([])
  expect(found.configuration.models[0]?.value.price).toEqual(price as never)
  expect(reported(found).includes(`exact options.ModelRatio: ${NOT_LISTED}`)).toBe(/nobody|claude-sonnet-4/.test(name))
})

test('the log names keys by their name: two of one name are told apart by nothing', async () => {
  const log = (id: number, token_name: string, content: string): Row => ({
    id,
    user_id: 2,
    created_at: 1_795_020_207,
    type: 2,
    content,
    token_name,
    model_name: 'm',
    quota: 20,
    prompt_tokens: 8,
    completion_tokens: 2,
  })
  const found = await read({
    options: [option('ModelRatio', { m: 1 })],
    tokens: [token(1), token(2), token(3, { name: 'own' })],
    logs: [
      log(1, 'default', '倍率：1.00 × 1.00 × 1.00'),
      log(2, 'own', '倍率：2.00 × 1.00 × 1.00'),
      log(3, 'gone', '倍率：1.00 × 1.00 × 4.00'),
    ],
  })
  expect((await all(found.usage())).map(({ key, requests }) => [key, requests])).toEqual([
    [undefined, 2],
    ['token:3', 1],
  ])
  expect((await all(found.charges(9))).map(({ group, special }) => [group, special])).toEqual([
    ['vip', undefined],
    ['vip', CHANGED],
    ['vip', CHANGED],
  ])
})
