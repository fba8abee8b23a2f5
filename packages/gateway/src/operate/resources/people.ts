// People and admin keys, as the admin API shows them.
import { boolean, fields, ID, listOf, nullable, string, TIME, word } from '../../request/schema/schema.ts'
import { MEMBER_ROLES } from '../../storage/people/members.ts'
import { GATEWAY_ROLES } from '../../storage/people/people.ts'
import { PERMISSIONS, type Permission } from '../permissions.ts'
import { resource } from './resource.ts'

export const ROLE = resource(
  'role',
  fields({ id: word(...GATEWAY_ROLES), permissions: listOf(word(...(Object.keys(PERMISSIONS) as Permission[]))) }),
)

export const PERSON_SHOWN = resource(
  'person',
  fields({
    id: ID,
    email: string(),
    role: nullable(word(...GATEWAY_ROLES)),
    disabled: boolean(),
    second_factor: boolean('Whether two-factor authentication is on.'),
    accounts: listOf(fields({ id: ID, name: string(), role: word(...MEMBER_ROLES) })),
    created_at: TIME,
    signed_in_at: nullable(TIME),
  }),
)

/** The person, and the admin key, behind it; all null: the command line. */
const MADE_BY = {
  made_by: nullable(ID),
  made_by_email: nullable(string()),
  made_by_key: nullable(ID),
  made_by_key_name: nullable(string()),
}

export const ADMIN_KEY = resource(
  'admin_key',
  fields({
    id: ID,
    name: string(),
    role: word(...GATEWAY_ROLES),
    permissions: nullable(listOf(string('Null: all of the role.'))),
    last_four: string(),
    ...MADE_BY,
    created_at: TIME,
    expires_at: nullable(TIME),
    networks: nullable(listOf(string())),
    last_used_at: nullable(TIME),
  }),
)
export const INVITATION = resource(
  'invitation',
  fields({
    id: ID,
    role: nullable(word(...GATEWAY_ROLES)),
    account: nullable(ID),
    member_role: nullable(word(...MEMBER_ROLES)),
    email: nullable(string()),
    ...MADE_BY,
    created_at: TIME,
    expires_at: TIME,
  }),
)
/** The link is shown once. */
export const NEW_INVITATION = fields({
  ...INVITATION.properties,
  url: string(),
  mailed: boolean('Whether the link is also sent to the address.'),
})

/** The secret is shown once. */
export const NEW_ADMIN_KEY = fields({ ...ADMIN_KEY.properties, secret: string() })
