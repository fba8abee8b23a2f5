import { expect, test } from 'bun:test'
import { entryOf, valuesOf } from '../../packages/console/src/operate/pages/models/form-values.ts'

test('what the form does not show of a route is kept', () => {
  const route = { upstream: 'local', model: 'bge', priority: 2, same_vectors: true, cost: { input: '0.01' } }
  const before = { id: 'vectors', type: 'embedding', price: { input: '0.02' }, routes: [route] }
  const values = valuesOf(before as never, '')
  const [first] = values.routes
  if (!first) throw new Error('no route')
  const changed = { ...values, routes: [{ ...first, weight: '3' }] }
  expect(entryOf(changed, before)).toMatchObject({ type: 'embedding', routes: [{ ...route, weight: 3 }] })
})
