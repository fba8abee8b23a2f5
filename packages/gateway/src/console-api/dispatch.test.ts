// Who may call a route that needs a permission.
import { expect, test } from 'bun:test'
import { OperationRejected } from '../administration/rejections.ts'
import { checkPermission } from './dispatch.ts'

const rejection = (...given: Parameters<typeof checkPermission>): string | undefined => {
  try {
    checkPermission(...given)
    return undefined
  } catch (error) {
    return error instanceof OperationRejected ? error.code : String(error)
  }
}

test.each([
  ['public', undefined, undefined],
  ['session', undefined, undefined],
  [{ permission: 'money' }, undefined, 'forbidden'],
  [{ permission: 'money' }, 'support', 'forbidden'],
  [{ permission: 'money' }, 'finance', undefined],
  [{ permission: 'people' }, 'finance', 'forbidden'],
  [{ permission: 'people' }, 'owner', undefined],
] as const)('%j for a person with the role %p: %p', (policy, role, expected) => {
  expect(rejection(policy, { role })).toBe(expected)
})
