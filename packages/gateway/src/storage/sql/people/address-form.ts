// One form for all spellings of an email address that reach the same mailbox, so that each can register once. Pure.
import { domainToASCII } from 'node:url'
import { normaliseEmail } from '../guard.ts'

/** Mailboxes there ignore dots, and both domains have the same ones. */
const DOTLESS = new Set(['gmail.com', 'googlemail.com'])

/** The form is only compared, never used to send mail: `a.da+shop@GoogleMail.com` is `ada@gmail.com`. */
export function addressForm(email: string): string {
  // Invisible characters and full-width letters would make two addresses of one.
  const visible = normaliseEmail(email).replace(/\p{Default_Ignorable_Code_Point}/gu, '')
  const folded = visible.normalize('NFKC').toLowerCase()
  const at = folded.lastIndexOf('@')
  if (at === -1) return folded
  const domain = domainForm(folded.slice(at + 1))
  const local = untagged(folded.slice(0, at))
  if (!DOTLESS.has(domain)) return `${local}@${domain}`
  return `${local.replaceAll('.', '') || local}@gmail.com`
}

/** `ada+shop` -> `ada`. A name that begins with the plus is kept. */
function untagged(local: string): string {
  const plus = local.indexOf('+')
  return plus > 0 ? local.slice(0, plus) : local
}

/** Names in other scripts have two spellings; the one in ASCII is taken. A dot at the end means nothing. */
function domainForm(domain: string): string {
  const name = domain.replace(/\.+$/, '')
  // The function below parses the host of a URL, and would cut or decode what is not a domain name.
  if (/[^\p{L}\p{M}\p{N}.-]/u.test(name)) return name
  return domainToASCII(name) || name
}
