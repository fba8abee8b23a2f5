// What several routes of sign-in and settings take or return, and their examples.
import { isAnyAddress } from '../../access/email-address.ts'
import { LONGEST_PASSWORD } from '../../access/password-rules.ts'
import { BE_AN_ADDRESS } from '../../operate/inputs/schemas.ts'
import { always, fields, text, textLike, word } from '../../request/schema/schema.ts'
import { MEMBER_ROLES } from '../../storage/people/members.ts'

/** Looser than at registration: operators may create accounts with unusual addresses. */
export const ANY_ADDRESS = textLike((value) => isAnyAddress(value.trim()), BE_AN_ADDRESS)
export const PASSWORD = text({ max: LONGEST_PASSWORD })
/** From the authenticator app, or a recovery code. */
export const CODE = text({ max: 64 })
export const TOKEN = textLike((value) => /^[A-Za-z0-9_-]{1,100}$/.test(value), 'be the part of the link behind the #')
export const LINK_TOKEN = fields({ token: TOKEN })

/** The role of a person in the account. */
export const MEMBER_ROLE = word(...MEMBER_ROLES)

export const SIGNED_IN = fields({ signed_in: always(true) })
/** Send the credentials again, with a code. */
export const SECOND_FACTOR_REQUIRED = fields({ signed_in: always(false), second_factor_required: always(true) })

export const GRACE = { email: 'grace@example.com', password: 'correct horse battery' }
export const LINK_EXAMPLE = { token: 'the-part-of-the-link-behind-the-number-sign' }
