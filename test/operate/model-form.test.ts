import { expect, test } from 'bun:test'
import { routeOf, routeValues } from '../../packages/console/src/operate/pages/models/form-values.ts'

test('what the form does not show of a route is kept', () => {
  const route = { upstream: 'local', model: 'bge', priority: 2, same_vectors: true, cost: { input: '0.01' } }
  expect(routeOf({ ...routeValues(route), weight: '3' })).toEqual({ ...route, weight: 3 })
})
