// The roles of the gateway with what each may do, so that a console can say which colleague could do what a person may not.
import { NOTHING } from '../../request/schema/schema.ts'
import { GATEWAY_ROLES } from '../../storage/storage.ts'
import { operation } from '../operation.ts'
import { PERMISSIONS, type Permission, permits } from '../permissions.ts'
import { ROLE } from '../resources/people.ts'

const NAMES = Object.keys(PERMISSIONS) as Permission[]

export const listRoles = operation({
  name: 'role list',
  permission: 'see',
  route: {
    at: 'GET roles',
    summary: 'Lists the roles of the gateway with their permissions',
    output: ROLE,
    list: true,
  },
  input: NOTHING,
  run: async () => ({
    items: GATEWAY_ROLES.map((role) => ({ id: role, permissions: NAMES.filter((each) => permits(role, each)) })),
    next: null,
  }),
})
