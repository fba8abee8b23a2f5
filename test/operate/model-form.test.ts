import { expect, test } from 'bun:test'
import { routeOf, routeValues } from '../../packages/console/src/operate/pages/models/form-values.ts'

test('what the form does not show of a route is kept', () => {
  const route = { upstream: 'local', model: 'bge', priority: 2, same_vectors: true, cost: { input: '0.01' } }
  expect(routeOf({ ...routeValues(route), weight: '3' })).toEqual({ ...route, weight: 3 })
})

test('the model behind an opaque name is shown, and can be taken away', () => {
  const route = { upstream: 'azure', model: 'mine', base_model: 'gpt-4.1' }
  const values = routeValues(route)
  expect(values.baseModel).toBe('gpt-4.1')
  expect(routeOf(values)).toEqual(route)
  expect(routeOf({ ...values, baseModel: ' ' })).toEqual({ upstream: 'azure', model: 'mine' })
})
