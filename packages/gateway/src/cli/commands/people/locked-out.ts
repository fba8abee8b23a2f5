// For people who have lost their password, their authenticator app, or both.
import { createLink } from '../../../access/secrets/tokens.ts'
import type { Person, Storage } from '../../../storage/storage.ts'
import { CommandError } from '../../errors.ts'

type SignInLink = { email: string; url: string; expires_at: string }

/** `baseUrl`: of the gateway. */
export async function createSignInLink(
  { id, email, disabled }: Person,
  { signIns }: Pick<Storage, 'signIns'>,
  baseUrl: string,
): Promise<SignInLink> {
  if (disabled) throw new CommandError(`${email} is disabled; 'person enable' enables it`)
  const { token, expiresAt } = await createLink('setup', id, signIns, Date.now())
  return { email, url: `${baseUrl}/console/setup#${token}`, expires_at: new Date(expiresAt).toISOString() }
}

export function showSignInLink(result: unknown): string {
  const { email, url } = result as SignInLink
  return `Give this link to the holder of ${email} (it works once, within 24 hours):\n\n  ${url}\n`
}

/** A phone that is gone may be in other hands, and so may a browser: all sessions end. */
export async function removeSecondFactor(
  { id, email }: Person,
  { signIns }: Pick<Storage, 'signIns'>,
): Promise<unknown> {
  const ended = await signIns.removeSecondFactor(id)
  if (ended === undefined) throw new CommandError(`the account ${email} has no two-factor authentication`)
  return { email, second_factor: false, sessions_ended: ended }
}
