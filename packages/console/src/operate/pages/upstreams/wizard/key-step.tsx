import { useState } from 'react'
import { Button } from '../../../../ui/button.tsx'
import { Segments } from '../../../../ui/form/choices.tsx'
import { PasswordField, SelectField, TextField } from '../../../../ui/form/field.tsx'
import { useForm } from '../../../../ui/form/form.ts'
import { Icon } from '../../../../ui/icons.tsx'
import { Banner } from '../../../../ui/states.tsx'
import { callAdmin } from '../../../api/client.ts'
import type { Output } from '../../../api/routes.ts'
import { useOperateTexts } from '../../../i18n/use-texts.tsx'
import { useOperateError } from '../../../ui/errors.ts'
import { type Kind, requiredPlace } from '../cloud.ts'
import { AuthFields, PlaceFields } from '../cloud-fields.tsx'
import { CUSTOM, DIALECTS, type Draft, type SetDraft, upstreamOf } from './draft.ts'

/** Models that were typed in before the key was changed. */
const typedIn = ({ chosen = [] }: Draft): readonly string[] => chosen

const NO_LIST: Pick<Output<'POST', 'upstream-drafts/models'>, 'base_url' | 'models' | 'base_models'> = {
  base_url: '',
  models: [],
  base_models: [],
}

/** Where the chosen region is; empty if the vendor has only one. */
export const addressIn = (kind: Kind | undefined, { region }: Draft): string =>
  (kind?.mainland && (region === 'china' ? kind.mainland.base_url : kind.base_url)) ?? ''

/** Where it is, and its key. Going on lists its models, which shows that the key works and costs nothing. */
export function KeyStep({ draft, set, kind }: { draft: Draft; set: SetDraft; kind: Kind | undefined }) {
  const t = useOperateTexts().upstreams.wizard.key
  const placeNames: Readonly<Record<string, string>> = t.places
  const messageOf = useOperateError()
  const isCustom = draft.kind === CUSTOM
  const hasPlaces = (kind?.place_fields.length ?? 0) > 0
  const needsOwn = isCustom || (kind?.needs_base_url === true && !hasPlaces)
  const [isAddressShown, setAddressShown] = useState(needsOwn || draft.baseUrl !== '')
  const needsAddress = isCustom || (kind?.needs_base_url === true && isAddressShown)
  const place = kind && !isAddressShown ? requiredPlace(kind) : undefined
  const isByKey = draft.auth.type === 'key'
  const needsKey = !isCustom && isByKey && kind?.needs_key !== false
  const keysUrl = draft.region === 'china' ? kind?.mainland?.keys_url : kind?.keys_url
  // An upstream without keys is told so; the vendors' own servers need none.
  const sent = isCustom && draft.key === '' ? { ...draft, key: 'none' } : draft
  const form = useForm<string, typeof NO_LIST>({
    fields: ['base_url', 'keys'],
    check: () => ({
      ...(needsAddress && draft.baseUrl.trim() === '' ? { base_url: t.addressMissing } : {}),
      ...(place && !draft.place[place]?.trim() ? { [place]: t.placeMissing(placeNames[place] ?? place) } : {}),
      ...(needsKey && draft.key.trim() === '' ? { keys: t.keyMissing } : {}),
    }),
    send: async () => {
      const listed = await callAdmin({ method: 'POST', path: 'upstream-drafts/models', body: upstreamOf(sent) })
      // Some vendors list no models: their names are typed in.
      if (!listed.ok && listed.error.status === 409) return { ok: true as const, value: NO_LIST }
      return listed.ok ? { ok: true as const, value: listed.value } : listed
    },
    done: ({ base_url, models, base_models }) => {
      const found = [...new Set([...models, ...typedIn(draft)])]
      set({ key: sent.key, listedAt: base_url, found, baseModels: base_models, step: 'test' })
    },
    rejected: (error) => {
      const field = fieldOf(error.param ?? '', { hasPlaces, isByKey, isAddressShown })
      return { [field]: messageOf(error).replace(`${error.param}: `, '') }
    },
  })
  return (
    <form noValidate onSubmit={form.submit} className="flex max-w-[560px] flex-col gap-4">
      {form.errors.form && <Banner tone="bad">{form.errors.form}</Banner>}
      {isCustom && (
        <SelectField
          label={t.dialect}
          hint={t.dialectHint}
          value={draft.dialect}
          onChange={(dialect) => set({ dialect })}
          options={DIALECTS.map((value) => ({ value, label: t.dialects[value] }))}
        />
      )}
      {kind?.mainland && draft.baseUrl === '' && <Region draft={draft} set={set} />}
      {isAddressShown ? (
        <>
          <TextField
            label={t.address}
            name="base_url"
            inputMode="url"
            autoComplete="off"
            spellCheck={false}
            placeholder={kind?.base_url ?? kind?.base_url_example ?? 'https://api.example.com/v1'}
            hint={needsAddress ? t.addressHint : t.addressOptional}
            value={draft.baseUrl}
            onChange={(baseUrl) => set({ baseUrl })}
            error={form.errors.base_url}
          />
          {hasPlaces && (
            <div>
              <Button
                small
                variant="quiet"
                onClick={() => {
                  setAddressShown(false)
                  set({ baseUrl: '' })
                }}
              >
                {t.fromPlace}
              </Button>
            </div>
          )}
        </>
      ) : (
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <span className="min-w-0 font-mono text-sm wrap-anywhere">{addressIn(kind, draft) || kind?.base_url}</span>
          <Button small variant="quiet" onClick={() => setAddressShown(true)}>
            {t.otherAddress}
          </Button>
        </p>
      )}
      {kind && (
        <PlaceFields
          kind={kind}
          place={draft.place}
          onChange={(changed) => set({ place: changed })}
          errors={form.errors}
          hasBaseUrl={isAddressShown}
        />
      )}
      {kind && (
        <AuthFields
          kind={kind}
          auth={draft.auth}
          onChange={(auth) => set({ auth })}
          errors={form.errors}
          hasBaseUrl={isAddressShown}
        />
      )}
      {isByKey && (
        <PasswordField
          label={needsKey ? t.key : t.keyOptional}
          name="key"
          autoComplete="off"
          autoFocus={(kind?.auth.length ?? 0) < 2}
          hint={t.keyHint}
          aside={
            keysUrl && (
              <a
                href={keysUrl}
                target="_blank"
                rel="noreferrer"
                className="inline-flex items-center gap-1 text-sm text-link hover:underline"
              >
                {t.getKey} <Icon name="external" size={12} />
              </a>
            )
          }
          value={draft.key}
          onChange={(key) => set({ key })}
          error={form.errors.keys}
        />
      )}
      <div>
        <Button type="submit" variant="primary" busy={form.isBusy}>
          {isByKey ? t.submit : t.check}
        </Button>
      </div>
    </form>
  )
}

/** Where what the API says of a parameter stands. */
function fieldOf(param: string, shown: { hasPlaces: boolean; isByKey: boolean; isAddressShown: boolean }): string {
  if (param.startsWith('keys')) return shown.isByKey ? 'keys' : 'form'
  if (param.startsWith('base_url')) return shown.isAddressShown ? 'base_url' : 'form'
  return shown.hasPlaces && /^(?:auth|region|project|location|resource|api_version)\b/.test(param) ? param : 'form'
}

/** A key of the one place is rejected in the other. */
function Region({ draft, set }: { draft: Draft; set: SetDraft }) {
  const t = useOperateTexts().upstreams.wizard.key
  return (
    <div>
      <Segments
        label={t.region}
        value={draft.region === 'china' ? 'china' : 'international'}
        onChange={(region) => set({ region: region === 'china' ? 'china' : '' })}
        options={[
          { value: 'international', label: t.regions.international },
          { value: 'china', label: t.regions.china },
        ]}
      />
    </div>
  )
}
