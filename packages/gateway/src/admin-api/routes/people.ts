// People and admin keys.
import { createAdminKey, deleteAdminKey, listAdminKeys, showAdminKey } from '../../administration/people/admin-keys.ts'
import { createInvitation, listInvitations, revokeInvitation } from '../../administration/people/invitations.ts'
import {
  disablePerson,
  enablePerson,
  listPeople,
  setPersonRole,
  showPerson,
} from '../../administration/people/people.ts'
import { listRoles } from '../../administration/people/roles.ts'
import {
  ADMIN_KEY,
  INVITATION,
  NEW_ADMIN_KEY,
  NEW_INVITATION,
  PERSON_SHOWN,
  ROLE,
} from '../../administration/resources/people.ts'
import type { AdminRoutes } from './route.ts'

export const PEOPLE_ROUTES = {
  'GET people': {
    operation: listPeople,
    summary: 'Lists people, oldest first',
    output: PERSON_SHOWN,
    list: true,
    csv: true,
  },
  'GET roles': {
    operation: listRoles,
    summary: 'Lists the roles of the gateway with their permissions',
    output: ROLE,
    list: true,
  },
  'GET people/{person}': { operation: showPerson, summary: 'Shows a person', output: PERSON_SHOWN },
  'PATCH people/{person}': {
    operation: setPersonRole,
    summary: 'Sets the role of a person in the gateway; null removes it',
    output: PERSON_SHOWN,
    example: { body: { role: 'support' } },
  },
  'POST people/{person}/disable': {
    operation: disablePerson,
    summary: 'Ends all sessions of a person, who can no longer sign in',
    output: PERSON_SHOWN,
  },
  'POST people/{person}/enable': {
    operation: enablePerson,
    summary: 'Lets a disabled person sign in again',
    output: PERSON_SHOWN,
  },

  'GET invitations': { operation: listInvitations, summary: 'Lists open invitations', output: INVITATION, list: true },
  'POST invitations': {
    operation: createInvitation,
    summary: 'Invites a person by a link, which is shown once and works once',
    output: NEW_INVITATION,
    status: 201,
    example: { body: { account: '7', member_role: 'member', email: 'grace@example.com' } },
  },
  'DELETE invitations/{invitation}': {
    operation: revokeInvitation,
    summary: 'Revokes an invitation',
    output: INVITATION,
  },

  'GET admin-keys': { operation: listAdminKeys, summary: 'Lists admin keys', output: ADMIN_KEY, list: true },
  'POST admin-keys': {
    operation: createAdminKey,
    summary: 'Creates an admin key; its secret is shown once',
    output: NEW_ADMIN_KEY,
    status: 201,
    example: { body: { name: 'billing', role: 'finance', expires_at: '2030-01-31T12:00:00Z' } },
  },
  'GET admin-keys/{admin_key}': { operation: showAdminKey, summary: 'Shows an admin key', output: ADMIN_KEY },
  'DELETE admin-keys/{admin_key}': {
    operation: deleteAdminKey,
    summary: 'Deletes an admin key',
    output: ADMIN_KEY,
  },
} as const satisfies AdminRoutes
