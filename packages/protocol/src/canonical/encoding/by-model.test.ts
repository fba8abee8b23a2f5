import { expect, test } from 'bun:test'
import { byModel } from './by-model.ts'

test('the rules of a model are looked up once for each name, and cached for a bounded number of names', () => {
  const asked: string[] = []
  const find = byModel((model) => {
    asked.push(model)
    return { model }
  })
  expect(find('a')).toBe(find('a'))
  expect(find('b')).toEqual({ model: 'b' })
  expect(asked).toEqual(['a', 'b'])
  for (let number = 0; number < 2_000; number++) find(`model-${number}`)
  find('a')
  expect(asked.filter((model) => model === 'a')).toHaveLength(2)
})
