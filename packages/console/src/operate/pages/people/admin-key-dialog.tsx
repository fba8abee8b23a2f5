import { useState } from 'react'
import { ShownOnce } from '../../../pages/keys/secret.tsx'
import { SelectField, TextField } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/form.ts'
import { FormDialog } from '../../../ui/form/form-dialog.tsx'
import { rehearse } from '../../api/client.ts'
import { useOperateTexts } from '../../i18n/use-texts.tsx'
import { useWords } from '../../i18n/use-words.ts'
import { useAct } from '../../ui/act.tsx'
import { type Permission, type Role, useRole } from '../../ui/permissions.ts'
import { AdminKeyPermissions, narrowedTo } from './admin-key-permissions.tsx'
import { rolesOfKeys } from './ranks.ts'
import { PermissionsOf, usePermissionsOf } from './roles.tsx'

const DAY_MS = 86_400_000
const EXPIRIES = ['30', '90', '365', 'never'] as const
type Expiry = (typeof EXPIRIES)[number]

/** The secret is shown once, when the key is created. */
export function AdminKeyDialog({ onClose }: { onClose(): void }) {
  const texts = useOperateTexts()
  const t = texts.people.adminKeys
  const act = useAct()
  const words = useWords()
  const own = useRole()
  const [name, setName] = useState('')
  const [role, setRole] = useState<Role>('viewer')
  const [without, setWithout] = useState<ReadonlySet<Permission>>(new Set())
  const [expiry, setExpiry] = useState<Expiry>('90')
  const [networks, setNetworks] = useState('')
  const [secret, setSecret] = useState<string>()
  const listed = networks.split(/[\s,]+/).filter((each) => each !== '')
  const ofRole = usePermissionsOf(role)
  const permissions = narrowedTo(ofRole, without)
  const change = () => ({
    method: 'POST' as const,
    path: 'admin-keys' as const,
    body: {
      name: name.trim(),
      role,
      ...(permissions && { permissions }),
      ...(expiry === 'never' ? {} : { expires_at: new Date(Date.now() + Number(expiry) * DAY_MS).toISOString() }),
      ...(listed.length === 0 ? {} : { networks: listed }),
    },
  })
  const form = useForm({
    fields: ['name', 'role', 'expires_at', 'networks'],
    check: () => (name.trim() === '' ? { name: t.nameMissing } : {}),
    send: () => rehearse(change()),
    done: async () => {
      const done = await act({
        ...change(),
        ...words('admin-key create', name.trim()),
        text: (
          <div className="flex flex-col gap-2">
            <p>{(permissions ? t.whatNarrowed : t.what)(texts.shell.roles[role])}</p>
            <PermissionsOf role={role} only={permissions && ['see', ...permissions]} />
          </div>
        ),
        hideChanges: true,
      })
      if (done) setSecret(done.secret)
    },
  })
  if (secret !== undefined)
    return (
      <ShownOnce
        title={t.secretTitle}
        text={t.secretText(name.trim())}
        secret={secret}
        loss={{ title: t.leave(name.trim()), text: t.leaveText }}
        onClose={onClose}
      />
    )
  return (
    <FormDialog title={t.create} action={t.next} form={form} onClose={onClose}>
      <TextField label={t.name} name="name" maxLength={100} value={name} onChange={setName} error={form.errors.name} />
      <SelectField
        label={t.role}
        value={role}
        onChange={(value) => {
          setRole(value as Role)
          setWithout(new Set())
        }}
        options={rolesOfKeys(own).map((value) => ({ value, label: texts.shell.roles[value] }))}
        error={form.errors.role}
      />
      <AdminKeyPermissions permissions={ofRole} without={without} onChange={setWithout} />
      <SelectField
        label={t.expires}
        value={expiry}
        onChange={(value) => setExpiry(value as Expiry)}
        options={EXPIRIES.map((value) => ({ value, label: t.expiry[value] }))}
        error={form.errors.expires_at}
      />
      <TextField
        label={t.networks}
        name="networks"
        optional
        value={networks}
        onChange={setNetworks}
        hint={t.networksHint}
        error={form.errors.networks}
      />
    </FormDialog>
  )
}
