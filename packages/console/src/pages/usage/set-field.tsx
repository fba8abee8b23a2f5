import { type FormEvent, useState } from 'react'
import { TextField } from '../../ui/form/field.tsx'
import { useUrlState } from '../../ui/url-state.ts'
import { FILTERS } from './filters.ts'

type SetFieldProps = {
  label: string
  hint?: string
  name: 'name' | 'tag' | 'end_user' | 'session'
  /** What else is set with it. */
  clears?: Partial<typeof FILTERS>
}

/** A filter that is typed: it is set by Enter, or when the field is left. */
export function SetField(props: SetFieldProps) {
  const [filters] = useUrlState(FILTERS)
  // Links and buttons change it, too.
  return <Typed key={filters[props.name]} {...props} value={filters[props.name]} />
}

function Typed({ label, hint, name, clears = {}, value }: SetFieldProps & { value: string }) {
  const [, setFilters] = useUrlState(FILTERS)
  const [typed, setTyped] = useState(value)
  const set = () => {
    const next = typed.trim()
    if (next !== value) setFilters({ ...(next === '' ? {} : clears), [name]: next, before: '' })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set()
  }
  return (
    <form onSubmit={submit}>
      <TextField
        label={label}
        {...(hint === undefined ? {} : { placeholder: hint })}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={setTyped}
        onBlur={set}
      />
    </form>
  )
}
