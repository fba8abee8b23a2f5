// The drawer in which a stored upstream is changed. A new URL asks for the keys again: a stored key never goes to a host unseen.
import { ownField } from '../../../ui/form/fields.ts'
import type { Values } from '../../../ui/form/typed-values.ts'
import type { Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'
import { API_VERSION, type Auth, type Kind, storedAuth, writtenAuth } from './cloud.ts'
import { AuthFields } from './cloud-fields.tsx'
import { useKinds } from './wizard/kind-step.tsx'

const PLACES = ['region', 'project', 'location', 'resource', API_VERSION] as const

type Props = { upstream: Schemas['Upstream']; onClose(): void }

/** Which fields there are depends on its kind. */
export function EditUpstream(props: Props) {
  const { data, error } = useKinds()
  const kind = data?.data.find(({ id }) => id === props.upstream.kind)
  return data || error ? <EditKnown {...props} kind={kind} /> : null
}

function EditKnown({ upstream, kind, onClose }: Props & { kind: Kind | undefined }) {
  const texts = useOperateTexts().upstreams
  const t = texts.edit
  const words = useWords()
  const { id, base_url: url, region, proxy } = upstream
  const { region: regionLabel, regions, places: placeNames } = texts.wizard.key
  const places = kind?.place_fields ?? []
  const first = storedAuth(upstream, kind)
  const authIn = ({ auth }: Values) => (auth as Auth | undefined) ?? first
  const isMoved = (values: Values) =>
    values.base_url !== String(url ?? '') ||
    ['region', ...places].some((name) => (values[name] ?? '') !== String(Reflect.get(upstream, name) ?? '')) ||
    values.proxy !== ''
  const needsKeys = (values: Values) => authIn(values).type === 'key' && (first.type !== 'key' || isMoved(values))
  const automatic = { value: '', label: t.automatic }
  const seconds = { placeholder: '30s' }
  return (
    <ActForm
      isLong
      method="PATCH"
      path="upstreams/{upstream}"
      params={{ upstream: id }}
      of={upstream}
      title={t.title(id)}
      question={words('upstream change', id)}
      undo={t.undo(id)}
      onClose={onClose}
      body={(values) => (first.type === 'key' && authIn(values).type !== 'key' ? { keys: null } : {})}
      fields={[
        { name: 'base_url', label: texts.detail.address, hint: t.addressHint },
        ...PLACES.filter((name) => places.includes(name) || (name === API_VERSION && kind?.api_version)).map(
          (name) => ({
            name,
            label: placeNames[name],
            isShown: ({ base_url }: Values) => name === API_VERSION || base_url === '' || Boolean(upstream[name]),
          }),
        ),
        ...(places.length > 0 || region === undefined || region === null
          ? []
          : [
              {
                name: 'region' as const,
                label: regionLabel,
                as: [
                  automatic,
                  { value: 'international', label: regions.international },
                  { value: 'china', label: regions.china },
                ],
              },
            ]),
        {
          name: 'proxy',
          label: t.proxy,
          as: 'secret',
          placeholder: 'http://proxy.example:3128',
          ...(proxy ? { hint: t.proxyKept } : {}),
        },
        kind !== undefined &&
          kind.auth.length > 1 && {
            ...ownField('auth', {
              first,
              write: (auth) => (auth.type === 'key' ? undefined : writtenAuth(auth)),
              show: ({ value, values, errors, onChange }) => (
                <AuthFields
                  kind={kind}
                  auth={value}
                  stored={first}
                  onChange={onChange}
                  errors={errors}
                  hasBaseUrl={values.base_url !== ''}
                />
              ),
            }),
            // What was stored is not known here, so that nothing could take the change back.
            as: 'secret' as const,
          },
        {
          name: 'keys',
          label: texts.keys.title,
          as: 'secrets',
          hint: t.keysHint,
          missing: t.keysMissing,
          isShown: needsKeys,
        },
        { name: 'max_concurrency', label: t.concurrency, as: 'number', hint: t.concurrencyHint },
        { name: 'max_concurrency_per_key', label: t.perKey, as: 'number' },
        { name: 'limits.rpm', label: texts.limits.rpm, as: 'number', hint: t.limitsHint },
        { name: 'limits.tpm', label: texts.limits.tpm, as: 'number' },
        { name: 'limits.usd_per_day', label: texts.limits.usd_per_day },
        { name: 'limits.concurrent', label: texts.limits.concurrent, as: 'number' },
        { name: 'timeouts.first_byte', label: t.firstByte, hint: t.timeHint, ...seconds },
        { name: 'timeouts.idle', label: t.idle, ...seconds },
        { name: 'timeouts.total', label: t.total, placeholder: '10m' },
        {
          name: 'http',
          label: t.http,
          as: [automatic, { value: '1.1', label: 'HTTP/1.1' }, { value: '2', label: 'HTTP/2' }],
        },
        {
          name: 'bills_on_abort',
          label: t.abort,
          as: [automatic, { value: 'nothing', label: t.aborts.nothing }, { value: 'input', label: t.aborts.input }],
        },
        { name: 'quota', label: t.quota, hint: t.quotaHint },
        { name: 'breaker', label: t.breaker, as: 'switch', usual: 'true' },
        { name: 'shared_objects', label: t.shared, as: 'switch' },
      ]}
    />
  )
}
