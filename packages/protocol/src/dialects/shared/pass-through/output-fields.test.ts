// Other names for the output cap: none of them asks for more than is paid for, in any dialect, at any size.
import { describe, expect, test } from 'bun:test'
import { ask, edit, type Id, read } from '../../../../fixtures/shared/pass-through-requests.ts'
import { OUTPUT_FIELDS, pathOf } from './output-fields.ts'

const BIG = 'x'.repeat(20_000)

/** What is left of the members when 100 tokens of one answer are paid for. */
function bounded(id: Id, members: string, pad = ''): Record<string, unknown> {
  const padded = pad === '' ? members : `${members},"padding":"${pad}"`
  const fields = read(id, ask(id, padded)).outputFields
  return JSON.parse(edit(id, ask(id, padded), { outputFields: { fields, bounds: { cap: 100, choices: 1 } } }))
}

const TABLE: [members: string, left: object, gone?: string[]][] = [
  ['"n_predict":100000', { n_predict: 100 }],
  ['"n_predict":-1', { n_predict: 100 }],
  ['"n_predict":0', { n_predict: 100 }],
  ['"n_predict":"100000"', { n_predict: 100 }],
  ['"n_predict":1e9', { n_predict: 100 }],
  ['"n_predict":99.5', { n_predict: 100 }],
  ['"n_predict":50', { n_predict: 50 }],
  ['"n_predict":null', { n_predict: null }],
  ['"n_pr\\u0065dict":100000', { n_predict: 100 }],
  ['"N_Predict":100000', { N_Predict: 100 }],
  ['"to\\u212aens_to_generate":100000', { 'to\u212aens_to_generate': 100 }],
  ['"options":{"seed":12345678901234567890,"num_predict":100000}', { options: { num_predict: 100 } }],
  ['"options":{"num_predict":-2,"n_predict":5}', { options: { num_predict: 100, n_predict: 5 } }],
  ['"options":{"num_predict":1,"num_predict":100000}', {}, ['options']],
  ['"options":[{"num_predict":100000}]', { options: [{ num_predict: 100_000 }] }],
  ['"parameters":{"max_new_tokens":100000,"best_of":4,"seed":1}', { parameters: { max_new_tokens: 100, seed: 1 } }],
  ['"extra_body":{"n_predict":100000,"model":"other","google":{"a":1}}', { extra_body: { google: { a: 1 } } }],
  ['"thinking_budget":0', { thinking_budget: 0 }],
  ['"thinking_budget":-1,"reasoning_budget":100000', { thinking_budget: 100, reasoning_budget: 100 }],
  ['"min_tokens":100000', {}, ['min_tokens']],
  ['"min_tokens":0', { min_tokens: 0 }],
  ['"best_of":20,"n_cmpl":20', {}, ['best_of', 'n_cmpl']],
  ['"best_of":1', { best_of: 1 }],
  ['"auto_max_new_tokens":true', {}, ['auto_max_new_tokens']],
  ['"auto_max_new_tokens":false', { auto_max_new_tokens: false }],
]

describe.each(['chat', 'responses', 'messages', 'generate-content'] as const)('%s', (id) => {
  test.each(TABLE)('%s', (members, left, gone = []) => {
    for (const pad of ['', BIG]) {
      const body = bounded(id, members, pad)
      expect(body).toMatchObject(left)
      for (const name of gone) expect(body).not.toHaveProperty(name)
    }
  })

  test('every byte that need not change stays', () => {
    const members = '"options":{ "seed": 12345678901234567890, "num_predict":100000 }, "n_predict" : 100000'
    const fields = read(id, ask(id, members)).outputFields
    expect(fields.map(pathOf)).toEqual(['options.num_predict', 'n_predict'])
    expect(edit(id, ask(id, members), { outputFields: { fields, bounds: { cap: 100, choices: 1 } } })).toBe(
      ask(id, members.replaceAll('100000', '100')),
    )
  })

  test('a cap that the balance lowered holds for them too, and a stream without one changes nothing', () => {
    const body = ask(id, '"n_predict":80')
    const { outputFields: fields } = read(id, body)
    const unbounded = { outputFields: { fields, bounds: { cap: Number.POSITIVE_INFINITY, choices: 1 } } }
    expect(JSON.parse(edit(id, body, { ...unbounded, maxOutput: 20 }))).toMatchObject({ n_predict: 20 })
    expect(edit(id, body, unbounded)).toBe(body)
  })
})

test("a dialect's own cap is not among them, another dialect's is", () => {
  const names = (id: Id, members: string) => read(id, ask(id, members)).outputFields.map(pathOf)
  expect(names('chat', '"max_tokens":5,"max_completion_tokens":5,"n":2,"max_output_tokens":5')).toEqual([
    'max_output_tokens',
  ])
  expect(names('responses', '"max_output_tokens":50,"max_tokens":5,"n":2')).toEqual(['max_tokens', 'n'])
  expect(names('messages', '"max_completion_tokens":5')).toEqual(['max_completion_tokens'])
  expect(names('generate-content', '"generationConfig":{"maxOutputTokens":5,"candidateCount":2},"n":2')).toEqual(['n'])
  expect(new Set(OUTPUT_FIELDS).size).toBe(OUTPUT_FIELDS.length)
})
