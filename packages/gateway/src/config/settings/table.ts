// Every setting, by section, in the order in which they are shown: consoles and scripts generate their forms from this table.
import { ALERTS, THRESHOLDS } from '../sections/alerts.ts'
import { CALLBACKS } from '../sections/callbacks.ts'
import { COMPATIBILITY } from '../sections/compatibility.ts'
import { CONSOLE } from '../sections/console.ts'
import { MAIL } from '../sections/mail.ts'
import { MEDIA, S3 } from '../sections/media.ts'
import { NOTICES } from '../sections/notices/notices.ts'
import { registrationRows } from '../sections/registration.ts'
import { ATTRIBUTION } from '../sections/requests/attribution.ts'
import { ARCHIVE, RETENTION } from '../sections/retention.ts'
import { SANDBOX } from '../sections/sandbox.ts'
import { LIMITS, SERVER, TLS } from '../sections/server.ts'
import { SIGN_IN } from '../sections/sign-in.ts'
import { IMAGE_GENERATION } from '../sections/tools.ts'
import type { FileConfig } from '../types.ts'
import type { Rows, Setting } from './setting.ts'

/** What holds where nothing is written; it depends on the machine and on whether there is a real upstream. */
export type SettingDefaults = Pick<
  FileConfig,
  | 'server'
  | 'registration'
  | 'sandbox'
  | 'retention'
  | 'archive'
  | 'attribution'
  | 'callbacks'
  | 'compatibility'
  | 'alerts'
  | 'notices'
  | 'console'
  | 'signIn'
>

export type SettingField = Pick<
  Setting<unknown>,
  'type' | 'words' | 'description' | 'chinese' | 'isFileOnly' | 'isSecret'
> & {
  /** Its path, such as `server.limits.body`. */
  id: string
  /** As a file would have it; null: nothing. */
  defaultIn(defaults: SettingDefaults): unknown
}

/** `of`: where the configuration has the values; absent: nothing holds if the section is not written, or what the row says. */
function inSection(section: string, rows: Rows, of?: (defaults: SettingDefaults) => Readonly<Record<string, unknown>>) {
  return Object.entries(rows).map(([key, { name, fallback, write, ...row }]): SettingField => {
    const shown = (value: unknown) => (value === undefined || value === null ? null : write(value))
    const id = name === '' ? section : `${section}.${name}`
    return { ...row, id, defaultIn: (defaults) => shown(of ? of(defaults)[key] : fallback) }
  })
}

export const SETTING_FIELDS: readonly SettingField[] = [
  ...inSection('server', SERVER, ({ server }) => server),
  ...inSection('server.tls', TLS),
  ...inSection('server.limits', LIMITS, ({ server }) => server.limits),
  ...inSection('registration', registrationRows(false), ({ registration }) => registration),
  ...inSection('sandbox', SANDBOX, ({ sandbox }) => sandbox),
  ...inSection('retention', RETENTION, ({ retention }) => retention),
  ...inSection('archive', ARCHIVE, ({ archive }) => archive),
  ...inSection('media', MEDIA),
  ...inSection('media.s3', S3),
  ...inSection('attribution', ATTRIBUTION, ({ attribution }) => attribution),
  ...inSection('callbacks', CALLBACKS),
  ...inSection('compatibility', COMPATIBILITY),
  ...inSection('alerts', ALERTS),
  ...inSection('alerts', THRESHOLDS),
  ...inSection('notices', NOTICES, ({ notices }) => notices),
  ...inSection('mail', MAIL),
  ...inSection('console', CONSOLE),
  ...inSection('sign_in', SIGN_IN),
  ...inSection('tools.image_generation', IMAGE_GENERATION),
]
