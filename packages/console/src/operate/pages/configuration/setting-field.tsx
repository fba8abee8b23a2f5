// One setting: its value, its default, where it comes from, and who may change it.

import type { ReactNode } from 'react'
import { Button } from '../../../ui/button.tsx'
import { PasswordField, SelectField, TextArea, TextField } from '../../../ui/form/field.tsx'
import { Badge } from '../../../ui/states.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { type Draft, writtenValue } from './drafts.ts'
import { type Setting, Source } from './source.tsx'

type FieldProps = {
  setting: Setting
  description: string
  /** undefined: not changed. */
  draft: Draft | undefined
  onChange(draft: Draft | undefined): void
  error: string | undefined
}

export function SettingField({ setting, description, draft, onChange, error }: FieldProps) {
  const t = useOperateTexts().configuration.settings
  const { id, source, needs, may_change: mayChange, read_only: isReadOnly, shadowed, invalid } = setting
  const isStored = source.from === 'stored'
  const why = mayChange || isReadOnly ? undefined : needs === null ? t.fileOnly : t.needs[needs]
  return (
    <li className="grid gap-x-6 gap-y-2 px-4 py-3 wide:grid-cols-[minmax(0,1fr)_minmax(0,340px)]">
      <div className="flex min-w-0 flex-col gap-0.5">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <code className="font-mono text-sm font-medium wrap-anywhere">{id}</code>
          {why && <Badge>{why}</Badge>}
          {draft !== undefined && <Badge tone="accent">{t.isChanged}</Badge>}
        </span>
        <span className="text-muted">{description}</span>
        <span className="flex flex-wrap gap-x-3 text-sm text-muted">
          <Source source={source} />
          {source.from !== 'default' && <DefaultOf setting={setting} />}
        </span>
        {shadowed && <span className="text-sm text-warn">{t.shadowed(plain(shadowed.value), shadowed.revision)}</span>}
        {invalid?.map((mistake) => (
          <span key={mistake} className="text-sm text-bad wrap-anywhere">
            {mistake}
          </span>
        ))}
      </div>
      <div className="flex min-w-0 flex-col items-stretch gap-1">
        {draft === null ? (
          <span className="flex min-h-8 flex-wrap items-center gap-2">
            <span className="text-muted">{t.willBeUnset}</span>
            <Button small variant="quiet" onClick={() => onChange(undefined)}>
              {t.keep}
            </Button>
          </span>
        ) : (
          <Control setting={setting} draft={draft} onChange={onChange} error={error} />
        )}
        {isStored && mayChange && draft !== null && (
          <span className="self-start">
            <Button small variant="quiet" onClick={() => onChange(null)}>
              {t.unset}
            </Button>
          </span>
        )}
      </div>
    </li>
  )
}

function DefaultOf({ setting }: { setting: Setting }): ReactNode {
  const t = useOperateTexts().configuration.settings
  const text = useDefault(setting)
  return <span>{text === undefined ? t.noDefault : t.defaultIs(text)}</span>
}

/** The default as a person reads it. undefined: there is none. */
function useDefault({ type, default: value }: Setting): string | undefined {
  const t = useOperateTexts().configuration.settings
  if (value === null || value === undefined) return undefined
  if (value === true) return t.on
  if (value === false || value === 'off') return t.off
  if (Array.isArray(value)) return value.length === 0 ? t.nothing : value.join(', ')
  return type === 'usd' ? `${value} USD` : String(value)
}

const plain = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

type ControlProps = Omit<FieldProps, 'description'>

function Control({ setting, draft, onChange, error }: ControlProps) {
  const t = useOperateTexts().configuration.settings
  const { id, type, words, secret, value, may_change: mayChange } = setting
  const byDefault = useDefault(setting)
  const written = writtenValue(setting)
  const shared = {
    label: id,
    hideLabel: true,
    error,
    value: draft ?? written,
    // What is as it was is no change.
    onChange: (next: string) => onChange(next === written ? undefined : next === '' && written !== '' ? null : next),
    disabled: !mayChange,
  }
  const none = byDefault === undefined ? t.noDefault : t.byDefault(byDefault)
  if (type === 'boolean' || type === 'word') {
    const choices =
      type === 'boolean'
        ? [
            { value: 'true', label: t.on },
            { value: 'false', label: t.off },
          ]
        : words.map((word) => ({ value: word, label: word }))
    return <SelectField {...shared} options={[{ value: '', label: none }, ...choices]} />
  }
  if (secret) {
    const { last_four: end = '' } = (value ?? {}) as { last_four?: string }
    const placeholder = value === null ? t.noDefault : t.isSet(end)
    if (!mayChange) return <TextField {...shared} placeholder={placeholder} />
    const { hideLabel: _, ...others } = shared
    return <PasswordField {...others} label={t.newSecret(id)} placeholder={placeholder} autoComplete="new-password" />
  }
  if (type === 'objects') {
    const isJson = <TextArea {...shared} rows={value === null && draft === undefined ? 1 : 6} placeholder="[]" />
    return mayChange ? <Hinted hint={t.objects}>{isJson}</Hinted> : isJson
  }
  const field = <TextField {...shared} placeholder={none} {...(type === 'integer' ? { inputMode: 'numeric' } : {})} />
  return mayChange && (type === 'texts' || type === 'words') ? <Hinted hint={t.list}>{field}</Hinted> : field
}

function Hinted({ hint, children }: { hint: string; children: ReactNode }) {
  return (
    <>
      {children}
      <span className="text-sm text-muted">{hint}</span>
    </>
  )
}
