// What a change does besides what was written, in words by their names: for the diff that a person sees before.
import { hasRealUpstream } from '../../config/sandbox.ts'
import { DEFAULT_GROUP } from '../../config/sections/groups.ts'
import type { FileConfig } from '../../config/types.ts'
import type { EntryChange } from '../../storage/storage.ts'

/** Who loses the way to operate this gateway. */
function reachEffects({ server, signIn }: FileConfig, after: FileConfig): Record<string, string> {
  const effects: Record<string, string> = {}
  const networks = after.server.adminNetworks.join(', ')
  if (networks !== '' && networks !== server.adminNetworks.join(', '))
    effects.admin_networks = `The admin API can only be used from ${networks}.`
  if (server.publicUrl !== undefined && after.server.publicUrl === undefined)
    effects.console_hosts =
      'The console accepts changes only under an IP address, localhost or the host that the server listens on.'
  if (signIn.password && !after.signIn.password)
    effects.password_sign_in = 'Nobody can sign in with a password any more, only at the providers.'
  return effects
}

export function effectsOf(before: FileConfig, after: FileConfig, changes: readonly EntryChange[]) {
  const effects: Record<string, string> = {}
  if (before.sandbox.on && !after.sandbox.on)
    effects.sandbox_off = 'The sandbox is switched off: its models can no longer be called.'
  if (!before.sandbox.on && after.sandbox.on) effects.sandbox_on = 'The sandbox is switched on.'
  const isWritten = changes.some(({ kind, id }) => kind === 'setting' && id === 'registration.open')
  if (before.registration.open && !after.registration.open && !isWritten)
    effects.registration_closed = 'Registration is closed: set registration.open to keep it open.'
  if (!hasRealUpstream(before) && hasRealUpstream(after) && !after.registration.keepSandboxCredit)
    effects.trial_credit_taken_back = 'Unspent trial credit of the sandbox is taken back.'
  Object.assign(effects, reachEffects(before, after))
  const groups = changes.filter(({ kind, before: was, after: is }) => kind === 'group' && was === undefined && is)
  if (groups.length > 1 && groups.some(({ id }) => id === DEFAULT_GROUP))
    effects.default_group_written = `The group '${DEFAULT_GROUP}' is written, too: every model at multiplier 1, as without groups.`
  return effects
}
