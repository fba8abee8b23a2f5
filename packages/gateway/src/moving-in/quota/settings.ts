// Settings that have an equivalent.
import type { Findings } from '../findings.ts'
import { exactOf, written } from './exact.ts'
import type { Options } from './options.ts'
import { usdOf } from './options.ts'

export function readSettings(options: Options, findings: Findings): Readonly<Record<string, unknown>> {
  const name = options.text('SystemName')?.trim()
  const isOpen = (options.flag('RegisterEnabled') ?? true) && (options.flag('PasswordRegisterEnabled') ?? true)
  const trial = exactOf(options.text('QuotaForNewUser') ?? '0')
  const credit = trial && written(usdOf(trial.n / trial.d, options), 9)
  const mail = mailOf(options)
  if (isOpen) findings.add('options.RegisterEnabled', 'exact', OPEN)
  if (mail === undefined && (options.text('SMTPServer') ?? '') !== '')
    findings.add('options.SMTPServer', 'manual', NO_MAIL)
  return {
    registration: { open: isOpen, trial_credit: credit?.text ?? '0' },
    ...(name ? { console: { name } } : {}),
    ...(mail ? { mail } : {}),
  }
}

export const OPEN = 'Anybody may sign up, as there. Close registration if that is not wanted.'
export const NO_MAIL =
  'Server, account, password or sender of the mail are missing, or have a form that is not possible. Set mail.'

function mailOf(options: Options): { url: string; from: string } | undefined {
  const [server = '', account = '', token = ''] = ['SMTPServer', 'SMTPAccount', 'SMTPToken'].map((each) =>
    options.text(each)?.trim(),
  )
  const from = options.text('SMTPFrom')?.trim() || account
  const port = options.text('SMTPPort')?.trim() || '587'
  if (!/^[a-z0-9.-]+$/i.test(server) || !/^\d{1,5}$/.test(port) || account === '' || token === '') return undefined
  if (!/^[^\s@]+@[^\s@]+$/.test(from)) return undefined
  const scheme = port === '465' || options.flag('SMTPSSLEnabled') ? 'smtps' : 'smtp'
  return { url: `${scheme}://${encodeURIComponent(account)}:${encodeURIComponent(token)}@${server}:${port}`, from }
}
