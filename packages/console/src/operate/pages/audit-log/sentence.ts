// A row of the audit log as a sentence: "eve@example.com set the price of gpt-x: output 8.00 → 9.00". Pure.
import { WORDS } from '@trivium/gateway/operate/words/index.ts'
import type { Words } from '@trivium/gateway/operate/words/words.ts'
import type { Language } from '../../../i18n/locale.ts'
import type { Row } from '../../api/routes.ts'
import type { OperateTexts } from '../../i18n/texts.ts'
import { type Difference, differences, fieldName } from '../../ui/differences.ts'

export type AuditRow = Row<'audit-log'>
type Texts = OperateTexts['auditLog']

/** `changes`: the first of them; `more`: how many others there are. */
export type Sentence = { who: string; did: string; changes: Difference[]; more: number }

const MOST_CHANGES = 3
const LONGEST_VALUE = 40
/** What these changed is said by the phrase. */
const SELF_EVIDENT = /(?:enable|disable|drain|second-factor|restore|import| on| off)$/
/** These sentences show what is new even if nothing was there before. */
const TELLS_NEW = / change$|^(?:budget create|code create|invitation create|account member|account credit|alert mute)$/
/** Secrets, which are kept as their fingerprints only. */
const FINGERPRINT = /^(?:sha256|hmac):/
/** Changes of these fields alone have a phrase of their own. */
const PRICES: Readonly<Record<string, { phrase: string; fields: RegExp }>> = {
  'model change': { phrase: 'model price', fields: /^price\.?/ },
  'group change': { phrase: 'group price', fields: /^(?=multiplier$)|^prices\./ },
}

export function sentenceOf(row: AuditRow, texts: Texts, language: Language): Sentence {
  const target = nameOf(row)
  const all = saidOf(row)
  const price = PRICES[row.action]
  const isPrice = price !== undefined && all.length > 0 && all.every(({ path }) => price.fields.test(path))
  const words = (WORDS as Words)[isPrice ? price.phrase : row.action]
  const fields = isPrice ? all.map((each) => ({ ...each, path: each.path.replace(price.fields, '') })) : all
  return {
    who: whoOf(row, texts),
    did: words?.did[language].replaceAll('{x}', target) ?? texts.otherPhrase(row.action, target),
    changes: fields.slice(0, MOST_CHANGES).map((each) => shortened(each, texts)),
    more: Math.max(0, fields.length - MOST_CHANGES),
  }
}

function saidOf({ action, before, after }: AuditRow): Difference[] {
  if (!after || SELF_EVIDENT.test(action) || !(before || TELLS_NEW.test(action))) return []
  return differences(before, after).filter(({ from, to }) => {
    if (to !== undefined) return !FINGERPRINT.test(to) && (from !== undefined || to !== 'null')
    // Most rows keep only what changed, so that a field which is missing afterwards is not gone.
    return action.endsWith(' change')
  })
}

/** What it is called now; what has no name, by its id. */
export const nameOf = ({ target, target_name: name }: AuditRow): string => name ?? target.slice(target.indexOf('/') + 1)

export function whoOf({ actor, actor_name: name }: AuditRow, texts: Texts): string {
  const [type, ...rest] = actor.split('/')
  const id = rest.join('/')
  if (type === 'command-line') return texts.commandLine
  if (type === 'job') return texts.job(texts.jobs[id] ?? id)
  if (type === 'admin-key') return texts.adminKey(name ?? id)
  return name ?? (id === '' ? texts.unknownActor : actor)
}

/** `balance_usd` is an amount: its unit stands behind it. */
function shortened({ path, from, to }: Difference, { none, fields, roles, values }: Texts): Difference {
  const isAmount = path.endsWith('_usd') && to !== 'null'
  const cut = (value: string | undefined) => {
    if (value === 'null') return none
    if (value !== undefined && path.endsWith('role')) return roles[value] ?? value
    const said = values[`${path} ${value}`]
    if (said !== undefined) return said
    return value !== undefined && value.length > LONGEST_VALUE ? `${value.slice(0, LONGEST_VALUE)}...` : value
  }
  const end = cut(to)
  return { path: fieldName(path, fields), from: cut(from), to: isAmount && end !== undefined ? `${end} USD` : end }
}
