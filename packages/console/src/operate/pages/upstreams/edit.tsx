// The drawer in which a stored upstream is changed. A new URL asks for the keys again: a stored key never goes to a host unseen.
import type { Values } from '../../../ui/form/typed-values.ts'
import type { Schemas } from '../../api/routes.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { ActForm } from '../../ui/act-form.tsx'

export function EditUpstream({ upstream, onClose }: { upstream: Schemas['Upstream']; onClose(): void }) {
  const texts = useOperateTexts().upstreams
  const t = texts.edit
  const words = useWords()
  const { id, base_url: url, region, proxy } = upstream
  const isMoved = (values: Values) =>
    values.base_url !== String(url ?? '') || (values.region ?? '') !== String(region ?? '') || values.proxy !== ''
  const { region: regionLabel, regions } = texts.wizard.key
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
      fields={[
        { name: 'base_url', label: texts.detail.address, hint: t.addressHint },
        ...(region === undefined || region === null
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
        {
          name: 'keys',
          label: texts.keys.title,
          as: 'secrets',
          hint: t.keysHint,
          missing: t.keysMissing,
          isShown: isMoved,
        },
        { name: 'max_concurrency', label: t.concurrency, as: 'number', hint: t.concurrencyHint },
        { name: 'max_concurrency_per_key', label: t.perKey, as: 'number' },
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
