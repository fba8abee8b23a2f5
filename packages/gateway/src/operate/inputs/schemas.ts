// The schemas of what operations take. Routes that call an operation take them from here.
import { isAnyAddress } from '../../access/email-address.ts'
import { isLongEnough, LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../access/password-rules.ts'
import { parseUsd } from '../../money/amount.ts'
import { LONGEST_TAG, MOST_TAGS } from '../../money/budgets/attribution.ts'
import { PERIODS } from '../../money/limits.ts'
import {
  boolean,
  fields,
  integer,
  list,
  nullable,
  optional,
  rule,
  text,
  textLike,
  WRITTEN_TIME,
  word,
} from '../../request/schema/schema.ts'

/** As callers name an account. */
export const ACCOUNT = text({ max: 320 })
export const BE_AN_ADDRESS = 'be an email address such as ada@example.com'
export const EMAIL = textLike(isAnyAddress, BE_AN_ADDRESS)
export const NEW_PASSWORD = rule(
  text({ min: 0, max: LONGEST_PASSWORD }),
  isLongEnough,
  `have at least ${SHORTEST_PASSWORD} characters`,
)

/** Decimal text, which no reader of JSON rounds. */
export const AMOUNT = textLike((value) => parseUsd(value) !== undefined, 'be an amount in USD such as 12.50')
const nanos = (value: string): bigint => parseUsd(value) ?? 0n
export const POSITIVE_AMOUNT = rule(AMOUNT, (value) => nanos(value) > 0n, 'be more than zero')
export const AMOUNT_OR_ZERO = rule(AMOUNT, (value) => nanos(value) >= 0n, 'not be negative')
export const NONZERO_AMOUNT = rule(AMOUNT, (value) => nanos(value) !== 0n, 'not be zero')
/** 0: none. */
export const CREDIT_LINE = textLike(
  (value) => value === 'unlimited' || (parseUsd(value) ?? -1n) >= 0n,
  "be an amount in USD such as 500, or 'unlimited'",
)

/** What requests are for, as filters. An end user as it is kept or, with the account, as requests name it. */
export const ATTRIBUTED = {
  tag: optional(text({ max: LONGEST_TAG })),
  end_user: optional(text({ max: 256 })),
  session: optional(text({ max: 128 })),
}

const LONGEST_NAME = 100
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u
/** Control characters, and those that change the direction of text or have no width: lists must show what is there. */
const MISLEADING = /[\p{Cc}\u200b\u200e\u200f\u202a-\u202e\u2028\u2029\u2060-\u2069\ufeff]/u
/** The name of a key or an account. White space around it does not count. */
export const NAME = textLike((value) => {
  const name = value.trim()
  return name.length <= LONGEST_NAME && VISIBLE.test(name) && !MISLEADING.test(name)
}, `have 1 to ${LONGEST_NAME} characters, all of them visible`)

/** Operators name accounts by id, by name, or by the address of a person: a name must not look like one of the others. */
export const ACCOUNT_NAME = rule(
  rule(NAME, (value) => !/^\d+$/.test(value.trim()), 'not be a number'),
  (value) => !value.includes('@'),
  'not contain an @',
)

/** Why, in the words of a person: for revisions and the audit log. */
export const REASON = optional(text({ min: 0, max: 500 }))

/** How many rows a page has at most. */
export const LIMIT = integer({ min: 1, max: 1_000 })

const RATE = optional(nullable(integer({ min: 1, max: 1_000_000_000 })))
/** Null removes a limit; an absent one stays. */
export const LIMITS = fields({ rpm: RATE, tpm: RATE, concurrent: RATE })

export const PERIOD = word(...PERIODS)
/** Null removes a cap and its period, or the period alone; an absent field stays. */
export const CAP = { cap_usd: optional(nullable(POSITIVE_AMOUNT)), cap_period: optional(nullable(PERIOD)) }

/** When something stops working: with a time of day, since a day alone has two ends. */
export const EXPIRY = rule(WRITTEN_TIME, (value) => value.includes('T'), 'be a time such as 2027-01-31T12:00:00Z')

const MOST_ENTRIES = 100
/** To allow nothing is never intended, and to allow everything might not be. */
const listOfText = (maxLength: number) =>
  rule(
    list(text({ min: 0, max: maxLength }), MOST_ENTRIES),
    (entries) => entries.some((entry) => entry.trim() !== ''),
    `be a list of 1 to ${MOST_ENTRIES} entries`,
  )

/** IP addresses and CIDR blocks. */
export const NETWORKS = listOfText(100)

/** Tags that requests carry by default; null: none. */
export const DEFAULT_TAGS = optional(nullable(list(text({ min: 0, max: 300 }), MOST_TAGS)))

/** Null removes a restriction; an absent one stays. */
const TERMS = {
  group: optional(text({ max: 200 })),
  cap_usd: CAP.cap_usd,
  cap_period: CAP.cap_period,
  expires_at: optional(nullable(EXPIRY)),
  models: optional(nullable(listOfText(300))),
  networks: optional(nullable(NETWORKS)),
  /** Requests carry them by default. */
  tags: DEFAULT_TAGS,
  /** Operators alone write it: neither the account holder nor a request changes these tags. */
  tags_locked: optional(boolean()),
  limits: optional(LIMITS),
}
export const NEW_KEY = fields({ name: NAME, ...TERMS })
/** Only the fields that are present change. */
export const CHANGE_KEY = fields({ name: optional(NAME), ...TERMS })

const LONGEST_GRACE_SECONDS = 7 * 86_400
/** How long the former secret works. */
export const ROTATE_KEY = fields({ grace_seconds: integer({ min: 0, max: LONGEST_GRACE_SECONDS }) })

export const KEY_STATE = word('active', 'expired', 'deleted')
/** `name`: part of the name. */
export const KEY_FILTER = fields({
  state: optional(KEY_STATE),
  name: optional(text({ min: 0, max: 20_000 })),
})
/** The end of a key's secret. */
export const LAST_FOUR = textLike((value) => /^[\w-]{4}$/.test(value), 'be the last four characters of a secret')

export const REDEMPTION = fields({ code: text({ max: 100 }) })
