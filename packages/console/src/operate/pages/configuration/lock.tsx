/** Stands before what can only be changed where it comes from. */
export function Lock({ label }: { label: string }) {
  return (
    <svg
      role="img"
      aria-label={label}
      width="14"
      height="14"
      viewBox="0 0 16 16"
      fill="none"
      className="shrink-0 text-muted"
    >
      <path
        d="M5 7V5a3 3 0 0 1 6 0v2M4 7h8a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1H4a1 1 0 0 1-1-1V8a1 1 0 0 1 1-1Z"
        stroke="currentColor"
        strokeWidth="1.4"
      />
    </svg>
  )
}
