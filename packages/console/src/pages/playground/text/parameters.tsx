import { useTexts } from '../../../i18n/language.tsx'
import { SelectField, TextArea, TextField } from '../../../ui/form/field.tsx'
import { MoreSettings } from '../layout.tsx'
import { type Settings, wrongSetting } from './conversation.ts'

const EFFORTS = ['minimal', 'low', 'medium', 'high']

type ParametersProps = { settings: Settings; onChange(change: Partial<Settings>): void }

export function Parameters({ settings, onChange }: ParametersProps) {
  const t = useTexts().playground
  const wrong = wrongSetting(settings)
  const text = (name: 'temperature' | 'topP' | 'maxTokens') => ({
    label: t.settings[name],
    value: settings[name],
    inputMode: 'decimal' as const,
    placeholder: t.byModel,
    onChange: (value: string) => onChange({ [name]: value }),
    error: wrong === name ? t.wrong[name] : undefined,
  })
  return (
    <MoreSettings>
      <TextArea
        label={t.settings.system}
        rows={4}
        value={settings.system}
        onChange={(system) => onChange({ system })}
        placeholder={t.systemExample}
      />
      <div className="grid grid-cols-2 gap-4">
        <TextField {...text('temperature')} />
        <TextField {...text('topP')} />
      </div>
      <TextField {...text('maxTokens')} />
      <SelectField
        label={t.settings.effort}
        value={settings.effort}
        onChange={(effort) => onChange({ effort })}
        options={[
          { value: '', label: t.byModel },
          ...EFFORTS.map((value) => ({ value, label: t.efforts[value] ?? value })),
        ]}
      />
      <TextArea
        label={t.settings.tools}
        rows={4}
        spellCheck={false}
        value={settings.tools}
        onChange={(tools) => onChange({ tools })}
        hint={t.toolsHint}
        error={wrong === 'tools' ? t.wrong.tools : undefined}
        placeholder='[{ "type": "function", ... }]'
      />
    </MoreSettings>
  )
}
