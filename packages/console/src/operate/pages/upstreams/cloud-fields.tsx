// The fields in which people say where an upstream of a cloud is, and what authorises its requests.
import { Segments } from '../../../ui/form/choices.tsx'
import { PasswordField, TextField } from '../../../ui/form/field.tsx'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { API_VERSION, type Auth, authFieldsOf, BY_KEY, type Kind, type Place, requiredPlace } from './cloud.ts'

type Errors = Readonly<Record<string, string | undefined>>

const EXAMPLES: Readonly<Record<string, string>> = {
  region: 'us-east-1',
  project: 'my-project',
  location: 'global',
  resource: 'my-resource',
  tenant: '00000000-0000-0000-0000-000000000000',
  client_id: '00000000-0000-0000-0000-000000000000',
}

type PlaceFieldsProps = { kind: Kind; place: Place; onChange(place: Place): void; errors: Errors; hasBaseUrl: boolean }

export function PlaceFields({ kind, place, onChange, errors, hasBaseUrl }: PlaceFieldsProps) {
  const labelOf = useLabels()
  const names = [...(hasBaseUrl ? [] : kind.place_fields), ...(kind.api_version === null ? [] : [API_VERSION])]
  return names.map((name) => (
    <TextField
      key={name}
      label={labelOf(name)}
      name={name}
      autoComplete="off"
      spellCheck={false}
      optional={name !== requiredPlace(kind)}
      placeholder={name === API_VERSION ? (kind.api_version ?? '') : (EXAMPLES[name] ?? '')}
      value={place[name] ?? ''}
      onChange={(text) => onChange({ ...place, [name]: text })}
      error={errors[name]}
    />
  ))
}

type AuthFieldsProps = {
  kind: Kind
  auth: Auth
  /** What is stored: secrets in it are no texts. */
  stored?: Auth
  onChange(auth: Auth): void
  errors: Errors
  hasBaseUrl: boolean
}

/** The choice, and the fields of what is chosen; keys have a field of their own elsewhere. */
export function AuthFields({ kind, auth, stored = BY_KEY, onChange, errors, hasBaseUrl }: AuthFieldsProps) {
  const t = useOperateTexts().upstreams.wizard.key
  const labelOf = useLabels()
  if (kind.auth.length < 2) return null
  const fields = authFieldsOf(kind, auth.type, hasBaseUrl)
  // What is wrong with several of them stands at the first.
  const isOfOne = fields.some(({ name }) => errors[`auth.${name}`])
  const errorOf = (name: string, index: number) =>
    errors[`auth.${name}`] ?? (index === 0 && !isOfOne ? errors.auth : undefined)
  return (
    <>
      <div>
        <Segments
          label={t.authorised}
          value={auth.type}
          onChange={(type) => onChange(type === stored.type ? stored : { type })}
          options={kind.auth.map(({ type }) => ({ value: type, label: t.auths[type] }))}
        />
      </div>
      {fields.length > 0 && <p className="text-sm text-muted">{t.authHint}</p>}
      {fields.map(({ name, is_secret: isSecret }, index) => {
        const [value, kept] = [auth[name], auth.type === stored.type && isKept(stored[name]) ? stored[name] : '']
        const Entry = isSecret ? PasswordField : TextField
        return (
          <Entry
            key={name}
            label={labelOf(name)}
            name={`auth.${name}`}
            autoComplete="off"
            spellCheck={false}
            placeholder={EXAMPLES[name] ?? ''}
            {...(kept === '' ? {} : { hint: t.secretKept })}
            value={typeof value === 'string' ? value : ''}
            onChange={(text: string) => onChange({ ...auth, [name]: text || kept })}
            error={errorOf(name, index)}
          />
        )
      })}
    </>
  )
}

const isKept = (value: unknown): boolean => typeof value === 'object' && value !== null

function useLabels(): (name: string) => string {
  const { places, fields } = useOperateTexts().upstreams.wizard.key
  return (name) => Object.entries(places).find(([each]) => each === name)?.[1] ?? fields[name] ?? name
}
